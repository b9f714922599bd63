"""A tool reads one part of a pressed plant from its sheet, which has the species too."""

import json

from grpo_env_sdk import ToolEnv, answer_text, reward, tool

SHEETS = [
    {"leaf": "lobed", "bark": "grey", "fruit": "acorn", "species": "oak"},
    {"leaf": "needle", "bark": "red", "fruit": "cone", "species": "pine"},
    {"leaf": "round", "bark": "white", "fruit": "catkin", "species": "birch"},
    {"leaf": "heart", "bark": "brown", "fruit": "nutlet", "species": "linden"},
    {"leaf": "fan", "bark": "grey", "fruit": "plum", "species": "ginkgo"},
    {"leaf": "palm", "bark": "scaly", "fruit": "winged", "species": "maple"},
]
RULES = "; ".join(f"{sheet['species']} has {sheet['leaf']} leaves" for sheet in SHEETS)


class Herbarium(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        ask = "Which tree is sheet {}? {}. Write its species and nothing else."
        return [{"prompt": ask.format(n + 1, RULES), "sheet": json.dumps(sheet)} for n, sheet in enumerate(SHEETS)]

    @tool
    def look_at(self, part: str) -> str:
        """Look at one part of the plant.

        Args:
            part: The leaf, the bark or the fruit.
        """
        return str(json.loads(self.row["sheet"]).get(part, "Nothing there."))

    @reward
    def right(self, completion, sheet):
        return answer_text(completion).strip().lower() == json.loads(sheet)["species"]
