"""The source of gold: the environment's `solve`, a column that looks like an answer, or what prompts ask for."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import isfinite

from grpo_env_sdk.checking.evidence.author_code.code_words import code_patterns
from grpo_env_sdk.checking.evidence.gold.compared_calls import AsItIs, ComparedCalls
from grpo_env_sdk.checking.evidence.gold.compared_gold import ComparedGold
from grpo_env_sdk.checking.evidence.gold.filled_examples import MOST_EXAMPLES, filled_examples
from grpo_env_sdk.checking.evidence.gold.pattern_frames import frames_of
from grpo_env_sdk.checking.evidence.gold.spellings import AS_IT_IS, Spelling, spellings, usual_spellings
from grpo_env_sdk.checking.evidence.gold.worked_gold import ways_to_work
from grpo_env_sdk.checking.evidence.playing.episode_player import AT_ONCE, EpisodePlayer
from grpo_env_sdk.checking.evidence.playing.read_columns import columns_read
from grpo_env_sdk.checking.evidence.prompts.broken_form import count_of
from grpo_env_sdk.data.messages import prompt_messages
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

ANSWER_COLUMNS = (
    "answer", "solution", "gold", "ground_truth", "target", "expected", "reference", "label", "correct", "output",
)  # fmt: skip
GOLD_COLUMNS = ("answer", "solution", "gold", "ground_truth", "expected")
"""Names that mean nothing else: a `target` may be a goal, a `label` a class, a `reference` a source."""
_COUNTS_TRIED = 2
_TRIED_ON, _PROVEN_ON, _SHORT, _READ = 3, 6, 100, 2_000
"""On how many rows columns are tried and proven, and the most characters of any column and of one that is read."""
_NEARLY_TOP, _LOOKED_AT = 0.05, 2
"""How far below the top, as a part of the range, a right answer may be; on how many rows that is looked at first."""
_MOST_WAYS, _WORKED_ON = 12, 30
"""In how many ways an answer is worked out at most, and on how many rows that is tried."""
_MOSTLY_ON, _MOSTLY = 12, 0.6
"""On how many rows, and on what share of them, a column is right that the scorer reads alone."""

_SECONDS = 2.0
"""What watching the comparisons may take; most of it is for the first row."""

COMPARED_CALLS = "the calls that the scorer compares with"
ASKS_HOW_LIKELY = regex(r"\b(?:probabilit\w+|likel\w+|chances?|odds|confiden\w+|calibrat\w+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the gold of a row is from, in the words of a message, its value, and how that is written as an answer."""

    named: str
    value: Callable[[int], object]
    spelling: Spelling = AS_IT_IS

    def __str__(self) -> str:
        return self.named + (f", written {self.spelling.named!r}" if self.spelling.named != AS_IT_IS.named else "")


def gold_source(subject: EpisodePlayer) -> str | None:
    """ "solve", "the column 'answer'", what can be worked out from the prompt, or None.

    A column counts if its values score more than an empty answer; a column of another name, and what is worked out, if
    it scores the top, on most rows at least where the scorer reads no other column, and that of other rows does not.
    With tools only a column with the name of an answer counts, and only where its values score the top without a call.
    """
    if subject.traits.solvable:
        return "solve"
    best = _best(subject)
    return None if best is None else str(best)


def gold_episode(subject: EpisodePlayer, row: int) -> Episode | None:
    """The gold episode of a row."""
    if subject.traits.solvable:
        return subject.play(row, "gold")
    best = _best(subject)
    value = None if best is None else best.value(row)
    return None if best is None or value is None else subject.answer(row, best.spelling.write(value))


def _best(subject: EpisodePlayer) -> Source | None:
    """The column and the spelling whose answers score best, if that is more than an empty answer."""
    return subject.once("gold column", lambda: _find(subject))


def _find(subject: EpisodePlayer) -> Source | None:
    if subject.traits.kind == "multi-turn":
        return None
    found = _usual_column(subject)
    if subject.traits.kind == "tools":
        return found if found and _needs_no_call(subject, found) else None
    if found:
        return found
    names = _other_columns(subject)
    sources = [(_of_column(subject, name), name) for name in names]
    sources += [(source, name) for name in names for source in _first_of_column(subject, name)]
    columns = (
        _or_first_item(subject, found, name) for source, name in sources if (found := _proven(subject, source, name))
    )
    return next(columns, None) or _worked(subject) or _compared(subject) or _filled(subject) or _called(subject)


def _needs_no_call(subject: EpisodePlayer, source: Source) -> bool:
    """Whether its values score the top where they are all that is said."""
    values = {row: source.value(row) for row in subject.chosen[:_MOSTLY_ON]}
    said = [(row, source.spelling.write(value)) for row, value in values.items() if value is not None]
    return _mean(subject, said) >= _nearly_top(subject)


