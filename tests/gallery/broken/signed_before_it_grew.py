"""A permit for a fire is signed by the warden, and its size may be changed when it is signed."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Fires(ToolEnv):
    max_turns = 8

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Camp {n}: light a fire of {3 + n % 6} m. Above 2 m the warden has to see a hose.",
                "metres": 3 + n % 6,
            }
            for n in range(20)
        ]  # fmt: skip

    def setup(self, row):
        self.metres, self.hose, self.signed, self.lit = 0, False, False, []

    @tool
    def plan_fire(self, metres: int) -> str:
        """Plan a fire."""
        self.metres = metres
        return "Planned."

    @tool
    def update_fire(self, metres: int) -> str:
        """Change the size of the fire."""
        self.metres = metres
        return "Changed."

    @tool
    def fetch_hose(self) -> str:
        """Fetch the hose."""
        self.hose = True
        return "It is ready."

    @tool
    def sign(self) -> str:
        """Let the warden sign."""
        self.signed = self.hose or self.metres <= 2
        return "Signed." if self.signed else "Not without a hose."

    @tool
    def light(self) -> str:
        """Light the fire."""
        if not self.signed:
            return "It is not signed."
        self.lit.append(self.metres)
        return "It burns."

    @reward
    def burns(self, metres):
        return self.lit == [metres]

    def solve(self, row):
        yield call_message("plan_fire", metres=row["metres"])
        for name in ("fetch_hose", "sign", "light"):
            yield call_message(name)
        yield "It burns."
