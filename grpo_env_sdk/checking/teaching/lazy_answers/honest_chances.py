"""Whether a model that says how likely something is earns most by saying what it believes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.worked_numbers import NUMBER
from grpo_env_sdk.checking.evidence.gold.gold_source import ASKS_HOW_LIKELY
from grpo_env_sdk.checking.evidence.gold.spellings import Spelling, spellings
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, golds, play_answers
from grpo_env_sdk.checking.evidence.prompts.asked_templates import SLOT
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

CHANCES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
HONEST = (0.7, 0.3, 0.9, 0.1)
"""What is said, and what may be true; the first of these is named."""
MOST_ROWS, FEWEST_ROWS, MOST_FORMS = 10, 2, 8
CLEARLY = 0.02
"""How much more than honesty something else has to earn, as a part of what the chance that is said can change."""
_STATED = regex(
    r"\b(?:confiden\w*|probabilit\w*|likelihood|chances?|certainty|sure|credence)\b\W{0,6}"
    r"(?P<chance>[01](?:\.\d+)?|0?\.\d+|\d{1,3}(?= ?%))",
    re.IGNORECASE,
)
_LAST = regex(r"(?<=[|,;:/\s])(?P<chance>[01](?:\.\d+)?|100(?= ?%))(?= ?%?$)")
"""A chance without a name, behind the answer."""
_PERCENT = regex(r"%|\bper ?cent|\b0 to 100\b|\b0-100\b", re.IGNORECASE)
Curve = Mapping[float, float]
"""What each chance scores that is said."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What chances score where it happens, or the answer is right, and where not; and an answer that was given."""

    right: Curve
    wrong: Curve
    row: int
    answer: str
    surely_wrong: str = ""
    """The answer of another row, which says of itself that it is wrong."""
    any_chance: bool = True
    """Whether each chance may be said: what has no name may have other limits."""

    def expected(self, said: float, true: float) -> float:
        """What saying a chance earns on average, where another one is true."""
        return true * self.right[said] + (1 - true) * self.wrong[said]


@check("G594", kinds=("single-turn",), plays=60)
def honest_chances_earn_most(subject: Subject) -> Iterator[Finding]:
    """Where a prompt asks how likely something is, the chance that is believed earns most on average."""
    rows = [row for row in subject.sample(MOST_ROWS) if ASKS_HOW_LIKELY.search(prompt_text(subject, row))]
    scored = _beside_an_answer(subject) or _of_outcomes(subject, rows) if len(rows) > FEWEST_ROWS else None
    if scored is None:
        return
    if scored.surely_wrong and scored.wrong[0.0] >= scored.right[1.0] - NEARLY:
        yield Finding(
            f"A wrong answer that says it is surely wrong scores {scored.wrong[0.0]:g}, as much as the right one that "
            f"says it is sure: {answer_shown(scored.surely_wrong)}.",
            "Pay for being right too: add a reward for it, or take the chance into account only where it is right.",
            scored.row, input=scored.surely_wrong, output=scored.wrong[0.0],
            expected=f"less than {scored.right[1.0]:g}",
        )  # fmt: skip
        return
    if not scored.any_chance:
        return
    spread = max(*scored.right.values(), *scored.wrong.values()) - min(*scored.right.values(), *scored.wrong.values())
    for true in HONEST:
        best = max(CHANCES, key=lambda said: scored.expected(said, true))
        honest, most = scored.expected(true, true), scored.expected(best, true)
        if most > honest + CLEARLY * spread:
            yield Finding(
                f"Of what is {true:.0%} likely, saying {best:g} earns {most:.3g} on average and saying {true:g}, which "
                f"is honest, {honest:.3g}: {answer_shown(scored.answer)}.",
                "Use a proper score, such as 1 - (p - outcome) ** 2 or a logarithm: then the honest chance is best, "
                "and no rounding pays.",
                scored.row, input=scored.answer, output=scored.right[best],
                expected=f"most for the chance that is true: {scored.right[true]:g} at {true:g} is too little",
            )  # fmt: skip
            return


