"""A share may be a decimal or a percentage, says the prompt; the text of the decimal alone is right."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Shares(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        asked = (
            "Of {} trees in a park, {} are oaks. Give their share as a decimal or a percentage, whichever you prefer."
        )
        parts = [(trees, oaks) for trees in (20, 40, 50) for oaks in range(3, 19, 2)]
        return [{"prompt": asked.format(trees, oaks), "share": str(oaks / trees)} for trees, oaks in parts]

    @reward
    def right(self, completion, share):
        return answer_text(completion).strip() == share

    def solve(self, row):
        return row["share"]
