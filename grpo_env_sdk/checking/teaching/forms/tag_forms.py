"""Answers between tags, with the line breaks that a prompt shows, and thoughts of several lines."""

import re

from grpo_env_sdk.checking.teaching.forms.form import Form
from grpo_env_sdk.late_patterns import regex

_ELEMENT = regex(r"<(\w+)>([^<]*)</\1>")
_OF_THOUGHTS = regex(
    r"<(think\w*|reason\w*|scratch\w*|steps|work\w*|analysis|explanation|rationale|plan)>([^<]*)</\1>",
    re.IGNORECASE,
)
_ONE_LINE = r"\b(?:one|single|same) line\b|line breaks?|newlines?"


def _as_laid_out(gold: str, prompt: str) -> str | None:
    """Each content on lines of its own where the prompt shows its tags so."""

    def in_lines(found: re.Match[str]) -> str:
        tag, content = found.groups()
        shown = re.search(rf"<{tag}>[ \t]*\n[^<]*\n[ \t]*</{tag}>", prompt)
        return f"<{tag}>\n{content.strip()}\n</{tag}>" if shown else found[0]

    text = _ELEMENT.sub(in_lines, gold)
    return None if text == gold else re.sub(r"(</\w+>)[ \t]*(?=<\w+>)", r"\1\n", text)


def _thoughts_in_lines(gold: str, prompt: str) -> str | None:
    """Thoughts of three lines between tags, where those of gold are on one."""
    found = _OF_THOUGHTS.search(gold)
    if found is None or "\n" in found[2].strip():
        return None
    more = "\nI look at it again.\nIt is right."
    return f"{gold[: found.start(2)]}{found[2].strip()}{more}{gold[found.end(2) :]}"


TAG_FORMS = (
    Form("between tags on lines of their own, as shown,", _as_laid_out, r"</\w+>", whole=True, sure=True),
    Form("after thoughts of several lines", _thoughts_in_lines, r"</\w+>", _ONE_LINE, whole=True, sure=True),
)
