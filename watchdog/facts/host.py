"""How this host is doing, in one line for people: CPU, memory, disk (SPEC 11, critical text)."""

from __future__ import annotations

from pathlib import Path

import psutil


def load(folder: Path) -> str:
    """`CPU 12 % · memory 61 % · disk 78 %`; disk: of the file system of `folder`. Empty where the system does not tell."""
    try:
        cpu = psutil.getloadavg()[0] / (psutil.cpu_count() or 1) * 100
        return f"CPU {min(cpu, 100):.0f} % · memory {psutil.virtual_memory().percent:.0f} % · disk {_disk(folder):.0f} %"
    except (OSError, RuntimeError):
        return ""


def _disk(folder: Path) -> float:
    return float(psutil.disk_usage(str(folder)).percent)
