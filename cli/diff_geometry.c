/* diff: the text of a difference, and the comparison of the meshes on a frame, as they are placed there. */
#include "diff.h"
#include "statements.h"

#include <inttypes.h>
#include <math.h>

static const char *only_in(int side)
{
    static const char *const sides[] = {NULL, "a", "b", "both"};
    return sides[side];
}

static void put_value(cp_json *json, const char *key, const struct diff_value *value)
{
    if (value->count == 1)
        cp_json_number(json, key, value->numbers[0]);
    else if (value->count > 0)
        cp_json_numbers(json, key, value->numbers, value->count);
    else
        cp_json_text(json, key, value->text);
}

static void put_collision(cp_json *json, const struct difference *difference)
{
    const cp_finding *collision = difference->collision;
    const cp_joint *joints = cp_joints(difference->scene, &(uint32_t){0});
    cp_json_open(json, "collision", '[');
    for (uint32_t i = 0; i < collision->witness_count; i++) {
        const cp_joint *joint = &joints[collision->witness[i].joint];
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "joint", joint->name);
        cp_json_text(json, "id", joint->id);
        cp_json_number(json, "value", collision->witness[i].value);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
}

static void put_difference(cp_json *json, const struct difference *difference, const char *text)
{
    cp_json_open(json, NULL, '{');
    cp_json_text(json, "subject", difference->subject);
    cp_json_text(json, "name", difference->name);
    cp_json_text(json, "second", difference->second);
    cp_json_text(json, "mesh", difference->mesh);
    cp_json_text(json, "property", difference->property);
    if (difference->index)
        cp_json_count(json, "index", *difference->index);
    else
        cp_json_text(json, "index", NULL);
    cp_json_text(json, "only_in", only_in(difference->only_in));
    put_value(json, "a", &difference->a);
    put_value(json, "b", &difference->b);
    cp_json_text(json, "excluded_by", only_in(difference->excluded_by));
    cp_json_text(json, "reason", difference->reason);
    if (difference->collision)
        put_collision(json, difference);
    else
        cp_json_text(json, "collision", NULL);
    cp_json_text(json, "text", text);
    cp_json_close(json, '}');
}

static void print_subject(FILE *file, const struct difference *difference)
{
    if (difference->name)
        fprintf(file, "%s \"%s\"", difference->subject, difference->name);
    if (difference->second)
        fprintf(file, " - \"%s\"", difference->second);
    if (difference->name)
        fputs(": ", file);
}

void differ(struct diff *diff, const struct difference *difference, const char *format, ...)
{
    struct printed_text text;
    if (diff->excuses && diff->excuses(diff, difference))
        return;
    diff->differences++;
    if (text_open(&text)) {
        va_list list;
        va_start(list, format);
        print_subject(text.file, difference);
        (void)vfprintf(text.file, format, list);
        va_end(list);
        if (difference->collision)
            print_collision(text.file, difference->scene, difference->collision);
    }
    if (!text_close(&text)) {
        diff->cli->untold = true;
    } else if (diff->json) {
        put_difference(diff->json, difference, text.bytes);
    } else {
        print_shown(stdout, text.bytes);
        printf("\n");
    }
    text_free(&text);
}

bool near(const struct diff *diff, double a, double b)
{
    return a == b || fabs(a - b) <= diff->tolerance;
}

struct point_text point_text(double x, double y, double z)
{
    struct point_text point;
    char digits[3][CP_NUMBER_SIZE];
    cp_print_double(x, digits[0]);
    cp_print_double(y, digits[1]);
    cp_print_double(z, digits[2]);
    (void)snprintf(point.text, sizeof point.text, "(%s %s %s)", digits[0], digits[1], digits[2]);
    return point;
}

static void place_vertex(const cp_instance *instance, const cp_mesh *mesh, uint32_t vertex, double out[3])
{
    const float *at = &mesh->positions[3 * (size_t)vertex];
    const double *m = instance->transform.m;
    for (int row = 0; row < 3; row++)
        out[row] = m[4 * row] * (double)at[0] + m[4 * row + 1] * (double)at[1] + m[4 * row + 2] * (double)at[2] +
                   m[4 * row + 3];
}

static uint32_t face_end(const cp_mesh *mesh, uint32_t face)
{
    return mesh->face_offsets ? mesh->face_offsets[face + 1] : 3 * (face + 1);
}

static uint32_t face_size(const cp_mesh *mesh, uint32_t face)
{
    return face_end(mesh, face) - (face > 0 ? face_end(mesh, face - 1) : 0);
}

/* A difference of the mesh `name` on `frame`. */
#define ON_MESH(what, ...) ABOUT("frame", frame, what, .mesh = name, __VA_ARGS__)

/* Compares two primitives of one kind. */
static void diff_primitive(struct diff *diff, const char *frame, const cp_instance *in_a, const cp_instance *in_b)
{
    const cp_mesh *a = &cp_meshes(diff->a.scene, &(uint32_t){0})[in_a->mesh];
    const cp_mesh *b = &cp_meshes(diff->b.scene, &(uint32_t){0})[in_b->mesh];
    const char *name = mesh_name(a), *kind = cp_mesh_kind_name(a->kind);
    bool same = a->sides == b->sides, there = true;
    for (int i = 0; i < 3; i++)
        same &= near(diff, a->size[i], b->size[i]);
    for (int i = 0; i < 12; i++)
        there &= near(diff, in_a->transform.m[i], in_b->transform.m[i]);
    if (!same)
        differ(diff, &ON_MESH("size", .a = NUMBERS(a->size, 3), .b = NUMBERS(b->size, 3)), "%s \"%s\" has other sizes",
               kind, name);
    if (!there)
        differ(diff, &ON_MESH("pose", .a = NUMBERS(in_a->transform.m, 12), .b = NUMBERS(in_b->transform.m, 12)),
               "%s \"%s\" lies elsewhere", kind, name);
}

