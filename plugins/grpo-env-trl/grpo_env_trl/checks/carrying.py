"""Whether the template can render the environment at all: its chat, its tools, each of its prompts."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.isolation.tracebacks import one_line
from grpo_env_trl.checks.rendered import model_can_be_opened, prompts_of, renderer_of, tokenizer_of, warnings_of
from grpo_env_trl.tokens.rendering import name_of


@check("M801", needs=("rows",), seconds=40, ready=model_can_be_opened)
def the_template_carries_it(subject: Subject) -> Iterator[Finding]:
    """The model's chat template renders what this environment needs: a chat, tools, turns that stay as they were."""
    if subject.settings.model is None:
        renderer_of(subject)  # which says what to name
    try:
        tokenizer = tokenizer_of(subject)
        renderer_of(subject)
    except GrpoEnvError as exc:
        yield Finding(exc.message, exc.hint)
        return
    if not tokenizer.chat_template and subject.rows.chat:
        yield Finding(
            f"{name_of(tokenizer)} has no chat template, and this environment chats.",
            "Take an instruct model, or save one that has tokenizer.chat_template set.",
        )
    for text in warnings_of(subject):
        hint = "Take a model whose template has tools, or describe them in the prompt."
        yield Finding(text, hint, severity="warning")


@check("M802", needs=("rows",))
def every_prompt_can_be_rendered(subject: Subject) -> Iterator[Finding]:
    """The template takes the prompt of every row: its roles, their order, its content."""
    refused = {row: found for row, found in prompts_of(subject).items() if isinstance(found, Exception)}
    for row, exc in list(refused.items())[:1]:
        yield Finding(
            f"The chat template refuses the prompts of {len(refused)} of {len(prompts_of(subject))} rows: "
            f"{one_line(exc)}",
            "Write them with the roles that the template knows, in its order; or take another model.",
            row, subject.row(row)["prompt"], type(exc).__name__, "tokens",
        )  # fmt: skip
