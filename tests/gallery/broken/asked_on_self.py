"""What a judge is to expect is kept on self while it thinks, and other episodes overwrite it."""

import asyncio

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Judged(SingleTurnEnv):
    parallel = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} + {n * 3 % 17}?", "answer": str(n + n * 3 % 17)} for n in range(40, 90)]

    async def ask(self, said):
        await asyncio.sleep(0.001)
        return said.strip() == self.expected

    @reward
    async def right(self, completion, answer):
        self.expected = answer
        return await self.ask(answer_text(completion))

    def solve(self, row):
        return row["answer"]
