"""The view keeps the first 200 characters of a page, and what is asked for is below."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.views import cap_observations

TOWNS = ["Varn", "Eskerby", "Linmouth", "Tarrow", "Quillby", "Dunmere", "Pellworth", "Ostrava", "Hollin", "Marsk"]


class Towns(ToolEnv):
    max_turns = 4
    view = cap_observations(200)

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"In which year was {town} founded? Open its page, and answer with the year.", "town": town,
             "year": str(1203 + 37 * n)}
            for n, town in enumerate(TOWNS)
        ]  # fmt: skip

    @tool
    def open_page(self, title: str) -> str:
        """The page of a town.

        Args:
            title: The name of the town.
        """
        if title not in TOWNS:
            return "There is no such page."
        about = "The market is held on Thursdays, and people from the valley bring cheese and wool. "
        return f"{title}. {about * 3}It was founded in {1203 + 37 * TOWNS.index(title)}."

    @reward
    def right(self, completion, year):
        return answer_text(completion).strip() == year

    def solve(self, row):
        return [call_message("open_page", title=row["town"]), row["year"]]
