"""The rows of the dataset: an event of which two facts have changed, split by its facts."""

import hashlib
from random import Random
from typing import Any, Literal

from grpo_env_judge.facts import DAYS, EVENTS, KINDS, PRICES, ROOMS, TIMES, Facts
from grpo_env_judge.wording import RULES, asked

Split = Literal["train", "test"]
SIZES: dict[Split, int] = {"train": 2000, "test": 500}
CHANGES = 2
_CHOICES = {"event": EVENTS, "day": DAYS, "time": TIMES, "place": ROOMS, "price": PRICES}


def make_rows(split: Split, seed: int) -> list[dict[str, Any]]:
    """The rows of one split, the same in every process; no facts of one split are in the other."""
    rng = Random(f"notices/{seed}/{split}")
    rows: dict[Facts, dict[str, Any]] = {}
    while len(rows) < SIZES[split]:
        facts = Facts(**{kind: rng.choice(_CHOICES[kind]) for kind in KINDS})
        if _split_of(facts) == split:
            rows.setdefault(facts, _row(rng, facts))
    return list(rows.values())


def _row(rng: Random, facts: Facts) -> dict[str, Any]:
    told = facts.as_dict()
    before = {
        kind: rng.choice([other for other in _CHOICES[kind] if other != told[kind]])
        for kind in rng.sample(KINDS[1:], CHANGES)
    }
    prompt = [{"role": "system", "content": RULES}, {"role": "user", "content": asked(facts, before)}]
    return {"prompt": prompt, **told}


def _split_of(facts: Facts) -> Split:
    """Every fifth is held out."""
    digest = hashlib.blake2b("/".join(facts.as_dict().values()).encode(), digest_size=4).digest()
    return "test" if int.from_bytes(digest) % 5 == 0 else "train"
