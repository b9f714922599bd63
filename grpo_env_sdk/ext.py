"""The stable surface for people who extend the SDK: trainers, policies, adapters, hosts, checks and commands.

What is here and what is in `grpo_env_sdk` stays; everything else may change. Each name is imported when it is first
used, so that a plugin that names its hooks stays light.

| for | names |
| --- | --- |
| drivers, trainers | `drive`, `rollouts`, `Rollout`, `Job`, `jobs_for`, `LiveEpisode`, `Reset`, ... |
| hosts | `Host`, `HostFactory`, `ThreadHosts`, `ProcessHosts`, `EnvPool`, `CommandEncoder`, `encode_event` |
| pools | `PoolSpec`, `PoolFlag`, `WorkerSource`, `WorkerLink`, `WorkerLostError`, `ForkedWorkers`, `Frame` |
| policies | `Request`, `PolicyError`, `NoRoomError`, `UnusablePolicyError`, `LiveModel`, `PolicySpec`, `make_policy` |
| environments and adapters | `LoadedEnv`, `EnvDescription`, `Traits`, `ScoreRule`, `Rows`, `IsolatedGlobalState` |
| evaluations and runs | `Evaluator`, `EvalPlan`, `Metrics`, `RunWriter`, `create_run`, `resume_run`, `manifest_of` |
| checks | `check`, `Check`, `Subject`, `Settings`, `Finding`, `Undecided`, `Table`, `Plot`, `Severity` |
| commands | `Parser`, `Screen`, `say`, `print_json`, `print_table`, `UsageError`, `did_you_mean`, `read_file` |
"""

from typing import TYPE_CHECKING

from grpo_env_sdk.lazy_exports import lazy_exports as lazy_exports

