"""Whether a plan with a needless step anywhere, or without one of its steps, is as good as gold."""

import random
import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.steps import Steps, steps_of_golds
from grpo_env_sdk.checking.evidence.golds import less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, WAYS, EACH = 8, 4, 8, 4
"""On how many rows steps are changed, in how many ways on each, and every which of them is tried first."""
MOSTLY, FEWEST_TRIED = 0.4, 16
_RULES = regex(
    r"\b(?:impossible|illegal|invalid|legal|forbidden|not (?:allowed|possible|permitted)|walls?|obstacles?|blocked|"
    r"(?:off|leaves?|leaving) the (?:board|grid|map)|may (?:only|not)|can(?:not|'t| only)|fails?)\b",
    re.IGNORECASE,
)
_SKIPPED = regex(
    r"\b(?:ignored|skipped|no effect|nothing happens|does nothing|stays? (?:put|where|in place)|wraps?)\b",
    re.IGNORECASE,
)
"""What a prompt says of steps that break a rule, and where they do no harm."""
Change = Callable[[Steps, Sequence[str]], list[str]]


@check("G560", kinds=("single-turn",), needs=("gold",))
def impossible_steps_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """A plan with any step more at any place, or without one, scores less, where the prompt has rules for steps."""
    known = [one for one in steps_of_golds(subject) if _has_rules(subject, one)][:MOST_ROWS]
    kinds = sorted({step for one in known for step in one.steps})
    if len(known) < FEWEST_ROWS or len(kinds) < 3:
        return
    for change, what in _CHANGES.items():
        tried = [(one, text) for one in known for text in change(one, kinds)]
        if 2 * len(_won(subject, tried[::EACH])) < len(tried[::EACH]):
            continue
        won = _won(subject, tried)
        share = Share(len(won), len(tried))
        if len(tried) < FEWEST_TRIED or share.low < MOSTLY or len({one.row_index for one in won}) < FEWEST_ROWS:
            continue
        episode = won[0]
        gold = next(one.gold for one in known if one.gold.row == episode.row_index)
        yield Finding(
            f"Gold {what} scores as much as gold in {len(won)} of {len(tried)} ways, although the prompt has rules for "
            f"what is possible: {quoted(answer_text(episode.completion), 100)} for {quoted(gold.text, 100)}.",
            "Check each step from where the one before it has led, and fail the plan at the first that is impossible.",
            episode.row_index, answer_text(episode.completion), episode.reward, less_than_gold(subject, episode),
        )  # fmt: skip
        return


def _has_rules(subject: Subject, one: Steps) -> bool:
    text = prompt_text(subject, one.gold.row)
    return _RULES.search(text) is not None and _SKIPPED.search(text) is None


def _with_one_more(one: Steps, kinds: Sequence[str]) -> list[str]:
    """Gold with a step of another kind than those beside it, at places drawn by row."""
    rng, found = random.Random(one.gold.row), []
    for _ in range(WAYS):
        place = rng.randrange(len(one.steps))
        others = [kind for kind in kinds if kind not in one.steps[max(0, place - 1) : place + 1]]
        if others:
            found.append(one.text([*one.steps[:place], rng.choice(others), *one.steps[place:]]))
    return found


def _without_one(one: Steps, kinds: Sequence[str]) -> list[str]:
    """Gold without one of its steps but the last."""
    return [one.text([*one.steps[:place], *one.steps[place + 1 :]]) for place in range(len(one.steps) - 1)]


_CHANGES: dict[Change, str] = {
    _with_one_more: "with any other step put in at any place",
    _without_one: "without any one of its steps",
}


def _won(subject: Subject, tried: Sequence[tuple[Steps, str]]) -> list[Episode]:
    played = play_answers(subject, [(one.gold.row, text) for one, text in tried])
    return won_of(subject, played)
