"""Read a short note and answer with words of it; the answer has to stand in the prompt."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve")
PLACES = ("the cellar", "the shed", "the car", "the kitchen")


class Reading(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for n, keys in enumerate(PEOPLE):
            for k, place in enumerate(PLACES):
                lamp, other = PEOPLE[(n + k + 1) % 5], PLACES[(k + 1) % 4]
                note = f"{keys} left the keys in {place}. The lamp of {lamp} is in {other}."
                rows.append({"prompt": f"{note} Where are the keys?", "answer": place})
                rows.append({"prompt": f"{note} Where is the lamp?", "answer": other})
        return rows

    @reward
    def right(self, completion, answer):
        said = answer_text(completion).lower().rstrip(".").removeprefix("in ")
        return said.removeprefix("the ") == answer.removeprefix("the ")

    def solve(self, row):
        return row["answer"]
