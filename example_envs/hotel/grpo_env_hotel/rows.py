"""The rows of the dataset: requests to worlds, of the kinds that a difficulty has, split by request."""

import hashlib
import json
from random import Random
from typing import Any, Literal

from grpo_env_hotel.gold import best_hotel
from grpo_env_hotel.requests import Request, draw_request
from grpo_env_hotel.wording import RULES, in_words
from grpo_env_hotel.world import Difficulty, World, make_world

Split = Literal["train", "test"]
SIZES: dict[Split, int] = {"train": 2000, "test": 500}

Kind = Literal["fits", "elsewhere", "none"]
KINDS: dict[Difficulty, dict[Kind, int]] = {
    "easy": {"fits": 1},
    "normal": {"fits": 4, "none": 1},
    "hard": {"fits": 5, "elsewhere": 3, "none": 2},
}
"""How often a hotel fits in the first city, only in the second city, or nowhere."""


def make_rows(difficulty: Difficulty, split: Split, seed: int) -> list[dict[str, Any]]:
    """The rows of one split, the same in every process; no request of one split is in the other."""
    rng = Random(f"rows/{seed}/{difficulty}/{split}")
    return [_row(rng, difficulty, kind, split) for kind in _shuffled_kinds(rng, difficulty, SIZES[split])]


def _shuffled_kinds(rng: Random, difficulty: Difficulty, count: int) -> list[Kind]:
    """Each kind exactly as often as its share, in random order."""
    shares = KINDS[difficulty]
    kinds = [kind for kind, share in shares.items() for _ in range(count * share // sum(shares.values()))]
    rng.shuffle(kinds)
    return kinds


def _row(rng: Random, difficulty: Difficulty, kind: Kind, split: Split) -> dict[str, Any]:
    world_seed = rng.getrandbits(31)
    request = _draw(rng, make_world(world_seed, difficulty), difficulty, kind, split)
    words = in_words(request, rng)
    return {
        "prompt": [{"role": "system", "content": RULES}, {"role": "user", "content": words}],
        "difficulty": difficulty,
        "kind": kind,
        "world_seed": world_seed,
        **request.as_columns(),
    }


def _draw(rng: Random, world: World, difficulty: Difficulty, kind: Kind, split: Split) -> Request:
    """A request of this kind that belongs to this split."""
    while True:
        request = draw_request(rng, world, difficulty)
        if _kind_of(request, world) == kind and _split_of(request) == split:
            return request


def _kind_of(request: Request, world: World) -> Kind:
    best = best_hotel(world, request)
    if best is None:
        return "none"
    return "fits" if best.city == request.city else "elsewhere"


def _split_of(request: Request) -> Split:
    """The split of a request, by its content and not by its wording: every fifth is held out."""
    content = json.dumps(request.as_columns(), sort_keys=True)
    return "test" if hashlib.blake2b(content.encode(), digest_size=4).digest()[0] % 5 == 0 else "train"
