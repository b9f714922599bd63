"""A tokenizer for the words of one environment, and the chat template that goes with it."""

import json
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import Schemas
from grpo_env_trl.demo.slot_values import WORD, AnyOf, Values

START, END = "<|im_start|>", "<|im_end|>"
CALL, CALL_END = "<tool_call>", "</tool_call>"
ROLES = ("system", "developer", "user", "assistant", "tool")

CHAT_TEMPLATE = """
{%- macro text_of(content) -%}
  {%- if content is string -%}{{ content }}
  {%- else -%}{%- for part in content or [] -%}{{ part.text or '' }}{%- endfor -%}{%- endif -%}
{%- endmacro -%}
{%- macro call_of(function) -%}
  {{- '<tool_call>\\n{"name": ' + function.name | tojson + ', "arguments": ' -}}
  {{- function.arguments if function.arguments is string else function.arguments | tojson -}}
  {{- '}\\n</tool_call>' -}}
{%- endmacro -%}
{%- if tools -%}
  {{- '<|im_start|>system\\n' -}}
  {%- for tool in tools -%}
    {{- tool.function.name + '(' + ((tool.function.parameters or {}).properties or {}) | join(', ') + ')\\n' -}}
  {%- endfor -%}
  {%- if messages[0].role == 'system' -%}{{ text_of(messages[0].content) }}{%- endif -%}
  {{- '<|im_end|>' -}}
{%- endif -%}
{%- for message in messages -%}
  {%- if not (tools and loop.first and message.role == 'system') -%}
    {{- '<|im_start|>' + message.role + '\\n' -}}
    {%- if message.role == 'assistant' -%}
      {%- generation -%}
        {{- text_of(message.content) -}}
        {%- for call in message.tool_calls or [] -%}{{ call_of(call.function or call) }}{%- endfor -%}
        {{- '<|im_end|>' -}}
      {%- endgeneration -%}
    {%- else -%}
      {{- text_of(message.content) + '<|im_end|>' -}}
    {%- endif -%}
  {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}
"""

RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": CALL,
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}


_PAD, _UNKNOWN = "<|endoftext|>", "<|unknown|>"
_SPECIALS = (_PAD, _UNKNOWN, START, END, CALL, CALL_END)
_HEADERS = tuple(f"{role}\n" for role in ROLES)
_MARKUP = re.compile("|".join([rf"{re.escape(START)}\w+\n", *map(re.escape, (END, CALL, CALL_END))]))
_MOST_PIECES = 1024
MIN_COUNT = 5
"""How often a phrase must occur to become a piece of the vocabulary."""
_PIECE_SCORE, _LETTER_SCORE = -1.0, -20.0


def build_tokenizer(
    conversations: Sequence[Sequence[Message]], tools: Sequence[Schemas], values: Values | AnyOf
) -> Any:
    """A `PreTrainedTokenizerFast` built from conversations, each with its tools, with the demo's chat template."""
    render, texts = partial(_with_pieces([]).apply_chat_template, tokenize=False), []
    for said, shown in with_same_tools(conversations, tools):
        texts += render(said, tools=shown or None)
    return _with_pieces(_pieces(texts, values), sorted(set("".join(texts))))


def with_same_tools(
    conversations: Sequence[Sequence[Message]], tools: Sequence[Schemas]
) -> Iterator[tuple[list[Sequence[Message]], Schemas]]:
    """The conversations in groups that share their tools, which a template takes together."""
    for _, group in groupby(zip(conversations, tools, strict=True), key=lambda pair: json.dumps(pair[1])):
        said, shown = zip(*group, strict=True)
        yield list(said), shown[0]


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


def _pieces(texts: Iterable[str], values: Values | AnyOf) -> list[str]:
    """The most frequent pieces, in an order that depends only on the texts."""
    words: Counter[str] = Counter()
    phrases: Counter[str] = Counter()
    for text in texts:
        for said in _MARKUP.split(text):
            for part, is_value in _parts(said, values):
                (words if is_value else phrases)[part] += 1
    for phrase in [phrase for phrase, count in phrases.items() if count < MIN_COUNT]:
        count = phrases.pop(phrase)
        for part in re.findall(r"\s?\w+|\W", phrase):
            words[part] += count
    ranked = sorted((words + phrases).items(), key=lambda found: (-found[1], found[0]))
    return [piece for piece, _ in ranked[:_MOST_PIECES]]


def _parts(text: str, values: Values | AnyOf) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is a value: single values, and the text between two of them."""
    end = 0
    for found in WORD.finditer(text):
        if found[0] in values:
            if found.start() > end:
                yield text[end : found.start()], False
            yield found[0], True
            end = found.end()
    if end < len(text):
        yield text[end:], False
