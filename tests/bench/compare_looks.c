/* compare_looks [--picture FILE.png VIEW] REFERENCE FILE...
 *
 * Draws each file as the reference is drawn, from 12 directions, and prints a line of numbers for it, between tabs:
 *   all         mean difference of a pixel, of 255 levels of grey, over all pixels
 *   covered     the same over the pixels that either of the two covers
 *   silhouettes % of all pixels that one of the two covers alone
 * Grey on white, 512 x 512 pixels, seen in parallel, 90 % of the picture for the reference's bounding sphere; a light
 * at the camera and one beside it; the file's own normals, or flat faces, as glTF has it. Materials do not count.
 * --picture: all files beside each other, at half the size, from one of the directions (0 to 11). */
#include "cellpipe.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SIZE = 512, PIXELS = SIZE * SIZE, VIEWS = 12, WHITE = 255 };

/* What is drawn of a file: corners of triangles in the world, each with its normal. */
struct model {
    double (*points)[3], (*normals)[3];
    size_t corner_count;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static bool to_unit(double v[3])
{
    double length = sqrt(dot(v, v));
    for (int i = 0; i < 3 && length > 0; i++)
        v[i] /= length;
    return length > 0;
}

/* ---- reading ---- */

static cp_pose multiply(const cp_pose *a, const cp_pose *b)
{
    cp_pose out;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? a->m[4 * row + 3] : 0;
            for (int i = 0; i < 3; i++)
                sum += a->m[4 * row + i] * b->m[4 * i + column];
            out.m[4 * row + column] = sum;
        }
    return out;
}

static void move_point(const cp_pose *pose, const float *point, double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = pose->m[4 * row] * (double)point[0] + pose->m[4 * row + 1] * (double)point[1] +
                   pose->m[4 * row + 2] * (double)point[2] + pose->m[4 * row + 3];
}

/* By the cofactors of the pose, which is its inverse transposed but for a factor. */
static void move_normal(const cp_pose *pose, const float *normal, double out[3])
{
    const double *m = pose->m;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double rows[3];
        for (int c = 0; c < 3; c++)
            rows[c] = m[4 * j + (c + 1) % 3] * m[4 * k + (c + 2) % 3] - m[4 * j + (c + 2) % 3] * m[4 * k + (c + 1) % 3];
        out[i] = rows[0] * (double)normal[0] + rows[1] * (double)normal[1] + rows[2] * (double)normal[2];
    }
    to_unit(out);
}

static void add_face(struct model *model, const cp_mesh *mesh, const cp_pose *pose, const uint32_t corners[3])
{
    double(*points)[3] = model->points + model->corner_count, (*normals)[3] = model->normals + model->corner_count;
    double sides[2][3], flat[3];
    for (int i = 0; i < 3; i++)
        move_point(pose, mesh->positions + 3 * (size_t)corners[i], points[i]);
    for (int i = 0; i < 3; i++) {
        sides[0][i] = points[1][i] - points[0][i];
        sides[1][i] = points[2][i] - points[0][i];
    }
    cross(sides[0], sides[1], flat);
    if (!to_unit(flat))
        return;
    for (int i = 0; i < 3; i++)
        if (mesh->normals)
            move_normal(pose, mesh->normals + 3 * (size_t)corners[i], normals[i]);
        else
            memcpy(normals[i], flat, sizeof flat);
    model->corner_count += 3;
}

static bool add_meshes(struct model *model, const cp_scene *scene, const cp_pose *worlds)
{
    uint32_t count, mesh_count;
    const cp_instance *instances = cp_instances(scene, &count);
    const cp_mesh *meshes = cp_meshes(scene, &mesh_count);
    size_t room = 0;
    for (uint32_t i = 0; i < count; i++)
        room += meshes[instances[i].mesh].corner_count;
    model->points = malloc((room + 1) * sizeof *model->points);
    model->normals = malloc((room + 1) * sizeof *model->normals);
    for (uint32_t i = 0; model->points && model->normals && i < count; i++) {
        const cp_mesh *mesh = &meshes[instances[i].mesh];
        cp_pose pose = multiply(&worlds[instances[i].node], &instances[i].transform);
        if (!(instances[i].use & CP_USE_DRAWN) || mesh->kind != CP_MESH_FACES)
            continue;
        for (uint32_t corner = 0; corner + 2 < mesh->corner_count; corner += 3)
            add_face(model, mesh, &pose, mesh->corners + corner);
    }
    return model->points && model->normals;
}

static cp_status read_model(cp_context *context, const char *path, struct model *model)
{
    cp_scene *scene;
    uint32_t count;
    *model = (struct model){0};
    cp_status status = cp_read(context, path, NULL, NULL, 0, &scene);
    if (status != CP_OK)
        return status;
    status = cp_apply(context, scene, "triangulate", NULL, 0);
    (void)cp_nodes(scene, &count);
    cp_pose *worlds = malloc(count * sizeof *worlds);
    if (status == CP_OK)
        status = worlds ? cp_world_poses(context, scene, NULL, worlds) : CP_LIMIT;
    if (status == CP_OK && !add_meshes(model, scene, worlds))
        status = CP_LIMIT;
    free(worlds);
    cp_scene_free(scene);
    return status;
}

