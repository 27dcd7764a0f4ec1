/* Chooses the corner that hides the fewest jointed parts, by a small picture of the scene from each: one of what stands
 * still and one of robots and what joints move. A pixel of a part is hidden if something that stands is nearer. */
#include "view.h"

#include <math.h>

enum { ABOVE = 12, CORNERS = 16, SIDE = 96, PIXELS = SIDE * SIDE };

/* The directions to the corners: four, the same four from higher, the middles of the sides from there, and four from
 * below. Front, right and above come first: if two corners hide the same, the earlier one is taken. */
static const double towards_corner[CORNERS][3] = {
    {0.6, -1, 0.55},  {-0.6, -1, 0.55},  {0.6, 1, 0.55},  {-0.6, 1, 0.55},  {0.6, -1, 1.1},  {-0.6, -1, 1.1},
    {0.6, 1, 1.1},    {-0.6, 1, 1.1},    {0.1, -1, 0.8},  {1, -0.1, 0.8},   {-1, -0.1, 0.8}, {0.1, 1, 0.8},
    {0.6, -1, -0.55}, {-0.6, -1, -0.55}, {0.6, 1, -0.55}, {-0.6, 1, -0.55},
};

struct count {
    uint32_t seen, hidden; /* pixels */
};

/* The picture from one corner. Depths grow towards the camera. */
struct picture {
    double axes[3][3];
    double origin[2], scale; /* pixel = (coordinate - origin) * scale */
    float still[PIXELS], moved[PIXELS];
    uint32_t part[PIXELS]; /* the nearest of those that move, or CP_NONE */
    struct count *counts;  /* of nodes */
};

struct corners {
    const struct shown *shown;
    struct picture *pictures; /* NULL: nothing that stands can hide what moves */
    bool *jointed;            /* nodes */
};

/* ---- one triangle ---- */

struct canvas {
    float *depths;
    uint32_t *parts; /* or NULL */
    uint32_t part;
};

/* Finds the pixels of a row whose middles are in a triangle: x from *from to *to. */
static bool cross_row(double corner[3][3], double y, double *from, double *to)
{
    *from = INFINITY;
    *to = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const double *a = corner[i], *b = corner[i < 2 ? i + 1 : 0];
        if ((a[1] <= y) == (b[1] <= y))
            continue;
        double x = a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]);
        *from = fmin(*from, x);
        *to = fmax(*to, x);
    }
    return *from <= *to;
}

/* Finds the first and the end of the whole numbers n with low <= n + 0.5 <= high, within the picture. */
static void clip_pixels(double low, double high, int *first, int *end)
{
    *first = (int)fmax(0, fmin(SIDE, ceil(low - 0.5)));
    *end = (int)fmax(0, fmin(SIDE, floor(high - 0.5) + 1));
}

static void draw_triangle(const struct canvas *canvas, double corner[3][3])
{
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    double area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if (!(fabs(area) > 0) || !isfinite(area))
        return;
    double along_x = ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1])) / area;
    double along_y = ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0])) / area;
    int row, last_row;
    clip_pixels(fmin(a[1], fmin(b[1], c[1])), fmax(a[1], fmax(b[1], c[1])), &row, &last_row);
    for (; row < last_row; row++) {
        double y = row + 0.5, from, to;
        int column, end;
        if (!cross_row(corner, y, &from, &to))
            continue;
        clip_pixels(from, to, &column, &end);
        for (; column < end; column++) {
            float depth = (float)(a[2] + along_x * (column + 0.5 - a[0]) + along_y * (y - a[1]));
            int pixel = row * SIDE + column;
            if (!(depth > canvas->depths[pixel]))
                continue;
            canvas->depths[pixel] = depth;
            if (canvas->parts)
                canvas->parts[pixel] = canvas->part;
        }
    }
}

/* ---- one picture ---- */

/* Draws an instance; faces are drawn as fans. */
static void draw_instance(const struct shown *shown, struct picture *picture, uint32_t instance,
                          const struct canvas *canvas)
{
    const cp_mesh *mesh = shown->meshes[shown->scene->instances[instance].mesh].faces;
    const double *m = shown->worlds[instance].m;
    double rows[3][4], corner[3][3];
    for (int row = 0; row < 3; row++) {
        double scale = row < 2 ? picture->scale : 1;
        for (int column = 0; column < 4; column++)
            rows[row][column] = scale * (picture->axes[row][0] * m[column] + picture->axes[row][1] * m[4 + column] +
                                         picture->axes[row][2] * m[8 + column]);
        if (row < 2)
            rows[row][3] -= picture->origin[row] * scale;
    }
    for (uint32_t face = 0; face < mesh->face_count && mesh->kind != CP_MESH_LINES; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        uint32_t size = mesh_face_size(mesh, face);
        for (uint32_t i = 0; i < size; i++) {
            const float *at = mesh->positions + 3 * (size_t)corners[i];
            double *to = corner[i < 2 ? i : 2];
            for (int row = 0; row < 3; row++)
                to[row] = rows[row][0] * (double)at[0] + rows[row][1] * (double)at[1] + rows[row][2] * (double)at[2] +
                          rows[row][3];
            if (i < 2)
                continue;
            draw_triangle(canvas, corner);
            for (int row = 0; row < 3; row++)
                corner[1][row] = corner[2][row];
        }
    }
}

