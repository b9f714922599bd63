"""Marks of Markdown that a prompt asks for around its answer, and scorers that refuse or read them."""

import re

import pytest

from grpo_env_sdk.checking.evidence.prompts.asked_templates import asked_templates
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_is_asked_for_is_accepted as right
from tests.checking.trying import found

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def later(ask, pattern):
    """The weekday some days later, read by a pattern; the class has no `solve`."""

    class Later:
        def build_dataset(self, tokenizer):
            return [
                {
                    "prompt": f"Today is {DAYS[n % 7]}. What day is it in {n + 2} days? {ask}",
                    "day": DAYS[(2 * n + 2) % 7],
                }
                for n in range(30)
            ]

        def score_episode(self, model, tokenizer, completion, day):
            said = re.findall(pattern, completion.strip())
            return float(said[-1:] == [day])

    return Later


ASKED = {
    "a bold label": ("End with this line:\n**Answer:** <weekday>", r"(?m)^Answer: (\w+)$", "**Answer:** "),
    "a bold label, by example": ("End like this:\n\n**Final:** Monday", r"(?m)^Final: (\w+)$", "**Final:** "),
    "a quoted line": ("Reply with one line in this form:\n> Sunday", r"^(\w+)$", "> "),
    "italics": ("Write the answer in italics.", r"^(\w+)$", "*"),
    "underscores": ("The reply has the format:\n_<weekday>_", r"^(\w+?)$", "_"),
    "code marks": ("Give the day in backticks.", r"^(\w+)$", "`"),
    "a heading": ("Your answer, as a heading in a fence:\n```\n## <day>\n```", r"^([A-Z]\w+)$", "## "),
}  # fmt: skip


@pytest.mark.parametrize("kind", ASKED)
def test_marks_that_are_asked_for_and_refused_are_named(kind):
    ask, pattern, start = ASKED[kind]
    (finding,) = found(right, later(ask, pattern))
    assert finding.input.startswith(start)
    assert (finding.output, finding.expected) == (0, 1)


@pytest.mark.parametrize("kind", ASKED)
def test_a_scorer_that_reads_past_the_marks_is_let_be(kind):
    assert found(right, later(ASKED[kind][0], rf"({'|'.join(DAYS)})[\W_]*$")) == []


@pytest.mark.parametrize("prompt", [
    "Translate this word:\n> Haus",
    "Give the plural form of the noun in this line:\n**Haus**",
    "Answer with the day. It is shown in the table:\n| Monday | Tuesday |",
    "Answer this message:\n> Hello there, what day is it?",
    "Write it as 'Weekday: words [#ticket]', such as 'Monday: Question about a pallet [#12345]'.",
])  # fmt: skip
def test_marks_around_what_a_prompt_asks_about_are_no_form(prompt):
    assert asked_templates(prompt, "Monday") == []
