"""What is to cost points, too many shifts for one person, has a negative value and a negative weight."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

DAYS, PEOPLE, MOST = ("Monday", "Tuesday", "Wednesday", "Thursday"), ("Ines", "Paul"), 2


class Shifts(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        text = "Shop {}: give each of {} to Ines or Paul. More than two days each cost points; {} has time on {}."
        rows = [{"number": n, "who": PEOPLE[n % 2], "day": DAYS[n % 4]} for n in range(12)]
        return [row | {"prompt": text.format(row["number"], ", ".join(DAYS), row["who"], row["day"])} for row in rows]

    def setup(self, row):
        self.plan = {}

    @tool
    def give(self, day: str, person: str) -> str:
        """Give a day to a person.

        Args:
            day: The day.
            person: Who works then.
        """
        self.plan[day] = person
        return f"{day}: {person}."

    @property
    def too_many(self):
        return sum(max(0, list(self.plan.values()).count(person) - MOST) for person in PEOPLE) / MOST

    @reward
    def planned(self, day, who):
        return self.plan.get(day) == who and len(self.plan) == len(DAYS)

    @reward(weight=-0.5, range=(-1, 0))
    def overload(self):
        return -self.too_many

    def solve(self, row):
        other = PEOPLE[row["who"] == PEOPLE[0]]
        days = [row["day"], *(day for day in DAYS if day != row["day"])]
        for place, day in enumerate(days):
            yield call_message("give", day=day, person=row["who"] if place < MOST else other)
        yield "Planned."
