"""Expected outputs are worked out once and kept by the number within a chapter, which starts again in each."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

EXPECTED = {}


class Exercises(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Chapter {chapter}, exercise {number}: {chapter * 13} times {number + 11}?",
                "number": number,
                "chapter": chapter,
            }
            for chapter in range(1, 6)
            for number in range(1, 11)
        ]

    @reward
    def right(self, completion, number, chapter):
        if number not in EXPECTED:
            EXPECTED[number] = str(chapter * 13 * (number + 11))
        return answer_text(completion).strip() == EXPECTED[number]

    def solve(self, row):
        return str(row["chapter"] * 13 * (row["number"] + 11))
