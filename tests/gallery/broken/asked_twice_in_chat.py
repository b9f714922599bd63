"""The example turns of a chat are drawn from all rows, the row's own among them."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PLURALS = {
    "mouse": "mice", "goose": "geese", "ox": "oxen", "child": "children", "foot": "feet", "tooth": "teeth",
    "man": "men", "louse": "lice", "leaf": "leaves", "knife": "knives", "wolf": "wolves", "half": "halves",
}  # fmt: skip


class Plurals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n, (word, plural) in enumerate(PLURALS.items()):
            prompt = [{"role": "system", "content": "Give the plural. One word."}]
            for shown in random.Random(n).sample(sorted(PLURALS), 4):
                prompt += [{"role": "user", "content": shown}, {"role": "assistant", "content": PLURALS[shown]}]
            rows.append({"prompt": [*prompt, {"role": "user", "content": word}], "answer": plural})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip(" .").lower() == answer

    def solve(self, row):
        return row["answer"]
