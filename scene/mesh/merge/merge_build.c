/* Builds the meshes that merge.c has decided on. */
#include "merge.h"

#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "model/model.h"

/* The numbers of the present instance's vertices. A stamp other than `stamp` is an older instance's. */
struct numbering {
    uint32_t *numbers;
    uint64_t *stamps;
    uint32_t room;
    uint64_t stamp;
};

/* The motion that takes an instance's vertices to the target's coordinates. */
struct motion {
    cp_pose pose, to_world;
    bool moves, mirrors;
    double matrix[3][3];
};

struct build {
    struct merge_job *job;
    struct numbering numbering;
    uint32_t (*slots)[2]; /* indexed by slot: the numbers of its faces and corners, then where they begin */
    cp_group *groups;
    uint32_t slot_count;
};

/* ---- the coordinates ---- */

cp_pose merge_part_pose(const struct merge_job *job, const struct merge_part *part)
{
    const cp_instance *instance = &job->scene->instances[part->instance];
    if (job->anchors[instance->node] == instance->node)
        return instance->transform;
    return pose_multiply(&job->relative[instance->node], &instance->transform);
}

/* A rotation with a uniform scale, perhaps mirrored, as units have: its inverse loses nothing. */
bool merge_can_stand(const cp_pose *pose)
{
    const double tolerance = 1e-9;
    double squares[3], mixed = 0;
    for (int i = 0; i < 3; i++) {
        const double *m = pose->m;
        int k = (i + 1) % 3;
        squares[i] = m[i] * m[i] + m[4 + i] * m[4 + i] + m[8 + i] * m[8 + i];
        mixed = fmax(mixed, fabs(m[i] * m[k] + m[4 + i] * m[4 + k] + m[8 + i] * m[8 + k]));
    }
    double allowed = tolerance * squares[0];
    return squares[0] >= 1e-12 && squares[0] <= 1e12 && mixed <= allowed && fabs(squares[1] - squares[0]) <= allowed &&
           fabs(squares[2] - squares[0]) <= allowed;
}

static cp_pose choose_base(const struct merge_job *job, const struct merge_bucket *bucket)
{
    cp_pose inverse, first = merge_part_pose(job, &job->parts[bucket->first_part]);
    bool equal = true;
    for (uint32_t i = 1; equal && i < bucket->part_count; i++) {
        cp_pose pose = merge_part_pose(job, &job->parts[bucket->first_part + i]);
        equal = pose_equal(&pose, &first);
    }
    return equal || (merge_can_stand(&first) && pose_inverse(&first, &inverse)) ? first : POSE_IDENTITY;
}

static struct motion part_motion(const struct merge_job *job, const struct merge_bucket *bucket,
                                 const struct merge_part *part)
{
    cp_pose inverse, pose = merge_part_pose(job, part);
    struct motion motion = {.pose = POSE_IDENTITY};
    if (!pose_equal(&pose, &bucket->base) && pose_inverse(&bucket->base, &inverse))
        motion.pose = pose_multiply(&inverse, &pose);
    motion.moves = !pose_is_identity(&motion.pose);
    motion.mirrors = pose_determinant(&motion.pose) < 0;
    motion.to_world = pose_multiply(&job->worlds[bucket->anchor], &bucket->base);
    mesh_normal_matrix(&motion.pose, motion.matrix);
    return motion;
}

/* ---- counting ---- */

cp_group merge_part_group(const cp_mesh *mesh, uint32_t group)
{
    return mesh->group_count > 0 ? mesh->groups[group] : (cp_group){0, mesh->face_count, CP_NONE};
}

/* Returns true if the vertex is new to the instance; then it has the number *next. */
static bool number_vertex(struct numbering *numbering, uint32_t vertex, uint32_t *next)
{
    if (numbering->stamps[vertex] == numbering->stamp)
        return false;
    numbering->stamps[vertex] = numbering->stamp;
    numbering->numbers[vertex] = (*next)++;
    return true;
}

static const cp_mesh *part_mesh(const struct merge_job *job, const struct merge_part *part)
{
    return &job->faces[job->scene->instances[part->instance].mesh];
}

/* Begins a new instance, whose vertices have no numbers yet; false within the same one. */
static bool begin_part(struct numbering *numbering, const struct merge_part *parts, uint32_t at, uint32_t first)
{
    bool begins = at == first || parts[at].instance != parts[at - 1].instance;
    numbering->stamp += begins;
    return begins;
}

