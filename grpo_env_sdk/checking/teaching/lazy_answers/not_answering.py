"""Whether not answering earns as much as trying: more than a wrong answer, or no less than a right one at length."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.gold.gold_source import ASKS_HOW_LIKELY
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, play_answers, reward_of, says_gold, scored_by_row
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.unearned import WITHOUT_CONTENT, same_on_all
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, MOSTLY, CLEARLY = 6, 0.9, 0.2
"""How many rows there have to be, on what share of them it holds, and what part of gold's reward is a clear one."""
_LOREM = ["lorem", "ipsum", "dolor", "sit", "amet"]
IDLE = {"An empty answer": "", "A meaningless text": " ".join(_LOREM)}
_AT_LENGTH = " ".join(["First it has to be read with care, and then each part of it is looked at in turn."] * 10)
_ANNOUNCED = regex(
    r"\b(?:pass(?:es)?|skip\w*|abstain\w*|abstention|blank|unsure|unknown|unanswer\w*|no answer|not answer\w*|"
    r"declin\w*|refus\w*|give up|or nothing|say nothing|silent|silence|invalid|minus|negative\w*|deduct\w*|penal\w*|"
    r"cost\w*|los(?:e|es|ing)|subtract\w*|wrong answers?|guess\w*|weiß nicht|keine antwort|passe|abzug|"
    r"falsche? antwort\w*|je ne sais pas|no s[ée]|(?:not|n't) (?:sure|know|certain|answer))\b",
    re.IGNORECASE,
)
"""What a prompt says that tells what it earns not to answer, or what a wrong answer costs."""
_LIMIT = regex(r"\b\d+ (?:words?|tokens?|characters?|letters?|sentences?|lines?|wörter|mots|palabras)\b", re.I)


@check("G631", needs=("gold",), kinds=("single-turn",))
def not_answering_earns_less_than_trying(subject: Subject) -> Iterator[Finding]:
    """An answer without content earns no more than a wrong one in the form of gold, and less than a right one."""
    known = some_golds(subject)
    others = {gold.row: other for gold in known if (other := _other(gold, known)) is not None}
    known = [gold for gold in known if gold.row in others]
    if len(known) < FEWEST_ROWS or any(_is_told(prompt_text(subject, gold.row)) for gold in known):
        return
    name, idle = _best_idle(subject, known)
    if len(idle) < len(known) or not same_on_all(list(idle.values())) or _pays_like_gold(known, idle):
        return
    yield from _before_wrong(subject, known, others, name, idle) or _before_long(subject, known, others, name, idle)


def _is_told(prompt: str) -> bool:
    return bool(_ANNOUNCED.search(prompt) or ASKS_HOW_LIKELY.search(prompt))


def _names(prompt: str, cost: float) -> bool:
    """Whether a prompt has the number below 0 that a wrong answer earns, in whatever language."""
    number = re.escape(f"{-cost:g}").replace(r"\.", "[.,]")
    return cost < 0 and bool(re.search(rf"[-\u2212\u2013] ?{number}(?![\d.,]*\d)", prompt))


def _other(gold: Gold, known: Sequence[Gold]) -> Gold | None:
    """The next gold that says something else."""
    return next((one for one in others_from(known, known.index(gold)) if not says_gold(one.turns, gold)), None)


def _best_idle(subject: Subject, known: Sequence[Gold]) -> tuple[str, dict[int, Episode]]:
    """The answer without content that earns most, and its episodes."""
    tried = {name: _played(subject, {gold.row: text for gold in known}) for name, text in IDLE.items()}
    name = max(tried, key=lambda one: sum(reward_of(episode) for episode in tried[one].values()))
    return name, tried[name]


def _pays_like_gold(known: Sequence[Gold], idle: Mapping[int, Episode]) -> bool:
    """Whether it earns so much of gold that this alone is an error, which G503 reports."""
    return all(reward_of(idle[gold.row]) >= WITHOUT_CONTENT[1] * gold.reward - NEARLY for gold in known)


