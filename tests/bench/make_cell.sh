#!/bin/sh
# make_cell.sh FOLDER [FRAMES [JOINTS]]: writes large.wu into the folder, a cell of two arms of JOINTS (10) turning
# joints each, with FRAMES (100) fixed frames, the floor among them, to measure the filter exclude with: boxes, and every
# fourth an L of 108 triangles (part.stl). The same every time. Lengths are metres.
set -eu
export LC_ALL=C # awk would print decimal commas elsewhere
mkdir -p "$1"
cd "$1"

# An L of 0.3 m x 0.3 m x 0.1 m, whose convex hull is more than it is, its long sides in strips.
awk 'function facet(a, b, c) { print "facet normal 0 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet" }
function at(i, z) { return x[i] " " y[i] " " z }
BEGIN {
    n = 0
    for (i = 0; i < 12; i++) { x[n] = i * 0.025; y[n++] = 0 }
    x[n] = 0.3; y[n++] = 0; x[n] = 0.3; y[n++] = 0.1
    x[n] = 0.1; y[n] = 0.1; inner = n++
    x[n] = 0.1; y[n++] = 0.3; x[n] = 0; y[n++] = 0.3
    for (i = 1; i < 12; i++) { x[n] = 0; y[n++] = 0.3 - i * 0.025 }
    print "solid part"
    for (i = 0; i < n; i++) {
        k = (i + 1) % n
        facet(at(i, 0), at(k, 0), at(k, 0.1)); facet(at(i, 0), at(k, 0.1), at(i, 0.1))
    }
    for (i = inner + 1; i < inner + n - 1; i++) { # fans from the inner corner, from which all others are seen
        a = i % n; b = (i + 1) % n
        facet(at(inner, 0.1), at(a, 0.1), at(b, 0.1)); facet(at(inner, 0), at(b, 0), at(a, 0))
    }
    print "endsolid part"
}' >part.stl

awk -v frames="${2:-100}" -v joints="${3:-10}" '
function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
# Joints turn about z and y in turns, 0.24 m after each other.
function arm(name, x,    i, before, up) {
    printf "{ \"%s\"\n  Position (%g, 0, 0)\n  GeoID \"#Box 0.3 0.3 0.2\"\n}\n", name, x
    before = name
    up = 0.25
    for (i = 1; i <= joints; i++) {
        printf "{ \"%s.J%d\"\n  ReferenceFrame \"%s\"\n  Position (0, 0, %g)\n  RPY (0, 0, %d)\n", name, i, before, up, i % 2 ? 0 : -90
        printf "  ActiveJoint\n  Revolute\n  JointPosLimit -%d %d\n}\n", i % 2 ? 170 : 100, i % 2 ? 170 : 100
        before = name ".L" i
        printf "{ \"%s\"\n  ReferenceFrame \"%s.J%d\"\n  RPY (0, 0, %d)\n}\n", before, name, i, i % 2 ? 0 : 90
        printf "{ \"%sGeo\"\n  ReferenceFrame \"%s\"\n  Position (0, 0, 0.12)\n  GeoID \"#Box 0.1 0.1 0.2\"\n}\n", before, before
        up = 0.24
    }
}
BEGIN {
    seed = 20
    print "{ \"Floor\"\n  Position (0, 0, -0.05)\n  GeoID \"#Box 8 8 0.1\"\n}"
    arm("Left", -0.8); arm("Right", 0.8)
    for (f = 1; f < frames; f++) {
        do { # between the floor and the ceiling, on a ring round the arms
            x = 8 * random() - 4; y = 8 * random() - 4; z = 2.5 * random() + 0.1
            a = sqrt((x + 0.8) ^ 2 + y * y); b = sqrt((x - 0.8) ^ 2 + y * y)
        } while (a < 0.7 || b < 0.7)
        geometry = f % 4 ? sprintf("#Box %.2f %.2f %.2f", 0.1 + 0.4 * random(), 0.1 + 0.4 * random(), 0.1 + 0.4 * random()) : "part.stl"
        printf "{ \"Part-%d\"\n  Position (%.3f, %.3f, %.3f)\n  RPY (%d, %d, %d)\n  GeoID \"%s\"\n}\n", f, x, y, z, 360 * random(), 360 * random(), 360 * random(), geometry
    }
}' >large.wu
