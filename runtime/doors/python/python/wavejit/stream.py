"""Launches one after the other, beside the program."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from ._wavejit import Kernel, Stats

T = TypeVar("T")


class Stream:
    """Runs what it is given in order, in a thread of its own, while the program goes on; streams run beside each other.

    Arrays of a launch are read when its turn comes and written before its future is done: the program leaves them alone until then.
    Use it in a `with` statement, which ends when all of it is done, or call `close`.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="wavejit-stream")
        self._last: Future[Any] | None = None

    def launch(self, kernel: Kernel, grid: Any, group: Any, *args: Any, **options: Any) -> Future[Stats]:
        """`kernel.launch` with these arguments, when its turn comes. The future has its result, or raises what it raised."""
        return self.call(kernel.launch, grid, group, *args, **options)

    def call(self, function: Callable[..., T], *args: Any, **options: Any) -> Future[T]:
        """Calls any function when its turn comes, such as `buffer.write`."""
        future = self._executor.submit(function, *args, **options)
        self._last = future
        return future

    def wait(self, other: Future[Any]) -> None:
        """What follows in this stream waits for a future of another one; it runs even if that one raised."""
        self.call(lambda: other.exception() and None)

    def synchronize(self) -> None:
        """Returns when everything is done that was given to it so far. Raises nothing: the futures do."""
        if self._last is not None:
            self._last.exception()

    def close(self) -> None:
        """Waits for everything and ends its thread."""
        self._executor.shutdown()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
