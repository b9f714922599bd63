"""One image: as PNG, as a data URL, and back."""

import base64
import io

import pytest
from PIL import Image

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.images.image import PNG_MODES, as_image, data_url, image_from, is_image, png_of
from tests.images.pictures import square


@pytest.mark.parametrize("mode", PNG_MODES)
def test_a_png_keeps_the_pixels_of_its_modes(mode):
    image = square("red").convert("L").convert(mode) if mode == "I;16" else square("red").convert(mode)
    assert image_from(png_of(image)).convert("RGBA").tobytes() == image.convert("RGBA").tobytes()


@pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "HSV", "PA", "F"])
def test_an_image_of_another_mode_becomes_one_that_everybody_reads(mode):
    image = (square("red").convert("L") if mode in ("PA", "F") else square("red")).convert(mode)
    assert image_from(png_of(image)).mode in ("RGB", "RGBA")


def test_all_forms_of_an_image_are_the_same_image():
    image, png = square("blue"), png_of(square("blue"))
    for form in (image, png, {"bytes": png}, {"bytes": png, "path": None}, data_url(png)):
        assert as_image(form).tobytes() == image.tobytes()
    assert base64.b64decode(data_url(png).removeprefix("data:image/png;base64,")) == png


@pytest.mark.parametrize("value", [None, "python:3.11", "red.png", "https://a/b.png", {"path": "red.png"}, 3, ["x"]])
def test_what_is_no_image_is_none_and_no_file_is_ever_opened(value):
    assert as_image(value) is None
    assert not is_image(value)


def test_a_jpeg_is_read_too():
    written = io.BytesIO()
    square("green", (16, 16)).save(written, format="JPEG")
    assert as_image(written.getvalue()).size == (16, 16)


@pytest.mark.parametrize("value", [b"GIF89a", b"", "data:image/png;base64,AAAA", "data:image/png;base64,?"])
def test_bytes_that_are_no_image_are_an_error_of_one_line(value):
    with pytest.raises(ContractError) as raised:
        as_image(value)
    assert "\n" not in str(raised.value)


def test_a_subclass_of_an_image_is_an_image():
    assert is_image(type("Mine", (Image.Image,), {})())
