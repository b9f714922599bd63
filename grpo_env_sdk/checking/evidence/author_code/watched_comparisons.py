"""What the author's code compares while an episode is played: the pairs of values, in the order of comparing."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from grpo_env_sdk.checking.evidence.author_code.compared_values import Compared, Telling
from grpo_env_sdk.checking.evidence.author_code.comparison_code import watching_codes
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction


class WatchedComparisons:
    """Some functions of the author, which tell what they compare while they are watched."""

    def __init__(self, functions: Iterable[ScoreFunction], telling: Telling | None = None) -> None:
        self._telling = telling or Telling()
        self._codes = watching_codes(functions, self._telling)

    @contextmanager
    def watched(self) -> Iterator[list[Compared]]:
        """What the functions compare, until they are again what they were."""
        before = {function: function.__code__ for function in self._codes}
        try:
            for function, code in self._codes.items():
                function.__code__ = code
            yield self.listen()
        finally:
            self._telling.seen = None
            for function, code in before.items():
                function.__code__ = code

    def listen(self) -> list[Compared]:
        """A new list for what is compared from now on, while the functions are watched."""
        return self._telling.listen()
