/* Makes a surface of a mesh: vertices of equal positions are joined; unless the surface is free, only if their faces
 * are one fan. Each place is handled by itself, with the faces at it, sorted by the edges that they share there. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/join.h"
#include "surface.h"

enum { PLACES_AN_ITEM = 8192, SLICE_TRIANGLES = 16384, MOST_SLICES = 64 };

/* Bits of a corner that are found at its place: the edge to the next corner is a feature; then the kind of its
 * vertex. */
enum { CORNER_FEATURE = 1, CORNER_KIND = 1 };

/* A face's edge at a place. */
struct spoke {
    uint32_t other; /* the place at the edge's other end */
    uint32_t face;  /* number of the corner among the place's */
    bool out;       /* the face runs from the place to the other */
    bool feature;   /* the edge is a border, a seam or a fold, and is counted here */
    bool fixed;     /* the edge is a border that was cut from other faces */
    double angle;   /* position of the face in the order round the edge, 0 .. 4 */
};

struct star {
    uint32_t *corners; /* of the faces at the place */
    uint32_t *leaders; /* faces of one fan lead to the lowest of them */
    uint32_t *degrees; /* features of the fan */
    struct spoke *spokes;
};

struct split {
    struct surface *surface;
    const uint32_t *first, *next; /* the corners of each place: 3 x triangle + number */
    uint32_t place_count, largest_star;
    uint32_t *fan_counts; /* indexed by place: its number of fans; later its first vertex */
    uint32_t *fans;       /* indexed by corner: the number of the place's fan */
    uint8_t *flags;       /* of corners */
    uint32_t *cut_edges;  /* of items */
    struct star *stars;   /* of workers */
};

static int compare_spokes(const void *one, const void *other)
{
    const struct spoke *a = one, *b = other;
    if (a->other != b->other)
        return a->other < b->other ? -1 : 1;
    if (a->angle != b->angle)
        return a->angle < b->angle ? -1 : 1;
    return a->face != b->face ? (a->face < b->face ? -1 : 1) : a->out - b->out;
}

static void sort_spokes(struct spoke *spokes, uint32_t count)
{
    const uint32_t few = 32;
    if (count > few) {
        qsort(spokes, count, sizeof *spokes, compare_spokes);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct spoke moved = spokes[i];
        uint32_t at = i;
        for (; at > 0 && compare_spokes(&moved, &spokes[at - 1]) < 0; at--)
            spokes[at] = spokes[at - 1];
        spokes[at] = moved;
    }
}

static void normal_of(const struct surface *surface, uint32_t triangle, double normal[3])
{
    const uint32_t *face = surface->triangles[triangle];
    triangle_normal(surface->points[face[0]], surface->points[face[1]], surface->points[face[2]], normal);
}

/* Returns the corner of the spoke's face at the other end. */
static uint32_t far_corner(const struct star *star, const struct spoke *spoke)
{
    uint32_t corner = star->corners[spoke->face], number = corner % 3;
    return corner - number + (number + (spoke->out ? 1 : 2)) % 3;
}

/* Tells whether two faces with a common edge are of different classes, or show separate parts of a texture. */
static bool is_seam(const struct split *split, const struct star *star, const struct spoke *a, const struct spoke *b)
{
    const struct surface *surface = split->surface;
    uint32_t corner_a = star->corners[a->face], corner_b = star->corners[b->face];
    return tag_class(surface->tags[corner_a / 3]) != tag_class(surface->tags[corner_b / 3]) ||
           !same_coordinates(&surface->texture, corner_a, corner_b) ||
           !same_coordinates(&surface->texture, far_corner(star, a), far_corner(star, b));
}

