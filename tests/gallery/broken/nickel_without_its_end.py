"""Name the metal of a symbol; the word 'metal' is taken off as letters, and the end of nickel and cobalt with it."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

METALS = {"Ni": "nickel", "Zn": "zinc", "Co": "cobalt", "Cu": "copper", "Sn": "tin", "Ag": "silver", "Fe": "iron"}


class Metals(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        ask = "Which metal has the symbol {}? Answer with its name in small letters; the word 'metal' may follow it."
        return [{"prompt": ask.format(symbol), "metal": metal} for symbol, metal in METALS.items()]

    @reward
    def right(self, completion, metal):
        return answer_text(completion).strip().rstrip(" metal") == metal
