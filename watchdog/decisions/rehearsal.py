"""What a run would do, step by step, before anything is touched. Pure."""

from __future__ import annotations

from dataclasses import replace

from recovery.model import Playbook, Step
from recovery.params import shown


def rehearsed(book: Playbook, term_grace: float) -> list[str]:
    """`2. stop_process: {grace: 10s}`: each step with what it was given. term_grace: seconds, of the service."""
    return [f"{number}. {_told(step, term_grace)}" for number, step in enumerate(book.steps, 1)]


def _told(step: Step, term_grace: float) -> str:
    params = step.params
    if step.action == "stop_process":  # the longer of both graces counts (SPEC 6)
        params = replace(params, grace=max(params.grace or 0.0, term_grace))
    given = shown(params)
    return f"{step.action}: {given}" if given else step.action
