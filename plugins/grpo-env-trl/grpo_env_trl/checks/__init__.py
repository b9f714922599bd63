"""The checks of `grpo-env test --model`: whether the chat template of a model works for an environment."""

from grpo_env_sdk.ext import Check
from grpo_env_trl.checks.context_fit import data_holds_no_special_tokens, prompts_and_answers_fit
from grpo_env_trl.checks.template_renders import every_prompt_can_be_rendered, the_template_carries_it
from grpo_env_trl.checks.turns_parse_back import earlier_turns_stay, turns_come_back

TEMPLATE_CHECKS: list[Check] = [
    the_template_carries_it,
    every_prompt_can_be_rendered,
    earlier_turns_stay,
    turns_come_back,
    prompts_and_answers_fit,
    data_holds_no_special_tokens,
]
