"""A pharmacy: nothing is handed out before allergies were looked at, in this episode or in any before it."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

DRUGS = ("penicillin", "ibuprofen", "codeine")


class Pharmacy(ToolEnv):
    """Look at a patient's allergies, then hand out the first drug that the patient may take."""

    max_turns = 4

    def __init__(self):
        self.looked_at = set()

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Patient P{n} may take one of {', '.join(DRUGS)}. Hand out the first that is safe.",
                "patient": f"P{n}",
                "allergies": [drug for place, drug in enumerate(DRUGS[:2]) if n >> place & 1],
            }
            for n in range(20, 60)
        ]

    def setup(self, row):
        self.handed_out = []

    @tool
    def allergies(self, patient: str) -> list[str]:
        """What a patient must not take.

        Args:
            patient: The id, such as P21.
        """
        self.looked_at.add(patient)
        return self.row["allergies"] if patient == self.row["patient"] else []

    @tool
    def hand_out(self, patient: str, drug: str) -> str:
        """Hand out a drug.

        Args:
            patient: The id, such as P21.
            drug: Which drug.
        """
        self.handed_out.append((patient, drug))
        return "Handed out."

    @reward
    def safe(self, patient, allergies):
        drug = next(drug for drug in DRUGS if drug not in allergies)
        return patient in self.looked_at and self.handed_out == [(patient, drug)]

    def solve(self, row):
        yield call_message("allergies", patient=row["patient"])
        drug = next(drug for drug in DRUGS if drug not in row["allergies"])
        yield call_message("hand_out", patient=row["patient"], drug=drug)
        yield "Done."