if TYPE_CHECKING:
    from grpo_env_sdk.checking.check import Check, check
    from grpo_env_sdk.checking.evidence.playing.failures import failure_of
    from grpo_env_sdk.checking.evidence.subject import Settings, Subject
    from grpo_env_sdk.checking.findings.finding import Finding, Item, Severity, Undecided
    from grpo_env_sdk.checking.reports.history import last_tested
    from grpo_env_sdk.cli import INTERRUPTED
    from grpo_env_sdk.cli.config_file import read_file
    from grpo_env_sdk.cli.output import print_json, print_table, say
    from grpo_env_sdk.cli.parser import (
        BUILD_SECONDS,
        Parser,
        add_env_config,
        add_json,
        add_trust,
        number_above_0,
        whole_number,
    )
    from grpo_env_sdk.cli.screen import Screen, clock, facts_line, facts_table
    from grpo_env_sdk.data.images import IMAGE_COLUMNS, images_in
    from grpo_env_sdk.data.messages import (
        assistant_message,
        call_text,
        clean_prompt,
        completion_of,
        content_text,
        opening_messages,
        prompt_messages,
        readable_text,
        tool_calls_of,
    )
    from grpo_env_sdk.data.opening import row_messages
    from grpo_env_sdk.data.rows import SPLITS, Rows, Split
    from grpo_env_sdk.data.viewed import messages_read
    from grpo_env_sdk.envs.config import read_object
    from grpo_env_sdk.envs.description import EnvDescription
    from grpo_env_sdk.envs.loaded_env import LoadedEnv
    from grpo_env_sdk.envs.state import EnvState, give_state, state_of
    from grpo_env_sdk.envs.traits import Traits, toolbox_of
    from grpo_env_sdk.errors import (
        ConfigError,
        ContractError,
        DatasetError,
        EnvironmentFailedError,
        UsageError,
        did_you_mean,
    )
    from grpo_env_sdk.evaluation.compare import Comparison, compare
    from grpo_env_sdk.evaluation.evaluate import Evaluator
    from grpo_env_sdk.evaluation.flat_table import table_of_run
    from grpo_env_sdk.evaluation.heldout_text import (
        heldout_notes,
        heldout_rows,
        heldout_text,
        heldout_title,
        missing_rows,
    )
    from grpo_env_sdk.evaluation.metrics import Metrics, Prices
    from grpo_env_sdk.evaluation.plan import EvalPlan, manifest_of, package_versions, rows_asked
    from grpo_env_sdk.evaluation.row_rates import RowRates, row_rates
    from grpo_env_sdk.evaluation.score_again import score_again
    from grpo_env_sdk.evaluation.stats import mean_of
    from grpo_env_sdk.files.user_folders import cache_folder
    from grpo_env_sdk.flags_as_arguments import naming_arguments, with_arguments
    from grpo_env_sdk.hookspecs import PoolFlag, PoolSpec
    from grpo_env_sdk.images.image import as_image
    from grpo_env_sdk.isolation.author_code.arguments import suggesting_names
    from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
    from grpo_env_sdk.isolation.calls.command_process import end_is_reported
    from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool
    from grpo_env_sdk.isolation.calls.tracebacks import describe_error, one_line
    from grpo_env_sdk.isolation.loops.loop_thread import LoopThread
    from grpo_env_sdk.isolation.process_state.global_state import IsolatedGlobalState, exclusive, needs_isolation
    from grpo_env_sdk.isolation.processes.ending_signals import ending_signals, note_hangup, signals_interrupt
    from grpo_env_sdk.isolation.processes.env_pool import MOST_AFTER_DEATH, POOLS, EnvPool, PoolKind
    from grpo_env_sdk.isolation.processes.own_stdout import own_descriptor, own_stdout
    from grpo_env_sdk.isolation.values.env_values import redacted, references_in
    from grpo_env_sdk.isolation.values.state_values import RawArray
    from grpo_env_sdk.plain_text import command_line
    from grpo_env_sdk.policies.answer_limit import answer_within_limit
    from grpo_env_sdk.policies.builtin import GoldPolicy
    from grpo_env_sdk.policies.endpoint import without_credentials
    from grpo_env_sdk.policies.live_model import LiveModel
    from grpo_env_sdk.policies.make import PolicySpec, make_policy, user_spec
    from grpo_env_sdk.policies.openai_wire import error_text, is_overflow
    from grpo_env_sdk.policies.policy import NoRoomError, PolicyError, Request, UnusablePolicyError
    from grpo_env_sdk.policies.random_policy import RandomPolicy
    from grpo_env_sdk.policies.retry import RETRIED, Retries
    from grpo_env_sdk.registry.entry_points import version_of
    from grpo_env_sdk.registry.foreign import check_origin, is_installed, refuse_foreign
    from grpo_env_sdk.registry.lookup import import_by_path
    from grpo_env_sdk.registry.pools import plugin_pools, pool_flags, pool_names
    from grpo_env_sdk.registry.qualified import name_in_run, qualified
    from grpo_env_sdk.report.exhibits import Plot, Table
    from grpo_env_sdk.report.html import document, exhibit
    from grpo_env_sdk.rewards.completion_forms import form_hint
    from grpo_env_sdk.rewards.score_rule import RewardPart, ScoreRule
    from grpo_env_sdk.rewards.trl_functions import (
        TRL_ARGUMENTS,
        arguments_taken,
        asked_for,
        function_name,
        is_async,
        numbers_for,
        of_trl,
    )
    from grpo_env_sdk.rollout.commands import (
        AskUser,
        Command,
        Done,
        Event,
        Exhausted,
        Failed,
        Generate,
        Generated,
        HostCommand,
        HostEvent,
        Opened,
        Reset,
        RunTools,
        Scored,
        ScoreEpisode,
        Solve,
        Solved,
        Step,
        Stepped,
        ToolsRan,
        UserSaid,
        View,
        Viewed,
    )
    from grpo_env_sdk.rollout.described_env import load_for
    from grpo_env_sdk.rollout.driver import Rollout, RowSource, drive, jobs_for
    from grpo_env_sdk.rollout.encoding import CommandDecoder, CommandEncoder, Packet, decode_event, encode_event
    from grpo_env_sdk.rollout.episode import LiveEpisode
    from grpo_env_sdk.rollout.host import Host, HostFactory, Job
    from grpo_env_sdk.rollout.in_threads import rollouts
    from grpo_env_sdk.rollout.process_frames import Frame
    from grpo_env_sdk.rollout.process_host import ProcessHosts
    from grpo_env_sdk.rollout.process_order import check_pool
    from grpo_env_sdk.rollout.thread_host import ThreadHost, ThreadHosts
    from grpo_env_sdk.rollout.tools_per_row import tools_of_rows
    from grpo_env_sdk.rollout.user_model import UserSource, check_user, user_source
    from grpo_env_sdk.rollout.worker_channel import WorkerEndedError, WorkerLateError
    from grpo_env_sdk.rollout.worker_source import ForkedWorkers, WorkerLink, WorkerLostError, WorkerSource
    from grpo_env_sdk.rollout.worker_state import give_to_worker, state_in_worker
    from grpo_env_sdk.runs.continuing import RESUME_WITH, command_to_continue, recorded, training_continued
    from grpo_env_sdk.runs.differences import differences
    from grpo_env_sdk.runs.integrity import is_sealed, seal
    from grpo_env_sdk.runs.live_rows import LiveRow, LiveRows, ended_in, left_in, named_rows
    from grpo_env_sdk.runs.new_folders import check_free, new_folder, take_folder
    from grpo_env_sdk.runs.reading import MANIFEST, RunError
    from grpo_env_sdk.runs.running import is_running
    from grpo_env_sdk.runs.watcher import Watcher
    from grpo_env_sdk.runs.writing import RunWriter, check_idle, create_run, resume_run
    from grpo_env_sdk.tools.argument_types import convert
    from grpo_env_sdk.types import Fault, Schemas, Score, ToolOutcome, canonical_json, row_seed
    from grpo_env_sdk.views import ReadyView

