"""Prompts of text that are rendered already, and so stay as they are."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from typing import Any

from grpo_env_sdk import GrpoEnvWarning

_MARK = "mark7c1e"
_TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}},
}
_SETTINGS: tuple[dict[str, Any], ...] = ({}, {"tools": [_TOOL]}, {"enable_thinking": False})
"""How a prompt may have been rendered; a template begins with what they have in common."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """How rendered conversations begin and end, and what the model reads before it that the text may lack."""

    text: str
    end: str = ""
    lacks: str = ""

    def fits(self, prompt: str) -> bool:
        """Whether this prompt was rendered so."""
        return prompt.startswith(self.text) and prompt.rstrip().endswith(self.end)


class RawPrompts:
    """Recognises prompts that `build_dataset` has rendered with the chat template of this tokenizer.

    Args:
        declared: The environment's `raw_prompts`: every prompt of text, none, or (None) those that begin as the chat
            template begins.
    """

    def __init__(self, tokenizer: Any, declared: bool | None = None) -> None:
        self.tokenizer = tokenizer
        self.declared = declared

    def text(self, prompt: Any) -> str | None:
        """Exactly what the model reads where this prompt is rendered already; None for every other one."""
        if not isinstance(prompt, str) or self.declared is False:
            return None
        if self.declared:
            return prompt
        found = next((beginning for beginning in self._beginnings if beginning.fits(prompt)), None)
        return None if found is None else found.lacks + prompt

    def count(self, prompts: Iterable[Any]) -> int:
        """How many of these prompts are rendered already."""
        return sum(self.text(prompt) is not None for prompt in prompts)

    def say(self, which: str) -> None:
        """Say which prompts stay as they are, unless their class says so itself."""
        if self.declared is None:
            warnings.warn(
                f"{which} already rendered with the chat template, and so read as written. raw_prompts = True in the "
                "class says so, raw_prompts = False has them rendered again.",
                GrpoEnvWarning,
                stacklevel=3,
            )

    @cached_property
    def _beginnings(self) -> list[Beginning]:
        bos = self._words.bos_token or ""
        if not self.tokenizer.chat_template:
            return [Beginning(bos)] if bos else []
        found = []
        for roles in (("user",), ("system", "user")):
            rendered = list(self._rendered(roles))
            start = commonprefix([text.partition(_MARK)[0] for text in rendered])  # noqa: RUF071  # of texts, not of paths
            end = rendered[0].rpartition(_MARK)[2].rstrip() if rendered else ""
            found.append(self._beginning(start, end))
            if bos and start.startswith(bos):  # authors take it away, as tokenizers add one to plain text
                found.append(self._beginning(start.removeprefix(bos), end, bos))
        return list(dict.fromkeys(one for one in found if one.text.strip()))

    def _beginning(self, start: str, end: str, lacks: str = "") -> Beginning:
        """Special tokens say enough, but for a BOS token alone, such as Llama's `<s>`, which is HTML too.

        Words that anybody may write do not: such a prompt also has to end as the template ends.
        """
        place = 0
        while token := next((token for token in self._special_tokens if start.startswith(token, place)), ""):
            place += len(token)
        if start[:place] not in ("", self._words.bos_token):
            return Beginning(start[:place], lacks=lacks)
        marked = any(token in start for token in self._special_tokens)
        return Beginning(start, "" if marked else end, lacks)

    def _rendered(self, roles: Iterable[str]) -> Iterator[str]:
        """A conversation of these roles, in every way that the template takes."""
        messages = [{"role": role, "content": _MARK} for role in roles]
        for settings in _SETTINGS:
            try:
                text = self.tokenizer.apply_chat_template(
                    messages, tokenize=False, add_generation_prompt=True, **settings
                )
            except Exception:  # some templates refuse system messages or tools, and each raises its own error
                continue
            if _MARK in text:
                yield text

    @property
    def _words(self) -> Any:
        """The tokenizer itself, where a processor holds it."""
        return getattr(self.tokenizer, "tokenizer", self.tokenizer)

    @cached_property
    def _special_tokens(self) -> list[str]:
        tokens = {*self._words.all_special_tokens, *self._words.get_added_vocab()}
        return sorted((token for token in tokens if token.strip()), key=len, reverse=True)
