"""The ids that each version of Gymnasium registers, read from a file: importing Gymnasium takes a second."""

import json
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import version_of

FILE = Path(__file__).with_name("index.json")

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One id of the installed Gymnasium, and the package that it still needs, quoted for a shell."""

    id: str
    summary: str
    needs: str | None = None


def listed() -> list[Entry]:
    """Every id that the installed Gymnasium registers; if that is newer than the index, those of the newest known."""
    index = json.loads(FILE.read_text(encoding="utf-8"))
    installed = version_of("gymnasium")
    if installed is None:
        return [Entry(item["id"], item["summary"], "gymnasium") for item in _of(index, None)]
    missing = {extra for extra, module in index["extras"].items() if find_spec(module) is None}
    return [
        Entry(item["id"], item["summary"], f"'gymnasium[{item['extra']}]'" if item["extra"] in missing else None)
        for item in _of(index, release(installed))
    ]


def release(text: str) -> Version:
    """`1.4.0rc1` as (1, 4): the registered ids change only with the second number."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])


def _of(index: dict[str, Any], installed: Version | None) -> list[dict[str, Any]]:
    """The entries of the newest version in the index that is not newer than the installed one."""
    known = index["versions"]
    fitting = [one for one in known if installed is None or release(one) <= installed]
    name = (fitting or known[:1])[-1]
    return [item for item in index["environments"] if name in item["versions"]]
