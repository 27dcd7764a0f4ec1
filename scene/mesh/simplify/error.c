/* How far the original is from the simplified surface. Its points are measured. A face of it is no farther than its
 * corners are from one face of the surface, since what is so near to a convex thing is convex; where no face has all
 * three so near, it is cut where it leaves what one of them has near. */
#include <string.h>

#include "../../parallel.h"
#include "nearest.h"

enum {
    SLICE_BOXES = 16 * SLICE, /* of the tree, that an item looks into */
    SLICE_PIECES = 32 * SLICE,
    FACE_PIECES = 16384, /* of one face, that are looked at */
    MOST_PENDING = 128
};

/* What the faces are told may be larger than it is, by this part. */
static const double slack = 0.1;

struct error_search {
    const struct face_map *map;
    uint32_t *faces; /* of the points: near ones */
    double most;     /* squared: what is farther is marked */
    double known;    /* squared: some point is as far */
    double *errors;  /* of items: squares */
};

/* A part of an original face; by corner a face of the surface that is near. */
struct piece {
    double corners[3][3];
    uint32_t near[3];
};

/* A face that is measured. */
struct cover {
    const struct face_map *map;
    uint32_t *boxes, *pieces; /* that may still be looked at */
    double good;              /* squared: where a face is so near, the nearest is not looked for */
    double most;
    struct piece pending[MOST_PENDING];
    uint32_t count;
};

static void mark(const struct error_search *work, uint32_t row)
{
    struct surface *surface = work->map->surface;
    if (surface->far && surface->far[row] == 0)
        surface->far[row] = surface->try;
}

/* Only where a point is farther than the farthest yet, the nearest face is looked for once more. */
static void measure_points(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct error_search *work = user;
    uint32_t boxes = SLICE_BOXES;
    double largest = 0;
    for (uint32_t at = item * SLICE; at < slice_end(item, work->map->surface->original_count); at++) {
        struct search search = search_original(work->map, at);
        search_face(&search, work->faces[at]);
        if (search.distance > fmin(largest, work->most))
            search_all(&search, &boxes);
        work->faces[at] = search.face;
        largest = fmax(largest, search.distance);
        if (search.distance > work->most)
            mark(work, at);
    }
    work->errors[item] = largest;
}

/* ---- a face ---- */

static double distance_from(const struct cover *cover, const double point[3], uint32_t face)
{
    struct search search = search_begin(cover->map, point);
    search_face(&search, face);
    return search.distance;
}

/* The least that one face has all of the piece within. */
static double piece_distance(const struct cover *cover, const struct piece *piece)
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        if ((i > 0 && piece->near[i] == piece->near[0]) || (i > 1 && piece->near[i] == piece->near[1]))
            continue;
        double largest = 0;
        for (int corner = 0; corner < 3; corner++)
            largest = fmax(largest, distance_from(cover, piece->corners[corner], piece->near[i]));
        least = fmin(least, largest);
    }
    return least;
}

static void point_between(const double a[3], const double b[3], double part, double point[3])
{
    for (int axis = 0; axis < 3; axis++)
        point[axis] = a[axis] + part * (b[axis] - a[axis]);
}

