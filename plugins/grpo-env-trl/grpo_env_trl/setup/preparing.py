"""What a training needs before the model is loaded: environment, rows, tokenizer, arguments."""

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from grpo_env_sdk import Sampling, open_run
from grpo_env_sdk.ext import (
    RESUME_WITH,
    EvalPlan,
    LoadedEnv,
    PolicySpec,
    Rows,
    UsageError,
    new_folder,
    package_versions,
    recorded,
)
from grpo_env_trl import ranks
from grpo_env_trl.bridges.dataset import shows_images, training_split
from grpo_env_trl.continuing import resume_flags
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.launching.without_gpu import train_together_on_cpu
from grpo_env_trl.models.loading import open_model, open_processor, open_tokenizer
from grpo_env_trl.models.source import ModelSource, find_model
from grpo_env_trl.outside_rewards.outside_reward import KINDS, OutsideReward, outside_rewards
from grpo_env_trl.outside_rewards.reference import function_reference, model_reference
from grpo_env_trl.progress import Progress
from grpo_env_trl.serving.gpus import GpuSplit, keep_for_training
from grpo_env_trl.settings import TrainSettings, config_text, resolved
from grpo_env_trl.settings.batch_sizes import sizes_for_rows
from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.settings.fields import trainer_fields
from grpo_env_trl.setup.arguments import default_arguments, grpo_config, model_arguments
from grpo_env_trl.setup.async_arguments import async_config
from grpo_env_trl.setup.chosen_rows import KEY, ChosenRows, row_choice_of, with_chosen_rows
from grpo_env_trl.setup.home import Home
from grpo_env_trl.setup.loading import check_solvable, check_split, name_asked, trained_envs
from grpo_env_trl.setup.manifest import manifest_of_envs, written
from grpo_env_trl.setup.trained_env import TrainedEnv
from grpo_env_trl.tokens.tokenizers import is_processor, text_tokenizer

DEMO = "demo"
RUNS = Path("runs")
_VERSIONS = ("grpo-env-trl", "trl", "transformers", "torch", "peft", "accelerate", "vllm")


