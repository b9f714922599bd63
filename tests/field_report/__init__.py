"""`grpo-env test` over the environments of others, and what came of it: docs/field-report.md."""
