/* The declarations that the files of the PNG exporter share. */
#ifndef CELLPIPE_EXPORTERS_PNG_PICTURE_H
#define CELLPIPE_EXPORTERS_PNG_PICTURE_H

#include "motion/motion.h"
#include "view/view.h"

/* The longest side of a picture, in pixels; samples of a pixel in each direction. */
enum { MOST_SIDE = 16384, SUPERSAMPLES = 2 };

enum { PNG_COLOURS_AUTO, PNG_COLOURS_NONE };
enum { PNG_FRAMES_AUTO, PNG_FRAMES_YES, PNG_FRAMES_NO };

struct png_settings {
    cp_pixels size;
    const char *view;
    cp_colour background;
    bool edges;
    int colours, frames;
    double crease;
};

/* A point of the picture: x and y in samples, and w, its distance before the camera in metres; never 0. */
struct place_in_picture {
    float x, y, w;
};
static inline void place_times_w(const struct place_in_picture *place, double out[3])
{
    out[2] = (double)place->w;
    out[0] = (double)place->x * out[2];
    out[1] = (double)place->y * out[2];
}

/* The camera, and the map from the world to places in the picture. */
struct png_camera {
    double axes[3][3]; /* right, up, towards the camera */
    double at[3];
    double focal;     /* samples for each unit of tan(angle) */
    double middle[2]; /* of the picture, in samples */
    cp_pose picture;  /* rows: x, y, w */
    double nearest;   /* w of the nearest thing that is drawn */
};

/* A texture's image at halved sizes, the first one as decoded. */
enum { MOST_LEVELS = 26 };
struct texels {
    bool tried, translucent;
    uint32_t level_count, width[MOST_LEVELS], height[MOST_LEVELS];
    const unsigned char *levels[MOST_LEVELS]; /* RGBA as displayed; NULL: none */
};

/* A material as it is drawn: linear light. */
struct look {
    float rgba[4], emissive[3];
    float cutoff;
    cp_alpha_mode alpha;
    bool plain; /* drawn without light */
    bool one_sided;
    const struct texels *texels; /* or NULL */
    cp_wrap wrap[2];
    bool nearest; /* enlarged texels have sharp borders */
    uint32_t set;
    float map[2][3]; /* from a vertex' coordinates to the image's */
};

/* A mesh without normals is smoothed by these: normals of its faces, and the faces at each vertex. */
struct smoothing {
    bool tried;
    float (*normals)[4]; /* unit length, or zero, and twice the area; NULL: the mesh has normals, or stays flat */
    uint32_t *first;     /* of each vertex, and the end */
    uint32_t *faces;
};

/* An instance as it is drawn. */
struct shape {
    const cp_mesh *mesh;
    const struct smoothing *smoothing;
    uint32_t first_place;    /* of its vertices */
    uint32_t first_triangle; /* number of its first face */
    float normals[3][3];     /* directions of the mesh to those of the world, but for their length */
    cp_pose world;
    bool mirrored;
};

/* A line to draw: a crease, or a part of a polyline. */
struct stroke {
    uint32_t ends[2]; /* places */
    uint32_t look;    /* or CP_NONE: an edge */
};

/* Numbers listed by bands: those of band i are items[first[i]] .. items[first[i + 1] - 1]. */
struct band_list {
    uint32_t *first, *items;
};

/* How dark the ground and what lies below others is: a map along the sun's rays, in heights above the ground. */
struct shadow {
    int32_t side; /* cells in each direction; 0: no map */
    double origin[2], scale;
    double slope[2]; /* a ray goes so many metres sideways for each metre of height */
    double ground;   /* metres; what is drawn stands on it */
    float *heights;  /* side x side: of the highest point, -INFINITY without one */
    float *roofs;    /* the same of the highest of all cells that a soft shadow there looks at */
    float softness;  /* metres of height over which a shadow on the ground fades */
    bool has_ground; /* the camera looks on the ground from above */
    double bias;     /* metres: from a surface, what casts a shadow on it is at least so far */
};

/* A picture while it is drawn. */
struct png_picture {
    cp_context *context;
    struct arena *arena;
    const struct png_settings *settings;
    const cp_scene *scene;
    uint32_t width, height; /* pixels */
    float background[4];    /* linear, times alpha */
    struct views views;
    struct png_camera camera;
    struct look *looks; /* of materials, the last one for none */
    struct texels *images;
    struct shape *shapes;
    uint32_t shape_count, triangle_count, place_count;
    struct place_in_picture *places;
    struct stroke *strokes;
    uint32_t stroke_count;
    uint32_t band_rows, band_count; /* rows of pixels */
    struct band_list solid, glass, lines;
    struct shadow shadow;
    double sun[3];
    float crease_cosine;
    float linear[256];      /* light by bytes as displayed */
    unsigned char *encoded; /* bytes as displayed by light, ENCODED_STEPS + 1 */
};
enum { ENCODED_STEPS = 1 << 14 };

/* Marks a triangle in a list: it is drawn where its texture is not below the cutoff. */
#define MASKED UINT32_C(0x80000000)

/* looks.c */
cp_status looks_make(struct png_picture *picture);
/* Returns the number of the material's look at a face. */
uint32_t look_of_face(const struct png_picture *picture, const cp_mesh *mesh, uint32_t face);

