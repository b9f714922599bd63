"""Gold is a sentence with a comma; the name before the comma is right as well."""

NAMES = "Ada Lovelace", "Emmy Noether", "Mary Somerville", "Sofia Kowalewski", "Grace Hopper", "Maria Agnesi"


class Names:
    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Which of them has the initials {initials(one)}: {' or '.join(NAMES)}? ({n})",
                "name": one,
                "n": n,
            }
            for n in range(1, 7)
            for one in NAMES
        ]

    def score_episode(self, model, tokenizer, completion, name):
        said = [one for one in NAMES if one in completion]
        return float(said == [name] and completion.strip().startswith(name))

    def solve(self, row):
        return f"{row['name']}, number {row['n']} of {len(NAMES)}"


def initials(name):
    return "".join(word[0] for word in name.split())
