"""Whether a tool that takes queries also takes statements that write."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.acts import FEWEST_ROWS, Act, last_acts
from grpo_env_sdk.checking.evidence.golds import (
    as_good_as_gold,
    gold_episodes,
    less_than_gold,
    reward_with_parts,
)
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.turns import own_turns
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode


@check("G523", kinds=("tools", "multi-turn"), needs=("calls", "gold"), severity="warning")
def queries_only_read(subject: Subject) -> Iterator[Finding]:
    """A parameter that takes a query does not take a statement that writes."""
    for name, acts in last_acts(subject).items():
        for act in acts[:FEWEST_ROWS]:
            for parameter, value in act.arguments.items():
                statement = _write(value) if isinstance(value, str) else None
                episode = _written(subject, act, parameter, statement) if statement else None
                if episode is None:
                    continue
                right = as_good_as_gold(subject, episode)
                said = str(own_turns(episode.completion)[-1]["content"])
                then = f"the answer {said!r} scores {episode.reward:g} then" if right else "the next query shows it"
                yield Finding(
                    f"{name} runs statements that write: {statement!r} changed the data, and {then}.",
                    "Open the data read-only, or refuse what does not start with SELECT; score with other data.",
                    act.gold.row, own_turns(episode.completion), reward_with_parts(episode),
                    less_than_gold(subject, episode), "error" if right else "warning",
                )  # fmt: skip
                return


def _written(subject: Subject, act: Act, parameter: str, statement: str) -> Episode | None:
    """The episode of a statement, gold's query and the answer that is right then; None if nothing was changed."""
    turns = [*act.before, act.again(**{parameter: statement}), act.again()]
    episode = subject.answer(act.gold.row, [*turns, {"role": "assistant", "content": "1"}])
    calls = gold_episodes(subject)[act.gold.row].tool_calls
    before = next((call["content"] for call in calls if call["arguments"] == act.arguments), None)
    now = episode.tool_calls[-1]["content"] if episode.tool_calls else None
    if before is None or now is None or now == before:
        return None
    shown = re.findall(r"-?\d+(?:\.\d+)?", now)
    if shown and shown[-1] != "1" and not as_good_as_gold(subject, episode):
        episode = subject.answer(act.gold.row, [*turns, {"role": "assistant", "content": shown[-1]}])
    return None if episode.reward is None else episode


def _write(query: str) -> str | None:
    """A statement that sets what a query selects to 1; None where it is no query of a table."""
    found = re.match(r"\s*select\s+(.*?)\s+from\s+(\w+)", query, re.IGNORECASE | re.DOTALL)
    if found is None:
        return None
    column = re.search(r"(\w+)\s*\)|(?:^|\.)(\w+)\s*(?:,|$|as\b)", found[1], re.IGNORECASE)
    name = (column[1] or column[2]) if column else None
    return f"UPDATE {found[2]} SET {name} = 1" if name else f"DELETE FROM {found[2]}"