@dataclass
class TrainingSetup:
    """One training before it starts: its settings, environment, folder, tokenizer and TRL arguments."""

    settings: TrainSettings
    envs: tuple[TrainedEnv, ...]
    """The environments; `loaded` and `rows` are those of the first."""
    folder: Path
    model: Any = None
    """A model that the caller loaded, or the demo model once it is built."""
    tokenizer: Any = None
    max_turn_tokens: int | None = None
    """The most tokens of a turn: the setting, else that of the demo model once it is built."""
    outside: tuple[OutsideReward, ...] = ()
    """Reward functions and models from outside the environment."""

    chosen: ChosenRows | None = None
    """How the rows were chosen by `--rows-of`."""

    fitted: str = ""
    """Which sizes were changed to fit few rows, in a sentence."""

    gpus: GpuSplit | None = None
    """The GPUs of vLLM servers that the training starts, and its own."""
    server_urls: tuple[str, ...] = ()
    """The vLLM servers, where there are several or the training starts them."""
    server_contexts: dict[str, int] = field(default_factory=dict)
    """How many tokens each vLLM server reads at most; the preflight asks them."""

    home: Home = field(default_factory=Home)
    """What environment code should leave as it was when the command began."""

    def __post_init__(self) -> None:
        self.demo = self.settings.model is None and self.model is None

    @property
    def loaded(self) -> LoadedEnv:
        """The environment, or the first of several."""
        return self.envs[0].loaded

    @property
    def several(self) -> bool:
        """Whether there is more than one environment."""
        return len(self.envs) > 1

    @property
    def env_name(self) -> str:
        """The id of the environment, or all of them with their weights."""
        return written(self.envs) if self.several else self.loaded.spec.id

    @property
    def rows(self) -> Rows:
        """The rows to train on."""
        return self.envs[0].rows

    @property
    def row_count(self) -> int:
        """How many rows there are to train on, in all environments."""
        return sum(len(env.rows) for env in self.envs)

    @cached_property
    def source(self) -> ModelSource | None:
        """Where the model is; None for the demo model and for one that the caller loaded."""
        if self.settings.model is None or self.model is not None:
            return None
        return find_model(self.settings.model, revision=self.settings.model_config.get("model_revision"))

    @cached_property
    def processor(self) -> Any:
        """The processor of a vision model where the rows show images, else None; an error if the model sees none."""
        if self.several or not shows_images(self.rows):
            return None
        if is_processor(self.tokenizer):
            return self.tokenizer
        if self.source is None:
            who, hint = ("a tokenizer alone", "Pass its processor: tokenizer=AutoProcessor.from_pretrained(MODEL).")
            if self.demo:
                who, hint = "the demo model", "Use a vision model: --model Qwen/Qwen2.5-VL-3B-Instruct."
            raise UsageError(f"{self.loaded.spec.id} shows images, which {who} cannot see.", hint)
        return open_processor(self.source, trust_remote_code=self.trusts_code)

    @cached_property
    def args(self) -> Any:
        """TRL's `GRPOConfig`; the demo model ignores the default `beta` of `--rl-env-module`: no reference."""
        settings = self.settings
        usual_beta = self.demo and settings.sources.get("beta") == "dialect"
        asked = {name: value for name, value in settings.grpo.items() if not (usual_beta and name == "beta")}
        return grpo_config(asked, self.demo, self.folder)

    @cached_property
    def async_args(self) -> Any:
        """TRL's `AsyncGRPOConfig`, for `--trainer async`."""
        return async_config(self.settings, self.demo, self.folder)

    @cached_property
    def model_args(self) -> Any:
        """TRL's `ModelConfig`: adapters, quantization, dtype."""
        return model_arguments(self.settings.model_config, self.demo)

    @property
    def trusts_code(self) -> bool:
        """Whether code of a model's repository may run."""
        return bool(getattr(self.args, "trust_remote_code", False))

    def sampling_params(self) -> SamplingParams:
        """How the model is sampled, in training and on held-out rows."""
        args = self.args
        return SamplingParams(
            args.temperature, args.top_p, args.top_k, args.repetition_penalty,
            self.max_turn_tokens, args.max_completion_length, args.chat_template_kwargs,
            args.min_p or 0.0,
        )  # fmt: skip

    def make_demo(self, progress: Progress, checkpoint: Path | None = None) -> None:
        """Build the demo model and its tokenizer from the environment's own solutions, or load a checkpoint's."""
        if checkpoint:
            opened = open_model(str(checkpoint), device="cpu")
            self.model, self.tokenizer = opened.model.train(), opened.tokenizer
            kept = open_run(self.folder).manifest["training"].get("max_turn_tokens")
            self.max_turn_tokens = self.settings.max_turn_tokens or kept
            return
        from grpo_env_trl.demo import TRIAL_STEPS, make_demo_model

        def text(what: str, done: int, of: int) -> None:
            progress(f"building the demo model, {what}", done, of)

        progress("building the demo model: a minute or more where its weights are not kept yet", 0, 0)
        first, *others = [(env.loaded, env.rows) for env in self.envs]
        seed, trial = self.args.seed, 0 < self.args.max_steps < TRIAL_STEPS
        made = ranks.from_first(lambda: make_demo_model(*first, others=others, seed=seed, progress=text, trial=trial))
        self.model, self.tokenizer = made.model, made.tokenizer
        self.max_turn_tokens = self.settings.max_turn_tokens or made.max_turn_tokens

    @property
    def model_name(self) -> str:
        """The name of the model in reports and manifests."""
        if self.demo:
            return DEMO
        return self.settings.model or getattr(self.model.config, "_name_or_path", "") or type(self.model).__name__

    def open_tokenizer(self) -> None:
        """Load the tokenizer, and give it to the environment before its rows are built."""
        if self.tokenizer is None and self.source is not None:
            revision = self.settings.model_config.get("model_revision")
            self.tokenizer = open_tokenizer(self.source, revision=revision, trust_remote_code=self.trusts_code)
        if self.tokenizer is not None:
            text_tokenizer(self.tokenizer).padding_side = "left"
            for env in self.envs:
                env.loaded.tokenizer = copy.deepcopy(self.tokenizer)  # its code may set it up as it likes

    def fit_batch(self) -> None:
        """Change sizes that the user did not set where there are fewer rows than a batch needs."""
        there, args, settings = len(self.rows), self.args, self.settings
        if self.several or there >= args.generation_batch_size // args.num_generations:
            return
        asked = {name: value for name, value in settings.grpo.items() if settings.sources.get(name) != "dialect"}
        fitting = sizes_for_rows(there, asked, {**default_arguments(self.demo), **settings.grpo})
        if not fitting:
            return
        sources = {**settings.sources, **dict.fromkeys(fitting, f"rows: {there}")}
        self.settings = replace(settings, grpo={**settings.grpo, **fitting}, sources=sources)
        del self.args
        told = ", ".join(f"{flag_of(name)} {value}" for name, value in fitting.items())
        few = "There is 1 row" if there == 1 else f"There are {there} rows"
        self.fitted = f"{few} to train on, fewer than a batch has prompts. Adapted: {told}."

    def share_folder(self) -> None:
        """Use the run folder that the first process chose."""
        if ranks.started_together() > 1 and self.args.device:  # looking at the device sets up torch.distributed
            ranks.begin_signs(self.args.ddp_timeout)
            here, of_first = Path.cwd(), ranks.from_first(lambda: (Path.cwd(), self.folder))
            self.folder = of_first[1] if of_first[0] == here else of_first[0] / of_first[1]
            self.args.output_dir = str(self.folder / "checkpoints")

    def manifest(self) -> dict[str, Any]:
        """The manifest of the run."""
        args, settings = self.args, self.settings
        sampling = Sampling(args.temperature, args.top_p, seed=args.seed)
        plans = [
            EvalPlan(
                policy=PolicySpec(self.model_name), split=training_split(env.loaded, settings.eval_rows),
                rows=settings.rows, samples=args.num_generations, sampling=sampling, limits=settings.limits,
            )
            for env in self.envs
        ]  # fmt: skip
        training = {
            **default_arguments(self.demo), **settings.grpo, **settings.model_config, **asdict(self.sampling_params()),
            "model": None if self.demo else self.model_name, "demo": self.demo, "bridge": settings.bridge,
        }  # fmt: skip
        if self.chosen:
            training[KEY] = self.chosen.as_json()
        found = manifest_of_envs(self.envs, plans)
        rewards = [reward.as_json() for reward in self.outside]
        if flags := recorded(resume_flags(settings)):
            found[RESUME_WITH] = flags
        return {**found, "training": training, "reward_funcs": rewards, "versions": package_versions(*_VERSIONS)}

    def resolved(self) -> dict[str, Any]:
        """Every setting of the run: what the user set, then our defaults, then TRL's."""
        fields = trainer_fields().values()
        usual = {one.name: one.default for one in fields if one.part == "grpo" and one.default is not None}
        usual.pop("output_dir", None)
        named = {kind: [one.written for one in self.outside if one.kind == kind and one.reference] for kind in KINDS}
        one = "" if self.several else self.settings.env or self.loaded.spec.id
        settings = replace(
            self.settings, env=one, reward_func=tuple(named["function"]),
            reward_model=tuple(named["model"]),
        )  # fmt: skip
        return resolved(settings, {**usual, **default_arguments(self.demo)})

    def config_text(self) -> str:
        """Every setting of the run, as YAML for `--config`."""
        return config_text(self.resolved(), self.settings.sources)


