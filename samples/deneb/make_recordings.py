#!/usr/bin/env python3
"""Writes welding/weld.dcr, hexapod/contour.dcr and assembly/saw.dcr, the recordings of the cells beside this file.

Run by hand when a cell changes:  python3 samples/deneb/make_recordings.py
It reads the cells (docs/deneb.md), moves their devices as in a simulation, and writes each step. Lengths are
millimetres and angles degrees. Vectors are rows: a matrix is a list of four rows, the last of which is the place."""
import math
import os
import shlex

HERE = os.path.dirname(os.path.abspath(__file__))

# ---- matrices ----

IDENTITY = [[float(i == j) for j in range(4)] for i in range(4)]


def product(*matrices):
    out = matrices[0]
    for b in matrices[1:]:
        out = [[sum(row[k] * b[k][j] for k in range(4)) for j in range(4)] for row in out]
    return out


def inverse(m):
    """Of a matrix that turns and moves."""
    turned = [[m[j][i] for j in range(3)] + [0.0] for i in range(3)]
    return turned + [[-sum(m[3][k] * turned[k][j] for k in range(3)) for j in range(3)] + [1.0]]


def moved(x, y, z):
    return IDENTITY[:3] + [[x, y, z, 1.0]]


def turned(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    m = [row[:] for row in IDENTITY]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m[i][i], m[i][j], m[j][i], m[j][j] = c, s, -s, c
    return m


def seen(point, m):
    """A point through a matrix."""
    return [sum(v * m[i][j] for i, v in enumerate(list(point) + [1.0])) for j in range(3)]


def pose(x_axis, z_axis, place):
    y_axis = [z_axis[1] * x_axis[2] - z_axis[2] * x_axis[1], z_axis[2] * x_axis[0] - z_axis[0] * x_axis[2],
              z_axis[0] * x_axis[1] - z_axis[1] * x_axis[0]]
    return [[float(v) for v in row] + [0.0] for row in (x_axis, y_axis, z_axis)] + [[float(v) for v in place] + [1.0]]


def rounded(m):
    return [[round(v, 6 if i < 3 else 5) for v in row] for i, row in enumerate(m)]


def mixed(a, b, u):
    """Between two equally long lists."""
    return [x + (y - x) * u for x, y in zip(a, b)]


def eased(u):
    u = min(max(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)


# ---- cells ----

class Device:
    def __init__(self, name):
        self.name, self.parts, self.joints = name, [], []  # parts: parent, matrix; joints: part, type
        self.values, self.turns = [], []  # degrees or millimetres
        self.matrix, self.host = IDENTITY, None


def numbers(words, index):
    values = [float(w) for w in words[index + 1:index + 17]]
    return [values[i:i + 4] for i in range(0, 16, 4)]


def statements(path):
    """Lists of words; a line that begins with a digit or VALUE belongs to the one before."""
    out = []
    for line in open(path, encoding='ascii'):
        words = shlex.split(line, comments=True)
        if words and out and (words[0][0] in '-0123456789' or words[0] == 'VALUE'):
            out[-1] += words
        elif words:
            out.append(words)
    return out


def read_part(device, words, layers):
    device.parts.append([layers[-2] if len(layers) > 1 else None, IDENTITY])
    layers[-1] = len(device.parts) - 1
    for bit in words[words.index('ATTACH') + 1]:
        if bit == '1':
            layers.append(None)
        else:
            layers.pop()


def read_body(device, lines, angle):
    """Statements up to END, of a device file or of a device inside a workcell."""
    layers = [None]
    for words in iter(lambda: next(lines), ['END']):
        if words[0] == 'PART':
            read_part(device, words, layers)
        elif words[0] == 'JOINT':
            values = dict(zip(words[2::2], words[3::2]))
            device.joints.append((int(values['PART']), values['TYPE'], 'VALUE' not in values))
            if 'VALUE' not in values:
                unit = math.degrees(1) if values['TYPE'].startswith('ROTATE') and angle == 'rad' else 1
                device.values.append(float(values['INIT']) * unit)
        elif words[0] == 'MATRIX' and device.parts:
            device.parts[-1][1] = numbers(words, 0)
        elif words[0] == 'MATRIX':
            device.matrix = numbers(words, 0)


class Cell:
    def __init__(self, name, recording):
        self.name, self.devices, self.changed = name, {}, {}
        self.parts, self.first_part = [], {}  # device and part in it, by number; of each device
        self.path = os.path.join(HERE, name, recording)
        lines = iter(statements(os.path.join(HERE, name, name + '.dcw')))
        for words in lines:
            if words[0] == 'DEVICE':
                self.read_device(words, lines)
            elif words[0] == 'ATTACHMENTS':
                for device, host in zip(self.devices.values(), words[2:]):
                    device.host = None if host == '-1' else int(host)
        self.numbers = {name: i for i, name in enumerate(self.devices)}
        self.lines = ['DCT RECORDING 1.0', None, f'WORKCELL "{name}"  DEVICES {len(self.devices)}  FRAME world']
        for device in self.devices.values():
            if device.values:
                self.note(device.name, 'JOINTS', device.values)  # the first step says where all begins

    def read_device(self, words, lines):
        device = Device(words[1])
        if 'FILE' in words:
            file = iter(statements(os.path.join(HERE, self.name, words[3] + '.dcd')))
            head = {}
            for line in iter(lambda: next(file), None):
                if line[0] == 'DEVICE':
                    break
                head[line[0]] = line[1]
            read_body(device, file, head.get('ANGLE', 'deg'))
            device.matrix = IDENTITY
            for line in iter(lambda: next(lines), ['END']):
                device.matrix = numbers(line, 0)
        else:
            read_body(device, lines, 'deg')
        self.first_part[device.name] = len(self.parts)
        self.parts += [(device, i) for i in range(len(device.parts))]
        self.devices[device.name] = device

    # kinematics

    def world(self, name):
        device = self.devices[name]
        return device.matrix if device.host is None else product(device.matrix, self.part_world(device.host))

    def part_world(self, part):
        """Of a part by its number in the cell: v . joints . matrix . parent."""
        device, index = self.parts[part]
        own = iter(device.values)
        values = [next(own) if is_own else 0.0 for _, _, is_own in device.joints]
        out = IDENTITY
        while index is not None:
            for (at, kind, is_own), value in zip(device.joints, values):
                axis = 'XYZ'.find(kind[-1])
                if at == index and kind.startswith('TRANS'):
                    out = product(out, moved(*[value * (i == axis) for i in range(3)]))
                elif at == index and kind.startswith('ROTATE'):
                    out = product(out, turned(axis, value))
            out = product(out, device.parts[index][1])
            index = device.parts[index][0]
        return product(out, self.world(device.name))

    # what a step says

    def note(self, name, what, value):
        self.changed.setdefault(name, {})[what] = value

    def set_joints(self, name, values):
        values = [round(v, 4) + 0.0 for v in values]
        if self.devices[name].values != values:
            self.devices[name].values = values
            self.note(name, 'JOINTS', values)

    def set_matrix(self, name, matrix):
        """Of a device that hangs on nothing."""
        self.devices[name].matrix = rounded(matrix)
        self.tell_matrix(name)

    def tell_matrix(self, name):
        self.note(name, 'MATRIX', self.world(name))

    def attach(self, name, host, part=0):
        """To a part of another device, or to nothing; what is attached stays where it is."""
        device, here = self.devices[name], rounded(self.world(name))
        device.host = None if host is None else self.first_part[host] + part
        device.matrix = here if host is None else product(here, inverse(self.part_world(device.host)))
        self.tell_matrix(name)
        self.note(name, 'ATTACH', -1 if host is None else device.host)

    def step(self, time):
        self.lines.append('STEP ' + short(time))
        for name in sorted(self.changed, key=self.numbers.get):
            change = self.changed[name]
            rest = ''
            if 'JOINTS' in change:
                rest += f' JOINTS {len(change["JOINTS"])} ' + ' '.join(short(v) for v in change['JOINTS'])
            if 'ATTACH' in change:
                rest += f' ATTACH {change["ATTACH"]}'
            start = f'  DEV {self.numbers[name]}'
            if 'MATRIX' in change:
                rows = [' '.join(short(v) for v in row) for row in rounded(change['MATRIX'])]
                self.lines += [f'{start} MATRIX {rows[0]}  {rows[1]}', f'    {rows[2]}  {rows[3]}{rest}']
            else:
                self.lines.append(start + rest)
        self.changed = {}

    def save(self, comment):
        self.lines[1] = '# ' + comment
        with open(self.path, 'w', encoding='ascii') as file:
            file.write('\n'.join(self.lines + ['END']) + '\n')


def short(value):
    text = f'{value:.6f}'.rstrip('0').rstrip('.')
    return '0' if text == '-0' else text


# ---- robots ----

class Robot:
    """Of six joints z, y, y, x, y, x. keys: time, joint values, whether the flange goes straight there, its pose."""

    def __init__(self, cell, name, shoulder, upper, fore, wrist):
        self.cell, self.name = cell, name
        self.shoulder, self.upper, self.fore, self.wrist = shoulder, upper, fore, wrist
        self.keys = [(0.0, cell.devices[name].values, False, None)]

    def solve(self, target, near):
        """The joint values that bring the flange to `target`, those next to the values `near`."""
        t = product(target, inverse(self.cell.world(self.name)))
        x, y, z = [t[3][i] - self.wrist * t[0][i] for i in range(3)]
        q1 = math.atan2(y, x)
        out, up = math.hypot(x, y) - self.shoulder[0], z - self.shoulder[1]
        reach, length = math.hypot(out, up), math.hypot(*self.fore)
        q2 = math.atan2(out, up) - math.acos((self.upper ** 2 + reach ** 2 - length ** 2) / (2 * self.upper * reach))
        pitch = math.atan2(self.fore[1], self.fore[0]) - math.atan2(up - self.upper * math.cos(q2),
                                                                    out - self.upper * math.sin(q2))
        m = product(t, inverse(product(turned(1, math.degrees(pitch)), turned(2, math.degrees(q1)))))
        q5 = math.acos(max(-1.0, min(1.0, m[0][0])))
        q4, q6 = math.atan2(m[0][1], -m[0][2]), math.atan2(m[1][0], m[2][0])
        ways = []
        for sign in (1, -1):
            turn = 0 if sign == 1 else math.pi
            q = [math.degrees(v) for v in (q1, q2, pitch - q2, q4 + turn, sign * q5, q6 + turn)]
            ways.append([v + 360 * round((n - v) / 360) for v, n in zip(q, near)])
        return min(ways, key=lambda q: max(abs(v - n) for v, n in zip(q, near)))

    def go(self, time, target, straight=False):
        self.keys.append((time, self.solve(target, self.keys[-1][1]), straight, target))

    def wait(self, time):
        self.keys.append((time,) + self.keys[-1][1:])

    def rest(self, time):
        self.keys.append((time,) + self.keys[0][1:])

    def at(self, time):
        after = next((i for i, key in enumerate(self.keys) if key[0] >= time - 1e-9), len(self.keys) - 1)
        before = max(after - 1, 0)
        (t0, q0, _, from_), (t1, q1, straight, target) = self.keys[before], self.keys[after]
        u = eased((time - t0) / (t1 - t0)) if t1 > t0 else 1.0
        q = mixed(q0, q1, u)
        if straight and from_ is not None and 0 < u < 1:
            q = self.solve(target[:3] + [mixed(from_[3], target[3], u)], q)
        return q


def over(matrix, x=0.0, y=0.0, z=0.0):
    return product(matrix, moved(x, y, z))


def track(keys, time):
    """Values between (time, [values]) keys."""
    for (t0, a), (t1, b) in zip(keys, keys[1:]):
        if time <= t1 + 1e-9:
            return mixed(a, b, eased((time - t0) / (t1 - t0)))
    return keys[-1][1]


# ---- the welding cell: a matrix of each gun in each step ----

def weld(path):
    cell = Cell('welding', path)
    plans = []
    for side, height, late, up, seam, spots in (('left', 700, 0.0, (0, 0, 1), 1620, (-750, -600, -480)),
                                                ('right', 900, 0.3, (0, 0, -1), 530, (300, 420, 540))):
        name, gun = 'robot ' + side, 'gun ' + side
        robot = Robot(cell, name, (250, height), 800, (850, 120), 140)
        dock = cell.world(gun)
        inward = -500 if side == 'right' else 500
        robot.go(1.0 + late, over(dock, z=250))
        robot.go(1.5 + late, dock, True)
        robot.go(1.9 + late, over(dock, y=-150, z=200), True)
        robot.go(2.2 + late, over(dock, y=-500, z=300), True)
        robot.go(2.9 + late, over(dock, x=inward, y=0, z=350))
        welds = []
        for i, x in enumerate(spots):
            begin, end = 4.2 + late + 1.2 * i, 4.7 + late + 1.2 * i
            target = pose((0, 1, 0), up, (x, -400, seam + 260 * up[2]))
            if i == 0:
                robot.go(3.6 + late, over(target, y=-250, z=90 * up[2]))
                robot.go(3.9 + late, over(target, y=15, z=90 * up[2]), True)
            robot.go(begin, target, True)
            robot.wait(end)
            welds.append((begin, end))
            if i < 2:
                robot.go(end + 0.3, over(target, x=(spots[i + 1] - x) / 2, y=15), True)
        robot.go(7.4 + late, over(target, y=15, z=90 * up[2]), True)
        robot.go(7.7 + late, over(target, y=-250, z=90 * up[2]), True)
        robot.go(8.4 + late, over(dock, x=inward, y=0, z=350))
        robot.go(9.2 + late, over(dock, y=-500, z=300))
        robot.go(9.5 + late, over(dock, y=-150, z=200), True)
        robot.go(10.0 + late, dock, True)
        robot.go(10.4 + late, over(dock, z=250), True)
        robot.rest(12.0)
        plans.append((side, robot, welds, 1.5 + late, 10.0 + late))
    for i in range(121):
        time = i / 10
        for side, robot, welds, grab, release in plans:
            gun = 'gun ' + side
            cell.set_joints(robot.name, robot.at(time))
            gap, size = -60.0, 0.001
            for begin, end in welds:
                gap += 60 * (eased((time - begin + 0.2) / 0.2) - eased((time - end) / 0.2))
                if begin + 0.05 < time < end - 0.05:
                    size = 0.7 + 0.4 * math.sin(17 * time) ** 2
            cell.set_joints(gun, [gap])
            cell.set_joints('sparks ' + side, [size])
            cell.tell_matrix(gun)
            if abs(time - grab) < 1e-9:
                cell.attach(gun, robot.name, 6 if side == 'left' else 7)
            if abs(time - release) < 1e-9:
                cell.attach(gun, 'rack ' + side)
        cell.step(time)
    cell.save("Two robots fetch guns, weld three spots each and put them back; each step has the guns' matrices.")


# ---- the hexapod: a platform that moves by its matrix, struts by inverse kinematics ----

def contour(path):
    cell = Cell('hexapod', path)
    home = cell.devices['platform'].matrix
    feet = [seen((330, 0, 0), turned(2, a)) for a in (-75, 15, 45, 135, 165, 255)]
    spindle = 0.0
    for i in range(81):
        time = i / 10
        angle = 4 * math.pi * min(max((time - 1.6) / 4.8, 0.0), 1.0)
        in_cut = eased((time - 1.0) / 0.6) - eased((time - 6.4) / 0.6)
        near = eased(time) - eased(time - 7)
        tip = [(-30 + 105 * math.cos(angle)) * near, 33 * math.sin(angle) * near, 810 - 50 * near - 100 * in_cut]
        lean = 6 * in_cut
        turn = product(turned(0, lean * math.sin(angle)), turned(1, lean * math.cos(angle)))
        platform = product(moved(0, 0, 490), turn, moved(*tip))
        cell.set_matrix('platform', home if i in (0, 80) else platform)
        spindle += 72 * (eased((time - 0.3) / 0.7) - eased((time - 7) / 0.7))
        cell.set_joints('platform', [spindle])
        loads = []
        for k, foot in enumerate(feet):
            name = f'strut {k + 1}'
            x, y, z = seen(seen(foot, cell.world('platform')), inverse(cell.world(name)))
            length = math.hypot(x, y, z)
            cell.set_joints(name, [math.degrees(math.atan2(y, -z)), math.degrees(math.asin(-x / length)), length])
            loads.append(1 + (0.8 * math.sin(angle + k) + 0.5 * math.sin(9 * time + 2 * k)) * in_cut)
        error = [1.0 + 1.2 * in_cut * v for v in (math.sin(angle) ** 2, math.cos(angle) ** 2, math.sin(5 * time) ** 2)]
        flat = math.hypot(error[0], error[1])
        cell.set_joints('error', [math.hypot(flat, error[2]) * 0.7, -math.degrees(math.atan2(error[2], flat)),
                                  math.degrees(math.atan2(error[1], error[0]))] + error)
        cell.set_joints('sensors', [max(0.05, v) for v in loads])
        cell.step(time)
    cell.save('The tool goes twice round an ellipse, leaning; lines show the error at the tool and the loads.')


# ---- the assembly station: matrices only where something is grabbed ----

def saw(path):
    cell = Cell('assembly', path)
    robot = Robot(cell, 'robot', (187.5, 825), 600, (637.5, 90), 105)
    dock = cell.world('gripper')
    grabs = [(1.4, 'gripper', 'robot', 7)]  # time, device, host, part of the host
    gantry, feed, table, jaws = [(0.0, [-300, 0, 1000])], [(0.0, [0])], [(0.0, [0])], [(0.0, [0])]
    robot.go(1.0, over(dock, z=200))
    robot.go(1.4, dock, True)
    robot.go(1.9, over(dock, y=-300, z=100), True)
    for c in range(3):
        t = 4.6 * c
        pair = [f'block {2 * c + 1}', f'block {2 * c + 2}']
        feed += [(t + 0.2, [480 * c]), (t + 1.2, [480 * c + 480])]
        gantry += [(t + 1.4, [-300, 0, 1000]), (t + 1.8, [-300, 0, 782]), (t + 1.9, [-300, 0, 782]),
                   (t + 2.3, [-300, 0, 1000]), (t + 3.2, [0, -780, 1000]),
                   (t + 3.7, [0, -780, 790]), (t + 3.8, [0, -780, 790]), (t + 4.2, [0, -780, 1000]),
                   (t + 5.2, [-300, 0, 1000])]
        table += [(t + 4.4, [180 * c]), (t + 5.4, [180 * c + 180])]
        unload = pose((0, 0, -1), (0, 1, 0), (0, -1220, 710 + 255))
        drop = pose((0, 0, -1), (0, 1, 0), (1000, (-1735, -2065, -1735)[c], (400, 400, 480)[c] + 255))
        robot.go(t + 5.6, over(unload, z=150))
        robot.go(t + 6.2, unload, True)
        robot.wait(t + 6.4)
        robot.go(t + 6.8, over(unload, z=200), True)
        robot.go(t + 7.8, over(drop, z=150))
        robot.go(t + 8.2, drop, True)
        robot.wait(t + 8.5)
        robot.go(t + 8.9, over(drop, z=250), True)
        jaws += [(t + 5.0, [0]), (t + 5.4, [30]), (t + 6.2, [30]), (t + 6.4, [0]), (t + 8.3, [0]), (t + 8.5, [30]),
                 (t + 8.9, [30]), (t + 9.1, [0])]
        grabs += [(t + 1.8, block, 'gantry', 3) for block in pair]
        grabs += [(t + 3.8, block, 'turntable', 1) for block in pair]
        grabs += [(t + 6.4, block, 'gripper', 0) for block in pair]
        grabs += [(t + 8.3, block, 'shuttle', 1) if c < 2 else (t + 8.3, block, f'block {k + 1}', 0)
                  for k, block in enumerate(pair)]
    robot.go(19.0, over(dock, z=80))
    robot.go(19.4, dock, True)
    robot.go(19.8, over(dock, z=250), True)
    grabs.append((19.4, 'gripper', None, 0))
    for i in range(201):
        time = i / 10
        cell.set_joints('robot', robot.at(time))
        cell.set_joints('conveyor', track(feed, time))
        cell.set_joints('gantry', track(gantry, time))
        cell.set_joints('turntable', track(table, time))
        cell.set_joints('gripper', track(jaws, time))
        cell.set_joints('shuttle', track([(0.0, [0]), (18.2, [0]), (19.6, [800])], time))
        cut = eased((time - 14.5) / 0.8) - eased((time - 16.5) / 0.5)
        cell.set_joints('saw', [-95 * cut, 60 * i])
        for moment, device, host, part in grabs:
            if abs(moment - time) < 1e-9:
                cell.attach(device, host, part)
        cell.step(time)
    cell.save('Six blocks go from hand to hand, from the belt to a pallet; matrices stand only where a hand grabs.')


if __name__ == '__main__':
    weld('weld.dcr')
    contour('contour.dcr')
    saw('saw.dcr')