/* Joins two faces at their common edge. A seam or fold is counted once, at the first of the two, but both know it. */
static void join_spokes(const struct split *split, const struct star *star, struct spoke *a, struct spoke *b)
{
    uint32_t corner_a = star->corners[a->face], corner_b = star->corners[b->face];
    double normals[2][3];
    sets_join(star->leaders, a->face, b->face);
    normal_of(split->surface, corner_a / 3, normals[0]);
    normal_of(split->surface, corner_b / 3, normals[1]);
    if (!is_seam(split, star, a, b) && !is_fold(normals[0], normals[1]))
        return;
    a->feature = true;
    split->flags[corner_a] |= a->out ? CORNER_FEATURE : 0;
    split->flags[corner_b] |= b->out ? CORNER_FEATURE : 0;
}

static void leave_border(const struct split *split, const struct star *star, struct spoke *spoke, bool fixed)
{
    spoke->feature = true;
    spoke->fixed = fixed;
    split->flags[star->corners[spoke->face]] |= spoke->out ? CORNER_FEATURE : 0;
}

/* Returns a number of 0 .. 4 that grows with the angle round an edge, for edges of more than two faces. The edge is
 * seen from its lower place, and the operations are exact, so both ends find the same order. */
static double angle_round(const double axis[3], const double apex[3])
{
    int least = fabs(axis[0]) <= fabs(axis[1]) && fabs(axis[0]) <= fabs(axis[2]) ? 0
                : fabs(axis[1]) <= fabs(axis[2])                                 ? 1
                                                                                 : 2;
    double unit[3] = {least == 0, least == 1, least == 2}, zero[3] = {0, 0, 0}, side[3], up[3];
    triangle_normal(zero, axis, unit, side);
    triangle_normal(zero, axis, side, up);
    double x = dot_product(apex, side) * sqrt(dot_product(axis, axis)), y = dot_product(apex, up);
    double sum = fabs(x) + fabs(y);
    if (!(sum > 0))
        return 0;
    return y >= 0 ? 1 - x / sum : 3 + x / sum;
}

/* Parts solids that touch in an edge. Round the edge, a face that is entered from outside belongs to the face where its
 * solid ends. The walk goes round twice, with the open faces on a stack (linked by `face` numbers in degrees). */
