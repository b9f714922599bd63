# Confirms S201: rg/boxnet-v1, rg/coin_flip-v1, rg/game_of_life-v1, rg/prime_factorization-v1.
# The scorer raises on answers that a model may give.
import reasoning_gym

ANSWERS = {"boxnet": "7", "coin_flip": "1e400", "game_of_life": "{}", "prime_factorization": "two"}
for name, answer in ANSWERS.items():
    dataset = reasoning_gym.create_dataset(name, seed=0, size=1)
    try:
        print(name, dataset.score_answer(answer, dataset[0]))
    except Exception as error:
        print(f"{name} at {answer!r}: {type(error).__name__}: {error}")
