"""Whether a grader of code can be passed by code that solves nothing: it exits, equals everything, forges a result."""

import os
from collections.abc import Iterator, Sequence
from math import isfinite

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.grader_names import grader_names
from grpo_env_sdk.checking.evidence.gold.no_gold import no_gold
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, gold_name, golds, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.failures import OutOfTimeError
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.checking.teaching.graders_of_code.code_tricks import (
    EMPTY_QUERY,
    ENDS,
    LAST,
    MARK,
    TABLE,
    asked_function,
    emptying,
    marking,
    reading_names,
    tricks_for,
)
from grpo_env_sdk.checking.teaching.graders_of_code.empty_results import empty_results, may_be_empty, right_with
from grpo_env_sdk.checking.teaching.graders_of_code.graded_code import Code, codes_of_gold
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text, assistant_message
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 4, "default": 4, "thorough": 30}
FEWEST_ROWS, MOST_QUERIES, MOST_EMPTY = 3, 16, 40
_NAMES_HINT = (
    "Run the code in a namespace, or better a process, that holds nothing of the grader: give it the inputs, and "
    "compare what it returns outside."
)
_HINT = (
    "Run the tests in another process than the code: send inputs, read outputs, compare types and values there; count "
    "a run that fails, ends before the last test or takes too long as failed, and test also what may not match."
)


@check("G524", plays=30)
def code_has_to_work(subject: Subject) -> Iterator[Item]:
    """Where gold or what is asked for is code, code that exits, does nothing or equals everything is not gold."""
    if subject.gold_source is None and not _asked(subject, FEWEST_ROWS):
        yield no_gold(subject)
        return
    yield from tables_are_not_emptied(subject, _codes(subject, MOST_QUERIES))
    codes = _codes(subject, MOST_ROWS[subject.effort])
    if any(may_be_empty(subject, code) for code in codes):
        yield from empty_results(subject, _all_codes(subject))
    here = _runs_here(subject, codes)
    for number, group in enumerate(_groups(subject, codes)):
        for what, tried in group.items():
            if len(tried) < FEWEST_ROWS or (here and ENDS in tried[0][1]):
                continue
            if won := _won(subject, tried, 0.0 if number == LAST else 1 - MOSTLY):
                yield _passed(subject, what, won, len(tried))
                if number == 0:
                    return  # code that does nothing passes, and so does all other code
                break
    yield from _names_are_out_of_reach(subject, codes)


def _names_are_out_of_reach(subject: Subject, codes: Sequence[Code]) -> Iterator[Finding]:
    """The finding that code which returns what a name of its grader holds scores as gold."""
    names = grader_names(subject.loaded.env) if len(codes) >= FEWEST_ROWS else []
    tricks = [(code, reading_names(code.text, prompt_text(subject, code.gold.row), names)) for code in codes]
    for what in tricks[0][1] if names else ():
        tried = [(code, known[what]) for code, known in tricks if what in known]
        if not subject.time_left:
            return
        if len(tried) >= FEWEST_ROWS and (won := _won(subject, tried, 0.0)):
            yield _passed(subject, what, won, len(tried), _NAMES_HINT)
            return


def _groups(subject: Subject, codes: Sequence[Code]) -> list[dict[str, list[tuple[Code, str]]]]:
    """For each group of tricks, those for the language of each code."""
    found: list[dict[str, list[tuple[Code, str]]]] = []
    for code in codes:
        for number, group in enumerate(tricks_for(code.text, prompt_text(subject, code.gold.row))):
            if number == len(found):
                found.append({})
            for what, trick in group.items():
                found[number].setdefault(what, []).append((code, trick))
    return found


def _runs_here(subject: Subject, codes: Sequence[Code]) -> bool:
    """Whether the code runs in this process, which code that ends it would end: S232 reports that."""
    for code in codes[:1]:
        play_answers(subject, [(code.gold.row, code.with_other(marking(code.text)))])
    return os.environ.pop(MARK, None) is not None


def _won(subject: Subject, tried: Sequence[tuple[Code, str]], most_lost: float) -> list[Episode]:
    """The episodes of a trick that is gold on most rows; none once that is out of reach."""
    won: list[Episode] = []
    for number, (code, trick) in enumerate(tried, 1):
        if not (episodes := play_answers(subject, [(code.gold.row, code.with_other(trick))])):
            raise OutOfTimeError
        won += [episode for episode in episodes if not episode.error and as_good_as_gold(subject, episode)]
        if number - len(won) > most_lost * len(tried):
            return []
    return won


def _passed(subject: Subject, what: str, won: Sequence[Episode], of: int, hint: str = _HINT) -> Finding:
    episode = won[0]
    turns = own_turns(episode.completion)
    answer = answer_text(turns) if len(turns) == 1 else turns
    shown = what == TABLE
    return Finding(
        f"{what}{'' if shown else ' and solves nothing'} scores as much as {gold_name(subject)} on "
        f"{Share(len(won), of)}.",
        "Score with other inputs than those that the prompt shows." if shown else hint,
        episode.row_index, answer, episode.reward, less_than_gold(subject, episode),
        severity="warning" if shown else None,
    )  # fmt: skip


def tables_are_not_emptied(subject: Subject, codes: Sequence[Code]) -> Iterator[Finding]:
    """The finding that a statement that deletes what gold's query reads scores as gold, as both find nothing then."""
    tried = [(code, statement) for code in codes if (statement := emptying(code.text))]
    played = play_answers(subject, [(code.gold.row, code.with_other(statement)) for code, statement in tried])
    won = [episode for episode in played if not episode.error and as_good_as_gold(subject, episode)]
    paid = {episode.row_index for episode in won}
    empty = right_with(subject, [code for code, _ in tried if code.gold.row in paid], EMPTY_QUERY)
    won = [episode for episode in won if episode.row_index not in {code.gold.row for code in empty}]
    if len(won) >= max(FEWEST_ROWS, len(tried) / 4):
        yield Finding(
            "A statement that deletes what gold's query reads scores as much as gold on "
            f"{Share(len(won), len(tried))}.",
            "Run gold's query first, or on a connection of its own, and the model's on one that only reads.",
            won[0].row_index, answer_text(won[0].completion) or own_turns(won[0].completion), won[0].reward,
            less_than_gold(subject, won[0]),
        )  # fmt: skip


def _codes(subject: Subject, most: int) -> list[Code]:
    """The code of some gold answers, or what each prompt asks for where no gold is known."""
    return _asked(subject, most) if subject.gold_source is None else codes_of_gold(subject, most)


def _all_codes(subject: Subject) -> list[Code]:
    """The code of many gold answers, those too in whose place any text is right."""
    if subject.traits.kind == "single-turn":
        return [Code(gold, gold.text) for gold in list(golds(subject).values())[:MOST_EMPTY] if gold.text]
    return _codes(subject, MOST_EMPTY)


def _asked(subject: Subject, most: int) -> list[Code]:
    """Where no gold is known, an empty function under the name that each prompt asks for."""
    top = subject.traits.reward_range[1]
    if subject.traits.kind != "single-turn" or not isfinite(top):
        return []
    texts = {row: asked_function(prompt_text(subject, row)) for row in subject.sample(most)}
    turn = assistant_message("")
    return [Code(Gold(row, [turn], top), text) for row, text in texts.items() if text] if all(texts.values()) else []
