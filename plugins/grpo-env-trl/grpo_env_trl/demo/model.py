"""The network of the demo model: a Qwen3 of about 0.1 million parameters, made to copy."""

from typing import Any

CONTEXT = 4096
_HIDDEN, _LAYERS, _HEADS = 64, 2, 2


def build_model(tokenizer: Any, seed: int) -> Any:
    """A `Qwen3ForCausalLM` with weights that depend on the seed and the size of the vocabulary alone."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=_HIDDEN,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        num_key_value_heads=_HEADS,
        head_dim=_HIDDEN // _HEADS,
        intermediate_size=3 * _HIDDEN,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        initializer_range=0.08,  # with the usual 0.02 it does not learn to copy
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
        for layer in model.model.layers:
            torch.nn.init.orthogonal_(layer.self_attn.v_proj.weight)
            with torch.no_grad():  # attention then hands on what it looks at as it is, which is to copy
                layer.self_attn.o_proj.weight.copy_(layer.self_attn.v_proj.weight.T)
    return model
