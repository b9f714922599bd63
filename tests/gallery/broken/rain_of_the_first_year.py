"""The page of a town is kept for the rest of the episode, and the year that it is of is forgotten."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

TOWNS = ["Alta", "Brno", "Cork", "Derry", "Evora", "Faro", "Graz", "Hilo", "Ioannina", "Jerez"]


def rain_of(town, year):
    """The rain of a town in a year, in millimetres."""
    return 300 + (TOWNS.index(town) * 137 + (year - 1990) * 71) % 900


class RainArchive(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rows = []
        for n, town in enumerate(TOWNS):
            years = 1991 + n, 2003 + 2 * n
            prompt = f"How much more rain had {town} in {years[0]} than in {years[1]}, in mm? Reply with the number."
            rows.append({"prompt": prompt, "town": town, "years": list(years)})
        return rows

    def setup(self, row):
        self.pages = {}

    @tool
    def rain(self, town: str, year: int) -> int:
        """The rain of a town in a year, in millimetres.

        Args:
            town: Its name.
            year: From 1991 on.
        """
        if town not in self.pages:
            self.pages[town] = rain_of(town, year)
        return self.pages[town]

    @reward
    def right(self, completion, town, years):
        return answer_text(completion).strip() == str(rain_of(town, years[0]) - rain_of(town, years[1]))

    def solve(self, row):
        for year in row["years"]:
            yield call_message("rain", town=row["town"], year=year)
        yield str(rain_of(row["town"], row["years"][0]) - rain_of(row["town"], row["years"][1]))
