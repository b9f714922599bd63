"""An image from a row or an observation to a server, into the record, and back out of it."""

import base64
import hashlib
import io
import json
import re

import pytest
from PIL import Image

from grpo_env_sdk import check_env, evaluate, open_run
from grpo_env_sdk.cli import main
from tests.images.pictures import COLOURS, Colours, Slides, square
from tests.stub_server import StubServer, error, says

ENV, SLIDES = "tests.images.pictures:Colours", "tests.images.pictures:Slides"
FORMS = ["column", "columns", "parts", "places"]


def sent(asked):
    """The images that a request holds, decoded, in order."""
    contents = [message["content"] for message in asked.json["messages"]]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    assert all(url.startswith("data:image/png;base64,") for url in urls)
    return [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2], validate=True))) for url in urls]


def same(images, colours):
    return [image.tobytes() for image in images] == [square(colour).tobytes() for colour in colours]


@pytest.fixture
def there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_image_reaches_the_server_with_the_same_pixels(form):
    with StubServer(says("red")) as server:
        found = evaluate(Colours(form), "openai:any", split="all", base_url=server.url)
    assert found.summary["reward"]["mean"] == pytest.approx(1 / 3)
    more = ["blue"] if form == "columns" else []
    shown = sorted((sent(asked) for asked in server.asked), key=lambda images: images[0].tobytes())
    wanted = sorted(COLOURS, key=lambda colour: square(colour).tobytes())
    assert all(same(images, [colour, *more]) for images, colour in zip(shown, wanted, strict=True))
    assert all(json.dumps(asked.json).count("Which colour?") == 1 for asked in server.asked)


def test_images_in_observations_reach_the_server_turn_by_turn():
    with StubServer(says("red")) as server:
        evaluate(Slides, "openai:any", split="all", rows=1, base_url=server.url)
    assert [len(sent(asked)) for asked in server.asked] == [1, 2, 3]
    assert same(sent(server.asked[-1]), COLOURS)
    assert server.asked[-1].json["messages"][-1]["content"][0] == {"type": "text", "text": "And this?"}


def test_gold_plays_an_environment_whose_observations_are_images():
    assert evaluate(Slides, "gold", split="all").summary["reward"]["mean"] == 1.0


def test_a_column_named_image_that_holds_other_things_is_no_image():
    with StubServer(says("red")) as server:
        evaluate(Colours("container"), "openai:any", split="all", base_url=server.url)
    assert all(asked.json["messages"][0]["content"] == "Which colour?" for asked in server.asked)


@pytest.mark.parametrize(("form", "said"), [("path", "red.png.*cast_column"), ("no image", "without an image")])
def test_an_image_that_is_not_there_is_refused_before_anything_starts(there, capsys, form, said):
    with StubServer(says("red")) as server:
        code = main(["eval", ENV, "--env-config", json.dumps({"form": form}), "--model", "openai:any",
                     "--base-url", server.url, "--out", "run"])  # fmt: skip
    shown = capsys.readouterr().err
    assert (code, server.requests, (there / "run").exists()) == (2, 0, False)
    assert shown.count("\n") == 1
    assert re.search(said, shown)


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_cannot_see_ends_the_run_at_once(there, capsys, status):
    with StubServer(error(status, "image input is not supported")) as server:
        code = main(["eval", ENV, "--model", "openai:any", "--base-url", server.url, "--split", "all", "--out", "run"])
    shown = capsys.readouterr().err
    assert (code, (there / "run").exists()) == (2, False)
    assert "image input is not supported" in shown
    assert "can this model see them?" in shown


def test_a_run_keeps_each_image_once_by_its_hash(there):
    assert main(["eval", ENV, "--model", "gold", "--split", "all", "-k", "2", "--out", "run"]) == 0
    kept = {path.name: path.read_bytes() for path in (there / "run/images").iterdir()}
    assert len(kept) == 3
    assert all(f"{hashlib.sha256(data).hexdigest()}.png" == name for name, data in kept.items())
    text = (there / "run/episodes.jsonl").read_text()
    assert str(there) not in text
    assert "base64" not in text
    record = json.loads(text.splitlines()[0])
    reference = record["messages"][0]["content"][0]["image"]
    assert reference == record["row"]["image"]
    assert (reference["$"], f"{reference['sha256']}.png" in kept) == ("image", True)


@pytest.mark.parametrize("env", [ENV, SLIDES])
def test_a_run_with_images_can_be_rescored_replayed_and_resumed(there, env):
    asked = ["eval", env, "--split", "all", "--out"]
    assert main([*asked, "run", "--model", "gold"]) == 0
    assert main(["rescore", "run", "--out", "again"]) == 0
    assert main([*asked, "replayed", "--model", "replay:run"]) == 0
    lines = (there / "run/episodes.jsonl").read_text().splitlines(keepends=True)
    (there / "run/episodes.jsonl").write_text(lines[0])
    assert main(["eval", "--resume", "run"]) == 0
    runs = [list(open_run(name).episodes(images=True)) for name in ("run", "again", "replayed")]
    for episodes in runs:
        found = sorted((episode.row_index, episode.seed, episode.reward, episode.messages) for episode in episodes)
        assert found == sorted((one.row_index, one.seed, one.reward, one.messages) for one in runs[0])
    assert {path.name for path in (there / "again/images").iterdir()} == {
        path.name for path in (there / "run/images").iterdir()
    }


def test_what_is_sent_is_what_is_kept(there):
    with StubServer(says("blue")) as server:
        main(["eval", ENV, "--model", "openai:any", "--base-url", server.url, "--split", "all", "--out", "run"])
    (shown,) = {image.tobytes() for image in sent(server.asked[0])}
    kept = {Image.open(path).tobytes() for path in (there / "run/images").iterdir()}
    assert shown in kept


def test_the_same_question_about_other_images_is_no_finding():
    assert check_env(Colours, select="C111", env_pool="thread").findings == []
