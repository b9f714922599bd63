"""Whether gold also wins with other values of the config parameters."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.idle_config import other_values, seconds_with
from grpo_env_sdk.checking.evidence.fresh_instances import end_left_threads, with_value
from grpo_env_sdk.checking.evidence.golds import golds, loses_half
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import prompt_messages
from grpo_env_sdk.errors import DeadlineError, GrpoEnvError
from grpo_env_sdk.types import Episode

ROWS = 4


@check("C161", needs=("solve",), effort="default", share=2)
def gold_wins_with_other_values(subject: Subject) -> Iterator[Finding]:
    """With another value of a parameter gold earns about what it earns with the value in use."""
    if not golds(subject):
        return
    for name, used, others in other_values(subject):
        lost = {}
        for value in others:
            if not subject.time_left:
                return
            if episodes := _lost(subject, name, value):
                lost[value] = episodes
        if lost and (len(lost) == len(others) or type(used) is not int):  # a limit may well be too low for gold
            yield _finding(subject, name, used, *next(iter(lost.items())))


def _lost(subject: Subject, name: str, value: Any) -> list[Episode]:
    """The gold episodes with another value, where they all earn less than half of what gold earns."""
    try:
        loaded, rows = with_value(subject, name, value, seconds_with(subject))
        episodes = subject.play_many(list(rows.indices)[:ROWS], "gold", source=rows, on=loaded)
    except DeadlineError:
        end_left_threads()
        return []
    except GrpoEnvError:
        return []
    usual = min(gold.reward for gold in golds(subject).values())
    return episodes if all(loses_half(subject, episode, usual) for episode in episodes) else []


def _finding(subject: Subject, name: str, used: Any, value: Any, episodes: list[Episode]) -> Finding:
    first, usual = episodes[0], min(gold.reward for gold in golds(subject).values())
    asks_otherwise = all(
        prompt_messages(episode.row["prompt"]) != prompt_messages(subject.row(episode.row_index)["prompt"])
        for episode in episodes
    )
    return Finding(
        f"With {name}={value!r} the answer of `solve` earns {first.reward:g} and not {usual:g}, as with {used!r}, on "
        f"{len(episodes)} of {len(episodes)} rows.",
        f"Let the scorer and `solve` follow {name!r}: with that value nothing is known to win.",
        row=first.row_index, input=turns_text(own_turns(first.completion)), output=first.reward, expected=usual,
        severity="error" if asks_otherwise else "warning",
    )  # fmt: skip
