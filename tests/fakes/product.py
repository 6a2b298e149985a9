"""The product's own source, read and parsed once, for tests of its architecture."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PRODUCT = [path for root in ("watchdog", "recovery", "botkit") for path in sorted(Path(root).rglob("*.py"))]


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in the file, in the order of `ast.walk`."""
    return tuple(ast.walk(ast.parse(path.read_text())))
