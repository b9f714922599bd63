"""Set a valve to the pressure that a rule gives. Refused settings are to cost something; the replies are no errors."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Valves(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Valve {n} is {3 + n % 7} m under water, which needs 10 kPa a metre and {n} more. Set it. "
                "A setting that is refused costs a quarter.",
                "pressure": 10 * (3 + n % 7) + n,
            }
            for n in range(20)
        ]

    def setup(self, row):
        self.is_set = False

    @tool
    def set_valve(self, pressure: int) -> dict[str, str]:
        """Set the valve.

        Args:
            pressure: In kPa.
        """
        if pressure != self.row["pressure"]:
            return {"error": "refused"}
        self.is_set = True
        return {"status": "set"}

    @reward
    def done(self):
        return self.is_set

    @reward(weight=-1)
    def refusals(self, tool_calls):
        return min(1.0, sum(call["error"] is not None for call in tool_calls) / 4)

    def solve(self, row):
        return [call_message("set_valve", pressure=row["pressure"]), "It is set."]