static cp_status refuse_size(const struct merge_job *job, const struct merge_bucket *bucket, uint64_t corners)
{
    return report_error(job->scene->context, CP_LIMIT, "merge-size",
                        (struct place){.node = job->scene->nodes[bucket->anchor].name},
                        "%u parts of %llu corners in all are more than one mesh, or the limit of vertices, can hold",
                        bucket->part_count, (unsigned long long)corners);
}

/* Counts the mesh's sizes and its slots' faces and corners, and notes which arrays it has. */
static cp_status count_bucket(struct build *build, const struct merge_bucket *bucket, cp_mesh *mesh)
{
    const struct merge_job *job = build->job;
    uint64_t corners = 0;
    for (uint32_t at = bucket->first_part; at < bucket->first_part + bucket->part_count; at++) {
        const struct merge_part *part = &job->parts[at];
        const cp_mesh *from = part_mesh(job, part);
        cp_group group = merge_part_group(from, part->group);
        uint32_t first = mesh_face_first(from, group.first_face), end = first;
        if (group.face_count > 0)
            end = mesh_face_first(from, group.first_face + group.face_count - 1) +
                  mesh_face_size(from, group.first_face + group.face_count - 1);
        corners += end - first;
        if (corners >= CP_NONE)
            return refuse_size(job, bucket, corners);
        build->slots[part->slot][0] += group.face_count;
        build->slots[part->slot][1] += end - first;
        (void)begin_part(&build->numbering, job->parts, at, bucket->first_part);
        for (uint32_t corner = first; corner < end; corner++)
            (void)number_vertex(&build->numbering, from->corners[corner], &mesh->vertex_count);
        mesh->face_count += group.face_count;
    }
    mesh->corner_count = (uint32_t)corners;
    build->job->vertices += mesh->vertex_count;
    return build->job->vertices > limit_vertices(job->scene->context) ? refuse_size(job, bucket, corners) : CP_OK;
}

/* ---- filling ---- */

/* Returns false if the vertex leaves the range of floats. rounded: the farthest that rounding moved a vertex, in the
 * world. */
static bool add_vertex(const struct motion *motion, const cp_mesh *from, uint32_t vertex, cp_mesh *to, uint32_t number,
                       double *rounded)
{
    const float *position = from->positions + 3 * (size_t)vertex;
    float *target = (float *)to->positions + 3 * (size_t)number;
    mesh_copy_vertex(to, number, from, vertex);
    if (!motion->moves)
        return true;
    double off[3], squares = 0;
    if (!mesh_move_position(&motion->pose, position, target, off))
        return false;
    for (int row = 0; row < 3; row++) {
        double sum = dot_product(&motion->to_world.m[4 * row], off);
        squares += sum * sum;
    }
    *rounded = fmax(*rounded, sqrt(squares));
    mesh_move_directions(&motion->pose, (const double(*)[3])motion->matrix, from, vertex, to, number);
    return true;
}

/* Fills the mesh's arrays. */
static cp_status fill_bucket(struct build *build, const struct merge_bucket *bucket, cp_mesh *mesh)
{
    struct merge_job *job = build->job;
    struct numbering *numbering = &build->numbering;
    uint32_t *offsets = (uint32_t *)mesh->face_offsets, *corners = (uint32_t *)mesh->corners, next_vertex = 0;
    struct motion motion = {0};
    for (uint32_t at = bucket->first_part; at < bucket->first_part + bucket->part_count; at++) {
        const struct merge_part *part = &job->parts[at];
        const cp_mesh *from = part_mesh(job, part);
        cp_group group = merge_part_group(from, part->group);
        uint32_t *next = build->slots[part->slot];
        if (begin_part(numbering, job->parts, at, bucket->first_part))
            motion = part_motion(job, bucket, part);
        bool reverse = motion.mirrors && from->kind == CP_MESH_FACES;
        for (uint32_t face = group.first_face; face < group.first_face + group.face_count; face++) {
            uint32_t first = mesh_face_first(from, face), size = mesh_face_size(from, face);
            if (offsets)
                offsets[next[0]] = next[1];
            for (uint32_t i = 0; i < size; i++) {
                uint32_t vertex = from->corners[reverse && i > 0 ? first + size - i : first + i], number = next_vertex;
                if (number_vertex(numbering, vertex, &next_vertex) &&
                    !add_vertex(&motion, from, vertex, mesh, number, &job->result->rounded))
                    return report_error(job->scene->context, CP_LIMIT, "mesh-range", NOWHERE,
                                        "mesh \"%s\": a vertex moves out of the range of its coordinates",
                                        mesh_title(from));
                corners[next[1]++] = numbering->numbers[vertex];
            }
            next[0]++;
        }
    }
    if (offsets)
        offsets[mesh->face_count] = mesh->corner_count;
    return CP_OK;
}

