"""The scorer looks for the answer in the whole transcript, where the tool has said it."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

AREAS = {
    "Kivu": 2700, "Ohrid": 358, "Inari": 1040, "Titicaca": 8372, "Toba": 1130, "Tahoe": 496, "Garda": 370,
    "Balaton": 592, "Taupo": 616, "Nasser": 5250,
}  # fmt: skip


class Lakes(ToolEnv):
    def build_dataset(self, tokenizer):
        prompt = "How many square kilometres has Lake {}? Look it up, and answer with the number."
        return [{"prompt": prompt.format(lake), "lake": lake, "area": area} for lake, area in AREAS.items()]

    @tool
    def look_up(self, lake: str) -> str:
        """Look up the area of a lake."""
        return f"{AREAS[lake]} km2" if lake in AREAS else "There is no such lake."

    @reward
    def right(self, messages, area):
        return any(str(area) in str(message.get("content")).split() for message in messages[1:])

    def solve(self, row):
        yield call_message("look_up", lake=row["lake"])
        yield str(row["area"])
