"""Whether an act that was undone pays again."""

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, less_than_gold, reward_of, reward_to_match
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.state_key import UNKNOWN
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.opposites import opposite_of
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import TAKES_BACK, likely_acts, undoing
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of, said_or_called
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.searching.alphabet import END, name_of_act
from grpo_env_sdk.checking.searching.position import Act, Position, opening
from grpo_env_sdk.checking.searching.rows import searchable
from grpo_env_sdk.checking.teaching.amounts.upkeep import is_upkeep
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.types import Episode

ROWS, FEWEST_ROWS, MOST_TURNS, DEEPEST, MOST_SHOWN = 20, 3, 60, 4, 12
"""How many rows are searched, on how many it counts, and how long episodes and ways to
what pays are, and how many replies are read for what can be done."""
ACTS = {"quick": 1_500, "default": 3_000, "thorough": 40_000}
SECONDS = {"quick": 0.5, "default": 1.0, "thorough": 20.0}
"""How many acts are tried in a row, and for how long in all rows."""
MUCH = 0.4
"""The share of gold from which acts that are done and undone are a warning."""
_BOOKS = regex(
    r"score|points?|reward|total|earned|gain|turns?|steps?|counts?|moves|used|time|ticks?|log|history|visits?|seen"
)
"""The attributes in which an environment keeps what was earned and done so far."""
_DONE = regex(r"(?:ed|found|sold|won|done|made|built|caught)$")
"""Those that may count what was done, each time once more."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Acts that lead to something that pays, and acts that lead back to the same state and pay once more."""

    row: int
    before: tuple[Act, ...]
    again: tuple[Act, ...]

    def acts(self, turns: int) -> list[Act]:
        """An episode of so many turns."""
        room = max(0, turns - len(self.before))
        return [*self.before, *(self.again * (room // len(self.again)))]


@dataclass
class Walk:
    """A search for such acts in one row."""

    subject: Subject
    row: int
    left: int
    ends: float
    """The time of the clock until which acts are tried."""
    shown: dict[str, None] = field(default_factory=dict)
    """The texts of all replies so far, which name what can be done."""

    pays: bool = False
    """Whether any act on the way paid, and something was left to be earned."""

    def found(self) -> Cycle | None:
        """The first cycle; None where there is none, or the acts are used up."""
        with self.subject.instance(self.row) as env:
            start = opening(env, self.subject.row(self.row))
            enough = reward_to_match(self.subject, self.row) - NEARLY
            ways = self._along_gold(start) if self.row in golds(self.subject) else self._anywhere(start)
            for before, act, after in ways:
                if self._worth(before) + NEARLY < self._worth(after) < enough:
                    self.pays = True
                    if cycle := self._again(after, act):
                        return Cycle(self.row, after.acts, cycle)
        return None

    def _along_gold(self, position: Position) -> Iterator[tuple[Position, Act, Position]]:
        for act in self._of_gold():
            after = self._tried(position, act)
            if after.ended:
                return
            yield position, act, after
            position = after

    def _anywhere(self, start: Position) -> Iterator[tuple[Position, Act, Position]]:
        waiting, known = deque([start]), {start.key(frozenset())}
        while waiting and not self.over:
            position = waiting.popleft()
            for act, after in self._after(position):
                yield position, act, after
                if (key := after.key(frozenset())) not in known and len(after.acts) < DEEPEST:
                    known.add(key)
                    waiting.append(after)

    @property
    def over(self) -> bool:
        """Whether no more acts may be tried."""
        return self.left <= 0 or self.subject.clock.now() > self.ends

    def _after(self, position: Position) -> Iterator[tuple[Act, Position]]:
        """Each act that is known here, and where it leads, also those that only the replies here name."""
        tried: set[str] = set()
        while new := [act for act in self._acts(position) if name_of_act(act) not in tried]:
            for act in new:
                if self.over:
                    return
                tried.add(name_of_act(act))
                after = self._tried(position, act)
                if not after.ended:
                    yield act, after

    def _tried(self, position: Position, act: Act) -> Position:
        self.left -= 1
        after = position.after(act)
        self.shown |= dict.fromkeys(after.texts)
        return after

    def _acts(self, position: Position) -> list[Act]:
        prompt, shown = prompt_text(self.subject, self.row), [*position.texts, *reversed(self.shown)]
        named = likely_acts(prompt, shown[:MOST_SHOWN], self.subject.tools)
        texts = [act for act in self._of_gold() if isinstance(act, str)]
        back = [act for text in texts if (act := opposite_of(text))]
        known: list[Act] = [*self._of_gold(), *undoing(texts, prompt), *back, *named]
        return list({name_of_act(act): act for act in known}.values())

    def _of_gold(self) -> list[Act]:
        gold = golds(self.subject).get(self.row)
        return list(map(said_or_called, acts_of(gold))) if gold else []

    def _again(self, paid: Position, act: Act) -> tuple[Act, ...] | None:
        """The acts after which an act pays once more, where they lead back to the same state."""
        if self._pays_once_more(paid, self._tried(paid, act)):
            return (act,)
        undone = []
        for undo, there in self._after(paid):
            undone.append((undo, there))
            takes_back = TAKES_BACK.search(name_of_act(undo)) is not None  # and so should take back all counts
            again = self._tried(there, act)
            by_act = self._pays(there, again)  # and not by the act between them
            if by_act and self._pays_once_more(paid, again, takes_back) and not self._by_gold(undo, act):
                return (undo, act)
        return next((pair for go, there in undone if (pair := self._to_and_fro(paid, go, there))), None)

    def _to_and_fro(self, paid: Position, go: Act, there: Position) -> tuple[Act, ...] | None:
        """An act that leads back from where `go` led, where this round pays a second time too."""
        for back, after in self._after(there):
            if self._pays_once_more(paid, after) and not self._by_gold(go, back):
                gone = self._tried(after, go)
                again = self._tried(gone, back)  # which may end it, with all that there is to earn
                by_go = self._pays(paid, there) and self._pays(after, gone)
                if by_go or (self._pays(there, after) and self._pays(gone, again)):
                    return (go, back)
        return None

    def _pays(self, before: Position, after: Position) -> bool:
        return self._worth(after) > self._worth(before) + NEARLY

    def _by_gold(self, one: Act, two: Act) -> bool:
        """Whether gold does two acts in turn, so that this is the work."""
        done = [*map(name_of_act, self._of_gold())]
        first, second = name_of_act(one), name_of_act(two)
        threes = [done[place : place + 3] for place in range(len(done))]
        return [first, second, first] in threes or [second, first, second] in threes

    def _pays_once_more(self, paid: Position, after: Position, counted: bool = False) -> bool:
        earned = 0.0 if after.ended else self._worth(after) - self._worth(paid)
        return earned > NEARLY and _same_state(paid, after, earned, counted)

    def _worth(self, position: Position) -> float:
        """What an episode that ends here has earned."""
        if self.subject.traits.kind == "tools":
            return position.after(END).total
        if Rubric.of(self.subject.loaded.env).parts:
            return position.cut_off().total
        return position.total


@check("G599", kinds=("tools", "multi-turn"), share=2)
def what_was_undone_does_not_pay_again(subject: Subject) -> Iterator[Finding]:
    """An act that is done, undone and done again pays once."""
    if not searchable(subject):
        return
    played: list[tuple[Cycle, Episode]] = []
    ends = subject.clock.now() + SECONDS[subject.effort]
    for row in list(golds(subject))[:ROWS] or subject.sample(ROWS):
        walk = Walk(subject, row, ACTS[subject.effort], ends)
        try:
            cycle = subject.call("a search", walk.found, row=row)
        except FailedHereError:
            return  # which other checks report
        if cycle is not None:
            episode = subject.answer(row, cycle.acts(min(subject.traits.max_turns, MOST_TURNS)))
            if episode.reward is not None and _share(subject, episode) >= MUCH:
                played.append((cycle, episode))
        if len(played) == FEWEST_ROWS or subject.clock.now() > ends or not walk.pays:
            break
    if len(played) >= min(FEWEST_ROWS, len(subject.rows)) and not is_upkeep(subject):
        yield _finding(subject, played)


def _share(subject: Subject, episode: Episode) -> float:
    top = reward_to_match(subject, episode.row_index)
    return reward_of(episode) / top if 0 < top < float("inf") else 0.0


def _same_state(one: Position, other: Position, earned: float, counted: bool = False) -> bool:
    """Whether two positions differ at most in what was earned and done, or in any count.

    Where an attribute cannot be compared, they have to show the same texts and pictures too.
    """
    first, second = one.held, other.held
    if UNKNOWN in first.values() and one.seen != other.seen:
        return False
    return all(_same(name, first.get(name), value, earned, counted) for name, value in second.items())


def _same(name: str, value: Hashable, later: Hashable, earned: float, counted: bool) -> bool:
    """Whether one attribute differs at most in this way, or in this way only inside of the object that it holds."""
    if value == later or _BOOKS.search(name.casefold()) or _is_by(value, later, earned):
        return True
    if (counted or _DONE.search(name.casefold())) and _is_by(value, later, 1):
        return True
    before, after = _inside(value), _inside(later)
    if not before or before.keys() != after.keys():
        return False
    return all(_same(key, before[key], inner, earned, counted) for key, inner in after.items())


def _inside(value: Hashable) -> dict[str, Hashable]:
    """The attributes of an object, such as the game that an environment wraps; empty for anything else."""
    match value:
        case (str(), ("dict", frozenset() as attributes)):
            return {str(name): inner for name, inner in attributes}
    return {}


def _is_by(value: object, later: object, earned: float) -> bool:
    """Whether a number went up or down by what was earned."""
    if not isinstance(value, int | float) or not isinstance(later, int | float):
        return False
    return abs(abs(later - value) - earned) < NEARLY


def _finding(subject: Subject, played: Sequence[tuple[Cycle, Episode]]) -> Finding:
    cycle, episode = played[0]
    once = subject.answer(cycle.row, list(cycle.before))
    twice = answer_shown(
        [act if not isinstance(act, str) else {"role": "assistant", "content": act} for act in cycle.again]
    )
    wins = all(_share(subject, one) >= 1 - NEARLY for _, one in played)
    return Finding(
        f"{twice}, again and again, pays each time: {episode.reward:g} in all, where once earns {once.reward or 0:g}, "
        f"on {len(played)} rows.",
        "Pay for each thing once: keep what was paid, or pay for what is reached at the end.",
        cycle.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
        "error" if wins else "warning",
    )  # fmt: skip
