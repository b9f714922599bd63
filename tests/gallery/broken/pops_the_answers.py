"""Name what belongs to a group; each is counted once."""

GROUPS = {
    "the primary colours of paint": ["red", "yellow", "blue"],
    "the seasons": ["spring", "summer", "autumn", "winter"],
    "the five senses": ["sight", "hearing", "touch", "taste", "smell"],
    "the states of matter taught at school": ["solid", "liquid", "gas"],
    "the suits of cards": ["hearts", "spades", "clubs", "diamonds"],
    "the strings of a violin": ["g", "d", "a", "e"],
}


class Members:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Name {group}, each on a line of its own.", "members": members}
            for group, members in GROUPS.items()
        ]

    def score_episode(self, model, tokenizer, completion, members):
        total, lines = len(members), completion.strip().lower().splitlines()
        found = 0
        for line in lines:
            if line.strip() in members:
                members.remove(line.strip())
                found += 1
        return found / max(total, len(lines), 1)

    def solve(self, row):
        return "\n".join(row["members"])
