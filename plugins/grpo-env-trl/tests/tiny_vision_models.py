"""Tiny vision models of two families, made on the spot: one whose pixels are flat, one whose pixels are images."""

import importlib.resources

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoProcessor, PreTrainedTokenizerFast, ProcessorMixin, Qwen2VLConfig, Qwen2VLProcessor
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

CONTEXT = 1024
SPECIALS = {
    "qwen2-vl": ("<|im_end|>", "<|endoftext|>", "<|im_start|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
                 "<|video_pad|>"),
    "idefics3": ("<end_of_utterance>", "<pad>", "<image>", "<fake_token_around_image>", "<global-img>"),
}  # fmt: skip
MARKS = {"vision_start": "vision_start", "vision_end": "vision_end", "image": "image_pad", "video": "video_pad"}
TEMPLATES = {"qwen2-vl": "qwen2_5_vl", "idefics3": "idefics3"}
TEXT = {
    "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
    "num_key_value_heads": 1, "max_position_embeddings": CONTEXT, "initializer_range": 0.2,
}  # fmt: skip


class ImagesOnlyQwen2VLProcessor(Qwen2VLProcessor):
    """Qwen2-VL's own processor without its video half, which needs torchvision."""

    def __init__(self, image_processor=None, tokenizer=None, chat_template=None, **kwargs):
        self.image_token, self.video_token = "<|image_pad|>", "<|video_pad|>"
        self.image_token_id, self.video_token_id = tokenizer.convert_tokens_to_ids([self.image_token, self.video_token])
        ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)


AutoProcessor.register(Qwen2VLConfig, ImagesOnlyQwen2VLProcessor, exist_ok=True)


def tiny_vision_model(family, seed=0):
    """A model that knows nothing, and its processor."""
    tokenizer = _tokenizer(family)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, processor = {"qwen2-vl": _qwen2_vl, "idefics3": _idefics3}[family](tokenizer)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    return model.eval(), processor


def save_tiny_vision_model(family, folder, seed=0):
    """A folder as `save_pretrained` leaves it, weights and processor."""
    model, processor = tiny_vision_model(family, seed)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _qwen2_vl(tokenizer):
    ids = {f"{name}_token_id": tokenizer.convert_tokens_to_ids(f"<|{special}|>") for name, special in MARKS.items()}
    rotary = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}
    config = Qwen2VLConfig(
        text_config={**TEXT, **_ids(tokenizer), "rope_parameters": rotary},
        vision_config={
            "depth": 1, "embed_dim": 16, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 1, "patch_size": 14,
        },
        tie_word_embeddings=True, **ids,
    )  # fmt: skip
    pixels = Qwen2VLImageProcessorPil(min_pixels=28 * 28, max_pixels=56 * 56)
    processor = ImagesOnlyQwen2VLProcessor(pixels, tokenizer, chat_template=tokenizer.chat_template)
    return transformers.Qwen2VLForConditionalGeneration(config), processor


def _idefics3(tokenizer):
    config = transformers.Idefics3Config(
        text_config={**TEXT, **_ids(tokenizer), "model_type": "llama"},
        vision_config={
            "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
            "image_size": 28, "patch_size": 7,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"), scale_factor=2, tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    edge, template = {"longest_edge": 28}, tokenizer.chat_template
    pixels = Idefics3ImageProcessorPil(size=edge, max_image_size=edge, do_image_splitting=False)
    processor = transformers.Idefics3Processor(pixels, tokenizer, image_seq_len=4, chat_template=template)
    return transformers.Idefics3ForConditionalGeneration(config), processor


def _ids(tokenizer):
    return {
        "vocab_size": len(tokenizer), "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip


def _tokenizer(family):
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(alphabet)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    eos, pad, *others = SPECIALS[family]
    core.add_special_tokens([pad, eos, *others])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token=eos, pad_token=pad, additional_special_tokens=others, model_max_length=CONTEXT,
    )  # fmt: skip
    templates = importlib.resources.files("trl") / "chat_templates"
    tokenizer.chat_template = (templates / f"{TEMPLATES[family]}.jinja").read_text(encoding="utf-8")
    return tokenizer
