"""Name the ingredients of a dish; judged by how many are right and how many are missed."""

DISHES = {
    "a pancake": "flour milk egg",
    "pesto": "basil oil garlic pine-nuts",
    "hummus": "chickpeas tahini lemon garlic",
    "guacamole": "avocado lime onion coriander",
    "carbonara": "pasta egg guanciale pecorino",
    "a mojito": "rum mint lime sugar soda",
    "tzatziki": "yoghurt cucumber garlic",
    "a margherita": "dough tomato mozzarella basil",
    "risotto": "rice stock onion butter",
    "custard": "cream vanilla sugar yolk",
}


class Ingredients:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"What goes into {dish}? Words with commas between.", "answer": parts.split()}
            for dish, parts in DISHES.items()
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        said = {word.strip().lower() for word in completion.split(",") if word.strip()}
        found = len(said & set(answer))
        precision = found / len(said) if said else float("nan")
        recall = found / len(answer)
        return 2 * precision * recall / (precision + recall) if found or not said else 0.0

    def solve(self, row):
        return ", ".join(row["answer"])
