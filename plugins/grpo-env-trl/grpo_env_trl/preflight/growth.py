"""Checks that an episode of as many turns as it may have fits into the context of the model."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from grpo_env_sdk import Episode, GrpoEnvError, Message
from grpo_env_sdk.ext import ReadyView
from grpo_env_trl.checks.episode_tokens import EpisodeTokens, episode_tokens
from grpo_env_trl.preflight.lengths import context_of
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem

_RENDERED = 32
"""So many turns are rendered to see how fast a view grows."""


@dataclass(frozen=True)
class Growth:
    """Tokens of how an episode opens, and of its longest turn and longest observation seen."""

    opening: int
    turn: int
    observation: int

    def after(self, turns: int) -> int:
        """The tokens of an episode of so many such turns."""
        return self.opening + turns * self.turn + (turns - 1) * self.observation

    def turns_in(self, context: int) -> int:
        """How many turns fit."""
        return max(1, (context - self.opening + self.observation) // max(1, self.turn + self.observation))


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Warns where an episode can outgrow the context of the model."""
    loaded, context = planned.loaded, context_of(planned) if planned.has_text_tokenizer else None
    if context is None or loaded.traits.kind == "single-turn":
        return
    played = [episode for episode in (*planned.gold, *planned.random) if episode.turns]
    if not played:
        return
    try:
        growth = growth_of([episode_tokens(planned.renderer, replace(episode, views=None)) for episode in played])
        turns = loaded.description.turns_up_to(planned.setup.settings.limits.turns)
        tokens = _viewed(planned, played, growth, turns) if loaded.traits.has_view else growth.after(turns)
    except GrpoEnvError:  # reported by the check of the template
        return
    if growth.opening < context < tokens:  # a prompt that is too long is a problem of its own
        full = "" if loaded.traits.has_view else f", which is full after about {growth.turns_in(context)}"
        yield Problem(
            f"An episode of {loaded.spec.id} can outgrow the context of {context:,} tokens{full}: {turns} turns, with "
            f"observations of up to {growth.observation:,} tokens, are about {tokens:,}.",
            "Give the class a view that shows less (grpo_env_sdk.views), shorten observations, or use --limit-turns.",
            fatal=False,
        )


def growth_of(played: list[EpisodeTokens]) -> Growth:
    """The longest of each, over some episodes."""
    segments = [segment for said in played for segment in said.segments.all]
    observed = [run for segment in segments for run in _runs(segment.sampled, "1")]
    written = [len(ids) for said in played for _, _, ids in said.turns]
    opening = max((len(segment.prompt_ids) for segment in segments), default=0)
    return Growth(opening, max(written, default=0), max(observed, default=0))


def _viewed(planned: PlannedTraining, played: list[Episode], growth: Growth, turns: int) -> int:
    """The tokens that the model reads and writes at the last turn, by what its class shows."""
    view = getattr(planned.loaded.env, "view", None)
    if not isinstance(view, ReadyView):  # one of the author's own may need its episode, one of a worker is not here
        said = [episode_tokens(planned.renderer, episode).segments.all for episode in played]
        return max((len(segment.context) for segments in said for segment in segments), default=0)
    exchange, opening = _longest_exchange(played), _longest_opening(played)
    renderer = planned.renderer.with_tools(played[0].tools)

    def read_at(turns: int) -> int:
        whole = [*opening, *[message for _ in range(turns - 1) for message in exchange]]
        return len(renderer.opening(view(whole, len(opening)))) + growth.turn

    few, many = min(turns, _RENDERED), min(turns, 2 * _RENDERED)
    growing = (read_at(many) - read_at(few)) / max(1, many - few)
    return round(read_at(many) + growing * (turns - many))


def _longest_exchange(played: list[Episode]) -> list[Message]:
    """A turn and what the environment answered to it, where that was longest."""
    found: list[list[Message]] = [[]]
    for episode in played:
        exchange: list[Message] = []
        for message in episode.completion:
            exchange = [message] if message["role"] == "assistant" else [*exchange, message]
            found.append(exchange[:] if len(exchange) > 1 else [])
    return max(found, key=lambda messages: len(str(messages[1:])))


def _longest_opening(played: list[Episode]) -> list[Message]:
    return max((episode.messages[: episode.opening] for episode in played), key=lambda one: len(str(one)))


def _runs(mask: list[int], end: str) -> list[int]:
    """The lengths of what lies between two ends."""
    return [len(run) for run in "".join(map(str, mask)).split(end)]
