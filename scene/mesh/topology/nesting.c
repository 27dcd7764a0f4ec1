/* Decides which solid shells are cavities. A shell whose box lies in no other's is none. For the others a ray goes from
 * the highest point straight up to the first face of another shell. If it meets the face from inside, the shell lies in
 * that one; from outside, it lies beside it, in whatever that one lies in. The other shell is as high or higher, so it
 * has been decided before when the highest come first. A ray that hits an edge passes it at x + e^2, y + e for a tiny
 * e, which is the same side for all faces at the edge. */
#include "mesh/box_tree.h"

#include <float.h>
#include <string.h>

#include "mesh/mesh.h"
#include "topology.h"

/* The budget of visited boxes and corners, for each corner of the mesh. Usual shells take a few; only thousands of
 * shells in each other's way take more. */
enum { STEPS_A_CORNER = 50 };

enum { STACK = 40 }; /* boxes that wait, depth first */

struct nesting {
    struct mesh_shells *shells;
    uint32_t *solids; /* the shells that are solid */
    uint32_t count;
    struct box *boxes;         /* of these */
    bool *enclosed, *encloses; /* indexed by solid: its box is in another's, or holds another */
    bool *placed;              /* for each shell */
    uint32_t *faces;           /* faces of the solids that enclose others */
    struct box *face_boxes;
    uint32_t face_count, face_room;
    struct box_tree tree; /* over the solids, then over these faces ... */
    uint32_t *order;      /* ... in this order */
    uint64_t steps, most_steps;
};

static bool step(struct nesting *nesting, uint64_t steps)
{
    nesting->steps += steps;
    return nesting->steps < nesting->most_steps;
}

/* ---- boxes in boxes ---- */

static void add_face(struct box *box, const cp_mesh *mesh, uint32_t face)
{
    struct polygon polygon = polygon_view(mesh, face);
    for (uint32_t i = 0; i < polygon.count; i++) {
        const float *at = polygon_position(&polygon, i);
        const double point[3] = {(double)at[0], (double)at[1], (double)at[2]};
        box_add(box, point, point);
    }
}

static bool box_holds(const struct box *outer, const struct box *inner)
{
    bool holds = true;
    for (int axis = 0; axis < 3; axis++)
        holds &= outer->low[axis] <= inner->low[axis] && inner->high[axis] <= outer->high[axis];
    return holds;
}

static bool build_tree(struct nesting *nesting, cp_context *context, const struct box *items, uint32_t count)
{
    struct box_tree *tree = &nesting->tree;
    *tree = (struct box_tree){.fan = 2, .leaf = 4};
    nesting->order = memory_allocate(context, count, sizeof *nesting->order);
    if (!box_tree_reserve(tree, context, count) || !nesting->order || !box_order(context, items, count, nesting->order))
        return false;
    box_tree_start(tree, count);
    for (uint32_t i = 0; i < count; i++)
        box_add(box_tree_leaf(tree, i), items[nesting->order[i]].low, items[nesting->order[i]].high);
    box_tree_join(tree);
    return true;
}

static void free_tree(struct nesting *nesting, cp_context *context)
{
    box_tree_free(&nesting->tree, context);
    memory_free(context, nesting->order, nesting->tree.count, sizeof *nesting->order);
    nesting->order = NULL;
}

/* Tells whether the box of another solid is round this one's (around), or in it. True if the search takes too long. */
static bool has_other(struct nesting *nesting, uint32_t solid, bool around)
{
    const struct box_tree *tree = &nesting->tree;
    const struct box *own = &nesting->boxes[solid];
    uint32_t stack[STACK] = {0}, depth = 1;
    while (depth > 0) {
        uint32_t at = stack[--depth], end;
        if (!step(nesting, 1))
            return true;
        if (around ? !box_holds(&tree->boxes[at], own) : !box_meets(&tree->boxes[at], own))
            continue;
        if (at < tree->first_leaf) {
            stack[depth++] = 2 * at + 2;
            stack[depth++] = 2 * at + 1;
            continue;
        }
        for (uint32_t i = box_tree_items(tree, at, &end); i < end; i++) {
            const struct box *other = &nesting->boxes[nesting->order[i]];
            if (nesting->order[i] != solid && (around ? box_holds(other, own) : box_holds(own, other)))
                return true;
        }
    }
    return false;
}

static bool find_enclosed(struct nesting *nesting, cp_context *context, bool *any)
{
    bool good = build_tree(nesting, context, nesting->boxes, nesting->count);
    for (uint32_t i = 0; good && i < nesting->count; i++) {
        nesting->enclosed[i] = has_other(nesting, i, true);
        *any |= nesting->enclosed[i];
    }
    for (uint32_t i = 0; good && *any && i < nesting->count; i++)
        nesting->encloses[i] = has_other(nesting, i, false);
    free_tree(nesting, context);
    return good;
}

/* ---- the ray ---- */

