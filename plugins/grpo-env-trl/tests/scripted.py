"""Trainers whose model says what a script has it say, or what it samples; and what they gave to it is kept."""

import functools
import random
from dataclasses import dataclass, field
from itertools import chain
from types import SimpleNamespace

from accelerate import Accelerator
from trl import GRPOConfig, GRPOTrainer


def config(folder, **changes):
    """Settings under which a tiny model makes one quick step."""
    settings = {
        "output_dir": str(folder), "use_cpu": True, "bf16": False, "gradient_checkpointing": False,
        "per_device_train_batch_size": 4, "per_device_eval_batch_size": 4, "num_generations": 2,
        "max_completion_length": 16, "max_steps": 1, "logging_steps": 1, "save_strategy": "no",
        "report_to": "none", "disable_tqdm": True, "learning_rate": 1e-3,
    }  # fmt: skip
    return GRPOConfig(**{**settings, **changes})


@dataclass
class Spoken:
    """What a generator was given and what it sampled, call by call."""

    contexts: list = field(default_factory=list)
    sampled: list = field(default_factory=list)
    caps: list = field(default_factory=list)

    def of(self, prompt_ids):
        """The turns of the one episode that opened with these tokens: each context and what was sampled there."""
        turns = zip(chain(*self.contexts), chain(*self.sampled), strict=True)
        return [(context, ids) for context, ids in turns if context[: len(prompt_ids)] == prompt_ids]


class ScriptedTrainer(GRPOTrainer):
    """A real trainer; `script(context, most)` gives the tokens of a turn."""

    def __init__(self, *args, script, **kwargs):
        self.script = script
        self.spoken = Spoken()
        super().__init__(*args, **kwargs)

    def _generate_single_turn(self, prompt_ids, images, multimodal_fields, num_generations, has_tool_images=False):
        most = self.generation_config.max_new_tokens
        ids = [list(self.script(list(context), most))[:most] for context in prompt_ids]
        self.spoken.contexts.append([list(context) for context in prompt_ids])
        self.spoken.sampled.append([list(turn) for turn in ids])
        self.spoken.caps.append(most)
        return ids, None


def says(tokenizer, *texts):
    """A script that says one of these texts at each turn, drawn by what was said before."""
    turns = [tokens(tokenizer, text) for text in texts]
    return lambda context, most: random.Random(str(context)).choice(turns)


class StandIn:
    """What a rollout function needs of a trainer; `player(context, most)` gives the tokens of a turn."""

    def __init__(self, model, tokenizer, player, most=200, logprobs=False):
        self.model = model
        self.player = player
        self.logprobs = logprobs
        self.spoken = Spoken()
        ends = model.generation_config.eos_token_id
        self.eos_token_ids = ends if isinstance(ends, list) else [ends]
        self.max_completion_length = most
        self.args = SimpleNamespace(seed=0)
        self.generation_config = SimpleNamespace(max_new_tokens=most)
        self.accelerator = Accelerator(cpu=True)
        self.state = SimpleNamespace(global_step=0)

    def _generate_single_turn(self, prompt_ids, images, multimodal_fields, num_generations):
        most = self.generation_config.max_new_tokens
        ids = [self.player(list(context), most)[:most] for context in prompt_ids]
        self.spoken.contexts.append([list(context) for context in prompt_ids])
        self.spoken.sampled.append([list(turn) for turn in ids])
        self.spoken.caps.append(most)
        return ids, [[-0.5] * len(turn) for turn in ids] if self.logprobs else None


def written(tokenizer, message):
    """An assistant's message as the family's template writes it, without what ends the turn."""
    asked = [{"role": "user", "content": "-"}]
    render = functools.partial(tokenizer.apply_chat_template, tokenize=False)
    text = render([*asked, message]).removeprefix(render(asked, add_generation_prompt=True))
    for end in (tokenizer.eos_token, "<end_of_turn>"):
        text = text.partition(end)[0]
    return text.removeprefix("<think>\n\n</think>\n\n")


def calls(*names_and_arguments):
    """An assistant's message that makes these calls."""
    functions = [{"name": name, "arguments": arguments} for name, arguments in names_and_arguments]
    made = [{"type": "function", "function": function} for function in functions]
    return {"role": "assistant", "content": "", "tool_calls": made}


def tokens(tokenizer, text, end=True):
    """The tokens of a text that a model writes, and of the end of its turn."""
    return [*tokenizer(text, add_special_tokens=False)["input_ids"], *([tokenizer.eos_token_id] if end else [])]
