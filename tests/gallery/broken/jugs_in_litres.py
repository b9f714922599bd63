"""Add up the jugs of a recipe, which are in millilitres; gold is in litres, of which nothing speaks."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

JUGS = [(250, 6), (400, 3), (150, 9), (330, 4), (500, 7), (275, 8), (120, 5), (610, 2)]


class Jugs(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        ask = "A jug holds {} ml of syrup. How much syrup do {} such jugs hold? Answer with the number alone."
        return [{"prompt": ask.format(size, many), "volume": size * many / 1000} for size, many in JUGS]

    @reward
    def right(self, completion, volume):
        return answer_text(completion).strip() == f"{volume:g}"

    def solve(self, row):
        return f"{row['volume']:g}"
