"""A judge that reads the answer word by word, written as an async generator."""


class Streamed:
    parallel = True

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Count from 1 to {n}, with spaces between.", "n": n} for n in range(3, 30)]

    async def score_episode(self, model, tokenizer, completion, n):
        wanted = [str(i) for i in range(1, n + 1)]
        said = completion.split()
        right = 0
        for place, word in enumerate(said[:n]):
            right += word == wanted[place]
            yield right / max(n, len(said))

    def solve(self, row):
        return " ".join(str(i) for i in range(1, row["n"] + 1))