def prepare(
    settings: TrainSettings, folder: Path | None = None, model: Any = None, tokenizer: Any = None, env: Any = None,
    reward_funcs: Sequence[Any] = (), reward_tokenizers: Sequence[Any] = (),
) -> TrainingSetup:  # fmt: skip
    """Load the environment and reward functions, then find the model; a wrong name raises before torch is imported."""
    check_split(settings.eval_split)
    train_together_on_cpu(settings)
    home = Home()
    folder = folder or Path(settings.resume or settings.out or new_folder(RUNS, f"{name_asked(settings, env)}-train"))
    envs = trained_envs(settings, env, tokenizer)
    choice = row_choice_of(settings, envs)
    weights = settings.grpo.get("reward_weights")
    grpo = {name: value for name, value in settings.grpo.items() if name != "reward_weights"}
    made = TrainingSetup(
        replace(settings, grpo=grpo), envs, folder, model, tokenizer, settings.max_turn_tokens, home=home
    )
    made.server_urls = settings.vllm_server_url
    if settings.vllm_server_gpus:
        made.gpus = keep_for_training(
            settings.vllm_server_gpus, int(settings.grpo.get("vllm_tensor_parallel_size") or 1)
        )
    made.outside = outside_rewards(
        [
            *reward_funcs, *map(function_reference, settings.reward_func), *map(model_reference, settings.reward_model),
        ],
        weights, lambda: made.args.max_completion_length, reward_tokenizers,
    )  # fmt: skip
    if made.demo:
        check_solvable(envs)
    made.open_tokenizer()
    home.go_back(made.env_name)
    made.share_folder()
    made.settings, made.chosen = with_chosen_rows(made.settings, envs[0], choice)
    home.go_back(made.env_name)
    return made
