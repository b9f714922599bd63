"""Several steps in one answer are added up, and only the place where they end is looked at."""

from grpo_env_sdk import MultiTurnEnv, answer_text

WAYS = {"north": (-1, 0), "south": (1, 0), "east": (0, 1), "west": (0, -1)}
MEADOWS = ("..x.x.", "x..x..", "..xx..", ".x..x.", "x.x...", "...x.x")


class Warehouse(MultiTurnEnv):
    """A robot between shelves, which starts in the lower left corner."""

    max_turns = 12
    reward_range = (0, 1)
    careful = False

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(12):
            lines = [MEADOWS[(number + place) % 6][: 4 + number % 3] for place in range(4)]
            goal, way = self.farthest(lines)
            if len(set(way)) > 1:
                text = (
                    f"Aisle {number}. Drive the robot from line 4, place 1 to line {goal[0] + 1}, place {goal[1] + 1}. "
                    "x is a shelf, which cannot be passed:\n" + "\n".join(lines) + "\n"
                    "Say north, south, east or west, or several of them in one message."
                )
                rows.append({"prompt": text, "lines": lines, "goal": list(goal), "way": way})
        return rows

    @staticmethod
    def is_free(lines, place):
        inside = 0 <= place[0] < len(lines) and 0 <= place[1] < len(lines[0])
        return place == (3, 0) or (inside and lines[place[0]][place[1]] == ".")

    def farthest(self, lines):
        """The place with the longest way, and this way."""
        ways, waiting = {(3, 0): []}, [(3, 0)]
        for place in waiting:
            for name, (down, right) in WAYS.items():
                there = (place[0] + down, place[1] + right)
                if there not in ways and self.is_free(lines, there):
                    ways[there] = [*ways[place], name]
                    waiting.append(there)
        return max(ways.items(), key=lambda one: len(one[1]))

    def setup(self, row):
        self.place = (3, 0)

    def step(self, action):
        place = self.place
        for name in answer_text([action]).lower().split():
            if name not in WAYS:
                return "Say north, south, east or west.", 0.0, False, False, {}
            place = (place[0] + WAYS[name][0], place[1] + WAYS[name][1])
            if self.careful and not self.is_free(self.row["lines"], place):
                break
        if not self.is_free(self.row["lines"], place):
            return "There is a shelf: the robot stays where it is.", 0.0, False, False, {}
        self.place = place
        there = list(place) == self.row["goal"]
        return f"The robot is on line {place[0] + 1}, place {place[1] + 1}.", float(there), there, False, {}

    def solve(self, row):
        return [" ".join(row["way"])]
