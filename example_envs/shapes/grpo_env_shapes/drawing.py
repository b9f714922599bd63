"""A scene as an image of Pillow."""

from typing import TYPE_CHECKING

from grpo_env_shapes.scene import Colour, Scene

if TYPE_CHECKING:
    from PIL.Image import Image

ACROSS = 3
_RGB: dict[Colour, tuple[int, int, int]] = {
    "red": (214, 39, 40),
    "green": (44, 160, 44),
    "blue": (31, 119, 180),
    "black": (0, 0, 0),
}


def draw_image(scene: Scene, size: int) -> "Image":
    """The scene on white, `size` pixels wide and high."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (size, size), (255, 255, 255))
    brush = ImageDraw.Draw(image)
    cell, gap = size / ACROSS, size / ACROSS / 6
    for shape in scene.shapes:
        left, top = (shape.cell % ACROSS) * cell + gap, (shape.cell // ACROSS) * cell + gap
        right, bottom = left + cell - 2 * gap, top + cell - 2 * gap
        if shape.form == "circle":
            brush.ellipse((left, top, right, bottom), fill=_RGB[shape.colour])
        elif shape.form == "square":
            brush.rectangle((left, top, right, bottom), fill=_RGB[shape.colour])
        else:
            corners = [(left, bottom), (right, bottom), ((left + right) / 2, top)]
            brush.polygon(corners, fill=_RGB[shape.colour])
    return image
