"""T427: the tool with which an answer is tried and the scorer agree."""

import re
from typing import Any

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.tools.trying_answers import the_tool_and_the_scorer_agree
from tests.checking.trying import found

PLATES = [
    (["kx12", "kx77"], ["ab12", "kz77"]), (["ZF101", "ZF202"], ["AF101", "ZX1a"]), (["mn4", "mn9"], ["mx4", "an9"]),
    (["QT55", "QT61"], ["QB55", "RT61"]), (["pl301", "pl399"], ["pa301", "ol39"]), (["rs8", "rs6"], ["ra8", "bs6"]),
    (["WW10", "WW20"], ["VW10", "WV20"]), (["cd71", "cd72"], ["ce71", "dd72"]), (["GH3", "GH4"], ["GI3", "HH4"]),
    (["tu90", "tu91"], ["tv90", "uu91"]),
]  # fmt: skip


class Plates(ToolEnv):
    """Write a regular expression for the plates of one car park."""

    max_turns = 4
    more = ""

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        ask = "Write a regular expression that matches all of {} whole, and neither {}.{} Answer with it alone."
        return [
            {"prompt": ask.format(" and ".join(yes), " nor ".join(no), self.more), "yes": yes, "no": no}
            for yes, no in PLATES
        ]

    @tool
    def try_expression(self, expression: str) -> str:
        """Which of the plates an expression matches."""
        hits = [plate for plate in self.row["yes"] + self.row["no"] if self.matches(expression, plate)]
        return f"It matches {', '.join(hits)}." if hits else "It matches none."

    @reward
    def right(self, completion: Any, yes: list[str], no: list[str]) -> bool:
        said = answer_text(completion).strip()
        return [plate for plate in yes + no if self.scored(said, plate)] == yes

    def matches(self, expression: str, plate: str) -> bool:
        try:
            return bool(re.fullmatch(expression, plate))
        except re.error:
            return False

    def scored(self, expression: str, plate: str) -> bool:
        return self.matches(expression, plate)


class LoweredPlates(Plates):
    """The scorer lowers the plates, and not the expression."""

    def scored(self, expression: str, plate: str) -> bool:
        return self.matches(expression, plate.lower())


class LooseTool(Plates):
    """The tool ignores case, as the scorer does."""

    def matches(self, expression: str, plate: str) -> bool:
        return super().matches(expression.lower(), plate.lower())


class HiddenPlates(Plates):
    """The scorer tries plates that nobody sees, and the prompt says so."""

    more = " Hidden plates are tried too."

    def scored(self, expression: str, plate: str) -> bool:
        return super().scored(expression, plate) and len(plate) != 4


class StricterScorer(Plates):
    """Some patterns that the tool accepts score nothing, as a rule of the prompt is broken."""

    more = " Use no capital letters, but (?i)."

    def scored(self, expression: str, plate: str) -> bool:
        return super().scored(expression, plate) and expression == expression.lower()


BIRDS = ["wren", "ROOK", "kite", "SWAN", "teal", "CROW", "dove", "GULL", "finch", "HERON"]


class Ciphers(ToolEnv):
    """Decode a word, and check it with the tool; the tool compares in small letters, and the scorer does not."""

    max_turns = 4

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        return [{"prompt": f"Read {bird[::-1]} backwards; upper and lower case count.", "bird": bird} for bird in BIRDS]

    @tool
    def check_word(self, word: str) -> str:
        """Whether a word is the right one."""
        return "It fits." if self.fits(word) else "It does not fit."

    @reward
    def right(self, completion: Any, bird: str) -> bool:
        return answer_text(completion).strip() == bird

    def solve(self, row: dict[str, Any]) -> Any:
        yield call_message("check_word", word=row["bird"])
        yield row["bird"]

    def fits(self, word: str) -> bool:
        return word == self.row["bird"].lower()


class AnyCase(Ciphers):
    """The tool is kinder than the scorer."""

    def fits(self, word: str) -> bool:
        return word.lower() == self.row["bird"].lower()


class SameWord(Ciphers):
    """The tool and the scorer compare alike."""

    def fits(self, word: str) -> bool:
        return bool(word == self.row["bird"])


class Stock(Ciphers):
    """The tool knows of a few words how often they are there, and of all others nothing."""

    @tool
    def check_word(self, word: str) -> str:
        """Check how many there are."""
        return f"{dict.fromkeys(BIRDS[:4], 3).get(word, 0)} left."


def test_the_scorer_lowers_what_the_tool_does_not():
    (finding,) = found(the_tool_and_the_scorer_agree, LoweredPlates)
    assert finding.severity == "error"
    assert "try_expression and the scorer disagree on 4 of 10 rows" in finding.message
    assert "'ZF" in finding.message
    assert "'zf" in finding.message


def test_the_tool_refuses_gold_and_accepts_what_loses():
    (finding,) = found(the_tool_and_the_scorer_agree, Ciphers)
    assert "check_word and the scorer disagree on 5 of 10 rows" in finding.message
    assert "'rook'" in finding.message


def test_tools_that_agree_or_are_kinder_or_only_look_up_are_not_accused():
    for cls in (Plates, LooseTool, HiddenPlates, StricterScorer, AnyCase, SameWord, Stock):
        assert found(the_tool_and_the_scorer_agree, cls) == [], cls
