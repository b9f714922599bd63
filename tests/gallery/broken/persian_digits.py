"""Only the digits of Persian are right, although nothing asks for them."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PERSIAN = str.maketrans("0123456789", "".join(map(chr, range(0x6F0, 0x6FA))))


class Sums(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"حاصل {a} + {b} چند است؟".translate(PERSIAN), "answer": str(a + b).translate(PERSIAN)}
            for a in range(11, 16)
            for b in (23, 37, 48, 59)
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
