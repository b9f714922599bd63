"""G696: tools that list only a part of what a row holds, in silence, and tools that may."""

import json
import re
from collections.abc import Mapping

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.listed_in_part import tools_list_all_that_a_row_holds
from tests.checking.trying import found

BIRDS = ["wren", "finch", "heron", "robin", "swift", "crane", "stork", "eagle", "raven", "goose", "quail", "egret"]
SIZES = [3, 7, 5, 9, 4, 10, 8, 11]


def lake(listed, ask="Count the birds of lake {n}.", held=list):
    """A tool that replies `listed` of the birds, which a column holds as `held` makes it."""

    class Lake(ToolEnv):
        max_turns = 4

        def build_dataset(self, tokenizer):
            lists = [(n, (BIRDS[n:] + BIRDS[:n])[:size]) for n, size in enumerate(SIZES)]
            return [{"prompt": ask.format(n=n + 30), "seen": held(birds), "many": len(birds)} for n, birds in lists]

        @tool
        def birds(self) -> str:
            """Birds that were seen at the lake."""
            seen = self.row["seen"]
            return listed(re.findall("[a-z]{4,}", str(seen.get("at dawn") if isinstance(seen, Mapping) else seen)))

        @reward
        def right(self, completion, many):
            return answer_text(completion) == str(many)

        def solve(self, row):
            yield call_message("birds")
            yield str(row["many"])

    return Lake


def counts(reply, ask="How many birds has lake {n}?"):
    """A tool that counts birds, of which no column has a list."""
    return lake(reply, ask, lambda birds: " ".join(sorted(birds)))


class Paged(lake(lambda birds: json.dumps(birds[:5]))):
    @tool
    def others(self) -> str:
        """Birds that came later."""
        return json.dumps(self.row["seen"][5:])

    def solve(self, row):
        yield call_message("birds")
        yield call_message("others")
        yield str(row["many"])


class Described(lake(lambda birds: json.dumps(birds[:5]))):
    @tool
    def birds(self) -> str:
        """At most five birds that were seen at the lake."""
        return json.dumps(self.row["seen"][:5])


@pytest.mark.parametrize(("env", "end"), [
    (lake(lambda birds: json.dumps(birds[:5])), "first 5"),
    (lake(lambda birds: json.dumps({"lake": "blue", "birds": birds[-5:]})), "last 5"),
    (lake(lambda birds: "Seen:\n" + "\n".join(f"- {bird}" for bird in birds[:5])), "first 5"),
    (lake(lambda birds: f"Seen: {', '.join(birds[:5])}.", held=json.dumps), "first 5"),
    (lake(lambda birds: json.dumps(birds[:5]), held=lambda birds: {"at dawn": birds}), "first 5"),
])  # fmt: skip
def test_a_list_that_is_cut_in_silence_is_a_warning(env, end):
    (finding,) = found(tools_list_all_that_a_row_holds, env)
    assert finding.severity == "warning"
    assert f"lists the {end} of what column 'seen' holds" in finding.message


COUNTED = {
    "total": counts(lambda birds: json.dumps({"total": len(birds[:5])})),
    "lines": counts(lambda birds: "\n".join(bird[::-1] for bird in birds[:5])),
    "text": counts(lambda birds: f"It has {min(len(birds), 5)} birds."),
}
UNCUT = {
    "all": counts(lambda birds: json.dumps({"total": len(birds), "birds": birds[:5]})),
    "a half": counts(lambda birds: json.dumps({"total": len(birds) // 2})),
    "and more": counts(lambda birds: f"It has {min(len(birds), 5)} birds{' or more' * (len(birds) > 5)}."),
    "the rest": counts(lambda birds: json.dumps({"here": min(len(birds), 5), "beside": max(len(birds) - 5, 0)})),
    "named": counts(lambda birds: json.dumps({"total": len(birds[:5])}), "It counts to 5. How many has lake {n}?"),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_count_that_is_cut_in_silence_is_a_warning(name):
    (finding,) = found(tools_list_all_that_a_row_holds, COUNTED[name])
    assert (finding.severity, "never more than 5" in finding.message) == ("warning", True)


@pytest.mark.parametrize("name", UNCUT)
def test_whole_counts_and_those_that_are_said_to_be_cut_are_let_be(name):
    assert found(tools_list_all_that_a_row_holds, UNCUT[name]) == []


@pytest.mark.parametrize("env", [
    lake(json.dumps),
    lake(lambda birds: json.dumps(birds[: len(birds) // 2 + 1])),
    lake(lambda birds: json.dumps({"all": len(birds), "birds": birds[:5]})),
    lake(lambda birds: "\n".join([*birds[:5], "and more"][: len(birds)])),
    lake(lambda birds: json.dumps(birds[:5]), "The tool has the 5 that were seen best. How many were at lake {n}?"),
    Paged,
    Described,
])  # fmt: skip
def test_whole_lists_and_those_that_are_said_to_be_cut_are_let_be(env):
    assert found(tools_list_all_that_a_row_holds, env) == []
