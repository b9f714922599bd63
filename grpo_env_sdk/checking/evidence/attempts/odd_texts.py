"""Unusual answers that models give sooner or later, each with its name in findings."""

from collections.abc import Iterable

from grpo_env_sdk.checking.findings.finding import Severity

LONG_NUMBER = "a number of 5,000 digits"
"""Python refuses to read it, and models hardly ever write one."""
DEEP_JSON, OPEN_BRACKETS = "deep JSON", "open brackets"
"""Nested by the thousand, deeper than Python recurses, and as rare."""

ODD_TEXTS: dict[str, str] = {
    "an empty answer": "",
    "a space": " ",
    "line breaks alone": "\n\r\n\t\n",
    "one letter": "a",
    "a full stop": ".",
    "zero": "0",
    "a negative number": "-1",
    "a negative zero": "-0.0",
    "a decimal": "3.14159",
    "a decimal comma": "3,5",
    "a fraction over zero": "1/0",
    "a number with thousands": "1,234,567.89",
    "an exponent beyond any float": "1e400",
    "infinity": "inf",
    "not a number": "nan",
    "a superscript digit": "²",
    "a digit of another script": "٣ and ४ and Ⅷ",
    LONG_NUMBER: "9" * 5_000,
    "a power too large for a float": "10**400",
    "two numbers": "1 2",
    "a range": "1-2",
    "a percentage": "50%",
    "a minus sign of typography": "−7",  # noqa: RUF001  # what models write
    "None": "None",
    "True": "True",
    "yes": "yes",
    "a refusal": "I'm sorry, but I can't help with that.",
    "a long explanation": "Let me think step by step. " * 400,
    "a hundred thousand letters": "a" * 100_000,
    "a word without end and a mark": "a" * 40 + "!",
    "twenty thousand spaces": " " * 20_000 + "x",
    "a thousand lines": "line\n" * 1_000,
    OPEN_BRACKETS: "(" * 3_000,
    DEEP_JSON: "[" * 2_000 + "]" * 2_000,
    "every number to 1,000": " ".join(map(str, range(1_001))),
    "an empty object": "{}",
    "an empty list": "[]",
    "JSON null": "null",
    "a JSON number": "7",
    "a JSON text": '"answer"',
    "a JSON list": "[1, 2, 3]",
    "a JSON list of lists": "[[1, 2], [], [null]]",
    "a JSON object with an answer": '{"answer": 1}',
    "a JSON object with null": '{"answer": null}',
    "a JSON object of another shape": '{"result": {"value": [1, {"a": true}]}}',
    "JSON that holds NaN": '{"answer": NaN}',
    "half a JSON object": '{"answer": ',
    "a JSON object in a fence": '```json\n{"answer": "x"}\n```',
    "an open fence": "```python\n",
    "empty answer tags": "<answer></answer>",
    "an open answer tag": "<answer>",
    "a closing answer tag alone": "</answer>",
    "answer tags the wrong way round": "</answer>5<answer>",
    "answer tags twice": "<answer>1</answer><answer>2</answer>",
    "nested answer tags": "<answer><answer>1</answer></answer>",
    "an open thought": "<think>hmm",
    "a closing thought alone": "</think>",
    "an empty box": "\\boxed{}",
    "an open box": "\\boxed{",
    "a box in a box": "\\boxed{\\frac{1}{2}}",
    "a marker with nothing after it": "####",
    "words after a marker": "#### the answer",
    "a colon with nothing after it": "Answer:",
    "a tool call as text": '<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>',
    "half a tool call": '<tool_call>\n{"name": ',
    "a special token": "<|im_end|><|endoftext|>",
    "markup": "<b>1</b><script>alert(1)</script>&nbsp;",
    "regular expression signs": "(?P<x>[a-z]+)*\\d{2,}|^$",
    "format signs": "%s %d {} {0} {name}",
    "a lone backslash": "\\",
    "quotes": "'\"`''\"\"",
    "a NUL": "a\x00b",
    "control characters": "\x07\x1b[31m\x7f\x85\u2028",
    "invisible characters": "\u200b\ufeff\u2060\u00ad",
    "right to left": "\u202eabc\u202c שלום مرحبا",
    "accents in two forms": "\u00e9 e\u0301",
    "Chinese, Japanese, Korean": "答案是五 こたえ 정답",
    "Hindi and Thai": "उत्तर คำตอบ",
    "emoji": "👍🏽👨‍👩‍👧‍👦🏁",
    "half a surrogate pair": "\ud83d",
    "the largest code point": "\U0010ffff",
    "letters that grow in upper case": "ßﬁİ",
}


def severity_of(names: Iterable[str], error: str) -> Severity | None:
    """Info where only answers fail, with this type of error, that are too long or too deep for Python."""
    rare = (DEEP_JSON, OPEN_BRACKETS) if error == "RecursionError" else (LONG_NUMBER,)
    return "info" if all(name.startswith(rare) for name in names) else None
