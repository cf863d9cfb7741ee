"""Launches spread over processes, of this machine or of a Ray cluster.

    import wavejit.farm

    with wavejit.farm.ray() as farm:                    # or farm.local(processes=2)
        farm.launch("mandelbrot.hsaco", "mandelbrot", (w, h), (16, 16), image, left, top, step, w, h, 500)

The grid is cut into ranges of workgroups; each is launched by a worker on a device of its own, with workgroup ids, sizes and hidden arguments of the
whole grid. What the parts wrote is then merged into the arrays, by the rules of `Farm.launch`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ._wavejit import Buffer, Device, In, Kernel, Local, Module, Out
from .errors import ArgumentError, Error

__all__ = ["Case", "Conflict", "Farm", "Part", "Pool", "Processes", "Ray", "RayMissing", "Sum", "local", "ray", "split"]

Dim = int | Sequence[int]
Triple = tuple[int, int, int]
Bytes = npt.NDArray[np.uint8]


class RayMissing(ImportError):
    """Ray is not installed."""


class Conflict(Error):
    """Two parts of a launch wrote different values to the same byte of an array. No array has been changed."""

    #: Number of the argument.
    argument: int
    #: Offset of the first such byte in the array.
    offset: int
    #: How many such bytes the later part has.
    count: int
    #: The two parts, (first, count) in workgroups; the first of those that wrote the byte before.
    parts: tuple[tuple[Triple, Triple], tuple[Triple, Triple]]


@dataclass(frozen=True)
class Sum:
    """An array of numbers that parts add to, such as a histogram: what each has added is summed up. Sums of floats may round differently
    from a single launch."""

    array: npt.NDArray[Any]


@dataclass(frozen=True)
class Part:
    """What a worker did."""

    #: Id of the first workgroup.
    first: Triple
    #: Workgroups in each dimension.
    count: Triple
    workgroups: int
    waves: int
    instructions: int
    #: Seconds that the launch took.
    seconds: float
    #: Host and process.
    worker: str


@dataclass(frozen=True)
class Case:
    """One launch of a sweep: as the arguments of `Kernel.launch`."""

    grid: Dim
    group: Dim
    args: Sequence[Any]
    options: dict[str, Any] = field(default_factory=dict)


class Pool(Protocol):
    """Who runs the parts. `Ray` and `Processes` are pools; anything with these three is."""

    #: How many parts run at a time.
    workers: int

    def run(self, function: Callable[[Any, Any], Any], common: Any, items: Sequence[Any]) -> list[Any]:
        """`[function(common, item) for item in items]`, spread over the workers."""

    def close(self) -> None:
        """Ends the workers."""


class Processes:
    """Processes of this machine. Like everything that starts processes, it needs `if __name__ == "__main__":` in a program's main file."""

    def __init__(self, processes: int | None = None) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        self.workers = processes or os.cpu_count() or 1
        self._executor = ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))

    def run(self, function: Callable[[Any, Any], Any], common: Any, items: Sequence[Any]) -> list[Any]:
        return [f.result() for f in [self._executor.submit(function, common, item) for item in items]]

    def close(self) -> None:
        self._executor.shutdown()


class Ray:
    """Workers of a Ray cluster.

    Args:
        address: of the cluster, as `ray.init` takes it; None: the one that the program is connected to, or that of RAY_ADDRESS, or one on this machine.
        cpus: processors that a part takes.
        init: other arguments for `ray.init`.

    The workers need this package: the wheel installed, or in Ray's runtime environment.
    """

    def __init__(self, address: str | None = None, cpus: float = 1, **init: Any) -> None:
        try:
            import ray
        except ImportError as e:
            raise RayMissing("wavejit.farm.ray needs Ray: pip install 'wavejit[farm]'; farm.local runs on this machine without it") from e
        self._ray = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            ray.init(address=address, **init)
        self._cpus = cpus
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call, unused-ignore]
        self.workers = max(1, int(resources.get("CPU", 1) / cpus))

    def run(self, function: Callable[[Any, Any], Any], common: Any, items: Sequence[Any]) -> list[Any]:
        remote = self._ray.remote(num_cpus=self._cpus)(function)
        # Once for each machine, however many parts run there.
        shared = self._ray.put(common)
        results: list[Any] = self._ray.get([remote.remote(shared, item) for item in items])
        return results

    def close(self) -> None:
        if self._is_ours:
            self._ray.shutdown()