def _nearly_top(subject: EpisodePlayer) -> float:
    low, top = subject.traits.reward_range
    return top - _NEARLY_TOP * (top - low) if isfinite(low) else top


def _of_column(subject: EpisodePlayer, name: str, spelling: Spelling = AS_IT_IS) -> Source:
    return Source(f"the column {name!r}", lambda row: subject.row(row).get(name), spelling)


def _or_first_item(subject: EpisodePlayer, source: Source, name: str) -> Source:
    """The first item of a list where that alone scores more: then the items are answers of which one is enough."""
    held = {row: items for row in subject.rows.indices[:_READ] if isinstance(items := subject.row(row).get(name), list)}
    several = [row for row, items in held.items() if len(items) > 1][:_MOSTLY_ON]
    first = Source(f"the first item of the column {name!r}", lambda row: next(iter(subject.row(row)[name]), None))
    whole, alone = (
        _mean(subject, [(row, one.spelling.write(one.value(row))) for row in several]) for one in (source, first)
    )
    return (alone > whole and _proven(subject, first, name)) or source


def _first_of_column(subject: EpisodePlayer, name: str) -> Iterator[Source]:
    """As many items of a column that holds lists as a prompt asks for, where each list is longer."""
    lists = [subject.row(row).get(name) for row in subject.chosen]
    if not all(isinstance(one, list) for one in lists):
        return
    fewest = min(len(one) for one in lists if isinstance(one, list))
    asked = {count_of(word) for word in re.findall(r"\w+", _prompt(subject, subject.chosen[0]))}
    for count in sorted(number for number in asked if 1 < number <= fewest)[:_COUNTS_TRIED]:
        named = f"the first {count} of the column {name!r}"
        yield Source(named, partial(_first, subject, name, count))


def _first(subject: EpisodePlayer, name: str, count: int, row: int) -> list[object]:
    return list(subject.row(row)[name][:count])


def _usual_column(subject: EpisodePlayer) -> Source | None:
    """The column with the name of an answer that scores best, and the spelling."""
    rows = subject.chosen[:_TRIED_ON]
    best, most = None, _mean(subject, [(row, "") for row in rows])
    middle = sum(subject.traits.reward_range) / 2
    for column in ANSWER_COLUMNS:
        if any(subject.row(row).get(column) is None for row in rows):
            continue  # no such column, or rows without a known answer
        for spelling in usual_spellings(subject.row(rows[0])[column]):
            reward = _mean(subject, [(row, spelling.write(subject.row(row)[column])) for row in rows])
            least = most if column in GOLD_COLUMNS else max(most, middle if isfinite(middle) else most)
            if reward > least:
                best, most = _of_column(subject, column, spelling), reward
    return best


def _filled(subject: EpisodePlayer) -> Source | None:
    """An example of the prompt with the columns of the row in it, where that scores the top on all rows."""
    for place in range(MOST_EXAMPLES):
        source = Source("the example of the prompt with the row's columns in it", partial(_example, subject, place))
        if source.value(subject.chosen[0]) is not None and (found := _proven(subject, source)):
            return found
    return None


def _example(subject: EpisodePlayer, place: int, row: int) -> str | None:
    return next(islice(filled_examples(_prompt(subject, row), subject.row(row)), place, None), None)


def _worked(subject: EpisodePlayer) -> Source | None:
    """What can be worked out from the prompts, where it scores the top on all rows for which it can be."""
    rows = subject.chosen[:_WORKED_ON]
    ways = ways_to_work([_prompt(subject, row) for row in rows]) if len(rows) >= _PROVEN_ON else ()
    for way in islice(ways, _MOST_WAYS):
        source = Source(f"{way.name}, worked out", lambda row, way=way: way.answer(_prompt(subject, row)))  # type: ignore[misc]
        if found := _proven(subject, source):
            return found
    return None


def _compared(subject: EpisodePlayer) -> Source | None:
    """What the scorer compares answers with, where that scores the top on all rows and that of other rows does not."""
    low, top = subject.traits.reward_range
    if subject.slow or not (isfinite(low) and isfinite(top)):
        return None
    if ASKS_HOW_LIKELY.search(_prompt(subject, subject.chosen[0])):
        return None  # what happened is no forecast
    value = ComparedGold(subject, partial(_prompt, subject), _nearly_top(subject))
    with subject.with_time(_SECONDS):
        if value(subject.chosen[0]) is None:
            return None
        return _proven(subject, Source("what the scorer compares answers with", value))


def _called(subject: EpisodePlayer) -> Source | None:
    """The calls that the scorer compares with, where they score the top, and those of most other rows do not."""
    value = found_calls(subject)
    if value is None:
        return None
    with subject.with_time(_SECONDS):
        rows = [row for row in subject.chosen[:_WORKED_ON] if value(row) is not None][:_MOSTLY_ON]
        turned = zip(rows, [*rows[1:], *rows[:1]], strict=True)
        wrong = [(row, value(other)) for row, other in turned if value(row) != value(other)]
        lost = [one.reward for one in subject.answers([(row, calls) for row, calls in wrong if calls])]
    refused = lost and sum((reward or 0.0) < value.top for reward in lost) >= _MOSTLY * len(lost)
    return Source(COMPARED_CALLS, value, AsItIs()) if len(rows) >= _PROVEN_ON and refused else None


