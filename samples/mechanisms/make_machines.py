#!/usr/bin/env python3
"""Writes the parallel machines beside it: devices with loops, their parts, workcells, and a recording each.

Places of joints and lengths are published (docs/deneb.md names the machines); shapes, names and motions are ours."""
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
GREY, ORANGE, STEEL, BLUE = (0.36, 0.4, 0.44), (0.9, 0.45, 0.12), (0.7, 0.72, 0.75), (0.16, 0.36, 0.62)
FLIPPED = ((1, 0, 0), (0, -1, 0), (0, 0, -1))
IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def number(value):
    return f'{round(value, 9) + 0:.9g}'


def write(name, lines):
    with open(os.path.join(HERE, name), 'w', newline='\n') as file:
        file.write('\n'.join(lines) + '\n')


def matrix(place=(0, 0, 0), axes=IDENTITY):
    """Row vectors: the axes, then the place."""
    rows = [' '.join(number(v) for v in row) + ' 0' for row in axes] + [' '.join(number(v) for v in place) + ' 1']
    return 'MATRIX ' + '  '.join(rows)


# ---- parts ----

def prism(name, outline, low, high):
    """An object: an outline (x, y), pushed along Z."""
    count = len(outline)
    lines = [f'OBJECT "{name}"', f'  POINTS {2 * count}']
    lines += [f'    {number(x)} {number(y)} {number(z)}' for z in (low, high) for x, y in outline]
    lines += [f'  POLYGONS {count + 2}', f'    {count}  ' + ' '.join(str(i) for i in reversed(range(count))),
              f'    {count}  ' + ' '.join(str(count + i) for i in range(count))]
    for i in range(count):
        after = (i + 1) % count
        lines.append(f'    4  {i} {after} {count + after} {count + i}')
    return lines + ['END']


def circle(radius, sides=16, middle=(0, 0)):
    turns = [2 * math.pi * (i + 0.5) / sides for i in range(sides)]
    return [(middle[0] + radius * math.cos(a), middle[1] + radius * math.sin(a)) for a in turns]


def box(x, y, size_x, size_y):
    return [(x - size_x / 2, y - size_y / 2), (x + size_x / 2, y - size_y / 2), (x + size_x / 2, y + size_y / 2),
            (x - size_x / 2, y + size_y / 2)]


def strip(end, half):
    """From the middle to the end, so wide to either side, and that far beyond."""
    length = math.hypot(*end)
    along, across = [(half * end[0] / length, half * end[1] / length), (-half * end[1] / length, half * end[0] / length)]
    return [(-across[0], -across[1]), (end[0] + along[0] - across[0], end[1] + along[1] - across[1]),
            (end[0] + along[0] + across[0], end[1] + along[1] + across[1]), across]


def write_part(name, colour, *prisms):
    lines = ['DCT PART 1.0', 'UNIT mm', f'NAME "{name}"', 'COLOR ' + ' '.join(str(c) for c in colour)]
    for one in prisms:
        lines += one
    write(f'{name}.dcp', lines)


# ---- machines ----

class Machine:
    """A device: parts in the order of a walk through their tree, joints, loops."""

    def __init__(self, name):
        self.name, self.parts, self.joints, self.loops, self.tools = name, [], [], [], []

    def part(self, name, file, parent=None, placing=''):
        self.parts.append((name, file, parent, placing))
        return len(self.parts) - 1

    def joint(self, name, part, kind, words='FREE'):
        self.joints.append(f'  JOINT "{name}" PART {part} TYPE {kind} {words}')

    def loop(self, name, kind, first, second, length=None):
        sides = '  '.join(f'PART {part} {placing}' for part, placing in (first, second))
        self.loops.append(f'  LOOP "{name}" TYPE {kind} {sides}' + (f' LENGTH {length}' if length else ''))

    def flags(self):
        """After each part: one layer closed a generation that goes up to the next part's, then its own opened."""
        depths = []
        for _, _, parent, _ in self.parts:
            depths.append(0 if parent is None else depths[parent] + 1)
        for depth, after in zip(depths, depths[1:] + [None]):
            yield '0' * (depth + 1) if after is None else '0' * (depth + 1 - after) + '1'

    def write(self, comment):
        lines = ['DCT DEVICE 1.1', f'# {comment}', 'UNIT mm', 'ANGLE deg', f'DEVICE "{self.name}"']
        for (name, file, _, placing), flag in zip(self.parts, self.flags()):
            lines.append(f'  PART "{name}"' + (f' FILE "{file}"' if file else '') + f' ATTACH {flag}'
                         + (f' {placing}' if placing else ''))
        lines += self.joints + self.loops + self.tools + ['END']
        write(f'{self.name}.dcd', lines)
        write(f'{self.name}.dcw', ['DCT WORKCELL 1.0', 'HEAD', f'  NAME "{self.name}"  UNIT mm  ANGLE deg', 'END',
                                   'DEVICES', f'  DEVICE "{self.name}" FILE "{self.name}"', '  END', 'END'])

    def record(self, seconds, steps, values):
        lines = ['DCT RECORDING 1.0', f'WORKCELL "{self.name}"  DEVICES 1']
        for i in range(steps + 1):
            joints = values(2 * math.pi * i / steps)
            lines += [f'STEP {number(seconds * i / steps)}',
                      f'  DEV 0 JOINTS {len(joints)} ' + ' '.join(number(v) for v in joints)]
        write(f'{self.name}.dcr', lines + ['END'])


