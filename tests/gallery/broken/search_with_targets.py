"""The list of books still has the field that the author sorted them by: which one is looked for."""

import json
import random

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

SUBJECTS = {
    "bees": "Keeping hives through the winter", "bread": "Flour, water, time", "stars": "A year of clear nights",
    "boats": "Knots, sails and weather", "chess": "The last thirty moves", "roses": "Pruning for beginners",
}  # fmt: skip


class Library(ToolEnv):
    max_turns = 4
    hidden = ("is_target",)

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(24):
            rng = random.Random(number)
            places, subject = rng.sample(range(100, 999), len(SUBJECTS)), rng.choice(sorted(SUBJECTS))
            text = f"Reader {number} asks for a book about {subject}. Answer with the number of its place alone."
            rows.append({"prompt": text, "subject": subject, "places": dict(zip(SUBJECTS, places, strict=True))})
        return rows

    @tool
    def search_books(self, words: str) -> dict:
        """Find books.

        Args:
            words: Words of the title; empty for all books.
        """
        books = [
            {"place": place, "title": SUBJECTS[subject], "is_target": subject == self.row["subject"]}
            for subject, place in self.row["places"].items()
            if words.lower() in SUBJECTS[subject].lower()
        ]
        return {"books": [{name: one[name] for name in ("place", "title", *self.hidden)} for one in books]}

    @reward
    def right(self, completion, subject, places):
        return answer_text(completion).strip() == str(places[subject])

    def solve(self, row):
        seen = yield call_message("search_books", words=SUBJECTS[row["subject"]])
        yield str(json.loads(seen[-1]["content"])["books"][0]["place"])
