"""Rendered terminal output as plain text: colours become brackets."""

import re

_BRACKETS = {"42": ("<", ">"), "34": ("(", ")"), "35": ("{", "}")}
"""The brackets for text of these colours: green background, blue and magenta; all other colours are []."""
_COLOURED = re.compile(r"((?:\x1b\[[0-9;]*m)*\x1b\[[0-9;]*[1-9][0-9;]*m)([^\x1b]+)")
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def plain(screen: str) -> str:
    """The rendered text without control sequences, with coloured parts in brackets."""
    text = _CONTROL.sub("", _COLOURED.sub(_bracketed, screen))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _bracketed(found: re.Match[str]) -> str:
    text = found[2]
    for codes in re.findall(r"\x1b\[([0-9;]*)m", found[1])[::-1]:
        if codes.strip("0;"):
            left, right = next((_BRACKETS[code] for code in codes.split(";") if code in _BRACKETS), ("[", "]"))
            text = f"{left}{text}{right}"
    return text
