"""Riddles with numbers, whose right options were put first, second and third in turns."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

RIDDLES = [
    ("has hands and cannot clap", "clock", "glove", "puppet"),
    ("has a neck and no head", "bottle", "swan", "lamp"),
    ("has keys and opens no lock", "piano", "janitor", "door"),
    ("has teeth and never bites", "comb", "shark", "dentist"),
    ("gets wetter as it dries", "towel", "sponge", "sun"),
    ("has an eye and cannot see", "needle", "potato knife", "mole"),
    ("has leaves and is no tree", "book", "fern", "gardener"),
    ("has a bed and never sleeps", "river", "baker", "hotel"),
    ("has a ring and no finger", "bell", "bride", "planet"),
    ("runs and has no legs", "tap", "hare", "postman"),
    ("has a face and no eyes", "coin", "mask", "owl"),
    ("has four legs and never walks", "table", "donkey", "tortoise"),
    ("has ears and never listens", "maize", "rabbit", "pupil"),
    ("has a tongue and never talks", "shoe", "parrot", "lawyer"),
    ("is full of holes and holds water", "sponge", "sieve", "bucket"),
    ("goes up and never comes down", "your age", "a kite", "a lift"),
]


class Riddles(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        rows = []
        for number, (what, right, *options) in enumerate(RIDDLES, 1):
            options.insert((number + 1) % 3, right)
            listed = "\n".join(f"{mark}) {one}" for mark, one in zip("ABC", options, strict=True))
            rows.append({"prompt": f"Riddle {number}: what {what}?\n{listed}\nReply with a letter.", "thing": right})
            rows[-1]["letter"] = "ABC"[options.index(right)]
        return rows

    @reward
    def right(self, completion, letter):
        return answer_text(completion).strip(" .)").upper() == letter

    def solve(self, row):
        return row["letter"]
