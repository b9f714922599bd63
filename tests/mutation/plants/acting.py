"""Faults of tools, turns and state: what the environment tells, pays twice, forgets to end, or keeps too long."""

import random

from grpo_env_sdk import MultiTurnEnv
from tests.mutation.plants.building import derived, other_tools, rescored


def errors_show_the_row(sound):
    def change(env, name, arguments, call):
        if any(value in ("", 0, -1) for value in arguments.values()):
            raise ValueError(f"no such thing for {env.row}")
        return call()

    return other_tools(sound, change)


def replies_show_the_row(sound):
    return other_tools(sound, lambda env, name, arguments, call: f"{call()} (debug: {env.row})")


def every_call_pays(sound):
    def change(env, name, arguments, call):
        env.paid_calls = getattr(env, "paid_calls", 0) + 1
        return call()

    paid = rescored(sound, lambda env, score, said, row: min(1.0, score + 0.2 * getattr(env, "paid_calls", 0)))
    return paid and other_tools(paid, change)


def a_crash_inside_a_tool(sound):
    def change(env, name, arguments, call):
        result = call()
        return {}["result"] if any(len(str(value)) % 2 for value in arguments.values()) else result

    return other_tools(sound, change)


def results_that_are_no_json(sound):
    return other_tools(sound, lambda env, name, arguments, call: {str(call()), "result"})


def random_results(sound):
    return other_tools(sound, lambda env, name, arguments, call: f"{call()} ({random.random():.3f})")


def _stepping(sound, change):
    if not issubclass(sound, MultiTurnEnv) or "step" not in vars(sound):
        return None
    step = sound.step
    return derived(sound, step=lambda self, action: change(self, action, lambda: step(self, action)))


def empty_messages_show_the_row(sound):
    def change(env, action, step):
        return (f"expected {env.row}", 0.0, False, False, {}) if not action["content"].strip() else step()

    return _stepping(sound, change)


def every_turn_pays(sound):
    def change(env, action, step):
        observation, paid, *end = step()
        return observation, paid + 0.3, *end

    return _stepping(sound, change)


def never_ends(sound):
    def change(env, action, step):
        observation, paid, _, _, info = step()
        return observation, paid, False, False, info

    return _stepping(sound, change)


def a_wrong_move_raises(sound):
    def change(env, action, step):
        if not action["content"].strip().isalnum():
            raise ValueError("unreadable move")
        return step()

    return _stepping(sound, change)


def kept_for_the_next_episode(sound):
    kept = {"best": 0.0}

    def change(env, score, said, row):
        kept["best"] = max(kept["best"], score)
        return kept["best"]

    return rescored(sound, change)


def cached_by_the_first_letters(sound):
    cache = {}

    def change(env, score, said, row):
        return cache.setdefault((str(row["prompt"])[:8], said[:3]), score)

    return rescored(sound, change)


def every_seventh_score_is_lost(sound):
    scored = []

    def change(env, score, said, row):
        scored.append(said)
        return 0.0 if len(scored) % 7 == 0 else score

    return rescored(sound, change)


def the_row_is_eaten(sound):
    def change(env, score, said, row):
        row.clear()
        return score

    return rescored(sound, change)


ACTING = {
    "told by the environment": (errors_show_the_row, replies_show_the_row, empty_messages_show_the_row),
    "repetition": (every_call_pays, every_turn_pays),
    "termination and harness": (
        a_crash_inside_a_tool, results_that_are_no_json, random_results, never_ends, a_wrong_move_raises,
    ),
    "state": (kept_for_the_next_episode, cached_by_the_first_letters, every_seventh_score_is_lost, the_row_is_eaten),
}  # fmt: skip
