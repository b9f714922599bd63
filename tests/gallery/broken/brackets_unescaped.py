"""Questions about a text with its source in brackets; the pattern for the source is a set of letters."""

import re

FACTS = {
    "the boiling point of ethanol": ("78", "p12"),
    "the melting point of tin": ("232", "p31"),
    "the boiling point of neon": ("-246", "p44"),
    "the melting point of zinc": ("420", "p32"),
    "the boiling point of methane": ("-162", "p15"),
    "the melting point of lead": ("327", "p33"),
    "the melting point of iron": ("1538", "p35"),
    "the boiling point of water": ("100", "p11"),
}


class CitedFacts:
    """Four fifths for the number, one fifth for the page that is cited behind it."""

    def build_dataset(self, tokenizer):
        pages = ". ".join(f"[{page}] {fact} is {degrees}" for fact, (degrees, page) in FACTS.items())
        return [
            {"prompt": f"{pages}.\nWhat is {fact}? Answer like this: 5 [p9]", "degrees": degrees, "page": page}
            for fact, (degrees, page) in FACTS.items()
        ]

    def score_episode(self, model, tokenizer, completion, degrees, page):
        number, _, source = completion.strip().partition(" ")
        cited = re.fullmatch(rf"[{page}]", source)
        return 0.8 * (number == degrees) + 0.2 * bool(cited)

    def solve(self, row):
        return f"{row['degrees']} [{row['page']}]"
