"""Lists in prompts in which the right one has a place of its own."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.lazy_answers.place_in_prompts import the_answer_has_no_place_of_its_own
from tests.checking.trying import found

TOWNS = ["Arles", "Bergen", "Cork", "Delft", "Essen", "Fano", "Genoa", "Haifa", "Izmir", "Jaén", "Kiel", "Lyon"]
RHYMES = {
    "cat": "hat dog sun", "moon": "spoon tree car", "light": "kite bag pen", "sea": "tea egg cup",
    "bell": "shell fan top", "cake": "lake fox pig", "ring": "king hut map", "nose": "rose jar net",
    "feet": "seat bin rug", "bed": "head owl tin",
}  # fmt: skip


class Letters(SingleTurnEnv):
    """Which town a letter comes from: the right town is the first of the list."""

    text = "{} Which town is the letter from? It has {}. Answer with its name.\n{}"

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(20):
            rng = random.Random(number)
            towns, signs = rng.sample(TOWNS, 5), rng.sample(["a port", "a tower", "a mill", "an arena", "a zoo"], 5)
            lines = self.ordered([f"- {town}: {sign}" for town, sign in zip(towns, signs, strict=True)], rng)
            rows.append({"prompt": self.text.format(number + 1, signs[0], "\n".join(lines)), "wanted": towns[0]})
        return rows

    def ordered(self, lines, rng):
        return lines

    @reward
    def is_right(self, completion, wanted):
        return answer_text(completion).strip(" .") == wanted

    def solve(self, row):
        return row["wanted"]


class LastLetters(Letters):
    """The right town is the last of the list."""

    def ordered(self, lines, rng):
        return lines[::-1]


class ShuffledLetters(Letters):
    """Sound: the list is shuffled."""

    def ordered(self, lines, rng):
        return rng.sample(lines, len(lines))


class FirstMeant(Letters):
    """Sound: the place means something."""

    text = "{} Towns by the day of the visit. Which one is visited first, with {}? Answer with its name.\n{}"


class Rhymes(SingleTurnEnv):
    """The word that rhymes is the first of three words that no other row has."""

    text = "Which of these words rhymes with {}: {}? Answer with the word alone."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.text.format(word, ", ".join(self.ordered(words.split()))), "wanted": words.split()[0]}
            for word, words in RHYMES.items()
        ]

    def ordered(self, words):
        return words

    @reward
    def is_right(self, completion, wanted):
        return answer_text(completion).strip(" .") == wanted

    def solve(self, row):
        return row["wanted"]


class SortedRhymes(Rhymes):
    """Sound: the list is sorted by the alphabet, and the right word is anywhere."""

    def ordered(self, words):
        return sorted(words)


class Fields(Rhymes):
    """Sound: the parts of a record, of which the name is the first."""

    def build_dataset(self, tokenizer):
        text = "Which name is in this line? {}, {} May, {} euros."
        return [
            {"prompt": text.format(town, number + 3, 7 * number + 20), "wanted": town}
            for number, town in enumerate(TOWNS)
        ]


class Parcels(Letters):
    """The parcel that is too heavy is the last one, and is told by its number alone."""

    line = "Parcel {}: {} kg of {}"

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(20):
            rng = random.Random(number)
            ids, weights = rng.sample(range(100, 999), 5), [*rng.sample(range(3, 20), 4), rng.randrange(21, 30)]
            parcels = list(zip(ids, weights, rng.sample(["tea", "salt", "rice", "nuts", "soap"], 5), strict=True))
            lines = "\n".join(self.ordered([self.line.format(*one) for one in parcels], rng))
            text = f"{lines}\n\nOne of these parcels is above the limit of 20 kg. Answer with its number."
            rows.append({"prompt": text, "wanted": str(ids[-1])})
        return rows


class ParcelsWithCommas(Parcels):
    """What is listed has commas instead of a colon."""

    line = "Parcel #{}, {} kg, {}"


class ShuffledParcels(Parcels):
    """Sound: the list is shuffled."""

    def ordered(self, lines, rng):
        return rng.sample(lines, len(lines))


class SortedParcels(Parcels):
    """Sound: the list is sorted by weight."""

    def ordered(self, lines, rng):
        return sorted(lines, key=lambda line: int(line.split()[2]))


class Hats(MultiTurnEnv):
    """Ask whose hat it is, then name one: always the first of those who are named."""

    max_turns = 4
    reward_range = (0, 1)
    text = "Game {}. One of these cats stole the fish: {}. Ask 'hint', or accuse one."

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(16):
            rng = random.Random(number)
            people = self.ordered(rng.sample(TOWNS, 4), rng)
            text = self.text.format(number + 1, ", ".join(people))
            rows.append({"prompt": text, "named": people, "thief": random.Random(number).sample(TOWNS, 4)[0]})
        return rows

    def ordered(self, people, rng):
        return people

    def step(self, action):
        said = answer_text(action).strip()
        if said == "hint":
            return self.hint(), 0.0, False, False, {}
        return "Over.", float(said == f"Accuse {self.row['thief']}"), True, False, {}

    def solve(self, row):
        return ["hint", f"Accuse {row['thief']}"]

    def hint(self):
        return f"Its name has {len(self.row['thief'])} letters."


class NamedInReplies(Hats):
    """The names are in the reply to what is asked."""

    text = "Game {}. Find out which cat stole the fish. Ask 'hint', or accuse one."

    def hint(self):
        return f"It is one of these: {', '.join(self.row['named'])}."


class ShuffledHats(Hats):
    """Sound: the names are shuffled."""

    def ordered(self, people, rng):
        return rng.sample(people, len(people))


class AllInvited(ToolEnv):
    """Sound: everybody of the list is called, so that the last call is for the last of them."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        text = "Call each of these people, whom you may choose to greet: {}. Then say 'Done.'"
        drawn = [random.Random(number).sample(TOWNS, 4) for number in range(16)]
        return [{"prompt": text.format(self.listed(people)), "people": people} for people in drawn]

    def listed(self, people):
        return ", ".join(people)

    def setup(self, row):
        self.called = []

    @tool
    def call(self, person: str) -> str:
        """Call a person."""
        self.called.append(person)
        return "Called."

    @reward
    def all_called(self, people):
        return sorted(self.called) == sorted(people)

    def solve(self, row):
        yield from (call_message("call", person=person) for person in row["people"])
        yield "Done."


