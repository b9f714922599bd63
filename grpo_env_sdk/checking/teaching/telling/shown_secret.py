"""A value of a row that a model has to find out, and whether a reply shows it as records and debug lines do."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_FOR_THE_SCORER = "answer|solution|gold|expected|ground[ _]?truth|target|correct|label|secret|hidden"


@dataclass(frozen=True, slots=True)
class Secret:
    """A value of a row that gold needs and the prompt does not have, and the name before it where the row is shown."""

    name: str
    value: Any

    def shown_in(self, reply: str) -> bool:
        """Whether a reply has the name and the value, as a record or a debug line shows them."""
        if isinstance(self.value, list | dict):
            return repr(self.value) in reply or json.dumps(self.value, ensure_ascii=False) in reply
        name = rf"\b(?:{re.escape(self.name)}|\w*(?:{_FOR_THE_SCORER})\w*)"
        return self._after(name, reply)

    def marked_in(self, reply: str) -> bool:
        """Whether a reply has the value behind a name of what scorers compare with."""
        return not isinstance(self.value, list | dict) and self._after(rf"\b\w*(?:{_FOR_THE_SCORER})\w*", reply)

    def alone_in(self, reply: str) -> bool:
        """Whether a reply has it, and behind its name nothing else: it is no list of all that there is."""
        if isinstance(self.value, list | dict) or not self.shown_in(reply):
            return False
        behind = re.findall(rf"\b{re.escape(self.name)}[\"']?\s*[:=]\s*[\"']?([\w.-]+)", reply, re.IGNORECASE)
        return len({one.casefold() for one in behind}) < 2

    def _after(self, name: str, reply: str) -> bool:
        return re.search(rf"{name}\W{{1,4}}(?:is\W+)?{re.escape(str(self.value))}(?!\w)", reply, re.I) is not None


def named_values(columns: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each name and value, also inside of records."""
    for name, value in columns.items():
        if isinstance(value, str | int | float | list) and not isinstance(value, bool):
            yield name, value
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Mapping):
                yield from named_values(item)
