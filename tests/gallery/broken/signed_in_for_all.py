"""A ward where who is signed in is kept on the class: signed in once, signed in for the whole training."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Ward(ToolEnv):
    """Sign in to a ward, then note down a patient's temperature."""

    max_turns = 4
    signed_in = set()  # noqa: RUF012 - the mistake

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Sign in to {ward}, then note that bed {bed} has {36 + bed % 4}.{bed % 10} degrees.",
                "ward": ward,
                "bed": bed,
                "degrees": f"{36 + bed % 4}.{bed % 10}",
            }
            for ward in ("ward A", "ward B", "ward C")
            for bed in range(3, 15)
        ]

    def setup(self, row):
        self.notes = []

    @tool
    def sign_in(self, ward: str) -> str:
        """Sign in to a ward.

        Args:
            ward: Its name, such as ward A.
        """
        self.signed_in.add(ward)
        return "Welcome."

    @tool
    def note(self, bed: int, degrees: str) -> str:
        """Note a temperature down.

        Args:
            bed: The number of the bed.
            degrees: The temperature, such as 36.6.
        """
        self.notes.append((bed, degrees))
        return "Noted."

    @reward
    def right(self, ward, bed, degrees):
        return ward in self.signed_in and self.notes == [(bed, degrees)]

    def solve(self, row):
        yield call_message("sign_in", ward=row["ward"])
        yield call_message("note", bed=row["bed"], degrees=row["degrees"])
        yield "Done."
