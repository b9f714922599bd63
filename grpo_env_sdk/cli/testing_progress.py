"""How far a test is, on stderr."""

from typing import Any

from grpo_env_sdk.cli.screen import Screen
from grpo_env_sdk.plain_text import counted


class CheckProgress(Screen):
    """Shows on stderr which checks run in how many environments; use it as a context manager."""

    def __init__(self, names: list[str], total: int) -> None:
        super().__init__(on_terminal=0.0, in_log=10.0)
        self._names = names
        self._total = total
        self._running: dict[int, str] = {}
        """Where each environment that is being tested is."""
        self._done = [set[str]() for _ in names]
        """The checks that have run, some of them twice."""

    def on_event(self, place: int, event: dict[str, Any]) -> None:
        """Take in one event of the checks of one environment."""
        self.note_event(place, event)
        self.update()

    def note_event(self, place: int, event: dict[str, Any]) -> None:
        """Keep what an event says, and show nothing yet: it may come from another thread."""
        if event["event"] == "ended":
            self._done[place].add(event["check"])
        elif event["event"] == "started":
            self._running[place] = event["check"]
        elif event["event"] == "at" and place in self._running:
            self._running[place] = f"{self._running[place].partition(',')[0]}, {event['stage']}"

    def ended(self, place: int) -> None:
        """Note that an environment is done."""
        self._running.pop(place, None)

    def update(self) -> None:
        """Show how far all is, if it is time for that."""
        running = list(self._running.items())
        if running and self.due():
            line = "; ".join(self._line(place, where) for place, where in running)
            self.show(line, lambda: _spinner(line))

    def _line(self, place: int, where: str) -> str:
        done = min(len(self._done[place]), self._total)
        return f"{self._names[place]}: {done}/{counted(self._total, 'check')}, now {where}"


def _spinner(text: str) -> Any:
    from rich.spinner import Spinner
    from rich.text import Text

    return Spinner("dots", Text(text))
