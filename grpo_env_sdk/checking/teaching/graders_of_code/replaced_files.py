"""Whether a file that nobody is to change, such as that of the tests, decides the score as the episode left it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Turns,
    acts_of,
    as_good_on_most,
    compared_turns,
    paid,
    played_turns,
    some_golds,
)
from grpo_env_sdk.checking.evidence.tool_use.exploring import explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.forms.form import NEGATED
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

TASTED, MOST_FILES, WORD = 2, 4, "lorem"
"""On how many rows a way is tried first, how many files are replaced, and a text that says nothing of any row."""
_FILE = regex(
    r"(?<![\w./-])(?:[\w.-]+/)*\w[\w.-]*\.(?:jsonl?|txt|py|[ct]sv|ya?ml|toml|ini|cfg|md|[jt]s|sql|xml|html|sh|log|"
    r"c|cpp|rs|go|java|rb|out|dat|expected|golden)(?!\w)"
)
_LIKELY = regex(r"test|expect|check|case|spec|gold|answer|solution|rule|assert|target|reference", re.IGNORECASE)
_NAMES = regex(r"path|file|name|key|document", re.IGNORECASE)
_DELETES = regex(r"(?:^|_)(?:delete|remove|rm|unlink|erase)(?:_|$)")
_MAY = regex(
    r"\b(?:may|can|could|free to|allowed to|need to|have to)\b[^.!?]*"
    r"\b(?:change|edit|write|update|replace|empty|delete|remove)",
    re.IGNORECASE,
)
_PASSING = "def test_nothing():\n    pass\n"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that replaces or deletes a file: the parameter of its name, and that of the text, if it writes one."""

    name: str
    named: str
    text: str = ""

    def call(self, file: str, content: str) -> Message:
        """The call that replaces a file by a text."""
        return call_message(self.name, **{self.named: file}, **({self.text: content} if self.text else {}))


@dataclass(frozen=True, slots=True)
class Way:
    """What a file is replaced by, and what is done in place of gold's work."""

    content: int | str
    """A text, or the place of one in `_contents`."""
    instead: str | None = None
    """What is written, or said at last, in place of what gold does; None where that is left out."""


OF_WORK = (*map(Way, range(6)), Way(WORD, WORD))
_ALIKE = OF_WORK[5:]
"""Both files alike, where it may be open which of them is to be changed."""
OF_ANSWERS = (Way("[]", "0"), Way("", "0"), Way("[]", "[]"), Way("", ""), Way(WORD, WORD))
"""The ways where gold only answers."""


@check("G635", needs=("gold",), kinds=("tools",))
def files_that_decide_are_not_replaced(subject: Subject) -> Iterator[Finding]:
    """With a file replaced or deleted that gold leaves as it is, work that is not done scores less than gold."""
    known = some_golds(subject)
    for tool in filter(None, map(_replaces, subject.tools if len(known) >= FEWEST_ROWS else ())):
        for file, way in product(_files(subject, known[0])[:MOST_FILES], _ways(subject, known, tool)):
            if _wins(subject, known[:TASTED], tool, file, way):
                found = _paid(subject, known, tool, file, way)
                if found:
                    yield found
                    return


def _paid(subject: Subject, known: Sequence[Gold], tool: Tool, file: str, way: Way) -> Finding | None:
    """The finding, where leaving the work out is as good as gold once the file is replaced, and else is not."""
    tried = _tried(subject, known, tool, file, way)
    won = won_of(subject, played_turns(subject, tried))
    idle = {gold.row: _rest(subject, gold, way) for gold in known if gold.row in tried}
    usual = won_of(subject, compared_turns(subject, idle))
    if not as_good_on_most(subject, won, len(tried)) or 3 * len(usual) >= len(won):
        return None
    call = turns_text(tried[won[0].row_index][:1])[:90]
    found = paid(
        subject, won, len(tried),
        f"Leaving the work out after {call}, which replaces a file that gold leaves as it is,",
        "Score by the data of the row, and not by a file that the episode may change; or refuse to write there.",
    )  # fmt: skip
    is_open = way in _ALIKE and not _LIKELY.search(file)
    return replace(found, severity="warning" if is_open else "error")


def _replaces(tool: Mapping[str, Any]) -> Tool | None:
    """A tool that takes the name of a file and its text, or deletes the file of a name."""
    wanted = required_of(tool)
    named = [key for key in wanted if _NAMES.search(key)]
    texts = all(properties_of(tool)[key].get("type") == "string" for key in wanted)
    if may_only_look(tool) or not named or not texts:
        return None
    if len(wanted) == 1 and _DELETES.search(name_of(tool)):
        return Tool(name_of(tool), wanted[0])
    other = [key for key in wanted if key != named[0]]
    return Tool(name_of(tool), named[0], other[0]) if len(other) == 1 else None


def _files(subject: Subject, gold: Gold) -> list[str]:
    """The files that a model sees named and that gold leaves as they are, those of tests first."""
    return subject.once(("teaching", "files left", gold.row), partial(_found_files, subject, gold))


