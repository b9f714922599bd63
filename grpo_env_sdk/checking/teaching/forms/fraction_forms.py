"""Other ways to write a fraction: with a slash, in LaTeX, as a mixed number."""

import re
from fractions import Fraction

from grpo_env_sdk.checking.teaching.forms.form import NEGATED, ONLY, SILENT, Form


def _display_fraction(core: str, prompt: str) -> str | None:
    return core.replace("\\frac", "\\dfrac") if "\\frac" in core else None


def _slashed(core: str, prompt: str) -> str | None:
    """A fraction in LaTeX with a slash."""
    changed = re.sub(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}", r"\1/\2", core)
    return changed if changed != core else None


def _in_latex(core: str, prompt: str) -> str | None:
    found = re.fullmatch(r"(-?)(?:(\d+) )?(\d+)/(\d+)", core)
    return f"{found[1]}{found[2] or ''}\\frac{{{found[3]}}}{{{found[4]}}}" if found else None


def _mixed_or_not(core: str, prompt: str) -> str | None:
    """A mixed number as a fraction, and a fraction above 1 as a mixed number."""
    if found := re.fullmatch(r"(\d+) (\d+/[1-9]\d*)", core):
        return str(int(found[1]) + Fraction(found[2]))
    if not re.fullmatch(r"\d+/[1-9]\d*", core):
        return None
    whole, rest = divmod(Fraction(core), 1)
    return f"{whole} {rest}" if whole and rest else None


_SLASH = (
    r"(?:(?:like|such as|e\.g\.?,?|example:?,?|instance,?)(?: an?(?: \w+){1,2})?|form|as)"
    rf" ?[`'\"]?(?:-?\d+ )?(?:\d+/\d+|\w/\w)|slash|{ONLY}"
    r"|\b(?:fractions?|numbers?) \((?:\d+ )?\d+/\d+\)"
)
"""What a prompt says that shows the form of a fraction by an example, which may be a mixed number."""
_NAMES = r"\A(?=[\s\S]*\b(?:fine|accept\w*|allow\w*|okay|ok|either|both|such as|like|form|as \W{0,2}[dt]?frac)\b)"
"""What a sentence says that names a way to write the answer."""
_IN_LATEX = r"(?=[\s\S]*\bfraction\b[^.\n]{0,20}\b(?:in|as|using|with) LaTeX\b)"
_LATEX = rf"(?:{_NAMES}(?=[\s\S]*\\[dt]?frac\{{[a-z]\w*\}}\{{[a-z]\w*\}})|{_IN_LATEX})"
_PLAIN = rf"{_NAMES}(?=[\s\S]*(?<![\w{{/])(?:[a-z]|num\w*)/(?:[a-z]|den\w*)(?![\w}}/]))(?=[\s\S]*frac)"
_MIXED = rf"{_NAMES}(?=[\s\S]*\bmixed (?:number|fraction))(?=[\s\S]*\bfractions?\b(?! only))"
FRACTION_FORMS = (
    Form("as the fraction in LaTeX that it names", _in_latex, _LATEX, sure=True, unless=NEGATED),
    Form("as the fraction with a slash that it names", _slashed, _PLAIN, sure=True, unless=NEGATED),
    Form(
        "as a fraction or a mixed number, both of which it names,", _mixed_or_not, _MIXED, r"\bmixed \w+ (?:if|when)\b",
        unless=rf"{NEGATED}|\bas an? mixed",
    ),
    Form("with \\dfrac", _display_fraction, "", rf"exactly|\\d?frac\{{[a-z]+\}}|{SILENT}", sure=True),
    Form("as a fraction with a slash", _slashed, "", r"\bLaTeX\b|exactly|\bas \S*frac"),
    Form("as a fraction in LaTeX", _in_latex, r"\bfraction\b|\\frac", _SLASH),
)  # fmt: skip
"""`sure` are those that the prompt names, and those that differ in nothing but their size."""
