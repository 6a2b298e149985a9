"""Says one line to the people on call, as a soft message.

- notify: {text: "The cache of the scraper was dropped, the next cycle is slow."}
"""

from __future__ import annotations

from dataclasses import dataclass

from recovery.model import Effect
from recovery.ports import Context, Result

EFFECT = Effect.NONE
IDEMPOTENT = False

LONGEST = 300
"""Characters: one line on a phone, not a page."""


@dataclass(frozen=True, slots=True)
class Params:
    """text: one line, up to 300 characters, said as it is written."""

    text: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("text: nothing to say")
        if len(self.text) > LONGEST or "\n" in self.text.strip():
            raise ValueError(f"text: one line of up to {LONGEST} characters")


async def run(params: Params, context: Context) -> Result:
    context.note(params.text.strip())
    return Result("said")
