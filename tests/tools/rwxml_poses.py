#!/usr/bin/python3
"""rwxml_poses.py ORACLE CELLPIPE POSES FILE STATES: where the frames of a cell in RobWork's XML are, by an independent
reader (ORACLE, a script whose last line runs it on files of its own) and by us (POSES), at zero and in random states.
Prints the largest difference of an entry of a pose. Ends with 1 if it is above 1e-12, or if frames or joints differ."""
import json
import math
import random
import subprocess
import sys


def main():
    oracle_path, cellpipe, poses, path, states = sys.argv[1:]
    oracle = {}
    with open(oracle_path, encoding="utf-8") as file:
        exec(compile(file.read().rsplit("\nmain()", 1)[0], oracle_path, "exec"), oracle)
    cell = oracle["read"](path)
    told = subprocess.run([cellpipe, "info", "-q", "--json", path], capture_output=True, check=True, text=True)
    info = json.loads(told.stdout)
    frames = [frame["name"] for frame in info["frames"][1:]]
    joints = [joint["name"] for joint in info["joints"]]
    movable = [name for name in cell.order if cell.frames[name]["type"] in ("Revolute", "Prismatic")]
    if sorted(frames) != sorted(cell.order) or sorted(joints) != sorted(movable):
        sys.exit(f"{path}: others: {sorted(set(frames) ^ set(cell.order))}, {sorted(set(joints) ^ set(movable))}")

    random.seed(path.rsplit("/", 1)[-1])
    asked = []
    for state in range(int(states)):
        values = {}
        for name in movable:
            joint = cell.frames[name]
            if "depend" not in joint:
                reach = (joint.get("lower", -math.pi), joint.get("upper", math.pi))
                values[name] = random.uniform(*reach) if state else 0.0
        asked.append(values)
    lines = "".join("joints " + " ".join(repr(values.get(name, 0.0)) for name in joints) + "\n" for values in asked)
    answers = subprocess.run([poses, path], input=lines, capture_output=True, check=True, text=True).stdout.splitlines()
    largest = 0.0
    for values, answer in zip(asked, answers, strict=True):
        worlds = oracle["worlds"](cell, values)
        for name, numbers in zip(frames, answer.split("\t")[1:]):
            expected = worlds[name][:3].ravel()
            largest = max([largest] + [abs(a - float(b)) for a, b in zip(expected, numbers.split(), strict=True)])
    print(f"{len(frames)} frames, {len(joints)} joints, {largest:.1e}")
    sys.exit(1 if largest > 1e-12 else 0)


main()
