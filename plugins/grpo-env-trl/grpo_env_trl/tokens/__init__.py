"""Between messages and tokens: rendering with chat templates, and the transcript of one episode in tokens."""
