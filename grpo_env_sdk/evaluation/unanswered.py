"""Episodes that a server left unanswered: of one that is gone they are no results, and are played when it is back."""

from grpo_env_sdk.policies.policy import UnusablePolicyError
from grpo_env_sdk.types import Episode

GONE = 5
"""The server is gone after so many unanswered episodes in a row."""


class Unanswered:
    """Holds back the failed episodes that got no answer, until another one gets its own."""

    def __init__(self) -> None:
        self._held: list[Episode] = []

    def add(self, episode: Episode) -> list[Episode]:
        """What is to be kept now; raises once the server is gone."""
        error = episode.error
        if error is not None and error.type == "connection" and error.stage in ("generate", "answer"):
            self._held.append(episode)
            if len(self._held) >= GONE:
                raise UnusablePolicyError(error.message, f"{GONE} episodes in a row got no answer.", "connection")
            return []
        return [*self.rest(), episode] if episode.turns else [episode]

    def rest(self) -> list[Episode]:
        """Those that are held back: failures of their own, as the server was there after them."""
        held, self._held = self._held, []
        return held
