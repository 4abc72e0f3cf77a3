"""The pictures that this chapter draws of results, each by its kind."""

from __future__ import annotations

from autograder.chapter04.pictures import attention, cost, leak_map, read_map

KINDS = {
    "attention": attention.draw,
    "cost": cost.draw,
    "leak_map": leak_map.draw,
    "read_map": read_map.draw,
}
