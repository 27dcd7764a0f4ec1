/* Smooth vertex normals.
 *
 * Faces that meet at an edge at less than the crease angle share the normals of its two ends. Corners that share one
 * make a set; its normal is the sum of its faces' normals, weighted by the corners' angles or by the faces' areas.
 * Edges of one, three or more faces and of faces without area are creases.
 *
 * A place is a position, however many vertices are there; the corners at a place are its star. Each face at an edge has
 * a corner in the star of the edge's end. So a star finds its sets by itself, in any thread. */

#include <math.h>
#include <string.h>

#include "join.h"
#include "mesh.h"
#include "model/model.h"

/* The rounding of float coordinates changes angles by about this much (radians). It makes faces that meet at exactly
 * the crease angle, as in a regular prism, all alike. */
static const double ANGLE_NOISE = 1e-5;

/* Faces that meet at a smaller angle look like one. */
static const double FLAT_ANGLE = 1e-3;

/* A corner beside another one at the same place has no angle. This least weight still counts if its face is alone. */
static const double LEAST_ANGLE = 1e-9;

enum { ITEM_ROWS = 4096 };

struct star_corner {
    uint32_t corner, vertex; /* of the mesh */
    uint32_t beside[2];      /* the corners after and before it in its face */
    uint32_t ends[2];        /* the places to which its edges lead there */
    double normal[3];        /* normal of its face: unit length; zero for a face without area */
    double weight;
    uint32_t next; /* in its set */
};

struct star_edge {
    uint32_t end;      /* the place to which it leads */
    uint32_t uses;     /* by faces with area */
    uint32_t users[2]; /* the first two corners of the star whose faces use it */
};

/* Each thread has one of these. */
struct star {
    struct star_corner *corners;
    uint32_t count;
    uint32_t *leaders; /* union-find over its corners */
    double (*sums)[3]; /* sums of the sets, at their leaders; then their normals */
    struct star_edge *edges;
    uint32_t *last; /* a guess for each place or vertex, which counts only if the entry that it names agrees */
    bool bends;     /* some star had an edge that bends: it is neither flat nor sharp */
    bool splits;    /* some star had several sets */
};

struct smoothing {
    cp_context *context;
    const cp_mesh *mesh;
    double crease_angle;
    bool by_area;
    bool curved_only;   /* without an edge that bends the mesh stays as it is */
    double bend_angle;  /* edges bend below this or the crease angle, whichever is larger */
    bool bends, splits; /* as of the stars */
    double crease_cosine, bend_cosine, flat_cosine;
    uint32_t *places;     /* indexed by vertex: the lowest one at the same position */
    uint32_t (*lists)[2]; /* indexed by place: the first corner of its star, and how many it has */
    uint32_t *next;       /* indexed by corner: the next one of its star */
    /* These are NULL if all faces are triangles, whose normals and angles are computed when they are needed. */
    double (*face_normals)[3]; /* each as long as twice the area */
    uint32_t *faces;           /* for each corner */
    float *angles;             /* of the corners */
    struct star *stars;        /* of the threads */
    float *normals;            /* normals of vertices whose star is one set */
    /* Corners whose star has several sets have here the lowest corner with the same vertex and set, plus 1; at that
     * one, first_normals has the set's normal. All others have 0: memory of smooth parts is never touched. */
    uint32_t *firsts;
    float (*first_normals)[3];
};

static uint32_t count_items(uint32_t rows)
{
    return rows / ITEM_ROWS + (rows % ITEM_ROWS > 0);
}

static void weigh_polygons(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct smoothing *work = user;
    uint32_t first = item * ITEM_ROWS, count = work->mesh->face_count - first;
    for (uint32_t face = first; face < first + (count < ITEM_ROWS ? count : ITEM_ROWS); face++) {
        struct polygon polygon = polygon_of(work->mesh, face);
        uint32_t corner = mesh_face_first(work->mesh, face);
        memcpy(work->face_normals[face], polygon.normal, sizeof polygon.normal);
        for (uint32_t i = 0; i < polygon.count; i++)
            work->faces[corner + i] = face;
        polygon_angles(&polygon, work->angles + corner);
    }
}

/* ---- one star ---- */

static void load_corner(const struct smoothing *work, uint32_t corner, struct star_corner *at)
{
    const cp_mesh *mesh = work->mesh;
    uint32_t face = work->faces ? work->faces[corner] : corner / 3, first = mesh_face_first(mesh, face);
    uint32_t end = first + mesh_face_size(mesh, face);
    at->corner = corner;
    at->vertex = mesh->corners[corner];
    at->beside[0] = corner + 1 < end ? corner + 1 : first;
    at->beside[1] = (corner > first ? corner : end) - 1;
    for (int side = 0; side < 2; side++)
        at->ends[side] = work->places[mesh->corners[at->beside[side]]];
    at->next = CP_NONE;
}

