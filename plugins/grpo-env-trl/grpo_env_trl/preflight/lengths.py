"""Checks that prompts and completions fit into the context of the model, and solutions into the token limits."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import one_line
from grpo_env_trl.checks.episode_tokens import episode_tokens, rendered_prompt
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem

MEASURED = 256


@dataclass(frozen=True)
class Lengths:
    """Tokens of the prompts by row, of the longest solution, and of the longest turn of a solution."""

    prompts: dict[int, int]
    solution: int = 0
    turn: int = 0


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Problems with lengths."""
    if not planned.has_text_tokenizer:
        return
    prompts: dict[int, int] = {}
    rows = planned.rows
    for row, renderer in planned.renderers(rows.indices[:: -(-len(rows) // MEASURED)]):
        ids = rendered_prompt(renderer, rows.row(row)["prompt"])
        if isinstance(ids, Exception):
            yield _refused(row, ids)
            return
        prompts[row] = len(ids)
    yield from too_long(_measured(planned, prompts), planned.setup.args, context_of(planned))
    yield from _too_long_for_servers(prompts, planned)
    if planned.setup.settings.trainer == "async":
        yield from _too_long_for_rows(prompts, planned.setup.async_args)
    yield from _too_tight(planned, _measured(planned, prompts))


def too_long(lengths: Lengths, args: Any, context: int | None) -> Iterator[Problem]:
    """Prompts that leave too little of the context for a completion."""
    if context is None:
        return
    row, longest = max(lengths.prompts.items(), key=lambda item: item[1])
    shortest, room = min(lengths.prompts.values()), args.max_completion_length
    what = f"the prompt of row {row} has {longest:,}"
    if shortest >= context:
        what = f"every prompt is longer: the shortest has {shortest:,}"
    if longest >= context:
        yield Problem(
            f"The context of the model is {context:,} tokens, but {what}.",
            "Shorten the prompts, or use a model with a longer context (with vLLM: --vllm-max-model-length).",
        )
    elif longest + room > context:
        yield Problem(
            f"The prompt of row {row} has {longest:,} tokens, and with max_completion_length {room:,} that is more "
            f"than the context of {context:,}.",
            f"Use --max-completion-length {context - longest}, or shorten the prompts.",
            fatal=False,
        )


def _too_long_for_servers(prompts: dict[int, int], planned: PlannedTraining) -> Iterator[Problem]:
    """vLLM servers that read less than the model does, and less than an episode may need."""
    row, longest = max(prompts.items(), key=lambda item: item[1])
    room, own = planned.setup.args.max_completion_length, context_of(planned)
    for url, context in planned.setup.server_contexts.items():
        if longest + room > context and (own is None or context < own):
            yield Problem(
                f"{url} reads {context:,} tokens, but the prompt of row {row} has {longest:,}, and with "
                f"max_completion_length {room:,} an episode needs {longest + room:,}.",
                f"Start it with --max-model-len {longest + room}, or shorten one of them.",
            )


def _too_long_for_rows(prompts: dict[int, int], args: Any) -> Iterator[Problem]:
    """Episodes that fit into no row of the asynchronous trainer, which leaves them out."""
    budget, longest = args.token_budget, max(prompts.values()) + args.max_completion_length
    if not budget or longest <= budget:
        return
    none = min(prompts.values()) >= budget
    yield Problem(
        f"--token-budget is {budget:,}, and {'every' if none else 'an'} episode "
        f"{'has more tokens' if none else f'may have {longest:,} tokens'}: what fits into no row is not trained on.",
        f"Use --token-budget {longest}, or leave it out.",
        fatal=none,
    )


def context_of(planned: PlannedTraining) -> int | None:
    """The context of the model in tokens."""
    args, config = planned.setup.args, planned.config
    limits = [getattr(config.get_text_config(), "max_position_embeddings", None) if config else None]
    if args.use_vllm:
        limits.append(args.vllm_max_model_length)
    return min((limit for limit in limits if limit), default=None)


def _measured(planned: PlannedTraining, prompts: dict[int, int]) -> Lengths:
    """The prompts, with the lengths of the solutions."""
    kwargs = planned.setup.args.chat_template_kwargs
    try:
        solutions = [episode_tokens(planned.renderer, episode, kwargs) for episode in planned.gold]
    except GrpoEnvError:  # reported by the check of the template
        solutions = []
    turns = [len(ids) for said in solutions for _, _, ids in said.turns]
    whole = [said.completion for said in solutions]
    return Lengths(prompts, max(whole, default=0), max(turns, default=0))


def _too_tight(planned: PlannedTraining, lengths: Lengths) -> Iterator[Problem]:
    most, most_a_turn = planned.setup.args.max_completion_length, planned.setup.max_turn_tokens
    if lengths.solution > most:
        yield Problem(
            f"The environment's own solution needs {lengths.solution} tokens, but max_completion_length is {most}.",
            f"Use --max-completion-length {lengths.solution} or more: otherwise no answer can get the full reward.",
            fatal=False,
        )
    if most_a_turn and lengths.turn > most_a_turn:
        yield Problem(
            f"A turn of the environment's own solution needs {lengths.turn} tokens, but --max-turn-tokens is "
            f"{most_a_turn}.",
            f"Use --max-turn-tokens {lengths.turn} or more.",
            fatal=False,
        )


def _refused(row: int, exc: Exception) -> Problem:
    return Problem(
        f"The chat template cannot render the prompt of row {row}: {one_line(exc)}",
        "Use only roles that the template supports, or use another model.",
    )