def local(processes: int | None = None, **device: Any) -> Farm:
    """A farm of processes on this machine; None: one for each processor. `device` has options of `wavejit.Device` for all of them."""
    return Farm(Processes(processes), **device)


def ray(address: str | None = None, cpus: int = 1, init: dict[str, Any] | None = None, **device: Any) -> Farm:
    """A farm of Ray workers; see `Ray`. A device has as many threads as a part takes processors, unless `device` says otherwise."""
    return Farm(Ray(address, cpus, **(init or {})), **{"threads": cpus, **device})


def split(groups: Triple, parts: int) -> list[tuple[Triple, Triple]]:
    """Cuts a grid of so many workgroups into at most so many ranges, (first, count), of nearly the same size, along one dimension."""
    slowest = next((d for d in (2, 1, 0) if groups[d] >= parts), None)
    along = slowest if slowest is not None else max(range(3), key=lambda d: groups[d])
    parts = max(1, min(parts, groups[along]))
    bounds = [groups[along] * i // parts for i in range(parts + 1)]
    ranges = []
    for start, end in zip(bounds, bounds[1:], strict=False):
        first, count = [0, 0, 0], list(groups)
        first[along], count[along] = start, end - start
        ranges.append(((first[0], first[1], first[2]), (count[0], count[1], count[2])))
    return ranges


class Farm:
    """Launches kernels by the workers of a pool. Use it in a `with` statement, or close it."""

    def __init__(self, pool: Pool, **device: Any) -> None:
        """`device` has options of `wavejit.Device` for those of the workers."""
        self.pool = pool
        if isinstance(pool, Processes):
            device.setdefault("threads", max(1, (os.cpu_count() or 1) // pool.workers))
        self._device = device

    def launch(
        self,
        source: str | os.PathLike[str] | bytes,
        kernel: str,
        grid: Dim,
        group: Dim,
        *args: Any,
        parts: int | None = None,
        **options: Any,
    ) -> list[Part]:
        """Runs a grid in parts, and merges what they wrote into the arrays.

        Each part begins with the arrays as they are now, and does not see what others write. Afterwards a byte has the value of the part that
        changed it; of parts that changed it to different values none is right, which is a `Conflict`. A part that writes what was there already
        has not changed it. Arrays that parts add to are given as `Sum`.

        Args:
            source: path or bytes of a code object.
            kernel: its name.
            grid, group, args, options: as for `Kernel.launch`; no buffers, for they are of one device.
            parts: how many; None: four for each worker.

        If a part raises, no array is changed, and the exception has a note which part it was.
        """
        arguments = [_Argument.of(i, value) for i, value in enumerate(args)]
        sizes, group_sizes = _triple(grid), _triple(group)
        groups = (_ceil(sizes[0], group_sizes[0]), _ceil(sizes[1], group_sizes[1]), _ceil(sizes[2], group_sizes[2]))
        ranges = split(groups, 4 * self.pool.workers if parts is None else parts)
        common = _Common(_code(source), kernel, self._device, arguments)
        items = [_Item(grid, group, {**options, "part": part}) for part in ranges]
        results = self.pool.run(_work, common, items)
        _raise_first(results, [f"in the part of {count} workgroups from {first} on" for first, count in ranges])
        merged = [_merge(i, argument, [r.writes.get(i) for r in results], ranges) for i, argument in enumerate(arguments)]
        for argument, result in zip(arguments, merged, strict=True):
            if result is not None:
                argument.put(result)
        return [Part(*part, *r.stats) for part, r in zip(ranges, results, strict=True)]

    def sweep(self, source: str | os.PathLike[str] | bytes, kernel: str, cases: Iterable[Case]) -> list[Part]:
        """Runs launches that have nothing to do with each other, each as a whole by a worker. Their arrays are changed as `Kernel.launch` would, and
        begin as they are now: cases that write should have arrays of their own. If one raises, no array is changed, and the exception has a note
        which one it was.
        """
        cases = list(cases)
        arguments = [[_Argument.of(i, value) for i, value in enumerate(case.args)] for case in cases]
        common = _Common(_code(source), kernel, self._device, [])
        items = [_Item(c.grid, c.group, c.options, a) for c, a in zip(cases, arguments, strict=True)]
        results = self.pool.run(_work, common, items)
        _raise_first(results, [f"in case {i}" for i in range(len(cases))])
        for case, result in zip(arguments, results, strict=True):
            for i, write in result.writes.items():
                after = case[i].before().copy()
                after[write.start : write.start + len(write.after)] = write.after
                case[i].put(after)
        none = (0, 0, 0)
        return [Part(none, none, *r.stats) for r in results]

    def close(self) -> None:
        """Ends the workers."""
        self.pool.close()

    def __enter__(self) -> Farm:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class _Argument:
    """An argument that can be sent to a worker."""

    #: "value", or what a part does to the array: "in", "inout", "out", "sum".
    mode: str
    value: Any

    @staticmethod
    def of(number: int, value: Any) -> _Argument:
        if isinstance(value, Local):
            return _Argument("local", value.nbytes)
        if isinstance(value, Buffer):
            raise ArgumentError(f"argument {number}: a buffer is memory of one device: give an array")
        for kind, mode in ((In, "in"), (Out, "out"), (Sum, "sum")):
            if isinstance(value, kind):
                array: Any = value.array
                return _Argument(mode, _array(number, array, mode != "in"))
        if isinstance(value, np.ndarray) and value.ndim > 0:
            return _Argument("inout" if value.flags.writeable else "in", _array(number, value, False))
        return _Argument("value", value)

    def before(self) -> Bytes:
        """The bytes that a part begins with."""
        return np.zeros(self.value.nbytes, np.uint8) if self.mode == "out" else _bytes(self.value)

    def put(self, after: Bytes) -> None:
        _bytes(self.value)[:] = after


def _array(number: int, array: npt.NDArray[Any], is_written: bool) -> npt.NDArray[Any]:
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"argument {number}: expected a NumPy array, got {type(array).__name__}")
    if not array.flags.c_contiguous:
        raise ArgumentError(f"argument {number}: the array is not contiguous: numpy.ascontiguousarray makes a copy that is")
    if is_written and not array.flags.writeable:
        raise ArgumentError(f"argument {number}: the array is read-only")
    return array


def _bytes(array: npt.NDArray[Any]) -> Bytes:
    """The bytes of an array, as a view."""
    return array.reshape(-1).view(np.uint8)


@dataclass(frozen=True)
class _Common:
    """What all parts have in common."""

    code: bytes
    kernel: str
    device: dict[str, Any]
    arguments: list[_Argument]


@dataclass(frozen=True)
class _Item:
    """One part, or one case with arguments of its own."""

    grid: Dim
    group: Dim
    options: dict[str, Any]
    arguments: list[_Argument] | None = None


@dataclass(frozen=True)
class _Write:
    """What a part wrote: all that changed lies in these bytes of the array."""

    start: int
    after: Bytes


@dataclass(frozen=True)
class _Result:
    stats: tuple[int, int, int, float, str]
    #: By number of the argument.
    writes: dict[int, _Write]


#: Modules that this process has loaded, by their code and the options of their device.
_modules: dict[tuple[str, str], Module] = {}


def _work(common: _Common, item: _Item) -> _Result | Error:
    """Runs in a worker."""
    key = (hashlib.sha256(common.code).hexdigest(), repr(sorted(common.device.items())))
    if key not in _modules:
        if len(_modules) >= 16:
            _modules.clear()
        try:
            _modules[key] = Device(**common.device).module(common.code)
        except Error as e:
            return e
    try:
        return _launch(_modules[key].kernel(common.kernel), common.arguments if item.arguments is None else item.arguments, item)
    except Error as e:
        return e


def _launch(kernel: Kernel, arguments: list[_Argument], item: _Item) -> _Result:
    args: list[Any] = []
    written: dict[int, npt.NDArray[Any]] = {}
    for i, argument in enumerate(arguments):
        known = kernel.args[i] if i < len(kernel.args) else None
        is_const = known is not None and (known.is_const or known.access == "read_only")
        if argument.mode == "value":
            args.append(argument.value)
        elif argument.mode == "local":
            args.append(Local(argument.value))
        elif argument.mode == "in" or is_const:
            args.append(In(argument.value))
        else:
            written[i] = argument.value.copy()
            args.append(Out(written[i]) if argument.mode == "out" else written[i])
    stats = kernel.launch(item.grid, item.group, *args, **item.options)
    writes = {}
    for i, array in written.items():
        after = _bytes(array)
        changed = np.flatnonzero(after != arguments[i].before())
        if len(changed):
            # Whole elements, for sums.
            start = int(changed[0]) // array.itemsize * array.itemsize
            end = (int(changed[-1]) // array.itemsize + 1) * array.itemsize
            writes[i] = _Write(start, after[start:end].copy())
        elif arguments[i].mode == "out":
            writes[i] = _Write(0, after[:0].copy())
    worker = f"{socket.gethostname() or platform.node()}:{os.getpid()}"
    return _Result((stats.workgroups, stats.waves, stats.instructions, stats.run_seconds, worker), writes)


def _merge(number: int, argument: _Argument, writes: list[_Write | None], ranges: list[tuple[Triple, Triple]]) -> Bytes | None:
    """The bytes of an array after all parts; None if none wrote to it."""
    if all(w is None for w in writes):
        return None
    before = argument.before()
    merged = before.copy()
    if argument.mode == "sum":
        dtype = argument.value.dtype
        for added in (w for w in writes if w is not None):
            place = slice(added.start, added.start + len(added.after))
            merged[place].view(dtype)[:] += added.after.view(dtype) - before[place].view(dtype)
        return merged
    #: Which part changed a byte; -1: none has.
    owner = np.full(len(before), -1, np.int32)
    for part, write in enumerate(writes):
        if write is None:
            continue
        place = slice(write.start, write.start + len(write.after))
        changed = write.after != before[place]
        clash = np.flatnonzero(changed & (owner[place] >= 0) & (merged[place] != write.after))
        if len(clash):
            at = write.start + int(clash[0])
            earlier = int(owner[at])
            error = Conflict(
                f"argument {number}: the parts of {ranges[earlier][1]} workgroups from {ranges[earlier][0]} on and of {ranges[part][1]} from "
                f"{ranges[part][0]} on wrote different values to byte {at}, and to {len(clash)} bytes in all (wavejit.farm.Sum adds them up)"
            )
            error.argument, error.offset, error.count, error.parts = number, at, len(clash), (ranges[earlier], ranges[part])
            raise error
        merged[place][changed] = write.after[changed]
        owner[place][changed] = part
    return merged


def _raise_first(results: list[Any], names: list[str]) -> None:
    for result, name in zip(results, names, strict=True):
        if isinstance(result, Error):
            result.add_note(name)
            raise result


def _code(source: str | os.PathLike[str] | bytes) -> bytes:
    return Path(source).read_bytes() if isinstance(source, (str, os.PathLike)) else bytes(source)


def _triple(value: Dim) -> Triple:
    sizes = [value] if isinstance(value, (int, np.integer)) else list(value)
    sizes = [int(n) for n in sizes] + [1] * (3 - len(sizes))
    if len(sizes) != 3 or min(sizes) < 1:
        raise ArgumentError(f"{value}: expected a number or up to three, at least 1 each")
    return (sizes[0], sizes[1], sizes[2])


def _ceil(items: int, group: int) -> int:
    return -(-items // group)