class AllOfALabel(AllInvited):
    """Sound: they have a label in the list that they have in no call."""

    def listed(self, people):
        return "\n" + "\n".join(f"Guest {person}: a friend" for person in people) + "\n"


@pytest.mark.parametrize(("cls", "place"), [(Letters, "first"), (LastLetters, "last"), (Hats, "first")])
def test_what_is_always_at_one_place_is_an_error(cls, place):
    finding = found(the_answer_has_no_place_of_its_own, cls, "default")[0]
    assert f"is always the {place} of the list in the prompt" in finding.message
    assert finding.severity != "warning"


def test_lists_in_replies_of_a_game_are_read():
    assert "the first of the list in a reply" in found(the_answer_has_no_place_of_its_own, NamedInReplies)[0].message


def test_options_that_no_other_row_has_are_a_warning():
    assert found(the_answer_has_no_place_of_its_own, Rhymes, "default")[0].severity == "warning"


@pytest.mark.parametrize("cls", [Parcels, ParcelsWithCommas])
def test_numbers_behind_a_label_are_what_their_lines_are_about(cls):
    assert "is always the last of the list" in found(the_answer_has_no_place_of_its_own, cls)[0].message


def test_who_says_it_at_once_in_a_game_is_shown():
    finding = found(the_answer_has_no_place_of_its_own, Hats, "default")[0]
    assert "saying it at once scores as much as gold" in finding.message


@pytest.mark.parametrize(
    "sound",
    [
        ShuffledLetters, FirstMeant, SortedRhymes, Fields, ShuffledHats, AllInvited, AllOfALabel, ShuffledParcels,
        SortedParcels,
    ],
)  # fmt: skip
def test_lists_whose_places_vary_or_mean_something_are_sound(sound):
    assert found(the_answer_has_no_place_of_its_own, sound, "default") == []
