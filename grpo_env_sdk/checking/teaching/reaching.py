"""Whether gold reaches the top of the range, and answers get different scores."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.luck import luck_decides
from grpo_env_sdk.checking.evidence.attempts.rows_left import rows_left
from grpo_env_sdk.checking.evidence.attempts.told_chance import lost_by_told_chance
from grpo_env_sdk.checking.evidence.gold.gold_source import ANSWER_COLUMNS, GOLD_COLUMNS
from grpo_env_sdk.checking.evidence.gold.no_gold import SOLVE
from grpo_env_sdk.checking.evidence.golds import (
    BEST_POSSIBLE,
    NEARLY,
    best_possible,
    episodes_seen,
    gold_episodes,
    golds,
    play_answers,
)
from grpo_env_sdk.checking.evidence.playing.failures import failure_of
from grpo_env_sdk.checking.evidence.playing.read_columns import may_read
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.untold_answers import common_answers
from grpo_env_sdk.checking.findings.finding import MORE_TIME, Finding, Item, Undecided
from grpo_env_sdk.checking.findings.report import FIX_FIRST
from grpo_env_sdk.data.filled_keys import filled_keys_note
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode

Scored = tuple[Episode, float]
SLACK = 0.01
"""The part of the range that gold may miss, for rounding or a length penalty."""
FAR_FROM_TOP = 0.9
"""It is a warning if gold reaches no more of the range: some part of the score is out of reach."""
_WORDS: tuple[Completion, ...] = (
    "", "I don't know.", "yes", "1", "0 1 2 3 4 5 6 7 8 9 10", "<answer>x</answer>", "The answer is 7. " * 40,
)  # fmt: skip


@check("G501", needs=("gold",), share=4)
def gold_reaches_the_top(subject: Subject) -> Iterator[Item]:
    """The gold answer of every row gets the highest score."""
    for finding in _missed(subject):
        note = filled_keys_note(map(subject.row, subject.chosen)) if _has_none(finding) else ""
        yield replace(finding, hint=f"{finding.hint} {note}".strip())


def _has_none(finding: Finding) -> bool:
    """Whether gold, or what went wrong with it, has a value that is None, as keys have that other rows fill."""
    said = f"{finding.message} {finding.input!r}"
    return finding.severity != "info" and re.search(r"\bNone(?:Type)?\b|\bnull\b", said) is not None


def _missed(subject: Subject) -> Iterator[Finding]:
    episodes = list(gold_episodes(subject).values())
    failures = [failed for episode in episodes if (failed := failure_of(episode))]
    if failures:
        first = failures[0]
        rows = f"{len(failures)} of {len(episodes)} rows"
        message = f"{first.message.rstrip('.')}. This happens with the gold answer of {rows}."
        yield Finding(message, first.hint, first.row, cause=first.cause)
        return
    scored = [(episode, episode.reward) for episode in episodes if episode.reward is not None]
    source = f"the gold answer (from {subject.gold_source})"
    if not scored:
        yield Finding(
            f"The scorer abstained on {source} of all {len(episodes)} rows.",
            "Return a number for a right answer; None means that the answer is not scored.",
            row=episodes[0].row_index, input=own_turns(episodes[0].completion), output=None, expected="a number",
        )  # fmt: skip
        return
    low, top = subject.traits.reward_range
    best = max(reward for _, reward in scored)
    slack = SLACK * (top - low)
    lacking = [
        (episode, reward)
        for episode, reward in scored
        if reward < min(best, best_possible(subject, episode.row_index)) - slack
    ]
    short = [(episode, reward) for episode, reward in lacking if reward < best - slack]
    poor = [(episode, reward) for episode, reward in lacking if reward < (min(low, best) + best) / 2 + NEARLY]
    if poor or short:
        left = rows_left(subject)
        if any(episode.row_index in left for episode, _ in short):
            yield _leaves([episode for episode, _ in short if episode.row_index in left], len(scored), source)
        poor, short = ([item for item in items if item[0].row_index not in left] for items in (poor, short))
    if best <= low + NEARLY:
        yield _scores_nothing(subject, scored[0][0], len(scored), source)
    elif poor or (short and len(short) * 2 < len(scored)):
        chance = _by_told_chance(subject, scored, poor or short, best, source)
        yield chance or _falls_short(subject, poor or short, best, len(scored), source)
    elif best < top - slack:
        example = max(scored, key=lambda item: item[1])[0]
        declared = all(reward >= best_possible(subject, episode.row_index) - slack for episode, reward in scored)
        far = best - low <= FAR_FROM_TOP * (top - low) + NEARLY
        yield Finding(
            f"{source[0].upper()}{source[1:]} scores at most {best:g}, but the top of reward_range is {top:g}.",
            "Let gold reach the top, or declare the real reward_range: pass rates count episodes at the top.",
            row=example.row_index, input=own_turns(example.completion), output=reward_with_parts(example), expected=top,
            severity="warning" if far and not declared else "info",
        )  # fmt: skip


@check("G502", share=0.5, plays=60)
def answers_make_a_difference(subject: Subject) -> Iterator[Item]:
    """Different answers get different scores."""
    rows = subject.sample(12)
    played = _played(subject, rows)
    if golds(subject) and all(episode.reward is None for episode in played):
        yield Undecided("No answer but gold got a score.", MORE_TIME, flags="--timeout 600")
        return
    if not subject.gold_source and subject.traits.kind == "single-turn" and len(_scored(subject)[1]) == 1:
        play_answers(subject, list(common_answers(subject, rows)))
    scored, rewards = _scored(subject)
    if len(rewards) != 1 or len(scored) < 5:
        if not scored:
            fix = FIX_FIRST if subject.gold_source else SOLVE
            yield Undecided("No answer got a score.", fix)
        return
    yield _all_alike(subject, scored, rewards[0], rows[0])


def _played(subject: Subject, rows: Sequence[int]) -> list[Episode]:
    """Different answers to these rows: words, texts of columns, gold, and what is drawn at random."""
    known = [gold.turns for gold in golds(subject).values()][:6]
    answers: list[tuple[int, Completion]] = [(row, text) for row in rows for text in _column_texts(subject, row)]
    answers += [(row, answer) for row in rows for answer in [*_WORDS, *known]]
    played = play_answers(subject, answers)
    if subject.tools or subject.traits.kind == "multi-turn":
        at_random = subject.play_many(rows, "random", 2)
        episodes_seen(subject).extend(at_random)
        played = [*played, *at_random]
    return played


def _all_alike(subject: Subject, scored: Sequence[Scored], only: float, row: int) -> Item:
    """The finding that all answers score the same, or that nobody can know whether any would score more."""
    episode = scored[0][0]
    low, top = subject.traits.reward_range
    message = f"All {len(scored)} answers on {len({item.row_index for item, _ in scored})} rows"
    top_for_all = only >= top - NEARLY
    if subject.gold_source or top_for_all or (only > low + NEARLY and low >= 0):  # else it may be what guesses cost
        return Finding(
            f"{message} score {only:g}{', including gold' if golds(subject) else ''}.",
            "Score the answer: if all answers score the same, there is nothing to learn.",
            row=episode.row_index, input=_answer_of(episode), output=only, expected="different scores",
            severity=None if subject.gold_source or top_for_all else "warning",
        )  # fmt: skip
    tried = [_answer_of(item) for item, _ in scored if item.row_index == row]
    held = (name for name in GOLD_COLUMNS if str(subject.row(row).get(name)) in tried)
    column = next((name for name in held if may_read(subject, name)), None)
    if column is None:
        return Undecided(f"{message} score {only:g}.", "Add solve(row), to show that the reward can be reached.")
    value = subject.row(row)[column]
    return Finding(
        f"{message} score {only:g}, including the text of the column {column!r}: {quoted(value)} "
        f"({type(value).__name__}) in row {row}.",
        "Does the scorer compare a number with a text, or expect a format that the prompt does not mention? Add "
        "solve(row) to show what earns the reward.",
        row=row, input=str(value), output=only, expected="more", severity="warning",
    )  # fmt: skip


def _scored(subject: Subject) -> tuple[list[Scored], list[float]]:
    """The episodes so far that have a reward, and the different rewards."""
    scored = [(episode, episode.reward) for episode in episodes_seen(subject) if episode.reward is not None]
    return scored, sorted({round(reward, 9) for _, reward in scored})


def _column_texts(subject: Subject, row: int) -> list[str]:
    columns = [name for name in ANSWER_COLUMNS if name in subject.rows.columns]
    return [str(subject.row(row)[name]) for name in columns if subject.row(row)[name] is not None]


def _scores_nothing(subject: Subject, episode: Episode, count: int, source: str) -> Finding:
    return Finding(
        f"On all {count} rows {source} scores {episode.reward:g}, the lowest score.",
        "Score the answer of row "
        f"{episode.row_index} by hand: either solve(row) is wrong, or the scorer rejects the right answer.",
        row=episode.row_index, input=own_turns(episode.completion), output=reward_with_parts(episode),
        expected=subject.traits.reward_range[1],
    )  # fmt: skip


def _leaves(left: Sequence[Episode], count: int, source: str) -> Finding:
    episode = left[0]
    return Finding(
        f"On {len(left)} of {count} rows {source} ends with what the prompt offers and scores 0, such as row "
        f"{episode.row_index}: answers that win other rows, tried on some of these, earn no more, and lose on most.",
        f"Nothing, where leaving is right; a column {BEST_POSSIBLE!r} of 0 says so.",
        row=episode.row_index, input=own_turns(episode.completion), output=episode.reward, expected=episode.reward,
        severity="info",
    )  # fmt: skip


def _by_told_chance(
    subject: Subject, scored: Sequence[Scored], short: Sequence[Scored], best: float, source: str
) -> Finding | None:
    """The note that gold loses rows of a game of chance, which it plays better than other answers do."""
    played = lost_by_told_chance(subject, [item for item, _ in scored], [item for item, _ in short])
    if played is None:
        return None
    episode, reward = min(short, key=lambda item: item[1])
    return Finding(
        f"On {len(short)} of {len(scored)} rows {source} scores less than the {best:g} of other rows, such as "
        f"{reward:g} in row {episode.row_index}, in a game of chance ({played.word!r} in the prompt): on {played.rows} "
        f"rows it earns more than each of {played.others} answers that win other rows, and none of these earns more on "
        f"{played.best_lost} of the {played.lost} rows that it does not win.",
        "Nothing, where chance is a part of the game: pass rates of gold stay below 100%.",
        row=episode.row_index, input=own_turns(episode.completion), output=reward_with_parts(episode),
        expected=best, severity="info",
    )  # fmt: skip


def _falls_short(subject: Subject, short: list[Scored], best: float, count: int, source: str) -> Finding:
    """Gold that scores less than in other rows; an error if solve() scores no more than an empty answer."""
    silent = {
        item.row_index: item.reward for item in play_answers(subject, [(item.row_index, "") for item, _ in short])
    }
    no_better = [
        (item, reward)
        for item, reward in short
        if (nothing := silent.get(item.row_index)) is not None and nothing >= reward - NEARLY
    ]
    proven = bool(no_better) and subject.gold_source == "solve"
    episode, reward = min(no_better or short, key=lambda item: item[1])
    if len(short) * 2 < count and luck_decides(subject, [item for item, _ in short], best):
        return Finding(
            f"On {len(short)} of {count} rows {source} scores less than the {best:g} of other rows, and with another "
            f"seed it scores {best:g} there too: {reward:g} in row {episode.row_index} is bad luck.",
            "Nothing, where chance is a part of the game: pass rates of gold stay below 100%.",
            row=episode.row_index, input=own_turns(episode.completion), output=reward_with_parts(episode),
            expected=best, severity="info",
        )  # fmt: skip
    return Finding(
        f"On {len(short)} of {count} rows {source} scores less than the {best:g} of other rows: "
        f"{reward:g} in row {episode.row_index}" + (", no more than an empty answer." if no_better else "."),
        "Play that row by hand: either the gold is wrong, or the scorer rejects a right answer, or the episode ends "
        "before all of it is given. "
        f"If that row cannot be won, give each row a column {BEST_POSSIBLE!r} with the highest reward that it allows.",
        row=episode.row_index, input=own_turns(episode.completion), output=reward_with_parts(episode), expected=best,
        severity="error" if proven else "warning",
    )  # fmt: skip


def _answer_of(episode: Episode) -> object:
    turns = own_turns(episode.completion)
    return answer_text(turns) if len(turns) == 1 and not turns[0].get("tool_calls") else turns
