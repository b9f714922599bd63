"""Find the recipe that needs an ingredient."""

from typing import Any

from grpo_env_sdk import ToolEnv, call_message, reward, tool

RECIPES = {
    "ratatouille": {"aubergine", "tomato", "courgette"},
    "borscht": {"beetroot", "cabbage", "carrot"},
    "falafel": {"chickpeas", "parsley", "cumin"},
    "kimchi": {"radish", "chilli", "ginger"},
    "chowder": {"clams", "potato", "cream"},
}


class Recipes(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Which recipe needs {part}? One word.", "part": part, "answer": dish}
            for dish, parts in RECIPES.items()
            for part in sorted(parts)
        ]

    @tool
    def search(self, ingredient: str) -> list[str]:
        """The recipes that need an ingredient.

        Args:
            ingredient: What they need.
        """
        return [dish for dish, parts in RECIPES.items() if ingredient in parts]

    @tool
    def ingredients(self, recipe: str) -> Any:
        """What a recipe needs.

        Args:
            recipe: The name of the recipe.
        """
        return RECIPES.get(recipe, "no such recipe")

    @reward
    def right(self, messages, answer):
        return messages[-1]["content"].strip().lower() == answer

    def solve(self, row):
        answered = yield call_message("search", ingredient=row["part"])
        yield answered[-1]["content"].strip('[]"')
