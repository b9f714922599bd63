"""Text games whose commands are messages: what is undone and done again, and negative numbers."""

import re

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, reward, tool
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import commands_of, undoing
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again
from grpo_env_sdk.checking.teaching.amounts.side_doors import absurd_numbers_are_not_gold
from grpo_env_sdk.checking.teaching.telling.told_to_nonsense import nonsense_is_not_answered_with_the_secret
from tests.checking.trying import found

SEEDS = ("beans", "peas", "leeks", "kale", "chard")


class Garden(MultiTurnEnv):
    """Planting pays, pulling out costs nothing."""

    max_turns = 12
    reward_range = (0, 1)
    right = False
    rules = "In each message you give one of these commands:\n- plant <seed>\n- pull <seed>\n- rest\nSeeds: {}."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Bed {n}. " + self.rules.format(", ".join(SEEDS[n % 3 :] + SEEDS[: n % 3])), "bed": n}
            for n in range(4)
        ]

    def setup(self, row):
        self.bed, self.paid, self.earned = [], [], 0.0

    def step(self, action):
        words = answer_text(action["content"] or "").strip().lower().split()
        if words == ["rest"]:
            return "The day is over.", 0.0, True, False, {}
        if len(words) == 2 and words[0] == "plant" and words[1] in SEEDS and words[1] not in self.bed:
            self.bed.append(words[1])
            pays = not self.right or words[1] not in self.paid
            self.paid = sorted({*self.paid, words[1]})
            gain = min(0.2, 1 - self.earned) if pays else 0.0
            self.earned += gain
            return "Planted.", gain, False, False, {}
        if len(words) == 2 and words[0] == "pull" and words[1] in self.bed:
            self.bed.remove(words[1])
            return "Out it comes.", 0.0, False, False, {}
        return "That cannot be done.", 0.0, False, False, {}

    def solve(self, row):
        return [*(f"plant {seed}" for seed in SEEDS), "rest"]


class Lamps(Garden):
    """The same commands in one sentence, and nobody who plays gold."""

    rules = "You can write: plant SEED, pull SEED or rest. There are {}."
    solve = None


class Bank(MultiTurnEnv):
    """Who withdraws less than nothing has paid in."""

    max_turns = 6
    reward_range = (0, 1)
    right = False

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"You have {n} coins in your pocket, and the bank pays back double what you bring. Say "
             "deposit NUMBER, withdraw NUMBER or leave.", "pocket": n}
            for n in range(10, 40)
        ]  # fmt: skip

    def setup(self, row):
        self.pocket, self.account = row["pocket"], 0

    def step(self, action):
        said = answer_text(action["content"] or "").strip().lower()
        if said == "leave":
            won = min(1.0, max(0.0, self.pocket / self.row["pocket"] - 1))
            return "Good bye.", won, True, False, {}
        move = re.fullmatch(r"(deposit|withdraw) (-?\d+)", said)
        if not move or (self.right and int(move[2]) < 1):
            return "Pardon?", 0.0, False, False, {}
        self.change(move[1], int(move[2]))
        return f"You have {self.pocket} coins.", 0.0, False, False, {}

    def change(self, verb, number):
        if verb == "deposit" and number <= self.pocket:
            self.pocket, self.account = self.pocket - number, self.account + 2 * number
        if verb == "withdraw" and number <= self.account:
            self.pocket, self.account = self.pocket + number, self.account - number

    def solve(self, row):
        return [f"deposit {row['pocket']}", f"withdraw {2 * row['pocket']}", "leave"]


class Stall(Bank):
    """The same in other words, where only the first message of the two takes a minus sign."""

    def change(self, verb, number):
        super().change(verb, number if verb == "deposit" else abs(number))


def sound(cls):
    return type(f"Sound{cls.__name__}", (cls,), {"right": True, "__module__": cls.__module__})


