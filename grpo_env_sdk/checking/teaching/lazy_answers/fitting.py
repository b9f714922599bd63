"""The fixed answers that score most: all are tried on a few rows, the best of them on more, and then on others."""

import time
from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.attempts.attempts import Result, ranked, results, varied
from grpo_env_sdk.checking.evidence.attempts.guesses import Guess, in_turns
from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.teaching.lazy_answers.unearned import share_of_gold, without_won

AT_ONCE, TRIED_ON = 8, 4
KEPT, FITTED_ON, PROVEN = 12, 40, 6
"""How many guesses are tried on how many rows, and how many of those on the other half."""
TRYING, PROVING = 0.4, 0.4
"""The part of the time for trying all guesses, and the part kept for the other half."""
SURELY, ON_ROWS, LONGEST = 3, 10, 2.0
"""How many guesses are measured on how many rows even if no time is left, and in how many seconds at most."""
UNPAID_ROWS, LITTLE = 20, 0.25
"""On how many rows guesses are tried that earned at most this share of gold so far: that is far from any finding."""
LONG, SOON = 10_000, 0.2
"""From how many characters on a text is long, and in how many seconds of a processor its start has to be scored."""


def fit(subject: Subject, guesses: Sequence[Guess], rows: Sequence[int]) -> tuple[list[Result], int]:
    """The guesses that score most, and of how many: all are tried on a few rows, the best of them on more."""
    whole, looked_at = subject.time_left, 0
    tried: list[Result] = []
    in_turns, kinds = _kinds_in_turns(guesses), len({guess.name for guess in guesses})
    for start in range(0, len(in_turns), AT_ONCE):  # a lack of time costs the least promising ones of each kind
        if start >= (AT_ONCE if subject.slow else kinds) and subject.time_left < whole * (1 - TRYING):
            break
        batch = [
            one for one in in_turns[start : start + AT_ONCE] if not _is_long(one) or _is_quick(subject, one, rows[0])
        ]
        tried += results(subject, batch, rows[:TRIED_ON], whole * (1 - TRYING))
        looked_at += len(in_turns[start : start + AT_ONCE])
    if subject.slow:
        return varied(ranked(tried), PROVEN), looked_at
    best = varied(ranked(tried), KEPT)
    some = rows[: FITTED_ON if _any_paid(subject, best) else UNPAID_ROWS]
    again = results(subject, [result.guess for result in best], some, whole * PROVING)
    enough = min(len(result.episodes) for result in again) >= min(TRIED_ON, len(rows))
    return varied(ranked(again if enough else tried), PROVEN), looked_at


def _any_paid(subject: Subject, found: Sequence[Result]) -> bool:
    """Whether one of the guesses is right on several rows, or has earned more than a little where it is wrong."""
    lost = [without_won(result.episodes, result.won) for result in found]
    shares = [share_of_gold(subject, episodes)[0].mean for episodes in lost if episodes]
    won = any(len(result.won) > 1 or result.undeserved for result in found)
    return won or any(share is None or share > LITTLE for share in shares)


def _is_long(guess: Guess) -> bool:
    return isinstance(guess.answer, str) and len(guess.answer) > LONG


def _is_quick(subject: Subject, guess: Guess, row: int) -> bool:
    """Whether the start of a long text is scored in no time, as a pattern may take the square of its length."""
    started = time.process_time()
    play_answers(subject, [(row, str(guess.answer)[:LONG])])
    return time.process_time() - started < SOON


def _kinds_in_turns(guesses: Sequence[Guess]) -> list[Guess]:
    """The guesses with the first of each kind before the second of any."""
    kinds: dict[str, list[Guess]] = {}
    for guess in guesses:
        kinds.setdefault(guess.name, []).append(guess)
    return in_turns(*kinds.values())


def measure(subject: Subject, best: Sequence[Result], rows: Sequence[int]) -> list[Result]:
    """The best guesses on the other half of the rows; the first few of them on some rows, whatever time is left."""
    guesses = [result.guess for result in best if result.episodes]
    rows = rows if _any_paid(subject, best) else rows[:UNPAID_ROWS]
    first = [] if subject.slow else [guess for guess in guesses if not _is_long(guess)][:SURELY]
    with subject.with_time(LONGEST):
        surely = results(subject, first, rows[:ON_ROWS])
    shown = results(subject, guesses, rows) if subject.time_left or not surely else surely
    if surely and len(shown[0].episodes) < len(surely[0].episodes):
        shown = surely
    return ranked(result for result in shown if any(episode.reward is not None for episode in result.episodes))
