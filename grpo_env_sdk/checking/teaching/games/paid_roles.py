"""Whether buyers are paid for low prices, and sellers for high ones."""

import re
from collections.abc import Iterator
from itertools import pairwise

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, play_answers, reward_of, was_scored
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, FEWEST_ROWS, FEWEST_DEALS = 6, 3, 3
"""On how many rows of each role prices are tried, on how many it has to count, and how many deals a row needs."""
PARTS = tuple(part / 10 for part in range(3, 21))
"""The prices that are tried, as parts of the limit that the prompt names."""
_ROLE = regex(
    r"\byou (?:are|play|act as) (?:the |a )?(buyer|seller|vendor|customer)\b|\byou (buy|sell)\b", re.IGNORECASE
)
_OFFER = regex(r"['\"`]([A-Za-z]{2,12}:?) (?:n|N|x|X|<\w+>|\[\w+\]|PRICE|AMOUNT|NUMBER)['\"`]")
_NUMBER = regex(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")
_SELLS = ("seller", "vendor", "sell")


@check("G588", kinds=("multi-turn",))
def each_side_is_paid_for_its_own_price(subject: Subject) -> Iterator[Finding]:
    """Who buys earns more the lower the price is, and who sells the higher it is."""
    known = [(row, _sells(subject, row), _offer(subject, row)) for row in subject.sample(4 * MOST_ROWS)]
    for sells in (True, False):
        rows = [(row, *offer) for row, role, offer in known if role is sells and offer][:MOST_ROWS]
        wrong = []
        for row, verb, limit in rows:
            prices = sorted({round(limit * part) for part in PARTS})
            played = play_answers(subject, [(row, [f"{verb} {price}"]) for price in prices])
            deals = [
                (price, reward_of(one))
                for price, one in zip(prices, played, strict=False)
                if was_scored(one) and reward_of(one) > subject.traits.reward_range[0] + NEARLY
            ]
            if len(deals) >= FEWEST_DEALS and _rises(deals) is (not sells):
                wrong.append((row, verb, deals))
        if len(wrong) >= FEWEST_ROWS and 2 * len(wrong) > len(rows):
            row, verb, deals = wrong[0]
            (low, for_low), (high, for_high) = deals[0], deals[-1]
            yield Finding(
                f"Who {('buys', 'sells')[sells]} earns more the {('higher', 'lower')[sells]} the price, on "
                f"{len(wrong)} of {len(rows)} rows: '{verb} {low}' earns {for_low:g}, '{verb} {high}' {for_high:g}.",
                "Compute the share of each role from its own side of the gap.",
                row, f"{verb} {low}", for_low, f"less than {for_high:g}" if sells else f"more than {for_high:g}",
            )  # fmt: skip
            return


def _sells(subject: Subject, row: int) -> bool | None:
    """Whether a prompt gives the role of who sells; None where it gives none."""
    found = _ROLE.search(prompt_text(subject, row))
    return None if found is None else (found[1] or found[2]).lower() in _SELLS


def _offer(subject: Subject, row: int) -> tuple[str, int] | None:
    """How an offer begins, and the limit that the prompt names."""
    said = prompt_text(subject, row)
    verbs, limits = _OFFER.findall(said), [int(one) for one in _NUMBER.findall(said) if int(one) > 9]
    return (verbs[0], limits[-1]) if verbs and limits else None


def _rises(deals: list[tuple[int, float]]) -> bool | None:
    """Whether the reward rises with the price; None where it does neither."""
    steps = [two - one for (_, one), (_, two) in pairwise(deals)]
    if all(step >= -NEARLY for step in steps) and max(steps) > NEARLY:
        return True
    return False if all(step <= NEARLY for step in steps) and min(steps) < -NEARLY else None
