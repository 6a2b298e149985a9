"""Secrets never leave the daemon in words (SPEC 15, "Doors"): a pure rule for every text that is logged, stored or sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import quote

MASK = "***"

SHORTEST = 4
"""Characters. A shorter known value would be found inside ordinary words."""

_NAMES = (
    r"(?:refresh_?token|access_?token|id_?token|auth_?token|client_?secret|api[_-]?key|secret[_-]?key|password|passwd|passphrase)"
)
_BARE = r"(?:token|secret|private[_-]?key|credential|pwd)"
"""Names that ordinary words bear too (`token: expired`): only what has letters and digits behind them is a secret."""
_PIECE = r"[^\s\"',;&})\]\\]"
_QUOTED = r"\\*\"(?:[^\"\\]|\\+[^\"\\]){0,512}\\*\"|\\*'(?:[^'\\]|\\+[^'\\]){0,512}\\*'"

_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(bot)?\d{5,}:[\w-]{30,}"), rf"\1{MASK}"),  # a Telegram token, also within its URL
    (re.compile(r"\b(Bearer|Authorization\W{1,5}Basic)(\s+)[\w.~+/=-]{8,}", re.IGNORECASE), rf"\1\2{MASK}"),
    (re.compile(rf"({_NAMES}\\*[\"']?\s*[=:]\s*)(?:{_QUOTED}|\\*[\"']?[^\s\"',;&}})\]\\]+)", re.IGNORECASE), rf"\1{MASK}"),
    (
        re.compile(
            rf"({_BARE}\\*[\"']?\s*[=:]\s*\\*[\"']?)(?={_PIECE}{{0,199}}?\d)(?={_PIECE}{{0,199}}?[a-z]){_PIECE}{{8,}}",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
    (
        re.compile(
            r"(?<![\w-])(?:[sr]k[-_](?=[\w-]*\d)[\w-]{16,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
            r"|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,})"
        ),
        MASK,
    ),  # keys that show by their first letters whose they are
    (re.compile(r"([?&](?:token|key|secret|sig|signature|code)=)[^\s\"'&#\\]+", re.IGNORECASE), rf"\1{MASK}"),
    (re.compile(r"(\w://[^\s/:@\"']{0,200}:)[^\s/@\"']{1,200}@"), rf"\1{MASK}@"),  # user:password@host
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*"), MASK),  # a JSON web token
    (re.compile(r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[\w+/=\s\\]*"), rf"\1{MASK}"),
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with known values and everything that looks like a secret replaced by `***`.

    secrets: known values, each as `spellings` gives it, longest first. Other text is left as it is, character by character.
    """
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, MASK)
    for pattern, mask in _PATTERNS:
        text = pattern.sub(mask, text)
    return text


def spellings(secret: str) -> frozenset[str]:
    """How a known value may be written: as it is, within JSON (both ways), within a URL, and within Python's repr."""
    if len(secret.strip()) < SHORTEST:
        return frozenset()
    forms = {
        secret,
        secret.strip(),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret, safe=""),
        quote(secret),
        repr(secret)[1:-1],
    }
    return frozenset(form for form in forms if len(form) >= SHORTEST)


class Redactor:
    """The known values of one daemon. Called with a text it gives the text without them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: tuple[str, ...] = ()
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Known from now on. Values of an older configuration stay known: old text may still hold them."""
        forms = set(self._forms).union(*(spellings(secret) for secret in secrets))
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def __call__(self, text: str) -> str:
        return redact(text, self._forms)
