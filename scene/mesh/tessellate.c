/* Primitives (box, cylinder, ...) as closed meshes wound outward. Corner i of a ring is at i / sides of a turn from
 * +x; positions are rounded once, from double to float, or not at all. Sizes of zero give faces without area. */
#include "mesh.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"

enum { DEFAULT_SIDES = 32 };

struct counts {
    uint64_t vertices, faces, corners;
};

struct builder {
    cp_context *context;
    double (*positions)[3];
    uint32_t *offsets, *corners;
    uint32_t vertex_count, face_count, corner_count;
};

static struct counts counts_add(struct counts counts, uint64_t faces, uint64_t corners_each)
{
    counts.faces += faces;
    counts.corners += faces * corners_each;
    return counts;
}

static uint64_t round_sides(const cp_mesh *mesh)
{
    if (mesh->kind == CP_MESH_CYLINDER)
        return mesh->sides;
    if (mesh->sides == 0)
        return DEFAULT_SIDES;
    return mesh->sides < 3 ? 3 : mesh->sides;
}

static uint64_t sphere_bands(uint64_t sides)
{
    return sides < 4 ? 2 : sides / 2;
}

/* The bands of each half sphere of a capsule. */
static uint64_t capsule_bands(uint64_t sides)
{
    return sides < 4 ? 1 : sides / 4;
}

/* Quads make a ring; apexes and poles give triangles. Two caps need 3 sides. */
static struct counts count_primitive(const cp_mesh *mesh)
{
    uint64_t sides = round_sides(mesh), bands = sphere_bands(sides);
    bool pointed_below = mesh->size[0] == 0, pointed_above = mesh->size[1] == 0;
    struct counts counts = {0};
    switch (mesh->kind) {
    case CP_MESH_BOX:
        return counts_add((struct counts){.vertices = 8}, 6, 4);
    case CP_MESH_CONE:
        if (pointed_below && pointed_above)
            return counts;
        if (pointed_below || pointed_above)
            return counts_add(counts_add((struct counts){.vertices = sides + 1}, sides, 3), 1, sides);
        break;
    case CP_MESH_SPHERE:
        counts = counts_add((struct counts){.vertices = 2 + sides * (bands - 1)}, 2 * sides, 3);
        return counts_add(counts, sides * (bands - 2), 4);
    case CP_MESH_CAPSULE:
        bands = capsule_bands(sides);
        counts = counts_add((struct counts){.vertices = 2 + 2 * sides * bands}, 2 * sides, 3);
        return counts_add(counts, sides * (2 * bands - 1), 4);
    case CP_MESH_TUBE:
        return counts_add((struct counts){.vertices = 4 * sides}, 4 * sides, 4);
    case CP_MESH_PLANE:
        return counts_add((struct counts){.vertices = 4}, 1, 4);
    case CP_MESH_PYRAMID:
        return counts_add(counts_add((struct counts){.vertices = 5}, 1, 4), 4, 3);
    case CP_MESH_FACES:
    case CP_MESH_LINES:
        return counts;
    case CP_MESH_CYLINDER:
        break;
    }
    counts = counts_add((struct counts){.vertices = 2 * sides}, sides, 4);
    return sides >= 3 ? counts_add(counts, 2, sides) : counts;
}

uint64_t tessellation_triangles(const cp_mesh *mesh)
{
    struct counts counts = count_primitive(mesh);
    return counts.corners - 2 * counts.faces;
}

/* Finds sine and cosine of part / whole of a turn. libm computes them within an eighth of a turn, and symmetry gives
 * the rest, so that quarters are exact and opposite corners mirror each other. */
static void turn_point(uint64_t part, uint64_t whole, double *sine, double *cosine)
{
    uint64_t quarter = 4 * (part % whole) / whole, rest = 4 * (part % whole) % whole;
    bool beyond_eighth = 2 * rest > whole;
    double angle = (double)(beyond_eighth ? whole - rest : rest) / (double)whole * (PI / 2);
    double s = 2 * rest == whole ? sqrt(0.5) : sin(angle), c = 2 * rest == whole ? s : cos(angle);
    double y = beyond_eighth ? c : s, x = beyond_eighth ? s : c;
    *cosine = quarter == 0 ? x : quarter == 1 ? 0 - y : quarter == 2 ? 0 - x : y;
    *sine = quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? 0 - y : 0 - x;
}