/* ---- drawing ---- */

struct camera {
    double axes[3][3]; /* right, up, towards the camera */
    double middle[3], scale;
};

static void aim(struct camera *camera, int view, const struct model *reference)
{
    const double golden = (1 + sqrt(5)) / 2, a = view & 1 ? -1 : 1, b = view & 2 ? -golden : golden;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
    for (size_t i = 0; i < reference->corner_count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], reference->points[i][k]);
            high[k] = fmax(high[k], reference->points[i][k]);
        }
    for (int k = 0; k < 3; k++)
        camera->middle[k] = (low[k] + high[k]) / 2;
    for (size_t i = 0; i < reference->corner_count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += (reference->points[i][k] - camera->middle[k]) * (reference->points[i][k] - camera->middle[k]);
        most = fmax(most, square);
    }
    camera->scale = 0.45 * SIZE / fmax(sqrt(most), 1e-12);
    /* The corners of an icosahedron. */
    double *towards = camera->axes[2];
    towards[view / 4] = 0;
    towards[(view / 4 + 1) % 3] = a;
    towards[(view / 4 + 2) % 3] = b;
    to_unit(towards);
    const double up[3] = {0, 0, 1};
    cross(up, towards, camera->axes[0]);
    to_unit(camera->axes[0]);
    cross(towards, camera->axes[0], camera->axes[1]);
}

/* Grey by two lights; both sides of a face are seen alike. */
static unsigned char shade(const struct camera *camera, const double normal[3])
{
    double side[3], n[3] = {normal[0], normal[1], normal[2]};
    if (!to_unit(n))
        return 0;
    double facing = dot(n, camera->axes[2]), sign = facing < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        side[i] = camera->axes[0][i] * 0.6 + camera->axes[1][i] * 0.6 + camera->axes[2][i] * 0.52915;
    double light = 0.1 + 0.4 * fabs(facing) + 0.4 * fmax(0, sign * dot(n, side));
    return (unsigned char)lrint(fmin(light, 0.9) * 255);
}

/* The grey of each pixel, WHITE where nothing is. */
static void draw(const struct model *model, const struct camera *camera, float *depths, unsigned char *picture)
{
    memset(picture, WHITE, PIXELS);
    for (int i = 0; i < PIXELS; i++)
        depths[i] = -INFINITY;
    for (size_t corner = 0; corner < model->corner_count; corner += 3) {
        double seen[3][3];
        for (int i = 0; i < 3; i++) {
            double from[3];
            for (int k = 0; k < 3; k++)
                from[k] = model->points[corner + (size_t)i][k] - camera->middle[k];
            seen[i][0] = SIZE / 2.0 + camera->scale * dot(camera->axes[0], from);
            seen[i][1] = SIZE / 2.0 - camera->scale * dot(camera->axes[1], from);
            seen[i][2] = camera->scale * dot(camera->axes[2], from);
        }
        double area = (seen[1][0] - seen[0][0]) * (seen[2][1] - seen[0][1]) -
                      (seen[2][0] - seen[0][0]) * (seen[1][1] - seen[0][1]);
        int range[2][2];
        for (int axis = 0; axis < 2; axis++) {
            double least = fmin(seen[0][axis], fmin(seen[1][axis], seen[2][axis]));
            double most = fmax(seen[0][axis], fmax(seen[1][axis], seen[2][axis]));
            range[axis][0] = (int)fmax(0, ceil(fmin(least, SIZE) - 0.5));
            range[axis][1] = (int)fmin(SIZE - 1, floor(fmax(most, -1) - 0.5));
        }
        for (int y = range[1][0]; y <= range[1][1] && area != 0; y++)
            for (int x = range[0][0]; x <= range[0][1]; x++) {
                double shares[3], normal[3] = {0, 0, 0}, depth = 0;
                bool inside = true;
                for (int i = 0; i < 3; i++) {
                    const double *a = seen[(i + 1) % 3], *b = seen[(i + 2) % 3];
                    shares[i] = ((a[0] - x - 0.5) * (b[1] - y - 0.5) - (b[0] - x - 0.5) * (a[1] - y - 0.5)) / area;
                    inside = inside && shares[i] >= 0;
                    depth += shares[i] * seen[i][2];
                }
                if (!inside || depth <= (double)depths[SIZE * y + x])
                    continue;
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++)
                        normal[k] += shares[i] * model->normals[corner + (size_t)i][k];
                depths[SIZE * y + x] = (float)depth;
                picture[SIZE * y + x] = shade(camera, normal);
            }
    }
}

/* ---- comparing ---- */

struct looks {
    double difference;
    size_t covered, alone;
};