static void pair_run(const struct split *split, struct star *star, uint32_t place, struct spoke *run, uint32_t count)
{
    const struct surface *surface = split->surface;
    bool low_first = place < run->other;
    uint32_t low = low_first ? place : run->other, high = low_first ? run->other : place;
    double axis[3], apex[3];
    subtract(surface->points[high], surface->points[low], axis);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *face = surface->triangles[star->corners[run[i].face] / 3];
        subtract(surface->points[face[0] ^ face[1] ^ face[2] ^ low ^ high], surface->points[low], apex);
        run[i].angle = angle_round(axis, apex);
    }
    sort_spokes(run, count);
    uint32_t *stack = star->degrees; /* not used yet */
    uint32_t open = 0;
    for (uint32_t step = 0; step < 2 * count; step++) {
        struct spoke *spoke = &run[step % count];
        if (spoke->feature || spoke->angle < 0)
            continue;
        bool forward = spoke->out == low_first; /* ends its solid in this sense of going round */
        if (!forward && step < count) {
            stack[open++] = step;
        } else if (forward && open > 0) {
            struct spoke *mate = &run[stack[--open]];
            join_spokes(split, star, mate, spoke);
            mate->angle = spoke->angle = -1;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (run[i].angle >= 0)
            leave_border(split, star, &run[i], true);
}

/* Tells whether the faces of a place are one closed fan of one class without a fold, as almost everywhere. Then all of
 * its numbers and flags are 0, as they are at first. */
static bool is_plain(const struct split *split, const struct star *star, uint32_t count)
{
    const uint32_t most = 16;
    const uint32_t *tags = split->surface->tags;
    if (count == 0 || count > most)
        return false;
    uint32_t face = 0, steps = 0;
    double normals[2][3];
    normal_of(split->surface, star->corners[0] / 3, normals[0]);
    do {
        if (tags[star->corners[face] / 3] != tags[star->corners[0] / 3] ||
            !same_coordinates(&split->surface->texture, star->corners[face], star->corners[0]))
            return false;
        /* Go on to the only face whose edge out is this one's edge in. */
        uint32_t other = star->spokes[2 * face + 1].other, matches = 0;
        for (uint32_t i = 0; i < count; i++)
            if (star->spokes[2 * i].other == other) {
                face = i;
                matches++;
            }
        if (matches != 1)
            return false;
        steps++;
        normal_of(split->surface, star->corners[face] / 3, normals[steps % 2]);
        if (is_fold(normals[0], normals[1]))
            return false;
    } while (face != 0 && steps < count);
    return face == 0 && steps == count;
}

static void split_place(const struct split *split, struct star *star, uint32_t place, uint32_t *cut_edges)
{
    uint32_t count = 0, fans = 0;
    for (uint32_t corner = split->first[place]; corner != CP_NONE; corner = split->next[corner]) {
        const uint32_t *face = split->surface->triangles[corner / 3];
        uint32_t number = corner % 3;
        star->corners[count] = corner;
        star->leaders[count] = count;
        star->spokes[2 * count] = (struct spoke){.other = face[(number + 1) % 3], .face = count, .out = true};
        star->spokes[2 * count + 1] = (struct spoke){.other = face[(number + 2) % 3], .face = count};
        count++;
    }
    if (is_plain(split, star, count)) {
        split->fan_counts[place] = 1;
        return;
    }
    /* Spokes to the same place are one edge, whose faces are joined in pairs. In a free surface a place is one vertex
     * in any case, edges of three faces and more are as good as others, and only seams between classes are lines. */
    bool free = split->surface->free, has_feature = false, is_apart = false;
    uint32_t seams = 0;
    sort_spokes(star->spokes, 2 * count);
    for (uint32_t from = 0, to; from < 2 * count; from = to) {
        struct spoke *run = &star->spokes[from];
        for (to = from + 1; to < 2 * count && star->spokes[to].other == run->other;)
            to++;
        if (to - from == 1)
            leave_border(split, star, run, false);
        else if (to - from == 2)
            join_spokes(split, star, run, run + 1);
        else if (!free)
            pair_run(split, star, place, run, to - from);
        *cut_edges += !free && to - from > 2 && place < run->other;
        has_feature |= run->feature;
        seams += to - from == 2 && is_seam(split, star, &run[0], &run[1]);
    }
    if (free) {
        split->fan_counts[place] = count > 0;
        for (uint32_t i = 1; i < count; i++)
            is_apart |= !same_coordinates(&split->surface->texture, star->corners[i], star->corners[0]);
        uint8_t kind = seams == 2 ? KIND_LINE : seams > 0 || is_apart ? KIND_CORNER : has_feature ? KIND_EDGE : 0;
        for (uint32_t i = 0; i < count; i++)
            split->flags[star->corners[i]] |= (uint8_t)(kind << CORNER_KIND);
        return;
    }
    /* Write each fan's number, from 0, and kind to its corners. */
    memset(star->degrees, 0, count * sizeof *star->degrees);
    for (uint32_t i = 0; i < 2 * count; i++)
        if (star->spokes[i].feature)
            star->degrees[set_leader(star->leaders, star->spokes[i].face)] += star->spokes[i].fixed ? 3 : 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t corner = star->corners[i], leader = set_leader(star->leaders, i), degree = star->degrees[leader];
        uint8_t kind = degree == 0 ? 0 : degree == 2 ? KIND_LINE : KIND_CORNER;
        split->flags[corner] |= (uint8_t)(kind << CORNER_KIND);
        split->fans[corner] = leader == i ? fans++ : split->fans[star->corners[leader]];
    }
    split->fan_counts[place] = fans;
}

static void split_places(void *user, uint32_t item, uint32_t worker)
{
    const struct split *split = user;
    uint32_t place = item * PLACES_AN_ITEM;
    uint32_t end = split->place_count - place < PLACES_AN_ITEM ? split->place_count : place + PLACES_AN_ITEM;
    for (; place < end; place++)
        split_place(split, &split->stars[worker], place, &split->cut_edges[item]);
}

