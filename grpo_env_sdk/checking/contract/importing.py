"""Whether importing an environment does more than define it."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.processes.probes import start_probes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.envs.stand_in_tokenizer import StandInTokenizer

_HARMLESS = ("sets the environment variable", "removes the environment variable", "creates the folder")


@check("C130", severity="warning", needs=("rows",), ahead=start_probes)
def importing_has_no_side_effects(subject: Subject) -> Iterator[Finding]:
    """Importing it does not print, write, connect, seed, start or change anything."""
    for effect in start_probes(subject)[0].seen().get("effects", ()):
        severity: Severity = "info" if effect["what"].startswith(_HARMLESS) else "warning"
        message = f"Importing it {effect['what']} ({effect['place']})."
        yield Finding(message, "Move it into the constructor or a method.", severity=severity)


@check("C131", severity="warning", needs=())
def any_working_directory_will_do(subject: Subject) -> Iterator[Finding]:
    """It can be imported and built in any working directory."""
    error = subject.needs_folder
    if error is not None:
        hint = "Use a path relative to __file__, or importlib.resources: a training run starts in another directory."
        yield Finding(f"It works only in this working directory. In another one: {error.message}", hint)


@check("C132", severity="info", needs=("rows",))
def no_tokenizer_is_needed(subject: Subject) -> Iterator[Finding]:
    """`build_dataset` needs no tokenizer."""
    if isinstance(subject.loaded.tokenizer, StandInTokenizer):
        message = "build_dataset needs a tokenizer, so it was tested with a stand-in."
        yield Finding(message, "Return prompts as chat messages: the template of any model is then applied for you.")
