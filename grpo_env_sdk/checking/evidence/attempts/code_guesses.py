"""Guesses from the words in an environment's own code: keywords, verdicts, lengths and codes that it looks for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.guesses import JUDGED, MEANINGLESS, Guess
from grpo_env_sdk.checking.evidence.author_code.code_words import CodeWords
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message

A_WORD, ALL_WORDS = "a text from the environment's own code", "all texts of the environment's own code"
A_CALL, CALLS_FIRST = (
    "a call with a text from the environment's own code",
    "such calls before the gold turns of another row",
)
OWN_REPORT = "an answer that writes the verdict of the environment's own report"
OF_CODE = (A_WORD, ALL_WORDS, A_CALL, CALLS_FIRST, OWN_REPORT)
_USUAL_VERDICTS = ("PASS", "correct", "yes", "1", "10", "100")
MOST_ALONE, MOST_CALLS, MOST_LENGTHS = 12, 20, 4


def word_guesses(words: CodeWords, golds: Sequence[Gold]) -> list[Guess]:
    """Each text of the code alone, all of them as words and as the keys of an object, and longer than its numbers."""
    texts = words.texts
    keys = [text for text in texts if text.isidentifier()]
    said = [gold.text for gold in golds if gold.text][-1:]
    return [
        *(Guess(A_WORD, text, True) for text in texts[:MOST_ALONE]),
        *(Guess(ALL_WORDS, between.join(texts)) for between in ("\n", " ") if texts),
        *(Guess(ALL_WORDS, json.dumps(dict.fromkeys(keys, value))) for value in (True, 10) if keys),
        *(Guess(A_WORD, json.dumps({key: True}), True) for key in keys[:MOST_ALONE]),
        *(Guess(JUDGED, f"{text}\n{below}") for text in said for below in [*texts[:MOST_ALONE], "\n".join(texts)]),
        *(Guess(OWN_REPORT, f"lorem ipsum\n{report}") for report in _reports(words)),
        *(Guess(MEANINGLESS, " ".join(["lorem"] * (count + 1))) for count in words.numbers[:MOST_LENGTHS]),
    ]


def _reports(words: CodeWords) -> Iterator[str]:
    """What a report in the code says of an answer: its labels with each word of the code that may be a verdict."""
    if not words.labels:
        return
    yield from [text for text in words.verdicts if any(label in text and text != label for label in words.labels)]
    alone = [text for text in words.verdicts if not any(label in text for label in words.labels)]
    for said in dict.fromkeys([*alone[:MOST_ALONE], *_USUAL_VERDICTS]):
        yield "\n".join(f"{label} {said}" for label in words.labels)


def word_calls(words: CodeWords, tools: Sequence[Mapping[str, Any]], golds: Sequence[Gold]) -> list[Guess]:
    """Calls with texts of the code, alone and before what is right in another row."""
    given = {name: arguments for gold in golds for name, arguments in gold.calls}
    calls: list[Message] = [
        call_message(name_of(tool), **{**given.get(name_of(tool), {}), name: text})
        for text in words.texts[:MOST_CALLS]
        for tool in tools
        for name, schema in properties_of(tool).items()
        if schema.get("type") == "string" and not schema.get("enum")
    ][:MOST_CALLS]
    if not calls:
        return []
    every = {**calls[0], "tool_calls": [call for message in calls for call in message["tool_calls"]]}
    return [
        *(Guess(A_CALL, [call]) for call in calls),
        *(Guess(CALLS_FIRST, [every, *own_turns(gold.turns)]) for gold in golds[:1]),
    ]
