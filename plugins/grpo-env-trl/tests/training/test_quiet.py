"""What other libraries say while a training runs."""

import logging

import pytest
from transformers import Qwen3Config, Qwen3ForCausalLM

from grpo_env_trl.training.quiet import tied_weights_need_no_file

SIZES = {
    "vocab_size": 8, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1,
    "head_dim": 8, "intermediate_size": 8,
}  # fmt: skip


@pytest.mark.parametrize(("tied", "missing", "told"), [
    (True, ["lm_head.weight"], False),
    (True, ["lm_head.weight", "model.norm.weight"], True),
    (False, ["lm_head.weight"], True),
])  # fmt: skip
def test_a_checkpoint_need_not_have_weights_that_are_those_of_another_layer(tied, missing, told):
    model = Qwen3ForCausalLM(Qwen3Config(tie_word_embeddings=tied, **SIZES))
    logger, heard = logging.getLogger("transformers.trainer"), logging.Handler()
    records = []
    heard.emit = records.append
    logger.addHandler(heard)
    with tied_weights_need_no_file(model):
        logger.warning("There were missing keys in the checkpoint model loaded: %s.", missing)
        logger.warning("Something else.")
    logger.removeHandler(heard)
    assert len(records) == 1 + told
    assert logger.filters == []
