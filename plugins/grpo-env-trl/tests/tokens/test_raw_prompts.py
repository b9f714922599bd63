import pytest
from tiny_models import FAMILIES, OTHERS, tiny_tokenizer

from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_trl.tokens.raw_prompts import RawPrompts
from grpo_env_trl.tokens.rendering import Renderer

ASKED = [{"role": "user", "content": "What is 2 + 2?"}]
TOOL = {"type": "function", "function": {"name": "add", "description": "Add.", "parameters": {"type": "object"}}}
EVERY = [*FAMILIES, "llama2"]


def rendered(tokenizer, messages=ASKED, **settings):
    return tokenizer.apply_chat_template(messages, tokenize=False, **{"add_generation_prompt": True, **settings})


@pytest.mark.parametrize("family", EVERY)
def test_a_rendered_prompt_is_recognised_and_read_as_the_template_tokenises_it(family):
    tokenizer = tiny_tokenizer(family)
    text = rendered(tokenizer)
    renderer = Renderer(tokenizer)
    assert renderer.raw_prompts.text(text) == text
    ids = tokenizer.apply_chat_template(ASKED, add_generation_prompt=True, return_dict=False)
    assert renderer.opening([{"role": "user", "content": text}], text) == ids
    assert tokenizer.bos_token_id is None or ids.count(tokenizer.bos_token_id) == 1


SETTINGS = [
    {"add_generation_prompt": False}, {"tools": [TOOL]}, {"enable_thinking": False},
    {"messages": [*ASKED, {"role": "assistant", "content": "4"}, *ASKED]},
    {"messages": [{"role": "system", "content": "Be brief."}, *ASKED]},
]  # fmt: skip


@pytest.mark.parametrize(("family", "settings"), [
    *((family, settings) for family in FAMILIES for settings in SETTINGS),
    *(("llama2", settings) for settings in SETTINGS[:-1]),  # its template refuses system messages
])  # fmt: skip
def test_however_it_was_rendered(family, settings):
    tokenizer = tiny_tokenizer(family)
    text = rendered(tokenizer, **settings)
    assert RawPrompts(tokenizer).text(text) == text


@pytest.mark.parametrize("family", [name for name in EVERY if (FAMILIES | OTHERS)[name].bos])
def test_the_bos_token_that_an_author_took_away_is_read_once(family):
    tokenizer = tiny_tokenizer(family)
    text = rendered(tokenizer)
    without = text.removeprefix(tokenizer.bos_token)
    ids = Renderer(tokenizer).opening([{"role": "user", "content": without}], without)
    assert ids == tokenizer(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("family", EVERY)
@pytest.mark.parametrize("text", ["What is 2 + 2?", "<html>", "user: hello", "[INST] is a mark of Llama.", " ", "<b>"])
def test_plain_text_is_no_rendered_prompt(family, text):
    assert RawPrompts(tiny_tokenizer(family)).text(text) is None


@pytest.mark.parametrize("prompt", [ASKED, None, 7])
def test_only_text_is_looked_at(prompt):
    assert RawPrompts(tiny_tokenizer("qwen3"), True).text(prompt) is None


def test_the_class_can_say_either():
    tokenizer = tiny_tokenizer("llama2")
    assert RawPrompts(tokenizer, True).text("[INST] hi") == "[INST] hi"
    assert RawPrompts(tokenizer, False).text(rendered(tokenizer)) is None
    ids = Renderer(tokenizer, raw_prompts=True).opening([{"role": "user", "content": "hi"}], "hi")
    assert tokenizer.decode(ids) == "hi"  # and no BOS before it
    ids = Renderer(tokenizer, raw_prompts=False).opening(
        [{"role": "user", "content": rendered(tokenizer)}], rendered(tokenizer)
    )
    assert tokenizer.decode(ids).count("[INST]") == 2


def test_a_template_of_plain_words_is_recognised_by_both_ends():
    tokenizer = tiny_tokenizer("llama2")
    tokenizer.chat_template = "{% for m in messages %}Question: {{ m.content }}\nAnswer:{% endfor %}"
    raw = RawPrompts(tokenizer)
    assert raw.text("Question: why?\nAnswer:") == "Question: why?\nAnswer:"
    assert raw.text("Question: why?") is None


def test_a_template_that_begins_with_the_content_recognises_nothing():
    tokenizer = tiny_tokenizer("qwen3")
    tokenizer.chat_template = "{% for m in messages %}{{ m.content }}\n{% endfor %}"
    assert RawPrompts(tokenizer).text("anything") is None


def test_chatml_by_hand_is_recognised_where_the_template_always_has_a_system_message():
    text = "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n"
    assert RawPrompts(tiny_tokenizer("qwen2.5")).text(text) == text


def test_a_bos_token_alone_may_be_html():
    assert RawPrompts(tiny_tokenizer("llama2")).text("<s>deleted</s> or not?") is None


def test_without_a_chat_template_a_text_with_its_bos_token_is_read_with_one():
    tokenizer = tiny_tokenizer("llama2")
    tokenizer.chat_template = None
    renderer = Renderer(tokenizer)
    for text in ("hi", "<s>hi"):
        assert tokenizer.decode(renderer.opening([{"role": "user", "content": text}], text)) == "<s>hi"


def test_an_observation_has_no_place_in_a_rendered_prompt():
    text = rendered(tiny_tokenizer("qwen3"))
    with pytest.raises(UsageError, match=r"opens with messages of its own.*chat messages"):
        Renderer(tiny_tokenizer("qwen3")).opening([{"role": "user", "content": text + "\n\nA board."}], text)


def test_what_is_recognised_is_said_and_what_is_declared_is_not(recwarn):
    RawPrompts(tiny_tokenizer("qwen3"), True).say("All prompts are")
    assert not recwarn
    with pytest.warns(GrpoEnvWarning, match=r"All prompts are already rendered.*raw_prompts = False"):
        RawPrompts(tiny_tokenizer("qwen3")).say("All prompts are")
