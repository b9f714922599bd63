"""Whether a right answer counts in the last of the tries that a prompt promises."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import NEARLY, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNTS
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

_MORE = {"fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "cinq": 5, "sept": 7, "cinco": 5, "seis": 6, "siete": 7}
_NUMBERS = {word: number for word, number in (COUNTS | _MORE).items() if number > 1}
_PROMISED = regex(
    rf"\b({'|'.join(_NUMBERS)}|\d{{1,2}})(?: \w+)? (?:guesses|tries|attempts|shots|chances|goes|Versuche|essais|"
    r"tentatives|intentos|tentativi|tentativas)\b",
    re.IGNORECASE,
)


def last_try_lost(subject: Subject) -> Iterator[Finding]:
    """The finding that wrong tries and then the right one, as many as promised, score nothing, and one fewer scores."""
    for choices in choices_of(subject).values():
        tries = {one.gold.row: count for one in choices if (count := _promised(subject, one) - _used_up(one)) > 1}
        values = list(dict.fromkeys(one.value for one in choices))
        early, late = (
            _by_row(play_answers(subject, [
                (one.gold.row, turns) for one in choices
                if one.gold.row in tries and (turns := _after_wrong_ones(one, values, tries[one.gold.row] - less))
            ]))
            for less in (1, 0)
        )  # fmt: skip
        low = max(0.0, subject.traits.reward_range[0]) + NEARLY
        lost = [row for row in late if row in early and late[row] <= low < early[row]]
        if len(lost) < FEWEST_ROWS or 2 * len(lost) < len(late):
            continue
        one = next(one for one in choices if one.gold.row == lost[0])
        (episode,) = play_answers(subject, [(one.gold.row, _after_wrong_ones(one, values, tries[lost[0]]))])
        yield Finding(
            f"The prompt promises {_promised(subject, one)} tries, and the right one as the last of them scores "
            f"{late[lost[0]]:g}; one try earlier it scores {early[lost[0]]:g}, on {len(lost)} of {len(late)} rows.",
            "Compare the last try before the episode ends: count a try after it was looked at, and not before.",
            lost[0], own_turns(episode.completion), late[lost[0]], early[lost[0]],
        )  # fmt: skip
        return


def _promised(subject: Subject, choice: Choice) -> int:
    """How many tries the prompt or the schemas speak of."""
    said = prompt_and_tools(subject, choice.gold.row)
    found = {one.casefold() for one in _PROMISED.findall(said)}
    counts = {_NUMBERS.get(one) or int(one) for one in found}
    return counts.pop() if len(counts) == 1 else 0


def _used_up(choice: Choice) -> int:
    """How many acts of the same kind gold does before, as each may count as a try."""
    acts = [[function["name"] for function in functions_of([turn])] for turn in choice.gold.turns[: choice.turn + 1]]
    return acts[:-1].count(acts[-1])


def _after_wrong_ones(choice: Choice, values: list[str | int], tries: int) -> Completion:
    """So many tries, of which the last is right; nothing where there are not so many wrong values."""
    wrong = [value for value in values if value != choice.value][: tries - 1]
    return choice.turns(*wrong, choice.value) if len(wrong) == tries - 1 else []


def _by_row(episodes: list[Episode]) -> dict[int, float]:
    return {one.row_index: one.reward for one in episodes if one.reward is not None and not one.error}
