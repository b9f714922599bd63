"""One of the environments of a training, with its rows and its weight."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grpo_env_sdk.ext import LoadedEnv, Rows, Split, qualified
from grpo_env_trl.bridges.dataset import held_out_rows, training_rows
from grpo_env_trl.env_weights import Weight


@dataclass
class TrainedEnv:
    """An environment that a model is trained on."""

    loaded: LoadedEnv
    row_choice: int | Sequence[int] | None
    """So many rows, or the indices of some; None is all of them."""
    eval_rows: int
    eval_split: Split = "test"
    weight: Weight = field(default_factory=Weight)

    @property
    def name(self) -> str:
        """Its id."""
        return self.loaded.spec.id

    @property
    def typed_name(self) -> str:
        """The name that a command finds it by: its id, with its package in front where another one has the name."""
        return qualified(self.loaded.spec)

    @cached_property
    def rows(self) -> Rows:
        """The rows to train on."""
        return training_rows(self.loaded, self.eval_rows, self.row_choice)

    def keep(self, indices: Sequence[int]) -> None:
        """Train on these rows alone."""
        self.row_choice = indices
        self.__dict__.pop("rows", None)
        self.__dict__.pop("_can_be_measured", None)

    @property
    def measured(self) -> Rows:
        """The rows to measure before and after, first those that are not trained on."""
        rows: Rows = self._can_be_measured[: self.eval_rows] if self.eval_rows else self.rows[:0]
        return rows

    @property
    def trained_on(self) -> int:
        """How many of the rows to measure are trained on."""
        return len({*self.measured.indices} & {*self.rows.indices})

    @property
    def has_more_to_measure(self) -> bool:
        """Whether more rows could be measured that are not trained on."""
        return bool({*self._can_be_measured.indices} - {*self.measured.indices, *self.rows.indices})

    @cached_property
    def _can_be_measured(self) -> Rows:
        part, trained = held_out_rows(self.loaded, self.eval_split), {*self.rows.indices}
        return Rows(part.table, sorted(part.indices, key=trained.__contains__), part.offset)
