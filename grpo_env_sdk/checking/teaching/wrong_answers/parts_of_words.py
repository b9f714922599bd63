"""Whether pieces of the words of a set count as words of it, as where a text is searched for them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, as_good_as_gold, gold_episodes, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, FEWEST_LETTERS, MOST_PIECES = 3, 4, 3
_PIECES = regex(
    r"\b(?:parts? of (?:a|the|their|its) (?:word|name|title)|fragments?|substrings?|pieces?|syllables?|abbreviat\w*|"
    r"beginning of|search\w*|quer(?:y|ies)|filter\w*|look up|suche\w*|cherch\w*|busc\w*)\b",
    re.IGNORECASE,
)
_WORD = regex(rf"[^\W\d_]{{{FEWEST_LETTERS},}}")
_LIST = regex(r"(?:[^\W\d_]+, ){2,}(?:(?:and|or|und|oder|et|ou|y|o) )?[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gold says a word that counts, and pieces of words that are said there instead."""

    gold: Gold
    turn: int
    pieces: tuple[str, ...]
    control: str


@check("G692", kinds=("multi-turn",), needs=("acts",))
def pieces_of_words_are_no_words(subject: Subject) -> Iterator[Finding]:
    """A piece from inside of a word of the set is refused where a word of the set is asked for."""
    known = some_golds(subject)
    if any(_PIECES.search(prompt_text(subject, gold.row)) for gold in known):
        return
    said = {str(turn.get("content") or "").casefold() for gold in known for turn in gold.turns}
    words = sorted(word for word in said if _WORD.fullmatch(word))
    for alike in (True, False):
        places = [place for gold in known if (place := _place(subject, gold, words, alike))]
        taken: list[tuple[Place, Episode]] = []
        for place in places if len(places) >= FEWEST_ROWS else ():
            episodes = _taken(subject, place)
            if not episodes:
                break
            taken.append((place, episodes[0]))
        if len(taken) >= FEWEST_ROWS and len(taken) == len(places):
            yield _finding(*taken[0], len(taken))
            return


def _place(subject: Subject, gold: Gold, words: Sequence[str], alike: bool) -> Place | None:
    """The first word of a gold that counts, with pieces that begin as it does, or with pieces of its own."""
    texts = [str(turn.get("content") or "").casefold() for turn in gold.turns]
    steps = gold_episodes(subject)[gold.row].step_rewards
    turns = [turn for turn, text in enumerate(texts) if _WORD.fullmatch(text)]
    turn = next((one for one in turns if one < len(steps) and steps[one] > NEARLY), turns[0] if turns else None)
    if turn is None:
        return None
    listed = [one for one in _LIST.findall(prompt_text(subject, gold.row).casefold()) if texts[turn] in one]
    known = re.findall(r"[^\W\d_]+", listed[0]) if listed else words
    of = [word for word in known if word != texts[turn]] if alike else [texts[turn]]
    pieces = [
        piece
        for word in of
        for start in range(1, len(word) - 1)
        for piece in (word[start : start + 2], word[start : start + 3])
        if (piece[0] == texts[turn][0] or not alike) and len(piece) > 1
    ]
    whole = {*known, *words}
    inside = [one for one in dict.fromkeys(pieces) if not any(word.startswith(one) for word in whole)][:MOST_PIECES]
    strange = (f"{texts[turn][0] if alike else 'q'}{end}" for end in ("qz", "zq", "xqz", "wqx"))
    control = next((one for one in strange if not any(one in word for word in whole)), "")
    return Place(gold, turn, tuple(inside), control) if inside and control else None


def _taken(subject: Subject, place: Place) -> list[Episode]:
    """The episodes of all pieces, if each counts as the word does, and what is in no word does not."""
    before, after = place.gold.turns[: place.turn], place.gold.turns[place.turn + 1 :]
    said = (place.control, *place.pieces)
    episodes = play_answers(subject, [(place.gold.row, [*before, one, *after]) for one in said])
    if len(episodes) < len(said) or _counts(subject, place, episodes[0]):
        return []
    return episodes[1:] if all(_counts(subject, place, one) for one in episodes[1:]) else []


def _counts(subject: Subject, place: Place, episode: Episode) -> bool:
    steps, of_gold = episode.step_rewards, gold_episodes(subject)[place.gold.row].step_rewards
    if place.turn < len(of_gold) - 1 and of_gold[place.turn] > NEARLY:
        return place.turn < len(steps) and steps[place.turn] >= of_gold[place.turn] - NEARLY
    return as_good_as_gold(subject, episode)


def _finding(place: Place, episode: Episode, rows: int) -> Finding:
    word = str(place.gold.turns[place.turn].get("content"))
    return Finding(
        f"Pieces of words count as words, as {quoted(place.pieces[0])} does where gold says {quoted(word)}, on all "
        f"{rows} rows tried: {', '.join(map(quoted, place.pieces))}, but not {quoted(place.control)}.",
        "Look for the word in a list or a set of words, and not in a text: `word in text` finds pieces too.",
        episode.row_index, own_turns(episode.completion), episode.step_rewards, "a message that is refused",
    )  # fmt: skip