static void weigh_corner(const struct smoothing *work, struct star_corner *at, double length, double angle)
{
    for (int axis = 0; axis < 3; axis++)
        at->normal[axis] = length > 0 ? at->normal[axis] / length : 0;
    at->weight = work->by_area ? length : angle + LEAST_ANGLE;
}

/* Finds the normals of LANES triangles, and their angles at once. */
static void weigh_triangles(const struct smoothing *work, struct star_corner *corners, uint32_t count)
{
    const float *positions = work->mesh->positions;
    double lengths[LANES] = {0}, cosines[LANES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const float *here = positions + 3 * (size_t)corners[i].vertex;
        const float *after = positions + 3 * (size_t)work->mesh->corners[corners[i].beside[0]];
        const float *before = positions + 3 * (size_t)work->mesh->corners[corners[i].beside[1]];
        double out[3], in[3];
        for (int axis = 0; axis < 3; axis++) {
            out[axis] = (double)after[axis] - (double)here[axis];
            in[axis] = (double)before[axis] - (double)here[axis];
        }
        cross_product(out, in, corners[i].normal);
        lengths[i] = sqrt(dot_product(corners[i].normal, corners[i].normal));
        cosines[i] = dot_product(out, in);
    }
    float angles[LANES];
    find_angles(lengths, cosines, angles);
    for (uint32_t i = 0; i < count; i++)
        weigh_corner(work, &corners[i], lengths[i], (double)angles[i]);
}

static void load_star(const struct smoothing *work, struct star *star, uint32_t place)
{
    star->count = 0;
    for (uint32_t corner = work->lists[place][0]; corner != CP_NONE; corner = work->next[corner])
        load_corner(work, corner, &star->corners[star->count++]);
    for (uint32_t i = 0; !work->faces && i < star->count; i += LANES)
        weigh_triangles(work, star->corners + i, star->count - i < LANES ? star->count - i : LANES);
    for (uint32_t i = 0; work->faces && i < star->count; i++) {
        struct star_corner *at = &star->corners[i];
        memcpy(at->normal, work->face_normals[work->faces[at->corner]], sizeof at->normal);
        weigh_corner(work, at, sqrt(dot_product(at->normal, at->normal)), (double)work->angles[at->corner]);
    }
}

static bool has_area(const struct star_corner *at)
{
    return at->normal[0] != 0 || at->normal[1] != 0 || at->normal[2] != 0;
}

/* Returns true if the edge between two faces is soft. */
static bool is_soft(const struct smoothing *work, struct star *star, const double a[3], const double b[3])
{
    double cosine = dot_product(a, b);
    star->bends = star->bends || (cosine > work->bend_cosine && cosine <= work->flat_cosine);
    return cosine > work->crease_cosine;
}

/* Tells whether a star is one set for certain. Most stars are a few faces once round their place, without a crease:
 * their corners are one set. False tells nothing. */
static bool is_smooth_round(const struct smoothing *work, struct star *star, uint32_t place)
{
    enum { MOST_FACES = 12 };
    const struct star_corner *corners = star->corners;
    uint32_t after[MOST_FACES], count = star->count, at = 0, steps = 0;
    if (count > MOST_FACES)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = 0, number = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t same = corners[k].ends[1] == corners[i].ends[0];
            found += same;
            number += same * k;
        }
        if (found != 1 || corners[i].ends[0] == place || !has_area(&corners[i]))
            return false;
        after[i] = number;
    }
    do {
        if (!is_soft(work, star, corners[at].normal, corners[after[at]].normal))
            return false;
        at = after[at];
        steps++;
    } while (at != 0 && steps < count);
    return at == 0 && steps == count;
}

/* Counts the faces at each edge. Returns how many edges there are. */
static uint32_t find_edges(struct star *star, uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < star->count; i++) {
        const struct star_corner *at = &star->corners[i];
        if (!has_area(at))
            continue;
        for (int side = 0; side < 2; side++) {
            uint32_t end = at->ends[side], number = star->last[end];
            if (end == place)
                continue;
            if (number >= count || star->edges[number].end != end) {
                number = star->last[end] = count++;
                star->edges[number] = (struct star_edge){.end = end};
            }
            struct star_edge *edge = &star->edges[number];
            if (edge->uses < 2)
                edge->users[edge->uses] = i;
            edge->uses += edge->uses < 3;
        }
    }
    return count;
}

