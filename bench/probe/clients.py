"""The clients that are measured: each is a coroutine that asks a Load and returns what it measured.

A new path is one more entry in CLIENTS; `paced` serves those that ask one target at a time.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from time import perf_counter

import httpx

from bench.probe.daemon import watchdog
from bench.probe.load import Load, Measured
from bench.probe.meter import TICK, cpu, rss
from watchdog.clock import Clock
from watchdog.config.schema import Probe, Service
from watchdog.model.observation import Kind
from watchdog.probing.prober import Prober

Ask = Callable[[int], Awaitable[bool]]


async def paced(load: Load, ask: Ask) -> Measured:
    """Asks every target in its turn, a tick's share at a time. `ask` says whether the target was found healthy."""
    measured, tasks = Measured(), set[asyncio.Task[None]]()
    loop, clock = asyncio.get_running_loop(), Clock()

    async def one(number: int) -> None:
        started = perf_counter()
        good = await ask(number)
        if not load.is_hung(number):
            measured.good += good
            measured.wrong += not good
            measured.latencies.append(perf_counter() - started)

    for number in range(load.count):  # the first question costs imports and caches that no later one does
        if not load.is_hung(number):
            await ask(number)
            break
    gc.collect()
    gc.freeze()
    started, number, share, settled = clock.monotonic(), 0, 0.0, int(load.settles / TICK)
    for tick in range(settled + int(load.length / TICK)):
        if tick == settled:
            measured.asked, measured.stall, measured.cpu = number, 0.0, cpu()
            measured.latencies.clear()
        due = started + tick * TICK
        await clock.sleep(due - clock.monotonic())
        measured.stall = max(measured.stall, clock.monotonic() - due)
        share += load.count * TICK / load.interval
        while share >= 1:
            task = loop.create_task(one(number % load.count))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            number, share = number + 1, share - 1
    measured.asked, measured.cpu, measured.rss = number - measured.asked, cpu() - measured.cpu, rss()
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


CLIENTS: dict[str, Callable[[Load], Awaitable[Measured]]] = {"httpx": stock_httpx, "probing": probing, "watchdog": watchdog}
