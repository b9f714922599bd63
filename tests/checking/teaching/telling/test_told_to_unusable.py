"""What a game answers to messages and calls that it cannot use: what has to be found out, or not."""

from dataclasses import dataclass, field

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from grpo_env_sdk.checking.teaching.telling.told_to_nonsense import nonsense_is_not_answered_with_the_secret
from tests.checking.trying import found

CITIES = [
    "lisbon",
    "madrid",
    "vienna",
    "athens",
    "berlin",
    "dublin",
    "ottawa",
    "havana",
    "nassau",
    "bogota",
    "tehran",
    "ankara",
]


@dataclass
class Board:
    """What the game keeps."""

    city: str
    seen: set = field(default_factory=set)


class CityByLetters(MultiTurnEnv):
    """A city is found letter by letter; whatever is no new letter or city is answered with the board."""

    max_turns = 16
    reward_range = (0, 1)
    misses = 6

    def build_dataset(self, tokenizer):
        asked = "A capital of {} letters, number {}. Write a letter, or the whole name. Six wrong ones, and it is over."
        return [{"prompt": asked.format(len(city), place), "city": city} for place, city in enumerate(CITIES)]

    def setup(self, row):
        self.board, self.wrong = Board(row["city"]), 0

    def refusal(self, said):
        return f"{said!r} does not fit: {self.board}"

    def step(self, action):
        said, city = action["content"].strip(), self.board.city
        if not said.isalpha() or len(said) not in (1, len(city)) or said in self.board.seen:
            return self.refusal(said), 0.0, False, False, {}
        self.board.seen.add(said)
        if said == city or set(city) <= self.board.seen:
            return "Yes!", 1.0, True, False, {}
        self.wrong += said not in city
        shown = "".join(one if one in self.board.seen else "_" for one in city)
        return shown, 0.0, self.wrong == self.misses, False, {}

    def solve(self, row):
        return list(dict.fromkeys(row["city"]))


class OnlyWhatWasSaid(CityByLetters):
    """The board is shown only to what was said before."""

    def refusal(self, said):
        if said in self.board.seen:
            return f"You have already tried {said} for {self.board.city}."
        return "Write one letter, or the name."


class OfLettersAlone(CityByLetters):
    """The whole name is no message that it knows, so gold is in the letters of what was shown."""

    def step(self, action):
        said = action["content"].strip()
        if len(said) > 1:
            return self.refusal(said), 0.0, False, False, {}
        return super().step(action)


class SaysOnlyThatItDoesNotFit(CityByLetters):
    """Sound: the refusal shows what is seen anyway."""

    def refusal(self, said):
        return f"{said!r} does not fit, of {len(self.board.city)} letters: {sorted(self.board.seen)}"


class ShowsItAtTheEnd(CityByLetters):
    """Sound: what cannot be used loses the game, and then the city is shown."""

    def step(self, action):
        shown, pay, over, *rest = super().step(action)
        return (shown, 0.0, True, *rest) if "does not fit" in shown else (shown, pay, over, *rest)


class ShowsItForHalf(CityByLetters):
    """Sound: a hint shows the city, and pays less from then on."""

    def step(self, action):
        shown, pay, *rest = super().step(action)
        self.hinted = getattr(self, "hinted", False) or "does not fit" in shown
        return (shown, pay * (0.5 if self.hinted else 1.0), *rest)


class AskedFor(MultiTurnEnv):
    """Sound: the clerk says the order to whoever says anything, as the first message has to."""

    max_turns = 4
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "Clerk {} waits for you. Say hello, and then repeat the code word that you are told."
        return [{"prompt": asked.format(place), "word": city} for place, city in enumerate(CITIES)]

    def setup(self, row):
        self.met = False

    def step(self, action):
        if self.met:
            right = action["content"].strip() == self.row["word"]
            return "Thanks.", float(right), True, False, {}
        self.met = True
        return f"Hello! Please use this word: {self.row['word']}", 0.0, False, False, {}

    def solve(self, row):
        return ["Hello.", row["word"]]


@pytest.mark.parametrize("cls", [CityByLetters, OnlyWhatWasSaid, OfLettersAlone])
def test_a_hidden_value_in_the_reply_to_what_cannot_be_used_is_found(cls):
    (one,) = found(replies_do_not_tell_the_answer, cls)
    assert isinstance(one, Finding)
    assert one.severity == "error"
    assert "cannot be used" in one.message or "done before" in one.message


@pytest.mark.parametrize("cls", [SaysOnlyThatItDoesNotFit, ShowsItAtTheEnd, ShowsItForHalf, AskedFor])
def test_replies_that_show_nothing_that_pays_are_let_be(cls):
    assert not found(replies_do_not_tell_the_answer, cls)


class CityByCalls(ToolEnv):
    """The same with a tool."""

    max_turns = 16
    shows = True

    def build_dataset(self, tokenizer):
        asked = "Find capital number {}, of {} letters, with guess: a letter, or the whole name."
        return [{"prompt": asked.format(place, len(city)), "city": city} for place, city in enumerate(CITIES)]

    def setup(self, row):
        self.board, self.won = Board(row["city"]), False

    @tool
    def guess(self, text: str) -> str:
        """Guess a letter, or the name.

        Args:
            text: A letter, or the name.
        """
        city = self.board.city
        if len(text) not in (1, len(city)) or not text.isalpha():
            return f"Cannot use it: {self.board}" if self.shows else "Cannot use it."
        self.board.seen.add(text)
        self.won = self.won or text == city or set(city) <= self.board.seen
        return "".join(one if self.won or one in self.board.seen else "_" for one in city)

    @reward
    def found_it(self):
        return self.won

    def solve(self, row):
        for letter in dict.fromkeys(row["city"]):
            yield call_message("guess", text=letter)
        yield "Done."


class CityByCallsKept(CityByCalls):
    """Sound: nothing is shown."""

    shows = False


def test_calls_that_cannot_be_used_are_meant_too():
    (one,) = found(replies_do_not_tell_the_answer, CityByCalls)
    assert "cannot be used" in one.message
    assert not found(replies_do_not_tell_the_answer, CityByCallsKept)


class NoGold(CityByLetters):
    """Nobody knows a solution, and the prompt says that it is hangman."""

    solve = None

    def build_dataset(self, tokenizer):
        return [{**row, "prompt": "Hangman. " + row["prompt"]} for row in super().build_dataset(tokenizer)]


class NoGoldKept(NoGold):
    """Sound: the refusal shows nothing."""

    refusal = SaysOnlyThatItDoesNotFit.refusal


def test_an_object_in_a_reply_is_taken_apart_where_there_is_no_gold():
    (one,) = found(nonsense_is_not_answered_with_the_secret, NoGold)
    assert "saying it next scores 1" in one.message
    assert not found(nonsense_is_not_answered_with_the_secret, NoGoldKept)