def found_calls(subject: EpisodePlayer) -> ComparedCalls | None:
    """The search for calls that score the top, where an answer may have some and nothing runs them."""
    low, top = subject.traits.reward_range
    if subject.slow or not (isfinite(low) and isfinite(top)) or subject.traits.kind != "single-turn":
        return None
    if not subject.tools_of(subject.chosen[0]):
        return None
    return subject.once("compared calls", lambda: ComparedCalls(subject, low, _nearly_top(subject)))


def _other_columns(subject: EpisodePlayer) -> list[str]:
    """Columns with short values, or with longer ones where scorers read them, that differ from row to row."""
    first, read = subject.row(subject.chosen[0]), columns_read(subject)
    names = [
        name for name, value in first.items()
        if isinstance(value, str | int | float | list | dict) and name not in ("prompt", "case_idx")
        and 0 < len(str(value)) <= (_READ if name in read else _SHORT)
        and (name in read or name not in ANSWER_COLUMNS)
    ]  # fmt: skip
    rows = subject.chosen[:_PROVEN_ON]
    return [name for name in names if len({str(subject.row(row).get(name)) for row in rows}) > 1]


def _proven(subject: EpisodePlayer, source: Source, column: str = "") -> Source | None:
    """A source in the spelling in which its value scores the top on every row, and that of another row does not.

    Where the scorer reads nothing but its column, it may be too lenient: then values of other rows lose on most rows.
    """
    read = columns_read(subject)
    alone = read == {column}
    rows = subject.chosen[: _MOSTLY_ON if alone else _PROVEN_ON]
    if not column:
        rows = [row for row in subject.chosen[:_WORKED_ON] if source.value(row) is not None][:_MOSTLY_ON]
    values = {row: source.value(row) for row in rows}
    low, top = subject.traits.reward_range
    if len(rows) < _PROVEN_ON or not isfinite(top) or None in values.values() or _is_outcome(subject, values):
        return None
    top = _nearly_top(subject)
    turned = zip(rows, [*rows[1:], rows[0]], strict=True)
    others = [(row, other) for row, other in turned if values[row] != values[other]]
    value = values[rows[0]]
    all_forms = column in read or not column
    for spelling in in_asked_forms(subject, rows[0], value) if all_forms else usual_spellings(value):
        looked_at = [(row, spelling.write(values[row])) for row in rows[:_LOOKED_AT]]
        if max(_rewards(subject, looked_at), default=low) < top:
            continue
        at_once = AT_ONCE if column else 1
        right = _rewards(subject, [(row, spelling.write(values[row])) for row in rows], at_once)
        lost = [str(values[row]) for row, reward in zip(rows, right, strict=False) if reward < top]
        marks = len(set(lost)) < len(lost)  # such as "unanswerable", which means something else
        if len(right) == len(rows) and len(lost) <= (1 - _MOSTLY if alone and not marks else 0) * len(rows):
            wrong = _rewards(subject, [(row, spelling.write(values[other])) for row, other in others], at_once)
            refused = sum(reward < top for reward in wrong)
            lenient = alone and max(_rewards(subject, [(row, "") for row in rows]), default=top) < top
            if wrong and refused >= (_MOSTLY if lenient else 1) * len(wrong):
                return replace(source, spelling=spelling)
    return None


def in_asked_forms(subject: EpisodePlayer, row: int, value: object) -> list[Spelling]:
    """A value in the forms that the prompt shows and those in which the scorer's patterns read it."""
    frames = subject.once("pattern frames", lambda: frames_of(code_patterns(subject.loaded.env)))
    return spellings(_prompt(subject, row), value, frames)


def _prompt(subject: EpisodePlayer, row: int) -> str:
    return "\n".join(str(message.get("content")) for message in prompt_messages(subject.row(row)["prompt"]))


def _is_outcome(subject: EpisodePlayer, values: Mapping[int, object]) -> bool:
    """Whether values only say what happened, where prompts ask how likely it is."""
    asked = ASKS_HOW_LIKELY.search(_prompt(subject, next(iter(values))))
    return asked is not None and all(value in (0, 1) for value in values.values())


def _mean(subject: EpisodePlayer, answers: list[tuple[int, str]]) -> float:
    rewards = _rewards(subject, answers)
    return sum(rewards) / len(rewards) if rewards else float("-inf")


def _rewards(subject: EpisodePlayer, answers: list[tuple[int, str]], at_once: int = AT_ONCE) -> list[float]:
    return [episode.reward for episode in subject.answers(answers, at_once) if episode.reward is not None]
