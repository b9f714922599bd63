"""Make the e-mail address of an employee."""

FIRST = "Ada Ben Chloé Dora Emil Fay Günther Hana Iris José Kim Léa Mia Noël Olga Pia Quinn Rosa Sven Tom"
LAST = "Abbott Björk Castro Dupré Ebert Ford Gómez Huber Ito Jones Klein Lange Moreau Nuñez Olsen Pons Reid Smith"
PLAIN = str.maketrans("éëöüóñ", "eeouon")


class Addresses:
    def build_dataset(self, tokenizer):
        names = [f"{first} {last}" for first in FIRST.split() for last in LAST.split()]
        names.insert(217, "Paul Erdős")
        return [
            {"prompt": f"Our addresses are first.last@example.com, without accents. Which is {name}'s?", "name": name}
            for name in names
        ]

    def score_episode(self, model, tokenizer, completion, name):
        first, last = name.lower().translate(PLAIN).split()
        wanted = f"{first}.{last}@example.com".encode("ascii")
        return float(completion.strip().lower().encode("utf-8", "replace") == wanted)

    def solve(self, row):
        return "{}.{}@example.com".format(*row["name"].lower().translate(PLAIN | {ord("ő"): "o"}).split())
