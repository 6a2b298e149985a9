"""One client in a process of its own, so that its memory and CPU are its own: `python -m bench.probe.one CLIENT LOAD`."""

from __future__ import annotations

import asyncio
import json
import resource
import sys

from bench.probe.clients import CLIENTS
from bench.probe.load import Load, Measured


def main() -> None:
    name, text = sys.argv[1:3]
    given = json.loads(text)
    load = Load(**{**given, "healthy": tuple(given["healthy"]), "hung": tuple(given["hung"])})
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    measured: Measured = asyncio.run(CLIENTS[name](load))  # type: ignore[arg-type]
    print(
        json.dumps(
            {
                "asked": measured.asked,
                "good": measured.good,
                "wrong": measured.wrong,
                "cpu": measured.cpu,
                "rss": measured.rss,
                "stall": measured.stall,
                "p50": measured.percentile(0.5),
                "p99": measured.percentile(0.99),
            }
        )
    )


if __name__ == "__main__":
    main()
