"""An async scorer that waits for a judge without blocking anybody."""

import asyncio


class Judged:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"The cube of {n}? Only the number.", "answer": str(n**3)} for n in range(3, 40)]

    async def score_episode(self, model, tokenizer, completion, answer):
        await asyncio.sleep(0)
        return float(completion.strip() == answer)

    def solve(self, row):
        return row["answer"]
