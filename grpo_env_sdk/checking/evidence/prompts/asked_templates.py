"""The forms of an answer that a prompt asks for, or shows by an example, as templates with a slot for the answer."""

import json
import re
from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.late_patterns import regex

SLOT = "\0"
"""Stands for the answer in a template."""
MOST_SHOWN, MOST_FRAME = 25, 60
"""What a prompt shows between the tags for the answer is no longer, and neither is an example of an answer."""
_VERB = r"\b(?:in|inside|within|between|put|wrap|enclose|enclosed|use|using|with|as)\b[^.!?\n]{0,60}?"
_TAGS = regex(_VERB + r"<(answer|solution|result|final|final_answer|output|response)>", re.IGNORECASE)
_NAMED = (
    (regex(_VERB + r"(\\boxed)\b", re.IGNORECASE), f"\\boxed{{{SLOT}}}"),
    (regex(r"(?:after|behind|with|write|use)\b[^.!?\n]{0,40}?(####)", re.IGNORECASE), f"#### {SLOT}"),
)
"""What a prompt says of a form, and the template of that form."""
_ANSWERS = r"\b(?:answer|reply|respond|return|output|result|write|give|put|end|finish|state|print|submit)\w*\b"
_LIKE = r"\b(?:form|format|formatted|like|as|example|template|such as|exactly|e\.g)\b"
_SENTENCE = r"[^.!?\n]{0,80}?(?:e\.g\.)?[^.!?\n]{0,40}?"
_ITSELF = (
    r"(?:it|them|(?:the|your|that|this|its) (?:final )?(?:answer|number|result|word|letter|name|value|solution|reply))"
)
_ENDS = r"(?= ?(?:[.!;\n]|$|, (?:and|like|such)|and nothing))"
_PUT = (
    rf"\b(?:put|wrap|enclose|surround|place|write|give|set)\w* {_ITSELF} (?:\w+ ){{0,2}}?"
    "(?:in|inside|into|within|between|with|by) "
)
_AROUND = {
    r"(?:an? |one )?(?:fenced |markdown )?code (?:block|fence)s?": f"```\n{SLOT}\n```",
    r"(?:double )?(?:quotes|quotation marks)": f'"{SLOT}"',
    r"single quotes": f"'{SLOT}'",
    r"(?:round )?(?:parentheses|brackets)": f"({SLOT})",
    r"square brackets": f"[{SLOT}]",
    r"angle brackets": f"<{SLOT}>",
    r"(?:double|two) (?:asterisks|stars)": f"**{SLOT}**",
    r"backticks": f"`{SLOT}`",
    r"dollar signs": f"${SLOT}$",
}
_PAIRED = tuple(
    (regex(f"{_PUT}(?:a pair of )?{sign}{_ENDS}", re.IGNORECASE), template) for sign, template in _AROUND.items()
)
"""What a prompt says to put the answer between."""
_MARKED = (
    (regex(_ANSWERS + _SENTENCE + r"double (?:square )?brackets", re.IGNORECASE), f"[[{SLOT}]]"),
    (regex(_ANSWERS + _SENTENCE + r"\bin (?:\*\*)?bold\b", re.IGNORECASE), f"**{SLOT}**"),
    (regex(_ANSWERS + _SENTENCE + r"\bin italics?\b", re.IGNORECASE), f"*{SLOT}*"),
    (
        regex(_ANSWERS + _SENTENCE + r"\b(?:inline code|code marks|backticks|monospace)\b", re.IGNORECASE),
        f"`{SLOT}`",
    ),
    (
        regex(_ANSWERS + _SENTENCE + r"\b(?:as|in) (?:a )?(?:block ?quote|quote block)\b", re.IGNORECASE),
        f"> {SLOT}",
    ),
    (regex(_ANSWERS + _SENTENCE + r"\bJSON\b[^.\n]{0,40}?\b(?:key|field)s? [`\"']?(\w+)", re.IGNORECASE), "{key}"),
)
_OBJECT = regex(_ANSWERS + _SENTENCE + r"[`'\"]?(\{\s*\"\w+\"\s*:\s*[^{}\n]{0,40}\})", re.IGNORECASE)
_QUOTED = regex(_ANSWERS + _SENTENCE + _LIKE + r"[^.!?\n]{0,30}?([`\"'“])([^`\"“”\n]{2,60}?)[`\"'”]", re.IGNORECASE)
_EXAMPLE = rf"(?:{_ANSWERS}{_SENTENCE}{_LIKE}|\bexample\b[^!?\n]{{0,40}}?\banswer\b)[^!?\n]{{0,30}}?"
_ELEMENT = regex(_EXAMPLE + r"<(\w+)>([^<>\n]{0,25})</\1>", re.IGNORECASE)
_BRACKETED = regex(_ANSWERS + _SENTENCE + r"\blike (\[+[^\[\]\n]{1,20}\]+|\(\([^()\n]{1,20}\)\))", re.IGNORECASE)
_LABEL = regex(
    r"\b(?i:line|start|begin|end|finish|prefix|write|says?|form|put)\w*\b[^.!?\n]{0,40}?"
    r"(?:([`\"'])([^\W\d_][\w ]{0,20}:) ?\1|\b([A-Z]{2,}(?: [A-Z]{2,})*:)(?!\w))"
)
_SUCH_AS = (
    r"{}[`\"'”],? (?:such as|as in|like|e\.g\.,?|for (?:example|instance),?) "
    r"[`\"'“]([^\n]{{2,120}}?)[`\"'”](?!\w)"
)
_WORD = regex(r"(?<![<\[{#\w])[^\W\d_]{2,}(?![>\]}\w])")
_PLACE = regex(r"\.\.\.|…|<[^<>]{1,30}>|\[[^\[\]]{1,30}\]|\{[^{}]{1,30}\}|\b(?:N|X|YOUR[ _]ANSWER)\b")
_OTHER_PLACE = regex(r"\b[A-Z]{2,}\b(?! ?[:=])")
_NUMBER = regex(r"-?\d+(?:[.,]\d+)*")
_OWN_LINE = rf"[^\n]{{0,120}}:[ \t]*\n+(?:```\w*\n)?[ \t]*([^\n]{{2,{MOST_FRAME}}}?)[ \t]*(?:\n|$)"
_LINE = regex(rf"(?:{_ANSWERS}|{_LIKE}|\b(?:lines?|close|this)\b){_OWN_LINE}", re.IGNORECASE)
_EXAMPLE_LINE = regex(
    r"\b(?:like this|formatted|format|for example|such as|e\.g\.|in (?:this|the) form|example of an answer)"
    rf"{_OWN_LINE}",
    re.IGNORECASE,
)
"""A line of its own below a sentence that speaks of the answer: with a place for it, and with an example."""
_MARKUP = r"[*_`~>#|]"
_MARKED_UP = regex(rf"({_MARKUP}+ ?(?:[^\W\d_][\w ]{{0,30}}:)?{_MARKUP}* ?)([\w.,/-]+)({_MARKUP}*)")
"""A line with marks of Markdown, perhaps a label, and one value."""


