/* Repairs caps: triangles whose middle corner lies on their longest edge. Without the triangle that edge would be open.
 * To turn the edge gives the middle corner to the neighbour. */
#include "topology.h"

#include <string.h>

#include "mesh/mesh.h"

/* The most faces round the middle corner that are searched for an edge that is there already. */
enum { MOST_AROUND = 200 };

struct caps {
    cp_mesh mesh; /* with corners of its own */
    struct mesh_edges edges;
    uint32_t *corners;
    uint32_t *faces;   /* of each corner */
    uint32_t *partner; /* indexed by edge: the other one if there are exactly two, else CP_NONE */
    uint32_t *uses;    /* for the first of all equal edges: their number */
    uint32_t *groups;  /* of each face */
    bool *drop;
    uint32_t *stack; /* faces without area that wait for a look */
    bool *waits;     /* indexed by face: in the stack */
    uint32_t depth;
    size_t turns_left; /* for edges between two caps, which leave both without an area */
    struct cap_counts *counts;
};

static uint32_t place_at(const struct caps *caps, uint32_t corner)
{
    return caps->edges.places[caps->corners[corner]];
}

/* A triangle's edges in order, from the given one. */
struct triangle {
    uint32_t edges[3];
};

static struct triangle triangle_from(const struct caps *caps, uint32_t edge)
{
    uint32_t first = mesh_face_first(&caps->mesh, caps->faces[edge]), i = edge - first;
    return (struct triangle){{edge, first + (i + 1) % 3, first + (i + 2) % 3}};
}

static struct triangle cap_from_longest(const struct caps *caps, uint32_t face)
{
    uint32_t first = mesh_face_first(&caps->mesh, face), longest = 0;
    double length = -1;
    for (uint32_t i = 0; i < 3; i++) {
        const float *a = caps->mesh.positions + 3 * (size_t)caps->corners[first + i];
        const float *b = caps->mesh.positions + 3 * (size_t)caps->corners[first + (i + 1) % 3];
        double squares = 0;
        for (int axis = 0; axis < 3; axis++)
            squares += ((double)a[axis] - (double)b[axis]) * ((double)a[axis] - (double)b[axis]);
        if (squares > length) {
            length = squares;
            longest = i;
        }
    }
    return triangle_from(caps, first + longest);
}

static uint32_t corner_after(const struct caps *caps, uint32_t corner)
{
    uint32_t face = caps->faces[corner], first = mesh_face_first(&caps->mesh, face);
    return corner + 1 < first + mesh_face_size(&caps->mesh, face) ? corner + 1 : first;
}

static uint32_t corner_before(const struct caps *caps, uint32_t corner)
{
    uint32_t face = caps->faces[corner], first = mesh_face_first(&caps->mesh, face);
    return (corner > first ? corner : first + mesh_face_size(&caps->mesh, face)) - 1;
}

/* Returns the corner of the next face round the corner's place, this way or the other way round; CP_NONE where there is
 * none. */
static uint32_t step_around(const struct caps *caps, uint32_t corner, bool back)
{
    uint32_t partner = caps->partner[back ? corner : corner_before(caps, corner)];
    if (partner == CP_NONE)
        return CP_NONE;
    uint32_t next = back ? corner_after(caps, partner) : partner;
    return place_at(caps, next) == place_at(caps, corner) ? next : CP_NONE;
}

/* Returns true if a neighbour of the corner's place in its fan is the place, or when there are too many to search. */
static bool is_around(const struct caps *caps, uint32_t corner, uint32_t place, bool back)
{
    uint32_t at = corner;
    for (int step = 0; step < MOST_AROUND; step++) {
        if (place_at(caps, corner_after(caps, at)) == place || place_at(caps, corner_before(caps, at)) == place)
            return true;
        at = step_around(caps, at, back);
        if (at == CP_NONE || at == corner)
            return false;
    }
    return true;
}

static void set_edge(struct caps *caps, uint32_t edge, uint32_t first, uint32_t partner)
{
    caps->edges.first[edge] = first;
    caps->partner[edge] = partner;
    if (partner != CP_NONE)
        caps->partner[partner] = edge;
}