/* Adding 0 makes +0 of -0. */
static void add_vertex(struct builder *builder, double x, double y, double z)
{
    double *position = builder->positions[builder->vertex_count++];
    position[0] = x + 0.0;
    position[1] = y + 0.0;
    position[2] = z + 0.0;
}

/* Adds a ring of `sides` vertices, and returns the first one. */
static uint32_t add_ring(struct builder *builder, uint32_t sides, double radius, double z)
{
    uint32_t first = builder->vertex_count;
    for (uint32_t i = 0; i < sides; i++) {
        double sine, cosine;
        turn_point(i, sides, &sine, &cosine);
        add_vertex(builder, radius * cosine, radius * sine, z);
    }
    return first;
}

static uint32_t add_point(struct builder *builder, double z)
{
    add_vertex(builder, 0, 0, z);
    return builder->vertex_count - 1;
}

static void add_face(struct builder *builder, uint32_t size, const uint32_t *corners)
{
    memcpy(builder->corners + builder->corner_count, corners, size * sizeof *corners);
    builder->corner_count += size;
    builder->offsets[++builder->face_count] = builder->corner_count;
}

/* Quads between two rings, seen from outside when `upper` is above `lower`. */
static void add_band(struct builder *builder, uint32_t sides, uint32_t lower, uint32_t upper)
{
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t j = i + 1 < sides ? i + 1 : 0;
        add_face(builder, 4, (const uint32_t[4]){lower + i, lower + j, upper + j, upper + i});
    }
}

static void add_cap(struct builder *builder, uint32_t sides, uint32_t ring, bool above)
{
    for (uint32_t i = 0; i < sides; i++)
        builder->corners[builder->corner_count++] = above || i == 0 ? ring + i : ring + sides - i;
    builder->offsets[++builder->face_count] = builder->corner_count;
}

static void add_pointed(struct builder *builder, uint32_t sides, uint32_t ring, uint32_t apex, bool apex_above)
{
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t here = ring + i, next = i + 1 < sides ? here + 1 : ring;
        add_face(builder, 3, (const uint32_t[3]){apex_above ? here : next, apex_above ? next : here, apex});
    }
}

static void build_frustum(struct builder *builder, uint32_t sides, const double radius[2], double height)
{
    uint32_t lower = add_ring(builder, sides, radius[0], -height / 2);
    uint32_t upper = add_ring(builder, sides, radius[1], height / 2);
    add_band(builder, sides, lower, upper);
    if (sides < 3)
        return;
    add_cap(builder, sides, upper, true);
    add_cap(builder, sides, lower, false);
}

static void build_cone(struct builder *builder, uint32_t sides, const double size[3])
{
    if (size[0] == 0 && size[1] == 0)
        return;
    if (size[0] != 0 && size[1] != 0) {
        build_frustum(builder, sides, size, size[2]);
        return;
    }
    bool apex_above = size[1] == 0;
    double half = size[2] / 2;
    uint32_t ring = add_ring(builder, sides, apex_above ? size[0] : size[1], apex_above ? -half : half);
    uint32_t apex = add_point(builder, apex_above ? half : -half);
    add_pointed(builder, sides, ring, apex, apex_above);
    add_cap(builder, sides, ring, !apex_above);
}

static void build_sphere(struct builder *builder, uint32_t sides, double radius)
{
    uint32_t bands = (uint32_t)sphere_bands(sides);
    uint32_t south = add_point(builder, -radius), ring = 0;
    for (uint32_t i = 1; i < bands && !context_is_cancelled(builder->context); i++) {
        double sine, cosine;
        turn_point(i, 2 * (uint64_t)bands, &sine, &cosine);
        uint32_t below = ring;
        ring = add_ring(builder, sides, radius * sine, -radius * cosine);
        if (i == 1)
            add_pointed(builder, sides, ring, south, false);
        else
            add_band(builder, sides, below, ring);
    }
    uint32_t north = add_point(builder, radius);
    add_pointed(builder, sides, ring, north, true);
}

