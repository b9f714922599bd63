"""What is shown, told, counted and compared: faults as other authors write them, and the same without the fault."""

import json

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.views import cap_observations
from tests.gallery.broken.end_of_page_hidden import TOWNS, Towns
from tests.gallery.broken.failures_in_full import HIDDEN, TASKS, Functions, run
from tests.gallery.broken.first_word_counts import Bar
from tests.gallery.broken.leaves_before_the_last import Handyman
from tests.gallery.broken.prices_by_letters import Flights
from tests.gallery.broken.sheet_from_zero import GOODS, Stock


class CountedFailures(Functions):
    """Sound: only how many tests failed is shown."""

    def report(self, n):
        return f"{sum(self.returns(n) != run(self.row['code'], self.row['name'], n) for n in HIDDEN)} tests failed."


class OtherTests(Functions):
    """Sound: the tests that are shown are not those of the score."""

    @reward
    def all_pass(self, name, code):
        return all(self.returns(n) == run(code, name, n) for n in (2, 7, 31))


class JsonReports(Functions):
    """Faulty: the same, as a list in JSON."""

    def report(self, n):
        return json.dumps(
            {"failed": [{"input": [n], "output": None, "expected": run(self.row["code"], self.row["name"], n)}]}
        )


class WithoutGold(Functions):
    """Faulty: the same without `solve`."""

    solve = None


class Rounds(MultiTurnEnv):
    """Faulty: code is sent as text, and the first failure comes back in words."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write {name}(n) in a block of Python; you may send it again.", "name": name, "code": code}
            for name, code in ((name, f"def {name}(n):\n    return {body}\n") for name, body in TASKS.items())
        ]

    def reset(self, seed=None, options=None):
        _, info = super().reset(seed=seed, options=options)
        return [], info

    def step(self, action):
        name, code = self.row["name"], action["content"].partition("```python\n")[2].partition("```")[0]
        for n in HIDDEN:
            wanted, got = run(self.row["code"], name, n), run(code, name, n)
            if got != wanted:
                return f"For the input {n} your code gave {got} instead of {wanted}.", 0.0, False, False, {}
        return "All passed.", 1.0, True, False, {}

    def solve(self, row):
        return f"```python\n{row['code']}```"


class SheetFromOne(Stock):
    """Sound: both count from 1."""

    first = 1


class NumberedRecords(Stock):
    """Faulty: the same with records in JSON."""

    @tool
    def show(self) -> list[dict[str, str | int]]:
        """The stock."""
        lines = zip(GOODS, self.stock, strict=True)
        return [{"number": n, "goods": goods, "pieces": pieces} for n, (goods, pieces) in enumerate(lines, 1)]


class PutBelow(Stock):
    """Sound: what is asked for is the line below."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"Set the stock below {GOODS[row['place'] - 1]} to {row['value']}."} for row in rows]

    first = 1


class WholePages(Towns):
    """Sound: a page is short enough for the view."""

    view = cap_observations(400)


class LastMessageOnly(Towns):
    """Faulty: a view of the author's own that leaves out results."""

    def view(self, messages):
        return [{**message, "content": "(A page.)"} if message["role"] == "tool" else message for message in messages]


class PageByPage(Towns):
    """A tool that reads on, which gold does not need: a warning at most."""

    @tool
    def open_page(self, title: str, start: int = 0) -> str:
        """The page of a town.

        Args:
            title: The name of the town.
            start: From which character on.
        """
        return super().open_page(title)[start:] if title in TOWNS else "There is no such page."


class PatientCustomer(Handyman):
    """Sound: all three wishes are told."""

    early = 0


class WithoutSolve(Handyman):
    """Faulty, without gold."""

    solve = None


class Demanding(WithoutSolve):
    """Sound: the customer goes on only when the work is done, and complains before leaving."""

    early = 0

    def user(self, messages):
        if self.row["wishes"][self.told - 1] not in self.done:
            self.complaints = getattr(self, "complaints", 0) + 1
            return None if self.complaints > 1 else "That is not done yet."
        return super().user(messages)


class LastWordCounts(Bar):
    """Sound: the score wants what was said last."""

    wanted = "last"

    def solve(self, row):
        yield f"A {row['first']} {row['drink']}?"
        if row["last"] != row["first"]:
            yield f"So a {row['last']} {row['drink']}?"
        yield call_message("order", size=row["last"], drink=row["drink"])
        yield "Here you are."


class NeverAsked(Bar):
    """Faulty: gold never asks, so that its guests never take it back."""

    def solve(self, row):
        return [call_message("order", size=row["first"], drink=row["drink"]), "Here you are."]


class NoChanges(Bar):
    """Sound: the prompt says that orders cannot be changed."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [{**row, "prompt": f"{row['prompt']} (Orders cannot be changed: ignore a second wish.)"} for row in rows]


class Tailor(ToolEnv):
    """Sound: the user corrects one of two measures, both whole numbers."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        rows = []
        for n in range(12):
            chest, waist = 88 + n, 70 + 2 * n
            prompt = f"My chest is {chest} cm, my waist {waist - 3}. Ask me whether that is right, then note both."
            rows.append({"prompt": prompt, "chest": chest, "waist": waist})
        return rows

    def setup(self, row):
        self.noted = None

    @tool
    def note(self, chest: int, waist: int) -> str:
        """Note the measures in cm.

        Args:
            chest: Around the chest.
            waist: Around the waist.
        """
        self.noted = [chest, waist]
        return "Noted."

    def user(self, messages):
        return None if self.noted else f"Sorry, I meant {self.row['waist']} for the waist."

    @reward
    def right(self, chest, waist):
        return self.noted == [chest, waist]

    def solve(self, row):
        yield "Are these measures right?"
        yield call_message("note", chest=row["chest"], waist=row["waist"])
        yield "Thank you."


class PricesByValue(Flights):
    """Sound: prices are compared as numbers."""

    value = int


class Releases(ToolEnv):
    """Faulty: the newest version is the greatest text, among lines of text."""

    max_turns = 4
    order = str

    def versions(self, n):
        return [f"2.{n % 5 + 4}.{k}" for k in (1, 3, 0)] + [f"2.{n % 3 + 10}.{n % 4}"] * (n % 2)

    def newest(self, n):
        return max(self.versions(n), key=self.order)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Which is the newest version of package {n}?", "n": n} for n in range(16)]

    @tool
    def changelog(self) -> str:
        """The versions of the package."""
        return "\n".join(f"- {version}: repairs" for version in self.versions(self.row["n"]))

    @reward
    def right(self, completion, n):
        return answer_text(completion) == self.newest(n)

    def solve(self, row):
        return [call_message("changelog"), self.newest(row["n"])]


class OrderedReleases(Releases):
    """Sound: versions are compared part by part."""

    def order(self, version):
        return tuple(map(int, version.split(".")))
