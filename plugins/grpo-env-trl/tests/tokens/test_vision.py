"""What a vision model reads of a transcript with images."""

import pytest
from tiny_vision_models import tiny_vision_model

from grpo_env_trl.tokens.vision import conversation, model_inputs, places_and_images
from tests.images.pictures import square


@pytest.mark.parametrize("family", ["qwen2-vl", "idefics3"])
def test_an_image_is_one_token_until_its_place_is_filled(family):
    _, processor = tiny_vision_model(family)
    asked = [{"type": "image", "image": square("red")}, {"type": "text", "text": "Which colour?"}]
    shown = conversation([{"role": "user", "content": asked}])
    ids, images = places_and_images(processor, shown, {})
    filled = model_inputs(processor, [shown], {})["input_ids"][0].tolist()
    place = processor.tokenizer.convert_tokens_to_ids(processor.image_token)
    assert (len(images), ids.count(place)) == (1, 1)
    assert filled.count(place) > 1
    after = len(ids) - ids.index(place) - 2  # one family has a mark behind the tokens of an image
    assert ids[-after:] == filled[-after:]
