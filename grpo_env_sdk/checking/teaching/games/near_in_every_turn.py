"""Whether a guess that is nearly right, in every turn, scores as gold, as what is known already is paid again."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, gold_episodes, play_compared, play_scored
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, paid
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

MOST_TURNS, FEWEST_TURNS, TASTED = 20, 3, 2


def near_in_every_turn(subject: Subject, hint: str) -> Iterator[Finding]:
    """The finding that one wrong guess, which ends nothing and is less than gold once, is gold in every turn."""
    for choices in choices_of(subject).values():
        known = [one for one in choices if _turns(subject, one) >= FEWEST_TURNS]
        values = [str(one.value) for one in choices]
        for which in range(2 if len(known) >= FEWEST_ROWS else 0):
            guesses = {one.gold.row: _guess(one, values, which) for one in known}
            won = _won(subject, known[:TASTED], guesses)
            won += _won(subject, known[TASTED:], guesses) if won else []
            if won and as_good_on_most(subject, won, len(known)):
                one = next(one for one in known if one.gold.row == won[0].row_index)
                what = f"The wrong guess {quoted(guesses[one.gold.row])} for {quoted(one.value)}, in every turn,"
                yield paid(subject, won, len(known), what, hint)
                return


def _turns(subject: Subject, choice: Choice) -> int:
    """How many guesses fit in place of gold's last one, where this ends the game before its turns are used up."""
    room = min(subject.traits.max_turns - len(choice.gold.turns) + 1, MOST_TURNS)
    return room if gold_episodes(subject)[choice.gold.row].stop_reason == "terminated" else 0


def _guess(choice: Choice, values: Sequence[str], which: int) -> str | int:
    """The value with another last letter or digit, or the value of another row that is most like it."""
    value = str(choice.value)
    last = str((int(value[-1]) + 1) % 10) if value[-1].isdecimal() else "x" if value[-1] != "x" else "y"
    others = [other for other in values if other != value] or [value]
    guess = value[:-1] + last if which == 0 else max(others, key=lambda other: _alike(other, value))
    same_type: str | int = type(choice.value)(guess)
    return same_type


def _alike(one: str, other: str) -> int:
    return sum(a == b for a, b in zip(one, other, strict=False)) - abs(len(one) - len(other))


def _won(subject: Subject, choices: Sequence[Choice], guesses: dict[int, str | int]) -> list[Episode]:
    """The episodes that score as gold by one guess in every turn, where the guess once does not."""
    often = play_scored(
        subject, [(one.gold.row, one.turns(*[guesses[one.gold.row]] * _turns(subject, one))) for one in choices]
    )
    once = play_compared(subject, [(one.gold.row, one.turns(guesses[one.gold.row])) for one in choices])
    enough = {one.row_index for one in once if as_good_as_gold(subject, one)}
    return [one for one in often if as_good_as_gold(subject, one) and one.row_index not in enough]
