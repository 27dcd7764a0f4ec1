#!/usr/bin/env python3
"""Writes step_clamp.step: an assembly of a plate and two uses of a pin, by ISO 10303-21 and AP214.

The plate is 60 x 40 x 10 mm, grey, with a green top; a pin has a radius of 5 mm and a height of 30 mm, and is blue. Its
second use is turned by 90 degrees about z.
"""
import math

lines = []


def add(text):
    lines.append(text)
    return "#%d" % len(lines)


def listed(items):
    return "(" + ",".join(items) + ")"


def real(value):
    text = repr(round(float(value), 9))
    return text if "." in text else text + "."


def triple(kind, values):
    return add("%s('',%s)" % (kind, listed([real(value) for value in values])))


def axes(origin, z=(0, 0, 1), x=(1, 0, 0)):
    return add("AXIS2_PLACEMENT_3D('',%s,%s,%s)" % (
        triple("CARTESIAN_POINT", origin), triple("DIRECTION", z), triple("DIRECTION", x)))


# ---- boundary representations ----

def vertex(point):
    return add("VERTEX_POINT('',%s)" % triple("CARTESIAN_POINT", point))


def straight_edge(start, end, from_vertex, to_vertex):
    length = math.dist(start, end)
    way = [(b - a) / length for a, b in zip(start, end)]
    line = add("LINE('',%s,%s)" % (
        triple("CARTESIAN_POINT", start), add("VECTOR('',%s,1.)" % triple("DIRECTION", way))))
    return add("EDGE_CURVE('',%s,%s,%s,.T.)" % (from_vertex, to_vertex, line))


def loop(edges):
    """edges: (edge, forward) in order."""
    return add("EDGE_LOOP('',%s)" % listed(
        [add("ORIENTED_EDGE('',*,*,%s,%s)" % (edge, ".T." if forward else ".F.")) for edge, forward in edges]))


def face(loops, surface, same=True):
    bounds = [add("FACE_BOUND('',%s,.T.)" % one) for one in loops]
    return add("ADVANCED_FACE('',%s,%s,%s)" % (listed(bounds), surface, ".T." if same else ".F."))


def solid(faces):
    return add("MANIFOLD_SOLID_BREP('',%s)" % add("CLOSED_SHELL('',%s)" % listed(faces)))


def box(size):
    """A box from the origin; its top is the last face."""
    corners = [[size[axis] * (i >> axis & 1) for axis in range(3)] for i in range(8)]
    vertices = [vertex(corner) for corner in corners]
    edges = {}
    for i in range(8):
        for axis in range(3):
            k = i | 1 << axis
            if k != i:
                edges[i, k] = straight_edge(corners[i], corners[k], vertices[i], vertices[k])
    faces = []
    for ring, normal in (((0, 4, 6, 2), (-1, 0, 0)), ((1, 3, 7, 5), (1, 0, 0)), ((0, 1, 5, 4), (0, -1, 0)),
                         ((2, 6, 7, 3), (0, 1, 0)), ((0, 2, 3, 1), (0, 0, -1)), ((4, 5, 7, 6), (0, 0, 1))):
        pairs = list(zip(ring, ring[1:] + ring[:1]))
        side = [corners[ring[1]][k] - corners[ring[0]][k] for k in range(3)]
        along = [value / math.dist(side, (0, 0, 0)) for value in side]
        plane = add("PLANE('',%s)" % axes(corners[ring[0]], normal, along))
        faces.append(face([loop([(edges[min(p), max(p)], p[0] < p[1]) for p in pairs])], plane))
    return solid(faces), faces


def cylinder(radius, height):
    """A cylinder about z, from z = 0."""
    ends = [[radius, 0, 0], [radius, 0, height]]
    vertices = [vertex(end) for end in ends]
    rings = [add("EDGE_CURVE('',%s,%s,%s,.T.)" % (
        one, one, add("CIRCLE('',%s,%s)" % (axes((0, 0, end[2])), real(radius))))) for one, end in zip(vertices, ends)]
    seam = straight_edge(ends[0], ends[1], vertices[0], vertices[1])
    side = face([loop([(rings[0], True), (seam, True), (rings[1], False), (seam, False)])],
                add("CYLINDRICAL_SURFACE('',%s,%s)" % (axes((0, 0, 0)), real(radius))))
    bottom = face([loop([(rings[0], False)])], add("PLANE('',%s)" % axes((0, 0, 0), (0, 0, -1))))
    top = face([loop([(rings[1], True)])], add("PLANE('',%s)" % axes((0, 0, height))))
    return solid([side, bottom, top])


# ---- products ----

