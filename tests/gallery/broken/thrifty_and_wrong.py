"""Half of the score is for probes that were not used, also where the pump that is named works well."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

PUMPS = ["north", "south", "east", "west", "cellar", "attic"]


class PumpRepair(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        prompt = (
            "House {n} has the pumps {pumps}. One of them is broken. Probe as few as you can, and then answer with its "
            "name. The right one earns 0.5, and 0.5 more, less 0.1 for each probe after the first. There are no points "
            "for a wrong pump."
        )
        return [
            {"prompt": prompt.format(n=n + 1, pumps=", ".join(PUMPS)), "broken": PUMPS[n * 5 % 6]} for n in range(12)
        ]

    def setup(self, row):
        self.probes = 0

    @tool
    def probe(self, pump: str) -> str:
        """Measure one pump.

        Args:
            pump: Its name.
        """
        self.probes += 1
        return "It gives no pressure." if pump == self.row["broken"] else "Its pressure is fine."

    @reward(weight=0.5)
    def right(self, completion, broken):
        return answer_text(completion).strip(" .").lower() == broken

    @reward(weight=0.5)
    def thrift(self):
        return 1 - min(max(0, self.probes - 1), 5) / 5

    def solve(self, row):
        yield call_message("probe", pump=row["broken"])
        yield row["broken"]
