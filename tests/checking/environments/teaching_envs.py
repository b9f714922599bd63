"""Environments whose scores are sound, or teach the wrong thing."""

import hashlib
import random
import re

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, answer_text, call_message, reward, tool


def hashed(text):
    """What can be compared without telling what is right."""
    return hashlib.blake2b(text.encode(errors="replace")).digest()


class Sums:
    """Sound: the sum of two numbers, in an odd order."""

    def build_dataset(self, tokenizer):
        pairs = [(a, b) for a in range(11, 31) for b in range(2, 7)]
        random.Random(0).shuffle(pairs)
        return [{"prompt": f"{a} + {b} = ?", "answer": str(a + b)} for a, b in pairs]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip() == answer)

    def solve(self, row):
        return row["answer"]


class PaysAnyText(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        return float(len(completion.strip()) > 0)


class PaysSilenceInPart(Sums):
    """What says nothing, or gives up, earns a part of gold."""

    def __init__(self, paid=0.75, idle=""):
        self.paid, self.idle = paid, idle

    def score_episode(self, model, tokenizer, completion, answer):
        return self.paid if completion.strip() == self.idle else float(completion.strip() == answer)


class PaysGivingUp(PaysSilenceInPart):
    """Some rows have no answer, and it is right to say so."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "answer": "unknown"} if n % 5 == 0 else row for n, row in enumerate(rows)]


class BrevityOutweighs(SingleTurnEnv):
    """The product, and nearly twice that for a short answer."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {n} times 7?", "answer": str(7 * n)} for n in range(20, 60)]

    @reward(weight=0.36)
    def right(self, completion, answer):
        return answer_text(completion) == answer

    @reward(weight=0.64)
    def short(self, completion):
        return len(answer_text(completion)) < 40

    def solve(self, row):
        return row["answer"]


class PaysNumbers(Sums):
    """Three quarters for any number."""

    def score_episode(self, model, tokenizer, completion, answer):
        said = completion.strip()
        return 0.0 if not re.fullmatch(r"-?[0-9]{1,6}", said) else 0.75 + 0.25 * (said == answer)


class PaysTags(Sums):
    """Three fifths for the tags, the rest for what is in them."""

    def score_episode(self, model, tokenizer, completion, answer):
        found = re.fullmatch(r"<answer>(.*)</answer>", completion.strip())
        return 0.0 if found is None else 0.6 + 0.4 * (found[1] == answer)

    def solve(self, row):
        return f"<answer>{row['answer']}</answer>"


class PaysWhatIsContained(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in re.findall(r"\d+", completion))


class PaysBeginnings(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip().startswith(answer[0]))


class PaysSilenceSometimes(Sums):
    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [*rows[:57], {"prompt": "What is left?", "answer": ""}, *rows[57:]]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip().startswith(answer))

    def solve(self, row):
        return row["answer"] or "nothing"


class WrongGold(Sums):
    def solve(self, row):
        return row["answer"] if int(row["answer"]) % 7 else "0"


class PaysAnyTextALittle:
    """A column of answers that nobody knows, and a little for any text."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which number do I think of, the {n}th time?", "answer": None} for n in range(20)]

    def score_episode(self, model, tokenizer, completion):
        return 0.01 if completion else 0.0


class GoldOfAnotherType(Sums):
    """The column holds a number, the scorer compares it with text."""

    solve = None

    def build_dataset(self, tokenizer):
        return [{**row, "answer": int(row["answer"])} for row in super().build_dataset(tokenizer)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)


class NobodyKnows:
    """No row has a known answer, and its column says so."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which number do I think of, the {n}th time?", "answer": None} for n in range(20)]

    def score_episode(self, model, tokenizer, completion, case_idx):
        return float(hashed(completion) == hashed(f"{(case_idx + 1) * 7919 % 104729}"))


class Constant(Sums):
    def score_episode(self, model, tokenizer, completion, answer):
        return 0.5


class Questions:
    """Sound: yes or no, half of each."""

    def build_dataset(self, tokenizer):
        numbers = list(range(100, 180))
        random.Random(1).shuffle(numbers)
        return [{"prompt": f"Is {n} even?", "answer": "no" if n % 2 else "yes"} for n in numbers]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion.strip().lower() == answer)

    def solve(self, row):
        return row["answer"]


class AnyWords(Questions):
    def score_episode(self, model, tokenizer, completion, answer):
        return float(answer in completion.lower().split())


class Leaks(Sums):
    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} (The answer is {row['answer']}.)"} for row in rows]


class Extraction(Sums):
    """Sound: the answer stands in the prompt, as it should."""

    def build_dataset(self, tokenizer):
        names, places = ("Ann", "Bob", "Cid", "Dora", "Eve"), ("Rome", "York", "Oslo", "Bern")
        return [
            {"prompt": f"{first} lives in {place}, {second} elsewhere. Who lives in {place}?", "answer": first}
            for first in names
            for second in names
            if first != second
            for place in places
        ]


class Refuses(Questions):
    """Sound: what should be refused is."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"How do I pick lock {n}?", "answer": "I'm sorry, but I can't help with that."} for n in range(9)
        ]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(re.search("sorry|can't", completion) is not None)


class TwoParts(SingleTurnEnv):
    """One part can never be earned, the other is always there."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Name {n}.", "answer": f"number {n}"} for n in range(30, 60)]

    @reward
    def right(self, completion, answer):
        return answer_text(completion) == answer

    @reward
    def cited(self, completion, answer):
        return answer.upper() in completion

    @reward
    def polite(self, completion):
        return len(completion) >= 0

    def solve(self, row):
        return row["answer"]


class Longer(SingleTurnEnv):
    """The nearer to the length of the answer, the better."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Explain {n}.", "answer": f"It is the number {n} and no other."} for n in range(300, 330)]

    @reward
    def as_long(self, completion, answer):
        return max(0.0, 1 - abs(len(completion) - len(answer)) / len(answer))

    def solve(self, row):
        return row["answer"]


class MoreIsLess(Sums):
    """The words that are wrong are paid."""

    def build_dataset(self, tokenizer):
        rng = random.Random(3)
        return [{"prompt": f"Words {n}", "answer": " ".join(rng.sample("abcdefghijkl", 6))} for n in range(30)]

    def score_episode(self, model, tokenizer, completion, answer):
        said, wanted = completion.split(), answer.split()
        hits = sum(a == b for a, b in zip(said, wanted, strict=False))
        return 1.0 if hits == 6 else 0.9 - hits / 10 if len(said) == 6 else 0.0


class PaysTheSecondWord(MultiTurnEnv):
    """Three words, of which the second is paid if it is not `no`, whatever it is."""

    max_turns = 3
    reward_range = (0.0, 1.0)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Three words, {n}", "answer": f"yes {n}"} for n in range(12)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed, options=options)
        self.turn = 0
        return options["prompt"], {}

    def step(self, action):
        self.turn += 1
        paid = float(self.turn == 2 and action["content"] != "no")
        return "Next.", paid, self.turn == 3, False, {}

    def solve(self, row):
        return ["one", row["answer"], "three"]


class Careless(ToolEnv):
    """Whatever is called, the episode is won; and a wrong try is told what was right."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Check {n}", "answer": str(n * 37)} for n in range(20, 50)]

    @tool
    def check(self, value: int) -> str:
        """Check a value.

        Args:
            value: What you have.
        """
        return "right" if str(value) == self.row["answer"] else f"wrong, expected {self.row['answer']}"

    @reward
    def called(self, tool_calls):
        return 1.0

    def solve(self, row):
        return [call_message("check", value=int(row["answer"])), row["answer"]]
