"""The checks of a chat template: what it cannot carry is told with its row, and what it can is let be."""

import importlib.resources
import shutil

import pytest
from environments import rows
from tiny_models import CONTEXT, save_tiny_model, tiny_tokenizer

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.evidence.playing.settings import Settings
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Table, Undecided
from grpo_env_sdk.checking.runner.worker import found_by
from grpo_env_sdk.cli import main
from grpo_env_sdk.types import EnvSpec
from grpo_env_trl.checks import TEMPLATE_CHECKS

IDS = [check.id for check in TEMPLATE_CHECKS]


class Sums(ToolEnv):
    """Sound: add by a tool, in two turns or three."""

    def build_dataset(self, tokenizer):
        return [{**row, "prompt": f'Add {row["place"]} and 2. It\'s "easy".'} for row in rows(12)]

    @tool
    def add(self, x: int, y: int) -> str:
        """Add two numbers.

        Args:
            x: One.
            y: The other.
        """
        return f"{x + y}"

    @reward
    def right(self, messages, place):
        return float(messages[-1]["content"] == str(place + 2))

    def solve(self, row):
        yield call_message("add", x=row["place"], y=2)
        yield str(row["place"] + 2)


class TwoAtOnce(Sums):
    """Makes two calls in one message."""

    def solve(self, row):
        both = [call_message("add", x=row["place"], y=n)["tool_calls"][0] for n in (1, 2)]
        yield {"role": "assistant", "content": "", "tool_calls": both}
        yield str(row["place"] + 2)


class Words:
    """One turn, whose prompts are given."""

    def __init__(self, prompts=("Say yes.",), answer="yes"):
        self.prompts, self.answer = list(prompts), answer

    def build_dataset(self, tokenizer):
        return [{"prompt": prompt, "answer": self.answer} for prompt in self.prompts]

    def score_episode(self, model, tokenizer, completion, answer):
        said = completion if isinstance(completion, str) else completion[-1]["content"]
        return float(said == answer)

    def solve(self, row):
        return row["answer"]