/* The half spheres end in rings of their own, between which the cylinder is. */
static void build_capsule(struct builder *builder, uint32_t sides, const double size[3])
{
    uint32_t bands = (uint32_t)capsule_bands(sides), ring = 0;
    uint32_t south = add_point(builder, -size[1] / 2 - size[0]);
    for (uint32_t i = 1; i <= 2 * bands && !context_is_cancelled(builder->context); i++) {
        double sine, cosine;
        bool above = i > bands;
        turn_point(above ? i - 1 : i, 4 * (uint64_t)bands, &sine, &cosine);
        uint32_t below = ring;
        ring = add_ring(builder, sides, size[0] * sine, (above ? size[1] / 2 : -size[1] / 2) - size[0] * cosine);
        if (i == 1)
            add_pointed(builder, sides, ring, south, false);
        else
            add_band(builder, sides, below, ring);
    }
    uint32_t north = add_point(builder, size[1] / 2 + size[0]);
    add_pointed(builder, sides, ring, north, true);
}

static void build_tube(struct builder *builder, uint32_t sides, const double size[3])
{
    double inner = size[0], outer = size[0] + size[1], half = size[2] / 2;
    uint32_t outer_lower = add_ring(builder, sides, outer, -half), outer_upper = add_ring(builder, sides, outer, half);
    uint32_t inner_lower = add_ring(builder, sides, inner, -half), inner_upper = add_ring(builder, sides, inner, half);
    add_band(builder, sides, outer_lower, outer_upper);
    add_band(builder, sides, outer_upper, inner_upper);
    add_band(builder, sides, inner_upper, inner_lower);
    add_band(builder, sides, inner_lower, outer_lower);
}

static void build_base(struct builder *builder, const double size[3])
{
    add_vertex(builder, -size[0] / 2, -size[1] / 2, 0);
    add_vertex(builder, size[0] / 2, -size[1] / 2, 0);
    add_vertex(builder, size[0] / 2, size[1] / 2, 0);
    add_vertex(builder, -size[0] / 2, size[1] / 2, 0);
}

static void build_primitive(struct builder *builder, const cp_mesh *mesh)
{
    static const uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    uint32_t sides = (uint32_t)round_sides(mesh), apex;
    const double *size = mesh->size;
    switch (mesh->kind) {
    case CP_MESH_BOX:
        for (int i = 0; i < 8; i++)
            add_vertex(builder, i & 1 ? size[0] / 2 : -size[0] / 2, i & 2 ? size[1] / 2 : -size[1] / 2,
                       i & 4 ? size[2] / 2 : -size[2] / 2);
        for (int i = 0; i < 6; i++)
            add_face(builder, 4, quads[i]);
        break;
    case CP_MESH_CYLINDER:
        build_frustum(builder, sides, (const double[2]){size[0], size[0]}, size[1]);
        break;
    case CP_MESH_SPHERE:
        build_sphere(builder, sides, size[0]);
        break;
    case CP_MESH_CAPSULE:
        build_capsule(builder, sides, size);
        break;
    case CP_MESH_CONE:
        build_cone(builder, sides, size);
        break;
    case CP_MESH_TUBE:
        build_tube(builder, sides, size);
        break;
    case CP_MESH_PLANE:
        build_base(builder, size);
        add_face(builder, 4, (const uint32_t[4]){0, 1, 2, 3});
        break;
    case CP_MESH_PYRAMID:
        build_base(builder, size);
        apex = add_point(builder, size[2]);
        add_face(builder, 4, (const uint32_t[4]){0, 3, 2, 1});
        add_pointed(builder, 4, 0, apex, true);
        break;
    case CP_MESH_FACES:
    case CP_MESH_LINES:
        break;
    }
}

