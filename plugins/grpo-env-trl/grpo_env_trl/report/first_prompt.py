"""The first prompt of a training, exactly as the model will read it."""

from dataclasses import asdict, dataclass
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import Schemas, messages_read, prompt_messages
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.report.formatting import printable
from grpo_env_trl.tokens.rendering import Renderer


@dataclass(frozen=True, slots=True)
class FirstPrompt:
    """The text of its tokens, special ones included; `tokens` is None for a demo model that is not built yet."""

    row: int
    text: str
    tokens: int | None
    rendered_already: bool

    def __str__(self) -> str:
        facts = [f"row {self.row}"] + [f"{self.tokens} tokens"] * (self.tokens is not None)
        if self.rendered_already:
            facts.append("rendered by build_dataset, and read as it is")
        lines = [f"The first prompt, as the model will read it ({', '.join(facts)}):", *self.text.split("\n")]
        return "\n".join(map(printable, lines))

    def as_json(self) -> dict[str, Any]:
        """The prompt as plain data."""
        return asdict(self)


def first_prompt(planned: PlannedTraining) -> FirstPrompt | None:
    """The first row's prompt; None where an image processor will read it."""
    setup = planned.setup
    row, prompt = planned.rows.indices[0], planned.rows[0]["prompt"]
    messages = prompt_messages(prompt) if planned.bridge == "native" else _opening(planned, prompt)
    tools = planned.random[0].tools if planned.loaded.traits.tools_of_rows else planned.loaded.tools
    if setup.demo:
        renderer = _demo_renderer(messages, tools)
    elif not planned.has_text_tokenizer:
        return None
    else:
        renderer = planned.renderer.with_tools(tools)
    ids = renderer.opening(messages, prompt)
    text = renderer.tokenizer.decode(ids, clean_up_tokenization_spaces=False)
    raw = renderer.raw_prompts.text(prompt) is not None
    return FirstPrompt(row, text, None if setup.demo else len(ids), raw)


def _opening(planned: PlannedTraining, prompt: Any) -> list[Message]:
    """What an episode of the preflight read at its first turn: the prompt with what `reset` adds, or a view of it."""
    first = planned.random[0]
    return next(iter(messages_read(first)), first.messages[: first.opening]) or prompt_messages(prompt)


def _demo_renderer(messages: list[Message], tools: Schemas | None) -> Renderer:
    """A renderer with the demo's chat template, and a vocabulary that can spell these messages."""
    from grpo_env_trl.demo.slot_values import Values
    from grpo_env_trl.demo.tokenizer import build_tokenizer

    shown = tools or []
    return Renderer(build_tokenizer([messages], [shown], Values([messages])), shown)
