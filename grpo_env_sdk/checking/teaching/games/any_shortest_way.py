"""Whether each of several shortest ways through the links of a prompt is right."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, golds
from grpo_env_sdk.checking.evidence.prompts.listed_links import Network, Way, networks_in
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.games.as_good_refused import MOSTLY, as_good_refused
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, FEWEST_READ, TRIED = 40, 6, 2
FEWEST_NAMES = 3
_SHORTEST = regex(
    r"\b(?:shortest|fewest|cheapest|fastest|quickest|least|minim\w+|optimal|as (?:few|short|cheap|fast|quick|little)|"
    r"kürzeste\w*|wenigsten|plus courte?|más corta|più breve)\b",
    re.IGNORECASE,
)
_ONE_OF_THEM = regex(
    r"\b(?:alphabet\w*|lexicograph\w*|ties?|tied|all (?:of them|shortest)|avoid\w*|except|closed|blocked|broken|via|"
    r"through|chang\w+|transfers?|unless|prefer\w*|first (?:one|in|of)|earliest|smallest|largest)\b|"
    r"(?:\bwithout|\bnot|n't) (?:pass|us|stop|visit|enter|cross|tak|go)\w*",
    re.IGNORECASE,
)
"""What a prompt says where one of the shortest ways may be right alone, or not every link is open."""
_COUNTED = regex(r"\b(?:fewest|as few|wenigsten)\b", re.IGNORECASE)
_PRICED = regex(
    r"\b(?:cheap\w*|fast\w*|quick\w*|costs?|prices?|fares?|tolls?|times?|minutes?|min|hours?|km|kilomet\w+|miles?|distances?)\b",
    re.IGNORECASE,
)
"""What a prompt says where links may differ in what they cost."""


@dataclass(frozen=True, slots=True)
class Routed:
    """A row whose gold is a cheapest way through what its prompt lists."""

    gold: Gold
    core: str
    """Its part with the names."""
    way: Way
    network: Network


@check("G686", kinds=("single-turn",), needs=("gold",))
def any_shortest_way_is_right(subject: Subject) -> Iterator[Finding]:
    """Each way through the links of the prompt that is as short as gold's is right."""
    known = [gold for gold in golds(subject).values() if gold.text][:MOST_ROWS]
    prompts = {gold.row: prompt_text(subject, gold.row) for gold in known}
    known = [gold for gold in known if _SHORTEST.search(prompts[gold.row])]
    if len(known) < FEWEST_READ or any(_ONE_OF_THEM.search(prompts[gold.row]) for gold in known):
        return
    form = form_of([gold.text for gold in known])
    found = [one for gold in known if (one := _routed(gold, without_form(gold.text, form), prompts[gold.row]))]
    if len(found) < max(FEWEST_READ, MOSTLY * len(known)):
        return
    answers: list[tuple[int, Completion]] = [
        (one.gold.row, _written(one, way)) for one in found for way in islice(one.network.as_cheap(one.way), TRIED)
    ]
    yield from as_good_refused(
        subject, answers, "Another way through the links of the prompt, as short as gold's, is",
        "Check each link of the answer and count them, or draw only tasks that have one shortest way.",
    )  # fmt: skip


def _routed(gold: Gold, core: str, prompt: str) -> Routed | None:
    """Gold as a way through what its prompt lists; None where it is none, or not a cheapest one."""
    for network, said in product(networks_in(prompt), (core, gold.text)):
        way = tuple(_names_in(said, network))
        cost = network.cost(way) if FEWEST_NAMES <= len(way) == len(set(way)) else None
        if not network.priced and not _counts_links(prompt, network):
            continue
        if cost is not None and abs(cost - (network.least(way[0], way[-1]) or 0.0)) < NEARLY:
            return Routed(gold, said, way, network)
    return None


def _counts_links(prompt: str, network: Network) -> bool:
    """Whether all links of a prompt are alike, as far as it can be seen."""
    no_numbers = not re.search(r"\d", re.sub(_any_of(network.links), "", prompt))
    return not _PRICED.search(prompt) and bool(no_numbers or _COUNTED.search(prompt))


def _names_in(text: str, network: Network) -> Sequence[str]:
    return re.findall(_any_of(network.links), text)


def _any_of(names: Iterable[str]) -> str:
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?!\w)"


def _written(one: Routed, way: Way) -> str:
    """Gold with the names of another way in the places of its own."""
    before, core, after = one.gold.text.partition(one.core)
    names = iter(way)
    return before + re.sub(_any_of(one.way), lambda _: next(names), core) + after
