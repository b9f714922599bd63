"""What is ported, and what each port needs."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Port:
    """An environment of another framework: the class that brings it here, and what has to be installed for it."""

    name: str
    target: str
    packages: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    """Packages that are installed without what they ask for, as that would replace half of what is here."""
    server: str | None = None
    """The module of a server that has to run; the class takes its `url`."""
    trains: bool = True

    @property
    def module(self) -> Path | None:
        """The file of the class; None for an installed environment."""
        name, found, _ = self.target.partition(":")
        return HERE / f"{name}.py" if found else None


PORTS = (
    Port("TextArena", "textarena_game:GuessTheNumber", ("textarena",)),
    Port("OpenEnv", "doors:Doors", ("openenv-core",), server="doors_server"),
    Port("MCP", "cities:Cities", ("mcp",)),
    Port("verifiers", "capitals:Capitals", ("verifiers==0.1.14",)),
    Port("Inspect", "beliefs:Beliefs", ("inspect-ai",)),
    Port("BFCL", "bfcl_calls:MultiTurnCalls", ("mpmath",), alone=("bfcl-eval",)),
    Port("120 turns", "ledger:Ledger"),
    Port("code", "code-v1"),
    Port("images", "shapes-v1", trains=False),
    Port("customer", "tickets-v1"),
)
