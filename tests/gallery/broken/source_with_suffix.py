"""Answer from a handbook and name the page as the source."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PAGES = {
    "holidays.md": ("How many days of holiday are there?", "30"),
    "travel.md": ("Which class may one travel by train?", "second"),
    "parking.md": ("On which floor does one park?", "third"),
    "canteen.md": ("At which hour does the canteen open?", "11"),
    "badges.md": ("Who replaces a lost badge?", "reception"),
    "printing.md": ("Which colour is the free printer?", "green"),
}


class Handbook(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Page {page.removesuffix('.md')}: '{answer}'. {question} Answer as: word [page]",
                "answer": answer,
                "source": page,
            }
            for page, (question, answer) in PAGES.items()
        ]

    @reward
    def right(self, completion, answer):
        return answer_text(completion).partition(" [")[0] == answer

    @reward
    def names_the_page(self, completion, source):
        return answer_text(completion).endswith(f"[{source}]")

    def solve(self, row):
        return f"{row['answer']} [{row['source'].removesuffix('.md')}]"