static void join_soft_edges(const struct smoothing *work, struct star *star, uint32_t place)
{
    for (uint32_t i = 0; i < star->count; i++)
        star->leaders[i] = i;
    uint32_t edge_count = find_edges(star, place);
    for (uint32_t i = 0; i < edge_count; i++) {
        const struct star_edge *edge = &star->edges[i];
        if (edge->uses == 2 &&
            is_soft(work, star, star->corners[edge->users[0]].normal, star->corners[edge->users[1]].normal))
            sets_join(star->leaders, edge->users[0], edge->users[1]);
    }
}

/* A sum without a direction (faces without area, or opposite ones) becomes +z: normals have unit length. */
static void scale_sum(double sum[3])
{
    double length = sqrt(dot_product(sum, sum));
    for (int axis = 0; axis < 3; axis++)
        sum[axis] = length > 0 ? sum[axis] / length : axis == 2 ? 1 : 0;
}

/* Returns how many sets there are. */
static uint32_t sum_sets(struct star *star)
{
    uint32_t sets = 0;
    for (uint32_t i = 0; i < star->count; i++) { /* a leader is the lowest of its set */
        const struct star_corner *at = &star->corners[i];
        uint32_t leader = set_leader(star->leaders, i);
        for (int axis = 0; axis < 3; axis++)
            star->sums[leader][axis] = (leader == i ? 0 : star->sums[leader][axis]) + at->weight * at->normal[axis];
    }
    for (uint32_t i = 0; i < star->count; i++) {
        if (star->leaders[i] == i) {
            scale_sum(star->sums[i]);
            sets++;
        }
    }
    return sets;
}

static void sum_all(struct star *star)
{
    double sum[3] = {0};
    for (uint32_t i = 0; i < star->count; i++)
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += star->corners[i].weight * star->corners[i].normal[axis];
    scale_sum(sum);
    memcpy(star->sums[0], sum, sizeof sum);
}

static void write_normal(const struct star *star, uint32_t leader, float normal[3])
{
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = (float)star->sums[leader][axis];
}

/* Finds for each corner the first one of its set with the same vertex: set by set, so that `last` of a vertex belongs
 * to the present set. */
static void find_firsts(const struct smoothing *work, struct star *star)
{
    struct star_corner *corners = star->corners;
    for (uint32_t i = star->count; i-- > 0;) {
        uint32_t leader = set_leader(star->leaders, i);
        if (leader == i)
            continue;
        corners[i].next = corners[leader].next;
        corners[leader].next = i;
    }
    for (uint32_t leader = 0; leader < star->count; leader++) {
        for (uint32_t i = leader; star->leaders[leader] == leader && i != CP_NONE; i = corners[i].next) {
            uint32_t vertex = corners[i].vertex, first = star->last[vertex];
            bool known = first < i && corners[first].vertex == vertex && set_leader(star->leaders, first) == leader;
            if (!known) {
                first = star->last[vertex] = i;
                write_normal(star, leader, work->first_normals[corners[i].corner]);
            }
            work->firsts[corners[i].corner] = corners[first].corner + 1;
        }
    }
}

static void smooth_place(const struct smoothing *work, struct star *star, uint32_t place)
{
    load_star(work, star, place);
    if (is_smooth_round(work, star, place)) {
        sum_all(star);
    } else {
        join_soft_edges(work, star, place);
        if (sum_sets(star) > 1) {
            star->splits = true;
            find_firsts(work, star);
            return;
        }
    }
    for (uint32_t i = 0; i < star->count; i++)
        if (i == 0 || star->corners[i].vertex != star->corners[i - 1].vertex)
            write_normal(star, 0, work->normals + 3 * (size_t)star->corners[i].vertex);
}

static void smooth_places(void *user, uint32_t item, uint32_t worker)
{
    const struct smoothing *work = user;
    struct star star = work->stars[worker]; /* a copy: threads that write into one line of the cache wait for it */
    uint32_t first = item * ITEM_ROWS, count = work->mesh->vertex_count - first;
    for (uint32_t i = 0; i < (count < ITEM_ROWS ? count : ITEM_ROWS); i++)
        if (work->lists[first + i][1] > 0)
            smooth_place(work, &star, first + i);
    work->stars[worker] = star;
}

/* ---- the stars of a mesh ---- */

