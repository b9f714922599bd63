"""Gold that no row holds and no `solve` gives: what can be worked out from a prompt, where the scorer pays for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time

from grpo_env_sdk.checking.evidence.prompts.opinions import OPINIONS
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Opinion, Value
from grpo_env_sdk.checking.evidence.prompts.target_games import game_in, solution_of

PLACES = (2, 1, 3, 0)
"""To how many decimals a value may be asked for that is no whole number."""
Work = Callable[[str], str | None]
"""From a prompt to the answer to it; None where it has none."""


@dataclass(frozen=True, slots=True)
class Worked:
    """One way to work answers out from prompts, and what messages call it."""

    name: str
    answer: Work


def ways_to_work(prompts: Sequence[str]) -> Iterator[Worked]:
    """The ways that give at least half of these prompts an answer, and not all of them the same."""
    if sum(game_in(prompt) is not None for prompt in prompts) == len(prompts):
        yield Worked("an expression for the target", _reaching)
    for opinion in OPINIONS:
        if not all(map(opinion.asked.search, prompts)):
            continue
        found = [opinion.readings(prompt) for prompt in prompts]
        for reading in dict.fromkeys(reading for one in found for reading in one):
            values = [one[reading] for one in found if reading in one]
            if len(set(values)) > 1 and 2 * len(values) >= len(prompts):
                whole = all(not isinstance(value, float) or value.is_integer() for value in values)
                for places in (0,) if whole else PLACES:
                    yield Worked(opinion.name, _by(opinion, reading, places))


def _reaching(prompt: str) -> str | None:
    game = game_in(prompt)
    return None if game is None else solution_of(game)


def _by(opinion: Opinion, reading: str, places: int) -> Work:
    def answer(prompt: str) -> str | None:
        found: Mapping[str, Value] = opinion.readings(prompt) if opinion.asked.search(prompt) else {}
        return written(found[reading], places) if reading in found else None

    return answer


def written(value: Value, places: int) -> str:
    """A value as an answer says it, a number with so many decimals."""
    if isinstance(value, float):
        return f"{value:.{places}f}"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, time):
        return f"{value:%H:%M}"
    return value.isoformat() if isinstance(value, date) else value
