"""Whether the chat template carries the environment: what is said in an episode comes back from its tokens."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grpo_env_sdk.data.messages import tool_calls_of
from grpo_env_sdk.data.rows import prompt_messages
from grpo_env_sdk.types import Episode, Message
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.tokens.rendering import Renderer, name_of
from grpo_env_trl.tokens.transcript import TokenTranscript


def problems(subject: PlannedTraining) -> Iterator[Problem]:
    """What the template cannot render, or renders so that it does not read back."""
    bridge = subject.bridge  # refused where no bridge carries this environment
    if not subject.has_text_tokenizer:
        return
    tokenizer, rows = subject.prepared.tokenizer, subject.prepared.rows
    if not tokenizer.chat_template and (rows.chat or bridge != "native"):
        yield Problem(
            f"{name_of(tokenizer)} has no chat template, and this environment chats.",
            "Take an instruct model, or save one that has tokenizer.chat_template set.",
        )
        return
    renderer = subject.renderer  # refused where the template has no tools, or keeps no prefixes
    if tokenizer.chat_template:
        for episode in (subject.gold or subject.random)[:1]:
            yield from _reads_back(spoken(renderer, episode, subject.prepared.args.chat_template_kwargs), episode)


@dataclass
class Spoken:
    """An episode as if the model had said it: its tokens, what each turn was, and what was read in it."""

    tokens: TokenTranscript
    turns: list[tuple[Message, Message, list[int]]] = field(default_factory=list)


def spoken(renderer: Renderer, episode: Episode, template_kwargs: Any = None) -> Spoken:
    """The transcript of an episode in tokens, as far as the template can write its turns."""
    said = Spoken(TokenTranscript(renderer))
    for place in range(episode.opening, len(episode.messages)):
        message = episode.messages[place]
        if message["role"] != "assistant":
            continue
        ids = _written(renderer, message, dict(template_kwargs or {}))
        if not ids or not said.tokens.read(episode.messages[:place]):
            break
        turn = said.tokens.write(ids, None)
        said.turns.append((message, turn.message, ids))
    return said


def rendered_prompt(renderer: Renderer, prompt: Any) -> list[int] | Exception:
    """The tokens of a row's prompt, or why the template refuses it."""
    try:
        return renderer.opening(prompt_messages(prompt))
    except Exception as exc:  # what a template raises is its own
        return exc


def _written(renderer: Renderer, message: Message, template_kwargs: dict[str, Any]) -> list[int] | None:
    """The tokens with which a model would say this, up to the end of its turn; None where the template cannot."""
    tokenizer = renderer.tokenizer
    asked = [{"role": "user", "content": "-"}]
    text = str(message.get("content") or "") + tokenizer.eos_token
    if tokenizer.chat_template:
        render = tokenizer.apply_chat_template
        usual = {"tokenize": False, "tools": renderer.tools or None, **template_kwargs}
        try:
            begun = render(asked, add_generation_prompt=True, **usual)
            whole = render([*asked, message], **usual)
        except Exception:  # some templates take one call a message, and what each raises is its own
            return None
        if not whole.startswith(begun):
            return None
        text = whole.removeprefix(begun)
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    end = next((place for place, token in enumerate(ids) if token in renderer.eos_ids), len(ids))
    return ids[: end + 1]


def _reads_back(said: Spoken, episode: Episode) -> Iterator[Problem]:
    tokens = said.tokens
    marked = [token for token, sampled in zip(tokens.completion_ids, tokens.sampled, strict=True) if sampled]
    if marked != [token for _, _, ids in said.turns for token in ids]:
        yield Problem(f"The mask of row {episode.row_index} is not what was written.", "Please report this.")
    for wrote, read, _ in said.turns:
        if not comes_back(wrote, read):
            yield Problem(
                f"In row {episode.row_index} a turn does not come back from its own tokens: {told(wrote):.150} is "
                f"read as {told(read):.150}.",
                "Set tokenizer.response_template, or take a chat template that keeps what is said.",
                fatal=False,
            )
            return


def comes_back(wrote: Message, read: Message) -> bool:
    """Whether the calls, or else the words, are the same; some templates put an empty thought before words."""
    calls = _calls(wrote)
    return calls == _calls(read) and (bool(calls) or _words(read).endswith(_words(wrote)))


def told(message: Message) -> str:
    """What a message calls or says, as a finding shows it."""
    return repr(_calls(message) or _words(message))


def _calls(message: Message) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in tool_calls_of(message)]


def _words(message: Message) -> str:
    return str(message.get("content") or "").strip()
