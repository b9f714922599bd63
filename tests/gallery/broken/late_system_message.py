"""Answer in the other language: numbers between English and French, with an example in the chat."""

FRENCH = {
    "one": "un",
    "two": "deux",
    "three": "trois",
    "four": "quatre",
    "five": "cinq",
    "seven": "sept",
    "eight": "huit",
    "nine": "neuf",
    "ten": "dix",
    "eleven": "onze",
    "twelve": "douze",
    "twenty": "vingt",
}


class Numbers:
    def build_dataset(self, tokenizer):
        return [{"prompt": self._chat(word), "answer": french} for word, french in FRENCH.items()]

    def _chat(self, word):
        example = [{"role": "user", "content": "six"}, {"role": "assistant", "content": "six"}]
        rules = {"role": "system", "content": "Translate the number into French. Answer with one word."}
        return [*example, rules, {"role": "user", "content": word}]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion[-1]["content"].strip().lower() == answer)

    def solve(self, row):
        return row["answer"]
