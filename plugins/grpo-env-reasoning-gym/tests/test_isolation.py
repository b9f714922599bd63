"""Datasets that use the global random state of the process or print: they are isolated."""

import random
import threading

import numpy as np


def draws_globally(self, index):
    return {"question": f"{random.random()} {np.random.rand()}", "answer": "x", "metadata": {}}


def questions(env):
    return [row["prompt"][0]["content"] for row in env.build_dataset(None)]


def test_global_chance_repeats_inside_and_is_untouched_outside(little):
    cls = little(__getitem__=draws_globally)
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.rand()
    random.seed(1)
    np.random.seed(1)
    first = questions(cls(size=3))
    assert (random.random(), np.random.rand()) == expected
    assert questions(cls(size=3)) == first
    assert len(set(first)) == 3


def test_two_at_once_do_not_disturb_each_other(little):
    cls = little(__getitem__=draws_globally)
    alone = questions(cls(size=200))
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(questions(cls(size=200)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [alone] * 3


def test_a_scorer_that_draws_scores_alike_each_time(little):
    env = little(score_answer=lambda self, answer, entry: random.random())(size=1)
    row = env.build_dataset(None)[0]
    said = [{"role": "assistant", "content": "<answer>7</answer>"}]
    assert len({env.score_episode(None, None, said, **row) for _ in range(3)}) == 1
