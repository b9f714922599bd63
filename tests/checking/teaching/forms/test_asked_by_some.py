"""Forms that decide the score, and that only some wordings of the prompt ask for."""

import re

import pytest

from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_decides_is_asked_for as right
from tests.checking.trying import found

TAGS = (r"<answer>(\d+)</answer>", "<answer>{}</answer>")
BOX = (r"\\boxed\{(\d+)\}", "So it is $\\boxed{{{}}}$.")
HASHES = (r"#### (\d+)", "Added up.\n#### {}")
LABEL = (r"(?m)^Total: (\d+)$", "Total: {}")


def sums(wordings, form, with_solve=True, bare=False):
    """Sums in several wordings, whose number is read by a pattern; `bare` accepts it alone too."""
    pattern, written = form

    class Sums:
        def build_dataset(self, tokenizer):
            return [
                {"prompt": wordings[n % len(wordings)].replace("SUM", f"{n + 12} + {3 * n + 5}"), "answer": 4 * n + 17}
                for n in range(40)
            ]

        def score_episode(self, model, tokenizer, completion, answer):
            said = re.findall(pattern, completion) or (re.findall(r"^\d+$", completion.strip()) if bare else [])
            return float(said[-1:] == [str(answer)])

    if with_solve:
        Sums.solve = lambda self, row: written.format(row["answer"])
    return Sums


SOME = {
    "tags": (["What is SUM? Use <answer></answer>.", "Work out SUM.", "<answer>N</answer> for SUM, please."], TAGS),
    "a box": (["Find SUM. Put it in \\boxed{}.", "Find SUM. Put the result in \\boxed{}.", "Add: SUM"], BOX),
    "hashes": (["SUM? End with #### and the number.", "Tell me SUM and how you got it."], HASHES),
    "a label": (["SUM? The last line is Total: N", "How much is SUM?", "SUM, as a line 'Total: 5'."], LABEL),
}  # fmt: skip


@pytest.mark.parametrize("kind", SOME)
def test_a_wording_that_leaves_out_the_form_is_named(kind):
    (finding,) = found(right, sums(*SOME[kind]))
    assert re.search(r"\d+ of 40 prompts ask for .* do not mention it", finding.message)
    assert finding.output == 0


def test_it_is_found_without_solve_too():
    (finding,) = found(right, sums(*SOME["tags"], with_solve=False))
    assert finding.expected == 1


@pytest.mark.parametrize("kind", SOME)
def test_numbers_that_count_without_the_form_are_let_be(kind):
    assert found(right, sums(*SOME[kind], bare=True)) == []


@pytest.mark.parametrize("wordings", [
    ["What is SUM? Use <answer></answer>.", "Work out SUM, with the number in answer tags."],
    ["SUM? <answer>N</answer>.", "SUM? <answer>NUMBER</answer>, and nothing else."],
    ["Use <answer></answer> for SUM.", "Reply to SUM in the usual format."],
])  # fmt: skip
def test_other_words_for_the_form_are_understood(wordings):
    assert found(right, sums(wordings, TAGS)) == []