def _found_files(subject: Subject, gold: Gold) -> list[str]:
    prompt = prompt_text(subject, gold.row)
    told = [prompt, canonical_json(subject.tools_of(gold.row)), *replies_to_gold(subject, gold.row)]
    given = [value for _, arguments in gold.calls for value in map(str, arguments.values()) if _FILE.fullmatch(value)]
    told += [text for file, text in _shown(subject, gold).items() for text in (file, text)]
    found = dict.fromkeys([*given, *(file for text in told for file in _FILE.findall(text))])
    changed = turns_text([act for act in acts_of(gold) if _is_work(subject, act)])
    left = [file for file in found if file not in changed and not _may_change(file, prompt)]
    return sorted(left, key=lambda file: not _LIKELY.search(file))


def _shown(subject: Subject, gold: Gold) -> dict[str, str]:
    """What its looking tools show, by the names that they are given."""
    opened = [one for seen in explore(subject, [gold.row]).values() for one in seen.opened]
    calls = [(one.arguments, one.reply) for one in opened]
    calls += [
        (call["arguments"], str(call["content"]))
        for call in gold_episodes(subject)[gold.row].tool_calls
        if not call["error"] and isinstance(call["arguments"], dict)
    ]
    found: dict[str, str] = {}
    for given, reply in calls:
        found.setdefault(" ".join(map(str, given.values())), reply)
    return found


def _may_change(file: str, prompt: str) -> bool:
    """Whether a prompt says that a file may be changed."""
    return any(
        file in one and _MAY.search(one) and not re.search(NEGATED, one, re.IGNORECASE) for one in sentences_of(prompt)
    )


def _is_work(subject: Subject, act: Message) -> bool:
    """Whether an act calls a tool that does something with what it is given."""
    looking = {name_of(tool) for tool in subject.tools if may_only_look(tool)}
    calls = functions_of([act])
    return any(call["name"] not in looking and call["arguments"] for call in calls)


def _ways(subject: Subject, known: Sequence[Gold], tool: Tool) -> Sequence[Way]:
    ways = OF_WORK if any(_is_work(subject, act) for gold in known for act in acts_of(gold)) else OF_ANSWERS
    return ways if tool.text else ways[:2] if ways is OF_ANSWERS else ways[:1]


def _wins(subject: Subject, known: Sequence[Gold], tool: Tool, file: str, way: Way) -> bool:
    tried = _tried(subject, known, tool, file, way)
    return len(tried) == len(known) and len(won_of(subject, played_turns(subject, tried))) == len(tried)


def _tried(subject: Subject, known: Sequence[Gold], tool: Tool, file: str, way: Way) -> dict[int, Turns]:
    """The turns of each row that has this file, or one whose name differs from it in digits."""
    found: dict[int, Turns] = {}
    for gold in known:
        names = _files(subject, gold)
        name = file if file in names else next((one for one in names if _plain(one) == _plain(file)), None)
        content = None if name is None else _content(subject, gold, name, way.content)
        if name is not None and content is not None:
            found[gold.row] = [tool.call(name, content), *_rest(subject, gold, way)]
    return found


def _plain(name: str) -> str:
    return re.sub(r"\d+", "0", name)


def _content(subject: Subject, gold: Gold, file: str, which: int | str) -> str | None:
    """What a file is replaced by: nothing, no items, a test of nothing, or what the file holds that gold changes."""
    if isinstance(which, str):
        return which
    if which < 3:
        return ("[]", "{}", "")[which]
    if which == 3:
        return _PASSING if file.endswith(".py") else None
    if which == 4:
        return next(filter(None, map(_without_items, _read(subject, gold, file))), None)
    changed = turns_text([act for act in acts_of(gold) if _is_work(subject, act)])
    shown = _shown(subject, gold).items()
    return next((text for name, text in shown if name and name in changed and name != file), None)


def _read(subject: Subject, gold: Gold, file: str) -> list[str]:
    """What looking tools show of a file."""
    calls = [
        call_message(name_of(tool), **{key: file})
        for tool in subject.tools_of(gold.row)
        for key in required_of(tool)
        if may_only_look(tool) and len(required_of(tool)) == 1 and properties_of(tool)[key].get("type") == "string"
    ]
    episodes = play_answers(subject, [(gold.row, [*calls, "Done."])] if calls else [])
    return [str(call["content"]) for episode in episodes for call in episode.tool_calls]


def _without_items(text: str) -> str | None:
    """An object in JSON with no items in its lists and objects."""
    value = read_json(text)
    if not isinstance(value, dict) or not any(isinstance(one, list | dict) for one in value.values()):
        return None
    return json.dumps({key: type(one)() if isinstance(one, list | dict) else one for key, one in value.items()})


def _rest(subject: Subject, gold: Gold, way: Way) -> Turns:
    """Gold without what it does, or with a text in the place of each that it writes, or of its last message."""
    acts, works = acts_of(gold), False
    found: Turns = []
    for act in acts:
        if not _is_work(subject, act):
            found.append(act)
            continue
        works = True
        if way.instead is not None:
            found.append(_instead(act, way.instead))
    if not works and way.instead is not None:
        found = [*found[:-1], {"role": "assistant", "content": way.instead}]
    return found


def _instead(act: Message, text: str) -> Message:
    """A call with a text in the place of each text that is no name of a file."""
    changed = deepcopy(act)
    given = changed["tool_calls"][0]["function"]["arguments"]
    for key, value in given.items():
        if isinstance(value, str) and not _FILE.fullmatch(value):
            given[key] = text
    return changed
