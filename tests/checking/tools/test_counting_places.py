"""T429: tools whose schema counts from 1 and that take numbers as places from 0, where no gold shows it."""

import pytest

from grpo_env_sdk import ToolEnv, reward, tool
from grpo_env_sdk.checking.tools.counting_places import tools_count_as_their_schema_says as counts
from tests.checking.trying import found


class Cloakroom(ToolEnv):
    """The hooks are numbered from 1, and the tool takes the number as a place in its list."""

    max_turns = 3
    said = "Hang the {coat} coat on hook {hook} of the cloakroom."
    first = 0

    def build_dataset(self, tokenizer):
        colours = ("red", "blue", "green", "grey", "brown", "white", "black", "pink", "beige", "violet")
        rows = [{"coat": coat, "hook": 2 + n} for n, coat in enumerate(colours)]
        return [{"prompt": self.said.format(**row), **row} for row in rows]

    def setup(self, row):
        self.hooks = [""] * 20

    @tool
    def hang(self, coat: str, hook: int) -> str:
        """Hang a coat up.

        Args:
            coat: Its colour.
            hook: The hook; the leftmost one is 1.
        """
        self.hooks[hook - self.first] = coat
        return "It hangs."

    @reward
    def hangs(self, coat, hook):
        return [place for place, one in enumerate(self.hooks) if one] == [hook - 1] and self.hooks[hook - 1] == coat


class CountedAsTold(Cloakroom):
    first = 1


class LeftOfANumber(Cloakroom):
    said = "Hang the {coat} coat on the hook just before hook {hook} of the cloakroom."


class PromptsFromZero(Cloakroom):
    said = "Hang the {coat} coat on hook {hook} of the cloakroom, where I count from zero."


class Signs(ToolEnv):
    """The tool replies with the sign behind the one that was asked for."""

    max_turns = 3
    first = 0
    reply = "Sign {0} says {1}."

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Read signs, then say which one has an {letter}.", "letter": letter} for letter in "aeiouy"]

    @tool
    def read_sign(self, sign: int) -> str:
        """Read a sign.

        Args:
            sign: Its number, counted from 1.
        """
        return self.reply.format(sign - self.first + 1, "aeiouyaeiouy"[abs(sign) % 12])

    @reward
    def named(self, completion, letter):
        return str("aeiouy".index(letter) + 1) in str(completion[-1]["content"])


class SignsAsTold(Signs):
    first = 1


class SignsWithTheNext(Signs):
    reply = "It says {1}; next sign {0}."


@pytest.mark.parametrize(("env", "severity", "words"), [
    (Cloakroom, "error", "counts 'hook' from 1, and hang from 0"),
    (Signs, "warning", "counts 'sign' from 1"),
])  # fmt: skip
def test_tools_that_count_from_zero_are_found(env, severity, words):
    (finding,) = found(counts, env)
    assert (finding.severity, words in finding.message) == (severity, True)


@pytest.mark.parametrize("env", [CountedAsTold, LeftOfANumber, PromptsFromZero, SignsAsTold, SignsWithTheNext])
def test_tools_that_count_as_told_are_let_be(env):
    assert found(counts, env) == []
