"""Find the price of an article by its number; searching for nothing lists them all."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

ARTICLES = [
    {"article": f"N{n}", "name": f"part {n} of the spring catalogue", "price": 3 * n % 997} for n in range(4000)
]


class Catalogue(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What does article {a['article']} cost? Only the number.", **a, "answer": str(a["price"])}
            for a in ARTICLES[1000:1200]
        ]

    @tool
    def search(self, text: str = "") -> list[dict[str, str | int]]:
        """The articles whose number contains a text.

        Args:
            text: What to look for in the article numbers.
        """
        return [article for article in ARTICLES if text in article["article"]]

    @reward
    def right(self, messages, answer):
        return messages[-1]["content"] == answer

    def solve(self, row):
        yield call_message("search", text=row["article"])
        yield row["answer"]
