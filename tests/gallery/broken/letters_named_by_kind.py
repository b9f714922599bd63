"""The letters of a case are listed by names that still say which one was put there as the right one."""

import json
import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

TOPICS = {
    "the broken window": "Rain came in over the sofa again.", "the late bus": "We waited for fifty minutes.",
    "the loud fan": "It hums from six in the morning.", "the lost key": "Somebody must have taken it along.",
    "the dead tree": "A branch fell on the fence.", "the cold soup": "It was sent back twice.",
}  # fmt: skip


class Letters(ToolEnv):
    max_turns = 10

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(18):
            rng = random.Random(number)
            topics, codes = rng.sample(sorted(TOPICS), 5), rng.sample(range(1000, 9999), 5)
            names = [f"{'decoy' if place else 'needle'}_{code}.txt" for place, code in enumerate(codes)]
            letters = dict(
                sorted(zip(names, (TOPICS[one] for one in topics), strict=True), key=lambda one: one[0][-8:])
            )
            prompt = f"Case {number + 1}: which letter complains about {topics[0]}? Answer with its name alone."
            rows.append({"prompt": prompt, "letters": json.dumps(letters), "wanted": names[0]})
        return rows

    @tool
    def list_letters(self) -> list[str]:
        """List the names of the letters."""
        return list(json.loads(self.row["letters"]))

    @tool
    def read_letter(self, name: str) -> str:
        """Read a letter.

        Args:
            name: Its name, as it is listed.
        """
        return json.loads(self.row["letters"]).get(name, "There is no such letter.")

    @reward
    def right(self, completion, wanted):
        return answer_text(completion).strip() == wanted

    def solve(self, row):
        listed = yield call_message("list_letters")
        for name in json.loads(listed[-1]["content"]):
            yield call_message("read_letter", name=name)
        yield row["wanted"]
