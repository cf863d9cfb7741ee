#!/usr/bin/env python3
"""Writes scene.npy, the triangles of image_rays: a floor, a box, a ball of 320 triangles and a pyramid. usage: scene.py > scene.npy"""
import math
import struct
import sys

triangles = []


def quad(a, b, c, d):
    """Two triangles that one node can hold."""
    triangles.extend([(a, b, d), (b, c, d)])


def floor():
    quad((-20, 0, -20), (-20, 0, 20), (20, 0, 20), (20, 0, -20))


def box(low, high, turn):
    """Turned about its upright axis."""
    cx, cz = (low[0] + high[0]) / 2, (low[2] + high[2]) / 2

    def corner(i):
        x, y, z = ((high if i >> axis & 1 else low)[axis] for axis in range(3))
        s, c = math.sin(turn), math.cos(turn)
        return (cx + c * (x - cx) - s * (z - cz), y, cz + s * (x - cx) + c * (z - cz))

    for side in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
        quad(*(corner(i) for i in side))


def ball(middle, radius, splits):
    """The twenty faces of an icosahedron, each split in four `splits` times and pushed out to the sphere."""
    g = (1 + math.sqrt(5)) / 2
    v = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    faces = "0 11 5,0 5 1,0 1 7,0 7 10,0 10 11,1 5 9,5 11 4,11 10 2,10 7 6,7 1 8,3 9 4,3 4 2,3 2 6,3 6 8,3 8 9,4 9 5,2 4 11,6 2 10,8 6 7,9 8 1"
    mesh = [tuple(v[int(i)] for i in face.split()) for face in faces.split(",")]

    def half(a, b):
        return tuple((x + y) / 2 for x, y in zip(out(a), out(b)))

    def out(p):
        n = math.sqrt(sum(x * x for x in p))
        return tuple(x / n for x in p)

    for _ in range(splits):
        mesh = [t for a, b, c in mesh for ab, bc, ca in [(half(a, b), half(b, c), half(c, a))] for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    for t in mesh:
        triangles.append(tuple(tuple(m + radius * x for m, x in zip(middle, out(p))) for p in t))


def pyramid(middle, side, height):
    x, y, z = middle
    h = side / 2
    base = [(x - h, y, z - h), (x + h, y, z - h), (x + h, y, z + h), (x - h, y, z + h)]
    for a, b in zip(base, base[1:] + base[:1]):
        triangles.append((a, b, (x, y + height, z)))


floor()
box((-2.3, 0.02, 0.0), (-1.0, 1.3, 1.3), 0.5)
ball((0.05, 0.82, 0.3), 0.8, 2)
pyramid((1.75, 0.02, 0.4), 1.5, 1.7)
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 3, 3), }" % len(triangles)
header = header.ljust(128 - 10 - 1) + "\n"
out = sys.stdout.buffer
out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
for triangle in triangles:
    for point in triangle:
        out.write(struct.pack("<3f", *point))
