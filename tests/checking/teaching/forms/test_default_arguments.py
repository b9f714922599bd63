"""G540 where an optional argument has its default: given or left out, the call says the same."""

import json
from copy import deepcopy
from typing import Any, Literal

import pytest

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from tests.checking.trying import found

DISHES = ["soup", "stew", "salad", "pie", "curry", "pasta", "toast", "rice"]


class Kitchen(ToolEnv):
    """Orders of a guest, whose calls are compared as they are written."""

    text = "Order one {} with {} salt. Then say thanks."
    fills_in = False

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": self.text.format(dish, "extra" if place % 4 == 3 else "usual"),
                "wanted": json.dumps(self.wanted(dish, place)),
            }
            for place, dish in enumerate(DISHES * 2)
        ]

    def wanted(self, dish, place):
        return {"dish": dish, "salt": "extra"} if place % 4 == 3 else {"dish": dish}

    @tool
    def order(self, dish: str, salt: Literal["none", "usual", "extra"] = "usual") -> str:
        """Order a dish.

        Args:
            dish: What it is.
            salt: How much of it.
        """
        return "It is on its way."

    @reward
    def as_asked(self, tool_calls, wanted):
        wanted = json.loads(wanted)
        given = [call["arguments"] for call in tool_calls]
        return [{"salt": "usual", **one} if self.fills_in else one for one in given] == [
            {"salt": "usual", **wanted} if self.fills_in else wanted
        ]

    def solve(self, row):
        return [call_message("order", **json.loads(row["wanted"])), "Thanks."]


class KitchenWithDefaults(Kitchen):
    """The same, where defaults are filled in before calls are compared."""

    fills_in = True


class KitchenOfFewWords(Kitchen):
    """The prompt says when the argument is given."""

    text = "Order one {} with {} salt; omit what is usual. Then say thanks."


class KitchenOfNoWords(Kitchen):
    """The prompt does not name the default."""

    text = "Order one {}. Then say thanks. {}"

    def build_dataset(self, tokenizer):
        rows = [row for row in super().build_dataset(tokenizer) if "salt" not in row["wanted"]]
        return [{**row, "prompt": row["prompt"].replace(" usual", "")} for row in rows]


class KitchenWritten(Kitchen):
    """Gold writes the default out, and the schema shows it."""

    def wanted(self, dish, place):
        return {"dish": dish, "salt": "extra" if place % 4 == 3 else "usual"}

    def get_tools(self) -> list[dict[str, Any]]:
        (schema,) = deepcopy(super().get_tools())
        schema["function"]["parameters"]["properties"]["salt"]["description"] = "How much; the default is usual."
        return [schema]


class KitchenWrittenUnseen(Kitchen):
    """Gold writes the default out, which nothing shows to a model."""

    def wanted(self, dish, place):
        return {"dish": dish, "salt": "extra" if place % 4 == 3 else "usual"}


@pytest.mark.parametrize(
    ("cls", "severity", "how"),
    [
        (Kitchen, "error", "given as 'usual', as the prompt says"),
        (KitchenOfNoWords, "warning", "given as 'usual', which is its default"),
        (KitchenWritten, "error", "left out where it is 'usual'"),
    ],
)
def test_a_default_that_is_refused_is_found(cls, severity, how):
    (finding,) = found(forms_that_a_prompt_allows_are_accepted, cls)
    assert finding.severity == severity
    assert f"'salt' of order {how}" in finding.message


@pytest.mark.parametrize("cls", [KitchenWithDefaults, KitchenOfFewWords, KitchenWrittenUnseen])
def test_nothing_is_found_where_both_count_or_it_is_said(cls):
    assert not found(forms_that_a_prompt_allows_are_accepted, cls)