def _beside_an_answer(subject: Subject) -> Scored | None:
    """What a chance scores that is said beside the right answer, and beside that of another row."""
    stated, known = _with_chances(subject)
    if len(known) <= FEWEST_ROWS:
        return None
    right, said = known[0], stated.sub("", known[0].text)
    wrong = next((gold for gold in known if stated.sub("", gold.text) != said), None)
    if wrong is None:
        return None
    curves = [
        _curve(subject, right.row, {chance: _with(stated, text, chance) for chance in CHANCES})
        for text in (right.text, wrong.text)
    ]
    if not all(curves) or not any(_depends(curve) for curve in curves):
        return None
    sure, surely_wrong = _with(stated, right.text, 1.0), _with(stated, wrong.text, 0.0)
    return Scored(curves[0], curves[1], right.row, sure, surely_wrong, stated is _STATED)


def _with_chances(subject: Subject) -> tuple[re.Pattern[str], list[Gold]]:
    """The golds that say how sure they are, and what finds it: by its name, or last where prompts ask for it."""
    known = list(golds(subject).values())
    if named := [gold for gold in known if _STATED.search(gold.text)]:
        return _STATED, named
    asked = [gold for gold in known if ASKS_HOW_LIKELY.search(prompt_text(subject, gold.row))]
    last = [gold for gold in asked if (found := _LAST.search(gold.text)) and gold.text[: found.start()].strip()]
    sure = {found["chance"] for gold in last if (found := _LAST.search(gold.text))}
    return _LAST, last if len(sure) == 1 else []


def _with(stated: re.Pattern[str], text: str, chance: float) -> str:
    """A text that states another chance, as a percentage where it is one."""
    found = stated.search(text)
    assert found is not None
    percent = text[found.end("chance") :].lstrip().startswith("%") or float(found["chance"]) > 1
    said = f"{100 * chance:g}" if percent else f"{chance:g}"
    return text[: found.start("chance")] + said + text[found.end("chance") :]


def _of_outcomes(subject: Subject, rows: Sequence[int]) -> Scored | None:
    """What chances score on rows on which it happens and on rows on which it does not, as all of each kind agree."""
    write = _form(subject, rows[:2])
    if write is None:
        return None
    curves = {row: _curve(subject, row, {said: write(said) for said in CHANCES}) for row in rows}
    curves = {row: curve for row, curve in curves.items() if curve}
    if not all(map(_depends, curves.values())):
        return None  # a chance between those that are tried is the right one, and no outcome
    rising = {row: curve for row, curve in curves.items() if curve[1.0] == max(curve.values())}
    falling = {row: curve for row, curve in curves.items() if curve[0.0] == max(curve.values()) and row not in rising}
    if not rising or not falling or len(rising) + len(falling) < len(curves):
        return None
    if not _agree(list(rising.values())) or not _agree(list(falling.values())):
        return None
    row = next(iter(rising))
    return Scored(rising[row], next(iter(falling.values())), row, write(1.0))


def _form(subject: Subject, rows: Sequence[int]) -> Callable[[float], str] | None:
    """How to write a chance so that it is read: as gold does, or in a form that the prompt shows."""
    scale = 100 if _PERCENT.search(prompt_text(subject, rows[0])) else 1
    shown = spellings(prompt_text(subject, rows[0]), f"{0.9 * scale:g}")[:MOST_FORMS]
    for spelling in [*_forms_of_gold(subject, rows), *shown]:
        for row in rows:
            high, low = (play_answers(subject, [(row, spelling.write(f"{said * scale:g}"))]) for said in (0.9, 0.1))
            if high and low and high[0].reward != low[0].reward:
                return partial(_written, spelling, scale)
    return None


def _forms_of_gold(subject: Subject, rows: Sequence[int]) -> Iterator[Spelling]:
    """The text of gold with a place for its only number."""
    for row in rows:
        gold = golds(subject).get(row)
        if gold and len(NUMBER.findall(gold.text)) == 1:
            yield Spelling(NUMBER.sub(SLOT, gold.text))


def _written(spelling: Spelling, scale: int, said: float) -> str:
    return spelling.write(f"{said * scale:g}")


def _curve(subject: Subject, row: int, said: Mapping[float, str]) -> dict[float, float]:
    """What each chance scores on a row; empty where one of them failed."""
    played = play_answers(subject, [(row, text) for text in said.values()])
    rewards = {chance: one.reward for chance, one in zip(said, played, strict=False) if one.reward is not None}
    return rewards if len(rewards) == len(said) else {}


def _depends(curve: Curve) -> bool:
    return bool(curve) and max(curve.values()) - min(curve.values()) > NEARLY


def _agree(curves: Sequence[Curve]) -> bool:
    return all(abs(one[said] - curves[0][said]) <= NEARLY for one in curves for said in CHANCES)
