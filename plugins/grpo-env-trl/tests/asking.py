"""How tests ask a policy, and see what its model is given."""

import asyncio

import torch

from grpo_env_sdk.policies import Request, Sampling


class Watch:
    """What a model is given: the tokens of each row of each call, and how many calls there were."""

    def __init__(self, model):
        self.calls = 0
        self.contexts = []
        model.register_forward_pre_hook(self._see, with_kwargs=True)

    def _see(self, model, args, kwargs):
        self.calls += 1
        ids, mask = kwargs["input_ids"], kwargs.get("attention_mask")
        if ids.shape[1] > 1:  # not one more token after those that the cache holds
            kept = torch.ones_like(ids) if mask is None else mask  # without padding there is no mask
            self.contexts.append([row[here.bool()].tolist() for row, here in zip(ids, kept, strict=True)])


def ask(text, row_index=0, **sampling):
    return Request([{"role": "user", "content": text}], sampling=Sampling(**sampling), row_index=row_index)


def answers(policy, *requests):
    """The turns of requests that wait together."""

    async def all_of_them():
        try:
            return await asyncio.gather(*(policy.respond(request) for request in requests))
        finally:
            await policy.close()

    return asyncio.run(all_of_them())