static bool find_fans(struct split *split)
{
    cp_context *context = split->surface->context;
    uint32_t items = (split->place_count + PLACES_AN_ITEM - 1) / PLACES_AN_ITEM;
    uint32_t workers = parallel_workers(context, items);
    size_t most = split->largest_star;
    struct arena *scratch = arena_new(context);
    split->cut_edges = arena_allocate_zeroed(scratch, items, sizeof *split->cut_edges);
    split->stars = arena_allocate(scratch, workers, sizeof *split->stars);
    for (uint32_t i = 0; split->stars && i < workers; i++)
        split->stars[i] = (struct star){.corners = arena_allocate(scratch, most, sizeof(uint32_t)),
                                        .leaders = arena_allocate(scratch, most, sizeof(uint32_t)),
                                        .degrees = arena_allocate(scratch, most, sizeof(uint32_t)),
                                        .spokes = arena_allocate(scratch, 2 * most, sizeof(struct spoke))};
    bool good = !arena_failed(scratch);
    good = good && parallel_for(context, items, split_places, split);
    for (uint32_t item = 0; good && item < items; item++)
        split->surface->flaws.cut_edges += split->cut_edges[item];
    arena_free(scratch);
    return good;
}

/* Gives each vertex the point of its place. */
static bool split_points(struct split *split)
{
    struct surface *surface = split->surface;
    cp_context *context = surface->context;
    uint32_t count = surface->vertex_count;
    double(*points)[3] = memory_allocate(context, count, sizeof *points);
    float(*colours)[4] = surface->colours ? memory_allocate(context, count, sizeof *colours) : NULL;
    bool good = points && (colours || !surface->colours);
    for (uint32_t corner = 0; good && corner < 3 * surface->triangle_count; corner++) {
        uint32_t *at = &surface->triangles[corner / 3][corner % 3];
        uint32_t place = *at, vertex = split->fan_counts[place] + split->fans[corner];
        *at = vertex;
        memcpy(points[vertex], surface->points[place], sizeof *points);
        if (colours)
            memcpy(colours[vertex], surface->colours[place], sizeof *colours);
    }
    memory_free(context, surface->points, split->place_count, sizeof *points);
    if (surface->colours)
        memory_free(context, surface->colours, split->place_count, sizeof *colours);
    surface->points = points;
    surface->colours = colours;
    return good;
}

/* Makes a vertex of each fan. If every place is one vertex, the points stay as they are. */
static bool replace_places(struct split *split)
{
    struct surface *surface = split->surface;
    uint32_t count = 0; /* at most as many as corners */
    for (uint32_t place = 0; place < split->place_count; place++) {
        uint32_t fans = split->fan_counts[place];
        surface->flaws.cut_vertices += fans > 1 ? fans - 1 : 0;
        split->fan_counts[place] = count;
        count += fans;
    }
    surface->vertex_count = count;
    bool same = count == split->place_count && surface->flaws.cut_vertices == 0;
    surface->kinds = memory_allocate_zeroed(surface->context, count, sizeof *surface->kinds);
    if (!(same || split_points(split)) || !surface->kinds)
        return false;
    for (uint32_t corner = 0; corner < 3 * surface->triangle_count; corner++) {
        if (split->flags[corner] == 0)
            continue;
        surface->kinds[surface->triangles[corner / 3][corner % 3]] = split->flags[corner] >> CORNER_KIND;
        surface->tags[corner / 3] |= (uint32_t)(split->flags[corner] & CORNER_FEATURE) << corner % 3;
    }
    return true;
}

