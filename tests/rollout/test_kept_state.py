"""What episodes leave behind for later ones is said once where each of several workers has its own."""

import importlib
import warnings

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.rollout.encoding import encode
from grpo_env_sdk.rollout.kept_state import KeptState, names_in
from grpo_env_sdk.rollout.process_frames import Packet

SOURCE = """
    import functools
    import itertools
    import random
    from collections import Counter, deque

    number, numbers, rng = 0, itertools.count(), random.Random(1)
    history, recent, answers, by_word, totals = [], deque(), set(), {}, Counter()
    words, prices, limit = None, {}, 5

    class Plain:
        parallel = True
        level = 0.5

        def __init__(self):
            self.played = 0

        def build_dataset(self, tokenizer):
            return [{"prompt": f"Say {n}.", "n": n} for n in range(10)]

        def score_episode(self, model, tokenizer, completion, n):
            KEEP
            return 1.0

    @functools.lru_cache
    def price(n):
        return n * 2
"""
KEPT = {
    "global number; number += 1": "number (keeping.py)",
    "next(numbers)": "numbers (keeping.py)",
    "rng.random()": "rng (keeping.py)",
    "history.append(completion)": "history (keeping.py)",
    "recent.append(n)": "recent (keeping.py)",
    "answers.add(n)": "answers (keeping.py)",
    "by_word['all'] = by_word.get('all', 0) + 1": "by_word (keeping.py)",
    "totals[n] += 1": "totals (keeping.py)",
    "Plain.level *= 1.1": "Plain.level (keeping.py)",
    "self.played += 1": "Plain.played",
}
SOUND = (
    "pass",
    "prices[n] = n * 2",
    "prices.setdefault(n, n * 2)",
    "price(n)",
    "self.cache = {n: 1}",
    "global words; words = words or ['a', 'b']",
    "history[:] = ['a', 'b', 'c']",
    "global limit; limit = 6",
    "[history.append(word) for word in 'abc' if word not in history]",
    "mine = []; mine.append(n)",
)


def changed_by(workplace, monkeypatch, deed):
    """The names that a worker would tell after each of four episodes."""
    workplace.write("keeping.py", SOURCE.replace("KEEP", deed))
    monkeypatch.syspath_prepend(str(workplace.folder))
    env = importlib.import_module("keeping").Plain()
    kept, told = KeptState(env), []
    for n in (1, 2, 3, 4):
        kept.begin()
        env.score_episode(None, None, "x", n)
        told.append(kept.end())
    return told


@pytest.mark.parametrize("deed", KEPT)
def test_what_episodes_change_for_later_ones_is_told_once(deed, workplace, monkeypatch):
    assert changed_by(workplace, monkeypatch, deed) == [[], [], [KEPT[deed]], []]


@pytest.mark.parametrize("deed", SOUND)
def test_what_is_built_once_and_what_only_saves_time_is_not_told(deed, workplace, monkeypatch):
    assert changed_by(workplace, monkeypatch, deed) == [[], [], [], []]


def test_an_instance_that_cannot_be_read_is_let_be():
    class Slots:
        __slots__ = ()

    kept = KeptState(Slots())
    kept.begin()
    assert kept.end() == []


@pytest.mark.parametrize("answer", [None, 3, [3], {"a": 1}, "text", [["a"]]])
def test_a_forged_answer_tells_no_names(answer):
    assert names_in(encode(answer)) == ""
    assert names_in(Packet("{")) == ""


def test_names_are_short_and_show_their_escapes():
    assert names_in(encode(["\x1b[31ma"])) == "\\x1b[31ma"
    assert len(names_in(encode(["a" * 10**6]))) < 300


@pytest.mark.parametrize(("deed", "workers", "told"), [
    ("Plain.level *= 1.1", 2, 1), ("Plain.level *= 1.1", 1, 0), ("prices[n] = 1", 2, 0),
])  # fmt: skip
def test_several_workers_say_so_once(deed, workers, told, workplace, monkeypatch):
    workplace.write("keeping.py", SOURCE.replace("KEEP", deed))
    monkeypatch.syspath_prepend(str(workplace.folder))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = evaluate("keeping:Plain", "echo", split="all", env_pool="process", env_workers=workers)
    assert found.summary["episodes"] == 10
    said = [str(item.message) for item in caught if issubclass(item.category, GrpoEnvWarning)]
    assert len(said) == told, said
    assert all("Plain.level (keeping.py)" in line and "--env-workers 1" in line for line in said)
