"""All kinds of questions that can be worked out from a prompt alone."""

from grpo_env_sdk.checking.evidence.prompts.opinions_on_angles import OF_ANGLES
from grpo_env_sdk.checking.evidence.prompts.opinions_on_dates import OF_DATES
from grpo_env_sdk.checking.evidence.prompts.opinions_on_numbers import OF_NUMBERS
from grpo_env_sdk.checking.evidence.prompts.opinions_on_orders import date_in_order, date_in_some_order
from grpo_env_sdk.checking.evidence.prompts.opinions_on_texts import OF_TEXTS
from grpo_env_sdk.checking.evidence.prompts.opinions_on_working_days import OF_WORKING_DAYS
from grpo_env_sdk.checking.evidence.prompts.second_opinions import Opinion

OPINIONS: tuple[Opinion, ...] = (
    *(*OF_DATES, *OF_WORKING_DAYS, *OF_TEXTS, *OF_NUMBERS, *OF_ANGLES),
    *(date_in_order, date_in_some_order),
)