class SchemasOnly(Words):
    """Describes a tool that nobody runs."""

    def get_tools(self):
        return [{"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {}}}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a tokenizer of a family, its template changed if wished."""
    made = {}

    def saved(family="qwen3", change=lambda template: template):
        key = (family, change(tiny_tokenizer(family).chat_template))
        if key not in made:
            tokenizer = tiny_tokenizer(family)
            tokenizer.chat_template = key[1]
            made[key] = tmp_path_factory.mktemp("tokenizers") / family
            tokenizer.save_pretrained(made[key])
        return str(made[key])

    return saved


def told(cls, model, **config):
    """What all checks say."""
    name = f"{cls.__module__}:{cls.__qualname__}"
    settings = Settings("quick", call_seconds=5.0, model=model)
    subject = Subject(EnvSpec(name, name, config=config), settings, create=cls)
    return [item for check in TEMPLATE_CHECKS for item in found_by(check, subject)]


def findings(items):
    return [(item.check, item.severity) for item in items if isinstance(item, Finding)]


@pytest.mark.parametrize("family", ["qwen2.5", "llama3.2"])
@pytest.mark.parametrize("cls", [Sums, Words])
def test_nothing_is_found_where_all_fits(folder, family, cls):
    items = told(cls, folder(family))
    assert findings(items) == []
    assert [type(item) for item in items] == [Table]


def test_the_table_counts_tokens_and_those_of_the_tools(folder):
    (table,) = [item for item in told(Sums, folder("qwen2.5")) if isinstance(item, Table)]
    assert [row[:2] for row in table.rows] == [["prompts, with the tools", 12],
                                               ["solutions, with observations", 6]]  # fmt: skip
    assert table.note.startswith("The list of tools takes ")
    assert int(table.note.split()[5].replace(",", "")) > 300


def test_a_template_that_a_server_renders_otherwise_is_worth_knowing(folder):
    (finding,) = [item for item in told(Sums, folder("qwen3")) if isinstance(item, Finding)]
    assert (finding.check, finding.severity) == ("M803", "info")
    assert "A server that uses the model's own template renders earlier turns differently" in finding.message
    assert "<think>" in finding.message


def test_tools_that_a_template_does_not_know_are_an_error_and_the_rest_is_undecided(folder):
    items = told(Sums, folder("gemma3"))
    assert findings(items) == [("M801", "error")]
    assert "cannot render tool calls, and this environment runs tools." in items[0].message
    assert {check for item in items if isinstance(item, Undecided) for check in item.checks} == set(IDS[1:])


def test_tools_that_are_only_described_are_a_warning(folder):
    items = told(SchemasOnly, folder("gemma3"))
    assert findings(items) == [("M801", "warning")]
    assert "cannot render tools, so the model never reads of the 1 that the environment describes." in items[0].message


def test_a_prompt_that_the_template_refuses_is_named(folder):
    asked = {"role": "user", "content": "Say yes."}
    items = told(Words, folder("gemma3"), prompts=[[asked], [asked, asked], [asked]])
    (finding,) = [item for item in items if isinstance(item, Finding)]
    assert (finding.check, finding.severity, finding.row) == ("M802", "error", 1)
    assert finding.message.startswith("The chat template rejects the prompts of 1 of 3 rows: Conversation roles must")


def test_a_message_that_the_template_drops_is_named(folder):
    asked = [{"role": "user", "content": "Say yes."}]
    rule = {"role": "developer", "content": "Say it in capitals."}
    items = told(Words, folder("qwen3"), prompts=[asked, [rule, *asked], [{**rule, "role": "system"}, *asked]])
    (finding,) = [item for item in items if isinstance(item, Finding)]
    assert (finding.check, finding.severity, finding.row) == ("M802", "error", 1)
    assert "drops messages of role 'developer': the model never reads 'Say it in capitals.'" in finding.message
    assert "'system'" in finding.hint


def test_a_template_may_leave_out_the_thoughts_of_earlier_turns(folder):
    thought = {"role": "assistant", "content": "<think>Hm.</think>Which word?"}
    prompt = [{"role": "user", "content": "A word."}, thought, {"role": "user", "content": "Yes."}]
    assert findings(told(Words, folder("qwen3"), prompts=[prompt])) == []


def test_an_episode_that_the_template_refuses_is_named(folder):
    def change(template):
        return template.replace("{%- for message in messages", "{%- if messages|length > 3 %}{{ raise_exception('Too "
                                "long.') }}{% endif %}{%- for message in messages", 1)  # fmt: skip

    (finding,) = [item for item in told(Sums, folder("qwen2.5", change)) if isinstance(item, Finding)]
    assert (finding.check, finding.severity, finding.row) == ("M803", "error", 0)
    assert finding.message.startswith("The chat template accepts the prompt of an episode but rejects the rest: ")


def test_a_bare_tokenizer_carries_bare_text_and_no_chat(tmp_path):
    tokenizer = tiny_tokenizer("qwen3")
    tokenizer.chat_template = None
    tokenizer.save_pretrained(tmp_path)
    assert findings(told(Words, str(tmp_path))) == []
    chat = told(Words, str(tmp_path), prompts=[[{"role": "user", "content": "Say yes."}]])
    assert findings(chat) == [("M801", "error")]
    assert "has no chat template, and this environment uses chat messages." in chat[0].message


def test_calls_that_do_not_come_back_are_an_error(folder):
    def change(template):
        return template.replace("tool_call.arguments | tojson", "{'x': 1} | tojson")

    items = [item for item in told(TwoAtOnce, folder("qwen2.5", change)) if isinstance(item, Finding)]
    assert ("M804", "error") in findings(items) or ("M801", "error") in findings(items), items


def test_a_turn_that_the_template_cannot_write_is_an_error(folder):
    items = told(TwoAtOnce, folder("llama3.2"))
    (finding,) = [item for item in items if isinstance(item, Finding)]
    assert (finding.check, finding.severity) == ("M804", "error")
    assert finding.message.startswith("The template cannot write turn 1 of the solution: [('add'")


def test_words_that_the_template_changes_are_a_warning(folder):
    def change(template):
        return template.replace("message.content +", "message.content ~ ' Yes?' +")

    items = [item for item in told(Words, folder("qwen2.5", change)) if isinstance(item, Finding)]
    assert findings(items) == [("M804", "warning")]
    assert "'yes' becomes 'yes Yes?'" in items[0].message


@pytest.mark.parametrize(("prompt", "answer", "severity", "message"), [
    ("a" * (CONTEXT + 1), "yes", "error", f"The prompts of 1 of 2 rows are longer than the context of {CONTEXT:,}"),
    ("Say yes.", "y" * CONTEXT, "error", "The solution of row "),
    ("Say yes.", "y" * 600, "info", "The solution of row 0 needs 601 tokens, observations included"),
])  # fmt: skip
def test_what_does_not_fit_is_told(folder, prompt, answer, severity, message):
    items = told(Words, folder("qwen2.5"), prompts=["Say it.", prompt], answer=answer)
    found = [item for item in items if isinstance(item, Finding) and item.check == "M805"]
    assert (found[0].severity, found[0].message.startswith(message)) == (severity, True), found


@pytest.mark.parametrize(("prompt", "severity", "message"), [
    ("Say yes.<|im_end|>", "error", "The prompt of row 0 contains '<|im_end|>', which ends a turn"),
    ("What does <|im_start|> mean?", "warning",
     "The prompt of row 0 contains '<|im_start|>', which is a special token"),
])  # fmt: skip
def test_special_tokens_in_prompts_are_told(folder, prompt, severity, message):
    (finding,) = [item for item in told(Words, folder("qwen2.5"), prompts=[prompt]) if isinstance(item, Finding)]
    assert (finding.check, finding.severity) == ("M806", severity)
    assert finding.message.startswith(message)


def test_special_tokens_of_a_prompt_that_is_rendered_already_are_as_they_should_be(folder):
    prompt = "<|im_start|>user\nSay yes.<|im_end|>\n<|im_start|>assistant\n"
    items = told(Words, folder("qwen2.5"), prompts=[prompt])
    assert not [item for item in items if isinstance(item, Finding)]
    (table,) = [item for item in items if isinstance(item, Table)]
    assert table.rows[0][:2] == ["prompts, with the tools", 1]
    assert table.rows[0][2] == len("suser\nSay yes.e\nsassistant\n")  # read once, not wrapped again


def test_a_config_that_cannot_be_read_leaves_the_length_undecided(folder, tmp_path):
    model = shutil.copytree(folder("qwen2.5"), tmp_path / "model")
    (model / "config.json").write_text("{}")
    (undecided,) = [item for item in told(Words, str(model)) if isinstance(item, Undecided)]
    assert undecided.why.startswith("The config of ")


def test_without_a_model_nothing_is_known_and_the_group_is_not_run():
    items = told(Words, None)
    assert {type(item) for item in items} == {Undecided}
    assert {item.why for item in items} == {"No --model is given, so there is no chat template to check."}
    assert "template" not in {check.group for check in selected(effort="thorough")}
    assert set(IDS) <= {check.id for check in selected(template=True)}
    assert [check.id for check in selected(["template"])] == IDS


def test_a_model_that_is_nowhere_is_an_error():
    items = told(Words, "no/such/folder/at/all")
    assert findings(items) == [("M801", "error")]
    assert "There is no folder 'no/such/folder/at/all'" in items[0].message


@pytest.mark.parametrize(("model", "told"), [
    ("no/such/folder", "There is no folder 'no/such/folder', which looks like a path."),
    ("empty", "/empty' cannot be loaded: there is none of tokenizer.json"),
])  # fmt: skip
def test_the_command_refuses_a_model_that_is_none_before_anything_runs(tmp_path, monkeypatch, capsys, model, told):
    (tmp_path / "empty").mkdir()
    (tmp_path / "asked.py").write_text("raise AssertionError('imported')\n")
    monkeypatch.chdir(tmp_path)
    assert main(["test", "asked:Asks", "--model", model]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_the_command_takes_the_folder_of_a_model(tmp_path, monkeypatch, capsys):
    save_tiny_model("qwen2.5", tmp_path / "tiny")
    (tmp_path / "asked.py").write_text(
        "class Asks:\n"
        "    def build_dataset(self, tokenizer):\n"
        "        return [{'prompt': f'Say {n}.'} for n in range(5)]\n"
        "    def score_episode(self, model, tokenizer, completion):\n"
        "        return float('1' in completion)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    code = main(["test", "asked:Asks", "--select", "template", "--model", "tiny", "--quick", "--env-pool=thread", "-v"])
    said = capsys.readouterr().out
    assert code == 0, said
    assert all(id in said for id in IDS)
    assert "Tokens of this model (M805)" in said


def test_the_templates_of_the_families_are_those_of_trl():
    templates = importlib.resources.files("trl") / "chat_templates"
    assert (templates / "qwen3.jinja").read_text(encoding="utf-8") == tiny_tokenizer("qwen3").chat_template
