"""Between messages and tokens: how an episode opens, what follows a turn, and what a turn says."""

import copy
import json
import warnings
from collections.abc import Sequence
from typing import Any

from grpo_env_sdk import GrpoEnvWarning, Message
from grpo_env_sdk.ext import (
    UsageError,
    canonical_json,
    images_in,
    one_line,
    prompt_messages,
    tool_calls_of,
)
from grpo_env_trl.tokens.latest import Latest
from grpo_env_trl.tokens.raw_prompts import RawPrompts
from grpo_env_trl.tokens.text_parts import joined_parts
from grpo_env_trl.trl_facts import known_response_templates, response_template_of, supports_tools, training_template

SMALL_TEMPLATE = "docs/errors.md#a-chat-template-with-tools"
"""Where readers find a template that works."""
_MARK = "mark7c1e"
_KEPT_OPENINGS, _KEPT = 512, 4096
_KEPT_TOOLS, _KEPT_FOR_TOOLS = 256, 64
"""How many lists of tools are kept where each row has its own, and how many renderings with each."""


class Renderer:
    """Turns messages into the tokens that one model reads, and the tokens that it writes into messages."""

    def __init__(
        self,
        tokenizer: Any,
        tools: Sequence[dict[str, Any]] = (),
        *,
        runs_tools: bool = False,
        several_turns: bool = False,
        eos_ids: Sequence[int] = (),
        template_kwargs: dict[str, Any] | None = None,
        raw_prompts: bool | None = None,
        tools_to_come: bool = False,
    ) -> None:
        """`tools_to_come` is for tools of rows, which `with_tools` is given later."""
        self.tokenizer = tokenizer
        self.raw_prompts = RawPrompts(tokenizer, raw_prompts)
        self.tools = list(tools)
        self.eos_ids: set[int] = set()
        self._turn_end = tokenizer.eos_token
        self.end_turns_with([*eos_ids, tokenizer.eos_token_id])
        self.response_template: dict[str, Any] | None = None
        self._kwargs = dict(template_kwargs or {})
        self._openings = Latest[list[int]](_KEPT_OPENINGS)
        self._followings = Latest[list[int]](_KEPT)
        self._with_tools = Latest[Renderer](_KEPT_TOOLS)
        shows_tools = bool(self.tools) or tools_to_come
        if not tokenizer.chat_template:
            _check_bare(tokenizer, shows_tools or several_turns)
            return
        if _MARK not in self._first_text():
            raise UsageError(
                f"The chat template of {name_of(tokenizer)} leaves out messages that are plain text.",
                "Use a text model, or a vision model whose template reads text, such as Qwen2.5-VL.",
            )
        self._find_turn_end()
        if several_turns:
            self._preserve_prefixes()
        asked = [{"role": "user", "content": "-"}]
        self.generation_prompt = self._text(asked, True).removeprefix(self._text(asked, False))
        if shows_tools:
            self._learn_to_parse(runs_tools)

    def with_tools(self, tools: Sequence[dict[str, Any]] | None) -> "Renderer":
        """The renderer of an episode with these tools; the same one where it has no others."""
        if tools is None or list(tools) == self.tools:
            return self
        return self._with_tools.get(json.dumps(tools), lambda: self._copy_with(list(tools)))

    def _copy_with(self, tools: list[dict[str, Any]]) -> "Renderer":
        """A copy, which need not find out again how this model ends turns and writes calls."""
        other = copy.copy(self)
        other.tools = tools
        other._openings, other._followings = Latest(_KEPT_FOR_TOOLS), Latest(_KEPT_FOR_TOOLS)
        return other

    def end_turns_with(self, ids: Sequence[int | None]) -> None:
        """Let these tokens end a turn too, as the model's own configuration says."""
        more = {token for token in ids if token is not None} - self.eos_ids
        if not more and self.eos_ids:
            return
        self.eos_ids |= more
        self._with_tools = Latest(_KEPT_TOOLS)  # their copies know the earlier ends
        self._ends: list[str] = self.tokenizer.convert_ids_to_tokens(sorted(self.eos_ids))

    def opening(self, messages: Sequence[Message], prompt: Any = None) -> list[int]:
        """The tokens of how an episode opens; a row's `prompt` that is rendered already stays as it is."""
        raw = self.raw_prompts.text(prompt)
        if raw is None:
            return list(self._openings.get(canonical_json(messages), lambda: self._opening(messages)))
        if list(messages) != prompt_messages(prompt):
            raise UsageError(
                "The environment opens with messages of its own, and its prompts are rendered already: there is no "
                "place for them.",
                "Give prompts of chat messages, or put everything into the rendered prompt.",
            )
        return self._ids(raw)

    def following(self, answered: Message, messages: Sequence[Message]) -> list[int]:
        """The tokens between the end of an assistant's turn and the beginning of its next one."""
        names = [call.name for call in tool_calls_of(answered)]
        return list(self._followings.get(canonical_json([names, messages]), lambda: self._following(names, messages)))

    def turn(self, ids: Sequence[int]) -> Message:
        """The message of a turn; a call that cannot be parsed gets no tool name, so that its result is an error."""
        ended = bool(ids) and ids[-1] in self.eos_ids
        spoken = ids[:-1] if ended else ids
        if self.response_template is None:
            return {"role": "assistant", "content": self.tokenizer.decode(spoken, skip_special_tokens=True)}
        text = self.tokenizer.decode(spoken)
        try:
            said = self._parsed(text + self._turn_end * ended, self.response_template)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            unread = {"type": "function", "function": {"name": "", "arguments": text}}
            return {"role": "assistant", "content": "", "tool_calls": [unread]}
        content = (said.get("content") or "").removesuffix(self._turn_end)
        return {**said, "role": "assistant", "content": content}

    def _parsed(self, text: str, template: dict[str, Any]) -> dict[str, Any]:
        """The parsed turn; the parser sees only the beginning of the turn before it."""
        found: dict[str, Any] = self.tokenizer.parse_response(
            text, schema=template, prefix=self.generation_prompt, tools=self.tools
        )
        return found

    def _find_turn_end(self) -> None:
        """What the template ends a turn with, which some families (Gemma) do not call their EOS."""
        text = self._text([{"role": "user", "content": "-"}, {"role": "assistant", "content": _MARK}], False)
        after = text.partition(_MARK)[2].lstrip()
        found = next((token for token in self.tokenizer.all_special_tokens if after.startswith(token)), None)
        if found is None:
            added = self.tokenizer.get_added_vocab()
            found = next((token for token in sorted(added, key=len, reverse=True) if after.startswith(token)), None)
        if found is not None:
            self._turn_end = found
            self.end_turns_with([self.tokenizer.convert_tokens_to_ids(found)])

    def _preserve_prefixes(self) -> None:
        """Use TRL's training form of a template that renders a turn differently once something follows it."""
        if self._prefixes_hold():
            return
        found = training_template(self.tokenizer)
        if found is not None:
            self._kwargs["chat_template"] = found
        if found is None or not self._prefixes_hold():
            raise UsageError(
                f"The chat template of {name_of(self.tokenizer)} renders an earlier turn differently once another one "
                "follows, so what is trained on would not be what is read later.",
                "Give the tokenizer a chat template that is prefix-preserving; TRL has training templates for many.",
            )

    def _prefixes_hold(self) -> bool:
        asked = [{"role": "user", "content": "-"}, {"role": "assistant", "content": _MARK}]
        before = self._text(asked, False)
        whole = self._text([*asked, {"role": "user", "content": "-"}], True)
        end = self._end_of_turn(before)
        return end is not None and whole.startswith(before[: end[1]])

    def _learn_to_parse(self, runs_tools: bool) -> None:
        """Find a parser for this model's calls: one that reads back what its template renders."""
        if supports_tools(self.tokenizer):
            known = response_template_of(self.tokenizer)
            candidates = [known] if known is not None else known_response_templates()
            self.response_template = next((found for found in candidates if self._reads_back(found)), None)
            if self.response_template is None and runs_tools:
                raise UsageError(
                    f"Tool calls of {name_of(self.tokenizer)} cannot be parsed: its format is not known.",
                    "Set tokenizer.response_template, or use a model of another family.",
                )
        elif runs_tools:
            raise UsageError(
                f"The chat template of {name_of(self.tokenizer)} cannot render tool calls, and this environment runs "
                "tools.",
                "Use a model whose template has them (Qwen3, Qwen2.5, Llama 3.2), or give the tokenizer one: "
                f"{SMALL_TEMPLATE}.",
            )
        else:
            warnings.warn(
                f"The chat template of {name_of(self.tokenizer)} cannot render tools, so the model never reads of the "
                f"{len(self.tools) or 'tools'} that the environment describes.",
                GrpoEnvWarning,
                stacklevel=4,
            )

    def _reads_back(self, template: dict[str, Any]) -> bool:
        arguments = {"number": 7, "text": f"it's {_MARK}"}
        call = {"type": "function", "function": {"name": "mark", "arguments": arguments}}
        asked = [{"role": "user", "content": "-"}]
        try:
            whole = self._text([*asked, {"role": "assistant", "content": "", "tool_calls": [call]}], False)
            end = self._end_of_turn(whole)
            written = whole[: end[1] if end else None].removeprefix(self._text(asked, True))
            functions = [one["function"] for one in self._parsed(written, template).get("tool_calls", ())]
        except Exception:  # a template of another family may do anything
            return False
        return [(found["name"], found.get("arguments")) for found in functions] == [("mark", arguments)]

    def opening_text(self, messages: Sequence[Message]) -> str:
        """The text of how an episode opens, where nothing of it is rendered already."""
        messages = _as_text(messages)
        if not self.tokenizer.chat_template:
            return "\n\n".join(str(message.get("content") or "") for message in messages)
        return self._text(messages, True)

    def _opening(self, messages: Sequence[Message]) -> list[int]:
        text = self.opening_text(messages)
        return self._ids(text) if self.tokenizer.chat_template else list(self.tokenizer(text)["input_ids"])

    def _following(self, names: list[str], messages: Sequence[Message]) -> list[int]:
        """Rendered after a stand-in for the turn, and cut where that one ends."""
        messages = _as_text(messages)
        asked = {"role": "user", "content": "-"}
        for stand_in in _stand_ins(names):
            try:
                text = self._text([asked, stand_in, *messages], True)
            except Exception:  # some templates take one call per message, and each raises its own error
                continue
            if end := self._end_of_turn(text):
                ended = sum(text.count(token, 0, end[1]) for token in self._ends)
                ids = self._ids(text)
                places = [place for place, token in enumerate(ids) if token in self.eos_ids]
                return ids[places[ended - 1] + 1 :]
        raise UsageError(
            f"The chat template of {name_of(self.tokenizer)} cannot render what follows an assistant's turn: it "
            f"refuses {' and '.join(sorted({message['role'] for message in messages}))} messages, or ends no turn "
            f"with {self.tokenizer.eos_token!r}.",
            "Give the tokenizer a chat template that does, or use another model.",
        )

    def _end_of_turn(self, text: str) -> tuple[int, int] | None:
        """Where the turn that holds the mark ends: before and after its EOS token."""
        place = text.find(_MARK)
        found = [(at, at + len(end)) for end in self._ends if (at := text.find(end, place)) >= 0]
        return min(found, default=None) if place >= 0 else None

    def _first_text(self) -> str:
        """A question as the template renders it; whatever the template raises is an error in one line."""
        try:
            return self._text([{"role": "user", "content": _MARK}], True)
        except Exception as exc:  # of the template, which is code of the model's author
            raise UsageError(
                f"The chat template of {name_of(self.tokenizer)} cannot render a question: "
                f"{type(exc).__name__}: {one_line(exc).rstrip('.')}.",
                "Give the tokenizer a chat template that does, or use another model.",
            ) from exc

    def _text(self, messages: Sequence[Message], to_answer: bool) -> str:
        text: str = self.tokenizer.apply_chat_template(
            list(messages),
            tools=self.tools or None,
            add_generation_prompt=to_answer,
            tokenize=False,
            **self._kwargs,
        )
        return text

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def name_of(tokenizer: Any) -> str:
    """What people call the model that a tokenizer belongs to."""
    return getattr(tokenizer, "name_or_path", "") or "this model"


def _as_text(messages: Sequence[Message]) -> list[Message]:
    """The messages without parts; images among them are an error."""
    if images_in(messages):
        raise UsageError("This environment shows images, and here only text can be read.", "Use a vision model.")
    return joined_parts(messages)


def _check_bare(tokenizer: Any, needs_chat: bool) -> None:
    if needs_chat:
        raise UsageError(
            f"{name_of(tokenizer)} has no chat template, and this environment has tools or several turns.",
            f"Use an instruct model, or set tokenizer.chat_template: {SMALL_TEMPLATE}.",
        )


def _stand_ins(names: list[str]) -> list[Message]:
    """Turns that stand in for one that made these calls: all of them, or the last alone."""
    if not names:
        return [{"role": "assistant", "content": _MARK}]
    calls = [{"type": "function", "function": {"name": name, "arguments": {"mark": _MARK}}} for name in names]
    return [{"role": "assistant", "content": "", "tool_calls": kept} for kept in (calls, calls[-1:])]
