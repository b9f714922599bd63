"""Gold answers changed a little: which of them still count is shown, and wrong ones that count are told."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.corruption import made_wrong
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, quoted, tried
from grpo_env_sdk.checking.evidence.guesses import form_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.checking.teaching.idling import MOSTLY, OFTEN
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 12, "default": 30, "thorough": 100}
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
Change = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Miss:
    """One way to change an answer; `wrong` where it makes another answer of it, `whole` where the form goes too."""

    name: str
    change: Change
    wrong: bool = False
    whole: bool = True


Outcome = tuple[Miss, list[Episode], list[Episode]]
"""A near miss, its episodes, and those that are as good as gold."""


def _number(change: Change) -> Change:
    """A change of answers that are one number."""
    return lambda text: change(text) if _NUMBER.fullmatch(text) else None


def _word(change: Change) -> Change:
    """A change of answers that are a few words."""
    return lambda text: change(text) if re.fullmatch(r"[^\W\d_]{3,}(?: [^\W\d_]+){0,2}", text) else None


def _first_digit(text: str) -> str:
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + str(made_wrong(digits[0])) + digits[1:]


def _first_of_several(text: str) -> str | None:
    """The first value of a list with commas, or of a JSON list."""
    try:
        listed = json.loads(text)
    except ValueError:
        short = len(text) < 200 and "." not in text
        return text.partition(",")[0] if short and "," in text and not _NUMBER.fullmatch(text) else None
    return json.dumps(listed[:1]) if isinstance(listed, list) and len(listed) > 1 else None


def _other_unit(text: str) -> str | None:
    """A number and its unit, with a unit that means something else."""
    found = re.fullmatch(rf"({_NUMBER.pattern})( ?)([^\W\d_]{{1,12}}\.?)", text)
    if found is None:
        return None
    return f"{found[1]}{found[2]}{'grams' if found[3].casefold() != 'grams' else 'metres'}"


MISSES = (
    Miss("as it is", lambda text: text),
    Miss("spaces around it", lambda text: f"  {text}  "),
    Miss("a line break after it", lambda text: f"{text}\n"),
    Miss("a full stop after it", lambda text: f"{text}."),
    Miss("in capitals", str.upper),
    Miss("in small letters", str.lower),
    Miss("in bold type", lambda text: f"**{text}**"),
    Miss("in quotes", lambda text: f'"{text}"'),
    Miss("after an explanation", lambda text: f"Let me think about what is asked. The answer is: {text}"),
    Miss("before an explanation", lambda text: f"{text}\n\nThat follows from what was asked."),
    Miss("after a thought in tags", lambda text: f"<think>\nLet me see.\n</think>\n\n{text}"),
    Miss("with decimals", _number(lambda text: f"{text}.0" if "." not in text else f"{text}0"), whole=False),
    Miss("with a unit", _number(lambda text: f"{text} units"), whole=False),
    Miss("last digit off by one", _number(lambda text: text[:-1] + str((int(text[-1]) + 1) % 10)), True, False),
    Miss("first digit changed", _number(_first_digit), True, False),
    Miss("the other sign", _number(lambda text: text[1:] if text.startswith("-") else f"-{text}"), True, False),
    Miss("a digit more at its end", _number(lambda text: f"{text}7" if text.isdecimal() else None), True, False),
    Miss("a digit more", _number(lambda text: f"-7{text[1:]}" if text.startswith("-") else f"7{text}"), True, False),
    Miss("twelve more", _number(lambda text: str(int(text) + 12) if text.isdecimal() else None), True, False),
    Miss("the first of its values alone", _first_of_several, True, False),
    Miss("with another unit", _other_unit, True),
    Miss("its first letter alone", _word(lambda text: text[0]), True, False),
    Miss("a letter missing", _word(lambda text: text[:-1]), True, False),
    Miss("letters added", _word(lambda text: f"un{text}ish"), True, False),
    Miss("denied", _word(lambda text: f"not {text}"), True, False),
)
_TOLERABLE = ("last digit off by one", "a letter missing")
"""Misses that a tolerance may well mean to accept."""


@check("G508", needs=("gold",), severity="warning", share=2)
def near_misses_are_told_apart(subject: Subject) -> Iterator[Item]:
    """An answer that is nearly gold and wrong is not worth as much; what is right is, however it is written."""
    known = [gold for gold in golds(subject).values() if gold.text and not gold.turns[-1].get("tool_calls")]
    known = known[: MOST_ROWS[subject.effort]]
    if not known:
        return
    outcomes = _outcomes(subject, known, form_of([gold.text for gold in golds(subject).values()]))
    yield Table(
        "Near misses", ["the gold answer", "for example", "as good as gold", "meant to be"],
        [
            [miss.name, quoted(_last_said(had[0]), 50), f"{len(won)} of {len(had)}", "wrong" if miss.wrong else ""]
            for miss, had, won in outcomes
        ],
        f"Of {len(known)} rows. Is that as you want it?",
    )  # fmt: skip
    for miss, episodes, won in outcomes:
        share = Share(len(won), len(episodes))
        if miss.wrong and miss.name not in _TOLERABLE and share.low >= (OFTEN if len(episodes) > 8 else MOSTLY):
            yield _accepted(miss, won[0], share, golds(subject))
    rejected = {miss.name: (episodes, won) for miss, episodes, won in outcomes if not miss.wrong}
    for name in ("a line break after it", "spaces around it"):
        episodes, won = rejected.get(name, ([], []))
        if episodes and not won and rejected["as it is"][1]:
            yield _refused(name, episodes[0], golds(subject))
            return


def _outcomes(subject: Subject, known: Sequence[Gold], form: tuple[str, str]) -> list[Outcome]:
    """The episodes of each near miss that fits some row, and those of them that are worth what gold is."""
    said = [
        (miss, gold.row, changed)
        for gold in known  # a row with all its misses, so that what the time cuts off is rows
        for miss in MISSES
        if (changed := _changed(miss, gold, form)) is not None
    ]
    found: dict[str, Outcome] = {miss.name: (miss, [], []) for miss in MISSES}
    episodes = tried(subject, [(row, changed) for _, row, changed in said])
    for (miss, _, _), episode in zip(said, episodes, strict=False):
        if not episode.error:
            found[miss.name][1].append(episode)
            if as_good_as_gold(subject, episode):
                found[miss.name][2].append(episode)
    return [outcome for outcome in found.values() if outcome[1]]


def _changed(miss: Miss, gold: Gold, form: tuple[str, str]) -> list[str | Message] | None:
    """The turns of gold with its last text changed; None where the change does not fit it."""
    before, after = ("", "") if miss.whole else form
    text = miss.change(gold.text.removeprefix(before).removesuffix(after).strip())
    unchanged = text is None or (text == gold.text and miss.name != "as it is")
    return None if unchanged else [*gold.turns[:-1], f"{before}{text}{after}"]


def _last_said(episode: Episode) -> str:
    """The assistant's last text, whatever was answered to it."""
    return next(str(item.get("content")) for item in reversed(episode.completion) if item["role"] == "assistant")


def _accepted(miss: Miss, episode: Episode, share: Share, known: dict[int, Gold]) -> Finding:
    said, gold = _last_said(episode), known[episode.row_index]
    return Finding(
        f"The gold answer, {miss.name}, is worth as much as gold on {share}: {quoted(said)} for {quoted(gold.text)}.",
        "If both are right, all is well; else compare whole values, not parts or beginnings of them.",
        row=episode.row_index, input=said, output=episode.reward, expected=f"less than {gold.reward:g}",
    )  # fmt: skip


def _refused(name: str, episode: Episode, known: dict[int, Gold]) -> Finding:
    gold = known[episode.row_index]
    return Finding(
        f"The gold answer with {name} is worth {episode.reward or 0:g}, and without it {gold.reward:g}.",
        "Strip the answer before it is compared, unless spaces are part of the task.",
        row=episode.row_index, input=_last_said(episode), output=episode.reward, expected=gold.reward, severity="info",
    )  # fmt: skip