/* Turns the slots' sizes into their beginnings, and into the mesh's groups. */
static void lay_out_slots(struct build *build, const struct merge_bucket *bucket, cp_mesh *mesh)
{
    const struct merge_job *job = build->job;
    uint32_t face = 0, corner = 0;
    const struct merge_part *parts = &job->parts[bucket->first_part];
    uint32_t first = parts[0].slot, count = 0;
    for (uint32_t i = 0; i < bucket->part_count; i++) {
        if (parts[i].slot != first + count)
            continue;
        uint32_t *slot = build->slots[first + count];
        cp_group group = merge_part_group(part_mesh(job, &parts[i]), parts[i].group);
        build->groups[first + count++] = (cp_group){face, slot[0], group.material};
        face += slot[0];
        corner += slot[1];
        slot[0] = face - slot[0];
        slot[1] = corner - slot[1];
    }
    bool plain = count == 1 && build->groups[first].material == CP_NONE;
    mesh->groups = plain ? NULL : &build->groups[first];
    mesh->group_count = plain ? 0 : count;
}

static cp_status build_bucket(struct build *build, struct merge_bucket *bucket)
{
    struct merge_job *job = build->job;
    cp_scene *scene = job->scene;
    const cp_mesh *first = part_mesh(job, &job->parts[bucket->first_part]);
    cp_mesh mesh = {.kind = first->kind};
    cp_status status = count_bucket(build, bucket, &mesh);
    if (status != CP_OK)
        return status;
    lay_out_slots(build, bucket, &mesh);
    /* The mesh gets the name that all parts share, else the frame's. */
    bool same_name = true, same_source = true, ngons = false;
    for (uint32_t i = 0; i < bucket->part_count; i++) {
        const cp_mesh *other = part_mesh(job, &job->parts[bucket->first_part + i]);
        same_name = same_name && strcmp(first->name, other->name) == 0;
        same_source = same_source && strcmp(first->source, other->source) == 0;
        ngons = ngons || other->face_offsets;
    }
    mesh.name = same_name && *first->name ? first->name : scene->nodes[bucket->anchor].name;
    mesh.source = same_source ? first->source : "";
    bool good = mesh_make_arrays(scene, &mesh, first, mesh.vertex_count);
    mesh.face_offsets = ngons ? scene_allocate(scene, (size_t)mesh.face_count + 1, sizeof(uint32_t)) : NULL;
    mesh.corners = scene_allocate(scene, mesh.corner_count, sizeof(uint32_t));
    if (!good || !mesh.corners || (ngons && !mesh.face_offsets))
        return CP_LIMIT;
    bucket->base = choose_base(job, bucket);
    status = fill_bucket(build, bucket, &mesh);
    if (status != CP_OK)
        return status;
    bucket->mesh = scene_add_mesh(scene, &mesh);
    return bucket->mesh == CP_NONE ? CP_LIMIT : CP_OK;
}

cp_status merge_build(struct merge_job *job)
{
    cp_context *context = job->scene->context;
    struct build build = {.job = job};
    struct numbering *numbering = &build.numbering;
    for (uint32_t i = 0; i < job->part_count; i++) {
        uint32_t vertices = part_mesh(job, &job->parts[i])->vertex_count, slot = job->parts[i].slot;
        build.slot_count = slot >= build.slot_count ? slot + 1 : build.slot_count;
        numbering->room = vertices > numbering->room ? vertices : numbering->room;
    }
    build.slots = memory_allocate_zeroed(context, build.slot_count, sizeof *build.slots);
    build.groups = scene_allocate(job->scene, build.slot_count, sizeof *build.groups);
    numbering->numbers = memory_allocate(context, numbering->room, sizeof *numbering->numbers);
    numbering->stamps = memory_allocate_zeroed(context, numbering->room, sizeof *numbering->stamps);
    bool good = build.slots && build.groups && numbering->numbers && numbering->stamps;
    cp_status status = good ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < job->bucket_count && status == CP_OK; i++)
        status = build_bucket(&build, &job->buckets[i]);
    memory_free(context, build.slots, build.slot_count, sizeof *build.slots);
    memory_free(context, numbering->numbers, numbering->room, sizeof *numbering->numbers);
    memory_free(context, numbering->stamps, numbering->room, sizeof *numbering->stamps);
    return status;
}
