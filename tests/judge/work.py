"""How much of its work a thread has done by when, counted from the edges of its pin.

One unit of work lies between two edges; what it takes when nothing comes in between is the shortest
that was seen, rises and falls apart. Of a unit that was interrupted it is not known how much was
done when, so an instant within it has a least and a most:

    edge |---- unit, longer than its work u ----| edge
              t: at least  u - (what is left until the edge),  at most  t - (edge before)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, repr=False)
class Work:
    """Of one thread. Times in cycles."""

    edges: np.ndarray
    units: np.ndarray  # work of the unit that begins at an edge
    total: np.ndarray  # work done at an edge

    @property
    def unit(self) -> float:
        """Of an average unit."""
        return float(self.units[:2].mean()) if len(self.units) else 0.0

    def most(self, at: np.ndarray) -> np.ndarray:
        """Work done by these instants, at most."""
        index, since, _ = self._around(at)
        return self._before(index) + np.where(index < 0, 0, np.minimum(since, self._of(index)))

    def least(self, at: np.ndarray) -> np.ndarray:
        """Work done by these instants, at least."""
        index, _, left = self._around(at)
        inside = np.maximum(0, self._of(index) - left)
        return self._before(index) + np.where(index < 0, 0, inside)

    def _around(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The edge before, time since then, time until the next one."""
        index = np.searchsorted(self.edges, at, "right") - 1
        last = len(self.edges) - 1
        since = at - self.edges[np.clip(index, 0, last)]
        following = self.edges[np.clip(index + 1, 0, last)]
        left = np.where(index >= last, np.iinfo(np.int64).max // 2, following - at)
        return index, since, left

    def _before(self, index: np.ndarray) -> np.ndarray:
        return np.where(index < 0, 0, self.total[np.maximum(index, 0)])

    def _of(self, index: np.ndarray) -> np.ndarray:
        return self.units[np.maximum(index, 0)]

    def within(self, start: int, length: int, count: int) -> np.ndarray:
        """The most that was done in each of `count` windows from `start` on."""
        at = start + length * np.arange(count + 1)
        return self.most(at[1:]) - self.least(at[:-1])

    def between(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The most that was done between these instants."""
        return self.most(end) - self.least(start)


def work_of(edges: np.ndarray) -> Work | None:
    """None: too few edges to know what a unit takes."""
    if len(edges) < 4:
        return None
    lengths = np.diff(edges)
    of_parity = np.array([lengths[0::2].min(), lengths[1::2].min()])
    units = of_parity[np.arange(len(edges)) % 2]
    total = np.concatenate(([0], np.cumsum(units[:-1])))
    return Work(edges, units, total)


def origin_candidates(set_up: int, most: int, count: int = 17) -> np.ndarray:
    """Where budgets may have begun: at most `most` cycles after setup() has said its last."""
    return np.linspace(set_up, set_up + most, count).astype(np.int64)
