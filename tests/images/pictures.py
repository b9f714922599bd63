"""Environments that show images, in every form that an author may choose."""

import io
import struct
import zlib

from PIL import Image

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, answer_text, reward

COLOURS = {"red": (200, 0, 0), "green": (0, 160, 0), "blue": (0, 0, 220)}


def square(colour, size=(6, 4)):
    """A small image of one colour, with a corner that tells left from right."""
    image = Image.new("RGB", size, COLOURS[colour])
    image.putpixel((0, 0), (255, 255, 255))
    return image


def saved_as(format, image=None):
    """The bytes of a small image in a format of Pillow."""
    written = io.BytesIO()
    (image or square("green")).save(written, format=format)
    return written.getvalue()


def png_header(width, height):
    """A PNG of so many pixels, as far as its first bytes say; there is no data behind them."""
    chunk = b"IHDR" + struct.pack("!IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"")
    packed = [struct.pack("!I", len(one) - 4) + one + struct.pack("!I", zlib.crc32(one)) for one in (chunk, data)]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


class Colours(SingleTurnEnv):
    """Name the colour of an image; `form` is where its rows carry it."""

    def __init__(self, form="column"):
        self.form = form

    def build_dataset(self, tokenizer):
        return [{**self.shown(square(colour)), "answer": colour} for colour in COLOURS]

    def shown(self, image):
        text, place = {"type": "text", "text": "Which colour?"}, {"type": "image"}
        return {
            "column": {"prompt": "Which colour?", "image": image},
            "columns": {"prompt": "Which colour?", "images": [image, square("blue")]},
            "parts": {
                "prompt": [
                    {"role": "system", "content": "Look."},
                    {"role": "user", "content": [text, {**place, "image": image}]},
                ]
            },
            "places": {"prompt": [{"role": "user", "content": [text, place]}], "images": [image]},
            "container": {"prompt": "Which colour?", "image": "python:3.11"},
            "path": {"prompt": "Which colour?", "image": "red.png"},
            "no image": {"prompt": [{"role": "user", "content": [text, place]}]},
        }[self.form]

    def solve(self, row):
        return row["answer"]

    @reward
    def right(self, completion, answer):
        return float(answer in answer_text(completion))


class Slides(MultiTurnEnv):
    """Three slides one after another, as observations of three forms; say the colour of each."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say the colour of every image.", "image": square("red")} for _ in range(2)]

    def step(self, action):
        colour = list(COLOURS)[self.turns - 1]
        shown = [
            square("green"),
            ["And this?", square("blue")],
        ]
        right = float(colour in action["content"])
        return (shown[self.turns - 1] if self.turns < 3 else ""), right / 3, self.turns == 3, False, {}

    def solve(self, row):
        return list(COLOURS)
