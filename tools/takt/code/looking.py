"""Functions of recursions that look for room in the stack (build/recursions.py): which they are,
and how much room there must be."""

from __future__ import annotations

from takt.code.callgraph import CallGraph
from takt.code.deepest import Looking, Search

TOO_DEEP = "too deep"  # the fact of where a function goes that has found no room


def find(graph: CallGraph, cut: set[int], more: int) -> Looking:
    """In a program. The room is for all that comes before the next look, and so many bytes more."""
    ends = graph.facts.functions(TOO_DEEP)
    functions = graph.functions
    found = frozenset(at for at, function in functions.items() if function.calls & ends)
    if not found:
        return Looking()
    leaves = Looking(last=found)
    room = 0
    for at in found:
        called = Search(graph, cut, at, looking=leaves).below(at)
        needs = (Search(graph, cut, one, looking=leaves).deepest().bytes for one in called)
        room = max(room, functions[at].frame + max(needs, default=0))
    return Looking(found, room + more)
