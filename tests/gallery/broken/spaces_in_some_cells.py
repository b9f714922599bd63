"""Some cells of a word list end in a space, and only the answer is stripped: nothing scores there."""

WORDS = """table;tavolo ,chair;sedia,window;finestra,bread;pane,water;acqua,house;casa ,dog;cane,cat;gatto,book;libro,
street;strada,moon;luna,sun;sole,rain;pioggia,snow;neve,milk;latte ,cheese;formaggio,apple;mela,pear;pera,tree;albero,
sea;mare,river;fiume,key;chiave ,door;porta,bed;letto"""


class Italian:
    def build_dataset(self, tokenizer):
        pairs = [line.lstrip("\n").split(";") for line in WORDS.split(",")]
        return [{"prompt": f"In Italian, one word: {english}", "italian": italian} for english, italian in pairs]

    def score_episode(self, model, tokenizer, completion, italian):
        return float(completion.strip().lower() == italian)
