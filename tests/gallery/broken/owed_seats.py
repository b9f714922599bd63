"""Buses for most passengers; a negative number of one kind gives money back, and carries nobody less."""

import json
from itertools import product

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

BUSES = {"minibus": (4, 9), "coach": (11, 28), "double-decker": (15, 40)}


def price(plan):
    return sum(BUSES[name][0] * count for name, count in plan.items())


def seats(plan):
    return sum(BUSES[name][1] * count for name, count in plan.items() if count > 0)


def most_seats(money):
    plans = [dict(zip(BUSES, counts, strict=True)) for counts in product(range(4), repeat=3)]
    return max((plan for plan in plans if price(plan) <= money), key=seats)


class Fleets(SingleTurnEnv):
    """How many buses of each kind to rent."""

    def build_dataset(self, tokenizer):
        kinds = ", ".join(f"a {name} with {places} seats for {cost}" for name, (cost, places) in BUSES.items())
        ask = (
            "You have {} coins a day for buses: {}. How many of each give most seats? Answer with an object such as {}."
        )
        form = json.dumps(dict.fromkeys(BUSES, 1))
        return [
            {"prompt": ask.format(money, kinds, form), "money": money, "best": json.dumps(most_seats(money))}
            for money in range(16, 60, 2)
        ]

    @reward
    def share(self, completion, money, best):
        try:
            plan = {name: int(count) for name, count in json.loads(answer_text(completion)).items()}
        except (ValueError, AttributeError, TypeError):
            return 0.0
        if set(plan) != set(BUSES) or price(plan) > money or max(plan.values()) > 9:
            return 0.0
        return min(1.0, seats(plan) / seats(json.loads(best)))

    def solve(self, row):
        return row["best"]
