"""The answers that the score checks try, each with its episode."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grpo_env_sdk.checking.evidence.attempts.answered_words import answered_words
from grpo_env_sdk.checking.evidence.attempts.corruption import Corruption
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of
from grpo_env_sdk.checking.evidence.attempts.odd_texts import ODD_TEXTS
from grpo_env_sdk.checking.evidence.attempts.slow_shapes import explosive
from grpo_env_sdk.checking.evidence.author_code.code_words import code_words
from grpo_env_sdk.checking.evidence.golds import usable_gold
from grpo_env_sdk.checking.evidence.playing.process_state import process_state
from grpo_env_sdk.checking.evidence.playing.read_columns import columns_read
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns, turns_of
from grpo_env_sdk.checking.evidence.prompts.answer_templates import ANSWER_TEMPLATES
from grpo_env_sdk.checking.evidence.prompts.likely_values import likely_arguments, values_at
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.found_episodes import found_episodes
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import alternatives_of, likely_acts
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.untold_answers import common_answers, worked_answers
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode

ODD_ROWS, TWO_ROWS = 2, 200
"""Rows on which every odd text is tried, and rows on which two are; the others get one each."""
MOST_ROWS = {"quick": 100, "default": 500, "thorough": 10_000}
GOLD_ROWS = {"quick": 15, "default": 60, "thorough": 500}
MOST_TURNS, MOST_CHARS = 200, 100
STATE = ("process", "state")
"""The key of the state of this process before the first episode."""
TRIED = ("score", "tried")
"""The key of the answers tried, with their episodes."""
GOLD, GOLD_OF_ANOTHER = "the gold answer", "the gold answer of another row"
"""What findings call the answers that are right in their row, and in another one."""
VALUE, VALUE_OF_ANOTHER = "a value of the row", "a value of another row"
"""The same where no gold is known, and what the scorer compares answers with may be a column that it asks for."""
COMMON_ANSWER = "a short answer"
BEST_FOUND, CALLS_OF_ROW = "the best episode that was found", "calls with values of the row"
STAND_INS = "stand-ins"
"""The key of the best episodes found without gold."""
ONE_PIECE_WRONG, TEXT_OF_CODE = "the gold answer with one piece wrong", "a text from the environment's own code"
PARTLY_FIRST, OTHERS_FIRST = 4, 12
"""So many answers with one piece wrong, and that are right in another row, come first, as a lack of time cuts off the
rest."""
FEWEST_PIECES, MOST_WITH_ONE_WRONG, MOST_TEXTS = 3, 12, 12
MOST_WITH_ACTS, MOST_ACTS, MOST_OFFERED, MOST_LISTS, MOST_LIKELY = 8, 20, 4, 3, 6
_TOLERANCE = 1e-9
_TOGETHER = 32
"""The time is checked after so many answers."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to one row, and what a finding calls it."""

    row: int
    what: str
    completion: Completion


def answers_tried(subject: Subject) -> list[tuple[Answer, Episode]]:
    """The answers tried on many rows, each with its episode; shared by the checks of a process."""
    return subject.once(TRIED, lambda: _tried(subject))


def play(subject: Subject, answers: Sequence[Answer]) -> list[tuple[Answer, Episode]]:
    """Each answer with its episode, one after another, as far as the time allows; other checks play in parallel."""
    if subject.traits.instances != "shared" or subject.traits.parallel:
        parts = [answers[start : start + _TOGETHER] for start in range(0, len(answers), _TOGETHER)]
        return [pair for part in subject.in_time(parts) for pair in _one_by_one(subject, part)]
    episodes = subject.answers((item.row, item.completion) for item in answers)
    return list(zip(answers, episodes, strict=False))


def _one_by_one(subject: Subject, answers: Sequence[Answer]) -> list[tuple[Answer, Episode]]:
    episodes = subject.answers(((item.row, item.completion) for item in answers), at_once=1)
    return list(zip(answers, episodes, strict=False))


def end_of(episode: Episode) -> object:
    """The reward of an episode, or the message of its error."""
    return episode.error.message if episode.error else episode.reward


def result_of(episode: Episode) -> float | str | None:
    """The reward of an episode, or the type of its error."""
    return episode.error.type if episode.error else episode.reward


def timed_out(episode: Episode) -> bool:
    """Whether a call took too long, either its own or one that blocked the process."""
    return episode.error is not None and episode.error.type in ("DeadlineError", "TimeoutError")


