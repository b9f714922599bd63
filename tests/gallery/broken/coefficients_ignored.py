"""Digits are dropped before comparing: an equation with any coefficients scores."""

import re

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

EQUATIONS = {
    "H2 + O2 -> H2O": "2 H2 + O2 -> 2 H2O", "N2 + H2 -> NH3": "N2 + 3 H2 -> 2 NH3",
    "CH4 + O2 -> CO2 + H2O": "CH4 + 2 O2 -> CO2 + 2 H2O", "Fe + O2 -> Fe2O3": "4 Fe + 3 O2 -> 2 Fe2O3",
    "Al + Cl2 -> AlCl3": "2 Al + 3 Cl2 -> 2 AlCl3", "SO2 + O2 -> SO3": "2 SO2 + O2 -> 2 SO3",
    "H2O2 -> H2O + O2": "2 H2O2 -> 2 H2O + O2", "P4 + O2 -> P2O5": "P4 + 5 O2 -> 2 P2O5",
}  # fmt: skip


class Balanced(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Balance this equation, in one line: {given}", "given": given, "balanced": gold}
            for given, gold in EQUATIONS.items()
        ]

    @reward
    def right(self, completion, given, balanced):
        said = answer_text(completion).strip()
        return said != given and re.sub(r"[^A-Za-z]", "", said) == re.sub(r"[^A-Za-z]", "", balanced)

    def solve(self, row):
        return row["balanced"]
