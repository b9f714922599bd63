"""Lists that a scorer reads at the place of the row: they lack or have the entries that became no row."""

from dataclasses import dataclass

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.contract.labels_by_place import labels_are_in_the_order_of_the_rows as by_place
from tests.checking.trying import found
from tests.gallery.broken.spare_words_counted import PLURALS, WORDS, Plurals

TOWNS = [("Ulm", "Danube"), ("Bonn", "Rhine"), ("Rome", "Tiber"), ("Pisa", "Arno"), ("York", "Ouse"),
         ("Bern", "Aare"), ("Cork", "Lee"), ("Riga", "Daugava"), ("Graz", "Mur"), ("Bath", "Avon")]  # fmt: skip


class Lists:
    """Towns with their rivers, of which some are left out of the rows."""

    def __init__(self):
        self.rivers = dict(enumerate(river for _, river in TOWNS))

    def asked(self):
        return [town for town, _ in TOWNS if town not in ("Rome",)]

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which river flows through {town}? Only its name."} for town in self.asked()]

    def score_episode(self, model, tokenizer, completion, case_idx):
        known = self.rivers
        place = case_idx
        return float(answer_text(completion).strip() == known[place])


class FirstOnes(Lists):
    """Sound: only the last ones are left out."""

    def asked(self):
        return [town for town, _ in TOWNS[:9]]


class OwnPlaces(Lists):
    """Sound: each row says its place itself."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        places = {town: place for place, (town, _) in enumerate(TOWNS)}
        return [{**row, "case_idx": places[row["prompt"].split()[4][:-1]]} for row in rows]


class ByColumn(Plurals):
    """Sound: a pool of which rows are drawn by a column."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "place": WORDS.index(row["prompt"].split("`")[1])} for row in rows]

    @reward
    def right(self, completion, place):
        return answer_text(completion).strip() == PLURALS[place]


class Through(SingleTurnEnv):
    """Sound: the list that is read by the place of the row leads to the others."""

    def build_dataset(self, tokenizer):
        self.kept = [place for place, word in enumerate(WORDS) if len(word) < 9]
        return [{"prompt": f"What is the plural of `{WORDS[place]}`?"} for place in self.kept]

    @reward
    def right(self, completion, case_idx):
        return answer_text(completion).strip() == PLURALS[self.kept[case_idx]]


class Earlier(SingleTurnEnv):
    """Sound: each row asks for the word before the one that its prompt names."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which word is before `{word}` in the list?"} for word in WORDS[1:]]

    @reward
    def right(self, completion, case_idx):
        return answer_text(completion).strip() == WORDS[case_idx]


class Spelled:
    """A word that compares to many truth values, as arrays do."""

    def __init__(self, word):
        self.word = word

    def __repr__(self):
        return f"Spelled({self.word})"

    def __eq__(self, other):
        raise ValueError("the truth value of many is not clear")


class OfObjects(Plurals):
    """What is right is no text."""

    plurals = tuple(Spelled(word) for word in PLURALS)

    @reward
    def right(self, completion, case_idx):
        return answer_text(completion).strip() == self.plurals[case_idx].word


@dataclass
class Plural:
    word: str


class OfTypes(Plurals):
    """Sound: what is looked up has nothing to compare, as it is a type and no object of it."""

    types = (Plural,) * len(WORDS)

    @reward
    def right(self, completion, case_idx):
        return self.types[case_idx] is Plural


def test_a_list_with_entries_that_became_no_row_is_an_error():
    for cls, first in ((Plurals, "photosyntheses"), (Lists, "Tiber")):
        (finding,) = found(by_place, cls)
        assert (finding.severity, finding.output, finding.row) == ("error", first, 2)


def test_entries_that_cannot_be_compared_are_a_warning():
    (finding,) = found(by_place, OfObjects)
    assert (finding.severity, "Spelled(photosyntheses)" in finding.message) == ("warning", True)


def test_other_lists_are_not_accused():
    for cls in (FirstOnes, OwnPlaces, ByColumn, Through, Earlier, OfTypes):
        assert found(by_place, cls) == []