/* cap runs s t b, the neighbour t s d: they become b s d and t b d. The corners s, t, d are the neighbour's. */
static void turn_edge(struct caps *caps, const struct triangle *cap, const struct triangle *other)
{
    const uint32_t *corners = caps->corners;
    const uint32_t t = corners[other->edges[0]], s = corners[other->edges[1]], d = corners[other->edges[2]],
                   b = corners[cap->edges[2]];
    const uint32_t tb[2] = {caps->edges.first[cap->edges[1]], caps->partner[cap->edges[1]]},
                   bs[2] = {caps->edges.first[cap->edges[2]], caps->partner[cap->edges[2]]},
                   sd[2] = {caps->edges.first[other->edges[1]], caps->partner[other->edges[1]]},
                   dt[2] = {caps->edges.first[other->edges[2]], caps->partner[other->edges[2]]};
    caps->corners[cap->edges[0]] = b;
    caps->corners[cap->edges[1]] = s;
    caps->corners[cap->edges[2]] = d;
    caps->corners[other->edges[0]] = t;
    caps->corners[other->edges[1]] = b;
    caps->corners[other->edges[2]] = d;
    set_edge(caps, cap->edges[0], bs[0], bs[1]);
    set_edge(caps, cap->edges[1], sd[0], sd[1]);
    set_edge(caps, cap->edges[2], CP_NONE, other->edges[1]);
    set_edge(caps, other->edges[0], tb[0], tb[1]);
    set_edge(caps, other->edges[2], dt[0], dt[1]);
}

static bool fit_together(const struct caps *caps, const struct triangle *cap, const struct triangle *other)
{
    uint32_t face = caps->faces[cap->edges[0]], neighbour = caps->faces[other->edges[0]];
    if (neighbour == face || mesh_face_size(&caps->mesh, neighbour) != 3 ||
        caps->groups[face] != caps->groups[neighbour] ||
        place_at(caps, cap->edges[0]) == place_at(caps, other->edges[0]))
        return false;
    uint32_t d = place_at(caps, other->edges[2]), middle = cap->edges[2];
    return d != place_at(caps, middle) && !is_around(caps, middle, d, false) && !is_around(caps, middle, d, true);
}

/* Tells whether both would have an area after the turn. */
static bool get_areas(const struct caps *caps, const struct triangle *cap, const struct triangle *other)
{
    const uint32_t *corners = caps->corners, b = corners[cap->edges[2]], d = corners[other->edges[2]];
    const uint32_t turned[6] = {b, corners[other->edges[1]], d, corners[other->edges[0]], b, d};
    const cp_mesh view = {.positions = caps->mesh.positions, .corners = turned};
    return mesh_face_has_area(&view, 0) && mesh_face_has_area(&view, 1);
}

/* Tells whether the edge's ends are two places. */
static bool has_length(const struct caps *caps, uint32_t edge)
{
    return place_at(caps, edge) != place_at(caps, corner_after(caps, edge));
}

static void push_face(struct caps *caps, uint32_t edge)
{
    uint32_t face = edge == CP_NONE ? CP_NONE : caps->faces[edge];
    if (face == CP_NONE || caps->waits[face] || mesh_face_has_area(&caps->mesh, face))
        return;
    caps->waits[face] = true;
    caps->stack[caps->depth++] = face;
}

static void resolve_cap(struct caps *caps, uint32_t face)
{
    if (mesh_face_size(&caps->mesh, face) != 3 || mesh_face_has_area(&caps->mesh, face))
        return;
    struct triangle cap = cap_from_longest(caps, face);
    uint32_t partner = caps->partner[cap.edges[0]];
    if (partner == CP_NONE)
        return;
    struct triangle other = triangle_from(caps, partner);
    if (!fit_together(caps, &cap, &other))
        return;
    bool resolved = mesh_face_has_area(&caps->mesh, caps->faces[partner]);
    if (resolved) {
        if (!get_areas(caps, &cap, &other))
            return;
        caps->counts->turned++;
    } else {
        /* Two caps on one edge that is the longest of both: a turn makes it shorter, and other edges become the
         * longest. */
        if (cap_from_longest(caps, caps->faces[partner]).edges[0] != partner || caps->turns_left == 0)
            return;
        caps->turns_left--;
    }
    turn_edge(caps, &cap, &other);
    for (int i = 0; i < 3; i++) {
        push_face(caps, cap.edges[i]);
        push_face(caps, other.edges[i]);
        push_face(caps, caps->partner[cap.edges[i]]);
        push_face(caps, caps->partner[other.edges[i]]);
    }
}

