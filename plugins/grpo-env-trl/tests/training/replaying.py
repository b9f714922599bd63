"""A training whose turns are recorded, or replayed from that record, by however many processes run it.

python replaying.py MODEL FOLDER    # begins a record in FOLDER where there is none, and else replays it
"""

import json
import os
import sys
from collections import defaultdict, deque
from pathlib import Path

from scripted import config
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOTrainer

from grpo_env_trl import trainer_kwargs, trl_facts

PROMPTS_A_STEP, GENERATIONS, STEPS = 4, 2, 3


class Recording(GRPOTrainer):
    """Keeps the beginning of what the model sampled, ended, with the step and the context of each turn."""

    def __init__(self, *args, **kwargs):
        self.turns = []
        super().__init__(*args, **kwargs)

    def _generate_single_turn(self, prompt_ids, images, multimodal_fields, num_generations):
        sampled, logprobs = super()._generate_single_turn(prompt_ids, images, multimodal_fields, num_generations)
        for context, turn in zip(prompt_ids, sampled, strict=True):  # which a random model would hardly ever end
            turn[3 + len(self.turns) % 5 :] = [self.processing_class.eos_token_id]
            self.turns.append([self.state.global_step, context, turn])
        return sampled, logprobs


class Replaying(GRPOTrainer):
    """Gives each turn as it was recorded: samples of a group that read the same get theirs in the same order."""

    def __init__(self, *args, turns, **kwargs):
        self.turns = defaultdict(deque)
        for step, context, sampled in turns:
            self.turns[step, tuple(context)].append(sampled)
        self.replayed = 0
        super().__init__(*args, **kwargs)

    def _generate_single_turn(self, prompt_ids, images, multimodal_fields, num_generations):
        asked = [(self.state.global_step, tuple(context)) for context in prompt_ids]
        recorded = [key for key in asked if len(key[1]) > 1]  # filler, where nobody waits, is one token
        self.replayed += len(recorded)
        return [self.turns[key].popleft() if len(key[1]) > 1 else [0] for key in asked], None


def run(model, folder, ranks=1):
    """Train, and record the turns; or replay them, and write the logged metrics, the turns' number and the weights."""
    folder, record = Path(folder), Path(folder) / "turns.json"
    on_cpu = {} if ranks == 1 else {"use_cpu": "ACCELERATE_TORCH_DEVICE" not in os.environ}
    args = config(
        folder / f"of-{ranks}", **on_cpu, per_device_train_batch_size=PROMPTS_A_STEP * GENERATIONS // ranks,
        num_generations=GENERATIONS, max_completion_length=48, max_steps=STEPS, learning_rate=0.02, temperature=1.0,
    )  # fmt: skip
    tokenizer = AutoTokenizer.from_pretrained(model)
    kwargs = trainer_kwargs("lessons:Haggle", tokenizer, args=args, max_turn_tokens=10)
    trainer_class, more = (Replaying, {"turns": json.loads(record.read_text())}) if record.exists() else (Recording, {})
    trainer = trainer_class(model=AutoModelForCausalLM.from_pretrained(model), **more, **kwargs)
    assert trainer.accelerator.num_processes == ranks
    trainer.train()
    if trainer_class is Recording:
        record.write_text(json.dumps(trainer.turns))
        return
    with trl_facts.generating_model(trainer) as model:
        parts = [weight.detach() for weight in model.parameters()]
        whole = [part.full_tensor() if hasattr(part, "full_tensor") else part for part in parts]
        weights = [float(weight.double().norm()) for weight in whole]
    found = {"logged": trainer.state.log_history, "turns": trainer.replayed, "weights": weights}
    found["model is shared"] = ranks.forward_is_collective()
    (folder / f"{ranks}-{trainer.accelerator.process_index}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    run(*sys.argv[1:], ranks=int(os.environ.get("WORLD_SIZE", "1")))