/* Lists the corners of each place, lowest first. */
static bool list_corners(const struct smoothing *work)
{
    const cp_mesh *mesh = work->mesh;
    if (!join_positions(work->context, mesh->positions, mesh->vertex_count, work->places))
        return false;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
        static const float upwards[3] = {0, 0, 1}; /* for a vertex without faces */
        memcpy(work->normals + 3 * (size_t)vertex, upwards, sizeof upwards);
        work->lists[vertex][0] = CP_NONE;
        work->lists[vertex][1] = 0;
    }
    for (uint32_t corner = mesh->corner_count; corner-- > 0;) {
        uint32_t *list = work->lists[work->places[mesh->corners[corner]]];
        work->next[corner] = list[0];
        list[0] = corner;
        list[1]++;
    }
    return true;
}

static bool make_stars(struct smoothing *work, struct arena *arena, uint32_t workers)
{
    uint32_t vertices = work->mesh->vertex_count, largest = 0;
    for (uint32_t place = 0; place < vertices; place++)
        if (work->lists[place][1] > largest)
            largest = work->lists[place][1];
    work->stars = arena_allocate_zeroed(arena, workers, sizeof *work->stars);
    size_t room = (size_t)largest + 32; /* so that no two threads' arrays share a line of the cache */
    for (uint32_t i = 0; work->stars && i < workers; i++) {
        struct star *star = &work->stars[i];
        star->corners = arena_allocate(arena, room, sizeof *star->corners);
        star->leaders = arena_allocate(arena, room, sizeof *star->leaders);
        star->sums = arena_allocate(arena, room, sizeof *star->sums);
        star->edges = arena_allocate(arena, 2 * room, sizeof *star->edges);
        star->last = arena_allocate_zeroed(arena, vertices, sizeof *star->last);
    }
    return !arena_failed(arena);
}

/* ---- splitting vertices ---- */

struct split {
    cp_context *context;
    uint32_t *vertices; /* the old vertex of each new one */
    float *normals;
    uint32_t count, vertex_room, normal_room;
};

/* Returns false if out of memory. */
static bool add_vertex(struct split *split, uint32_t vertex, const float normal[3])
{
    if (!array_reserve(split->context, &split->vertices, &split->vertex_room, (uint64_t)split->count + 1,
                       sizeof *split->vertices) ||
        !array_reserve(split->context, &split->normals, &split->normal_room, (uint64_t)split->count + 1,
                       3 * sizeof *split->normals))
        return false;
    split->vertices[split->count] = vertex;
    memcpy(split->normals + 3 * (size_t)split->count, normal, 3 * sizeof *normal);
    split->count++;
    return true;
}

/* Turns firsts into the corners' new vertices. The first set of a vertex keeps its place, the others follow behind in
 * corner order. */
static bool number_vertices(const struct smoothing *work, struct split *split)
{
    const cp_mesh *mesh = work->mesh;
    bool *taken = memory_allocate_zeroed(work->context, mesh->vertex_count, sizeof *taken), good = taken != NULL;
    for (uint32_t vertex = 0; good && vertex < mesh->vertex_count; vertex++)
        good = add_vertex(split, vertex, work->normals + 3 * (size_t)vertex);
    for (uint32_t corner = 0; good && corner < mesh->corner_count; corner++) {
        uint32_t vertex = mesh->corners[corner], *first = &work->firsts[corner];
        if (*first == 0) {
            *first = vertex;
        } else if (*first - 1 != corner) {
            *first = work->firsts[*first - 1];
        } else if (!taken[vertex]) {
            taken[vertex] = true;
            memcpy(split->normals + 3 * (size_t)vertex, work->first_normals[corner],
                   sizeof work->first_normals[corner]);
            *first = vertex;
        } else {
            *first = split->count;
            good = add_vertex(split, vertex, work->first_normals[corner]);
        }
    }
    memory_free(work->context, taken, mesh->vertex_count, sizeof *taken);
    return good;
}

/* Gives the mesh a vertex for each of its vertices and sets. */
static bool split_vertices(cp_scene *scene, cp_mesh *made, struct smoothing *work)
{
    struct split split = {.context = work->context};
    uint32_t corner_count = made->corner_count;
    bool good = number_vertices(work, &split) && mesh_take_vertices(scene, made, split.vertices, split.count) &&
                arena_take(scene->arena, work->firsts, corner_count, sizeof *work->firsts);
    if (good) {
        made->corners = work->firsts;
        work->firsts = NULL;
        made->normals =
            scene_keep_array(scene, &split.normals, &split.normal_room, split.count, 3 * sizeof *split.normals);
    }
    memory_free(work->context, split.vertices, split.vertex_room, sizeof *split.vertices);
    memory_free(work->context, split.normals, split.normal_room, 3 * sizeof *split.normals);
    return good && made->normals;
}

/* ---- the mesh ---- */

