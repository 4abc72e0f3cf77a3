"""Pictures of a result (`shown["picture"]`) as inline SVG, with the same in words."""

from __future__ import annotations

from pydantic import JsonValue, ValidationError

from autograder.feedback.pictures import attention, cost, leak_map, read_map
from autograder.feedback.pictures.svg import Figure, Pictures
from autograder.feedback.texts import Texts

__all__ = ["Figure", "Pictures", "picture"]


def picture(data: JsonValue, say: Texts) -> Pictures | None:
    """The picture that a result describes; None when there is none, or one that this kit cannot draw."""
    kind = data.get("kind") if isinstance(data, dict) else None
    try:
        match kind:
            case "leak_map":
                return leak_map.draw(leak_map.LeakMap.model_validate(data), say)
            case "attention":
                return attention.draw(attention.Attention.model_validate(data), say)
            case "read_map":
                return read_map.draw(read_map.ReadMap.model_validate(data), say)
            case "cost":
                return cost.draw(cost.Cost.model_validate(data), say)
    except ValidationError:
        return None
    return None
