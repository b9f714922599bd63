"""An episode in the tokens with which a model would have written it, and whether it reads the same from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from grpo_env_sdk import Episode, Message
from grpo_env_sdk.ext import content_text, messages_read, prompt_messages, tool_calls_of
from grpo_env_trl.tokens.rendering import SMALL_TEMPLATE, Renderer, name_of
from grpo_env_trl.tokens.segments import Segments
from grpo_env_trl.tokens.transcript import TokenTranscript

Told = tuple[str, str]
"""What is wrong, and the next step."""


@dataclass
class EpisodeTokens:
    """The transcript of an episode, with each turn as it was written, as it reads from its tokens, and the tokens."""

    segments: Segments
    turns: list[tuple[Message, Message, list[int]]] = field(default_factory=list)

    @property
    def completion(self) -> int:
        """The tokens after the opening, in the longest of its segments."""
        return max((len(segment.completion_ids) for segment in self.segments.all), default=0)

    @property
    def beyond_prompt(self) -> int:
        """By how many tokens the longest text that is read or written exceeds how the episode opens."""
        whole = [len(segment.context) for segment in self.segments.all]
        return max(whole) - len(self.segments.all[0].prompt_ids) if whole else 0

    def misread(self) -> tuple[Message, Message] | None:
        """The first turn that reads differently from its own tokens, as it was written and as it reads."""
        return next(((wrote, read) for wrote, read, _ in self.turns if not same_turn(wrote, read)), None)


def episode_tokens(
    renderer: Renderer, episode: Episode, template_kwargs: Mapping[str, Any] | None = None
) -> EpisodeTokens:
    """The episode in tokens, as far as the chat template can write its turns."""
    renderer = renderer.with_tools(episode.tools)
    found = EpisodeTokens(Segments(partial(TokenTranscript, renderer)))
    said = [place for place in range(episode.opening, len(episode.messages)) if _is_turn(episode.messages[place])]
    for place, read in zip(said, messages_read(episode), strict=False):
        message, whole = episode.messages[place], None if episode.views is None else episode.messages[:place]
        ids = _turn_ids(renderer, message, dict(template_kwargs or {}))
        if not ids or not found.segments.read(read, episode.row["prompt"], whole):
            break
        turn = found.segments.last.write(ids, None)
        found.turns.append((message, turn.message, ids))
    return found


def rendered_prompt(renderer: Renderer, prompt: Any) -> list[int] | Exception:
    """The tokens of a row's prompt, or the error of the template."""
    try:
        return renderer.opening(prompt_messages(prompt), prompt)
    except Exception as exc:  # what a template raises is its own
        return exc


def same_turn(wrote: Message, read: Message) -> bool:
    """Whether the calls, or else the words, are the same; some templates put an empty thought before words."""
    calls = _calls(wrote)
    return calls == _calls(read) and (bool(calls) or _words(read).endswith(_words(wrote)))


def turn_text(message: Message) -> str:
    """The calls or the words of a turn, as a finding shows them."""
    return repr(_calls(message) or _words(message))


def no_chat_template(tokenizer: Any, runs_tools: bool) -> Told:
    """The model has no chat template and needs one, which renders tool calls too where the environment has tools."""
    uses = "uses chat messages and runs tools: the template has to render both" if runs_tools else "uses chat messages"
    return (
        f"{name_of(tokenizer)} has no chat template, and this environment {uses}.",
        f"Use an instruct model, or save a tokenizer with tokenizer.chat_template set: {SMALL_TEMPLATE}.",
    )


def misread_turn(wrote: Message, read: Message) -> Told:
    """A turn changes when it is parsed from its own tokens."""
    return (
        f"A turn changes when it is parsed from its tokens: {turn_text(wrote):.150} becomes {turn_text(read):.150}.",
        "Set tokenizer.response_template, or use a chat template that does not change what the model wrote.",
    )


def _is_turn(message: Message) -> bool:
    return bool(message["role"] == "assistant")


def _turn_ids(renderer: Renderer, message: Message, template_kwargs: dict[str, Any]) -> list[int] | None:
    """The tokens with which a model would write this turn, up to its end; None where the template cannot."""
    tokenizer = renderer.tokenizer
    asked = [{"role": "user", "content": "-"}]
    text = str(message.get("content") or "") + (tokenizer.eos_token or "")
    if tokenizer.chat_template:
        render = tokenizer.apply_chat_template
        settings = {"tokenize": False, "tools": renderer.tools or None, **template_kwargs}
        try:
            before = render(asked, add_generation_prompt=True, **settings)
            whole = render([*asked, message], **settings)
        except Exception:  # some templates take one call a message, and what each raises is its own
            return None
        if not whole.startswith(before):
            return None
        text = whole.removeprefix(before)
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    end = next((place for place, token in enumerate(ids) if token in renderer.eos_ids), len(ids))
    return ids[: end + 1]


def _calls(message: Message) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in tool_calls_of(message)]


def _words(message: Message) -> str:
    return content_text(message.get("content")).strip()