/* Turns edges, then drops the faces without an area whose removal opens nothing: edges that a face has on either side
 * vanish with it. */
static void resolve_all(struct caps *caps)
{
    const cp_mesh *mesh = &caps->mesh;
    for (uint32_t face = mesh->face_count; face-- > 0;)
        push_face(caps, mesh_face_first(mesh, face));
    while (caps->depth > 0) {
        uint32_t face = caps->stack[--caps->depth];
        caps->waits[face] = false;
        resolve_cap(caps, face);
    }
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        if (mesh_face_has_area(mesh, face))
            continue;
        uint32_t first = mesh_face_first(mesh, face), end = first + mesh_face_size(mesh, face);
        bool opens = false;
        for (uint32_t edge = first; edge < end && !opens; edge++) {
            uint32_t partner = caps->partner[edge], uses = caps->uses[caps->edges.first[edge]];
            opens = has_length(caps, edge) && (partner == CP_NONE ? uses % 2 == 0 : caps->faces[partner] != face);
        }
        if (opens) {
            caps->counts->left++;
            continue;
        }
        for (uint32_t edge = first; edge < end; edge++)
            caps->uses[caps->edges.first[edge]] -= has_length(caps, edge);
        caps->drop[face] = true;
        caps->counts->dropped++;
    }
}

static cp_status resolve(struct caps *caps, cp_scene *scene, cp_mesh *mesh)
{
    uint64_t turned = caps->counts->turned, dropped = caps->counts->dropped;
    const uint32_t *first = caps->edges.first;
    memcpy(caps->corners, mesh->corners, mesh->corner_count * sizeof *caps->corners);
    caps->mesh.corners = caps->corners;
    for (uint32_t edge = 0; edge < mesh->corner_count; edge++) {
        caps->uses[first[edge]] += !edge_is_empty(&caps->edges, edge);
        caps->partner[edge] = CP_NONE;
    }
    for (uint32_t edge = 0; edge < mesh->corner_count; edge++) {
        if (edge == first[edge] || caps->uses[first[edge]] != 2)
            continue;
        caps->partner[edge] = first[edge];
        caps->partner[first[edge]] = edge;
    }
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t i = 0; i < mesh_face_size(mesh, face); i++)
            caps->faces[mesh_face_first(mesh, face) + i] = face;
    for (uint32_t group = 0; group < mesh->group_count; group++)
        for (uint32_t i = 0; i < mesh->groups[group].face_count; i++)
            caps->groups[mesh->groups[group].first_face + i] = group;
    resolve_all(caps);
    if (caps->counts->turned > turned)
        mesh->corners = caps->corners;
    return caps->counts->dropped > dropped ? mesh_drop_faces(scene, mesh, caps->drop) : CP_OK;
}

cp_status mesh_resolve_caps(cp_scene *scene, cp_mesh *mesh, struct cap_counts *counts)
{
    cp_context *context = scene->context;
    size_t count = 0, corners = mesh->corner_count, faces = mesh->face_count;
    for (uint32_t face = 0; face < faces; face++)
        count += !mesh_face_has_area(mesh, face);
    if (count == 0)
        return CP_OK;
    struct caps caps = {.mesh = *mesh, .turns_left = 4 * count, .counts = counts};
    caps.corners = scene_allocate(scene, corners, sizeof *caps.corners);
    struct arena *scratch = arena_new(context);
    caps.faces = arena_allocate(scratch, corners, sizeof *caps.faces);
    caps.partner = arena_allocate(scratch, corners, sizeof *caps.partner);
    caps.uses = arena_allocate_zeroed(scratch, corners, sizeof *caps.uses);
    caps.groups = arena_allocate_zeroed(scratch, faces, sizeof *caps.groups);
    caps.drop = arena_allocate_zeroed(scratch, faces, sizeof *caps.drop);
    caps.stack = arena_allocate(scratch, faces, sizeof *caps.stack);
    caps.waits = arena_allocate_zeroed(scratch, faces, sizeof *caps.waits);
    bool good = caps.corners && !arena_failed(scratch) && mesh_edges_find(&caps.edges, context, &caps.mesh);
    cp_status status = good ? resolve(&caps, scene, mesh) : CP_LIMIT;
    arena_free(scratch);
    mesh_edges_free(&caps.edges);
    return status;
}
