"""Whether what was said before counts once more in another spelling, such as in capitals."""

import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, as_good_as_gold, golds, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.act_repairs import text_act
from grpo_env_sdk.checking.evidence.stand_ins.watched_play import WatchedPlay
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_WORDS = 8, 8
"""How many rows are looked at, and how many words that a message is compared with are tried on each."""
NONSENSE = "qua"
_DIFFERENT = regex(
    r"\b(?:different|distinct|twice|again|repeat\w*|already|before|new|verschieden\w*|zweimal|wiederhol\w*|"
    r"différent\w*|deux fois|distint[oa]s|diferentes|dos veces|repet\w*)\b",
    re.IGNORECASE,
)
_SPELLED = regex(r"\b(?:case[- ]sensitive|upper ?case|lower ?case|capital letters?|spelling)\b", re.IGNORECASE)
"""Where a prompt speaks of how words are written, two spellings may be two things."""
_WORD = regex(r"[^\W\d_]{3,}(?:[ '-][^\W\d_]+){0,2}")
SPELLINGS: dict[str, Callable[[str], str]] = {
    "in capitals": str.upper,
    "in small letters": str.lower,
    "with a capital": str.capitalize,
    "with a full stop": lambda text: f"{text}.",
}


@check("G691", kinds=("multi-turn",))
def repeats_are_repeats_in_any_spelling(subject: Subject) -> Iterator[Finding]:
    """A right word counts once, also where it is said again in capitals or with a full stop."""
    rows = (list(golds(subject)) or subject.sample(MOST_ROWS))[:MOST_ROWS]
    asked = [prompt_text(subject, row) for row in rows]
    if not rows or not all(_DIFFERENT.search(one) for one in asked) or any(map(_SPELLED.search, asked)):
        return
    words = _of_golds(subject) if golds(subject) else _of_comparisons(subject, rows)
    for how, write in SPELLINGS.items():
        other = {row: (word, write(word)) for row, word in words.items() if write(word) != word}
        counted = [one for row, pair in other.items() if (one := _counts_again(subject, row, *pair))]
        if len(counted) >= FEWEST_ROWS and len(counted) == len(other):
            first = counted[0]
            word, again = other[first.row_index]
            yield Finding(
                f"A right word counts once more {how}: {quoted(again)} after {quoted(word)}, which counts only once "
                f"as it is, on {len(counted)} of {len(words)} rows.",
                "Bring messages to one form (strip, casefold) before they are compared with what was said.",
                first.row_index, own_turns(first.completion), first.reward, "no more than without it",
            )  # fmt: skip
            return


def _of_golds(subject: Subject) -> dict[int, str]:
    """The first messages of golds that are words, as are the second ones, which are others."""
    found = {}
    for gold in some_golds(subject)[:MOST_ROWS]:
        texts = [str(turn.get("content") or "") for turn in gold.turns[:2] if not turn.get("tool_calls")]
        if len(texts) == 2 and all(map(_WORD.fullmatch, texts)) and texts[0].casefold() != texts[1].casefold():
            found[gold.row] = texts[0]
    return found


def _of_comparisons(subject: Subject, rows: Sequence[int]) -> dict[int, str]:
    """By row, a word that a message is compared with, and that earns something."""
    play, found = WatchedPlay(subject), {}
    for row in rows:
        nothing = play(row, (text_act(NONSENSE),))
        listed = [
            value
            for one in (nothing.by_turn[0] if nothing is not None and nothing.by_turn else ())
            for side in (one.left, one.right)
            for value in (side if isinstance(side, list | tuple | set | dict) else ())
        ]
        words = [one for one in dict.fromkeys(map(str, listed)) if _WORD.fullmatch(one)][:MOST_WORDS]
        played = play_answers(subject, [(row, [word]) for word in (NONSENSE, *words)])
        paid = [
            word for word, one in zip(words, played[1:], strict=False) if reward_of(one) > reward_of(played[0]) + NEARLY
        ]
        if paid:
            found[row] = paid[0]
        elif not found:
            break
    return found


def _counts_again(subject: Subject, row: int, word: str, again: str) -> Episode | None:
    """The episode in which a word counts a second time in another spelling, and not as it was."""
    after = golds(subject)[row].turns[2:] if row in golds(subject) else []
    same, nonsense, other = (play_answers(subject, [(row, [word, said, *after])]) for said in (word, NONSENSE, again))
    if not (same and nonsense and other) or other[0].error:
        return None
    once = max(reward_of(same[0]), reward_of(nonsense[0]))
    whole = not after or as_good_as_gold(subject, other[0])
    return other[0] if whole and reward_of(other[0]) > once + NEARLY else None
