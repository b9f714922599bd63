"""A tokenizer for environments that need one where there is no model: bytes, and a plain template."""

from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.types import STAND_IN


class StandInTokenizer:
    """The part of a tokenizer that environments use: encode, decode, the special tokens, a chat template."""

    bos_token, eos_token, pad_token, unk_token = "<s>", "</s>", "<pad>", "<unk>"
    bos_token_id, eos_token_id, pad_token_id, unk_token_id = 256, 257, 258, 259
    padding_side = truncation_side = "left"
    model_max_length = 1_000_000
    vocab_size = 260
    name_or_path = STAND_IN
    chat_template = "<|role|>content"

    def __len__(self) -> int:
        return self.vocab_size

    def __call__(self, text: str | Sequence[str], **how: Any) -> dict[str, Any]:
        """The ids and the attention mask of a text, or of several."""
        texts = [text] if isinstance(text, str) else list(text)
        ids = [self.encode(item) for item in texts]
        masks = [[1] * len(item) for item in ids]
        one = isinstance(text, str)
        return {"input_ids": ids[0] if one else ids, "attention_mask": masks[0] if one else masks}

    def encode(self, text: str, **how: Any) -> list[int]:
        """The bytes of a text."""
        return list(text.encode("utf-8", "surrogatepass"))

    def tokenize(self, text: str, **how: Any) -> list[str]:
        """A text byte by byte."""
        return [chr(byte) for byte in self.encode(text)]

    def decode(self, ids: Sequence[int], **how: Any) -> str:
        """The text of ids."""
        return bytes(int(id) for id in ids if int(id) < 256).decode("utf-8", "replace")

    def batch_decode(self, batch: Sequence[Sequence[int]], **how: Any) -> list[str]:
        """The texts of several lists of ids."""
        return [self.decode(ids) for ids in batch]

    def apply_chat_template(self, conversation: Any, tokenize: bool = True, **how: Any) -> Any:
        """Messages as one text, `<|role|>content` a line, or its ids."""
        several = bool(conversation) and not isinstance(conversation[0], dict)
        texts = [self._render(item, how) for item in (conversation if several else [conversation])]
        rendered = [self.encode(text) for text in texts] if tokenize else texts
        return rendered if several else rendered[0]

    def _render(self, messages: Any, how: dict[str, Any]) -> str:
        lines = [f"<|{message['role']}|>{message.get('content') or ''}" for message in messages]
        return "\n".join([*lines, "<|assistant|>"] if how.get("add_generation_prompt") else lines)