static void draw_corner(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct corners *corners = user;
    const struct shown *shown = corners->shown;
    struct picture *picture = &corners->pictures[item];
    for (int i = 0; i < PIXELS; i++) {
        picture->still[i] = picture->moved[i] = -INFINITY;
        picture->part[i] = CP_NONE;
    }
    for (uint32_t i = 0; i < shown->scene->instance_count; i++) {
        const cp_instance *instance = &shown->scene->instances[i];
        struct canvas canvas = {picture->still, NULL, 0};
        if (corners->jointed[instance->node])
            canvas = (struct canvas){picture->moved, picture->part, instance->node};
        if (instance->use & shown->use)
            draw_instance(shown, picture, i, &canvas);
    }
    for (int i = 0; i < PIXELS; i++)
        if (picture->part[i] != CP_NONE) {
            struct count *count = &picture->counts[picture->part[i]];
            count->seen++;
            count->hidden += picture->still[i] > picture->moved[i];
        }
}

/* Aims the camera so that the whole box fits into the picture. */
static void aim(struct picture *picture, const double towards[3], const double lower[3], const double upper[3])
{
    double most = 0;
    camera_axes(towards, picture->axes);
    for (int axis = 0; axis < 2; axis++) {
        double low = 0, high = 0;
        for (int i = 0; i < 3; i++) {
            double a = picture->axes[axis][i] * lower[i], b = picture->axes[axis][i] * upper[i];
            low += fmin(a, b);
            high += fmax(a, b);
        }
        picture->origin[axis] = low;
        most = fmax(most, high - low);
    }
    picture->scale = most > 0 ? SIDE / most : 1;
}

/* ---- all ---- */

/* Tells whether something stands and something is moved by joints. */
static bool find_jointed(struct corners *corners)
{
    const struct shown *shown = corners->shown;
    const cp_scene *scene = shown->scene;
    bool stands = false, moves = false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        corners->jointed[i] = node->parent != CP_NONE && corners->jointed[node->parent];
        /* A robot's base stands still, but people want to see it, too. */
        corners->jointed[i] |= node->scope != CP_NONE && scene->devices[node->scope].joint_count > 0;
        for (uint32_t j = 0; j < node->joint_count; j++)
            corners->jointed[i] |= scene->joints[node->first_joint + j].type != CP_JOINT_FIXED;
    }
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (scene->instances[i].use & shown->use) {
            bool jointed = corners->jointed[scene->instances[i].node];
            moves |= jointed;
            stands |= !jointed;
        }
    return stands && moves;
}

cp_status corners_look(const struct shown *shown, const double lower[3], const double upper[3],
                       struct corners **corners)
{
    uint32_t nodes = shown->scene->node_count;
    struct corners *made = arena_allocate_zeroed(shown->arena, 1, sizeof *made);
    *corners = made;
    if (!made)
        return CP_LIMIT;
    made->shown = shown;
    made->jointed = arena_allocate(shown->arena, nodes, sizeof *made->jointed);
    if (!made->jointed)
        return CP_LIMIT;
    if (!find_jointed(made))
        return CP_OK;
    struct count *counts = arena_allocate_zeroed(shown->arena, CORNERS * (size_t)nodes, sizeof *counts);
    made->pictures = arena_allocate(shown->arena, CORNERS, sizeof *made->pictures);
    if (!counts || !made->pictures)
        return CP_LIMIT;
    for (int i = 0; i < CORNERS; i++) {
        made->pictures[i].counts = counts + (size_t)i * nodes;
        aim(&made->pictures[i], towards_corner[i], lower, upper);
    }
    return parallel_for(shown->context, CORNERS, draw_corner, made) ? CP_OK : CP_LIMIT;
}

void corners_choose(const struct corners *corners, uint32_t device, double towards[3])
{
    int best = 0;
    uint64_t least = UINT64_MAX;
    const cp_node *nodes = corners->shown->scene->nodes;
    /* A whole cell is seen from above only, as its floor hides it from below. */
    int corner_count = device == CP_NONE ? ABOVE : CORNERS;
    for (int i = 0; i < corner_count && corners->pictures; i++) {
        uint64_t parts = 0, seen = 0, hidden = 0;
        for (uint32_t node = 0; node < corners->shown->scene->node_count; node++) {
            const struct count *count = &corners->pictures[i].counts[node];
            if (device != CP_NONE && nodes[node].scope != device)
                continue;
            parts += count->hidden > count->seen / 2;
            seen += count->seen;
            hidden += count->hidden;
        }
        /* Rank by hidden parts first, then by tenths of all that is seen of them. */
        uint64_t rank = 16 * parts + (seen > 0 ? 10 * hidden / seen : 0);
        if (rank < least) {
            least = rank;
            best = i;
        }
    }
    for (int axis = 0; axis < 3; axis++)
        towards[axis] = towards_corner[best][axis];
}
