"""Write a palindrome that begins with a letter; nobody wrote down the answers."""


class Palindromes:
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"A palindrome of {size} letters that begins with {letter}?", "letter": letter, "size": size}
            for letter in "abcdefgh"
            for size in (5, 6, 7)
        ]

    def score_episode(self, model, tokenizer, completion, letter, size):
        said = completion.strip().lower()
        fits = len(said) == size and said.isalpha() and said.startswith(letter)
        return float(fits and said == said[::-1] and len(set(said)) > 1)
