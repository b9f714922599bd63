"""Gold is the example of a prompt with the columns of the row in it, where nothing else says what is right."""

import json
import re

import pytest

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.evidence.gold.filled_examples import filled_examples
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time
from tests.checking.trying import found, subject_of

ROW = {"prompt": "", "animal": "goat", "legs": 4, "tame": True}
EXAMPLES = {
    "feed(animal=cow, legs=2)": "feed(animal=goat, legs=4)",
    'feed("cow", 2)': 'feed("goat", 4)',
    "feed(animal, legs)": "feed(goat, 4)",
    '{"animal": "cow", "legs": 2, "tame": false}': '{"animal": "goat", "legs": 4, "tame": true}',
    "<animal>cow</animal><legs>2</legs>": "<animal>goat</animal><legs>4</legs>",
    "<call>feed(kind='...', feet=...)</call>": "<call>feed(kind='goat', feet=4)</call>",
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_filled_with_the_columns_of_its_row(example):
    prompt = f"Write it in this form: {example}. The goat has how many legs?"
    assert next(filled_examples(prompt, ROW)) == EXAMPLES[example]


@pytest.mark.parametrize("prompt", ["feed(animal=cow)", "feed(a, b, c, d, e)", "Feed the goat (today)."])
def test_what_needs_other_values_is_no_example(prompt):
    assert list(filled_examples(prompt, {"animal": "goat", "legs": 4})) == []


class Trains:
    """One order for a signal box, and nothing else."""

    towns = ("Ulm", "Bonn", "Kiel", "Jena")
    FORM = "send(town=Ulm, track=3)"
    ORDER = r"send\(town=(\w+), track=(\d)\)"

    def build_dataset(self, tokenizer):
        text = "Write exactly one order and nothing else, as {}. A train to {}, from track {}."
        return [
            {"prompt": text.format(self.FORM, town, track), "town": town, "track": track}
            for town in self.towns
            for track in (2, 5, 8)
        ]

    def said(self, completion):
        return re.findall(self.ORDER, answer_text(completion))

    def score_episode(self, model, tokenizer, completion, town, track):
        return float((town, str(track)) in self.said(completion))


class OneTrain(Trains):
    """Sound: more than one order earns nothing."""

    def score_episode(self, model, tokenizer, completion, town, track):
        return float(self.said(completion) == [(town, str(track))])


class LastTrain(Trains):
    """Sound: the last order counts."""

    def score_episode(self, model, tokenizer, completion, town, track):
        return float(self.said(completion)[-1:] == [(town, str(track))])


class InObjects(Trains):
    FORM = '{"town": "Ulm", "track": 3}'
    ORDER = r'\{"town": "(\w+)", "track": (\d)\}'


class OneObject(InObjects):
    """Sound: the whole answer is one object."""

    def score_episode(self, model, tokenizer, completion, town, track):
        try:
            return float(json.loads(answer_text(completion)) == {"town": town, "track": track})
        except ValueError:
            return 0.0


@pytest.mark.parametrize("cls", [Trains, OneTrain, LastTrain, InObjects])
def test_gold_is_known_without_solve(cls):
    assert "the example of the prompt" in str(subject_of(cls).gold_source)


@pytest.mark.parametrize("faulty", [Trains, InObjects])
def test_one_order_of_several_that_is_right_is_an_error(faulty):
    finding = found(one_answer_at_a_time, faulty, "default")[0]
    assert finding.severity == "error"
    assert "names 5 values is right as soon as one of them is" in finding.message


@pytest.mark.parametrize("sound", [OneTrain, LastTrain, OneObject])
def test_one_order_alone_is_sound(sound):
    assert found(one_answer_at_a_time, sound, "default") == []
