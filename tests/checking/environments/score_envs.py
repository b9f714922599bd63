"""Environments with sound and with broken scorers."""

import asyncio
import json
import random
import re
import time

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Sums:
    """Sound: the sum of two numbers."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"{a} + {b} = ?", "answer": str(a + b), "a": a} for a in range(20) for b in range(1, 6)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in re.findall(r"[0-9]+", completion))

    def solve(self, row):
        return row["answer"]


class LooksInTagsAlone(Sums):
    """Raises at words, and looks at nothing but what stands in its tags."""

    def score_episode(self, model, tokenizer, completion, answer):
        found = re.fullmatch(r"<sum>(.*)</sum>", completion, re.DOTALL)
        return float(found is not None and int(found[1]) == int(answer))

    def solve(self, row):
        return f"<sum>{row['answer']}</sum>"


class Share(Sums):
    """Raises on one row of a hundred."""

    def score_episode(self, model, tokenizer, completion, a, answer):
        return len(completion) / (a + int(answer) - 19 - 19 - 3) / 1e9 if a == 19 else 0.0


class ReadsJson(Sums):
    """Takes any JSON for an object."""

    def score_episode(self, model, tokenizer, completion, answer):
        try:
            return float(json.loads(completion).get("answer") == answer)
        except (ValueError, RecursionError):
            return 0.0


class BacktracksInTheForm:
    """An expression that takes for ever on forty letters in the place of a word of its form."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"File ticket {n} under its name.", "ticket": n} for n in range(10, 40)]

    def score_episode(self, model, tokenizer, completion, ticket):
        found = re.fullmatch(r"Billing: ((?:[A-Za-z]+[ '-]?)+) \[#(\d+)\]", completion[:60])
        return float(bool(found) and found[2] == str(ticket))

    def solve(self, row):
        return f"Billing: Ada Hill [#{row['ticket']}]"


class Backtracks(Sums):
    """An expression that takes for ever on forty letters and a mark."""

    def score_episode(self, model, tokenizer, completion, answer):
        return float(bool(re.match(r"^(\w+\s?)*$", completion[:300])) and answer in completion)


class Text(Sums):
    """Gives text for a number."""

    def score_episode(self, model, tokenizer, completion, answer):
        return "1.0" if answer in completion else 0.0


class NoReturn(Sums):
    """Forgets to return."""

    def score_episode(self, model, tokenizer, completion, answer):
        float(answer in completion)


class Bonus(Sums):
    """A bonus on top of the top, for short right answers only."""

    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in completion) + (0.5 if completion == answer else 0.0)


class WidePart(SingleTurnEnv):
    """A part beyond its range, which the mean hides."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Count.", "answer": "1 2 3"}] * 3

    @reward
    def words(self, completion):
        return min(len(completion.split()), 5) / 3

    @reward(weight=3)
    def right(self, completion, answer):
        return 0.0


class Sorts:
    """Sorts the list that belongs to the row."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Sort.", "items": [3, 1, 2]}]

    def score_episode(self, model, tokenizer, completion, items):
        items.sort()
        return float(completion == " ".join(map(str, items)))


class Noise(Sums):
    """A judge with noise, on right answers only."""

    def score_episode(self, model, tokenizer, completion, answer):
        return 0.9 + random.random() / 10 if answer in completion else 0.0


class Novelty(Sums):
    """Pays for what was not said before."""

    def __init__(self):
        self.said = set()

    def score_episode(self, model, tokenizer, completion, answer):
        new = completion not in self.said
        self.said.add(completion)
        return float(answer in completion) * (1.0 if new else 0.5)


TOLD: list[str] = []


