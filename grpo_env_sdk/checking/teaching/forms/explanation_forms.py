"""What an answer may stand behind: an explanation, long or with other numbers, and thoughts in tags."""

import re

from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS
from grpo_env_sdk.checking.teaching.forms.form import ONLY, SILENT, THINKS, Form
from grpo_env_sdk.late_patterns import regex

_BEGUN = regex(r"\s*(?:[{\[<`]|def |class |import |select )", re.IGNORECASE)
"""Gold that is data or code from its first letter on: words before it are not asked for."""
_BRIEF = rf"{SILENT}|{ONLY}|\b(?:begin|start|first (?:line|word)|brief\w*|short\w*|concise\w*|characters|at most)\b"
_UNITS = (
    r"\b(?:words?|tokens?|characters?|letters?|sentences?|lines?|long\w*|length|w[oö]rt\w*|zeichen|zeilen?|mots?|lignes?|"
    r"caract\w+|palabras?|parol[ae])\b"
)
_COSTS = (
    r"\b(?:costs?|penal\w+|deduct\w*|los(?:es?|t)|minus|fined?|subtract\w*|points? (?:less|fewer|off)|"
    r"kostet|kosten|abzug|coût\w+|cuestan?|costano?)\b"
)
_COUNTED = (
    rf"{_UNITS}[^.;\n]{{0,120}}?{_COSTS}|{_COSTS}[^.;\n]{{0,80}}?{_UNITS}|"
    rf"\b(?:above|over|beyond|past|than|up to|under|below|within|maximum of|limit\w*(?: of| to)?) "
    rf"(?:\d+|\w+ty|{COUNT_WORDS}) (?:\w+ )?{_UNITS}|{_UNITS} (?:limit|budget|above|over|beyond)\b"
)
"""What a prompt says that limits or prices how much is written."""
_WORKS = r"(?:work\w*|reason\w*|think|explain|calculat\w*|show)\b"
_AT_THE_END = (
    rf"\A(?=[\s\S]*(?:{THINKS}|\bfirst {_WORKS}|\b(?:you (?:may|can|should|are free to)|feel free to)\b"
    rf"[^.?!\n]{{0,40}}\b{_WORKS}))(?=[\s\S]*\b(?:(?:end|finish|conclude|close) (?:with|by|your|it with)|"
    r"(?:last|final) line|(?:answer|number|letter|option|result|put|state)\b[^.?!\n]{0,60} at the (?:very )?end)\b)"
)
"""What a prompt says that wants the answer at the end of its explanation."""
_FIRST = (
    rf"{SILENT}|\bfirst (?:line|word|letter|number|option)\b|\b(?:begin|start|mention)\b|\bno other\b|"
    r"\b(?:two|second|several|more than one|other) (?:letter|option|number)s?\b|\bcounts? as wrong\b|"
    r"\b(?:only|exactly) one\b"
)
_LAST = regex(r"(?<!\w)(\d+|[^\W\d_]+)\W*\Z")
_NUMBER = regex(r"(?<![\w.,])\d{1,6}(?![\w]|[.,]\d)")
_OPTION = regex(r"^\s*\(?([A-Ha-h])[).:]\s+\S|['\"`]([^\W\d_]+)['\"`]", re.MULTILINE)
"""The letter of an option, or a word in quotes."""
_LONG_THOUGHT = "\n".join(
    f"{place}, I look at what is asked, I compare it with what is given, and I write down what follows from both."
    for place in ("First", "Then", "Next", "After that", "Once more", "To be sure", "Again", "At last")
)


def explained(gold: str, prompt: str) -> str | None:
    """Behind a short explanation, unless gold is data or code."""
    return None if _BEGUN.match(gold) else f"Let me think about what is asked, one step after another.\n\n{gold}"


def _at_length(gold: str, prompt: str) -> str | None:
    return None if _BEGUN.match(gold) else f"{_LONG_THOUGHT}\n\n{gold}"


def _among_numbers(gold: str, prompt: str) -> str | None:
    """Behind an explanation that names numbers, none of which is in gold."""
    others = [number for number in ("7", "31", "204", "5", "88") if number not in gold][:2]
    if not others or _BEGUN.match(gold) or not re.search(r"\d", gold):
        return None
    thought = f"At first I thought of {others[0]}, and then of {others[-1]}. Neither is right."
    return f"{thought}\n\n{gold}"


def _naming_others(gold: str, prompt: str) -> str | None:
    """Behind an explanation that names other options of the prompt, or others of its numbers."""
    last = _LAST.search(gold)
    if _BEGUN.match(gold) or last is None:
        return None
    is_number = last[1].isdecimal()
    named = _NUMBER.findall(prompt) if is_number else [letter or word for letter, word in _OPTION.findall(prompt)]
    others = [one for one in dict.fromkeys(named) if not re.search(rf"(?<!\w){re.escape(one)}(?!\w)", gold)]
    if not others or not (is_number or last[1] in named):
        return None
    return f"At first I look at {others[0]}, and then at {others[-1]}, but neither is the answer.\n\n{gold}"


def _in_thoughts(gold: str, prompt: str) -> str | None:
    return None if "<think>" in gold else f"<think>\nLet me see what is asked.\n</think>\n\n{gold}"


def _after_a_try(gold: str, prompt: str) -> str | None:
    """Behind thoughts in which another answer is tried in the same form, and dropped."""
    last = gold.rstrip().rpartition("\n")[2]
    other = re.sub(r"\d+(?=\D*$)", lambda found: str(int(found.group()[:6]) + 7), last)
    other = re.sub(r"[^\W\d_]+(?=\W*$)", "otherwise", last) if other == last else other
    return None if other == last or _BEGUN.match(gold) else f"<think>\nPerhaps {other}\nNo.\n</think>\n\n{gold}"


EXPLANATION_FORMS = (
    Form("after an explanation", explained, THINKS, rf"{SILENT}|<think", True),  # in tags is another form
    Form("after a long explanation", _at_length, "", rf"{_BRIEF}|{_COUNTED}", True, beside=explained),
    Form("after an explanation that names other numbers", _among_numbers, "", _BRIEF, True, beside=explained),
    Form(
        "after an explanation that names other options or numbers",
        _naming_others,
        _AT_THE_END,
        rf"{_FIRST}|{_COUNTED}",
        whole=True,
        sure=True,
        beside=explained,
    ),
    Form("after thoughts in tags", _in_thoughts, r"<think>|\bthink\w* tags?\b", SILENT, True, True),
    Form(
        "after thoughts that try another answer",
        _after_a_try,
        r"\bthink|\breason|scratch|work (?:it )?out",
        SILENT,
        whole=True,
        sure=True,
        beside=_in_thoughts,
    ),
)
