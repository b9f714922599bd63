"""Networks that prompts list as pairs of names, such as "A-B, B-C", and the ways through them."""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grpo_env_sdk.late_patterns import regex

MOST_STEPS, FEWEST_LINKS = 4_000, 4
_EXAMPLE = regex(r"\b(?:such as|like|as in|e\.g\.|for (?:example|instance))[^\n;]*", re.IGNORECASE)
_NAMES = (r"[^\W_]+", r"[A-Z][\w']*(?: [A-Z][\w']*){0,4}")
_BETWEEN = (r" ?(?:<?-{1,2}>?|[\u2013\u2014\u2192\u2194\u21c4/|]|<=>) ?", r" (?:to|and) ", r"['\"]?, ?['\"]?")
_WEIGHT = r"(?:[^\w,;\n.]{0,3}(?:[^\d,;\n.]{1,20})?(?<![\d.])(\d+(?:\.\d+)?)(?![\w-]| ?[-\u2013>]))?"
_BOTH_WAYS = regex(
    r"\b(?:both (?:ways|directions)|two[- ]way|either (?:way|direction)|undirected|bidirectional|back and forth)\b|"
    r"[\u2194\u21c4]|<-+>|<=>",
    re.IGNORECASE,
)
Way = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """Links from name to name, with what each costs: 1 where a prompt says nothing."""

    links: dict[str, dict[str, float]]
    priced: bool

    def cost(self, way: Way) -> float | None:
        """What a way costs; None where one of its links is not listed."""
        costs = [self.links.get(here, {}).get(there) for here, there in pairwise(way)]
        return None if None in costs else sum(one or 0.0 for one in costs)

    def least(self, start: str, goal: str) -> float | None:
        """The cost of the cheapest way."""
        open_, done = [(0.0, start)], set[str]()
        while open_:
            cost, here = heapq.heappop(open_)
            if here == goal:
                return cost
            if here not in done:
                done.add(here)
                for there, more in self.links.get(here, {}).items():
                    heapq.heappush(open_, (cost + more, there))
        return None

    def as_cheap(self, way: Way) -> Iterator[Way]:
        """The other ways between the same ends, with as many links, that cost the same and visit nothing twice."""
        cost, left, open_ = self.cost(way), MOST_STEPS, [way[:1]]
        while open_ and left:
            here, left = open_.pop(), left - 1
            if len(here) < len(way):
                open_ += [(*here, there) for there in self.links.get(here[-1], {}) if there not in here]
            elif here[-1] == way[-1] and here != way and self.cost(here) == cost:
                yield here


def networks_in(prompt: str) -> Iterator[Network]:
    """The networks that a prompt may list: in the directions that are written, and in both."""
    shown = _EXAMPLE.sub("", prompt)
    for name in _NAMES:
        for between in _BETWEEN:
            found = re.findall(rf"(?<![\w-])(?<!from )({name})(?={between}({name})(?!\w){_WEIGHT})", shown)
            weights = [weight for _, _, weight in found if weight]
            if len(found) >= FEWEST_LINKS and len(weights) in (0, len(found)):
                links = [(here, there, float(weight or 1)) for here, there, weight in found if here != there]
                if not _BOTH_WAYS.search(prompt):
                    yield _network(links, bool(weights))
                yield _network([*links, *((there, here, weight) for here, there, weight in links)], bool(weights))


def _network(links: Sequence[tuple[str, str, float]], priced: bool) -> Network:
    held: dict[str, dict[str, float]] = {}
    for here, there, weight in links:
        held.setdefault(here, {}).setdefault(there, weight)
        held.setdefault(there, {})
    return Network(held, priced)
