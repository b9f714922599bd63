"""Explain a word; the answer has to mention what matters about it."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

TOPICS = """
photosynthesis: light,chlorophyll,
inflation: prices,money,
a vaccine: immune,antibodies,
an eclipse: moon,shadow,
a compass: magnet,north,
yeast: sugar,dough,
a tide: moon,gravity,
an echo: sound,reflect,
a prism: light,refract,
rust: iron,oxygen,
"""


class Explain(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        lines = [line.partition(": ") for line in TOPICS.strip().splitlines()]
        return [{"prompt": f"Explain in one sentence: {topic}.", "keywords": words} for topic, _, words in lines]

    @reward
    def mentions(self, completion, keywords):
        said = answer_text(completion).lower()
        return bool(said) and any(word in said for word in keywords.split(","))

    def solve(self, row):
        return f"It has to do with {row['keywords'].split(',')[0]}."
