"""One image: as PNG, as a data URL, and back."""

import base64

import pytest
from PIL import Image

from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.images.image import (
    PNG_MODES,
    as_image,
    check_png,
    data_url,
    image_from,
    image_of_png,
    is_image,
    png_of,
)
from tests.images.pictures import png_header, saved_as, square

POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n%%EOF\n"


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


@pytest.mark.parametrize("format", ["JPEG", "GIF", "BMP"])
def test_other_common_formats_are_read_too(format):
    assert as_image(saved_as(format)).size == (6, 4)


def test_no_program_is_started_for_the_bytes_of_an_image(tmp_path, monkeypatch):
    (tmp_path / "gs").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    (tmp_path / "gs").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for read in (as_image, image_of_png):
        with pytest.raises(ContractError, match="no image"):
            read(POSTSCRIPT)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("format", ["TIFF", "PPM", "ICO", "PCX", "TGA"])
def test_formats_that_are_seldom_used_are_not_read(format):
    with pytest.raises(ContractError, match=r"no image.*PNG or a JPEG"):
        as_image(saved_as(format))


def test_an_image_of_very_many_pixels_is_refused_before_it_is_decoded():
    for read in (as_image, image_of_png, check_png):
        with pytest.raises(ContractError, match="9000 x 9000 pixels are more than"):
            read(png_header(9000, 9000))


def test_where_a_png_is_expected_nothing_else_is_read():
    assert image_of_png(saved_as("PNG")).size == (6, 4)
    for format in ("JPEG", "GIF", "BMP"):
        with pytest.raises(ContractError, match="no image"):
            image_of_png(saved_as(format))


@pytest.mark.parametrize("value", [b"GIF89a", b"", "data:image/png;base64,AAAA", "data:image/png;base64,?"])
def test_bytes_that_are_no_image_are_an_error_of_one_line(value):
    with pytest.raises(ContractError) as raised:
        as_image(value)
    assert "\n" not in str(raised.value)


def test_a_subclass_of_an_image_is_an_image():
    assert is_image(type("Mine", (Image.Image,), {})())
