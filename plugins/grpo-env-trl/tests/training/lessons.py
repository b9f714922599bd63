"""Environments that small trainings are made on, and some on which they go wrong."""

import os
from collections import Counter

from environments import rows

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, reward, tool


class Haggle(MultiTurnEnv):
    """Several turns of text, each worth something by its length."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return rows(40)

    def step(self, action):
        said = len(action["content"] or "")
        return f"{said} letters. More?", (said % 7) / 7, said % 5 == 0, False, {}


TEMPLATES: list[str] = []
"""Those of the tokenizer that `Careless` was given, one after another."""


class Careless:
    """Sets the folder, the tokenizer, a launcher's variables and the dtype as it scores, and fails now and then."""

    def build_dataset(self, tokenizer):
        return rows(40)

    def score_episode(self, model, tokenizer, completion, place):
        import torch  # here, as workers of the other environments start without it

        TEMPLATES.append(tokenizer.chat_template)
        tokenizer.chat_template = "{% for message in messages %}{{ message.content }}{% endfor %}"
        os.chdir("/")
        os.environ.update(RANK="1", WORLD_SIZE="2")
        torch.set_default_dtype(torch.bfloat16)
        if place % 4 == 1:
            raise ConnectionError("the judge has gone home")
        return len(completion) % 7 / 7


class Judge:
    """A plain class whose scorer asks the model that is trained, and says so nowhere."""

    def build_dataset(self, tokenizer):
        return rows(24)

    def score_episode(self, model, tokenizer, completion):
        asked = tokenizer("Is it good?", return_tensors="pt")
        return (len(completion) + int(model(**asked).logits.argmax())) % 10 / 10


class Sours(SingleTurnEnv):
    """Works for some episodes, then goes wrong in `setup` of every later one, or scores it NaN."""

    scored = 0

    def __init__(self, how="raises", after=0):
        self.how, self.after = how, after

    def build_dataset(self, tokenizer):
        return rows(40)

    @reward
    def length(self, completion):
        Sours.scored += 1
        if Sours.scored <= self.after:
            return len(completion) % 7 / 7
        if self.how == "nan":
            return float("nan")
        raise ConnectionError("the judge has gone home")


class Sifts(SingleTurnEnv):
    """Fails for answers that score low to a row that had two scores before, as held-out rows have."""

    def __init__(self):
        self.scored = Counter()

    def build_dataset(self, tokenizer):
        return rows(40)

    @reward
    def length(self, completion, place):
        value = len(completion) % 7 / 7
        self.scored[place] += 1
        if self.scored[place] > 2 and value < 0.4:
            raise ConnectionError("the judge has gone home")
        return value


class Markup(SingleTurnEnv):
    """Rows that would be a script in a page that showed them as they stand."""

    def build_dataset(self, tokenizer):
        return [{**row, "prompt": f"<script>document.title='hit'</script> {row['prompt']}"} for row in rows(40)]

    @reward
    def length(self, completion):
        return len(completion) % 7 / 7


class Spell(ToolEnv):
    """A tool that few models call, and answers worth something by their length."""

    def build_dataset(self, tokenizer):
        return rows(40)

    @tool
    def add(self, x: int, y: int) -> int:
        """Add two numbers.

        Args:
            x: One.
            y: The other.
        """
        return x + y

    @reward
    def length(self, messages):
        return len(messages[-1]["content"] or "") % 7 / 7

    @reward(weight=0.5)
    def called(self, tool_calls):
        return float(any(call["error"] is None for call in tool_calls))


class Weigh:
    """A plain class whose scorer notes, for each process that trains, what the model's weights are."""

    def __init__(self, broken_in=None):
        if os.environ["RANK"] == str(broken_in):
            raise RuntimeError("not in this process")

    def build_dataset(self, tokenizer):
        return rows(40)

    def score_episode(self, model, tokenizer, completion):
        if model is not None:
            total = sum(float(weight.double().abs().sum()) for weight in model.parameters())
            with open(f"weights-{os.environ['RANK']}.txt", "a") as file:
                file.write(f"{total!r}\n")
        return len(completion) % 7 / 7
