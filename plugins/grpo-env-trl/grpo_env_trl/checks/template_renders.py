"""Whether the chat template can render the environment: its messages, its tools, each of its prompts."""

from collections.abc import Iterator
from itertools import islice

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import Finding, Subject, check, one_line
from grpo_env_trl.checks.episode_tokens import no_chat_template
from grpo_env_trl.checks.rendered import model_can_be_opened, prompts_of, renderer_of, tokenizer_of, warnings_of
from grpo_env_trl.tokens.dropped_messages import DroppedMessages, dropped_message_problem


@check("M801", needs=("rows",), seconds=40, ready=model_can_be_opened)
def the_template_carries_it(subject: Subject) -> Iterator[Finding]:
    """The chat template of the model renders what this environment needs: messages, tools, unchanged earlier turns."""
    if subject.settings.model is None:
        renderer_of(subject)  # raises with the flag to add
    try:
        tokenizer = tokenizer_of(subject)
        renderer_of(subject)
    except GrpoEnvError as exc:
        yield Finding(exc.message, exc.hint)
        return
    if not tokenizer.chat_template and subject.rows.chat:
        yield Finding(*no_chat_template(tokenizer, subject.loaded.traits.runs_tools != "none"))
    for text in warnings_of(subject):
        hint = "Use a model whose template supports tools, or describe them in the prompt."
        yield Finding(text, hint, severity="warning")


@check("M802", needs=("rows",))
def every_prompt_can_be_rendered(subject: Subject) -> Iterator[Finding]:
    """The chat template accepts the prompt of every row, its roles, their order, its content, and drops no message."""
    refused = {row: found for row, found in prompts_of(subject).items() if isinstance(found, Exception)}
    for row, exc in list(refused.items())[:1]:
        yield Finding(
            f"The chat template rejects the prompts of {len(refused)} of {len(prompts_of(subject))} rows: "
            f"{one_line(exc)}",
            "Use roles that the template supports, in its order, or use another model.",
            row, subject.row(row)["prompt"], type(exc).__name__, "tokens",
        )  # fmt: skip
    yield from islice(_dropped(subject), 1)


def _dropped(subject: Subject) -> Iterator[Finding]:
    """Messages of prompts that the template leaves out without an error."""
    renderer = renderer_of(subject)
    dropping = DroppedMessages(renderer)
    for row in prompts_of(subject):
        prompt = subject.row(row)["prompt"]
        if dropped := dropping.first_in(prompt):
            yield Finding(
                *dropped_message_problem(dropped), row, prompt, renderer.opening_text(prompt), dropped["content"],
                severity="warning" if dropped["role"] == "assistant" else None,
            )  # fmt: skip
