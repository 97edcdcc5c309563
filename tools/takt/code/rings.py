"""Strongly connected parts of a graph: what reaches itself."""

from __future__ import annotations

from collections.abc import Callable


def rings(entry: int, callees: Callable[[int], list[int]]) -> list[list[int]]:
    """Strongly connected components reachable from entry, callees first (Tarjan 1972), without
    recursion of our own."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    result: list[list[int]] = []
    work = [(entry, iter(callees(entry)))]
    index[entry] = low[entry] = 0
    open_.append(entry)
    while work:
        node, pending = work[-1]
        child = next(pending, None)
        if child is None:
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                at = open_.index(node)
                result.append(open_[at:])
                del open_[at:]
        elif child not in index:
            index[child] = low[child] = len(index)
            open_.append(child)
            work.append((child, iter(callees(child))))
        elif child in open_:
            low[node] = min(low[node], index[child])
    return result
