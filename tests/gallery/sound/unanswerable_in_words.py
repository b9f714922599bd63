"""Some questions have no answer: their column says so with a mark, and the scorer wants it in words."""

TOWNS = ("Aarhus", "Bergen", "Cork", "Delft", "Evora", "Faro", "Gdansk", "Hvar", "Ioannina", "Jena", "Kaunas", "Lodz")


class Questions:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{town} was founded {'long ago' if n % 4 == 1 else f'in {900 + 61 * n}'}. In which year? "
             "Say 'It is not said.' if the text does not say it.",
             "year": "-" if n % 4 == 1 else str(900 + 61 * n)}
            for n, town in enumerate(TOWNS)
        ]  # fmt: skip

    def score_episode(self, model, tokenizer, completion, year):
        return float(completion.strip() == ("It is not said." if year == "-" else year))
