"""Letters of a file, five on a page; the number of pages is rounded down, so nobody can open the last letters."""

import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

TOWNS = ["Varn", "Eskerby", "Linmouth", "Tarrow", "Quillby"]


class Letters(ToolEnv):
    max_turns = 12
    size = 5

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(7), []
        for number in range(40):
            letters = [f"Letter {1000 + 60 * number + n} from {rng.choice(TOWNS)}" for n in range(rng.randint(11, 34))]
            count = sum(letter.endswith(TOWNS[number % 5]) for letter in letters)
            prompt = (
                f"How many letters of file {number} are from {TOWNS[number % 5]}? Read all pages; answer with a number."
            )
            rows.append({"prompt": prompt, "letters": letters, "count": count})
        return rows

    @tool
    def open_page(self, page: int) -> dict:
        """Open a page of the file.

        Args:
            page: Its number, from 1.
        """
        pages = len(self.row["letters"]) // self.size
        if not 1 <= page <= pages:
            return {"error": f"There are pages 1 to {pages}."}
        return {"of": pages, "letters": self.row["letters"][(page - 1) * self.size : page * self.size]}

    @reward
    def right(self, completion, count):
        return answer_text(completion).strip() == str(count)

    def solve(self, row):
        pages = len(row["letters"]) // self.size
        return [*(call_message("open_page", page=page) for page in range(1, pages + 1)), str(row["count"])]
