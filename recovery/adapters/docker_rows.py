"""What Docker's engine answers, as frozen rows; whatever may hold secrets (Env, Cmd, Args, Labels) is left behind here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recovery.errors import EngineAway

HISTORY = 256
"""Events of all types that the engine remembers."""

NEVER = "0001-01-01T00:00:00Z"
"""How the engine says that it has not happened."""

_HEALTH = {"(healthy)": "healthy", "(unhealthy)": "unhealthy", "(health: starting)": "starting"}

OURS = "bot-watchdog."
"""Prefix of the labels that mean something here; all others may hold secrets."""

_TOLD = ("name", "signal", "exitCode", "oldName")


@dataclass(frozen=True, slots=True)
class Listed:
    """One container in the list. state: running, paused, restarting, exited, created, removing or dead. status: Docker's words.

    health: healthy, unhealthy or starting; None without a health check or when it does not run. ports: of the host, taken by it.
    published: its own port to one of the host. labels: those of ours only, without their prefix. address: on a bridge.
    """

    name: str
    id: str
    state: str
    status: str = ""
    health: str | None = None
    ports: tuple[int, ...] = ()
    published: Mapping[int, int] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    host_network: bool = False
    address: str = ""

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Listed | None:
        """None for a container without a name of its own, which is on its way out."""
        # A link of the old kind gives it a second name, `/other/alias`.
        names = [name[1:] for name in raw["Names"] or () if name.count("/") == 1]
        if not names:
            return None
        status = str(raw.get("Status") or "")
        health = next((word for mark, word in _HEALTH.items() if status.endswith(mark)), None)
        open_ports = [port for port in raw.get("Ports") or () if port.get("PublicPort")]
        told = raw.get("Labels") or {}
        networks = ((raw.get("NetworkSettings") or {}).get("Networks") or {}).values()
        return cls(
            names[0],
            str(raw["Id"]),
            str(raw["State"]),
            status,
            health,
            tuple(sorted({int(port["PublicPort"]) for port in open_ports})),
            {int(port["PrivatePort"]): int(port["PublicPort"]) for port in open_ports},
            {key.removeprefix(OURS): str(value) for key, value in told.items() if key.startswith(OURS)},
            (raw.get("HostConfig") or {}).get("NetworkMode") == "host",
            next((address for each in networks if (address := str(each.get("IPAddress") or ""))), ""),
        )


@dataclass(frozen=True, slots=True)
class Inspected:
    """The chosen fields of one container. started_at: wall seconds, None when it never was. pid: None unless it runs.

    since: `started_at` in the engine's own letters, more exact than a float can be. policy: its restart policy, `no` without one.
    fleeting: Docker removes it when it ends (`--rm`). limit: bytes of memory, None without one. health_said: first line of the
    last health check's output.
    """

    name: str
    id: str
    status: str
    since: str
    started_at: float | None
    pid: int | None
    exit_code: int
    error: str
    oom_killed: bool
    policy: str
    restarts: int
    stop_signal: str
    image: str
    limit: int | None
    health: str | None
    health_said: str
    fleeting: bool = False

    @property
    def instance(self) -> str:
        """No other instance ever has it: the same container started again has another start."""
        return f"{self.id}@{self.since}"

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Inspected:
        """Raises EngineAway for what is no container."""
        try:
            state, config, host = raw["State"], raw["Config"], raw["HostConfig"]
            health = state.get("Health") or {}
            log = health.get("Log") or [{}]
            said = str(log[-1].get("Output") or "").strip().splitlines()
            return cls(
                name=str(raw["Name"]).removeprefix("/"),
                id=str(raw["Id"]),
                status=str(state["Status"]),
                since=str(state["StartedAt"]),
                started_at=wall_seconds(state["StartedAt"]),
                pid=int(state["Pid"]) or None,
                exit_code=int(state["ExitCode"]),
                error=str(state.get("Error") or ""),
                oom_killed=bool(state.get("OOMKilled")),
                policy=str((host.get("RestartPolicy") or {}).get("Name") or "no"),
                restarts=int(raw.get("RestartCount") or 0),
                stop_signal=str(config.get("StopSignal") or "SIGTERM"),
                image=str(config.get("Image") or ""),
                limit=int(host.get("Memory") or 0) or None,
                health=str(health["Status"]) if health.get("Status") not in (None, "", "none") else None,
                health_said=said[0][:200] if said else "",
                fleeting=bool(host.get("AutoRemove")),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise EngineAway(f"Docker's answer about a container is not understood: {type(error).__name__}") from error

    def chosen(self) -> tuple[str, ...]:
        """Lines for the evidence; nothing that the bot was configured with."""
        again = f", restarted {self.restarts} times by Docker" if self.restarts else ""
        lines = [
            f"image {self.image}",
            f"restart policy {self.policy}{again}",
            *(["made with --rm: Docker removes it when it ends"] if self.fleeting else []),
            f"started {self.since[:19].replace('T', ' ')} UTC" if self.started_at is not None else "never started",
            f"last exit code {self.exit_code}",
            f"OOMKilled {'yes' if self.oom_killed else 'no'}",
            f"memory limit {self.limit} bytes" if self.limit else "no memory limit",
        ]
        if self.health is not None:
            lines.append(f"health {self.health}" + (f": {self.health_said}" if self.health_said else ""))
        return tuple(lines)


@dataclass(frozen=True, slots=True)
class History:
    """Events of containers between two moments, oldest first.

    complete: none is missing, as far as the engine's memory of 256 events tells: it reaches back beyond the beginning, or was
    never full. An engine that was itself started in between has forgotten what was before, and cannot say so.
    """

    events: tuple[Mapping[str, Any], ...]
    complete: bool


def event(raw: Any) -> Mapping[str, Any] | None:
    """Exactly Action, ID, name, signal, exitCode, oldName and timeNano ("" where the engine says nothing); None: of no container.

    The other attributes are the container's labels, which may hold secrets.
    """
    if not isinstance(raw, dict) or raw.get("Type") != "container" or not isinstance(actor := raw.get("Actor"), dict):
        return None
    attributes = actor.get("Attributes")
    told = {key: str(attributes.get(key, "")) if isinstance(attributes, dict) else "" for key in _TOLD}
    told["oldName"] = told["oldName"].removeprefix("/")
    action, nanos = str(raw.get("Action", "")), raw.get("timeNano")
    return {
        "Action": action.partition(":")[0] if action.startswith("exec_") else action,  # after its colon stands the command line
        "ID": str(actor.get("ID", "")),
        **told,
        "timeNano": nanos if isinstance(nanos, int) else 0,
    }


def wall_seconds(text: str) -> float | None:
    """Seconds since the epoch of an RFC 3339 time with nanoseconds; None for the time that means never. Raises ValueError."""
    if text == NEVER or not text:
        return None
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return moment.timestamp()
