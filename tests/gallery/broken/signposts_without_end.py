"""Each signpost names the next village; `solve` begins with the last one, and some ways are longer than the turns."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

FIRST = ("Upper", "Lower", "Great", "Little", "Old", "New", "North", "South", "East", "West")
LAST = ("Barrow", "Corley", "Denton", "Elmsby", "Fenwick", "Garth", "Hexley", "Irby", "Kelby", "Luton")


class Signposts(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        ask = "Walk {} begins in {}. Follow the signposts. In which village is there no signpost? Answer with its name."
        names = [[f"{FIRST[(3 * n + s) % 10]} {LAST[(n + 7 * s) % 10]}" for s in range(3 + n % 5)] for n in range(20)]
        return [{"prompt": ask.format(n, way[0]), "way": way, "last": way[-1]} for n, way in enumerate(names)]

    @tool
    def read_signpost(self, village: str) -> str:
        """Read the signpost of a village on the walk.

        Args:
            village: Its full name.
        """
        way = self.row["way"]
        if village not in way:
            return "It is not on the walk."
        at = way.index(village) + 1
        return f"To {way[at]}" if at < len(way) else "none"

    @reward
    def right(self, completion, last):
        return answer_text(completion).strip() == last

    def solve(self, row):
        yield call_message("read_signpost", village=row["way"][-2])
        yield row["last"]
