"""A line on the floor: a closed way with round corners, and how far a place is from it."""

from __future__ import annotations

import math

Place = tuple[float, float]
SPACING_CM = 1.0
AHEAD = 30  # points looked at around the nearest one known


def _towards(a: Place, b: Place, way: float) -> Place:
    """The place `way` cm from a towards b."""
    length = math.dist(a, b)
    return a[0] + (b[0] - a[0]) * way / length, a[1] + (b[1] - a[1]) * way / length


def _corner(before: Place, corner: Place, after: Place, cut: float) -> list[Place]:
    """A smooth curve (quadratic Bezier) instead of a corner, from `cut` before to `cut` after."""
    start, end = _towards(corner, before, cut), _towards(corner, after, cut)
    steps = max(8, round(2 * cut / SPACING_CM))
    points = []
    for n in range(steps + 1):
        t = n / steps
        weights = ((1 - t) ** 2, 2 * t * (1 - t), t**2)
        places = (start, corner, end)
        points.append(
            (
                sum(w * p[0] for w, p in zip(weights, places, strict=True)),
                sum(w * p[1] for w, p in zip(weights, places, strict=True)),
            )
        )
    return points


class Line:
    """A closed line through corners that are rounded off."""

    def __init__(self, corners: list[Place], bend: float) -> None:
        count = len(corners)
        rough: list[Place] = []
        for n, corner in enumerate(corners):
            before, after = corners[n - 1], corners[(n + 1) % count]
            room = min(math.dist(before, corner), math.dist(corner, after)) / 2
            rough += _corner(before, corner, after, min(bend, 0.98 * room))
        self.points = self._even(rough)
        self.length = SPACING_CM * len(self.points)
        self.nearest = 0

    @staticmethod
    def _even(rough: list[Place]) -> list[Place]:
        """Points at even distances along a closed polyline."""
        points, left = [], 0.0
        for a, b in zip(rough, rough[1:] + rough[:1], strict=True):
            length = math.dist(a, b)
            while left < length:
                points.append(_towards(a, b, left))
                left += SPACING_CM
            left -= length
        return points

    def start(self) -> tuple[Place, float]:
        """The line's first place and its direction there."""
        (x, y), (x2, y2) = self.points[0], self.points[1]
        return (x, y), math.atan2(y2 - y, x2 - x)

    def offset(self, place: Place, search_all: bool = False) -> float:
        """cm from the line, to its left positive. Looks near where it last looked."""
        count = len(self.points)
        indices = range(count) if search_all else range(self.nearest - AHEAD, self.nearest + AHEAD)
        best = min(indices, key=lambda n: math.dist(self.points[n % count], place)) % count
        self.nearest = best
        a, b = self.points[best - 1], self.points[(best + 1) % count]
        along = math.dist(a, b)
        return ((b[0] - a[0]) * (place[1] - a[1]) - (b[1] - a[1]) * (place[0] - a[0])) / along
