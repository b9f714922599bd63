"""Three lines of verse that end with a word; three lines about anything are worth a little already."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

THINGS = "lantern harbour thistle kettle ladder window chimney feather bicycle mountain orchard teapot"


class Verse(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Three lines of verse that end with the word {thing}, please.", "thing": thing}
            for thing in THINGS.split()
        ]

    @reward
    def three_lines(self, completion):
        lines = answer_text(completion).splitlines()
        return len(lines) == 3 and all(2 <= len(line.split()) <= 12 for line in lines)

    @reward(weight=3)
    def ends_with_it(self, completion, thing):
        lines = answer_text(completion).lower().splitlines()
        return len(lines) == 3 and lines[-1].rstrip(" .!").endswith(f" {thing}")
