"""What the template checks share: the tokenizer, the renderer, prompts and episodes in tokens."""

import warnings
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.ext import Settings, Subject, UsageError
from grpo_env_trl.checks.episode_tokens import EpisodeTokens, episode_tokens, rendered_prompt
from grpo_env_trl.models.hub import fetch
from grpo_env_trl.models.loading import config_of, open_tokenizer
from grpo_env_trl.models.source import CONFIG, ModelSource, base_of, find_tokenizer
from grpo_env_trl.tokens.rendering import Renderer

MEASURED = {"quick": 64, "default": 256, "thorough": 2_000}
_NO_LIMIT = 1_000_000
"""A `model_max_length` above this means that there is no limit."""


def model_can_be_opened(settings: Settings) -> None:
    """Raise where `--model` is not a model with a tokenizer."""
    if settings.model is not None:
        open_tokenizer(_source(settings))


def tokenizer_of(subject: Subject) -> Any:
    """The tokenizer of `--model`."""
    return subject.once(("template", "tokenizer"), lambda: open_tokenizer(_source(subject.settings)))


def renderer_of(subject: Subject) -> Renderer:
    """How the messages of this environment become tokens; `with_tools` is that of a row, where each has its own."""
    return subject.once(("template", "renderer"), lambda: _renderer(subject))[0]


def warnings_of(subject: Subject) -> list[str]:
    """The warnings of the renderer."""
    return subject.once(("template", "renderer"), lambda: _renderer(subject))[1]


def prompts_of(subject: Subject) -> dict[int, list[int] | Exception]:
    """The tokens of the prompts of many rows, or the error of the template."""
    return subject.once(("template", "prompts"), lambda: _prompts(subject))


def played_of(subject: Subject) -> list[tuple[Episode, bool, EpisodeTokens]]:
    """Real episodes, whether they are gold, and each in the tokens with which a model would have written it."""
    return subject.once(("template", "played"), lambda: _played(subject))[0]


def refused_of(subject: Subject) -> list[tuple[Episode, Exception]]:
    """Real episodes that the template rejects although it accepts their prompts, and the errors."""
    return subject.once(("template", "played"), lambda: _played(subject))[1]


def context_of(subject: Subject) -> int | None:
    """The context of the model in tokens, where its config or its tokenizer says."""
    source = _source(subject.settings)
    base = base_of(source) if source.adapter else source
    if fetch(base.path, CONFIG, base.revision):
        config = config_of(base)
        found = getattr(config.get_text_config(), "max_position_embeddings", None)
        if found:
            return int(found)
    most = tokenizer_of(subject).model_max_length
    return int(most) if most < _NO_LIMIT else None


def _source(settings: Settings) -> ModelSource:
    name = settings.model
    if name is None:
        raise UsageError(
            "No --model is given, so there is no chat template to check.",
            "Add --model NAME, or the folder of a tokenizer.",
        )
    return find_tokenizer(name)


def _renderer(subject: Subject) -> tuple[Renderer, list[str]]:
    traits = subject.traits
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GrpoEnvWarning)
        made = Renderer(
            tokenizer_of(subject), subject.loaded.tools, runs_tools=traits.runs_tools != "none",
            several_turns=traits.kind != "single-turn", raw_prompts=traits.raw_prompts,
            tools_to_come=traits.tools_of_rows,
        )  # fmt: skip
    return made, [str(item.message) for item in caught if issubclass(item.category, GrpoEnvWarning)]


def _prompts(subject: Subject) -> dict[int, list[int] | Exception]:
    renderer = renderer_of(subject)
    rows = subject.sample(MEASURED[subject.effort])
    return {
        row: rendered_prompt(renderer.with_tools(subject.tools_of(row)), subject.row(row)["prompt"])
        for row in subject.in_time(rows)
    }


def _played(subject: Subject) -> tuple[list[tuple[Episode, bool, EpisodeTokens]], list[tuple[Episode, Exception]]]:
    renderer = renderer_of(subject)
    golds = [(episode, True) for row in subject.chosen if (episode := _gold(subject, row))]
    random = [(episode, False) for episode in subject.play_many(subject.chosen, "random", 2)]
    said: list[tuple[Episode, bool, EpisodeTokens]] = []
    refused: list[tuple[Episode, Exception]] = []
    for episode, by_gold in (*golds, *random):
        opened = rendered_prompt(renderer.with_tools(episode.tools), episode.row["prompt"])
        if episode.error or isinstance(opened, Exception):
            continue  # reported by other checks
        try:
            said.append((episode, by_gold, episode_tokens(renderer, episode)))
        except Exception as exc:  # what a template raises is its own
            refused.append((episode, exc))
    return said, refused


def _gold(subject: Subject, row: int) -> Episode | None:
    try:
        return subject.gold(row)
    except GrpoEnvError:  # the finding of another check
        return None