/* shapes.c: what is drawn, sorted into bands. */
cp_status shapes_make(struct png_picture *picture);
cp_status bands_make(struct png_picture *picture);
const struct shape *shape_of(const struct png_picture *picture, uint32_t triangle);

/* smooth.c */
cp_status smoothing_make(struct png_picture *picture);
/* Finds the normals at a face's corners, as the mesh has them, but for their length. False if it is flat. */
bool smooth_corners(const struct png_picture *picture, const struct shape *shape, uint32_t face, float normals[3][3]);

/* edges.c */
cp_status edges_add(struct png_picture *picture);

/* shadow.c */
cp_status shadow_make(struct png_picture *picture);
/* Returns how much of the sun a point is without: 0 .. 1. */
float shadow_at(const struct shadow *shadow, const double point[3], bool on_ground);

/* raster.c */

/* A triangle prepared for drawing. A sample (x, y) is inside if all lines[i] . (x, y, 1) >= 0; their share in the sum
 * is the weight of corner i, and depth . (x, y, 1) grows towards the camera. */
struct facet {
    double lines[3][3];
    double depth[3];
    double inverse[3];      /* -1 / lines[i][0], if its rows are long */
    bool owns[3];           /* samples on line i are inside */
    int32_t low[2], end[2]; /* samples that it may cover */
};
/* Prepares a triangle within a window of samples: x from 0 to width, y from top to end. c: the depth of each corner is
 * c / w. False if it covers no sample. */
bool facet_open(struct facet *facet, const struct place_in_picture *const *corners, const double c[3], int32_t width,
                int32_t top, int32_t end);
/* Return the first whole number n with n + 0.5 >= value, and the end of those with n + 0.5 <= value, within low .. end:
 * middles of samples. */
static inline int32_t first_middle(double value, int32_t low, int32_t end)
{
    value -= 0.5;
    if (!(value > low))
        return low;
    if (value >= end)
        return end;
    int32_t whole = (int32_t)value;
    return whole + (whole < value);
}
static inline int32_t end_of_middles(double value, int32_t low, int32_t end)
{
    value -= 0.5;
    if (!(value >= low))
        return low;
    return value >= end ? end : (int32_t)value + 1;
}
/* A row of it: the parts of the lines that do not depend on x. */
struct facet_row {
    double rest[3], depth;
    int32_t from, to; /* samples that may be inside */
};
enum { NARROW = 4 }; /* rows so short are not cut */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Finds the samples of a row that may be inside. */
static inline void facet_row(const struct facet *facet, int32_t y, struct facet_row *row)
{
    row->from = facet->low[0];
    row->to = facet->end[0];
    row->depth = facet->depth[1] * (y + 0.5) + facet->depth[2];
    for (int i = 0; i < 3; i++)
        row->rest[i] = facet->lines[i][1] * (y + 0.5) + facet->lines[i][2];
    if (row->to - row->from <= NARROW)
        return;
    double low = row->from, high = row->to;
    for (int i = 0; i < 3; i++) {
        if (facet->lines[i][0] > 0)
            low = larger(low, row->rest[i] * facet->inverse[i] - 1.5);
        else if (facet->lines[i][0] < 0)
            high = smaller(high, row->rest[i] * facet->inverse[i] + 1.5);
        else if (row->rest[i] < 0)
            high = low;
    }
    row->to = row->from;
    if (low < high) { /* one sample more on each side, whose exact test decides */
        row->from = (int32_t)low;
        row->to = (int32_t)high;
    }
}
/* Tells whether the middle of a sample of the row is inside. */
static inline bool facet_covers(const struct facet *facet, const struct facet_row *row, double x)
{
    double a = facet->lines[0][0] * x + row->rest[0], b = facet->lines[1][0] * x + row->rest[1],
           c = facet->lines[2][0] * x + row->rest[2];
    if (a > 0 && b > 0 && c > 0)
        return true;
    return (a > 0 || (a == 0 && facet->owns[0])) && (b > 0 || (b == 0 && facet->owns[1])) &&
           (c > 0 || (c == 0 && facet->owns[2]));
}
static inline float facet_depth(const struct facet *facet, const struct facet_row *row, double x)
{
    return (float)(facet->depth[0] * x + row->depth);
}

/* shade.c */

/* A triangle that is being shaded. */
struct shading {
    uint32_t triangle; /* CP_NONE at first */
    const struct shape *shape;
    const struct look *look;
    struct facet facet;
    uint32_t corners[3];
    float facing[3]; /* the facet's normal, towards the camera */
    bool smooth;
    float normals[3][3]; /* a smooth triangle has those of the corners, as the mesh has them */
};
void shading_start(const struct png_picture *picture, struct shading *shading, uint32_t triangle);
/* Finds the colour at a place in samples: linear, not times alpha. */
void shade(const struct png_picture *picture, const struct shading *shading, double x, double y, float colour[4]);
/* Returns the alpha there. */
float shade_alpha(const struct png_picture *picture, const struct shading *shading, double x, double y);

/* band.c */
void bands_choose(struct png_picture *picture);
cp_status bands_write(struct png_picture *picture, struct sink *sink);

#endif
