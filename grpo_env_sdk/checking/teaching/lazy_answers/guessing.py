"""The best fixed answer: chosen on one half of the rows, and measured on the other."""

import re
from collections.abc import Callable, Iterator, Sequence, Sized
from operator import attrgetter

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.attempts import Result
from grpo_env_sdk.checking.evidence.attempts.call_guesses import call_guesses, written_calls
from grpo_env_sdk.checking.evidence.attempts.code_fields import field_guesses
from grpo_env_sdk.checking.evidence.attempts.code_guesses import OF_CODE, OWN_REPORT, word_calls, word_guesses
from grpo_env_sdk.checking.evidence.attempts.guesses import CONTENTLESS, Guess, text_guesses, turn_guesses
from grpo_env_sdk.checking.evidence.attempts.named_words import named_word_guesses
from grpo_env_sdk.checking.evidence.attempts.option_marks import is_offered
from grpo_env_sdk.checking.evidence.attempts.usual_numbers import number_runs, usual_numbers_of_columns
from grpo_env_sdk.checking.evidence.author_code.code_words import code_words
from grpo_env_sdk.checking.evidence.golds import (
    episodes_seen,
    gold_name,
    golds,
    less_than_gold,
    play_answers,
    rows_tried,
)
from grpo_env_sdk.checking.evidence.playing.read_columns import columns_read
from grpo_env_sdk.checking.evidence.playing.tried import LEAST_ROWS
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import MORE_TIME, Finding, Item, Severity, Undecided
from grpo_env_sdk.checking.findings.report import FIX_FIRST
from grpo_env_sdk.checking.teaching.lazy_answers.constant_choices import constant_choices
from grpo_env_sdk.checking.teaching.lazy_answers.fitting import LONGEST, fit, measure
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY, OFTEN
from grpo_env_sdk.checking.teaching.lazy_answers.unearned import (
    FOR_FORM,
    ON_EVERY_ROW,
    WITH_CONTENT,
    WITHOUT_CONTENT,
    least_share_of_gold,
    paid_by,
    same_on_all,
    share_of_gold,
    unearned,
    without_won,
)
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import Episode, Row

LISTING_PAYS, BEYOND_SILENCE = 0.3, 0.1
"""The share of rows from which a winning list is an error, and the part of gold that an answer earns beyond silence."""
FEWEST_ROWS, SEVERAL_WORDS = 6, 5
BESIDE_GOLD = 0.4
"""The share of rows from which it is a warning that one answer is right on them although gold is another one."""
ALIKE = 0.7
"""The share of rows from which it is an error that one answer is right on them."""
_WON = attrgetter("won")
_BALANCE = "Many rows have the same answer: balance them, or a model learns only that answer."
_TOO_WIDE = (
    "Answers that differ from it are gold on most of these rows: accept less around gold, in relation to its size "
    "where that differs from row to row."
)
_IN_CODE = "The environment's own code pays for this text on any row: pay only for what the row asks for."
_ONE_ANSWER = "Accept only one answer (compare all of it, or the last one in it), and give nothing for its format."