static void compare(const unsigned char *reference, const unsigned char *other, struct looks *looks)
{
    for (int i = 0; i < PIXELS; i++) {
        looks->difference += abs(reference[i] - other[i]);
        looks->covered += reference[i] != WHITE || other[i] != WHITE;
        looks->alone += (reference[i] != WHITE) != (other[i] != WHITE);
    }
}

static void put_number(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* A chunk of a PNG file: its length, type, bytes and checksum. */
static bool write_chunk(FILE *file, const char *type, const unsigned char *bytes, uint32_t size)
{
    unsigned char head[8], tail[4];
    put_number(head, size);
    memcpy(head + 4, type, 4);
    uLong sum = crc32(crc32(0, head + 4, 4), bytes, size);
    put_number(tail, (uint32_t)sum);
    return fwrite(head, 1, 8, file) == 8 && fwrite(bytes, 1, size, file) == size && fwrite(tail, 1, 4, file) == 4;
}

/* One view of all files, each pixel the mean of four. */
static bool save_picture(const char *path, int view, const unsigned char *pictures, int count)
{
    const size_t width = SIZE / 2 * (size_t)count, row = width + 1;
    unsigned char head[13] = {0}, *rows = calloc(SIZE / 2, row);
    uLongf size = compressBound((uLong)(row * SIZE / 2));
    unsigned char *packed = malloc(size);
    bool good = rows && packed;
    for (size_t y = 0; good && y < SIZE / 2; y++)
        for (size_t x = 0; x < width; x++) {
            const unsigned char *at =
                pictures + PIXELS * (VIEWS * (x / (SIZE / 2)) + (size_t)view) + 2 * SIZE * y + 2 * (x % (SIZE / 2));
            rows[row * y + 1 + x] = (unsigned char)((at[0] + at[1] + at[SIZE] + at[SIZE + 1]) / 4);
        }
    good = good && compress2(packed, &size, rows, (uLong)(row * SIZE / 2), 9) == Z_OK;
    put_number(head, (uint32_t)width);
    put_number(head + 4, SIZE / 2);
    head[8] = 8; /* bits of a level of grey */
    FILE *file = good ? fopen(path, "wb") : NULL;
    good = file && fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) == 8 && write_chunk(file, "IHDR", head, sizeof head) &&
           write_chunk(file, "IDAT", packed, (uint32_t)size) && write_chunk(file, "IEND", head, 0);
    good = file && fclose(file) == 0 && good;
    free(rows);
    free(packed);
    return good;
}

static cp_status run(cp_context *context, const char *picture_path, int shown, char **paths, int count)
{
    struct model reference, model;
    float *depths = malloc(PIXELS * sizeof *depths);
    unsigned char *pictures = malloc((size_t)PIXELS * VIEWS * (size_t)count);
    cp_status status = depths && pictures ? read_model(context, paths[0], &reference) : CP_LIMIT;
    for (int i = 0; i < count && status == CP_OK; i++) {
        struct looks looks = {0};
        status = read_model(context, paths[i], &model);
        for (int view = 0; view < VIEWS && status == CP_OK; view++) {
            struct camera camera;
            unsigned char *picture = pictures + (size_t)PIXELS * (size_t)(VIEWS * i + view);
            aim(&camera, view, &reference);
            draw(&model, &camera, depths, picture);
            compare(pictures + (size_t)PIXELS * (size_t)view, picture, &looks);
        }
        if (status == CP_OK && i > 0)
            printf("%.4f\t%.4f\t%.4f\n", looks.difference / PIXELS / VIEWS,
                   looks.covered > 0 ? looks.difference / (double)looks.covered : 0,
                   100.0 * (double)looks.alone / PIXELS / VIEWS);
        free(model.points);
        free(model.normals);
    }
    if (status == CP_OK && picture_path && !save_picture(picture_path, shown, pictures, count))
        status = CP_OUTPUT;
    if (depths && pictures) {
        free(reference.points);
        free(reference.normals);
    }
    free(depths);
    free(pictures);
    return status;
}

int main(int count, char **arguments)
{
    const char *picture = NULL;
    int shown = 0;
    if (count > 3 && strcmp(arguments[1], "--picture") == 0) {
        picture = arguments[2];
        shown = atoi(arguments[3]);
        arguments += 3;
        count -= 3;
    }
    cp_context *context = cp_context_new(NULL);
    if (count < 3 || shown < 0 || shown >= VIEWS || !context) {
        fputs("usage: compare_looks [--picture FILE.png VIEW] REFERENCE FILE...\n", stderr);
        return CP_USAGE;
    }
    cp_status status = run(context, picture, shown, arguments + 1, count - 1);
    size_t entries;
    const cp_entry *report = cp_report(context, &entries);
    for (size_t i = 0; i < entries; i++)
        if (report[i].severity > CP_WARNING)
            fprintf(stderr, "%s\n", report[i].message);
    cp_context_free(context);
    return (int)status;
}