static bool allocate(struct smoothing *work, struct arena *arena)
{
    const cp_mesh *mesh = work->mesh;
    size_t corners = mesh->corner_count, vertices = mesh->vertex_count, faces = mesh->face_count;
    work->places = arena_allocate(arena, vertices, sizeof *work->places);
    work->lists = arena_allocate(arena, vertices, sizeof *work->lists);
    work->next = arena_allocate(arena, corners, sizeof *work->next);
    if (mesh->face_offsets) {
        work->face_normals = arena_allocate(arena, faces, sizeof *work->face_normals);
        work->faces = arena_allocate(arena, corners, sizeof *work->faces);
        work->angles = arena_allocate(arena, corners, sizeof *work->angles);
    }
    return !arena_failed(arena);
}

/* Fills normals, firsts and first_normals. */
static bool find_normals(struct smoothing *work)
{
    cp_context *context = work->context;
    uint32_t faces = count_items(work->mesh->face_count), places = count_items(work->mesh->vertex_count);
    uint32_t workers = parallel_workers(context, places);
    struct arena *arena = arena_new(context);
    bool good = allocate(work, arena) && list_corners(work) && make_stars(work, arena, workers) &&
                (!work->faces || parallel_for(context, faces, weigh_polygons, work)) &&
                parallel_for(context, places, smooth_places, work);
    for (uint32_t i = 0; good && i < workers; i++) {
        work->bends = work->bends || work->stars[i].bends;
        work->splits = work->splits || work->stars[i].splits;
    }
    arena_free(arena);
    return good;
}

/* Gives the mesh the normals, whose memory becomes the scene's, and splits its vertices as they need. */
static cp_status smooth(cp_scene *scene, cp_mesh *mesh, struct smoothing *work)
{
    if (!work->normals || !work->firsts || !work->first_normals || !find_normals(work))
        return CP_LIMIT;
    if (work->curved_only && !work->bends)
        return CP_OK;
    cp_mesh made = *mesh;
    made.normals = made.tangents = NULL; /* which belong to the old normals */
    if (work->splits && !split_vertices(scene, &made, work))
        return CP_LIMIT;
    if (!work->splits) {
        if (!arena_take(scene->arena, work->normals, 3 * (size_t)mesh->vertex_count, sizeof *work->normals))
            return CP_LIMIT;
        made.normals = work->normals;
        work->normals = NULL;
    }
    *mesh = made;
    return CP_OK;
}

/* Returns the cosine above which faces meet at less than the angle. */
static double cosine_below(double angle)
{
    const double least = angle - ANGLE_NOISE;
    return least > PI ? -INFINITY : least > 0 ? cos(least) : INFINITY;
}

static cp_status make_normals(cp_scene *scene, cp_mesh *mesh, struct smoothing work)
{
    if (mesh->kind != CP_MESH_FACES)
        return CP_OK;
    const cp_mesh before = *mesh;
    cp_context *context = scene->context;
    size_t corners = before.corner_count, vertices = before.vertex_count;
    if ((uint64_t)vertices + corners >= CP_NONE)
        return report_error(context, CP_LIMIT, "mesh-too-large", NOWHERE,
                            "mesh \"%s\" has too many corners to get normals", mesh_title(mesh));
    work.context = context;
    work.mesh = &before;
    work.crease_cosine = cosine_below(work.crease_angle);
    work.bend_cosine = cosine_below(fmax(work.crease_angle, work.bend_angle));
    work.flat_cosine = cos(FLAT_ANGLE);
    work.normals = memory_allocate(context, 3 * vertices, sizeof *work.normals);
    work.firsts = memory_allocate_zeroed(context, corners, sizeof *work.firsts);
    work.first_normals = memory_allocate(context, corners, sizeof *work.first_normals);
    cp_status status = smooth(scene, mesh, &work);
    memory_free(context, work.normals, 3 * vertices, sizeof *work.normals);
    memory_free(context, work.firsts, corners, sizeof *work.firsts);
    memory_free(context, work.first_normals, corners, sizeof *work.first_normals);
    return status;
}

cp_status mesh_smooth_normals(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, (struct smoothing){.crease_angle = crease_angle});
}

cp_status mesh_smooth_curved(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, (struct smoothing){.crease_angle = crease_angle, .curved_only = true});
}

cp_status mesh_smooth_as_said(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(
        scene, mesh,
        (struct smoothing){.crease_angle = crease_angle, .curved_only = true, .bend_angle = CREASE_RADIANS});
}

cp_status mesh_smooth_normals_by_area(cp_scene *scene, cp_mesh *mesh, double crease_angle)
{
    return make_normals(scene, mesh, (struct smoothing){.crease_angle = crease_angle, .by_area = true});
}
