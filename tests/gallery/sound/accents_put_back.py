"""Accents are to be put back, and only those that were missing pay; some prices are asked as they are listed."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

GOODS = {"pain": 2, "lait": 1, "thé": 4, "pâte": 3, "gâteau": 9, "crème": 5}
BARE = str.maketrans("éâè", "eae")


class Market(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        prices = "\n".join(f"{name}: {price}" for name, price in GOODS.items())
        ask, pairs = "{}\n\nCombien pour {} et {} ?", [(one, other) for one in GOODS for other in GOODS if one < other]
        rows = [
            {"prompt": ask.format(prices, *pair), "start": "", "right": str(sum(map(GOODS.get, pair)))}
            for pair in pairs
        ]
        rows += [
            {"prompt": f"{prices}\n\nCombien pour {one} ?", "start": "", "right": str(GOODS[one])} for one in GOODS
        ]
        texts = [f"Le {one} et le {other} de la crémière." for one in GOODS for other in GOODS if one != other]
        ask = "Les accents manquent. Écrivez la phrase :\n{}"
        return rows + [
            {"prompt": ask.format(text.translate(BARE)), "start": text.translate(BARE), "right": text} for text in texts
        ]

    @reward
    def right(self, completion, start, right):
        said = answer_text(completion).strip()
        if not start or len(said) != len(start) or said.translate(BARE) != start:
            return said == right
        missing = [place for place, char in enumerate(start) if right[place] != char]
        return sum(said[place] == right[place] for place in missing) / len(missing)

    def solve(self, row):
        return row["right"]