def equal(one: float | str | None, other: float | str | None) -> bool:
    """Whether two results are the same, apart from rounding errors."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= _TOLERANCE * max(1.0, abs(one), abs(other))
    return one == other


def differing(
    one: Sequence[tuple[Answer, Episode]], other: Sequence[tuple[Answer, Episode]]
) -> list[tuple[Answer, Episode, Episode]]:
    """The answers with another result the second time; episodes that timed out are left out."""
    before = {id(answer): episode for answer, episode in one}
    both = [(answer, before[id(answer)], again) for answer, again in other if id(answer) in before]
    return [
        (answer, first, again) for answer, first, again in both
        if not equal(result_of(first), result_of(again)) and not (timed_out(first) or timed_out(again))
    ]  # fmt: skip


def _tried(subject: Subject) -> list[tuple[Answer, Episode]]:
    """Gold answers of some rows, every odd text on a few rows, and a few odd texts on every row."""
    subject.once(STATE, process_state)
    subject.limits = replace(subject.limits, turns=MOST_TURNS)  # an endless episode would use up the time
    rows = subject.sample(MOST_ROWS[subject.effort])
    near = rows[:: max(1, len(rows) // GOLD_ROWS[subject.effort])]
    golds = {row: gold for row in subject.in_time(near) if (gold := usable_gold(subject, row)) and gold.completion}
    completions: dict[int, Completion] = {row: gold.completion for row, gold in golds.items()}
    tried = [(Answer(row, GOLD, completions[row]), gold) for row, gold in golds.items()]
    tried += _random_calls(subject, near)
    odd = list(ODD_TEXTS.items())
    in_full = [*odd, *_in_the_form_of(list(completions.values()), odd)]
    few = [_at_the_end(row, what, text, completions.get(row)) for row in near[:ODD_ROWS] for what, text in in_full]
    variants = _variants_of_gold(subject, completions) if completions else _values_of_columns(subject, near)
    if not completions:
        variants += [*_texts_of_code(subject, near), *_untold(subject, near), *_acts_of_prompts(subject, near)]
        variants += _calls_of_rows(subject, near)
    variants += _words_in_turn(subject, near)
    many = variants + [
        _at_the_end(row, what, text, completions.get(row) if place % 2 else None)
        for place, row in enumerate(rows)
        for what, text in _some_of(odd, place, len(rows))
    ]
    subject.random.shuffle(many)
    longest = min((length for length, *_ in explosive(subject).values()), default=None)
    partly = [
        answer for what, most in ((ONE_PIECE_WRONG, PARTLY_FIRST), (GOLD_OF_ANOTHER, OTHERS_FIRST))
        for answer in [answer for answer in many if answer.what == what][:most]
    ]  # fmt: skip
    in_order = [*partly, *few, *(answer for answer in many if answer not in partly)]
    short = [answer for answer in in_order if longest is None or len(str(answer.completion)) < longest]
    return tried + play(subject, short)


def _some_of(odd: list[tuple[str, str]], place: int, rows: int) -> list[tuple[str, str]]:
    """The odd texts of one of many rows: the first and another one, or one of them where there are more rows."""
    both = [odd[0], odd[1 + place % (len(odd) - 1)]]
    return both if place % max(1, rows // TWO_ROWS) == 0 else both[place % 2 :][:1]


def _in_the_form_of(completions: list[Completion], odd: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The odd texts inside what all gold answers start and end with, such as tags: a scorer may read nothing else."""
    turns = [turns_of(completion)[-1] for completion in completions]
    texts = [text for turn in turns if isinstance(text := turn if isinstance(turn, str) else turn.get("content"), str)]
    before, after = _template_of(texts) or form_of(texts)
    if len(set(texts)) < 3 or not before + after:
        return []
    return [(f"{what} in the format of gold", f"{before}{text}{after}") for what, text in odd]


def _template_of(texts: list[str]) -> tuple[str, str] | None:
    """The start and end of the template that all answers use, or None."""
    for template in ANSWER_TEMPLATES[1:]:
        before, after = template.format("\0").split("\0")
        if all(text.startswith(before) and text.endswith(after) for text in texts):
            return before, after
    return None


