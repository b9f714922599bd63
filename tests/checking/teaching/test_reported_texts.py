"""Faults that were reported of published environments of one turn, each beside a sound variant."""

import re
from itertools import pairwise

import pytest

from grpo_env_sdk.checking.contract.dataset import a_column_of_splits_is_used as split
from grpo_env_sdk.checking.contract.told_by_form import form_does_not_tell_the_answer as leaks
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as forms
from grpo_env_sdk.checking.teaching.lazy_answers.copying import copying_is_not_gold as copying
from grpo_env_sdk.checking.teaching.lazy_answers.idling import idling_is_not_gold as idling
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less as misses
from grpo_env_sdk.checking.teaching.wrong_answers.parts_of_gold import every_part_of_gold_counts as parts
from tests.checking.trying import asking, found

MOVES = ("e2e4", "d2d4", "g1f3", "b1c3", "f1c4", "c1g5", "d1h5", "e1g1")


def valued(n, rng):
    values = {move: rng.randint(-50, 50) for move in rng.sample(MOVES, 5)}
    return f"Game {n}. Legal moves with their values: {values}. Play the best.", max(values, key=values.get)


class AnyMove(asking(valued)):
    def score_episode(self, model, tokenizer, completion, prompt, wanted):
        return float(completion.strip() in prompt and completion.strip() in MOVES)


class InTags(asking(lambda n, rng: (f"Case {n}.", str(rng.randint(100, 999))))):
    """Asks for tags on lines of their own."""

    pattern = re.compile(r"<reasoning>.*?</reasoning>\s*<answer>(.*?)</answer>")

    def build_dataset(self, tokenizer):
        shown = "<reasoning>\n...\n</reasoning>\n<answer>\n...\n</answer>"
        return [
            {**row, "prompt": f"{row['prompt']} Write {row['wanted']} backwards, like this:\n{shown}"}
            for row in super().build_dataset(tokenizer)
        ]

    def score_episode(self, model, tokenizer, completion, wanted):
        read = self.pattern.search(completion)
        return float(read is not None and read[1].strip() == wanted[::-1])

    def solve(self, row):
        return f"<reasoning>Last digit first.</reasoning><answer>{row['wanted'][::-1]}</answer>"


class InTagsOfLines(InTags):
    pattern = re.compile(InTags.pattern.pattern, re.DOTALL)


def filed(n, rng):
    kind = rng.choice(("urgent", "normal", "spam"))
    words = " ".join(rng.sample(("order", "parcel", "money", "account", "late", "friend", "holiday"), 4))
    return f"File /data/{kind[0]}/{n:04}.eml: {words}. Is it urgent, normal or spam?", kind


def filed_by_day(n, rng):
    text, kind = filed(n, rng)
    return text.replace(f"/{kind[0]}/", f"/{rng.choice('usn')}/"), kind


class Thoughtful(
    asking(lambda n, rng: (f"Think in <think> tags about {n + 20} * {n + 30}.", str((n + 20) * (n + 30))))
):
    """Thoughts count for their length, whatever they say."""

    of_thoughts = 0.6

    def score_episode(self, model, tokenizer, completion, wanted):
        length = min(1.0, len(completion.rpartition("</think>")[0].split()) / 50)
        right = completion.strip().endswith(wanted)
        return (1 - self.of_thoughts) * right + self.of_thoughts * length * (right or self.of_thoughts > 0.5)

    def solve(self, row):
        return f"<think>{'I multiply and check it. ' * 12}</think>{row['wanted']}"


class ThoughtfulOnceRight(Thoughtful):
    of_thoughts = 0.3


class Names(asking(lambda n, rng: (f"Which file has number {n}?", f"part.{n}.txt"))):
    """The right name is taken for a pattern."""

    def score_episode(self, model, tokenizer, completion, wanted):
        return float(re.fullmatch(wanted, completion) is not None)


def element(n, rng):
    name, price = rng.choice(("pen", "cup", "bag")), rng.randint(2, 50)
    gold = f"<item><name>{name}</name><price>{price}</price></item>"
    return f"Write case {n}, a {name} for {price}, as <item><name>NAME</name><price>PRICE</price></item>.", gold


def ranked(n, rng):
    numbers = rng.sample(range(10, 99), 5)
    return f"Rank from small to large: {numbers}. Commas between.", ", ".join(map(str, sorted(numbers)))


class SplitColumn(asking(lambda n, rng: (f"Write {n + 100}.", str(n + 100)))):
    """Both kinds of rows are for training."""

    values = ("train", "training")

    def build_dataset(self, tokenizer):
        return [{**row, "split": self.values[n % 2]} for n, row in enumerate(super().build_dataset(tokenizer))]


class SplitColumnOfTests(SplitColumn):
    values = ("train", "validation")


class EitherWay(asking(ranked)):
    """Neighbours in the right order count, and as many in the wrong one count as well."""

    def score_episode(self, model, tokenizer, completion, wanted):
        said = completion.split(", ")
        if sorted(said) != sorted(wanted.split(", ")):
            return 0.0
        return abs(sum(1 if one < other else -1 for one, other in pairwise(said))) / (len(said) - 1)


class OneWay(EitherWay):
    def score_episode(self, model, tokenizer, completion, wanted):
        return super().score_episode(model, tokenizer, completion, wanted) * (completion <= wanted)


@pytest.mark.parametrize(
    ("check", "env", "severity", "said"),
    [
        (copying, AnyMove, "error", "quoted text in the prompt"),
        (forms, InTags, "error", "on lines of their own"),
        (leaks, asking(filed, 90), "error", "the id of a prompt gives the answer away"),
        (idling, Thoughtful, "warning", "A long meaningless thought earns 60%"),
        (parts, EitherWay, "error", "with its items the other way round"),
        (split, SplitColumnOfTests, "warning", "The column 'split' says which rows are for 'validation'"),
        (misses, Names, "error", "with other signs in place of its dots"),
    ],
)
def test_what_was_reported_of_others_is_found(check, env, severity, said):
    told = [(item.severity, item.message) for item in found(check, env) if hasattr(item, "severity")]
    assert any(how == severity and said in text for how, text in told), told


@pytest.mark.parametrize(
    ("check", "env"),
    [
        (copying, asking(valued)),
        (forms, InTagsOfLines),
        (leaks, asking(filed_by_day, 90)),
        (idling, ThoughtfulOnceRight),
        (parts, OneWay),
        (misses, asking(element)),
        (misses, asking(lambda n, rng: (f"Which file has number {n}?", f"part.{n}.txt"))),
    ],
)
def test_nothing_is_said_of_the_sound_variant(check, env):
    assert not [item for item in found(check, env) if getattr(item, "severity", "info") != "info"]


def test_a_column_with_two_names_of_training_is_no_split():
    assert found(split, SplitColumn) == []