/* How much of the way from a to b the face has near: the distance from it has no second minimum. */
static double part_near(const struct cover *cover, const double a[3], const double b[3], uint32_t face)
{
    enum { STEPS = 10 };
    double low = 0, high = 1, point[3];
    for (int step = 0; step < STEPS; step++) {
        double middle = 0.5 * (low + high);
        point_between(a, b, middle, point);
        if (distance_from(cover, point, face) <= cover->good)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Cuts the longest edge that no face has near, where what is near to its ends meets; if there is none, the longest in
 * its middle. */
static void cut_piece(struct cover *cover, const struct piece *piece)
{
    int edge = 0;
    double longest = -1, part = 0.5, vector[3];
    bool open = false;
    for (int from = 0; from < 3; from++) {
        int to = (from + 1) % 3;
        bool near = distance_from(cover, piece->corners[to], piece->near[from]) <= cover->good ||
                    distance_from(cover, piece->corners[from], piece->near[to]) <= cover->good;
        subtract(piece->corners[to], piece->corners[from], vector);
        double length = dot_product(vector, vector);
        if ((open && near) || (open == !near && length <= longest))
            continue;
        edge = from;
        longest = length;
        open = !near;
    }
    int next = (edge + 1) % 3;
    const double *a = piece->corners[edge], *b = piece->corners[next];
    if (open)
        part = 0.5 * (part_near(cover, a, b, piece->near[edge]) + 1 - part_near(cover, b, a, piece->near[next]));
    double point[3];
    point_between(a, b, part, point);
    struct search search = search_begin(cover->map, point);
    search_face(&search, piece->near[edge]);
    search_face(&search, piece->near[next]);
    if (search.distance > cover->good)
        search_from(&search, search_vertex(&search));
    if (search.distance > cover->good)
        search_all(&search, cover->boxes);
    struct piece *halves = &cover->pending[cover->count];
    for (int half = 0; half < 2; half++) {
        int moved = half ? edge : next;
        halves[half] = *piece;
        halves[half].near[moved] = search.face;
        memcpy(halves[half].corners[moved], point, sizeof point);
    }
    cover->count += 2;
}

/* The squared distance that no point of the piece exceeds; as soon as one does that is farther than most, that. */
static double cover_piece(struct cover *cover, const struct piece *whole)
{
    double largest = 0;
    uint32_t left = FACE_PIECES;
    cover->count = 1;
    cover->pending[0] = *whole;
    while (cover->count > 0) {
        struct piece piece = cover->pending[--cover->count];
        double distance = piece_distance(cover, &piece), sure = 0;
        if (distance <= cover->good) {
            largest = fmax(largest, distance);
            continue;
        }
        for (int corner = 0; corner < 3; corner++)
            sure = fmax(sure, distance_from(cover, piece.corners[corner], piece.near[corner]));
        if (sure > cover->most)
            return sure;
        if (sure > cover->good)
            cover->good = fmin(sure * (1 + slack) * (1 + slack), cover->most);
        if (distance <= cover->good || left == 0 || *cover->pieces == 0 || cover->count + 2 > MOST_PENDING) {
            largest = fmax(largest, distance);
            continue;
        }
        left--;
        --*cover->pieces;
        cut_piece(cover, &piece);
    }
    return largest;
}

static void measure_faces(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct error_search *work = user;
    const struct surface *surface = work->map->surface;
    uint32_t boxes = SLICE_BOXES, pieces = SLICE_PIECES;
    double largest = 0;
    struct cover cover = {.map = work->map, .boxes = &boxes, .pieces = &pieces, .most = work->most};
    for (uint32_t face = item * SLICE; face < slice_end(item, surface->original_face_count); face++) {
        struct piece piece;
        for (int corner = 0; corner < 3; corner++) {
            uint32_t at = surface->original_faces[face][corner];
            from_mesh_unit(surface, surface->originals[at], piece.corners[corner]);
            piece.near[corner] = work->faces[at];
        }
        cover.good = fmin(fmax(work->known, largest), work->most);
        double distance = cover_piece(&cover, &piece);
        largest = fmax(largest, distance);
        if (distance > work->most)
            mark(work, surface->original_count + face);
    }
    work->errors[item] = largest;
}

/* ---- all ---- */

static bool measure_rows(struct error_search *work, uint32_t count, parallel_work *measure, double *largest)
{
    cp_context *context = work->map->surface->context;
    uint32_t items = slices(count);
    work->errors = memory_allocate(context, items, sizeof *work->errors);
    bool good = work->errors && parallel_for(context, items, measure, work);
    for (uint32_t item = 0; good && item < items; item++)
        *largest = fmax(*largest, work->errors[item]);
    memory_free(context, work->errors, items, sizeof *work->errors);
    return good;
}

bool measure_error(const struct face_map *map, uint32_t *faces, double noise, double most, double *error)
{
    struct error_search work = {.map = map, .faces = faces, .most = most * most};
    double largest = 0;
    bool good = measure_rows(&work, map->surface->original_count, measure_points, &largest);
    work.known = fmax(largest * (1 + slack) * (1 + slack), noise);
    good = good && measure_rows(&work, map->surface->original_face_count, measure_faces, &largest);
    *error = sqrt(largest);
    return good;
}