def asked_templates(prompt: str, answer: str) -> list[str]:
    """Each form that a prompt asks for, with a slot for the answer; none that has nothing around it."""
    found = [template for pattern, template in (*_NAMED, *_PAIRED) if pattern.search(prompt)]
    found += [f"<{tag}>{SLOT}</{tag}>" for tag in _TAGS.findall(prompt) if not _holds_data(prompt, tag)]
    found += [_marked(template, hit) for pattern, template in _MARKED for hit in pattern.findall(prompt)[-1:]]
    found += _of_objects(prompt)
    found += [f"<{tag}>{SLOT}</{tag}>" for tag, _ in _ELEMENT.findall(prompt) if not _holds_data(prompt, tag)]
    quoted = [text for _, text in _QUOTED.findall(prompt) if not _explained(text, prompt)]
    examples = quoted + _BRACKETED.findall(prompt)
    found += [template for text in examples if (template := _with_slot(text, answer))]
    lines = [_with_slot(line, "") for line in _LINE.findall(prompt) if re.search(_MARKUP, line)]
    lines += [_marked_up(line, answer) for line in _EXAMPLE_LINE.findall(prompt)]
    found += filter(None, lines)
    found += [f"{one} {SLOT}" for _, quoted, plain in _LABEL.findall(prompt) if (one := quoted or _own(plain, prompt))]
    return list(dict.fromkeys(template for template in found if template.strip() != SLOT))


def filled(template: str, answer: str) -> str:
    """A template with an answer in it; within JSON as a number where it is one."""
    if not template.startswith("{"):
        return template.replace(SLOT, answer)
    key = template.strip("{}" + SLOT)
    return json.dumps({key: read_json(answer, answer)}, ensure_ascii=False)


def _explained(text: str, prompt: str) -> bool:
    """Whether an example right behind a quoted form has other words, so that those of the form stand for them."""
    example = re.search(_SUCH_AS.format(re.escape(text)), prompt, re.IGNORECASE)
    return bool(example) and not {*_WORD.findall(text)} <= {*_WORD.findall(example[1])}  # type: ignore[index]


def _own(label: str, prompt: str) -> str:
    """A label in capitals, or an empty string where the prompt has its word for something else: `ask: FIELD`."""
    return "" if re.search(rf"\b{re.escape(label[:-1])}\b(?!:)", prompt) else label


def _marked(template: str, hit: str) -> str:
    return f"{{{hit}{SLOT}}}" if template == "{key}" else template


def _of_objects(prompt: str) -> Iterator[str]:
    """The templates of the objects with one key that a prompt shows."""
    for shown in _OBJECT.findall(prompt):
        keys = re.findall(r"\"(\w+)\"\s*:", shown)
        if len(keys) == 1:
            yield f"{{{keys[0]}{SLOT}}}"


def _with_slot(text: str, answer: str) -> str:
    """An example of an answer with a slot for its one number or place, or an empty string."""
    if "</" in text or text.startswith("{") or len(text) > MOST_FRAME:
        return ""
    if len(_OTHER_PLACE.findall(text)) > 1:
        return ""  # it has places for other things too, such as CITY and HH:MM
    places = list(_PLACE.finditer(text)) or (list(_NUMBER.finditer(text)) if _NUMBER.fullmatch(answer) else [])
    if text.startswith("[["):
        return f"[[{SLOT}]]"
    return text[: places[0].start()] + SLOT + text[places[0].end() :] if len(places) == 1 else ""


def _marked_up(line: str, answer: str) -> str:
    """A line with marks of Markdown around a value of the kind of an answer, with a slot, or an empty string."""
    shown = _MARKED_UP.fullmatch(line)
    alike = shown and bool(_NUMBER.fullmatch(shown[2])) == bool(_NUMBER.fullmatch(answer))
    return f"{shown[1]}{SLOT}{shown[3]}" if shown and alike else ""


def _holds_data(prompt: str, tag: str) -> bool:
    """Whether a tag of the prompt is a part of the data in it, and not the place for the answer."""
    return any(
        len(held) > MOST_SHOWN or "<" in held for held in re.findall(rf"<{re.escape(tag)}>(.*?)</", prompt, re.S)
    )