def _variants_of_gold(subject: Subject, completions: dict[int, Completion]) -> list[Answer]:
    """The gold of another row; a row's gold with words around it, in capitals, twice, cut in half, one piece wrong."""
    found = []
    others = [*list(completions.values())[1:], *completions.values()]
    for (row, completion), other in zip(completions.items(), others, strict=False):
        if other is not completion:
            found.append(Answer(row, GOLD_OF_ANOTHER, other))
        *turns, last = turns_of(completion)
        text = last if isinstance(last, str) else last.get("content")
        if isinstance(text, str) and text:
            near = {"with words around it": f"I think it is {text}, because.", "in capitals": f" {text.upper()} ",
                    "twice": f"{text}\n{text}", "cut in half": text[: len(text) // 2]}  # fmt: skip
            found += [Answer(row, f"{GOLD} {how}", [*turns, changed]) for how, changed in near.items()]
    return found + _with_one_piece_wrong(subject, completions)


def _with_one_piece_wrong(subject: Subject, completions: dict[int, Completion]) -> list[Answer]:
    """Gold of several pieces with one of them wrong, which a scorer that looks at some of them may miss at times."""
    turns = {
        row: [turn for turn in turns_of(completion) if not isinstance(turn, str)]
        for row, completion in completions.items()
    }
    corruption = Corruption(list(turns.values()))
    pieces = {row: found for row, own in turns.items() if len(found := corruption.pieces(own)) >= FEWEST_PIECES}
    return [
        Answer(row, ONE_PIECE_WRONG, corruption.corrupted(turns[row], subject.random.sample(own, 1), subject.random))
        for row, own in list(pieces.items())[:MOST_WITH_ONE_WRONG]
    ]


def _texts_of_code(subject: Subject, rows: Sequence[int]) -> list[Answer]:
    """Texts that the scorer looks for, and such that its patterns match: where no gold is known, they may score."""
    if subject.traits.kind != "single-turn":
        return []
    texts = code_words(subject.loaded.env, subject.rows.columns).texts[:MOST_TEXTS]
    return [Answer(row, TEXT_OF_CODE, text) for text in texts for row in rows[:ODD_ROWS]]


def _untold(subject: Subject, rows: Sequence[int]) -> list[Answer]:
    """What may be right where no gold is known, on its own row and on another one, and common answers."""
    if subject.traits.kind != "single-turn":
        return []
    found = [Answer(row, COMMON_ANSWER, text) for row, text in common_answers(subject, rows)]
    for texts in worked_answers(subject, rows):
        for row, other in zip(texts, [*list(texts)[1:], *texts], strict=False):
            found += [Answer(row, VALUE, texts[row]), Answer(row, VALUE_OF_ANOTHER, texts[other])]
    return found


def _acts_of_prompts(subject: Subject, rows: Sequence[int]) -> list[Answer]:
    """All that a prompt names as moves or commands in one episode, else words that are answered: steps may refuse other
    texts alike."""
    if subject.traits.kind == "single-turn" or subject.tools:
        return []
    acts = {row: likely_acts(prompt_text(subject, row), [], [])[:MOST_ACTS] for row in rows[:MOST_WITH_ACTS]}
    found = [Answer(row, "what its prompt names", named) for row, named in acts.items() if named]
    if found or subject.slow:
        return found
    turns = min(subject.traits.max_turns, MOST_ACTS)
    words = [(row, word) for row in rows[:1] for word in answered_words(subject, row)]
    return [Answer(row, "a word of its prompt in every turn", [word] * turns) for row, word in words]


def _words_in_turn(subject: Subject, rows: Sequence[int]) -> list[Answer]:
    """The words between which a prompt leaves the choice, one after another until the turns are used up."""
    if subject.traits.kind == "single-turn" or subject.tools:
        return []
    turns = min(subject.traits.max_turns, MOST_ACTS)
    return [
        Answer(row, "the words that its prompt offers, in turn", (words * turns)[:turns])
        for row in rows[:MOST_OFFERED]
        for words in alternatives_of(prompt_text(subject, row))[:MOST_LISTS]
    ]


def _calls_of_rows(subject: Subject, rows: Sequence[int]) -> list[Answer]:
    """The best episodes that are found, and calls with the values of columns, which tools may know, in two orders."""
    if not subject.tools:
        return []
    best = subject.once(STAND_INS, lambda: found_episodes(subject))
    found = [Answer(row, BEST_FOUND, own_turns(episode.completion)) for row, episode in best.items()]
    for row in rows[:MOST_WITH_ACTS]:
        calls = [
            call_message(name_of(tool), **given)
            for tool in subject.tools_of(row)
            for labels in likely_arguments(tool, subject.row(row), MOST_LIKELY)
            if (given := values_at(tool, subject.row(row), labels))
        ][: subject.traits.max_turns - 1]
        found += [Answer(row, CALLS_OF_ROW, [*calls, ""])] if calls else []
    return found


def _values_of_columns(subject: Subject, rows: Sequence[int]) -> list[Answer]:
    """Short texts and numbers of the columns that the scorer asks for, on their own row and on another one."""
    found = []
    for name in sorted(columns_read(subject)) if subject.traits.kind == "single-turn" else ():
        texts = {row: text for row in rows if (text := _short(subject.row(row).get(name)))}
        for row, other in zip(texts, [*list(texts)[1:], *texts], strict=False):
            found += [Answer(row, VALUE, texts[row]), Answer(row, VALUE_OF_ANOTHER, texts[other])]
    return found


def _short(value: object) -> str:
    text = str(value) if isinstance(value, str | int | float) else ""
    return text if len(text) <= MOST_CHARS else ""


def _random_calls(subject: Subject, rows: Sequence[int]) -> list[tuple[Answer, Episode]]:
    """Episodes of random tool calls."""
    if not subject.tools:
        return []
    episodes = [subject.play(row, "random") for row in subject.in_time(rows)]
    return [(Answer(episode.row_index, "random tool calls", episode.completion), episode) for episode in episodes]


def _at_the_end(row: int, what: str, text: str, completion: Completion | None) -> Answer:
    """The text alone, or in place of the last turn of a completion."""
    turns = [] if completion is None else turns_of(completion)
    if len(turns) < 2:
        return Answer(row, what, text)
    return Answer(row, f"{what} at the end of the gold episode", [*turns[:-1], text])