static bool split_fans(struct surface *surface)
{
    cp_context *context = surface->context;
    uint32_t places = surface->vertex_count, corners = 3 * surface->triangle_count;
    uint32_t *first = memory_allocate(context, places, sizeof *first);
    uint32_t *next = memory_allocate(context, corners, sizeof *next);
    struct split split = {.surface = surface, .place_count = places, .first = first, .next = next};
    uint32_t *counts = split.fan_counts = memory_allocate(context, places, sizeof *split.fan_counts);
    split.fans = memory_allocate_zeroed(context, corners, sizeof *split.fans);
    split.flags = memory_allocate_zeroed(context, corners, sizeof *split.flags);
    bool good = first && next && counts && split.fans && split.flags;
    if (good) {
        /* List the corners of each place, in their order. */
        memset(first, 0xff, places * sizeof *first);
        memset(counts, 0, places * sizeof *counts);
        for (uint32_t corner = corners; corner-- > 0;) {
            uint32_t place = surface->triangles[corner / 3][corner % 3];
            next[corner] = first[place];
            first[place] = corner;
            if (++counts[place] > split.largest_star)
                split.largest_star = counts[place];
        }
        good = find_fans(&split);
    }
    memory_free(context, first, places, sizeof *first);
    memory_free(context, next, corners, sizeof *next);
    good = good && replace_places(&split);
    memory_free(context, split.fan_counts, places, sizeof *split.fan_counts);
    memory_free(context, split.fans, corners, sizeof *split.fans);
    memory_free(context, split.flags, corners, sizeof *split.flags);
    return good;
}

/* Takes triangles by slices: first counts those that have three different places, then writes them behind those of the
 * slices before. */
struct taking {
    struct surface *surface;
    const cp_mesh *mesh;
    const uint32_t *places, *classes;
    uint32_t slice_count, starts[MOST_SLICES + 1];
    bool counting;
};

static void take_coordinates(const cp_mesh *mesh, uint32_t triangle, float corners[3][COORDINATES])
{
    for (size_t corner = 0; corner < 3; corner++)
        for (size_t set = 0; set < CP_COORDINATE_SETS; set++)
            for (size_t axis = 0; axis < 2; axis++) {
                const float *from = mesh->coordinates[set];
                size_t vertex = mesh->corners[3 * (size_t)triangle + corner];
                corners[corner][2 * set + axis] = from ? from[2 * vertex + axis] : 0;
            }
}

static void take_slice(void *user, uint32_t slice, uint32_t worker)
{
    (void)worker;
    struct taking *taking = user;
    struct surface *surface = taking->surface;
    const cp_mesh *mesh = taking->mesh;
    uint32_t triangle = (uint32_t)((uint64_t)mesh->face_count * slice / taking->slice_count);
    uint32_t end = (uint32_t)((uint64_t)mesh->face_count * (slice + 1) / taking->slice_count);
    uint32_t at = taking->counting ? 0 : taking->starts[slice], places[3];
    for (; triangle < end; triangle++) {
        for (size_t corner = 0; corner < 3; corner++)
            places[corner] = taking->places[mesh->corners[3 * (size_t)triangle + corner]];
        if (places[0] == places[1] || places[1] == places[2] || places[2] == places[0])
            continue;
        if (!taking->counting) {
            memcpy(surface->triangles[at], places, sizeof places);
            surface->tags[at] = taking->classes[triangle] << TAG_BITS;
        }
        if (!taking->counting && surface->texture.coordinates)
            take_coordinates(mesh, triangle, surface->texture.coordinates[at]);
        at++;
    }
    if (taking->counting)
        taking->starts[slice + 1] = at;
}

