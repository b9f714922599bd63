"""Whether prompts and answers fit into what the model reads, and answers into what they may have."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.isolation.tracebacks import one_line
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.preflight.template import rendered_prompt, spoken

MEASURED = 256


@dataclass(frozen=True)
class Lengths:
    """Tokens of prompts by row, and what the longest of some solutions takes: in all, and in one turn."""

    prompts: dict[int, int]
    solution: int = 0
    turn: int = 0


def problems(subject: PlannedTraining) -> Iterator[Problem]:
    """What is too long."""
    if not subject.has_text_tokenizer:
        return
    prompts: dict[int, int] = {}
    rows = subject.prepared.rows
    for place in range(0, len(rows), -(-len(rows) // MEASURED)):
        ids = rendered_prompt(subject.renderer, rows[place]["prompt"])
        if isinstance(ids, Exception):
            yield _refused(rows.indices[place], ids)
            return
        prompts[rows.indices[place]] = len(ids)
    yield from too_long(_measured(subject, prompts), subject.prepared.args, context_of(subject))
    yield from _too_tight(subject, _measured(subject, prompts))


def too_long(lengths: Lengths, args: Any, context: int | None) -> Iterator[Problem]:
    """Prompts that leave no room, or too little, in what the model reads."""
    if context is None:
        return
    row, longest = max(lengths.prompts.items(), key=lambda item: item[1])
    shortest, room = min(lengths.prompts.values()), args.max_completion_length
    what = "every prompt is longer: the shortest has" if shortest >= context else f"the prompt of row {row} has"
    if longest >= context:
        yield Problem(
            f"The model reads {context:,} tokens, and {what} {shortest if shortest >= context else longest:,}.",
            "Shorten the prompts, or take a model that reads more (--vllm-max-model-length where vLLM cuts it).",
        )
    elif longest + room > context:
        yield Problem(
            f"The prompt of row {row} has {longest:,} tokens, and with max_completion_length {room:,} that is more "
            f"than the {context:,} that the model reads.",
            f"Take --max-completion-length {context - longest}, or shorten the prompts.",
            fatal=False,
        )


def context_of(subject: PlannedTraining) -> int | None:
    """How many tokens the model reads."""
    args, config = subject.prepared.args, subject.config
    limits = [getattr(config.get_text_config(), "max_position_embeddings", None) if config else None]
    if args.use_vllm:
        limits.append(args.vllm_max_model_length)
    return min((limit for limit in limits if limit), default=None)


def _measured(subject: PlannedTraining, prompts: dict[int, int]) -> Lengths:
    """The prompts with what solutions take beside them."""
    kwargs = subject.prepared.args.chat_template_kwargs
    try:
        solutions = [spoken(subject.renderer, episode, kwargs) for episode in subject.gold]
    except GrpoEnvError:  # told by the template's own check
        solutions = []
    turns = [len(ids) for said in solutions for _, _, ids in said.turns]
    whole = [len(said.tokens.completion_ids) for said in solutions]
    return Lengths(prompts, max(whole, default=0), max(turns, default=0))


def _too_tight(subject: PlannedTraining, lengths: Lengths) -> Iterator[Problem]:
    most, most_a_turn = subject.prepared.args.max_completion_length, subject.prepared.max_turn_tokens
    if lengths.solution > most:
        yield Problem(
            f"The environment's own solution takes {lengths.solution} tokens, and max_completion_length is {most}.",
            f"Take --max-completion-length {lengths.solution} or more, or nobody can reach the top.",
            fatal=False,
        )
    if most_a_turn and lengths.turn > most_a_turn:
        yield Problem(
            f"A turn of the environment's own solution takes {lengths.turn} tokens, and the cap is {most_a_turn}.",
            f"Take --max-turn-tokens {lengths.turn} or more.",
            fatal=False,
        )


def _refused(row: int, exc: Exception) -> Problem:
    return Problem(
        f"The chat template cannot render the prompt of row {row}: {one_line(exc)}",
        "Write it with the roles that the template knows, or take another model.",
    )
