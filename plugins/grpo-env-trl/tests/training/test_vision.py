"""Vision models of two families in training: what they see, what changes, and what is refused beforehand."""

import json
import math

import pytest
import torch
from quick import flags, quick_run
from safetensors.torch import load_file
from transformers import TrainerCallback

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, evaluate, open_run, reward, tool
from grpo_env_sdk.cli import main
from grpo_env_sdk.ext import UnusablePolicyError
from tests.images.pictures import Colours, square

FAMILIES = ["qwen2-vl", "idefics3"]


class Shades(Colours):
    """Images of which every answer scores differently, so that each batch has something to teach."""

    def build_dataset(self, tokenizer):
        return [row for _ in range(4) for row in super(Shades, self).build_dataset(tokenizer)]

    @reward
    def right(self, completion):
        return len(answer_text(completion)) % 7 / 7


class Flipbook(MultiTurnEnv):
    """The first observation is text, the second is an image."""

    max_turns = 2

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Wait for image {number}."} for number in range(20)]

    def step(self, action):
        return square("red"), 0.0, False, False, {}


class Watch(TrainerCallback):
    """Keeps what reached the vision tower, and its gradients, of every step."""

    def __init__(self):
        self.pixels, self.gradients = [], []

    def on_train_begin(self, args, state, control, model=None, **kwargs):
        self.tower = next(part for name, part in model.named_modules() if name.endswith((".visual", ".vision_model")))
        self.tower.register_forward_hook(self._looked)

    def on_step_begin(self, args, state, control, **kwargs):
        self.pixels.append(0)

    def _looked(self, module, given, output):
        if self.pixels and torch.is_grad_enabled():
            self.pixels[-1] += 1

    def on_pre_optimizer_step(self, args, state, control, **kwargs):
        self.gradients.append(sum(float(weight.grad.norm()) for weight in self.tower.parameters()))


@pytest.fixture(scope="module")
def seeing(tmp_path_factory):
    """The folder of a tiny vision model of a family."""
    made = {}

    def saved(family):
        from tiny_vision_models import save_tiny_vision_model

        if family not in made:
            made[family] = save_tiny_vision_model(family, tmp_path_factory.mktemp("seeing") / family)
        return made[family]

    return saved


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("form", ["column", "parts"])
def test_five_steps_train_the_eyes_too(seeing, tmp_path, family, form):
    watch, before = Watch(), load_file(seeing(family) / "model.safetensors")
    run = quick_run(
        Shades(form), str(seeing(family)), tmp_path / "run", max_steps=5, eval_rows=1, callbacks=[watch],
        per_device_train_batch_size=2, max_completion_length=8, bf16=False,
    )  # fmt: skip
    assert all(count > 0 for count in watch.pixels)
    assert len(watch.pixels) == len(watch.gradients) == 5
    assert all(math.isfinite(norm) for norm in watch.gradients)
    assert max(watch.gradients) > 0
    assert all(math.isfinite(entry["loss"]) for entry in run.metrics)
    after = load_file(tmp_path / "run/model/model.safetensors")
    moved = {name for name, value in before.items() if not torch.equal(value, after[name])}
    assert any("vision" in name or "visual" in name for name in moved)
    assert any("vision" not in name and "visual" not in name for name in moved)


def test_a_trained_vision_model_is_evaluated_with_its_images(seeing, workplace):
    code = main(["train", "tests.images.pictures:Colours", "--model", str(seeing("idefics3")),
                 *flags(max_steps=1, eval_rows=1, per_device_train_batch_size=2, max_completion_length=8)])  # fmt: skip
    assert code == 0
    assert main(["eval", "tests.images.pictures:Slides", "--model", "run", "--split", "all", "--out", "seen"]) == 0
    episodes = list(open_run("seen").episodes())
    assert [episode.error for episode in episodes] == [None, None]
    assert [part["type"] for part in episodes[0].messages[0]["content"]] == ["image", "text"]
    record = json.loads((workplace / "run/episodes.jsonl").read_text().splitlines()[0])
    assert (workplace / f"run/images/{record['row']['image']['sha256']}.png").exists()


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_model_says_depends_on_the_image(seeing, family):
    from tiny_vision_models import tiny_vision_model

    from grpo_env_trl.inference.policy import TransformersPolicy

    policy = TransformersPolicy(*tiny_vision_model(family))
    found = evaluate(Colours, policy, split="all")
    said = {episode.row["answer"]: episode.messages[-1]["content"][:40] for episode in found.kept}
    assert found.summary["errors"] == {}
    assert len(set(said.values())) > 1


@pytest.mark.parametrize(
    ("env", "model", "said"),
    [
        ("tests.images.pictures:Colours", "text", "cannot see images"),
        ("tests.images.pictures:Colours", None, "the demo model cannot see"),
        ("tests.images.pictures:Slides", "idefics3", "several turns"),
        ("test_vision:Flipbook", "text", "later observations"),
    ],
)
def test_what_would_be_blind_is_refused_before_anything_starts(seeing, models, workplace, capsys, env, model, said):
    chosen = {"text": models, "idefics3": lambda: seeing("idefics3"), None: lambda: None}[model]()
    code = main(["train", env, *(["--model", str(chosen)] if chosen else []), *flags()])
    shown = capsys.readouterr().err
    assert code == 2
    assert said in shown
    assert not (workplace / "run").exists()


def test_a_text_model_is_refused_in_an_evaluation_and_no_run_is_left(models, workplace, capsys):
    code = main(["eval", "tests.images.pictures:Colours", "--split", "all", "--model", models(), "--out", "blind"])
    assert (code, (workplace / "blind").exists()) == (2, False)
    assert "cannot see images" in capsys.readouterr().err


class Gallery(ToolEnv):
    """Tools beside an image."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Which colour?", "image": square("red")} for _ in range(3)]

    @tool
    def look(self) -> str:
        """Look again."""
        return "red"

    @reward
    def right(self, completion):
        return 1.0


def test_a_vision_model_here_calls_no_tools_and_says_so():
    from tiny_vision_models import tiny_vision_model

    from grpo_env_trl.inference.policy import TransformersPolicy

    with pytest.raises(UnusablePolicyError, match=r"calls no tools here while it sees images.*openai:"):
        evaluate(Gallery, TransformersPolicy(*tiny_vision_model("idefics3")), split="all")


def test_a_limit_of_tokens_holds_over_turns_with_images(seeing, workplace):
    assert main(["eval", "tests.images.pictures:Slides", "--model", str(seeing("qwen2-vl")), "--split", "all",
                 "--max-tokens", "5", "--out", "short"]) == 0  # fmt: skip
    for episode in open_run("short").episodes():
        assert all(len(ids) <= 5 for ids in episode.token_ids)