/* Takes the mesh's places as vertices, as many as the mesh has, and its triangles that have three different ones. */
static bool take_mesh(struct surface *surface, const cp_mesh *mesh, const uint32_t *places, const uint32_t *classes)
{
    /* The surface's frame has its origin in the middle of the box, and a power of two as its scale. */
    double largest = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        float low = FLT_MAX, high = -FLT_MAX;
        for (size_t i = axis; i < 3 * (size_t)mesh->vertex_count; i += 3) {
            low = mesh->positions[i] < low ? mesh->positions[i] : low;
            high = mesh->positions[i] > high ? mesh->positions[i] : high;
        }
        surface->centre[axis] = mesh->vertex_count > 0 ? 0.5 * ((double)low + (double)high) : 0;
        largest = mesh->vertex_count > 0 ? fmax(largest, (double)high - (double)low) : 0;
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    surface->scale = ldexp(1, exponent);
    for (uint32_t vertex = 0, next = 0; vertex < mesh->vertex_count; vertex++) {
        const float *colour = surface->colours ? mesh->colours + 4 * (size_t)vertex : NULL;
        uint32_t place = places[vertex];
        if (place != next) { /* met before */
            surface->flaws.mixed_colours += colour && memcmp(surface->colours[place], colour, 4 * sizeof *colour) != 0;
            continue;
        }
        from_mesh_unit(surface, mesh->positions + 3 * (size_t)vertex, surface->points[next]);
        if (colour)
            memcpy(surface->colours[next], colour, 4 * sizeof *colour);
        next++;
    }
    struct taking taking = {.surface = surface, .mesh = mesh, .places = places, .classes = classes, .counting = true};
    uint32_t count = mesh->face_count / SLICE_TRIANGLES;
    taking.slice_count = count < MOST_SLICES ? count + 1 : (uint32_t)MOST_SLICES;
    if (!parallel_for(surface->context, taking.slice_count, take_slice, &taking))
        return false;
    for (uint32_t slice = 0; slice < taking.slice_count; slice++)
        taking.starts[slice + 1] += taking.starts[slice];
    surface->triangle_count = surface->live = taking.starts[taking.slice_count];
    surface->flaws.flat_faces = mesh->face_count - surface->live;
    taking.counting = false;
    return parallel_for(surface->context, taking.slice_count, take_slice, &taking);
}

bool surface_make(struct surface *surface, cp_context *context, const cp_mesh *mesh, const uint32_t *classes, bool free)
{
    *surface = (struct surface){.context = context, .free = free};
    uint32_t *places = memory_allocate(context, mesh->vertex_count, sizeof *places);
    bool good = places && join_positions(context, mesh->positions, mesh->vertex_count, places);
    surface->vertex_count = good ? join_number(places, mesh->vertex_count) : 0;
    surface->triangle_room = mesh->face_count;
    surface->triangles = memory_allocate(context, mesh->face_count, sizeof *surface->triangles);
    surface->tags = memory_allocate(context, mesh->face_count, sizeof *surface->tags);
    bool textured = mesh->coordinates[0] || mesh->coordinates[1];
    if (textured)
        surface->texture.coordinates = memory_allocate(context, mesh->face_count, sizeof *surface->texture.coordinates);
    if (good) {
        surface->points = memory_allocate(context, surface->vertex_count, sizeof *surface->points);
        if (mesh->colours)
            surface->colours = memory_allocate(context, surface->vertex_count, sizeof *surface->colours);
    }
    good = good && surface->triangles && surface->tags && surface->points && (surface->colours || !mesh->colours) &&
           (surface->texture.coordinates || !textured) && take_mesh(surface, mesh, places, classes);
    memory_free(context, places, mesh->vertex_count, sizeof *places);
    good = good && split_fans(surface);
    if (good && textured)
        good = (surface->texture.shifts =
                    memory_allocate_zeroed(context, surface->vertex_count, sizeof *surface->texture.shifts));
    return good;
}

void surface_free(struct surface *surface)
{
    cp_context *context = surface->context;
    memory_free(context, surface->points, surface->vertex_count, sizeof *surface->points);
    memory_free(context, surface->planes.quadrics, surface->vertex_count, sizeof *surface->planes.quadrics);
    memory_free(context, surface->planes.ups, surface->vertex_count, sizeof *surface->planes.ups);
    memory_free(context, surface->planes.weights, surface->vertex_count, sizeof *surface->planes.weights);
    memory_free(context, surface->colours, surface->vertex_count, sizeof *surface->colours);
    memory_free(context, surface->kinds, surface->vertex_count, sizeof *surface->kinds);
    memory_free(context, surface->texture.coordinates, surface->triangle_room, sizeof *surface->texture.coordinates);
    memory_free(context, surface->texture.shifts, surface->vertex_count, sizeof *surface->texture.shifts);
    memory_free(context, surface->triangles, surface->triangle_room, sizeof *surface->triangles);
    memory_free(context, surface->tags, surface->triangle_room, sizeof *surface->tags);
}