@pytest.mark.parametrize("cls", [Garden, Lamps])
def test_what_is_undone_by_another_command_pays_once(cls):
    (finding,) = found(what_was_undone_does_not_pay_again, cls)
    assert "pull" in finding.message
    assert finding.severity == "error"
    assert found(what_was_undone_does_not_pay_again, sound(cls)) == []


@pytest.mark.parametrize("cls", [Bank, Stall])
def test_a_negative_number_in_a_message_earns_nothing(cls):
    (finding,) = found(absurd_numbers_are_not_gold, cls)
    assert "-999" in finding.message
    assert finding.severity == "error"
    assert found(absurd_numbers_are_not_gold, sound(cls)) == []


def test_the_commands_of_a_prompt_are_read():
    assert commands_of("Commands: east, take THING, leave. You win.") == ["east", "take THING", "leave"]
    assert commands_of("Actions (one each):\n- open DOOR: opens it\n- wait\nGood luck.") == ["open DOOR", "wait"]
    assert commands_of("The moves of the week were good.") == []


def test_other_commands_with_the_same_thing_may_undo_an_act():
    assert undoing(["east", "take old lamp"], "Commands: east, take THING, drop THING.") == [
        "take old lamp", "drop old lamp",
    ]  # fmt: skip


class Coat(MultiTurnEnv):
    """Which coat is it? Who says something odd is told."""

    max_turns = 6
    reward_range = (0, 1)
    right = False
    odd = "Pardon? You may ask about the {coat} by colour or by cloth."

    def build_dataset(self, tokenizer):
        colours, cloths = ("grey", "blue", "brown", "green"), ("linen", "wool", "felt")
        return [
            {"prompt": f"Guest {n} has hidden a coat. Ask for its colour or cloth with yes or no questions, such as "
             "`ask: wool`, and end with `coat: COLOUR CLOTH`.", "coat": f"{colours[n % 4]} {cloths[n % 3]}"}
            for n in range(24)
        ]  # fmt: skip

    def step(self, action):
        said = answer_text(action["content"] or "").strip().lower()
        coat = self.row["coat"]
        if said.startswith("coat: "):
            return "Thank you.", float(said[6:] == coat), True, False, {}
        if said.startswith("ask: "):
            return "yes" if said[5:] in coat.split() else "no", 0.0, False, False, {}
        return "Pardon?" if self.right else self.odd.format(coat=coat), 0.0, False, False, {}


class Guide(ToolEnv):
    """A user who plays a game of riddles, and says the answer to whoever does not ask."""

    max_turns = 5
    right = False

    def build_dataset(self, tokenizer):
        towns = ("Bergen", "Gdansk", "Porto", "Kotor", "Split")
        text = "Riddle {}: I think of one of {}. Guess it: ask about its sea or its size, then call name_it."
        return [{"prompt": text.format(n, ", ".join(towns)), "town": towns[n % 5]} for n in range(20)]

    def setup(self, row):
        self.named = None

    @tool
    def name_it(self, town: str) -> str:
        """Name the town.

        Args:
            town: Which one.
        """
        self.named = self.named or town
        return "Noted."

    def user(self, messages):
        said = str(messages[-1].get("content") or "").lower()
        if self.named is not None:
            return None
        if "sea" in said or "size" in said:
            return f"It has {len(self.row['town'])} letters."
        return "Sea or size?" if self.right else f"What would you like to know of {self.row['town']}: sea or size?"

    @reward
    def right_town(self, town):
        return self.named == town


class Caller(Guide):
    """Nothing is to be guessed: the customer says what is wanted."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"Caller {n}. Find out where to, and call name_it."} for n, row in enumerate(rows)]


@pytest.mark.parametrize("cls", [Coat, Guide])
def test_nonsense_is_not_answered_with_the_secret(cls):
    (finding,) = found(nonsense_is_not_answered_with_the_secret, cls)
    assert finding.severity == "error"
    assert "scores 1" in finding.message
    assert found(nonsense_is_not_answered_with_the_secret, sound(cls)) == []


def test_a_customer_may_say_what_is_wanted():
    assert found(nonsense_is_not_answered_with_the_secret, Caller) == []
