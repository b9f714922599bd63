"""Calls in several spellings, all values joined to one, and one act more that spoils what was reached."""

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.amounts.odd_values import values_that_say_nothing_are_not_gold as odd
from grpo_env_sdk.checking.teaching.amounts.repeating import repeating_one_act_is_not_gold as repeating
from grpo_env_sdk.checking.teaching.too_much.one_act_more import one_act_more_is_not_gold as more
from tests.checking.trying import found


class Hives(ToolEnv):
    """Hives that are visited count as they are written."""

    max_turns, count = 9, 3

    def build_dataset(self, tokenizer):
        ask = "Apiary {}: visit {} different hives of H{}a to H{}f."
        return [{"prompt": ask.format(n, self.count, n, n), "number": n} for n in range(1, 17)]

    def setup(self, row):
        self.visited = set()

    def known_as(self, hive):
        return hive

    @tool
    def visit(self, hive: str) -> str:
        """Visit a hive."""
        if hive.strip().casefold() not in [f"h{self.row['number']}{letter}" for letter in "abcdef"]:
            return "There is no such hive."
        self.visited.add(self.known_as(hive))
        return "All is well there."

    @reward
    def visits(self):
        return min(1.0, len(self.visited) / self.count)

    def solve(self, row):
        return [*(call_message("visit", hive=f"H{row['number']}{one}") for one in "abcdef"[: self.count]), "Done."]


class KnownHives(Hives):
    """Sound: a hive is the same in any spelling."""

    def known_as(self, hive):
        return hive.strip().casefold()


class OneHive(Hives):
    """Sound: one is enough."""

    count = 1


@pytest.mark.parametrize(("env", "many"), [(Hives, 1), (KnownHives, 0), (OneHive, 0)])
def test_a_call_in_several_spellings_is_one_call(env, many):
    findings = found(repeating, env)
    assert len(findings) == many
    assert all("One act of gold, repeated" in one.message for one in findings)


KINDS = ("bass", "tenor", "alto", "soprano")


class Choir(ToolEnv):
    """A voice counts as soon as its name is in the text."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        ask = "Singer {} reaches from {} hertz upwards. File the voice: bass, tenor, alto or soprano."
        return [{"prompt": ask.format(n, 80 * (1 + n % 4)), "singer": n, "voice": KINDS[n % 4]} for n in range(1, 21)]

    def setup(self, row):
        self.filed = {}

    @tool
    def file_voice(self, singer: int, voice: str) -> str:
        """File the voice of a singer."""
        if singer != self.row["singer"]:
            return "There is no such singer."
        self.filed[singer] = voice
        return "Filed."

    @reward
    def right(self, singer, voice):
        return voice in self.filed.get(singer, "")

    def solve(self, row):
        return [call_message("file_voice", singer=row["singer"], voice=row["voice"]), "Filed."]


class ExactVoice(Choir):
    """Sound: the text has to be the voice."""

    @reward
    def right(self, singer, voice):
        return self.filed.get(singer) == voice


class ListedVoice(Choir):
    """Sound: only one of the names is taken."""

    @tool
    def file_voice(self, singer: int, voice: str) -> str:
        """File the voice of a singer."""
        if singer != self.row["singer"] or voice not in KINDS:
            return "There is no such singer or voice."
        self.filed[singer] = voice
        return "Filed."


@pytest.mark.parametrize(("env", "many"), [(Choir, 1), (ExactVoice, 0), (ListedVoice, 0)])
def test_all_values_in_one_text_are_not_one_of_them(env, many):
    findings = found(odd, env)
    assert len(findings) == many
    assert all("every value of any row in one text as 'voice'" in one.message for one in findings)


class Kiln(ToolEnv):
    """A kiln that has to have a heat at the end counts as soon as it has had it."""

    max_turns = 12

    def build_dataset(self, tokenizer):
        ask = "Kiln {} is at 0 degrees. Heat it by 10 to 90 at once. In the end it has to be at exactly {} degrees."
        return [{"prompt": ask.format(n, 110 + 10 * n), "wanted": 110 + 10 * n} for n in range(16)]

    def setup(self, row):
        self.heat, self.heats = 0, []

    @tool
    def warm(self, degrees: int) -> str:
        """Raise the heat of the kiln."""
        if not 10 <= degrees <= 90:
            return "That is not possible."
        self.heat += degrees
        self.heats.append(self.heat)
        return f"The kiln is at {self.heat} degrees."

    @reward
    def reached(self, wanted):
        return wanted in self.heats

    def solve(self, row):
        left = row["wanted"]
        while left:
            yield call_message("warm", degrees=min(90, left))
            left -= min(90, left)
        yield "Done."


class InTheEnd(Kiln):
    """Sound: the last heat counts."""

    @reward
    def reached(self, wanted):
        return self.heats[-1:] == [wanted]


class Measured(InTheEnd):
    """Sound: a look more does no harm, whatever its name is."""

    @tool
    def gauge(self, probe: int) -> str:
        """A probe of the kiln."""
        return f"Probe {probe} is at {self.heat} degrees."

    def solve(self, row):
        heating = list(super().solve(row))
        return [*heating[:-1], call_message("gauge", probe=row["wanted"] // 10), "Done."]


@pytest.mark.parametrize(("env", "many"), [(Kiln, 1), (InTheEnd, 0), (Measured, 0)])
def test_what_was_passed_by_is_not_what_was_reached(env, many):
    findings = found(more, env)
    assert len(findings) == many
    assert all("one more call of warm" in one.message for one in findings)
