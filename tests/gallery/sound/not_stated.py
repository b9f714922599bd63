"""Notes name their bird in one place, and the answer is "not stated" where they do not."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

BIRDS = ("sparrow", "kestrel", "heron", "plover", "curlew", "dunlin", "gannet", "petrel", "siskin", "linnet")


class Notes(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(80):
            rng = random.Random(n)
            bird = rng.choice(BIRDS) if rng.random() < 0.8 else None
            seen = f"{rng.randint(2, 40)} cm, seen at {rng.randint(4, 11)}" + (f", a {bird}" if bird else "")
            ask = "Which bird? One word, or: not stated"
            rows.append({"prompt": f"Note {n}: {seen}. {ask}", "answer": bird or "not stated"})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip().lower() == answer

    def solve(self, row):
        return row["answer"]
