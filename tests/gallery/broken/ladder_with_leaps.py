"""Word ladders: each word has to be known, but may differ from the one before in all its letters."""

from itertools import pairwise

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

LADDERS = ["cold cord card ward", "lead load goad gold", "head heal teal tell", "cat cot cog dog",
           "ape apt opt oat mat man", "lead lend lent lint", "pig wig wag way say sty"]  # fmt: skip
WORDS = sorted({word for ladder in LADDERS for word in ladder.split()})


def alike(one, other):
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def shortest(start, end):
    paths = [[start]]
    while paths:
        path = paths.pop(0)
        if path[-1] == end:
            return path
        paths += [[*path, word] for word in WORDS if alike(path[-1], word) and word not in path]
    return []


class Ladder(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        paths = [shortest(start, end) for start in WORDS for end in WORDS if start < end]
        text = "Change one letter at a time to get from {} to {}. Words: {}. Write the whole ladder, with blanks."
        return [
            {"prompt": text.format(path[0], path[-1], ", ".join(WORDS)), "path": path}
            for path in paths
            if len(path) > 2
        ]

    @reward
    def climbs(self, completion, path):
        words = answer_text(completion).lower().split()
        known = words and all(word in WORDS for word in words) and all(a != b for a, b in pairwise(words))
        return bool(known) and [words[0], words[-1]] == [path[0], path[-1]] and len(words) <= len(path)

    def solve(self, row):
        return " ".join(row["path"])
