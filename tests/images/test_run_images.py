"""The images of a run: kept once, checked when read, shown by `view`, and never a way to another file."""

import asyncio
import hashlib
import json
import shutil

import aiohttp
import pytest

from grpo_env_sdk import evaluate, open_run
from grpo_env_sdk.cli import main
from grpo_env_sdk.images.image import data_url, png_of
from grpo_env_sdk.images.run_images import RunImageError, RunImages, references
from grpo_env_sdk.viewing.index import RunIndex
from grpo_env_sdk.viewing.page import render
from grpo_env_sdk.viewing.server import start_server
from tests.images.pictures import COLOURS, Colours, png_header, saved_as, square


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    evaluate(Colours, "gold", split="all", out=folder)
    return folder


@pytest.fixture
def run(kept, tmp_path):
    """A run that a test may damage."""
    shutil.copytree(kept, tmp_path / "run")
    return tmp_path / "run"


def test_a_reference_leads_back_to_the_same_pixels(tmp_path):
    images = RunImages(tmp_path)
    reference = json.loads(json.dumps(images.reference(square("red"))))
    assert images.restored({"a": [reference, 1]})["a"][0].tobytes() == square("red").tobytes()
    assert references({"a": [reference, {"b": reference}]}) == {reference["sha256"]}


@pytest.mark.parametrize("name", ["../manifest.json", "../../secret", "0" * 64, "", "a" * 63 + "/", "/etc/passwd"])
def test_a_reference_never_reaches_another_file(run, name):
    (run.parent / "secret.png").write_bytes(b"secret")
    with pytest.raises(RunImageError, match="is missing"):
        RunImages(run).png(name)


def test_a_link_to_another_file_is_damaged_and_its_content_stays_unread(run, capsys):
    name = hashlib.sha256(b"something else").hexdigest()
    (run.parent / "secret").write_bytes(b"secret")
    (run / f"images/{name}.png").symlink_to(run.parent / "secret")
    with pytest.raises(RunImageError, match="is damaged"):
        RunImages(run).png(name)


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_an_image_that_is_gone_is_one_line_for_rescore_and_does_not_stop_the_others(run, capsys, damage):
    path = next((run / "images").iterdir())
    path.unlink() if damage == "missing" else path.write_bytes(b"GIF89a")
    assert main(["rescore", str(run), "--out", str(run.parent / "again")]) == 2
    assert f"is {damage}" in capsys.readouterr().err
    assert not (run.parent / "again").exists()
    assert main(["runs", "show", str(run)]) == 0
    assert main(["diff", str(run), str(run)]) == 0
    assert main(["view", str(run), "--export", str(run.parent / "page.html")]) == 0


def test_a_file_of_another_format_in_the_place_of_a_png_is_one_line(run, capsys):
    """Its name is the hash of its bytes, as that of every image in a run."""
    jpeg = saved_as("JPEG")
    name, old = hashlib.sha256(jpeg).hexdigest(), next((run / "images").iterdir())
    (run / f"images/{name}.png").write_bytes(jpeg)
    episodes = run / "episodes.jsonl"
    episodes.write_text(episodes.read_text().replace(old.stem, name))
    assert main(["rescore", str(run), "--trust", "--out", str(run.parent / "again")]) == 2
    shown = capsys.readouterr().err
    assert (shown.count("\n"), f"{name}.png cannot be used" in shown) == (1, True)


def test_an_image_is_decoded_once_however_often_a_record_refers_to_it(run):
    name = next((run / "images").iterdir()).stem
    shown = RunImages(run).restored([{"$": "image", "sha256": name}] * 1000)
    assert len({id(image) for image in shown}) == 1


def test_rescore_decodes_no_image_that_is_not_played(run, monkeypatch, capsys):
    """What a stranger wrote into its transcripts is not looked at, and a row has its images when it is played."""
    bomb = png_header(9000, 9000)
    name = hashlib.sha256(bomb).hexdigest()
    (run / f"images/{name}.png").write_bytes(bomb)
    first, *others = map(json.loads, (run / "episodes.jsonl").read_text().splitlines())
    first["messages"][-1]["content"] = [{"type": "image", "image": {"$": "image", "sha256": name}}]
    (run / "episodes.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (first, *others)))
    assert main(["rescore", str(run), "--trust", "--out", str(run.parent / "again")]) == 0
    with pytest.raises(RunImageError, match="9000 x 9000 pixels"):
        list(open_run(run).episodes(images=True))
    first["row"]["image"] = {"$": "image", "sha256": name}
    (run / "episodes.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (first, *others)))
    assert main(["rescore", str(run), "--trust", "--out", str(run.parent / "third")]) == 2
    assert not (run.parent / "third").exists()


def test_an_exported_page_holds_every_image_once(kept):
    page, policy = render([RunIndex(open_run(kept))], whole=True)
    for colour in COLOURS:
        assert page.count(data_url(png_of(square(colour)))) <= 1
    assert page.count("data:image/png;base64,") == 3
    assert "img-src data:;" in policy


def test_the_server_gives_images_by_hash_and_nothing_else(kept):
    index = RunIndex(open_run(kept))
    (name, *_) = references(index.record(0))

    async def asked():
        runner, address = await start_server([index])
        try:
            async with aiohttp.ClientSession() as session:
                found = []
                for path in (f"image/{name}", f"image/{'0' * 64}", "image/..%2F..%2Fmanifest.json"):
                    async with session.get(address + path) as answer:
                        found.append((answer.status, answer.content_type, await answer.read()))
                return found
        finally:
            await runner.cleanup()

    shown, *refused = asyncio.run(asked())
    assert shown == (200, "image/png", (kept / f"images/{name}.png").read_bytes())
    assert [status for status, *_ in refused] == [404, 404]
    _, policy = render([index], whole=False)
    assert "img-src 'self' data:;" in policy


def test_the_table_of_a_page_says_where_an_image_is(kept):
    assert RunIndex(open_run(kept)).table[0]["asked"] == "[image] Which colour?"
