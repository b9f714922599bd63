"""Whether another day, month or grade may be meant than the one that a text names: the day after Monday."""

import re

from grpo_env_sdk.checking.evidence.prompts.named_numbers import NamedNumbers
from grpo_env_sdk.late_patterns import regex

_BESIDE = regex(
    r"\b(?:after|before|next|following|previous|preceding|later|earlier|ahead|eve|tomorrow|yesterday|today|tonight|"
    r"ago|from now|in (?:a|one|two|three|\d+) (?:day|week|month|step|level)s?|until|till|since|last|past|"
    r"postpone\w*|move[ds]?|shift\w*|bump\w*|raise[ds]?|lower\w*|higher|escalat\w*|upgrad\w*|downgrad\w*|"
    r"one (?:day|month|step|level|grade)|a (?:day|month|step|level|grade)(?! (?:of|for|in|when|on|at|and|this|to)\b)|"
    r"not (?:on|in|for|at)|nach|vor|danach|davor|morgen|gestern|nächste\w*|"
    r"folgende\w*|lendemain|veille|après|avant|demain|hier|prochaine?|suivante?|después|antes|mañana|ayer|"
    r"siguiente|próxim\w*)\b|\bnot (?-i:[A-Z])",
    re.IGNORECASE,
)
"""Words with which one beside the named one may be meant."""
_WHICH = r"(?:next|following|coming|last|past|previous|nächste\w*|kommende\w*|letzte\w*|próxim\w*)"
_LONGER = {7: "(?:week|fortnight|month|year)", 12: "year"}
"""What is longer than a round of so many, so that the next one has the same days or months."""
_MOVED = r"\b(?:move[ds]?|postpone\w*|shift\w*|bump\w*)\b"
_PAST_THE_HOUR = regex(r"\b(?:half|quarter|five|ten|twenty|twenty-five|\d+)(?: minutes)? past\b", re.IGNORECASE)
_AND_THEN = regex(r"(?:^|[.,;:!?\n]\s*)(?:and )?(?:after (?:that|this)(?! day| month| one)|next,)", re.IGNORECASE)


def one_beside_is_meant(text: str, named: NamedNumbers) -> bool:
    """Whether a text speaks of one beside the named ones; next Monday, and a move to Monday, are the day itself."""
    return _BESIDE.search(_without_the_same(text, named)) is not None


def _without_the_same(text: str, named: NamedNumbers) -> str:
    """A text without such words as leave the day or the month as it is named."""
    text = _AND_THEN.sub(" ", _PAST_THE_HOUR.sub(" ", text))
    if longer := _LONGER.get(named.around):
        which = rf"\b{_WHICH}\s+(?:{longer}\b|(?={named.pattern}\b))"
        text = re.sub(which, " ", text, flags=re.IGNORECASE)
    places = rf"(?:{named.pattern}|another (?:day|month)|any day|any month)"
    return re.sub(rf"{_MOVED}(?=[^.;\n]*\bto (?:\w+ ){{0,2}}{places}\b)", " ", text, flags=re.IGNORECASE)
