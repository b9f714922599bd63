"""Instruments of a group, each to be named once; what was named is kept as it was written."""

from grpo_env_sdk import MultiTurnEnv, answer_text

GROUPS = {
    "strings": ["violin", "viola", "cello", "harp", "lute"],
    "brass": ["trumpet", "trombone", "tuba", "horn", "cornet"],
    "woodwind": ["flute", "oboe", "clarinet", "bassoon", "piccolo"],
    "percussion": ["timpani", "triangle", "tambourine", "snare drum", "gong"],
    "keyboards": ["piano", "organ", "harpsichord", "celesta", "clavichord"],
}


class Instruments(MultiTurnEnv):
    max_turns = 5
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        asked = "Name three distinct instruments of this group, one in each message: {}. None counts twice."
        return [{"prompt": asked.format(group), "group": group} for group in GROUPS]

    def setup(self, row):
        self.named = set()

    def step(self, action):
        said = answer_text([action]).strip()
        right = said.casefold() in GROUPS[self.row["group"]] and said not in self.named
        self.named.add(said)
        self.right = getattr(self, "right", 0) + right
        return "Yes." if right else "No.", right / 3, self.right == 3, False, {}

    def solve(self, row):
        return GROUPS[row["group"]][:3]
