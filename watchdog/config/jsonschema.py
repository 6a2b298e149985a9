"""JSON Schemas for editors, made from the models in the form of a file (SPEC 3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from recovery.units import DURATION_PATTERN, SHARE_PATTERN, SIZE_PATTERN, compact_duration, compact_size
from watchdog.config.fields import NAME_PATTERN, Budget, Night, Threshold
from watchdog.config.schema import Settings

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_EXACTLY_ONE: Mapping[str, tuple[str, ...]] = {
    "Fallback": ("chat", "webhook"),
    "Probe": ("http", "tcp", "docker", "process", "exec"),
    "Reload": ("signal", "http"),
    "Runtime": ("process", "docker"),
}
_NAMED = ("services", "apis", "commands")


def config_schema() -> dict[str, Any]:
    """The schema of watchdog.yaml and of the files in conf.d."""
    schema = TypeAdapter(Settings).json_schema(by_alias=True, schema_generator=_Generator)
    definitions = schema["$defs"]
    service = definitions["Service"]
    del service["properties"]["name"]
    service["required"].remove("name")
    for name, keys in _EXACTLY_ONE.items():
        definitions[name]["oneOf"] = [{"required": [key]} for key in keys]
    asked = definitions["Probe"]["properties"]
    for flag in ("docker", "process"):
        asked[flag] = {**asked[flag], "const": True, "default": None}
    container = definitions["Container"]["properties"]["name"]
    way = definitions["Runtime"]["properties"]["docker"]
    way["anyOf"] = [{"type": "string", "pattern": container["pattern"], "minLength": 1}, {"$ref": "#/$defs/Container"}]
    chats = definitions["Telegram"]["properties"]["chats"]
    chats["minItems"] = 1
    chats["items"] = {"oneOf": [definitions["ChatPlace"]["properties"]["id"], {"$ref": "#/$defs/ChatPlace"}]}
    for name in _NAMED:
        schema["properties"][name]["propertyNames"] = {"pattern": NAME_PATTERN}
    schema["required"] = []
    schema["anyOf"] = [{"required": ["services"], "properties": {"services": {"minProperties": 1}}}, {"required": ["discovery"]}]
    found = schema["properties"]["discovery"]
    found["anyOf"] = [{"const": "docker"}, {"$ref": "#/$defs/Discovery"}, {"type": "null"}]
    for model in (schema, *definitions.values()):
        for field in model.get("properties", {}).values():
            _in_words(field)
    schema["title"] = "bot-watchdog configuration"
    del schema["properties"]["timezone"]["default"]
    return {"$schema": DIALECT, **_without_titles(schema)}


class _Generator(GenerateJsonSchema):
    def encode_default(self, dft: Any) -> Any:
        """The default in the form of a file; None for objects, whose defaults stand at their own fields."""
        match dft:
            case Threshold(count=count):
                return count
            case Budget(count=count, seconds=seconds):
                return f"{count}/{compact_duration(seconds)}"
            case time():
                return f"{dft:%H:%M}"
            case Night(start=start, end=end):
                return f"{start:%H:%M}-{end:%H:%M}"
            case Path():
                return str(dft)
            case "":
                return None
            case str() | int() | float():
                return dft
        return None


def _in_words(field: dict[str, Any]) -> None:
    """Numbers with their unit; no default where there is none to write."""
    default = field.get("default")
    if default is None:
        field.pop("default", None)
    elif field.get("pattern") == DURATION_PATTERN and isinstance(default, float):
        field["default"] = compact_duration(default)
    elif field.get("pattern") == SHARE_PATTERN and isinstance(default, float):
        field["default"] = f"{default:.0%}" if default <= 1 else f"{default:g}%"
    elif field.get("pattern") == SIZE_PATTERN and isinstance(default, int):
        field["default"] = compact_size(default)


def _without_titles(node: Any, *, names: bool = False) -> Any:
    """Without generated titles, and with `${VAR}` allowed wherever a text has a pattern. names: keys are names, not keywords."""
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    clean = {
        key: _without_titles(value, names=key in ("properties", "$defs") and not names)
        for key, value in node.items()
        if names or key != "title" or value == "bot-watchdog configuration"
    }
    if not names and isinstance(clean.get("pattern"), str) and clean["pattern"] != NAME_PATTERN:
        clean["pattern"] += r"|\$\{"
    return clean
