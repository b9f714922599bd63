"""A tokenizer for the words of one environment: values stand alone, and what is always said alike is one piece."""

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from grpo_env_sdk.types import Message
from grpo_env_trl.demo.slot_values import WORD, Values
from grpo_env_trl.demo.template import CALL, CALL_END, CHAT_TEMPLATE, END, RESPONSE_TEMPLATE, ROLES, START

_PAD, _UNKNOWN = "<|endoftext|>", "<|unknown|>"
_SPECIALS = (_PAD, _UNKNOWN, START, END, CALL, CALL_END)
_HEADERS = tuple(f"{role}\n" for role in ROLES)
_MARKUP = re.compile("|".join([rf"{re.escape(START)}\w+\n", *map(re.escape, (END, CALL, CALL_END))]))
_MOST_PIECES = 1024
USUAL = 5
"""How often a phrase must occur to be a piece."""
_PIECE_SCORE, _LETTER_SCORE = -1.0, -20.0


def build_tokenizer(conversations: Sequence[Sequence[Message]], tools: list[dict[str, Any]], values: Values) -> Any:
    """A `PreTrainedTokenizerFast` made from conversations, with the demo's chat template."""
    texts = _with_pieces([]).apply_chat_template(list(conversations), tools=tools or None, tokenize=False)
    return _with_pieces(_pieces(texts, values), sorted(set("".join(texts))))


def _with_pieces(pieces: Iterable[str], letters: Iterable[str] = ()) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    scores = dict.fromkeys(_SPECIALS, 0.0) | dict.fromkeys([*_HEADERS, *pieces], _PIECE_SCORE)
    for letter in [*string.printable, *letters]:
        scores.setdefault(letter, _LETTER_SCORE)
    core = Tokenizer(models.Unigram(list(scores.items()), unk_id=_SPECIALS.index(_UNKNOWN)))
    core.decoder = decoders.Fuse()
    core.add_special_tokens([AddedToken(name, normalized=False) for name in (_PAD, _UNKNOWN, START, END)])
    core.add_tokens([AddedToken(name, normalized=False) for name in (CALL, CALL_END)])
    tokenizer: Any = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # transformers leaves it so
        tokenizer_object=core, eos_token=END, pad_token=_PAD, unk_token=_UNKNOWN,
        padding_side="left", clean_up_tokenization_spaces=False,
    )  # fmt: skip
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.response_template = RESPONSE_TEMPLATE
    return tokenizer


def _pieces(texts: Iterable[str], values: Values) -> list[str]:
    """The pieces that occur most, in an order that depends on the texts alone."""
    words: Counter[str] = Counter()
    phrases: Counter[str] = Counter()
    for text in texts:
        for said in _MARKUP.split(text):
            for part, is_value in _parts(said, values):
                (words if is_value else phrases)[part] += 1
    for phrase in [phrase for phrase, count in phrases.items() if count < USUAL]:
        count = phrases.pop(phrase)
        for part in re.findall(r"\s?\w+|\W", phrase):
            words[part] += count
    ranked = sorted((words + phrases).items(), key=lambda found: (-found[1], found[0]))
    return [piece for piece, _ in ranked[:_MOST_PIECES]]


def _parts(text: str, values: Values) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is a value: values alone, and all that lies between two of them."""
    end = 0
    for found in WORD.finditer(text):
        if found[0] in values:
            if found.start() > end:
                yield text[end : found.start()], False
            yield found[0], True
            end = found.end()
    if end < len(text):
        yield text[end:], False