/* A ray, and the nearest face so far. */
struct ray {
    const float *from;
    uint32_t shell;
    double height;
    bool leaves;  /* the nearest face is met from inside */
    uint32_t hit; /* its shell, or CP_NONE */
};

/* Tells whether an upright line through the point meets the face: a line from there, along x, crosses its edges an odd
 * number of times. Edges are seen from their lower end in y, so that both faces at an edge get the same answer. */
static bool is_below(const float *from, const struct polygon *polygon)
{
    bool inside = false;
    const float *last = polygon_position(polygon, polygon->count - 1);
    for (uint32_t i = 0; i < polygon->count; i++) {
        const float *at = polygon_position(polygon, i);
        if ((last[1] > from[1]) != (at[1] > from[1])) {
            const float *low = last[1] > from[1] ? at : last, *high = low == last ? at : last;
            double side = triangle_area(low, high, from);
            inside ^= side > 0 || (!(side < 0) && high[0] > low[0]);
        }
        last = at;
    }
    return inside;
}

static void meet_face(const struct nesting *nesting, struct ray *ray, uint32_t face)
{
    const struct mesh_shells *shells = nesting->shells;
    struct polygon polygon = polygon_view(shells->edges.mesh, face);
    uint32_t index = shells->shell_of[face];
    if (index == ray->shell || !is_below(ray->from, &polygon))
        return;
    /* Find the height of the face's plane above the foot, within the heights of the face. */
    polygon = polygon_of(shells->edges.mesh, face);
    const float *corner = polygon_position(&polygon, 0);
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < polygon.count; i++) {
        low = fmin(low, (double)polygon_position(&polygon, i)[2]);
        high = fmax(high, (double)polygon_position(&polygon, i)[2]);
    }
    double slope = polygon.normal[0] * ((double)ray->from[0] - (double)corner[0]) +
                   polygon.normal[1] * ((double)ray->from[1] - (double)corner[1]);
    double height = fmin(fmax((double)corner[2] - slope / polygon.normal[2], low), high);
    bool upward = polygon.normal[2] > 0, inward = (shells->shells[index].volume < 0) != shells->against[face];
    bool leaves = upward != inward;
    bool nearer = height < ray->height || (!(height > ray->height) && leaves && !ray->leaves);
    if (height >= (double)ray->from[2] && nearer) {
        ray->height = height;
        ray->leaves = leaves;
        ray->hit = index;
    }
}

static bool may_meet(const struct ray *ray, const struct box *box)
{
    return box->low[0] <= ray->from[0] && ray->from[0] <= box->high[0] && box->low[1] <= ray->from[1] &&
           ray->from[1] <= box->high[1] && box->high[2] >= ray->from[2] && box->low[2] <= ray->height;
}

/* Casts the shell's ray; it tries the lower half of a box first. */
static void place_shell(struct nesting *nesting, uint32_t index)
{
    struct mesh_shells *shells = nesting->shells;
    const cp_mesh *mesh = shells->edges.mesh;
    const struct box_tree *tree = &nesting->tree;
    struct shell *shell = &shells->shells[index];
    struct ray ray = {
        .from = mesh->positions + 3 * (size_t)shell->highest, .shell = index, .height = INFINITY, .hit = CP_NONE};
    uint32_t stack[STACK] = {0}, depth = 1;
    while (depth > 0 && !shell->unplaced) {
        uint32_t at = stack[--depth], end;
        shell->unplaced = !step(nesting, 1);
        if (shell->unplaced || !may_meet(&ray, &tree->boxes[at]))
            continue;
        if (at < tree->first_leaf) {
            bool right_lower = tree->boxes[2 * at + 2].low[2] < tree->boxes[2 * at + 1].low[2];
            stack[depth++] = 2 * at + 1 + !right_lower;
            stack[depth++] = 2 * at + 1 + right_lower;
            continue;
        }
        for (uint32_t i = box_tree_items(tree, at, &end); i < end; i++) {
            uint32_t face = nesting->faces[nesting->order[i]];
            (void)step(nesting, mesh_face_size(mesh, face));
            meet_face(nesting, &ray, face);
        }
    }
    nesting->placed[index] = true;
    if (shell->unplaced || ray.hit == CP_NONE)
        return;
    shell->inner = shells->shells[ray.hit].inner != ray.leaves;
    shell->unplaced = shells->shells[ray.hit].unplaced || !nesting->placed[ray.hit];
}

/* ---- all shells ---- */

