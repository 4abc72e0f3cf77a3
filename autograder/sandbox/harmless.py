"""What stand-in modules give that works: progress bars that pass all on, pytest.raises and the like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any, Self


class Progress:
    """A tqdm that shows nothing."""

    def __init__(
        self, iterable: Iterable[Any] | None = None, desc: str | None = None, total: float | None = None,
        *args: Any, **options: Any,
    ) -> None:  # fmt: skip
        self.iterable, self.desc, self.n = iterable, desc, 0
        self.total = total
        if total is None and isinstance(iterable, Sized):
            self.total = len(iterable)

    def __iter__(self) -> Iterator[Any]:
        for one in self.iterable or ():
            yield one
            self.n += 1

    def __len__(self) -> int:
        return int(self.total or 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing to close."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing  # set_description, set_postfix, refresh, close …

    def update(self, n: float = 1) -> None:
        """So many more are done."""
        self.n += n  # type: ignore[assignment]

    @staticmethod
    def write(text: object = "", *args: Any, **options: Any) -> None:
        """Prints."""
        print(text)

    @classmethod
    def pandas(cls, *args: Any, **options: Any) -> None:
        """For data frames, which there are none of."""


class Raises:
    """pytest.raises as a context manager, or called with a function."""

    def __init__(self, expected: Any, *args: Any, match: Any = None, **options: Any) -> None:
        self.expected, self.value = expected, None
        if args:
            with self:
                args[0](*args[1:], **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: object) -> bool:
        if kind is None:
            raise AssertionError(f"DID NOT RAISE {self.expected}")
        self.type, self.value = kind, error
        return issubclass(kind, self.expected)


def progress_range(*args: int, **options: Any) -> Progress:
    """trange"""
    return Progress(range(*args), **options)


def track(sequence: Iterable[Any], *args: Any, **options: Any) -> Iterable[Any]:
    """rich.progress.track, fastprogress.progress_bar"""
    return sequence


def _nothing(*args: Any, **options: Any) -> None:
    return None


_BARS = {
    "tqdm": Progress,
    "trange": progress_range,
    "tqdm_notebook": Progress,
    "tnrange": progress_range,
    "tqdm_gui": Progress,
}
# Package -> names that each of its modules has beside what nobody needs.
GIVEN: dict[str, dict[str, Any]] = {
    "tqdm": _BARS,
    "rich": {"print": print, "track": track},
    "fastprogress": {"progress_bar": track, "master_bar": track},
    "numba": {"prange": range},
    "pytest": {"raises": Raises},
    "IPython": {"get_ipython": _nothing},
}
