"""What `evaluate` calls the flags of `grpo-env eval`."""

ARGUMENTS = {
    name: name for name in (
        "split", "rows", "samples", "concurrency", "max_errors", "pass_at", "by", "cluster", "prices", "out",
        "base_url", "tokenizer", "env_pool", "env_workers", "env_memory",
    )
} | {
    "model": "policy", "env_config": "config", "user_model": "user", "user_base_url": "user=PolicySpec(NAME, URL)",
    "resume": "resume=True",
    "max_tokens": "sampling=Sampling(max_tokens=...)", "limit_call": "limits=Limits(call_seconds=...)",
    "limit_episode": "limits=Limits(episode_seconds=...)",
}  # fmt: skip