/* Returns a key that ascends as the values descend. */
static uint32_t falling_key(float value)
{
    uint32_t bits;
    value += 0.0f; /* -0 becomes +0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? bits : ~bits & 0x7fffffffu;
}

/* Makes the tree of the faces of solids that enclose others. It leaves upright faces out, which no upright ray meets.
 * `placed` is used for marks, and cleared again. */
static bool make_face_tree(struct nesting *nesting, cp_context *context)
{
    const struct mesh_shells *shells = nesting->shells;
    const cp_mesh *mesh = shells->edges.mesh;
    for (uint32_t i = 0; i < nesting->count; i++) {
        nesting->placed[nesting->solids[i]] = nesting->encloses[i];
        nesting->face_room += nesting->encloses[i] ? shells->shells[nesting->solids[i]].face_count : 0;
    }
    nesting->faces = memory_allocate(context, nesting->face_room, sizeof *nesting->faces);
    nesting->face_boxes = memory_allocate(context, nesting->face_room, sizeof *nesting->face_boxes);
    if (!nesting->faces || !nesting->face_boxes)
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t shell = shells->shell_of[face];
        if (shell == CP_NONE || !nesting->placed[shell])
            continue;
        struct polygon polygon = polygon_of(mesh, face);
        if (!(polygon.normal[2] > 0 || polygon.normal[2] < 0))
            continue;
        nesting->face_boxes[nesting->face_count] = box_empty();
        add_face(&nesting->face_boxes[nesting->face_count], mesh, face);
        nesting->faces[nesting->face_count++] = face;
    }
    memset(nesting->placed, 0, shells->count * sizeof *nesting->placed);
    return build_tree(nesting, context, nesting->face_boxes, nesting->face_count);
}

/* Places the highest shells first; of equally high ones the largest, so that a shell that touches the top from inside
 * comes after the one around it. */
static bool place_enclosed(struct nesting *nesting, cp_context *context)
{
    const struct mesh_shells *shells = nesting->shells;
    const float *positions = shells->edges.mesh->positions;
    uint64_t *order = memory_allocate(context, nesting->count, sizeof *order);
    uint64_t *spare = memory_allocate(context, nesting->count, sizeof *spare);
    bool good = order && spare && make_face_tree(nesting, context);
    uint32_t count = 0;
    for (uint32_t i = 0; good && i < nesting->count; i++) {
        uint32_t shell = nesting->solids[i];
        float size = (float)fmin(fabs(shells->shells[shell].volume), FLT_MAX);
        nesting->placed[shell] = !nesting->enclosed[i];
        if (nesting->enclosed[i])
            order[count++] = (uint64_t)falling_key(size) << 32 | shell;
    }
    radix_sort(order, spare, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t highest = shells->shells[(uint32_t)order[i]].highest;
        order[i] = (uint64_t)falling_key(positions[3 * (size_t)highest + 2]) << 32 | (uint32_t)order[i];
    }
    radix_sort(order, spare, count);
    for (uint32_t i = 0; i < count; i++)
        place_shell(nesting, (uint32_t)order[i]);
    memory_free(context, order, nesting->count, sizeof *order);
    memory_free(context, spare, nesting->count, sizeof *spare);
    return good;
}

bool shells_place(struct mesh_shells *shells)
{
    cp_context *context = shells->edges.context;
    const cp_mesh *mesh = shells->edges.mesh;
    struct nesting nesting = {.shells = shells, .most_steps = (uint64_t)STEPS_A_CORNER * mesh->corner_count};
    for (uint32_t i = 0; i < shells->count; i++)
        nesting.count += shells->shells[i].solid;
    uint32_t count = nesting.count, solids = 0;
    if (count < 2)
        return true;
    struct arena *scratch = arena_new(context);
    uint32_t *numbers = arena_allocate(scratch, shells->count, sizeof *numbers); /* indexed by shell: its number among
                                                                                  * the solids */
    nesting.solids = arena_allocate(scratch, count, sizeof *nesting.solids);
    nesting.boxes = arena_allocate(scratch, count, sizeof *nesting.boxes);
    nesting.enclosed = arena_allocate(scratch, count, sizeof *nesting.enclosed);
    nesting.encloses = arena_allocate(scratch, count, sizeof *nesting.encloses);
    nesting.placed = arena_allocate_zeroed(scratch, shells->count, sizeof *nesting.placed);
    bool any = false, good = !arena_failed(scratch);
    for (uint32_t i = 0; good && i < shells->count; i++) {
        if (!shells->shells[i].solid)
            continue;
        numbers[i] = solids;
        nesting.boxes[solids] = box_empty();
        nesting.solids[solids++] = i;
    }
    for (uint32_t face = 0; good && face < mesh->face_count; face++) {
        uint32_t shell = shells->shell_of[face];
        if (shell != CP_NONE && shells->shells[shell].solid)
            add_face(&nesting.boxes[numbers[shell]], mesh, face);
    }
    good = good && find_enclosed(&nesting, context, &any) && (!any || place_enclosed(&nesting, context));
    arena_free(scratch);
    memory_free(context, nesting.faces, nesting.face_room, sizeof *nesting.faces);
    memory_free(context, nesting.face_boxes, nesting.face_room, sizeof *nesting.face_boxes);
    free_tree(&nesting, context);
    return good;
}