def rotation(yaw, pitch, roll):
    """Rz(yaw) Ry(pitch) Rx(roll) of degrees, row by row, for column vectors."""
    (sz, cz), (sy, cy), (sx, cx) = [(math.sin(math.radians(a)), math.cos(math.radians(a))) for a in (yaw, pitch, roll)]
    return ((cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx),
            (sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx), (-sy, cy * sx, cy * cx))


def turned(m, v):
    return [sum(row[i] * v[i] for i in range(3)) for row in m]


def lengths(m, place, bases, tops, rests):
    return [math.dist([a + b for a, b in zip(turned(m, top), place)], base) - rest
            for base, top, rest in zip(bases, tops, rests)]


def write_hexapod(name, bases, tops, round_rods, file, comment, rest=376.5):
    machine = Machine(name)
    base = machine.part('base', f'{name}_base')
    rods = []
    for i, (b, t) in enumerate(zip(bases, tops), 1):
        tube = machine.part(f'tube {i}', f'{file}_tube', base, matrix(b))
        rods.append(machine.part(f'rod {i}', f'{file}_rod', tube, matrix((0, 0, rest))))
        machine.joint(f'tube {i} y', tube, 'ROTATE_Y')
        machine.joint(f'tube {i} x', tube, 'ROTATE_X')
        if round_rods:
            machine.joint(f'rod {i} turn', rods[-1], 'ROTATE_Z')
        machine.joint(f'J{i}', rods[-1], 'TRANS_Z', 'LOWER -60 UPPER 60')
        if i == 1:
            wrist = machine.part('wrist', None, rods[0])
            platform = machine.part('platform', f'{name}_platform', wrist, matrix([-v for v in t]))
            for axis in ('Y', 'X') if round_rods else ('Z', 'Y', 'X'):
                machine.joint(f'wrist {axis.lower()}', wrist, f'ROTATE_{axis}')
    for i in range(1, 6):
        if round_rods:  # the cross: Z along the rod's X, and along the platform's Y
            machine.loop(f'joint {i + 1}', 'UNIVERSAL', (rods[i], matrix((0, 0, 0), ((0, 1, 0), (0, 0, 1), (1, 0, 0)))),
                         (platform, matrix(tops[i], ((0, 0, 1), (1, 0, 0), (0, 1, 0)))))
        else:
            machine.loop(f'joint {i + 1}', 'SPHERICAL', (rods[i], matrix()), (platform, matrix(tops[i])))
    machine.tools.append(f'  TOOL "tool" PART {platform}')
    machine.write(comment)
    low = max(b[2] for b in bases)
    write_part(f'{name}_base', GREY, prism('plate', circle(max(math.hypot(*b[:2]) for b in bases) + 20, 24), 0, low - 12),
               *[prism(f'seat {i}', circle(14, 12, b[:2]), low - 12, low) for i, b in enumerate(bases, 1)])
    under = tops[0][2]
    write_part(f'{name}_platform', ORANGE,
               prism('plate', circle(max(math.hypot(*t[:2]) for t in tops) + 12, 24), under, under + 14),
               prism('pin', circle(12, 12), under + 14, 0))
    height = math.sqrt(rest ** 2 - sum((b - t) ** 2 for b, t in zip(bases[0][:2], tops[0][:2])))
    middle = bases[0][2] + height - tops[0][2]

    def values(phase):
        place = (30 * math.cos(phase) - 30, 30 * math.sin(phase), middle + 12 * math.sin(phase))
        return lengths(rotation(6 * math.sin(phase), 5 * math.sin(2 * phase), 4 * math.sin(phase)), place, bases, tops, [rest] * 6)

    machine.record(4, 80, values)