class OnceTold(SingleTurnEnv):
    """What was said before earns less, by a list of the module."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Name a word with {n} letters."} for n in range(2, 12)]

    @reward
    def new(self, completion):
        TOLD.append(answer_text(completion))
        return 1 / TOLD.count(TOLD[-1])


class Counter(Sums):
    """Every third answer is worth half."""

    def __init__(self):
        self.scored = 0

    def score_episode(self, model, tokenizer, completion, answer):
        self.scored += 1
        return float(answer in completion) / (2 if self.scored % 3 == 0 else 1)


class Running(Sums):
    """Compares with the longest answer so far: equal when scored again at once, not in another order."""

    def __init__(self):
        self.longest = 1

    def score_episode(self, model, tokenizer, completion, answer):
        self.longest = max(self.longest, len(completion))
        return round(len(completion) / self.longest, 3)


class Calls(Sums):
    """What is scored depends on an attribute that only the first instance has."""

    made = 0

    def __init__(self):
        Calls.made += 1
        self.strict = Calls.made % 2

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer if self.strict else answer in completion)


class Hashes(Sums):
    """Takes a Python hash for a stable number."""

    def score_episode(self, model, tokenizer, completion, answer):
        return (hash(completion) % 100) / 100


class WrongClaim(Sums):
    """Says parallel, and keeps the row in self while it scores."""

    parallel = True

    def score_episode(self, model, tokenizer, completion, answer):
        self.answer = answer
        return self.judged(completion)

    def judged(self, completion):
        return float(self.answer in re.findall(r"[0-9]+", completion))


class RightClaim(WrongClaim):
    """The same behind a lock."""

    def __init__(self):
        import threading

        self.lock = threading.Lock()

    def __deepcopy__(self, memo):
        return type(self)()

    def score_episode(self, model, tokenizer, completion, answer):
        with self.lock:
            return super().score_episode(model, tokenizer, completion, answer)


class Serial(WrongClaim):
    """The same, which is sound as long as nobody scores at once."""

    parallel = False


class AsyncState(Sums):
    """An async judge that keeps what it judges in self while it waits."""

    async def score_episode(self, model, tokenizer, completion, answer):
        self.answer = answer
        await asyncio.sleep(0.001)
        return float(self.answer in completion)


class AsyncStateAtTimes(Sums):
    """Keeps what it scores in self while it waits, which it does for unusual answers alone: right ones never wait."""

    async def score_episode(self, model, tokenizer, completion, answer):
        self.said = completion.strip()
        if not self.said.isdigit():
            await asyncio.sleep(0.001)
        return float(self.said == answer)


class AsyncJudge(Sums):
    """Sound: an async judge."""

    async def score_episode(self, model, tokenizer, completion, answer):
        await asyncio.sleep(0.0005)
        return float(answer in completion)


class NeverAwaited(Sums):
    """Asks an async judge, and takes the coroutine for its answer."""

    async def judge(self, completion, answer):
        return answer in completion

    def score_episode(self, model, tokenizer, completion, answer):
        return 1.0 if completion and self.judge(completion, answer) else 0.0


class Blocks(Sums):
    """Async by name."""

    async def score_episode(self, model, tokenizer, completion, answer):
        time.sleep(0.08 if completion == answer else 0)
        return float(answer in completion)


class Evaluates(Sums):
    """Evaluates what stands in the answer tags."""

    def score_episode(self, model, tokenizer, completion, answer):
        found = re.search(r"<answer>(.*?)</answer>", completion)
        try:
            return float(eval(found[1]) == int(answer)) if found else 0.0
        except Exception:
            return 0.0


class Slow(Sums):
    """A scorer that waits, and could wait together with others."""

    def build_dataset(self, tokenizer):
        return super().build_dataset(tokenizer)[:3]

    def score_episode(self, model, tokenizer, completion, answer):
        time.sleep(0.03)
        return float(answer in completion)


class Penalties(Sums):
    """Sound: negative scores in a range that is declared, abstaining where nothing was said."""

    reward_range = (-1.0, 2.0)

    def score_episode(self, model, tokenizer, completion, answer):
        return None if not completion.strip() else 2.0 if completion == answer else -len(completion) / 1e6


class CountsWords(SingleTurnEnv):
    """Sound: a count beside the score, without a weight and so without a range."""

    build_dataset = Sums.build_dataset

    @reward
    def right(self, completion, answer):
        return completion.strip() == answer

    @reward(weight=0)
    def words(self, completion):
        return len(completion.split())

    def solve(self, row):
        return row["answer"]
