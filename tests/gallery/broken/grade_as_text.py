"""Label a review of a pull request."""

GRADES = {
    ("approve", "approve"): 1.0,
    ("approve", "comment"): 0.3,
    ("comment", "comment"): 1.0,
    ("comment", "approve"): 0.2,
    ("comment", "reject"): "0.2",
    ("reject", "reject"): 1.0,
    ("reject", "comment"): 0.3,
}
REVIEWS = {
    "approve": ["Ship it.", "All good, thanks!", "Nice and small, merge away.", "Tests pass and I like the names."],
    "comment": ["Why not use a dict here?", "Could this be shorter?", "What happens when n is 0?", "Rename it?"],
    "reject": ["This deletes user data.", "The lock is never released.", "Login fails.", "Half is missing."],
}


class Reviews:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"A reviewer wrote: {text!r}. One word: approve, comment or reject.", "label": label}
            for label, texts in REVIEWS.items()
            for text in texts
        ]

    def score_episode(self, model, tokenizer, completion, label):
        return GRADES.get((label, completion.strip().lower()), 0.0)

    def solve(self, row):
        return row["label"]
