/* Measures how far one surface is from another: the original from the simplified one, and the other way. The points of
 * the surface are measured first. Then its faces: if all three corners are within a distance of one face of the other
 * surface, so are all points between them, as the set of points so near to a convex shape is convex. If no face has all
 * three so near, the face is cut where it leaves the region near one of them. */
#include <string.h>

#include "nearest.h"

enum {
    SLICE_BOXES = 64 * SLICE, /* boxes of the tree that an item may open */
    SLICE_PIECES = 256 * SLICE,
    FACE_PIECES = 16384, /* pieces of one face that are measured at most */
    MOST_PENDING = 128
};

/* The reported distance of faces may be too large by this part. */
static const double slack = 0.1;

struct error_search {
    const struct face_map *map;
    const struct measured *measured;
    double most;    /* squared: farther points and faces are marked */
    double known;   /* squared: a distance that some point is known to have */
    double *errors; /* of items: squares */
};

/* A part of an original face; for each corner a face of the surface near it. */
struct piece {
    double corners[3][3];
    uint32_t near[3];
    double distances[3]; /* squared, of each corner from its face */
};

/* A face that is measured. */
struct cover {
    const struct face_map *map;
    uint32_t *boxes, *pieces; /* boxes and pieces that may still be used */
    double good;              /* squared: a face that is so near is good enough */
    double most;
    struct piece pending[MOST_PENDING];
    uint32_t count;
};

static void mark(const struct error_search *work, uint32_t row)
{
    if (work->measured->far)
        work->measured->far[row] = true;
}

/* Measures a slice of points. If a point is farther than the farthest yet, its nearest face is searched in the tree; if
 * the distances are asked for, also if it is farther than a part of that. */
static void measure_point_slice(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const double notable = 0.0625; /* of the square */
    const struct error_search *work = user;
    const struct measured *measured = work->measured;
    uint32_t boxes = SLICE_BOXES;
    double largest = 0;
    for (uint32_t at = item * SLICE; at < slice_end(item, measured->point_count); at++) {
        struct face_search search = search_point(work->map, measured->points[at]);
        search_face(&search, measured->near[at]);
        double enough = fmin(measured->distances ? notable * largest : largest, work->most);
        if (search.distance > enough)
            search_from(&search, search_vertex(&search));
        if (search.distance > enough)
            search_all(&search, &boxes);
        measured->near[at] = search.face;
        largest = fmax(largest, search.distance);
        if (measured->distances)
            measured->distances[at] = (float)search.distance;
        if (search.distance > work->most)
            mark(work, at);
    }
    work->errors[item] = largest;
}

/* ---- a face ---- */

static double distance_from(const struct cover *cover, const double point[3], uint32_t face)
{
    struct face_search search = search_begin(cover->map, point);
    search_face(&search, face);
    return search.distance;
}

/* Returns the least distance within which one face has all of the piece, or one that is good enough; INFINITY if all
 * faces have more than `most`. */
static double piece_distance(const struct cover *cover, const struct piece *piece, double most)
{
    double least = INFINITY;
    for (int i = 0; i < 3 && least > cover->good; i++) {
        if ((i > 0 && piece->near[i] == piece->near[0]) || (i > 1 && piece->near[i] == piece->near[1]))
            continue;
        double largest = piece->distances[i];
        for (int corner = (i + 1) % 3; corner != i && largest <= most; corner = (corner + 1) % 3)
            largest = fmax(largest, distance_from(cover, piece->corners[corner], piece->near[i]));
        if (largest <= most)
            least = fmin(least, largest);
    }
    return least;
}

static void point_between(const double a[3], const double b[3], double part, double point[3])
{
    for (int axis = 0; axis < 3; axis++)
        point[axis] = a[axis] + part * (b[axis] - a[axis]);
}

/* Returns the part of the way from a to b that is near to the face. Along the way the distance has no second
 * minimum. */
static double part_near(const struct cover *cover, const double a[3], const double b[3], uint32_t face)
{
    enum { STEPS = 6 };
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

/* Cuts the longest edge that no face has near, at the place where the parts near to its ends meet. If there is no such
 * edge, cuts the longest in its middle. */
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
    struct face_search search = search_begin(cover->map, point);
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
        halves[half].distances[moved] = search.distance;
        memcpy(halves[half].corners[moved], point, sizeof point);
    }
    cover->count += 2;
}

/* Returns the squared distance that no point of the piece exceeds. As soon as one is farther than `most`, returns its
 * distance. */
static double cover_piece(struct cover *cover, const struct piece *whole)
{
    double largest = 0;
    uint32_t left = FACE_PIECES;
    cover->count = 1;
    cover->pending[0] = *whole;
    while (cover->count > 0) {
        struct piece piece = cover->pending[--cover->count];
        double sure = fmax(piece.distances[0], fmax(piece.distances[1], piece.distances[2]));
        if (sure > cover->most)
            return sure;
        if (sure > cover->good)
            cover->good = fmin(sure * (1 + slack) * (1 + slack), cover->most);
        bool last = left == 0 || *cover->pieces == 0 || cover->count + 2 > MOST_PENDING;
        double distance = piece_distance(cover, &piece, last ? INFINITY : cover->good);
        if (distance <= cover->good || last) {
            largest = fmax(largest, distance);
            continue;
        }
        left--;
        --*cover->pieces;
        cut_piece(cover, &piece);
    }
    return largest;
}

static void measure_face_slice(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct error_search *work = user;
    const struct measured *measured = work->measured;
    uint32_t boxes = SLICE_BOXES, pieces = SLICE_PIECES;
    double largest = 0;
    struct cover cover = {.map = work->map, .boxes = &boxes, .pieces = &pieces, .most = work->most};
    for (uint32_t face = item * SLICE; face < slice_end(item, measured->face_count); face++) {
        struct piece piece;
        for (int corner = 0; corner < 3; corner++) {
            uint32_t at = measured->faces[face][corner];
            from_mesh_unit(work->map->surface, measured->points[at], piece.corners[corner]);
            piece.near[corner] = measured->near[at];
            piece.distances[corner] = distance_from(&cover, piece.corners[corner], piece.near[corner]);
        }
        cover.good = fmin(fmax(work->known, largest), work->most);
        double distance = cover_piece(&cover, &piece);
        largest = fmax(largest, distance);
        if (distance > work->most)
            mark(work, measured->point_count + face);
    }
    work->errors[item] = largest;
}

/* ---- all ---- */

/* Runs all items and takes the largest of their results. */
static bool measure_rows(struct error_search *work, uint32_t count, parallel_work *measure, double *error)
{
    cp_context *context = work->map->surface->context;
    uint32_t items = slices(count);
    work->errors = memory_allocate(context, items, sizeof *work->errors);
    bool good = work->errors && parallel_for(context, items, measure, work);
    double largest = 0;
    for (uint32_t item = 0; good && item < items; item++)
        largest = fmax(largest, work->errors[item]);
    *error = sqrt(largest);
    memory_free(context, work->errors, items, sizeof *work->errors);
    return good;
}

bool measure_points(const struct face_map *map, const struct measured *measured, double most, double *error)
{
    struct error_search work = {.map = map, .measured = measured, .most = most * most};
    return measure_rows(&work, measured->point_count, measure_point_slice, error);
}

bool measure_faces(const struct face_map *map, const struct measured *measured, double known, double most,
                   double *error)
{
    known *= 1 + slack;
    struct error_search work = {.map = map, .measured = measured, .most = most * most, .known = known * known};
    return measure_rows(&work, measured->face_count, measure_face_slice, error);
}
