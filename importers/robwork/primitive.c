/* Models by formula: "#Box 1 2 3". #Box and #Cylinder are RobWork's of 2009 (rwlibs/drawable/FaceArrayFactory), the
 * others those of its later GeometryFactory. All lengths are metres, whatever follows the last number is ignored. */
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "robwork.h"

enum { MOST_NUMBERS = 4, USUAL_SIDES = 32, MOST_SIDES = 65536 };

struct primitive {
    const char *word;
    cp_mesh_kind kind;
    int needed; /* numbers that must be there */
    int sides;  /* the number that counts the sides, from 0; -1: none */
};

static const struct primitive primitives[] = {
    {"Box", CP_MESH_BOX, 3, -1},         {"Cylinder", CP_MESH_CYLINDER, 3, 2}, {"Sphere", CP_MESH_SPHERE, 1, 1},
    {"Cone", CP_MESH_CONE, 2, 2},        {"Tube", CP_MESH_TUBE, 3, 3},         {"Plane", CP_MESH_PLANE, 0, -1},
    {"Pyramid", CP_MESH_PYRAMID, 3, -1},
};

const char *robwork_primitive(const char *text, cp_mesh *mesh)
{
    const char *next = text + 1, *end = text + strlen(text);
    while (*next && !is_space(*next))
        next++;
    size_t size = (size_t)(next - text) - 1, i = 0, most = sizeof primitives / sizeof *primitives;
    while (i < most && (strlen(primitives[i].word) != size || memcmp(primitives[i].word, text + 1, size) != 0))
        i++;
    if (i == most)
        return "there is no such primitive";

    const struct primitive *primitive = &primitives[i];
    double numbers[MOST_NUMBERS] = {0};
    int count = 0;
    for (; count < MOST_NUMBERS; count++) {
        while (is_space(*next))
            next++;
        next = parse_double(next, end, &numbers[count]);
        if (!next || !isfinite(numbers[count]))
            break;
    }
    if (count < primitive->needed)
        return "numbers are missing";
    for (int k = 0; k < primitive->needed; k++)
        if (numbers[k] < 0)
            return "a size is negative";

    *mesh = (cp_mesh){.kind = primitive->kind, .source = text};
    switch (primitive->kind) {
    case CP_MESH_CYLINDER:
        mesh->size[0] = numbers[0];
        mesh->size[1] = numbers[1];
        break;
    case CP_MESH_CONE: /* RobWork hands the radius over as that of the top: the tip is at -height / 2 */
        mesh->size[1] = numbers[0];
        mesh->size[2] = numbers[1];
        break;
    case CP_MESH_PLANE: /* RobWork's has no end; it draws it as 100 m x 100 m */
        mesh->size[0] = mesh->size[1] = 100;
        break;
    default:
        memcpy(mesh->size, numbers, (size_t)primitive->needed * sizeof *numbers);
    }
    if (primitive->sides < 0)
        return NULL;

    /* A cylinder always has the count, and 0 makes it empty; the others may leave it out. */
    double sides = count > primitive->sides ? numbers[primitive->sides] : USUAL_SIDES;
    if (sides < 0 || sides > MOST_SIDES)
        return "its number of sides is out of range";
    mesh->sides = (uint32_t)sides;
    if (!mesh->sides && primitive->kind != CP_MESH_CYLINDER)
        mesh->sides = USUAL_SIDES;
    return mesh->sides == 1 || mesh->sides == 2 ? "it has fewer than 3 sides" : NULL;
}
