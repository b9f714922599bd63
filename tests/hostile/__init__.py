"""An attack on the SDK, kept as tests: what SECURITY.md claims of hostile code, servers, transcripts and folders."""
