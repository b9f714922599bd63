"""Whether the chat template can render the environment, and a solution reads the same from its own tokens."""

from collections.abc import Iterator
from itertools import islice

from grpo_env_trl.checks.episode_tokens import episode_tokens, misread_turn, no_chat_template
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.tokens.dropped_messages import DroppedMessages, dropped_message_problem

MEASURED = 256


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """What the template cannot render, or what changes when it is parsed again."""
    bridge = planned.bridge  # raises where no bridge can run this environment
    if not planned.has_text_tokenizer:
        return
    tokenizer, args = planned.setup.tokenizer, planned.setup.args
    if not tokenizer.chat_template and (planned.rows.chat or bridge != "native"):
        yield Problem(*no_chat_template(tokenizer, planned.loaded.traits.runs_tools != "none"))
        return
    renderer = planned.renderer  # raises where the template has no tools, or is not prefix-preserving
    if not tokenizer.chat_template:
        return
    yield from islice(_dropped(planned), 1)
    for episode in (planned.gold or planned.random)[:1]:
        if misread := episode_tokens(renderer, episode, args.chat_template_kwargs).misread():
            message, hint = misread_turn(*misread)
            yield Problem(f"Row {episode.row_index}: {message}", hint, fatal=False)


def _dropped(planned: PlannedTraining) -> Iterator[Problem]:
    """Messages of prompts that the template leaves out without an error."""
    dropping, rows = DroppedMessages(planned.renderer), planned.rows
    for row in rows.indices[:: -(-len(rows) // MEASURED)]:
        if dropped := dropping.first_in(rows.row(row)["prompt"]):
            message, hint = dropped_message_problem(dropped)
            yield Problem(f"Row {row}: {message}", hint, fatal=dropped["role"] != "assistant")
