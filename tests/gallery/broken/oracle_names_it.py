"""The oracle that answers yes or no says where the treasure is to everybody who guesses wrongly."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

PLACES = {
    "attic": "dry high", "cellar": "damp low", "garden": "damp high", "stable": "dry low", "well": "damp deep",
    "tower": "dry windy", "chapel": "cold high", "crypt": "cold low",
}  # fmt: skip
SIGNS = ("dry", "damp", "cold", "high", "low", "deep", "windy")


class Treasure(ToolEnv):
    max_turns = 9

    def build_dataset(self, tokenizer):
        map_ = "; ".join(f"{place}: {signs}" for place, signs in PLACES.items())
        text = f"A treasure lies in one of these places. {map_}. Ask the oracle about signs ('Is it dry?'). Dig once."
        return [{"prompt": f"Game {n}. {text}", "place": place} for n, place in enumerate(PLACES, 1)]

    def setup(self, row):
        self.dug = None

    @tool
    def ask(self, question: str) -> str:
        """Ask the oracle.

        Args:
            question: A question about one sign.
        """
        words, place = question.lower().strip("?").split(), self.row["place"]
        named = [one for one in PLACES if one in words and one != place]
        if named:
            return f"You are wrong about the {named[0]}: look in the {place}."
        asked = [sign for sign in SIGNS if sign in words]
        return "I see nothing." if not asked else "Yes." if asked[0] in PLACES[place] else "No."

    @tool
    def dig(self, place: str) -> str:
        """Dig at a place; only the first time counts.

        Args:
            place: One of the places.
        """
        self.dug = self.dug or place
        return "You dig."

    @reward
    def found(self, place):
        return self.dug == place

    def solve(self, row):
        asked = [call_message("ask", question=f"Is it {sign}?") for sign in SIGNS]
        return [*asked, call_message("dig", place=row["place"]), "I have dug."]
