"""The clients that are measured. One is a file-free coroutine: given a Load, it asks it and returns what it measured.

A new path (the whole daemon, say) is one more entry in CLIENTS; `paced` serves those that ask one target at a time.
"""

from __future__ import annotations

import asyncio
import gc
import resource
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter

import httpx

from bench.probe.load import Load, Measured
from watchdog.clock import Clock
from watchdog.config.schema import Probe, Service
from watchdog.model.observation import Kind
from watchdog.probing.prober import Prober

Ask = Callable[[int], Awaitable[bool]]
TICK = 0.1


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def rss() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()


async def paced(load: Load, ask: Ask) -> Measured:
    """Asks every target in its turn, a tick's share at a time. `ask` says whether the target was found healthy."""
    measured, tasks = Measured(), set[asyncio.Task[None]]()
    loop = asyncio.get_running_loop()

    async def one(number: int) -> None:
        started = perf_counter()
        good = await ask(number)
        if load.is_hung(number):
            return
        measured.good += good
        measured.wrong += not good
        measured.latencies.append(perf_counter() - started)

    gc.collect()
    before, started, number, due = cpu(), loop.time(), 0, 0.0
    for tick in range(int(load.length / TICK)):
        await asyncio.sleep(max(0.0, started + tick * TICK - loop.time()))  # noqa: TID251 - no product clock here
        measured.stall = max(measured.stall, loop.time() - started - tick * TICK)
        due += load.count * TICK / load.interval
        while due >= 1:
            task = loop.create_task(one(number % load.count))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            number, due = number + 1, due - 1
    measured.asked, measured.cpu, measured.rss = number, cpu() - before, rss()
    for task in list(tasks):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return measured


async def stock_httpx(load: Load) -> Measured:
    """One AsyncClient with the settings of SPEC 16, JSON parsed, one total deadline."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(limits=limits, trust_env=False, timeout=httpx.Timeout(load.limit, pool=None)) as client:

        async def ask(number: int) -> bool:
            try:
                async with asyncio.timeout(load.limit):
                    answer = await client.get(load.url(number), headers={"Accept-Encoding": "identity"})
            except (TimeoutError, httpx.HTTPError):
                return False
            return answer.status_code == 200 and answer.json()["status"] == "ok"

        return await paced(load, ask)


async def probing(load: Load) -> Measured:
    """Socket and verdict of the watchdog: an Observation per question."""
    services = [
        Service(name=f"bot-{number}", probe=Probe(http=load.url(number)), interval=load.interval, timeout=load.limit)
        for number in range(load.count)
    ]
    prober = Prober(Clock(), lambda _: None, {})
    for service in services:
        prober.prepare(service)

    async def ask(number: int) -> bool:
        return (await prober.ask(services[number])).kind is Kind.OK

    try:
        return await paced(load, ask)
    finally:
        await prober.close()


CLIENTS: dict[str, Callable[[Load], Awaitable[Measured]]] = {"httpx": stock_httpx, "probing": probing}
