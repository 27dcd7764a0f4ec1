/* The colour of a triangle at a place of the picture: its material, the colours of its vertices and its texture, lit by
 * a sun from above, by the sky and by the ground. */
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "picture.h"

/* Light by its source, for a white surface that faces it. */
static const float SUN = 0.62F, SKY = 0.5F, GROUND = 0.22F;

void shading_start(const struct png_picture *picture, struct shading *shading, uint32_t triangle)
{
    const struct shape *shape = shape_of(picture, triangle);
    const cp_mesh *mesh = shape->mesh;
    uint32_t face = triangle - shape->first_triangle;
    const struct place_in_picture *corners[3];
    double at[3][3], normal[3], towards[3];
    shading->triangle = triangle;
    shading->shape = shape;
    shading->facet = (struct facet){0};
    shading->look = &picture->looks[look_of_face(picture, mesh, face)];
    memcpy(shading->corners, mesh->corners + mesh_face_first(mesh, face), sizeof shading->corners);
    for (int i = 0; i < 3; i++) {
        const float *position = mesh->positions + 3 * (size_t)shading->corners[i];
        corners[i] = picture->places + shape->first_place + shading->corners[i];
        pose_point(&shape->world, (double[]){(double)position[0], (double)position[1], (double)position[2]}, at[i]);
    }
    const double c[3] = {1, 1, 1};
    (void)facet_open(&shading->facet, corners, c, INT32_MAX, INT32_MIN / 2, INT32_MAX);
    /* A triangle of two pixels or less has one normal. */
    const struct facet *facet = &shading->facet;
    bool tiny = facet->end[0] - facet->low[0] <= 2 * SUPERSAMPLES && facet->end[1] - facet->low[1] <= 2 * SUPERSAMPLES;
    shading->smooth = !tiny && smooth_corners(picture, shape, face, shading->normals);
    triangle_normal(at[0], at[1], at[2], normal);
    subtract(picture->camera.at, at[0], towards);
    double length = sqrt(dot_product(normal, normal)), side = dot_product(normal, towards) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        shading->facing[i] = (float)(length > 0 ? side * normal[i] / length : 0);
}

/* Finds the weights of the corners at a place. */
static void weigh(const struct facet *facet, double x, double y, double weights[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double e = facet->lines[i][0] * x + (facet->lines[i][1] * y + facet->lines[i][2]);
        weights[i] = e > 0 ? e : 0; /* a pixel's middle may lie outside of a triangle that covers some of its samples */
        sum += weights[i];
    }
    for (int i = 0; i < 3; i++)
        weights[i] = sum > 0 ? weights[i] / sum : 1.0 / 3;
}

/* ---- textures ---- */

/* Moves a whole coordinate into the image. */
static uint32_t wrap(int64_t at, uint32_t size, cp_wrap how)
{
    if (how == CP_WRAP_CLAMP)
        return at < 0 ? 0 : at >= size ? size - 1 : (uint32_t)at;
    int64_t period = how == CP_WRAP_MIRROR ? 2 * (int64_t)size : size;
    int64_t in = at % period;
    in = in < 0 ? in + period : in;
    return in < size ? (uint32_t)in : (uint32_t)(period - 1 - in);
}

/* Reads an image at a point, (0, 0) to (1, 1), from the level at which a step of so many texels is about one. */
static void read_texels(const struct png_picture *picture, const struct look *look, const double point[2], double step,
                        float colour[4])
{
    const struct texels *texels = look->texels;
    uint32_t level = 0;
    while (level + 1 < texels->level_count && step > 1.4) {
        step /= 2;
        level++;
    }
    uint32_t width = texels->width[level], height = texels->height[level];
    double u = point[0] * width, v = point[1] * height;
    const double most = 1e15;
    memset(colour, 0, 4 * sizeof *colour);
    if (!(fabs(u) < most && fabs(v) < most))
        u = v = 0;
    bool nearest = look->nearest && level == 0;
    double left = floor(nearest ? u : u - 0.5), top = floor(nearest ? v : v - 0.5);
    float right_part = nearest ? 0 : (float)(u - 0.5 - left), low_part = nearest ? 0 : (float)(v - 0.5 - top);
    for (int i = 0; i < (nearest ? 1 : 4); i++) {
        uint32_t x = wrap((int64_t)left + i % 2, width, look->wrap[0]);
        uint32_t y = wrap((int64_t)top + i / 2, height, look->wrap[1]);
        float part = (i % 2 ? right_part : 1 - right_part) * (i / 2 ? low_part : 1 - low_part);
        const unsigned char *bytes = texels->levels[level] + 4 * ((size_t)y * width + x);
        for (int k = 0; k < 3; k++)
            colour[k] += part * picture->linear[bytes[k]];
        colour[3] += part * (float)bytes[3] / 255;
    }
}

