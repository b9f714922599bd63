"""Whether taking something back gives anything where there is nothing to take back."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, play_answers, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import likely_acts, undoing
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    acts_of,
    called_together,
    last_acts,
    said_or_called,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.amounts.made_room import Before, made_room
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_ACTS, MOST_TIMES, MOSTLY = 3, 3, 8, 0.75
"""On how many rows it is tried first, how many such acts, how often each is done, and on what share of rows."""
_TAKES_BACK = regex(
    r"(?:undo|take_?back|revert|roll_?back|cancel|return|refund|give_?back|put_?back|release|unload|"
    r"unbook|remove|drop)(?![a-z])",
    re.IGNORECASE,
)
"""How the names of tools and commands begin that take back what another act has done."""
_LAST_ONE = regex(r"(?:undo|take[_ ]?back|revert|roll_?back)(?![a-z])", re.IGNORECASE)
"""Those that take back the last act, whatever it was."""
_NONSENSE = "lorem ipsum"
Turn = str | Message


@dataclass(frozen=True, slots=True)
class _Tried:
    """Gold after a detour, which costs something, and acts that should change nothing before it."""

    gold: Gold
    back: Turn
    detour: list[Turn]
    often: int

    def after(self, turn: Turn, times: int) -> list[Turn]:
        """The detour and gold, after so many of these."""
        first = [turn] * times if isinstance(turn, str) else [called_together([turn] * times)]
        return [*first, *self.detour, *map(said_or_called, acts_of(self.gold))]


@check("G679", kinds=("tools", "multi-turn"), needs=("gold",))
def nothing_is_taken_back_for_gain(subject: Subject) -> Iterator[Finding]:
    """Undoing, cancelling or returning, where nothing was done before, earns nothing and makes no room."""
    known = some_golds(subject)
    acts = {gold.row: _acts_of_taking_back(subject, gold) for gold in known}
    for place in range(MOST_ACTS):
        of_rows = [(gold, acts[gold.row][place]) for gold in known if place < len(acts[gold.row])]
        if len(of_rows) >= FEWEST_ROWS and (found := _better(subject, of_rows)):
            yield found
            return
    hint = "Take back only what was done: refuse it, or do nothing, where there is nothing to take back."
    for own in last_acts(subject).values() if subject.traits.kind == "tools" else ():
        if found := made_room(subject, own, lambda act: _once_and_often(subject, act.gold), hint):
            yield found
            return


def _better(subject: Subject, of_rows: Sequence[tuple[Gold, Turn]]) -> Finding | None:
    """The finding that a detour costs less after an act of taking back than without, or after nonsense."""
    gains = [gain for gold, back in of_rows[:TASTED] if (gain := _gain(subject, gold, back))]
    if len(gains) < TASTED - 1:
        return None
    gains += [gain for gold, back in of_rows[TASTED:] if (gain := _gain(subject, gold, back))]
    if len(gains) < max(FEWEST_ROWS, MOSTLY * len(of_rows)):
        return None
    tried, once, often = gains[0]
    course = f"{turns_text(tried.detour)} and gold" if tried.detour else "Gold"
    return Finding(
        f"{course} after {turns_text([tried.back] * tried.often)}, where there is nothing to take back, scores "
        f"{reward_of(often):.4g}, and {reward_of(once):.4g} after it once, on {len(gains)} of {len(of_rows)} rows.",
        "Take back only what was done: where there is nothing to take back, leave all counts as they are.",
        often.row_index, own_turns(often.completion), reward_with_parts(often), f"at most {reward_of(once):.4g}",
    )  # fmt: skip


def _gain(subject: Subject, gold: Gold, back: Turn) -> tuple[_Tried, Episode, Episode] | None:
    """The first detour of a row that costs less after many acts of taking back; after one, which may be right, too."""
    acts = list(map(said_or_called, acts_of(gold)))
    for detour in ([], acts[:1] * 2, acts[:1] * 4, acts[:2] * 2):
        left = MOST_TIMES if isinstance(back, dict) else subject.traits.max_turns - len(acts) - len(detour)
        tried = _Tried(gold, back, detour, min(MOST_TIMES, left))
        ways: list[tuple[int, Completion]] = [(gold.row, tried.after(back, times)) for times in (1, tried.often)]
        played = play_answers(subject, ways) if left > 1 else []
        if len(played) == 2 and _is_better(played[1], played[0]):
            idle = tried.after(_NONSENSE, tried.often) if isinstance(back, str) else []
            if not any(
                _is_better(one, played[0]) for one in (play_answers(subject, [(gold.row, idle)]) if idle else ())
            ):
                return tried, played[0], played[1]
    return None


def _is_better(one: Episode, than: Episode) -> bool:
    return was_scored(one) and was_scored(than) and reward_of(one) > reward_of(than) + NEARLY


def _acts_of_taking_back(subject: Subject, gold: Gold) -> list[Turn]:
    """The commands and calls of a row that take something back, which gold does not do and has done nothing for."""
    calls: list[Turn] = [*_calls(subject, gold)]
    if subject.traits.kind != "multi-turn":
        return calls[:MOST_ACTS]
    texts = [str(turn["content"]) for turn in gold.turns if turn.get("content") and not turn.get("tool_calls")]
    prompt, used = prompt_text(subject, gold.row), {text.split(" ")[0] for text in texts}
    whole = [one for one in likely_acts(prompt, [], []) if isinstance(one, str) and _LAST_ONE.match(one)]
    found = [
        one for one in [*whole, *undoing(texts, prompt)] if _TAKES_BACK.match(one) and one.split(" ")[0] not in used
    ]
    return [*dict.fromkeys(found), *calls][:MOST_ACTS]


def _once_and_often(subject: Subject, gold: Gold) -> list[Before]:
    """Each call once, which may take back what was there before, and often."""
    return [([call], [called_together([call] * MOST_TIMES)]) for call in _calls(subject, gold)]


def _calls(subject: Subject, gold: Gold) -> list[Message]:
    """Calls that take back the last act, or what gold only does later, named by the values of its own calls."""
    given = {key: value for _, one in gold.calls for key, value in one.items()}
    used = {name for name, _ in gold.calls}
    return [
        call_message(name_of(tool), **{key: given[key] for key in required_of(tool)})
        for tool in subject.tools_of(gold.row)
        if _TAKES_BACK.match(name_of(tool)) and name_of(tool) not in used and set(required_of(tool)) <= set(given)
        and (required_of(tool) or _LAST_ONE.match(name_of(tool)))
    ]  # fmt: skip
