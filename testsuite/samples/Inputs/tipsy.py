# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tipsy.py make FILE KIND...: writes a TIPSY file FILE.KIND for each kind, a good one or one with something wrong.
tipsy.py check BEFORE AFTER: fails unless AFTER has the particles of BEFORE, moved, with all else as it was."""
import math
import struct
import sys

GAS, DARK, STAR = 12, 9, 11


def particle(values, k):
    """Masses, places on a spiral, velocities; what follows is different in each value."""
    return [0.25, math.cos(k), math.sin(k), k / 4, 0, 0, 0.125] + [k + j / 64 for j in range(values - 7)]


def make(kind, path):
    gas, dark, stars, dimensions, order = 1, 2, 1, 3, ">"
    particles = [particle(GAS, 0), particle(DARK, 1), particle(DARK, 2), particle(STAR, 3)]
    total = 4
    if kind == "native":
        order = "<"
    elif kind == "dimensions":
        dimensions = 2
    elif kind == "negative":
        total, gas, stars = 1, -1, 0
    elif kind == "sum":
        total = 5
    elif kind == "none":
        total = gas = dark = stars = 0
        particles = []
    elif kind == "many":
        total = dark = 2000000000
        gas = stars = 0
    elif kind == "nan":
        particles[2][1] = math.nan
    elif kind == "infinite":
        particles[1][0] = math.inf
    elif kind == "mass":
        particles[3][0] = -1
    data = struct.pack(order + "diiiiii", 0.5, total, dimensions, gas, dark, stars, 0)
    data += b"".join(struct.pack(f"{order}{len(p)}f", *p) for p in particles)
    if kind == "header":
        data = data[:20]
    elif kind == "short":
        data = data[:-4]
    elif kind == "long":
        data += b"\0\0\0\0"
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    _, total, dimensions, gas, dark, stars, _ = struct.unpack(">diiiiii", data[:32])
    assert (total, dimensions) == (gas + dark + stars, 3)
    at, particles = 32, []
    for values in [GAS] * gas + [DARK] * dark + [STAR] * stars:
        particles.append(struct.unpack(f">{values}f", data[at : at + 4 * values]))
        at += 4 * values
    assert at == len(data)
    return particles


def check(before, after):
    old, new = read(before), read(after)
    assert len(old) == len(new)
    for a, b in zip(old, new):
        assert a[0] == b[0] and a[7:-1] == b[7:-1], (a, b)  # mass, and what is not moved; the potential is the last one
        assert a[1:7] != b[1:7] and all(abs(x - y) < 0.1 for x, y in zip(a[1:7], b[1:7])), (a, b)
        assert b[-1] < 0


if sys.argv[1] == "make":
    for wanted in sys.argv[3:]:
        make(wanted, f"{sys.argv[2]}.{wanted}")
else:
    check(*sys.argv[2:])