def write_exechon():
    bases, tops = ((420, 0, 0), (-420, 0, 0), (0, 670, 0)), ((173, -50, 485), (-173, -50, 485), (0, 173, 485))
    rests = (803.887, 803.887, 886.021)
    machine = Machine('exechon')
    base = machine.part('base', 'exechon_base')
    rods = []
    for i, (b, t) in enumerate(zip(bases, tops), 1):
        tube = machine.part(f'tube {i}', 'exechon_tube', base, matrix(b, FLIPPED))
        rods.append(machine.part(f'rod {i}', 'exechon_rod', tube, matrix((0, 0, rests[i - 1]))))
        for axis in 'YX' if i < 3 else 'ZYX':
            machine.joint(f'tube {i} {axis.lower()}', tube, f'ROTATE_{axis}')
        machine.joint(f'J{i}', rods[-1], 'TRANS_Z', 'LOWER -150 UPPER 150')
        if i == 1:
            hinge = machine.part('hinge', None, rods[0])
            platform = machine.part('platform', 'exechon_platform', hinge, matrix((-t[0], t[1], t[2]), FLIPPED))
            machine.joint('hinge', hinge, 'ROTATE_Y')
    along_y = ((1, 0, 0), (0, 0, -1), (0, 1, 0))  # Z along Y; against it, for what is flipped; along X
    against_y = ((1, 0, 0), (0, 0, 1), (0, -1, 0))
    along_x = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
    machine.loop('joint 2', 'REVOLUTE', (rods[1], matrix((0, 0, 0), along_y)), (platform, matrix(tops[1], against_y)))
    machine.loop('joint 3', 'REVOLUTE', (rods[2], matrix((0, 0, 0), along_x)), (platform, matrix(tops[2], along_x)))
    machine.tools.append(f'  TOOL "tool" PART {platform}')
    machine.write('An Exechon: two conditions of its loops follow from the others, so that it has 3 degrees of freedom.')
    write_part('exechon_base', GREY, prism('beam', box(0, 0, 1000, 90), 60, 130), prism('arm', box(0, 380, 110, 680), 60, 130),
               *[prism(f'seat {i}', circle(45, 12, b[:2]), -20, 60) for i, b in enumerate(bases, 1)])
    write_part('exechon_tube', BLUE, prism('tube', circle(40), -260, 500))
    write_part('exechon_rod', STEEL, prism('rod', circle(24), -520, 0), prism('eye', circle(36, 12), -30, 30))
    write_part('exechon_platform', ORANGE, prism('plate', [(-210, -90), (210, -90), (60, 215), (-60, 215)], 430, 470),
               prism('spindle', circle(60), 60, 430), prism('tool', circle(16), 0, 60))

    def values(phase):
        a, b, w = 8 * math.sin(phase), 9 * math.sin(2 * phase), -1250 - 40 * (1 - math.cos(phase))
        (sa, ca), (sb, cb) = [(math.sin(math.radians(v)), math.cos(math.radians(v))) for v in (a, b)]
        m = ((cb, 0, sb), (sa * sb, ca, -sa * cb), (-ca * sb, sa, ca * cb))  # Rx(a) Ry(b)
        return lengths(m, turned(m, (670 * sa * sb, 50, w)), bases, tops, rests)

    machine.record(4, 80, values)


