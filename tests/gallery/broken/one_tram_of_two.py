"""The tram of the first entry is the one that counts, also where another one arrives after as many stops."""

from itertools import permutations

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import exact_match

STOPS = ("Arena", "Bakery", "Castle", "Docks", "Embassy", "Forum")
LINKS = [("Arena", "Bakery"), ("Arena", "Castle"), ("Bakery", "Docks"), ("Castle", "Docks"), ("Docks", "Embassy"),
         ("Castle", "Forum"), ("Embassy", "Forum")]  # fmt: skip


class Trams(SingleTurnEnv):
    """Ride from stop to stop."""

    rewards = (exact_match("way"),)

    def build_dataset(self, tokenizer):
        listed = "; ".join(f"{one} <-> {other}" for one, other in LINKS)
        said = "Trams run {}. Which way from {} to {} has the fewest stops? Answer with all stops, joined by ' > '."
        ways = {(start, goal): self.shortest(start, goal) for start, goal in permutations(STOPS, 2)}
        return [
            {"prompt": said.format(listed, *ends), "way": " > ".join(way)} for ends, way in ways.items() if len(way) > 2
        ]

    def shortest(self, start, goal):
        """The first way that is found, with the links in their order."""
        ways = [[start]]
        while ways[0][-1] != goal:
            way = ways.pop(0)
            ways += [[*way, there] for link in LINKS for here, there in (link, link[::-1])
                     if here == way[-1] and there not in way]  # fmt: skip
        return ways[0]

    def solve(self, row):
        return row["way"]