/* Reads the texture at a place of the picture. */
static void read_texture(const struct png_picture *picture, const struct shading *shading, const double weights[3],
                         double x, double y, float colour[4])
{
    const struct look *look = shading->look;
    const float *coordinates = shading->shape->mesh->coordinates[look->set];
    const struct facet *facet = &shading->facet;
    double corner[3][2], point[2] = {0, 0}, sum = 0, along[2] = {0, 0}, step = 0;
    for (int i = 0; i < 3; i++) {
        const float *from = coordinates + 2 * (size_t)shading->corners[i];
        for (int k = 0; k < 2; k++) {
            corner[i][k] = (double)(look->map[k][0] * from[0] + look->map[k][1] * from[1] + look->map[k][2]);
            point[k] += weights[i] * corner[i][k];
        }
        sum += facet->lines[i][0] * x + (facet->lines[i][1] * y + facet->lines[i][2]);
    }
    /* The derivative of a quotient of linear functions, by x and by y. */
    for (int axis = 0; axis < 2 && sum > 0; axis++) {
        for (int k = 0; k < 2; k++) {
            along[k] = 0;
            for (int i = 0; i < 3; i++)
                along[k] += (corner[i][k] - point[k]) * facet->lines[i][axis] / sum;
            along[k] *= k == 0 ? look->texels->width[0] : look->texels->height[0];
        }
        step = fmax(step, sqrt(along[0] * along[0] + along[1] * along[1]));
    }
    read_texels(picture, look, point, step, colour);
}

/* ---- light ---- */

/* Finds the unit normal, towards the camera. */
static void find_normal(const struct shading *shading, const double weights[3], float normal[3])
{
    const struct shape *shape = shading->shape;
    memcpy(normal, shading->facing, 3 * sizeof *normal);
    if (!shape->mesh->normals && !shading->smooth)
        return;
    float sum[3] = {0, 0, 0}, turned[3], length = 0, agrees = 0;
    for (int i = 0; i < 3; i++) {
        const float *own =
            shading->smooth ? shading->normals[i] : shape->mesh->normals + 3 * (size_t)shading->corners[i];
        for (int k = 0; k < 3; k++)
            sum[k] += (float)weights[i] * own[k];
    }
    for (int k = 0; k < 3; k++) {
        turned[k] = shape->normals[k][0] * sum[0] + shape->normals[k][1] * sum[1] + shape->normals[k][2] * sum[2];
        length += turned[k] * turned[k];
        agrees += turned[k] * shading->facing[k];
    }
    if (!(length > 0) || !isfinite(length))
        return;
    float scale = (agrees < 0 ? -1.0F : 1.0F) / sqrtf(length);
    for (int k = 0; k < 3; k++)
        normal[k] = turned[k] * scale;
}

static float light_at(const struct png_picture *picture, const struct shading *shading, const double weights[3])
{
    float normal[3];
    find_normal(shading, weights, normal);
    float sunny = 0;
    for (int i = 0; i < 3; i++)
        sunny += normal[i] * (float)picture->sun[i];
    float light = GROUND + (SKY - GROUND) * (0.5F + 0.5F * normal[2]);
    if (!(sunny > 0))
        return light;
    if (picture->shadow.side > 0) {
        double point[3] = {0, 0, 0}, at[3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                point[k] +=
                    weights[i] * (double)shading->shape->mesh->positions[3 * (size_t)shading->corners[i] + (size_t)k];
        pose_point(&shading->shape->world, point, at);
        for (int i = 0; i < 3; i++) /* a surface casts no shadow on itself */
            at[i] += picture->shadow.bias * (double)shading->facing[i];
        sunny *= 1 - shadow_at(&picture->shadow, at, false);
    }
    return light + SUN * sunny;
}

/* ---- all ---- */

/* Finds the colour without light. */
static void find_colour(const struct png_picture *picture, const struct shading *shading, const double weights[3],
                        double x, double y, float colour[4])
{
    const struct look *look = shading->look;
    const cp_mesh *mesh = shading->shape->mesh;
    memcpy(colour, look->rgba, 4 * sizeof *colour);
    if (mesh->colours)
        for (size_t k = 0; k < 4; k++) {
            float value = 0;
            for (int i = 0; i < 3; i++)
                value += (float)weights[i] * mesh->colours[4 * (size_t)shading->corners[i] + k];
            colour[k] *= value;
        }
    if (look->texels && mesh->coordinates[look->set]) {
        float texel[4];
        read_texture(picture, shading, weights, x, y, texel);
        for (int k = 0; k < 4; k++)
            colour[k] *= texel[k];
    }
    if (look->alpha != CP_ALPHA_BLEND)
        colour[3] = look->alpha == CP_ALPHA_OPAQUE || colour[3] >= look->cutoff;
}

float shade_alpha(const struct png_picture *picture, const struct shading *shading, double x, double y)
{
    double weights[3];
    float colour[4];
    weigh(&shading->facet, x, y, weights);
    find_colour(picture, shading, weights, x, y, colour);
    return colour[3];
}

void shade(const struct png_picture *picture, const struct shading *shading, double x, double y, float colour[4])
{
    double weights[3];
    weigh(&shading->facet, x, y, weights);
    find_colour(picture, shading, weights, x, y, colour);
    float light = shading->look->plain ? 1 : light_at(picture, shading, weights);
    for (int k = 0; k < 3; k++) {
        float value = colour[k] * light + shading->look->emissive[k];
        colour[k] = value > 0 ? (value < 1 ? value : 1) : 0;
    }
}