def product(name, context):
    """Returns the definition of a product, and its shape."""
    made = add("PRODUCT('%s','%s','',(%s))" % (name, name, add("PRODUCT_CONTEXT('',%s,'mechanical')" % context)))
    add("PRODUCT_RELATED_PRODUCT_CATEGORY('part','',(%s))" % made)
    formation = add("PRODUCT_DEFINITION_FORMATION('','',%s)" % made)
    definition = add("PRODUCT_DEFINITION('design','',%s,%s)" % (
        formation, add("PRODUCT_DEFINITION_CONTEXT('part definition',%s,'design')" % context)))
    return definition, add("PRODUCT_DEFINITION_SHAPE('','',%s)" % definition)


def colour(red, green, blue, item):
    """Gives an item a colour; the presentation needs the styled items."""
    fill = add("FILL_AREA_STYLE('',(%s))" % add(
        "FILL_AREA_STYLE_COLOUR('',%s)" % add("COLOUR_RGB('',%s,%s,%s)" % (real(red), real(green), real(blue)))))
    style = add("PRESENTATION_STYLE_ASSIGNMENT((%s))" % add(
        "SURFACE_STYLE_USAGE(.BOTH.,%s)" % add("SURFACE_SIDE_STYLE('',(%s))" % add("SURFACE_STYLE_FILL_AREA(%s)" % fill))))
    return style, item


def main():
    application = add("APPLICATION_CONTEXT('automotive design')")
    add("APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,%s)" % application)
    millimetre = add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
    radian = add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
    steradian = add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
    exact = add("UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-06),%s,'distance_accuracy_value','')" % millimetre)
    context = add("(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((%s))"
                  "GLOBAL_UNIT_ASSIGNED_CONTEXT((%s,%s,%s))REPRESENTATION_CONTEXT('',''))"
                  % (exact, millimetre, radian, steradian))
    assembly, assembly_shape = product("Spanner \\X2\\00FC\\X0\\ber Platte", application)
    plate, plate_shape = product("plate", application)
    pin, pin_shape = product("pin", application)
    plate_solid, plate_faces = box((60, 40, 10))
    pin_solid = cylinder(5, 30)
    origin = axes((0, 0, 0))
    plate_form = add("ADVANCED_BREP_SHAPE_REPRESENTATION('',(%s,%s),%s)" % (origin, plate_solid, context))
    pin_form = add("ADVANCED_BREP_SHAPE_REPRESENTATION('',(%s,%s),%s)" % (origin, pin_solid, context))
    add("SHAPE_DEFINITION_REPRESENTATION(%s,%s)" % (plate_shape, plate_form))
    add("SHAPE_DEFINITION_REPRESENTATION(%s,%s)" % (pin_shape, pin_form))
    places = [axes((0, 0, 0)), axes((10, 20, 10)), axes((50, 20, 10), (0, 0, 1), (0, 1, 0))]
    assembly_form = add("SHAPE_REPRESENTATION('',%s,%s)" % (listed([origin] + places), context))
    add("SHAPE_DEFINITION_REPRESENTATION(%s,%s)" % (assembly_shape, assembly_form))
    uses = []
    for name, part, form, place in (("plate", plate, plate_form, places[0]), ("left pin", pin, pin_form, places[1]),
                                    ("right pin", pin, pin_form, places[2])):
        use = add("NEXT_ASSEMBLY_USAGE_OCCURRENCE('%s','%s','',%s,%s,$)" % (name, name, assembly, part))
        shape = add("PRODUCT_DEFINITION_SHAPE('','',%s)" % use)
        moved = add("ITEM_DEFINED_TRANSFORMATION('','',%s,%s)" % (origin, place))
        relation = add("(REPRESENTATION_RELATIONSHIP('','',%s,%s)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(%s)"
                       "SHAPE_REPRESENTATION_RELATIONSHIP())" % (form, assembly_form, moved))
        add("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(%s,%s)" % (relation, shape))
        uses.append(shape)
    styled = [add("STYLED_ITEM('',(%s),%s)" % colour(*one)) for one in (
        (0.6, 0.6, 0.6, plate_solid), (0.2, 0.7, 0.3, plate_faces[-1]), (0.1, 0.3, 0.8, pin_solid))]
    add("MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',%s,%s)" % (listed(styled), context))
    with open("../step_clamp.step", "w", encoding="ascii") as file:
        file.write("ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('a plate and two pins'),'2;1');\n"
                   "FILE_NAME('step_clamp.step','2026-11-29T00:00:00',(''),(''),'','make_clamp.py','');\n"
                   "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));\nENDSEC;\nDATA;\n")
        for number, line in enumerate(lines, 1):
            file.write("#%d=%s;\n" % (number, line))
        file.write("ENDSEC;\nEND-ISO-10303-21;\n")


if __name__ == "__main__":
    main()