@check("G505", share=16)
def no_fixed_answer_is_gold(subject: Subject) -> Iterator[Item]:
    """No fixed answer scores as much as gold on rows that it was not chosen on."""
    rows = rows_tried(subject)
    if len(rows) < 2:
        return
    subject.random.shuffle(rows)
    fitted, held_out = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    guesses = _guesses(subject, fitted)
    best, tried = fit(subject, guesses, fitted)
    shown = measure(subject, best, held_out)
    lazy = [result for result in shown if not result.by_trial]
    if not shown:
        seen = episodes_seen(subject)
        if seen and all(episode.reward is None for episode in seen):
            yield Undecided("No answer got a score.", FIX_FIRST)
            return
        why = "No guess was tried on rows that it was not chosen on."
        yield Undecided(why, MORE_TIME, flags="--timeout 600")
        return
    yield _table(shown, len(fitted))
    whole = {str(result.guess.answer): result for result in best}
    finding = _verdict(subject, lazy, whole) if lazy else None
    if finding:
        yield finding
        return
    measured = len(shown[0].episodes)
    if tried < len({guess.name for guess in guesses}) or measured < min(LEAST_ROWS, len(subject.chosen) // 2):
        answers = counted(len(guesses), "answer")
        why = f"It had time to try {tried} of {answers}, and the best on {counted(measured, 'other row')}."
        yield Undecided(why, MORE_TIME, flags="--timeout 600")
        return
    with subject.with_time(LONGEST):
        yield from list(constant_choices(subject, fitted, held_out))


def _guesses(subject: Subject, fitted: Sequence[int]) -> list[Guess]:
    """The guesses, built from one half of the rows."""
    known = [golds(subject)[row] for row in fitted if row in golds(subject)]
    words = code_words(subject.loaded.env, subject.rows.columns)
    read = columns_read(subject)
    rows = [_with_first(subject.row(row), read) for row in fitted[:200]]
    prompts = [prompt_text(subject, row) for row in fitted[:200]]
    found = [*text_guesses(known, rows), *field_guesses(subject.loaded.env), *word_guesses(words, known)]
    found += named_word_guesses(prompts, known)
    if not known:
        shown = [*number_runs(prompts), *words.texts]
        numbers = usual_numbers_of_columns(rows, read, shown)
        found += [Guess(name, text, True) for name, text in numbers]
    if subject.traits.kind == "single-turn":
        return [*written_calls(known), *found]
    turns, calls = min(subject.traits.max_turns, 20), call_guesses(subject.tools, known)
    return [*turn_guesses(known, turns), *calls, *word_calls(words, subject.tools, known), *found]


def _with_first(row: Row, columns: set[str]) -> Row:
    """A row with these columns before the others."""
    return dict(sorted(row.items(), key=lambda item: item[0] not in columns))


def _verdict(subject: Subject, shown: Sequence[Result], fitted: dict[str, Result]) -> Finding | None:
    """What the best guess shows: a scorer that can be cheated, or rows that are too similar."""
    best = max(shown, key=lambda result: (len(result.undeserved), result.mean))
    single = max((result.share.mean for result in shown if result.guess.single), default=0.0)
    cheated = Share(len(best.undeserved), len(best.episodes))
    first = fitted.get(str(best.guess.answer))
    on_all = len(best.undeserved) == len(best.won) and _on_all(best, first)
    enough = len(best.episodes) + (len(first.episodes) if first else 0) >= FEWEST_ROWS
    if cheated.low >= MOSTLY or (on_all and enough):
        return _finding(subject, best, cheated, hint=_IN_CODE if best.guess.name in OF_CODE else _ONE_ANSWER)
    for result in shown:
        listed = Share(len(result.undeserved), len(result.episodes))
        is_list = (
            not result.guess.single and result.guess.name != OWN_REPORT
        )  # a verdict may be the answer to some rows
        if is_list and listed.low >= LISTING_PAYS and listed.low > single:
            return _finding(subject, result, listed, beside=f", and no single answer on more than {single:.0%}")
    top = shown[0]
    if top.share.low >= OFTEN or (enough and _on_all(top, fitted.get(str(top.guess.answer)))):
        lenient = bool(top.undeserved) or _is_of_another_row(subject, top)
        hint = (_TOO_WIDE if top.guess.single else _ONE_ANSWER) if lenient else _BALANCE
        return _finding(subject, top, top.share, _alike(subject, top, _of_both(top, fitted)), hint)
    usual = _right_on(subject, shown, fitted)
    if usual:
        return usual
    if wide := _right_beside_gold(subject, shown, fitted):
        return wide
    by_reward = sorted(shown, key=lambda result: (result.guess.name not in CONTENTLESS, -result.mean))
    findings = [(result.mean, finding) for result in by_reward if (finding := _partial(subject, result))]
    errors = [finding for _, finding in findings if finding.severity == "error"]
    if findings:
        return errors[0] if errors else max(findings, key=lambda one: one[0])[1]
    halves = (_partial(subject, result, on_every_row=True) for result in by_reward if result.guess.single)
    return next(filter(None, halves), None)


def _right_on(subject: Subject, shown: Sequence[Result], fitted: dict[str, Result]) -> Finding | None:
    """The finding that one answer is right on most rows of both halves: it is the rows that say so, and no choice."""
    for result in shown:
        first = fitted.get(str(result.guess.answer))
        if first is None or not result.won or result.undeserved or first.undeserved:
            continue
        share = _of_both(result, fitted)
        if share.low >= OFTEN:
            return Finding(
                f"One answer is right on {share}: {answer_shown(result.guess.answer)}.", _BALANCE,
                row=result.won[0].row_index, input=result.guess.answer, output=reward_with_parts(result.won[0]),
                severity=_alike(subject, result, share),
            )  # fmt: skip
    return None


def _right_beside_gold(subject: Subject, shown: Sequence[Result], fitted: dict[str, Result]) -> Finding | None:
    """The finding that one answer is right on many rows of both halves that have another gold: too much is accepted."""
    for result in shown:
        first = fitted.get(str(result.guess.answer))
        if first is None or not result.guess.single or not result.undeserved:
            continue
        wrong = _of_both(result, fitted, attrgetter("undeserved"))
        if wrong.low >= BESIDE_GOLD:
            severity: Severity = "error" if wrong.mean >= ALIKE else "warning"
            return _finding(subject, result, result.share, severity, _TOO_WIDE)
    return None


def _is_of_another_row(subject: Subject, result: Result) -> bool:
    """Whether a column that the scorer reads holds the guess on some row, and others where the guess is right."""
    if golds(subject):
        return False
    right = {one.row_index for one in result.won}
    columns = [{row: subject.row(row).get(name) for row in {*subject.chosen, *right}} for name in columns_read(subject)]
    return any(
        result.guess.answer in [str(one) for one in column.values()] and len({str(column[row]) for row in right}) > 1
        for column in columns
    )


def _of_both(held_out: Result, fitted: dict[str, Result], those: Callable[[Result], Sized] = _WON) -> Share:
    """The share of the rows of both halves on which a guess scores as much as gold, or of others of its episodes."""
    halves = [held_out, *(half for half in [fitted.get(str(held_out.guess.answer))] if half)]
    return Share(sum(len(those(half)) for half in halves), sum(len(half.episodes) for half in halves))


def _alike(subject: Subject, result: Result, share: Share) -> Severity:
    """How grave it is that one answer is right on so many rows: on all of them, where prompts offer others too."""
    chosen = share.mean < 1 or all(_is_choice(subject, one) for one in result.won)
    return "error" if share.low >= OFTEN and share.mean >= ALIKE and chosen else "warning"


def _is_choice(subject: Subject, episode: Episode) -> bool:
    """Whether the prompt of a row offers several answers, and gold says one of them, in words or in its last call."""
    gold = golds(subject).get(episode.row_index)
    if gold is None:
        return False
    said = [
        gold.text,
        *re.findall(r"\w+", gold.text)[-1:],
        *(str(one) for _, given in gold.calls for one in given.values()),
    ]
    return any(is_offered(prompt_text(subject, gold.row), text) for text in said)


def _on_all(held_out: Result, fitted: Result | None) -> bool:
    """Whether a guess scores as much as gold on every row of both halves."""
    return all(half is not None and half.share.mean == 1 for half in (held_out, fitted))


def _finding(
    subject: Subject,
    result: Result,
    share: Share,
    severity: Severity = "error",
    hint: str = _ONE_ANSWER,
    beside: str = "",
) -> Finding:
    example = (result.undeserved or result.won)[0]
    return Finding(
        f"One fixed answer, {result.guess.name}, scores as much as {gold_name(subject)} on {share} that it was "
        f"not chosen on{beside}: {answer_shown(result.guess.answer)}.{paid_by(subject, example)}", hint,
        row=example.row_index, input=result.guess.answer, output=reward_with_parts(example),
        expected=less_than_gold(subject, example), severity=severity,
    )  # fmt: skip


def _partial(subject: Subject, result: Result, on_every_row: bool = False) -> Finding | None:
    """A fixed answer that earns much of gold, if silence, which G503 reports, earns clearly less.

    `on_every_row`: less of it does, where every single row pays so much.
    """
    episodes = without_won(result.episodes, result.won) if result.guess.single else result.episodes
    silent = play_answers(subject, [(episode.row_index, "") for episode in episodes])
    (share, rows), (nothing, _) = share_of_gold(subject, episodes), share_of_gold(subject, silent)
    if rows < FEWEST_ROWS or (share.mean or 0.0) < (nothing.mean or 0.0) + BEYOND_SILENCE:
        return None
    whole = result.guess.single and (same_on_all(episodes) or _is_sentence(result))
    much, most = FOR_FORM if whole else WITH_CONTENT
    if on_every_row:
        much = ON_EVERY_ROW
        if least_share_of_gold(subject, episodes) < ON_EVERY_ROW:
            return None
    bounds = WITHOUT_CONTENT if result.guess.name in CONTENTLESS else (much, most)
    name, where = f"One fixed answer, {result.guess.name},", "rows that it was not chosen on"
    return unearned(subject, name, result.guess.answer, episodes, bounds, where)


def _is_sentence(result: Result) -> bool:
    """Whether a guess that is right on no row is a text of several words: what it earns is for what all golds share."""
    return isinstance(result.guess.answer, str) and len(result.guess.answer.split()) >= SEVERAL_WORDS and not result.won


def _table(shown: Sequence[Result], count: int) -> Table:
    rows = [
        [result.guess.name, answer_shown(result.guess.answer, 40), f"{result.mean:.3f}", str(result.share)]
        for result in shown
    ]
    note = f"Chosen on {count} rows, measured on others."
    return Table("Rewards of the best fixed answers", ["answer", "text", "mean reward", "as good as gold"], rows, note)
