"""Several acts that are asked for, of which any one may be left out."""

import random

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.dropped_calls import each_call_that_is_asked_for_counts as each_counts
from tests.checking.trying import found

PROMPT = "Herd {}: bring all cows with fever into the stable and no others, then say done."


def sick_cows(number):
    rng = random.Random(number)
    return [f"c{place}" for place in sorted(rng.sample(range(1, 10), rng.randint(2, 4)))]


class Stable(ToolEnv):
    """One call for each cow; what counts is how many of those in the stable are sick."""

    prompt = PROMPT

    def build_dataset(self, tokenizer):
        return [{"prompt": self.prompt.format(number), "sick": sick_cows(number)} for number in range(12)]

    def setup(self, row):
        self.inside = set()

    @tool
    def temperatures(self) -> dict[str, float]:
        """Show the temperature of each cow; fever is what is above 39.5."""
        return {f"c{place}": 40.2 if f"c{place}" in self.row["sick"] else 38.4 for place in range(1, 10)}

    @tool
    def isolate(self, cow: str) -> str:
        """Bring a cow into the stable.

        Args:
            cow: Its tag.
        """
        self.inside.add(cow)
        return "It is in the stable."

    @reward
    def right(self, sick):
        return len(self.inside & {*sick}) / len(self.inside) if self.inside else 0.0

    def solve(self, row):
        yield call_message("temperatures")
        for cow in row["sick"]:
            yield call_message("isolate", cow=cow)
        yield "Done."


class Fewest(Stable):
    """One may be missing."""

    @reward
    def right(self, sick):
        return self.inside <= {*sick} and len(self.inside) >= len(sick) - 1


class Counted(Stable):
    @reward
    def right(self, sick):
        return len(self.inside & {*sick}) / len(self.inside | {*sick})


class Exact(Stable):
    @reward
    def right(self, sick):
        return self.inside == {*sick}


class AnyCow(Stable):
    """Some are enough, and the prompt says so."""

    prompt = "Herd {}: bring at least one cow with fever into the stable and no others, then say done."


class Told(Stable):
    """The calls may help to find the answer, which is what counts."""

    prompt = "Herd {}: what are the tags of all cows with fever? Bring them into the stable where that helps you."

    @reward
    def right(self, completion, sick):
        return answer_text(completion) == " ".join(sick)

    def solve(self, row):
        return [*list(super().solve(row))[:-1], " ".join(row["sick"])]


class Silent(Stable):
    """Nothing says that all are wanted."""

    prompt = "Herd {}: bring cows with fever into the stable."


class Listed(Stable):
    """One call takes a list of cows."""

    @tool
    def isolate(self, cows: list[str]) -> str:
        """Bring cows into the stable.

        Args:
            cows: Their tags.
        """
        self.inside |= {*cows}
        return "They are in the stable."

    def solve(self, row):
        return [call_message("temperatures"), call_message("isolate", cows=row["sick"]), "Done."]


class ListedExact(Listed):
    @reward
    def right(self, sick):
        return self.inside == {*sick}


class Written(Listed):
    """One call takes a text with commas."""

    @tool
    def isolate(self, cows: str) -> str:
        """Bring cows into the stable.

        Args:
            cows: Their tags, with commas between them.
        """
        self.inside |= {cow.strip() for cow in cows.split(",") if cow.strip()}
        return "They are in the stable."

    def solve(self, row):
        return [call_message("temperatures"), call_message("isolate", cows=", ".join(row["sick"])), "Done."]


class Named(MultiTurnEnv):
    """One message for each cow."""

    max_turns, reward_range = 8, (0, 1)

    def build_dataset(self, tokenizer):
        prompt = "These cows are here: {}. Name each cow that coughs, one in a message, then say done."
        return [
            {"prompt": prompt.format(", ".join(f"c{one} ({self.sound(number, one)})" for one in range(1, 10))),
             "sick": sick_cows(number)}
            for number in range(12)
        ]  # fmt: skip

    def sound(self, number, one):
        return "coughs" if f"c{one}" in sick_cows(number) else "moos"

    def setup(self, row):
        self.said = set()

    def step(self, action):
        said = answer_text(action).strip()
        if said.lower().rstrip(".") == "done":
            return "Thanks.", float(self.right()), True, False, {}
        self.said.add(said)
        return "Noted.", 0.0, False, False, {}

    def right(self):
        return bool(self.said) and self.said <= {*self.row["sick"]}

    def solve(self, row):
        return [*row["sick"], "done"]


class NamedExact(Named):
    def right(self):
        return self.said == {*self.row["sick"]}


class Haggling(Named):
    """The prices of an own offer are nothing that was asked for."""

    def build_dataset(self, tokenizer):
        prompt = "Buy lamp {}: each message is the whole price that you offer, and deal ends it. It is worth 60."
        return [{"prompt": prompt.format(number), "sick": ["40", "50", "60"]} for number in range(12)]

    def step(self, action):
        self.row["sick"] = ["40", "50", "60", "deal"]
        _, score, ended, _, _ = super().step("done" if answer_text(action) == "deal" else action)
        return "More?", score, ended, False, {}

    def solve(self, row):
        return ["40", "50", "60", "deal"]


@pytest.mark.parametrize(
    ("env", "kind"),
    [
        (Stable, "its calls of isolate"),
        (Fewest, "its calls of isolate"),
        (Listed, "the items in 'cows' of isolate"),
        (Written, "the items in 'cows' of isolate"),
        (Named, "its messages"),
    ],
)
def test_acts_of_which_any_one_may_be_missing_are_found(env, kind):
    (finding,) = found(each_counts, env)
    assert finding.message.startswith(f"Gold without any one of {kind}, as the first or the last, scores as much")
    assert finding.severity == "error"


def test_it_is_a_warning_where_nothing_says_that_all_are_wanted():
    (finding,) = found(each_counts, Silent)
    assert finding.severity == "warning"


@pytest.mark.parametrize("env", [Counted, Exact, AnyCow, Told, ListedExact, NamedExact, Haggling])
def test_nothing_is_said_where_all_count_or_some_are_enough(env):
    assert not found(each_counts, env)