_NAMES = {
    "checking.check": "Check check",
    "checking.evidence.playing.failures": "failure_of",
    "checking.evidence.subject": "Settings Subject",
    "checking.findings.finding": "Finding Item Severity Undecided",
    "checking.reports.history": "last_tested",
    "cli": "INTERRUPTED",
    "cli.config_file": "read_file",
    "cli.output": "print_json print_table say",
    "cli.parser": "BUILD_SECONDS Parser add_env_config add_json add_trust number_above_0 whole_number",
    "cli.screen": "Screen clock facts_line facts_table",
    "data.images": "IMAGE_COLUMNS images_in",
    "data.messages": (
        "assistant_message call_text clean_prompt completion_of content_text opening_messages prompt_messages "
        "readable_text tool_calls_of"
    ),
    "data.opening": "row_messages",
    "data.rows": "Rows SPLITS Split",
    "data.viewed": "messages_read",
    "envs.config": "read_object",
    "envs.description": "EnvDescription",
    "envs.loaded_env": "LoadedEnv",
    "envs.state": "EnvState give_state state_of",
    "envs.traits": "Traits toolbox_of",
    "errors": "ConfigError ContractError DatasetError EnvironmentFailedError UsageError did_you_mean",
    "evaluation.compare": "Comparison compare",
    "evaluation.evaluate": "Evaluator",
    "evaluation.flat_table": "table_of_run",
    "evaluation.heldout_text": "heldout_notes heldout_rows heldout_text heldout_title missing_rows",
    "evaluation.metrics": "Metrics Prices",
    "evaluation.plan": "EvalPlan manifest_of package_versions rows_asked",
    "evaluation.row_rates": "RowRates row_rates",
    "evaluation.score_again": "score_again",
    "evaluation.stats": "mean_of",
    "hookspecs": "PoolFlag PoolSpec",
    "images.image": "as_image",
    "isolation.processes.env_pool": "MOST_AFTER_DEATH POOLS EnvPool PoolKind",
    "flags_as_arguments": "naming_arguments with_arguments",
    "isolation.author_code.arguments": "suggesting_names",
    "isolation.calls.async_calls": "run_coroutine",
    "isolation.calls.command_process": "end_is_reported",
    "isolation.values.env_values": "redacted references_in",
    "isolation.process_state.global_state": "IsolatedGlobalState exclusive needs_isolation",
    "isolation.loops.loop_thread": "LoopThread",
    "isolation.processes.ending_signals": "ending_signals note_hangup signals_interrupt",
    "isolation.processes.own_stdout": "own_descriptor own_stdout",
    "isolation.values.state_values": "RawArray",
    "isolation.calls.thread_pool": "ThreadPool",
    "isolation.calls.tracebacks": "describe_error one_line",
    "policies.answer_limit": "answer_within_limit",
    "policies.builtin": "GoldPolicy",
    "policies.endpoint": "without_credentials",
    "policies.live_model": "LiveModel",
    "policies.make": "PolicySpec make_policy user_spec",
    "policies.openai_wire": "error_text is_overflow",
    "policies.policy": "NoRoomError PolicyError Request UnusablePolicyError",
    "policies.random_policy": "RandomPolicy",
    "policies.retry": "RETRIED Retries",
    "registry.entry_points": "version_of",
    "registry.foreign": "check_origin is_installed refuse_foreign",
    "registry.lookup": "import_by_path",
    "registry.pools": "plugin_pools pool_flags pool_names",
    "registry.qualified": "name_in_run qualified",
    "report.exhibits": "Plot Table",
    "report.html": "document exhibit",
    "plain_text": "command_line",
    "rewards.completion_forms": "form_hint",
    "rewards.score_rule": "RewardPart ScoreRule",
    "rewards.trl_functions": "TRL_ARGUMENTS arguments_taken asked_for function_name is_async numbers_for of_trl",
    "rollout.commands": (
        "AskUser Command Done Event Exhausted Failed Generate Generated HostCommand HostEvent Opened Reset RunTools "
        "ScoreEpisode Scored Solve Solved Step Stepped ToolsRan UserSaid View Viewed"
    ),
    "rollout.described_env": "load_for",
    "rollout.driver": "Rollout RowSource drive jobs_for",
    "rollout.encoding": "CommandDecoder CommandEncoder Packet decode_event encode_event",
    "rollout.episode": "LiveEpisode",
    "rollout.host": "Host HostFactory Job",
    "rollout.in_threads": "rollouts",
    "rollout.process_frames": "Frame",
    "rollout.process_host": "ProcessHosts",
    "rollout.process_order": "check_pool",
    "rollout.worker_channel": "WorkerEndedError WorkerLateError",
    "rollout.tools_per_row": "tools_of_rows",
    "rollout.thread_host": "ThreadHost ThreadHosts",
    "rollout.user_model": "UserSource check_user user_source",
    "rollout.worker_source": "ForkedWorkers WorkerLink WorkerLostError WorkerSource",
    "rollout.worker_state": "give_to_worker state_in_worker",
    "files.user_folders": "cache_folder",
    "runs.continuing": "RESUME_WITH command_to_continue recorded training_continued",
    "runs.differences": "differences",
    "runs.integrity": "is_sealed seal",
    "runs.live_rows": "LiveRow LiveRows ended_in left_in named_rows",
    "runs.reading": "MANIFEST RunError",
    "runs.watcher": "Watcher",
    "runs.new_folders": "check_free new_folder take_folder",
    "runs.running": "is_running",
    "runs.writing": "RunWriter check_idle create_run resume_run",
    "tools.argument_types": "convert",
    "types": "Fault Schemas Score ToolOutcome canonical_json row_seed",
    "views": "ReadyView",
}
"""Which module has which names."""
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "BUILD_SECONDS", "IMAGE_COLUMNS", "INTERRUPTED", "MANIFEST", "MOST_AFTER_DEATH", "POOLS", "RESUME_WITH", "RETRIED",
    "SPLITS", "TRL_ARGUMENTS", "AskUser", "Check", "Command", "CommandDecoder", "CommandEncoder", "Comparison",
    "ConfigError", "ContractError", "DatasetError", "Done", "EnvDescription", "EnvPool", "EnvState",
    "EnvironmentFailedError", "EvalPlan", "Evaluator", "Event", "Exhausted", "Failed", "Fault", "Finding",
    "ForkedWorkers", "Frame", "Generate", "Generated", "GoldPolicy", "Host", "HostCommand", "HostEvent", "HostFactory",
    "IsolatedGlobalState", "Item", "Job", "LiveEpisode", "LiveModel", "LiveRow", "LiveRows", "LoadedEnv", "LoopThread",
    "Metrics", "NoRoomError", "Opened", "Packet", "Parser", "Plot", "PolicyError", "PolicySpec", "PoolFlag", "PoolKind",
    "PoolSpec", "Prices", "ProcessHosts", "RandomPolicy", "RawArray", "ReadyView", "Request", "Reset", "Retries",
    "RewardPart", "Rollout", "RowRates", "RowSource", "Rows", "RunError", "RunTools", "RunWriter", "Schemas", "Score",
    "ScoreEpisode", "ScoreRule", "Scored", "Screen", "Settings", "Severity", "Solve", "Solved", "Split", "Step",
    "Stepped", "Subject", "Table", "ThreadHost", "ThreadHosts", "ThreadPool", "ToolOutcome", "ToolsRan", "Traits",
    "Undecided", "UnusablePolicyError", "UsageError", "UserSaid", "UserSource", "View", "Viewed", "Watcher",
    "WorkerEndedError", "WorkerLateError", "WorkerLink", "WorkerLostError", "WorkerSource", "add_env_config",
    "add_json", "add_trust", "answer_within_limit", "arguments_taken", "as_image", "asked_for", "assistant_message",
    "cache_folder", "call_text", "canonical_json", "check", "check_free", "check_idle", "check_origin", "check_pool",
    "check_user", "clean_prompt", "clock", "command_line", "command_to_continue", "compare", "completion_of",
    "content_text", "convert", "create_run", "decode_event", "describe_error", "did_you_mean", "differences",
    "document", "drive", "encode_event", "end_is_reported", "ended_in", "ending_signals", "error_text", "exclusive",
    "exhibit", "facts_line", "facts_table", "failure_of", "form_hint", "function_name", "give_state", "give_to_worker",
    "heldout_notes", "heldout_rows", "heldout_text", "heldout_title", "images_in", "import_by_path", "is_async",
    "is_installed", "is_overflow", "is_running", "is_sealed", "jobs_for", "last_tested", "lazy_exports", "left_in",
    "load_for", "make_policy", "manifest_of", "mean_of", "messages_read", "missing_rows", "name_in_run", "named_rows",
    "naming_arguments", "needs_isolation", "new_folder", "note_hangup", "number_above_0", "numbers_for", "of_trl",
    "one_line", "opening_messages", "own_descriptor", "own_stdout", "package_versions", "plugin_pools", "pool_flags",
    "pool_names", "print_json", "print_table", "prompt_messages", "qualified", "read_file", "read_object",
    "readable_text", "recorded", "redacted", "references_in", "refuse_foreign", "resume_run", "rollouts",
    "row_messages", "row_rates", "row_seed", "rows_asked", "run_coroutine", "say", "score_again", "seal",
    "signals_interrupt", "state_in_worker", "state_of", "suggesting_names", "table_of_run", "take_folder",
    "tool_calls_of", "toolbox_of", "tools_of_rows", "training_continued", "user_source", "user_spec", "version_of",
    "whole_number", "with_arguments", "without_credentials",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would exist for type checkers
    __getattr__, __dir__ = lazy_exports("grpo_env_sdk", _HOMES, __name__)
