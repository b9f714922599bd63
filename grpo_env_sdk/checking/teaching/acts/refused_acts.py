"""Whether an act that a tool refuses counts as done."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import gold_episodes
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    Turns,
    as_good_on_most,
    compared_acts,
    last_acts,
    paid,
    played_acts,
    won_of,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import REFUSED
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

TASTED, LONGEST = 4, 300
"""On how many rows a spoilt call is tried first, and how long a refusal may be."""
_NO = re.compile(
    r"\"(?:ok|success|valid|verified|accepted|matche?s?|approved|authori[sz]ed)\": ?false|"
    r"\b(?:do(?:es)?|did|is|are|was|has|have|can|could) ?not\b|\b\w+n't\b|\bno (?:match|longer)\b|"
    r"\b(?:refused|rejected|declined|forbidden|unknown)\b",
    re.IGNORECASE,
)
"""What else the reply to a refused call says, where the reply to gold's does not."""


@check("G563", kinds=("tools", "multi-turn"), needs=("calls", "acts"))
def refused_acts_do_not_count(subject: Subject) -> Iterator[Finding]:
    """A call of gold that is spoilt so that its tool refuses it does not count as done."""
    looking = {name_of(tool) for tool in subject.tools if only_looks(tool)}
    for name, acts in last_acts(subject).items():
        answered = [act for act in acts if name not in looking and not _refused(_own(subject, act), act)]
        for parameter in acts[0].arguments if len(answered) >= FEWEST_ROWS else ():
            spoilt = [(act, _spoilt(act, parameter)) for act in answered if parameter in act.arguments]
            if not _counted(subject, spoilt[:TASTED]):
                continue
            won = _counted(subject, spoilt)
            without = won_of(subject, compared_acts(subject, [(act, _rest(act)) for act, _ in spoilt]))
            if as_good_on_most(subject, won, len(spoilt)) and 3 * len(without) <= len(spoilt):
                reply = next(call for call in won[0].tool_calls if _says_no(call))
                yield paid(
                    subject, won, len(spoilt), f"A call of {name} that is refused ({str(reply['content'])[:80]!r})",
                    "Refuse first, and change what the scorer looks at only afterwards.",
                )  # fmt: skip
                return


def _spoilt(act: Act, parameter: str) -> Turns:
    """Gold with another value in this call."""
    return [
        *act.before,
        act.again(**{parameter: wrong_value(act.arguments[parameter])}),
        *_rest(act)[len(act.before) :],
    ]


def _rest(act: Act) -> Turns:
    """Gold without this call: what came before it, and the words at the end."""
    after = act.gold.turns[len(act.before) + 1 :]
    return [*act.before, *after] if after else [*act.before, *act.end]


def _counted(subject: Subject, spoilt: Sequence[tuple[Act, Turns]]) -> list[Episode]:
    """The episodes in which the spoilt call was refused, and that are as good as gold."""
    acts = {act.gold.row: act for act, _ in spoilt}
    return [one for one in won_of(subject, played_acts(subject, spoilt)) if _refused(one, acts[one.row_index])]


def _own(subject: Subject, act: Act) -> Episode:
    return gold_episodes(subject)[act.gold.row]


def _refused(episode: Episode, act: Act) -> bool:
    """Whether the call in the place of this act was refused by the tool itself."""
    place = sum(len(turn.get("tool_calls") or ()) for turn in act.before)
    return len(episode.tool_calls) > place and _says_no(episode.tool_calls[place])


def _says_no(call: Mapping[str, Any]) -> bool:
    if call["error"] in REFUSED:
        return False
    said = without_echo(str(call["content"]), call["arguments"])
    return bool(call["error"]) or (len(said) <= LONGEST and (SAYS_WRONG.search(said) or _NO.search(said)) is not None)
