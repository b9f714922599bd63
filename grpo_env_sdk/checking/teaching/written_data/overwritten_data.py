"""Whether the data of a task may be overwritten: with those of another row, the acts of that row are right."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice, pairwise
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    acts_of,
    as_good_on_most,
    compared_turns,
    paid,
    played_turns,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.written_data.written_results import written_results
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message

Contents = dict[str, str]
"""What gold reads, by the name that it reads it under."""


@check("G623", needs=("gold",), kinds=("tools",))
def data_of_a_task_stay_as_they_are(subject: Subject) -> Iterator[Finding]:
    """With the data that gold reads overwritten by those of another row, gold of that row scores less than gold."""
    yield from islice(chain(_overwritten(subject), written_results(subject)), 1)


def _overwritten(subject: Subject) -> Iterator[Finding]:
    """The finding that the data of another row may be written in place of those that are read."""
    golds = some_golds(subject)
    for reader in filter(may_only_look, subject.tools):
        for writer in subject.tools:
            if (places := _parameters(reader, writer)) is None:
                continue
            tried: dict[int, list[Message]] = {}
            plain: dict[int, list[Message]] = {}
            for gold, other in pairwise([*golds, *golds[:1]]):
                own, new = (_read(subject, one, name_of(reader), places[0]) for one in (gold, other))
                if own and own.keys() == new.keys() and all(own[name] != new[name] for name in own):
                    acts = _acts(other, name_of(reader))
                    written = [
                        call_message(name_of(writer), **dict(zip(places, one, strict=True))) for one in new.items()
                    ]
                    tried[gold.row], plain[gold.row] = [*written, *acts], acts
            won = won_of(subject, played_turns(subject, tried)) if len(tried) >= FEWEST_ROWS else []
            usual = won_of(subject, compared_turns(subject, plain)) if won else []
            if as_good_on_most(subject, won, len(tried)) and 3 * len(usual) < len(won):
                yield paid(
                    subject, won, len(tried),
                    f"Once {name_of(writer)} has put the data of another row in place of what {name_of(reader)} reads, "
                    "what gold does there",
                    "Score by the data of the row, and not by what the episode left of them; or refuse to write there.",
                )  # fmt: skip
                return


def _parameters(reader: Mapping[str, Any], writer: Mapping[str, Any]) -> tuple[str, str] | None:
    """The parameters of a tool that writes: the name that the reading tool takes too, and the content."""
    named, wanted = required_of(reader), required_of(writer)
    if may_only_look(writer) or len(named) != 1 or len(wanted) != 2 or named[0] not in wanted:
        return None
    content = next(name for name in wanted if name != named[0])
    texts = [properties_of(writer)[name].get("type") for name in wanted]
    return (named[0], content) if texts == ["string", "string"] else None


def _read(subject: Subject, gold: Gold, reader: str, parameter: str) -> Contents:
    """What gold reads with this tool, by the name under which it reads it."""
    calls = gold_episodes(subject)[gold.row].tool_calls
    return {
        str(call["arguments"][parameter]): str(call["content"])
        for call in calls
        if call["name"] == reader and not call["error"] and parameter in call["arguments"]
    }


def _acts(gold: Gold, reader: str) -> list[Message]:
    """Gold without what it reads."""
    return [act for act in acts_of(gold) if not any(name_of(call) == reader for call in act.get("tool_calls") or ())]