/* Compares two meshes placed on frames of one name. The first vertices, faces and corners that differ are told. */
static void diff_mesh(struct diff *diff, const char *frame, const cp_instance *in_a, const cp_instance *in_b)
{
    const cp_mesh *a = &cp_meshes(diff->a.scene, &(uint32_t){0})[in_a->mesh];
    const cp_mesh *b = &cp_meshes(diff->b.scene, &(uint32_t){0})[in_b->mesh];
    const char *name = mesh_name(a), *kind = cp_mesh_kind_name(a->kind);
    if (in_a->use != in_b->use)
        differ(diff, &ON_MESH("use", .a = TEXT(cp_use_name(in_a->use)), .b = TEXT(cp_use_name(in_b->use))),
               "mesh \"%s\" is for %s, not %s", name, cp_use_name(in_a->use), cp_use_name(in_b->use));
    if (a->kind != b->kind) {
        differ(diff, &ON_MESH("kind", .a = TEXT(kind), .b = TEXT(cp_mesh_kind_name(b->kind))),
               "mesh \"%s\" is a %s, not a %s", name, kind, cp_mesh_kind_name(b->kind));
        return;
    }
    const cp_rows meshes_a = cp_rows_of(diff->a.scene, "mesh"), meshes_b = cp_rows_of(diff->b.scene, "mesh");
    diff_members(diff, (struct thing){"frame", frame, NULL}, &meshes_a, in_a->mesh, &meshes_b, in_b->mesh);
    if (a->kind >= CP_MESH_BOX) {
        diff_primitive(diff, frame, in_a, in_b);
        return;
    }
    const struct {
        const char *what;
        uint32_t a, b;
    } counts[] = {{"vertices", a->vertex_count, b->vertex_count},
                  {"faces", a->face_count, b->face_count},
                  {"corners", a->corner_count, b->corner_count}};
    uint64_t before = diff->differences;
    for (int i = 0; i < 3; i++)
        if (counts[i].a != counts[i].b)
            differ(diff, &ON_MESH(counts[i].what, .a = NUMBER(counts[i].a), .b = NUMBER(counts[i].b)),
                   "mesh \"%s\" has %" PRIu32 " %s, not %" PRIu32, name, counts[i].a, counts[i].what, counts[i].b);
    if (diff->differences > before)
        return;
    for (uint32_t vertex = 0; vertex < a->vertex_count; vertex++) {
        double at[3], other[3];
        place_vertex(in_a, a, vertex, at);
        place_vertex(in_b, b, vertex, other);
        if (near(diff, at[0], other[0]) && near(diff, at[1], other[1]) && near(diff, at[2], other[2]))
            continue;
        differ(diff, &ON_MESH("position", .index = &vertex, .a = NUMBERS(at, 3), .b = NUMBERS(other, 3)),
               "mesh \"%s\": vertex %" PRIu32 " lies at %s, not %s", name, vertex, point_text(at[0], at[1], at[2]).text,
               point_text(other[0], other[1], other[2]).text);
        break;
    }
    for (uint32_t face = 0; face < a->face_count; face++)
        if (face_end(a, face) != face_end(b, face)) {
            differ(diff,
                   &ON_MESH("face", .index = &face, .a = NUMBER(face_size(a, face)), .b = NUMBER(face_size(b, face))),
                   "mesh \"%s\": face %" PRIu32 " has another number of corners", name, face);
            return;
        }
    for (uint32_t corner = 0; corner < a->corner_count; corner++)
        if (a->corners[corner] != b->corners[corner]) {
            differ(
                diff,
                &ON_MESH("corner", .index = &corner, .a = NUMBER(a->corners[corner]), .b = NUMBER(b->corners[corner])),
                "mesh \"%s\": corner %" PRIu32 " is vertex %" PRIu32 ", not %" PRIu32, name, corner, a->corners[corner],
                b->corners[corner]);
            return;
        }
}

void diff_geometry(struct diff *diff, uint32_t node_a, uint32_t node_b)
{
    const cp_node *a = &diff->a.nodes[node_a], *b = &diff->b.nodes[node_b];
    const cp_rows rows_a = cp_rows_of(diff->a.scene, "instance"), rows_b = cp_rows_of(diff->b.scene, "instance");
    const cp_instance *in_a = rows_a.rows, *in_b = rows_b.rows;
    if (a->instance_count != b->instance_count)
        differ(diff, &ABOUT("frame", a->name, "meshes", .a = NUMBER(a->instance_count), .b = NUMBER(b->instance_count)),
               "%" PRIu32 " meshes, not %" PRIu32, a->instance_count, b->instance_count);
    for (uint32_t i = 0; i < a->instance_count && a->instance_count == b->instance_count; i++) {
        const uint32_t at_a = a->first_instance + i, at_b = b->first_instance + i;
        diff_members(diff, (struct thing){"frame", a->name, NULL}, &rows_a, at_a, &rows_b, at_b);
        diff_mesh(diff, a->name, &in_a[at_a], &in_b[at_b]);
    }
}
