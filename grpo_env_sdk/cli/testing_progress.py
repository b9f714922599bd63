"""How far a test is, on stderr."""

from typing import Any

from grpo_env_sdk.cli.screen import Screen


class CheckProgress(Screen):
    """Shows on stderr which check runs; use it as a context manager."""

    def __init__(self, name: str, total: int) -> None:
        super().__init__(on_terminal=0.0, in_log=10.0)
        self._name = name
        self._total = total
        self._running = ""
        self._done = 0

    def on_event(self, event: dict[str, Any]) -> None:
        """Take in one event of the checks."""
        self._done += event["event"] == "ended"
        match event["event"]:
            case "started":
                self._running = where = event["check"]
            case "at" if self._running:
                where = f"{self._running}, {event['stage']}"
            case _:
                return
        if self.due():
            line = f"{self._name}: {min(self._done, self._total)}/{self._total} checks, now {where}"
            self.show(line, lambda: _spinner(line))


def _spinner(text: str) -> Any:
    from rich.spinner import Spinner
    from rich.text import Text

    return Spinner("dots", Text(text))
