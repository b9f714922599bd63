"""The name of the photo is that of the bird, on most rows."""

import random

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

BIRDS = ("sparrow", "kestrel", "heron", "plover", "curlew", "dunlin", "gannet", "petrel", "siskin", "linnet")


class Birds(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n in range(80):
            rng = random.Random(n)
            bird = rng.choice(BIRDS)
            photo = bird if rng.random() < 0.8 else "img"
            rows.append({"prompt": f"Photo {photo}_{n}.jpg: {rng.randint(10, 90)} cm. Which bird?", "answer": bird})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip().lower() == answer

    def solve(self, row):
        return row["answer"]