cp_status tessellate_exactly(cp_context *context, struct arena *arena, cp_mesh *mesh, double (**positions)[3])
{
    *positions = NULL;
    struct counts counts = count_primitive(mesh);
    uint64_t triangles = counts.corners - 2 * counts.faces, most = context->limits.primitive_triangles;
    if (triangles > most)
        return report_error(context, CP_LIMIT, "mesh-too-large", NOWHERE,
                            "the primitive \"%s\" of %u sides has %llu triangles, more than the limit of %llu "
                            "(--limit primitive-triangles=)",
                            mesh_title(mesh), mesh->sides, (unsigned long long)triangles, (unsigned long long)most);
    if (counts.vertices > context->limits.vertices || counts.vertices >= CP_NONE || counts.corners >= CP_NONE)
        return report_error(context, CP_LIMIT, "mesh-too-large", NOWHERE,
                            "mesh \"%s\" of %u sides has %llu vertices, more than a mesh may have", mesh_title(mesh),
                            mesh->sides, (unsigned long long)counts.vertices);
    struct builder builder = {.context = context,
                              .positions = memory_allocate(context, (size_t)counts.vertices, sizeof *builder.positions),
                              .offsets = arena_allocate(arena, (size_t)counts.faces + 1, sizeof(uint32_t)),
                              .corners = arena_allocate(arena, (size_t)counts.corners, sizeof(uint32_t))};
    bool good = builder.positions && builder.offsets && builder.corners;
    if (good) {
        builder.offsets[0] = 0;
        if (counts.faces > 0)
            build_primitive(&builder, mesh);
        good = !context_is_cancelled(context);
    }
    if (good) {
        mesh->kind = CP_MESH_FACES;
        mesh->sides = 0;
        for (int i = 0; i < 3; i++)
            mesh->size[i] = 0;
        mesh->vertex_count = builder.vertex_count;
        mesh->face_count = builder.face_count;
        mesh->corner_count = builder.corner_count;
        mesh->positions = NULL;
        mesh->face_offsets = builder.offsets;
        mesh->corners = builder.corners;
    }
    if (good && mesh->group_count > 0) {
        /* One group, with the material that the primitive's first group names. */
        const cp_group group = {0, mesh->face_count, mesh->groups[0].material};
        mesh->groups = arena_copy(arena, &group, 1, sizeof group);
        mesh->group_count = mesh->face_count > 0 ? 1 : 0;
        good = mesh->groups != NULL;
    }
    if (good)
        *positions = builder.positions;
    else
        memory_free(context, builder.positions, (size_t)counts.vertices, sizeof *builder.positions);
    return good ? CP_OK : CP_LIMIT;
}

cp_status tessellate_in(cp_context *context, struct arena *arena, cp_mesh *mesh)
{
    double(*exact)[3];
    if (mesh->kind < CP_MESH_BOX)
        return CP_OK;
    cp_status status = tessellate_exactly(context, arena, mesh, &exact);
    if (status != CP_OK)
        return status;
    float *positions = arena_allocate(arena, 3 * (size_t)mesh->vertex_count, sizeof *positions);
    status = positions ? CP_OK : CP_LIMIT;
    for (size_t i = 0; status == CP_OK && i < 3 * (size_t)mesh->vertex_count; i++) {
        double value = exact[i / 3][i % 3];
        if (fabs(value) <= (double)FLT_MAX)
            positions[i] = (float)value;
        else
            status = report_error(context, CP_LIMIT, "mesh-range", NOWHERE,
                                  "mesh \"%s\" is too large for its coordinates", mesh_title(mesh));
    }
    memory_free(context, exact, mesh->vertex_count, sizeof *exact);
    if (status == CP_OK)
        mesh->positions = positions;
    return status;
}

cp_status mesh_tessellate(cp_scene *scene, cp_mesh *mesh)
{
    return tessellate_in(scene->context, scene->arena, mesh);
}
