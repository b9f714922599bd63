"""A Qwen3 of 0.1 million parameters that knows one errand by heart: ring the bell so many times, then say so.

`python tiny_model.py FOLDER` makes it in seconds, tokenizer included; it wants torch, transformers and tokenizers.
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

TEMPLATE = """\
{%- for message in messages %}
{%- if message.content is string %}{% set text = message.content %}{% else %}{% set text = message.content[0].text if \
message.content else '' %}{% endif %}
{{- '<|im_start|>' + message.role + '\n' + text }}
{%- for call in message.tool_calls or [] %}
{%- set it = call.function %}
{{- '<tool_call>\n{"name": "' + it.name + '", "arguments": ' + (it.arguments | tojson) + '}\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{% endif %}"""
ANSWER = "<|im_start|>assistant\n"
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def conversation(times: int) -> list[dict]:
    """The errand, as it should go."""
    call = {"type": "function", "function": {"name": "ring", "arguments": {"times": times}}}
    return [
        {"role": "user", "content": f"Ring the bell {times} times."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": json.dumps({"rung": times})},
        {"role": "assistant", "content": f"Rung {times} times."},
    ]


def tokenizer_for(texts: list[str]) -> PreTrainedTokenizerFast:
    """Bytes, and the pieces that are common in these texts."""
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=SPECIAL, initial_alphabet=alphabet)
    plain.train_from_iterator(texts, trainer)
    plain.add_tokens(["<tool_call>", "</tool_call>"])
    made = PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<|endoftext|>", eos_token="<|im_end|>", model_max_length=512
    )
    made.chat_template = TEMPLATE
    return made


def learn(model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> float:
    """Train on what the assistant says, until it is known by heart; the last loss."""
    batch = tokenizer(texts, return_tensors="pt", padding=True, return_offsets_mapping=True)
    labels = torch.full_like(batch["input_ids"], -100)
    for row, text in enumerate(texts):
        for start in _answers(text):
            end = text.index("<|im_end|>", start) + len("<|im_end|>")
            inside = [i for i, (a, b) in enumerate(batch["offset_mapping"][row].tolist()) if start <= a and b <= end]
            labels[row, inside] = batch["input_ids"][row, inside]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(400):
        loss = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.002:
            break
    return loss.item()


def _answers(text: str) -> list[int]:
    """Where the assistant begins to speak."""
    starts, place = [], text.find(ANSWER)
    while place >= 0:
        starts.append(place + len(ANSWER))
        place = text.find(ANSWER, place + 1)
    return starts


def main(folder: Path) -> None:
    """Make the model, teach it the errand, and save it."""
    torch.manual_seed(0)
    torch.set_num_threads(2)
    conversations = [conversation(times) for times in range(1, 5)]
    made = tokenizer_for([json.dumps(each) for each in conversations])
    texts = [made.apply_chat_template(each, tokenize=False) for each in conversations]
    config = Qwen3Config(
        vocab_size=len(made), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, head_dim=32, max_position_embeddings=512, tie_word_embeddings=True,
        bos_token_id=None, eos_token_id=made.eos_token_id, pad_token_id=made.pad_token_id,
    )  # fmt: skip
    model = Qwen3ForCausalLM(config)
    loss = learn(model, made, texts)
    assert loss < 0.1, f"it did not learn its errand: loss {loss}"
    model.generation_config.eos_token_id = made.eos_token_id
    model.save_pretrained(folder)
    made.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