def _before_wrong(
    subject: Subject, known: Sequence[Gold], others: Mapping[int, Gold], name: str, idle: Mapping[int, Episode]
) -> list[Finding]:
    """The finding that a wrong answer in the form of gold earns less than no answer."""
    wrong = _played(subject, {gold.row: others[gold.row].turns for gold in known})
    as_long = _played(subject, {gold.row: _as_long_as(others[gold.row].text, IDLE[name]) for gold in known})
    less = [
        gold for gold in known
        if gold.row in wrong and gold.row in as_long and gold.reward > reward_of(idle[gold.row])
        and min(reward_of(idle[gold.row]), reward_of(as_long[gold.row])) - reward_of(wrong[gold.row])
        >= CLEARLY * (gold.reward - reward_of(wrong[gold.row]))
    ]  # fmt: skip
    if len(less) < max(FEWEST_ROWS, MOSTLY * len(known)):
        return []
    gold = less[0]
    nothing, tried = reward_of(idle[gold.row]), reward_of(wrong[gold.row])
    if _names(prompt_text(subject, gold.row), tried):
        return []
    needed = (nothing - tried) / (gold.reward - tried)
    paid = nothing >= CLEARLY * gold.reward + max(0.0, subject.traits.reward_range[0])
    return [
        Finding(
            f"{name} scores {nothing:g} and a wrong answer in the form of gold {tried:g} on "
            f"{Share(len(less), len(known))}: not answering pays more than trying for a model that is right on less "
            f"than {needed:.0%} of the rows, and no prompt says so.",
            "Give what cannot be read, or was not answered, no more than a wrong answer; or say in the prompt what a "
            "pass and a mistake earn.",
            gold.row, IDLE[name], nothing, f"at most {tried:g}", severity="error" if paid else "warning",
        )
    ]  # fmt: skip


def _before_long(
    subject: Subject, known: Sequence[Gold], others: Mapping[int, Gold], name: str, idle: Mapping[int, Episode]
) -> list[Finding]:
    """The finding that a right answer that is worked out at length earns no more than no answer."""
    if any(_LIMIT.search(prompt_text(subject, gold.row)) or gold.turns[-1].get("tool_calls") for gold in known):
        return []
    right, wrong = (
        _played(subject, {gold.row: f"{_AT_LENGTH}\n{of[gold.row].text}" for gold in known})
        for of in ({gold.row: gold for gold in known}, others)
    )
    less = [
        gold for gold in known
        if gold.row in right and gold.row in wrong
        and CLEARLY * gold.reward <= reward_of(right[gold.row]) - reward_of(wrong[gold.row])
        and reward_of(right[gold.row]) <= min(reward_of(idle[gold.row]) + NEARLY, (1 - CLEARLY) * gold.reward)
    ]  # fmt: skip
    if len(less) < max(FEWEST_ROWS, MOSTLY * len(known)):
        return []
    gold = less[0]
    nothing, long = reward_of(idle[gold.row]), reward_of(right[gold.row])
    return [
        Finding(
            f"{name} scores {nothing:g}, and a right answer with {len(_AT_LENGTH.split())} words before it {long:g}, "
            f"on {Share(len(less), len(known))}: being short without an answer pays as much as being right at length.",
            "Let what is paid for length count only where the answer is right, or weigh it much less than that.",
            gold.row, IDLE[name], nothing, f"less than {long:g}",
        )
    ]  # fmt: skip


def _as_long_as(text: str, idle: str) -> str:
    """An answer without content that has as many words as a long text, as its length may be what costs something."""
    words = len(text.split())
    return " ".join((_LOREM * words)[:words]) if words > len(_LOREM) else idle


def _played(subject: Subject, answers: Mapping[int, Completion]) -> dict[int, Episode]:
    return scored_by_row(play_answers(subject, list(answers.items())))
