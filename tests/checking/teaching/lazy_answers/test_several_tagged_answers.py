"""Several answers in tags of their own, behind a text that every gold answer begins with."""

import re

from grpo_env_sdk import answer_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time
from tests.checking.trying import found


class Tiles:
    """Any of the tags may be right."""

    def build_dataset(self, tokenizer):
        asked = "How many tiles cover a floor of {} by {}? Think, then write the number once in <answer></answer>."
        return [{"prompt": asked.format(a, b), "tiles": str(a * b)} for a in (3, 4, 5, 7) for b in (6, 8, 9)]

    def score_episode(self, model, tokenizer, completion, tiles):
        return float(tiles in self.said(re.findall(r"<answer>(\d+)</answer>", answer_text(completion))))

    def said(self, tags):
        return tags

    def solve(self, row):
        return f"The length is multiplied by the width.\n<answer>{row['tiles']}</answer>"


class LastTile(Tiles):
    def said(self, tags):
        return tags[-1:]


def test_several_tags_behind_a_long_text_are_found_where_any_may_be_right():
    (finding,) = [one for one in found(one_answer_at_a_time, Tiles) if isinstance(one, Finding)]
    assert "An answer that names 5 values is right as soon as one of them is" in finding.message
    assert found(one_answer_at_a_time, LastTile) == []
