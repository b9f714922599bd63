from openenv.core import GenericEnvClient

from grpo_env_sdk import MultiTurnEnv


class Doors(MultiTurnEnv):
    """Find the way out."""

    max_turns = 3
    client = None

    def __init__(self, url: str = "http://127.0.0.1:8000"):
        self.url = url

    def build_dataset(self, tokenizer):
        return [{"prompt": "Answer with the number of a door alone.", "world": n} for n in range(100)]

    async def reset(self, *, seed=None, options=None):
        self.client = self.client or await GenericEnvClient(self.url).connect()
        result = await self.client.reset(seed=self.row["world"])
        return result.observation["text"], {}

    async def step(self, action):
        result = await self.client.step({"door": action["content"].strip()})
        return result.observation["text"], result.reward or 0.0, result.done, False, {}

    async def close(self):
        if self.client:
            await self.client.close()

    def solve(self, row):
        low, high = 1, 7
        while low <= high:
            middle = (low + high) // 2
            answered = yield str(middle)
            if "higher" in answered[-1]["content"]:
                low = middle + 1
            else:
                high = middle - 1
