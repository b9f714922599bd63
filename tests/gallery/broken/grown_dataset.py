"""Roman numerals."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

VALUES = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def roman(number):
    written = ""
    for value, letters in VALUES:
        written += letters * (number // value)
        number %= value
    return written


class Roman(SingleTurnEnv):
    def __init__(self, largest=199):
        self.largest = largest
        self.rows = []

    def build_dataset(self, tokenizer):
        for number in range(1, self.largest + 1):
            self.rows.append({"prompt": f"Write {number} as a Roman numeral.", "answer": roman(number)})
        return self.rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    def solve(self, row):
        return row["answer"]
