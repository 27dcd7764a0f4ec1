#!/usr/bin/env python3
"""Writes the STL parts of the D-H arm beside it, in millimetres. The rows are published (arm.dev); the shapes are ours:
drawn in the world with all joints at zero, then moved into their links' frames."""
import math
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = [(0, 0, 290, 0), (-90, 0, 0, -90), (0, 270, 0, 0), (-90, 70, 302, 0), (90, 0, 0, 0), (-90, 0, 72, 180)]


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def row_matrix(alpha, a, d, theta):
    """Rx(alpha) Tx(a) Rz(theta) Tz(d)."""
    ca, sa, ct, st = (round(f(math.radians(x)), 15) for x in (alpha, theta) for f in (math.cos, math.sin))
    return multiply([[1, 0, 0, a], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1]],
                    [[ct, -st, 0, 0], [st, ct, 0, 0], [0, 0, 1, d], [0, 0, 0, 1]])


def frames():
    frame = [[float(i == k) for k in range(4)] for i in range(4)]
    yield frame
    for row in ROWS:
        frame = multiply(frame, row_matrix(*row))
        yield frame


def into(frame, p):
    """A point of the world in a frame that turns and moves."""
    rest = [p[i] - frame[i][3] for i in range(3)]
    return [sum(frame[k][i] * rest[k] for k in range(3)) for i in range(3)]


def prism(outline, place):
    """Outline: points (u, v), counterclockwise; place(u, v, w) puts them at w 0 and 1 into the world."""
    low, high = ([place(u, v, w) for u, v in outline] for w in (0, 1))
    count = len(outline)
    faces = [(low[0], low[i + 1], low[i]) for i in range(1, count - 1)]
    faces += [(high[0], high[i], high[i + 1]) for i in range(1, count - 1)]
    for i in range(count):
        k = (i + 1) % count
        faces += [(low[i], low[k], high[k]), (low[i], high[k], high[i])]
    return faces


def cylinder(axis, start, end, centre, radius, end_radius=None, sides=32):
    """Along an axis (0 x, 1 y, 2 z) from start to end; centre: the two other coordinates, in the order of x y z."""
    end_radius = radius if end_radius is None else end_radius
    turns = [(math.cos(2 * math.pi * i / sides), math.sin(2 * math.pi * i / sides)) for i in range(sides)]

    def place(u, v, w):
        size = end_radius if w else radius
        a, b, along = centre[0] + u * size, centre[1] + v * size, end if w else start
        return {0: (along, a, b), 1: (a, along, b), 2: (a, b, along)}[axis]
    faces = prism(turns, place)
    return [face[::-1] for face in faces] if axis == 1 else faces


def box(low, high):
    corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    return prism(corners, lambda u, v, w: (u, v, high[2] if w else low[2]))


LINKS = {
    'base': cylinder(2, 0, 30, (0, 0), 130) + cylinder(2, 30, 170, (0, 0), 100, 85),
    'link_1': cylinder(2, 170, 200, (0, 0), 85) + box((-62, -45, 200), (62, 45, 245)) + cylinder(1, -62, 62, (0, 290), 66),
    'link_2': box((-42, -50, 300), (42, 50, 550)) + cylinder(1, -78, 78, (0, 290), 52) + cylinder(1, -70, 70, (0, 560), 50),
    'link_3': box((-50, -46, 560), (105, 46, 680)) + cylinder(0, 105, 135, (0, 630), 46),
    'link_4': cylinder(0, 135, 250, (0, 630), 42, 36) + box((250, -38, 600), (290, -28, 660)) + box((250, 28, 600), (290, 38, 660))
              + cylinder(0, 240, 258, (0, 630), 40),
    'link_5': cylinder(1, -33, 33, (302, 630), 33) + cylinder(0, 302, 352, (0, 630), 24),
    'link_6': cylinder(0, 352, 374, (0, 630), 30) + box((366, -4, 655), (374, 4, 668)),
}


def write_stl(name, frame, faces):
    with open(os.path.join(HERE, f'{name}.stl'), 'wb') as file:
        file.write(f'{name} of the D-H arm, mm'.encode().ljust(80) + struct.pack('<I', len(faces)))
        for face in faces:
            corners = [into(frame, corner) for corner in face]
            a, b = ([corners[i][k] - corners[0][k] for k in range(3)] for i in (1, 2))
            normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            length = math.hypot(*normal) or 1
            values = [round(v / length, 6) + 0 for v in normal] + [round(v, 6) + 0 for corner in corners for v in corner]
            file.write(struct.pack('<12fH', *values, 0))


if __name__ == '__main__':
    for frame, (name, faces) in zip(frames(), LINKS.items()):
        write_stl(name, frame, faces)
