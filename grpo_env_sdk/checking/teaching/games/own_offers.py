"""Whether one's own refused offer may be accepted: naming an extreme price, and then agreeing to it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    as_good_as_gold,
    golds,
    less_than_gold,
    play_answers,
    reward_of,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown, quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_ROWS, FEWEST_ROWS, MOST_VERBS, MOSTLY = 2, 8, 4, 2, 0.75
"""On how many rows it is tried first and then, on how many it has to pay, and how many words may begin an offer."""
HIGH = 9_999
"""The least price that is tried as a high one."""
_ACCEPTS = regex(r"\b(ACCEPT|AGREED?|DEAL)\b|['\"`](accept|agreed?|deal)\b", re.ASCII)
_OFFERS = regex(
    r"\b((?:OFFER|BID|PROPOSE|COUNTER|PRICE|ASK|PAY|SELL|BUY):?)|"
    r"['\"`]((?:offer|bid|propose|counter|price|ask|pay|sell|buy)\b:?)"
)
_ACCEPTING = regex(r"(?:accept|agree|close_deal|take_offer)(?:_|$)")
_OFFERING = regex(r"(?:offer|propose|bid|counter|make_offer|name_price)(?:_|$)|_(?:offer|bid|price)$")
_NUMBER = regex(r"(?<![\w.])\d{1,6}(?:\.\d+)?(?![\w.]*\d)")
_REFUSED = regex(
    r"\b(?:no|not|never|too|jok\w+|refus\w+|reject\w*|declin\w+|real|serious\w*|cannot|insult\w*|ridiculous|absurd|"
    r"unacceptable|sorry|less|lower|higher|more|better|again)\b|n[\u2019']t\b",
    re.IGNORECASE,
)
"""What the reply to an offer says that refuses it; others may ask to confirm it."""
Act = str | Message


@dataclass(frozen=True, slots=True)
class Haggling:
    """How a price is offered and accepted, and what ends a conversation in which nothing else does."""

    offer: Callable[[float], Act]
    accept: Act
    end: tuple[Act, ...] = ()

    def turns(self, *acts: Act) -> list[Act]:
        """These acts, and what ends the conversation."""
        return [*acts, *self.end]


@check("G638", kinds=("tools", "multi-turn"))
def nobody_accepts_an_own_offer(subject: Subject) -> Iterator[Finding]:
    """Accepting after one's own offer was refused scores less than gold."""
    rows = (list(golds(subject)) or subject.sample(MOST_ROWS))[:MOST_ROWS]
    if len(rows) < FEWEST_ROWS:
        return
    for haggling in _ways(subject, rows[0]):
        for high in (True, False):
            tasted = [_own_accepted(subject, row, haggling, high) for row in rows[:TASTED]]
            if not any(tasted):
                continue
            rest = [_own_accepted(subject, row, haggling, high) for row in rows[TASTED:]]
            won = [one for one in (*tasted, *rest) if one is not None]
            if len(won) >= max(FEWEST_ROWS, MOSTLY * len(rows)):
                yield _finding(subject, won, len(rows))
                return


def _ways(subject: Subject, row: int) -> Iterator[Haggling]:
    """The ways to haggle that a prompt names in capitals or quotes, or that tools are named for."""
    tools, prompt = subject.tools_of(row), prompt_text(subject, row)
    accepting = next((name_of(one) for one in tools if _ACCEPTING.match(name_of(one)) and not required_of(one)), None)
    for tool in tools if accepting else ():
        needed = required_of(tool)
        kinds = [properties_of(tool).get(name, {}).get("type") for name in needed]
        if _OFFERING.search(name_of(tool)) and len(needed) == 1 and kinds[0] in ("integer", "number"):
            yield _by_tools(name_of(tool), needed[0], str(accepting), subject.traits.kind == "tools")
    accepts = ["".join(one) for one in _ACCEPTS.findall(prompt)]
    verbs = list(dict.fromkeys("".join(one) for one in _OFFERS.findall(prompt)))
    for verb in verbs[:MOST_VERBS] if accepts and subject.traits.kind == "multi-turn" else ():
        yield _by_words(verb, accepts[0])


def _by_tools(offer: str, parameter: str, accept: str, ends_in_text: bool) -> Haggling:
    end = ("Done.",) if ends_in_text else ()
    return Haggling(lambda price: call_message(offer, **{parameter: price}), call_message(accept), end)


def _by_words(verb: str, accept: str) -> Haggling:
    return Haggling(lambda price: f"{verb} {price:g}", accept)


def _own_accepted(subject: Subject, row: int, haggling: Haggling, high: bool) -> Episode | None:
    """The episode in which the own extreme offer is accepted after it was refused, if that pays as gold does."""
    limit = max((float(one) for one in _NUMBER.findall(prompt_text(subject, row))), default=100)
    price = max(int(10 * limit), HIGH) if high else 1
    offer = haggling.offer(price)
    played = play_answers(
        subject,
        [
            (row, haggling.turns(offer, haggling.accept)),
            (row, haggling.turns(haggling.accept)),
            (row, haggling.turns("lorem ipsum", haggling.accept)),
            (row, haggling.turns(offer)),
        ],
    )
    if len(played) < 4 or not was_scored(played[0]) or not as_good_as_gold(subject, played[0]):
        return None
    if any(as_good_as_gold(subject, one) for one in played[1:]) or len(own_turns(played[0].completion)) < 2:
        return None
    named = {float(one) for one in _NUMBER.findall(reply_to(played[0]))} - {float(price)}
    return played[0] if _beats(subject, played[0], haggling, sorted(named)) else None


def _beats(subject: Subject, episode: Episode, haggling: Haggling, named: Sequence[float]) -> bool:
    """Whether it earns more than each price that the reply named, all of which can be had by offering them."""
    if haggling.end and named:
        return False
    played = play_answers(subject, [(episode.row_index, [haggling.offer(price), "lorem ipsum"]) for price in named])
    had = [one for one in played if was_scored(one) and len(own_turns(one.completion)) == 1]
    least = subject.traits.reward_range[0]
    best = max((reward_of(one) for one in had), default=least)
    return len(had) == len(named) and (not named or least + NEARLY < best < reward_of(episode) - NEARLY)


def _finding(subject: Subject, won: Sequence[Episode], of: int) -> Finding:
    first = won[0]
    turns = own_turns(first.completion)
    gold, refused = golds(subject).get(first.row_index), all(_REFUSED.search(reply_to(one)) for one in won)
    return Finding(
        f"An own offer, to which the reply is {quoted(reply_to(first))}, can be accepted by who made it, on {len(won)} "
        f"of {of} rows: {answer_shown(turns[:2])} scores {first.reward:g}"
        f"{f', gold {gold.reward:g}' if gold else ''}.",
        "Keep whose offer is on the table, and let only the last offer of the other side be accepted.",
        first.row_index, turns, first.reward, less_than_gold(subject, first),
        "error" if refused else "warning",
    )  # fmt: skip
