"""Whether each turn of a conversation counts: what is said there, and that something is said."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, gold_episodes, too_good, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import compared_turns, played_turns, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FEWEST_ROWS, FEWEST_TEXTS, MOST_PLACES, MOST_WORDS, MOST_SKIPS = 6, 4, 4, 3, 6
MOSTLY, MOSTLY_LOST = 0.9, 0.5
_SKIPS = ("skip", "pass", "", "I don't know.")
_QUOTED = regex(r"[`'\"]([a-z]{2,12})[`'\"]")
_NUMBER = regex(r"\d+(?:\.\d+)?")
Replaced = Mapping[int, Sequence[Message]]


@check("G618", kinds=("multi-turn",), needs=("gold",))
def every_turn_counts(subject: Subject) -> Iterator[Finding]:
    """What gold says in each turn, if it differs by row and changes no reply, counts; and no turn may be skipped."""
    known = [gold for gold in some_golds(subject) if len(gold.turns) > 1 and not gold.calls]
    places = range(min((len(gold.turns) - 1 for gold in known), default=0))
    asked = [place for place in places[:MOST_PLACES] if _differs(known, place)]
    if len(known) < FEWEST_ROWS or not asked:
        return
    wrong = {place: compared_turns(subject, _with_another(known, place)) for place in asked}
    for place, episodes in wrong.items():
        same = [one for one in episodes if as_good_as_gold(subject, one) and _hears_the_same(subject, one)]
        if len(same) >= max(FEWEST_ROWS, MOSTLY * len(known)):
            yield _counts_for_nothing(known, place, same, len(episodes))
            return
    lost = [one for episodes in wrong.values() for one in episodes if _loses_later(subject, one)]
    if len(lost) > MOSTLY_LOST * sum(map(len, wrong.values())):
        yield from islice(_skipped(subject, known), 1)


def _loses_later(subject: Subject, episode: Episode) -> bool:
    """Whether wrong words lose though the episode goes on: where they end it, as a bad offer does, one may wait."""
    of_gold = gold_episodes(subject)[episode.row_index]
    lasts = len(own_turns(episode.completion)) >= len(own_turns(of_gold.completion))
    return lasts and not as_good_as_gold(subject, episode)


def _differs(known: Sequence[Gold], place: int) -> bool:
    """Whether gold says something of its own there on most rows."""
    return len({_text(gold.turns[place]) for gold in known}) >= max(FEWEST_TEXTS, MOSTLY_LOST * len(known))


def _with_another(known: Sequence[Gold], place: int) -> Replaced:
    """Gold with what it says in this turn on another row, with numbers that are as far off as any: near ones may do."""
    found = {}
    for number, gold in enumerate(known):
        said = _text(gold.turns[place])
        others = [another.turns[place] for another in others_from(known, number)]
        other = max((turn for turn in others if _text(turn) != said), key=lambda turn: _distance(said, _text(turn)))
        found[gold.row] = [*gold.turns[:place], other, *gold.turns[place + 1 :]]
    return found


def _distance(said: str, other: str) -> float:
    """How far apart the numbers of two texts are; 0 where they have none."""
    pairs = zip(_NUMBER.findall(said), _NUMBER.findall(other), strict=False)
    return sum(abs(float(one) - float(two)) for one, two in pairs)


def _skipped(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The findings that all turns but the last may be a word that says nothing."""
    shown = _QUOTED.findall(prompt_text(subject, known[0].row))
    for word in list(dict.fromkeys([*shown, *_SKIPS]))[:MOST_SKIPS]:
        skipping = {
            gold.row: [assistant_message(word) for _ in gold.turns[:-1]] + gold.turns[-1:]
            for gold in known
        }  # fmt: skip
        played = played_turns(subject, skipping)
        won = won_of(subject, played)
        if len(won) >= max(FEWEST_ROWS, MOSTLY * len(played)):
            yield Finding(
                f"{word!r} in every turn but the last scores as much as gold on {len(won)} of {len(played)} rows, "
                "where wrong words lose.",
                "Divide by all that was asked, and not by what was answered.",
                *too_good(subject, won[0]),
            )  # fmt: skip


def _counts_for_nothing(known: Sequence[Gold], place: int, same: Sequence[Episode], of: int) -> Finding:
    gold = next(gold for gold in known if gold.row == same[0].row_index)
    said = own_turns(same[0].completion)
    short = all(len(_text(gold.turns[place]).split()) <= MOST_WORDS for gold in known)
    return Finding(
        f"What is said in turn {place + 1} counts for nothing: {quoted(_text(said[place]))} in place of gold's "
        f"{quoted(_text(gold.turns[place]))} scores as much, and hears the same, on {len(same)} of {of} rows.",
        "Score what was said in every turn, or do not ask for it.",
        gold.row, said, same[0].reward, f"less than {gold.reward:g}", severity="error" if short else "warning",
    )  # fmt: skip


def _hears_the_same(subject: Subject, episode: Episode) -> bool:
    """Whether all replies are those to gold, so that it was no question of the model's own."""
    of_gold = gold_episodes(subject)[episode.row_index]
    return texts_of(episode.completion) == texts_of(of_gold.completion)


def _text(turn: Message) -> str:
    return str(turn.get("content") or "").strip()