def write_gantry(name, comment, copies=None, rods=False):
    """copies: offsets of further links beside each published one, the same on cart and platform. Without them three
    slides stand for a platform that keeps its orientation. rods: links are parts, with a cross at the cart and a ball
    at the platform; else they are distances, which nobody sees."""
    starts = ((0, 0, 0), (-1100, 700, 0), (-2200, 0, 0))
    carts = ((-96.569, -185, -400), (0, -322.843, -173.726), (96.569, 0, -400))
    tops = ((224.999, -240.001, 171.568), (0, 39.705, 336.862), (-182.574, -80, 213.994))
    links = (1500, 1500, 1499.775)
    machine = Machine(name)
    shape = 'gantry_tau_rods' if rods else 'gantry_tau'
    base = machine.part('base', 'gantry_tau_base')
    platform = machine.part('platform', f'{shape}_platform', base, matrix((-1100, -600, -1200)))
    for axis in 'XYZ' if copies else '':
        machine.joint(f'platform turn {axis.lower()}', platform, f'ROTATE_{axis}')
    for axis in 'ZYX':
        machine.joint(f'platform {axis.lower()}', platform, f'TRANS_{axis}')
    for i in range(3):
        cart = machine.part(f'cart {i + 1}', f'gantry_tau_rods_cart_{i + 1}' if rods else 'gantry_tau_cart', base, matrix(starts[i], FLIPPED))
        machine.joint(f'J{i + 1}', cart, 'TRANS_Z', 'INIT -480 LOWER -900 UPPER 0')
        for letter, offset in zip('abc', [(0, 0, 0)] + copies[i] if copies else [None]):
            a, b = ([p + o for p, o in zip(place, offset or (0, 0, 0))] for place in (carts[i], tops[i]))
            at_cart = matrix((a[0], -a[1], -a[2]))
            if rods:
                rod = machine.part(f'rod {i + 1}', 'gantry_tau_rod', cart, at_cart)
                for axis in 'YX':
                    machine.joint(f'rod {i + 1} {axis.lower()}', rod, f'ROTATE_{axis}')
                machine.loop(f'link {i + 1}', 'SPHERICAL', (rod, matrix((0, 0, links[i]))), (platform, matrix(b)))
            else:
                machine.loop(f'link {i + 1}' + (letter if offset else ''), 'DISTANCE', (cart, at_cart),
                             (platform, matrix(b)), links[i])
    machine.tools.append(f'  TOOL "tool" PART {platform}')
    machine.write(comment)
    if copies:
        return
    write_part('gantry_tau_base', GREY, *[prism(f'rail {i}', box(x, y, 60, 60), -1600, 900)
                                          for i, (x, y, _) in enumerate(starts, 1)])
    cart, body = prism('cart', box(0, 0, 160, 160), -120, 120), prism('body', circle(90), 60, 340)
    tool = prism('tool', circle(20), 0, 60)
    if rods:  # arms that reach to where the rods end
        write_part('gantry_tau_rod', STEEL, prism('rod', circle(14, 12), 0, 1500))
        for i, (x, y, z) in enumerate(carts, 1):
            write_part(f'gantry_tau_rods_cart_{i}', BLUE, cart, prism('arm', strip((x, -y), 30), -20, 20),
                       prism('post', circle(25, 12, (x, -y)), 0, -z))
        write_part('gantry_tau_rods_platform', ORANGE, body, tool,
                   *[prism(f'arm {i}', strip((x, y), 30), z - 15, z + 15) for i, (x, y, z) in enumerate(tops, 1)])
    else:
        write_part('gantry_tau_cart', BLUE, cart)
        write_part('gantry_tau_platform', ORANGE, body, tool)

    def values(phase):
        place = (-1100 + 180 * math.sin(phase), -600 + 120 * math.sin(2 * phase), -1200 + 150 * (1 - math.cos(phase)))
        result = []
        for start, cart, top, link in zip(starts, carts, tops, links):
            n = [a + b for a, b in zip(top, place)]
            rest = math.sqrt(link ** 2 - sum((start[k] + cart[k] - n[k]) ** 2 for k in (0, 1)))
            result.append(-(n[2] - cart[2] + rest))  # bit 0: the smaller value
        return result

    machine.record(4, 80, values)


write_part('leg_tube', BLUE, prism('tube', circle(9, 12), 0, 210))
write_part('leg_rod', STEEL, prism('rod', circle(5.5, 12), -220, 0), prism('ball', circle(8, 12), -8, 8))
write_hexapod('hexapod',
              ((31, 118.156, 40.205), (-31, 118.156, 40.205), (-117.826, -32.231, 40.205), (-86.826, -85.925, 40.205),
               (86.826, -85.925, 40.205), (117.826, -32.231, 40.205)),
              ((31, 48.799, -31.45), (-31, 48.799, -31.45), (-57.761, 2.447, -31.45), (-26.761, -51.246, -31.45),
               (26.761, -51.246, -31.45), (57.761, 2.447, -31.45)),
              False, 'leg', 'A hexapod of six legs RR-P-RRR: the first one carries the platform, five balls close loops.')
write_hexapod('flexapod',
              ((-132.5, 26, 58.5), (43.733, 127.748, 58.5), (88.767, 101.748, 58.5), (88.767, -101.748, 58.5),
               (43.733, -127.748, 58.5), (-132.5, -26, 58.5)),
              ((-48.767, 32.466, -75), (-3.733, 58.466, -75), (52.5, 26, -75), (52.5, -26, -75), (-3.733, -58.466, -75),
               (-48.767, -32.466, -75)),
              True, 'leg', 'A Flexapod 6P of six legs U-C-U.')
write_exechon()
write_gantry('gantry_tau', 'A Gantry-Tau by its three published links; the platform keeps its orientation, so three slides stand for it.')
write_gantry('gantry_tau_six', 'A Gantry-Tau of six links: the three published ones, and copies beside them by offsets of ours.',
             [[], [(0, 0, 160)], [(160, 0, 0), (0, 0, 160)]])
write_gantry('gantry_tau_rods', 'The Gantry-Tau of three links, which are rods with a cross and a ball at their ends.', rods=True)
