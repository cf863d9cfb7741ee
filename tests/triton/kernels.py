"""Kernels in Triton that test_kernels.py compares with numpy."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row + at, powers / tl.sum(powers, 0), mask=at < columns)


@triton.jit
def layer_norm(x, weight, bias, out, mean_out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        apart = tl.where(at < columns, tl.load(x + row * columns + at, mask=at < columns, other=0.0) - mean, 0.0)
        squares += apart * apart
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / columns + eps)
    tl.store(mean_out + row, mean)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        value = (tl.load(x + row * columns + at, mask=inside) - mean) * scale
        tl.store(out + row * columns + at, value * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside), mask=inside)


@triton.jit
def matmul(a, b, out, M, N, K, ACC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], ACC)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        right = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0)
        acc = tl.dot(left, right, acc, input_precision="ieee", out_dtype=ACC)
    tl.store(out + m[:, None] * N + n[None, :], acc.to(out.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, out, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Attention of one head a program column, with the running maximum and sum of flash attention."""
    head = tl.program_id(1) * length * DIM
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, DIM)
    queries = tl.load(q + head + m[:, None] * DIM + d[None, :], mask=m[:, None] < length, other=0.0)
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, DIM], tl.float32)
    end = tl.minimum(length, (tl.program_id(0) + 1) * BM) if CAUSAL else length
    for start in range(0, end, BN):
        n = start + tl.arange(0, BN)
        keys = tl.load(k + head + n[None, :] * DIM + d[:, None], mask=n[None, :] < length, other=0.0)
        scores = tl.dot(queries, keys) * scale
        seen = n[None, :] < length
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None])
        scores = tl.where(seen, scores, -1e30)
        new_top = tl.maximum(top, tl.max(scores, 1))
        powers = tl.exp2((scores - new_top[:, None]) * 1.4426950408889634)
        fade = tl.exp2((top - new_top) * 1.4426950408889634)
        total = total * fade + tl.sum(powers, 1)
        values = tl.load(v + head + n[:, None] * DIM + d[None, :], mask=n[:, None] < length, other=0.0)
        acc = acc * fade[:, None] + tl.dot(powers.to(values.dtype), values)
        top = new_top
    tl.store(out + head + m[:, None] * DIM + d[None, :], (acc / total[:, None]).to(out.dtype.element_ty), mask=m[:, None] < length)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def last_set(value_a, flag_a, value_b, flag_b):
    """Combines "the last value whose flag is set" of two neighbors."""
    return tl.where(flag_b != 0, value_b, value_a), flag_a | flag_b


@triton.jit
def scans(x, sums, backward, tops, products, filled, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(values, 1))
    tl.store(backward + at, tl.cumsum(values, 0, reverse=True))
    tl.store(tops + at, tl.associative_scan(values, 1, larger))
    tl.store(products + at, tl.cumprod(1.0 + values / 64, 0))
    flags = (values > 0).to(tl.int32)
    kept, _ = tl.associative_scan((values, flags), 1, last_set)
    tl.store(filled + at, kept)


@triton.jit
def sort_rows(x, out, COLUMNS: tl.constexpr, DESCENDING: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(out + at, tl.sort(tl.load(x + at), descending=DESCENDING))


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + at, mask=at < n, other=0), BINS, mask=at < n)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


@triton.jit
def random_numbers(ints, floats, normals, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, at)
    tl.store(ints + 4 * at, a)
    tl.store(ints + 4 * at + 1, b)
    tl.store(ints + 4 * at + 2, c)
    tl.store(ints + 4 * at + 3, d)
    tl.store(floats + at, tl.rand(seed, at))
    tl.store(normals + at, tl.randn(seed, at))


@triton.jit
def atomics(x, places, adds, fadds, tops, lows, bits, swaps, old, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0)
    place = tl.load(places + at, mask=inside, other=0)
    # Each old value is seen once: together they are the order in which lanes came.
    tl.store(old + at, tl.atomic_add(adds + place, 1, mask=inside), mask=inside)
    tl.atomic_add(fadds + place, value.to(tl.float32), mask=inside)
    tl.atomic_max(tops + place, value, mask=inside)
    tl.atomic_min(lows + place, value, mask=inside)
    tl.atomic_xor(bits + place, value, mask=inside)
    tl.atomic_xchg(swaps + at, value, mask=inside)


@triton.jit
def locked_sum(lock, total, value):
    """A sum by a lock: compare and swap in a loop."""
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total, volatile=True) + value + tl.program_id(0))
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def reductions(x, index, smallest, sums, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    values = tl.load(x + rows[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    tl.store(index + rows, tl.argmax(values, 1))
    tl.store(smallest + tl.arange(0, COLUMNS), tl.min(values, 0))
    tl.store(sums + rows, tl.xor_sum((values * 1024).to(tl.int32), 1))


@triton.jit
def shapes(x, turned, joined, picked, index, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    values = tl.load(x + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(turned + columns[:, None] * ROWS + rows[None, :], tl.trans(values))
    both = tl.interleave(values, -values)
    tl.store(joined + rows[:, None] * 2 * COLUMNS + tl.arange(0, 2 * COLUMNS)[None, :], both)
    order = tl.load(index + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(picked + rows[:, None] * COLUMNS + columns[None, :], tl.gather(values, order, 1))


@triton.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    """One row of results a function."""
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, tl.exp(v))
    tl.store(out + n + at, tl.log(v))
    tl.store(out + 2 * n + at, tl.sin(v))
    tl.store(out + 3 * n + at, tl.cos(v))
    tl.store(out + 4 * n + at, tl.sqrt(v))
    tl.store(out + 5 * n + at, tl.rsqrt(v))
    tl.store(out + 6 * n + at, tl.erf(v))
    tl.store(out + 7 * n + at, tl.floor(v))
    tl.store(out + 8 * n + at, tl.fma(v, v, v))
    tl.store(out + 9 * n + at, tl.sigmoid(v))
    tl.store(out + 10 * n + at, v / (v + 1))
    tl.store(out + 11 * n + at, v.to(tl.float16).to(tl.float32))
    tl.store(out + 12 * n + at, v.to(tl.bfloat16).to(tl.float32))


@triton.jit
def print_values(x, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.device_print("value", value)
