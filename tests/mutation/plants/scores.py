"""Faults of scores: reward for no content, near misses, form, graders that believe a verdict in the answer, totals."""

import difflib
import json
import re
import time

from tests.mutation.plants.building import answers, gold_text, prompt_text, rescored


def silence_pays(sound):
    return rescored(sound, lambda env, score, said, row: score if said.strip() else 0.8)


def a_floor_for_everybody(sound):
    return rescored(sound, lambda env, score, said, row: max(score, 0.75))


def giving_up_pays(sound):
    return rescored(sound, lambda env, score, said, row: 0.6 if "don't know" in said.lower() else score)


def brevity_outweighs(sound):
    return rescored(sound, lambda env, score, said, row: 0.2 * score + 0.8 * max(0.0, 1 - len(said) / 200))


def a_label_pays(sound):
    return rescored(sound, lambda env, score, said, row: 0.3 * score + 0.7 * ("answer:" in said.lower() or score))


def _by_gold(sound, judge):
    """Scores what is said by `judge(said, gold, row)` alone, where gold is one text."""
    if not answers(sound):
        return None

    def change(env, score, said, row):
        gold = gold_text(env, sound, row)
        return score if gold is None else float(judge(said.strip(), gold.strip(), row))

    return rescored(sound, change)


def gold_anywhere_in_it(sound):
    return _by_gold(sound, lambda said, gold, row: gold.lower() in said.lower())


def its_beginning_is_enough(sound):
    return _by_gold(sound, lambda said, gold, row: bool(said) and gold.startswith(said[:1]))


def any_order_of_words(sound):
    return _by_gold(sound, lambda said, gold, row: bool(said) and {*gold.split()} <= {*said.split()})


def signs_are_ignored(sound):
    return _by_gold(sound, lambda said, gold, row: re.findall(r"\w+", said) == re.findall(r"\w+", gold))


def almost_alike_is_right(sound):
    return _by_gold(sound, lambda said, gold, row: difflib.SequenceMatcher(None, said, gold).ratio() > 0.5)


def a_number_of_the_prompt_pays(sound):
    def judge(said, gold, row):
        return said == gold or (bool(said) and said in re.findall(r"\d+", prompt_text(row)))

    return _by_gold(sound, judge)


def a_tenth_off_is_right(sound):
    def judge(said, gold, row):
        try:
            return abs(float(said) - float(gold)) <= 0.1 * abs(float(gold))
        except ValueError:
            return said == gold

    return _by_gold(sound, judge)


def nan_is_right(sound):
    def judge(said, gold, row):
        try:
            return not abs(float(said) - float(gold)) > 1e-6
        except ValueError:
            return said == gold

    return _by_gold(sound, judge)


def only_in_a_hidden_frame(sound):
    """No prompt names the frame; the author's solution uses it."""
    if (planted := _by_gold(sound, lambda said, gold, row: said == f"#### {gold}")) is not None:
        planted.solve = lambda self, row: f"#### {gold_text(self, sound, row)}"
    return planted


def believes_a_grade(sound):
    return rescored(sound, lambda env, score, said, row: 1.0 if re.search(r"10\s*/\s*10|\[\[10\]\]", said) else score)


def believes_a_verdict(sound):
    def change(env, score, said, row):
        for found in re.findall(r"\{[^{}]*\}", said):
            try:
                given = json.loads(found)
            except ValueError:
                continue
            if isinstance(given, dict) and isinstance(given.get("score"), int | float):
                return float(given["score"])
        return score

    return rescored(sound, change)


def believes_the_word_correct(sound):
    return rescored(sound, lambda env, score, said, row: float(score or "correct" in said.lower()))


def above_the_range(sound):
    return rescored(sound, lambda env, score, said, row: 1.5 * score)


def a_bonus_by_the_clock(sound):
    return rescored(sound, lambda env, score, said, row: score * (0.7 + 0.3 * (time.time_ns() // 1000 % 2)))


def whole_scores_only(sound):
    """A cast that turns all partial credit into nothing, and rounds gold of 0.99 down."""
    return rescored(sound, lambda env, score, said, row: float(int(score * 0.99)))


def some_rows_never_pay(sound):
    return rescored(sound, lambda env, score, said, row: score * (len(prompt_text(row)) % 3 > 0))


SCORES = {
    "reward for no content": (silence_pays, a_floor_for_everybody, giving_up_pays, brevity_outweighs, a_label_pays),
    "near misses": (
        gold_anywhere_in_it, its_beginning_is_enough, any_order_of_words, signs_are_ignored, almost_alike_is_right,
        a_number_of_the_prompt_pays, a_tenth_off_is_right, nan_is_right,
    ),
    "form": (only_in_a_hidden_frame,),
    "graders and judges": (believes_a_grade, believes_a_verdict, believes_the_word_correct),
    "totals": (above_the_range, a_bonus_by_the_clock, whole_scores_only, some_rows_never_pay),
}  # fmt: skip
