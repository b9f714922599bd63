"""An async scorer that asks a judge, and blocks the event loop while it waits."""

import time


class JudgedRhymes:
    pairs = (
        ("house", "mouse"),
        ("light", "night"),
        ("bread", "head"),
        ("stone", "bone"),
        ("sky", "fly"),
        ("cake", "lake"),
    )

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which of {b}, {c} rhymes with {a}?", "answer": b} for a, b, c in self._triples()]

    def _triples(self):
        others = [*self.pairs[1:], self.pairs[0]]
        return [(a, b, c) for (a, b), (_, c) in zip(self.pairs, others, strict=True)]

    async def score_episode(self, model, tokenizer, completion, answer):
        verdict = await self._judge(completion, answer)
        return float(verdict)

    async def _judge(self, completion, answer):
        time.sleep(0.25)
        return completion.strip().lower() == answer

    def solve(self, row):
        return row["answer"]
