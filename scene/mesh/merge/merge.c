/* Decides which meshes are joined, and changes the scene accordingly. */
#include "merge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "mesh/join.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "motion/motion.h"

/* ---- where meshes would go ---- */

/* Finds for each node the anchor to which its meshes would go, and the node's pose there. */
static cp_status find_anchors(struct merge_job *job)
{
    const cp_scene *scene = job->scene;
    enum merge_scope scope = job->settings->scope;
    cp_mechanism mechanism;
    cp_status status = mechanism_open(&mechanism, scene->context, scene);
    scene_find_links(scene, job->heads);
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++) {
        uint32_t anchor = scope == MERGE_NODE ? i : scope == MERGE_SCENE ? 0 : job->heads[i];
        cp_pose own = node_pose(&mechanism, i, &scene->nodes[i].local);
        job->relative[i] = anchor == i ? POSE_IDENTITY : pose_multiply(&job->relative[scene->nodes[i].parent], &own);
        uint32_t other = scene->nodes[i].flags ^ scene->nodes[anchor].flags;
        job->anchors[i] = other & (CP_NODE_HIGHLIGHT | CP_NODE_WIRE) ? i : anchor;
    }
    if (status == CP_OK)
        status = cp_mechanism_poses(&mechanism, NULL, job->worlds);
    mechanism_close(&mechanism);
    return status;
}

/* ---- parts ---- */

static cp_status list_parts(struct merge_job *job)
{
    const cp_scene *scene = job->scene;
    cp_context *context = scene->context;
    const struct merge_settings *settings = job->settings;
    uint32_t mesh_count = scene->mesh_count;
    uint32_t *uses = memory_allocate_zeroed(context, mesh_count, sizeof *uses);
    cp_status status = uses ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++)
        uses[scene->instances[i].mesh]++;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        uint32_t number = scene->instances[i].mesh;
        if ((settings->keep && settings->keep[number]) || (!settings->shared && uses[number] != 1) ||
            (scene->meshes[number].kind >= CP_MESH_BOX && !settings->primitives))
            continue;
        cp_mesh *mesh = &job->faces[number];
        status = mesh_tessellate(job->scene, mesh); /* once: the copy stays faces */
        uint32_t count = mesh->group_count > 0 ? mesh->group_count : 1;
        for (uint32_t group = 0; group < count && status == CP_OK; group++) {
            if (merge_part_group(mesh, group).face_count == 0)
                continue;
            if (array_reserve(context, &job->parts, &job->part_room, (uint64_t)job->part_count + 1, sizeof *job->parts))
                job->parts[job->part_count++] = (struct merge_part){.instance = i, .group = group};
            else
                status = CP_LIMIT;
        }
    }
    memory_free(context, uses, mesh_count, sizeof *uses);
    return status;
}

/* ---- buckets ---- */

enum { KEY_LINES = 1 << 2, KEY_ARRAYS = 1 << 3 };

/* Numbers the buckets by their first parts. The parts of a bucket go to one place and are near each other there, are
 * for one use, have the same arrays and, without groups, one material. slots: numbers these instead, by bucket and
 * material. */
static cp_status number_parts(struct merge_job *job, bool slots)
{
    cp_context *context = job->scene->context;
    uint32_t count = job->part_count;
    uint32_t(*keys)[4] = memory_allocate(context, count, sizeof *keys);
    uint32_t *first = memory_allocate(context, count, sizeof *first);
    bool good = keys && first;
    for (uint32_t i = 0; good && i < count; i++) {
        const struct merge_part *part = &job->parts[i];
        const cp_instance *instance = &job->scene->instances[part->instance];
        const cp_mesh *mesh = &job->faces[instance->mesh];
        uint32_t material = merge_part_group(mesh, part->group).material;
        uint32_t arrays = mesh->kind == CP_MESH_LINES ? KEY_LINES : 0;
        for (size_t k = 0; k < ARRAY_COUNT; k++)
            arrays |= mesh_array(mesh, k) ? (uint32_t)KEY_ARRAYS << k : 0;
        keys[i][0] = slots ? part->bucket : job->anchors[instance->node];
        keys[i][1] = slots ? 0 : instance->use | arrays;
        keys[i][2] = slots || !job->settings->groups ? material : 0;
        keys[i][3] = slots ? 0 : part->region;
    }
    good = good && join_rows(context, keys, 4, 4, count, first);
    if (good) {
        uint32_t numbers = join_number(first, count);
        if (!slots)
            job->bucket_count = numbers;
    }
    for (uint32_t i = 0; good && i < count; i++)
        *(slots ? &job->parts[i].slot : &job->parts[i].bucket) = first[i];
    memory_free(context, keys, count, sizeof *keys);
    memory_free(context, first, count, sizeof *first);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- regions ---- */

/* If a part is farther from a mesh's origin than so many times its own size, it keeps less than 11 of the 24 bits of
 * floats. */
static const double farthest = 8192;
enum { MOST_REGIONS = 8 };

/* The box of the vertices that faces use. */
struct used_box {
    double middle[3], half[3];
    bool known;
};

static void find_box(const cp_mesh *mesh, struct used_box *box)
{
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t corner = 0; corner < mesh->corner_count; corner++) {
            const double at = (double)mesh->positions[3 * (size_t)mesh->corners[corner] + (size_t)i];
            low = fmin(low, at);
            high = fmax(high, at);
        }
        box->middle[i] = (low + high) / 2;
        box->half[i] = (high - low) / 2;
    }
    box->known = true;
}

static bool is_near(const struct used_box *box, const cp_pose *pose, const double origin[3])
{
    double apart = 0, size = 0;
    for (int row = 0; row < 3; row++) {
        const double *m = &pose->m[4 * row];
        double off = m[3] - origin[row], side = 0;
        for (int i = 0; i < 3; i++) {
            off += m[i] * box->middle[i];
            side += 2 * fabs(m[i]) * box->half[i];
        }
        apart += off * off;
        size += side * side;
    }
    return apart <= farthest * farthest * size || sqrt(size) < (double)FLT_MIN; /* a point has no shape to lose */
}

/* Returns true if a part loses nothing in the coordinates of the first one; at equal poses no vertex moves. */
static bool stands_with(const struct merge_job *job, const struct merge_part *part, const struct merge_part *first,
                        struct used_box *boxes)
{
    const struct merge_part *const both[2] = {part, first};
    struct used_box *box[2];
    cp_pose pose[2];
    double middle[3];
    for (int i = 0; i < 2; i++) {
        const uint32_t mesh = job->scene->instances[both[i]->instance].mesh;
        pose[i] = merge_part_pose(job, both[i]);
        box[i] = &boxes[mesh];
        if (!box[i]->known)
            find_box(&job->faces[mesh], box[i]);
    }
    const double *m = pose[1].m;
    const bool stands = merge_can_stand(&pose[1]);
    const double origin[3] = {stands ? m[3] : 0, stands ? m[7] : 0, stands ? m[11] : 0};
    for (int row = 0; row < 3; row++)
        middle[row] = dot_product(&m[4 * row], box[1]->middle) + m[4 * row + 3];
    return ((stands && pose_equal(&pose[0], &pose[1])) || is_near(box[0], &pose[0], origin)) &&
           (!job->settings->grid || is_near(box[0], &pose[0], middle));
}

/* Divides each bucket into regions: the parts that can be in the coordinates of the first one, then those of the first
 * one that cannot, and so on. Parts after MOST_REGIONS regions stay alone. */
static void find_regions(struct merge_job *job, struct used_box *boxes, uint32_t *first)
{
    for (uint32_t i = 0; i < job->part_count; i++)
        job->parts[i].region = CP_NONE;
    for (uint32_t region = 0, left = job->part_count; region < MOST_REGIONS && left > 0; region++) {
        memset(first, 0xff, job->bucket_count * sizeof *first);
        left = 0;
        for (uint32_t i = 0; i < job->part_count; i++) {
            struct merge_part *part = &job->parts[i];
            if (part->region != CP_NONE)
                continue;
            if (first[part->bucket] == CP_NONE)
                first[part->bucket] = i;
            if (stands_with(job, part, &job->parts[first[part->bucket]], boxes))
                part->region = region;
            else if (first[part->bucket] == i)
                part->region = MOST_REGIONS + part->instance;
            else
                left++;
        }
    }
    for (uint32_t i = 0; i < job->part_count; i++)
        if (job->parts[i].region == CP_NONE)
            job->parts[i].region = MOST_REGIONS + job->parts[i].instance;
}

/* Divides parts into regions whose coordinates floats can hold. */
static cp_status part_regions(struct merge_job *job)
{
    cp_context *context = job->scene->context;
    const size_t meshes = job->scene->mesh_count;
    struct used_box *boxes = memory_allocate_zeroed(context, meshes, sizeof *boxes);
    uint32_t *first = memory_allocate(context, job->bucket_count, sizeof *first);
    const bool good = boxes && first;
    if (good)
        find_regions(job, boxes, first);
    memory_free(context, boxes, meshes, sizeof *boxes);
    memory_free(context, first, job->bucket_count, sizeof *first);
    return good ? CP_OK : CP_LIMIT;
}

/* Drops the parts of instances that no bucket would join with another instance. */
static cp_status drop_lone_parts(struct merge_job *job)
{
    cp_context *context = job->scene->context;
    uint32_t buckets = job->bucket_count, kept = 0;
    uint32_t *only = memory_allocate(context, buckets, sizeof *only);
    if (!only)
        return CP_LIMIT;
    memset(only, 0xff, buckets * sizeof *only);
    for (uint32_t i = 0; i < job->part_count; i++) {
        const struct merge_part *part = &job->parts[i];
        if (only[part->bucket] != CP_NONE && only[part->bucket] != part->instance)
            job->joined[part->instance] = job->joined[only[part->bucket]] = true;
        only[part->bucket] = part->instance;
    }
    for (uint32_t i = 0; i < job->part_count; i++)
        if (job->joined[job->parts[i].instance])
            job->parts[kept++] = job->parts[i];
    job->part_count = kept;
    memory_free(context, only, buckets, sizeof *only);
    return CP_OK;
}

/* Sorts parts by bucket, and in their old order in each. */
static cp_status sort_parts(struct merge_job *job)
{
    cp_context *context = job->scene->context;
    struct merge_part *sorted = memory_allocate(context, job->part_count, sizeof *sorted);
    job->buckets = memory_allocate_zeroed(context, job->bucket_count, sizeof *job->buckets);
    bool good = sorted && job->buckets;
    for (uint32_t i = 0; good && i < job->part_count; i++)
        job->buckets[job->parts[i].bucket].part_count++;
    for (uint32_t i = 0, first = 0; good && i < job->bucket_count; i++) {
        job->buckets[i].first_part = first;
        first += job->buckets[i].part_count;
        job->buckets[i].part_count = 0;
    }
    for (uint32_t i = 0; good && i < job->part_count; i++) {
        const cp_instance *instance = &job->scene->instances[job->parts[i].instance];
        struct merge_bucket *bucket = &job->buckets[job->parts[i].bucket];
        sorted[bucket->first_part + bucket->part_count++] = job->parts[i];
        bucket->anchor = job->anchors[instance->node];
        bucket->use = instance->use;
    }
    if (good && job->part_count > 0)
        memcpy(job->parts, sorted, job->part_count * sizeof *sorted);
    memory_free(context, sorted, job->part_count, sizeof *sorted);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- the scene afterwards ---- */

/* Makes the new table: for each node the instances that are left, then the joined ones that go there. */
static cp_status place_instances(struct merge_job *job)
{
    cp_scene *scene = job->scene;
    cp_context *context = scene->context;
    size_t nodes = scene->node_count;
    uint32_t room = scene->instance_count - job->result->instances + job->bucket_count; /* at least the joined ones */
    uint32_t count = 0;
    uint32_t *first = memory_allocate(context, nodes, sizeof *first); /* bucket of each node, or CP_NONE */
    uint32_t *next = memory_allocate(context, job->bucket_count, sizeof *next);
    cp_instance *table = memory_allocate(context, room, sizeof *table);
    bool good = first && next && table;
    if (good)
        memset(first, 0xff, nodes * sizeof *first);
    for (uint32_t i = job->bucket_count; good && i-- > 0;) {
        next[i] = first[job->buckets[i].anchor];
        first[job->buckets[i].anchor] = i;
    }
    for (uint32_t node = 0; good && node < nodes; node++) {
        uint32_t begin = scene->nodes[node].first_instance, end = begin + scene->nodes[node].instance_count;
        for (uint32_t i = begin; i < end; i++)
            if (!job->joined[i])
                table[count++] = scene->instances[i];
        for (uint32_t i = first[node]; i != CP_NONE; i = next[i]) {
            const struct merge_bucket *bucket = &job->buckets[i];
            table[count++] =
                (cp_instance){.node = node, .mesh = bucket->mesh, .use = bucket->use, .transform = bucket->base};
        }
    }
    if (good)
        scene_take_instances(scene, table, count, room);
    else
        memory_free(context, table, room, sizeof *table);
    memory_free(context, first, nodes, sizeof *first);
    memory_free(context, next, job->bucket_count, sizeof *next);
    return good ? CP_OK : CP_LIMIT;
}

/* Counts what joining loses. gone[mesh]: it was joined, and nothing shows it any more; told[mesh]: some frame that
 * shows it has its name; moved[node]: its geometry for collision went to another; used: room for the vertices of the
 * largest mesh. All are false at first. */
static void count_losses(struct merge_job *job, bool *gone, bool *told, bool *moved, bool *used)
{
    const cp_scene *scene = job->scene;
    struct merge_result *result = job->result;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        uint32_t anchor = job->anchors[instance->node];
        const char *name = scene->meshes[instance->mesh].name;
        if (!*name || strcmp(name, scene->nodes[instance->node].name) == 0)
            told[instance->mesh] = true;
        if (!job->joined[i])
            continue;
        gone[instance->mesh] = true;
        result->instances++;
        result->frozen += job->heads[instance->node] != job->heads[anchor];
        if (instance->use & CP_USE_COLLISION && anchor != instance->node)
            moved[instance->node] = true;
    }
    for (uint32_t i = 0; i < scene->pair_count; i++)
        result->pairs += moved[scene->pairs[i].first] || moved[scene->pairs[i].second];
    for (uint32_t i = 0; i < job->part_count; i++) {
        uint32_t mesh = scene->instances[job->parts[i].instance].mesh;
        if (strcmp(scene->meshes[mesh].name, scene->meshes[job->buckets[job->parts[i].bucket].mesh].name) == 0)
            told[mesh] = true;
    }
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (!job->joined[i])
            gone[scene->instances[i].mesh] = false;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        if (!gone[i])
            continue;
        const cp_mesh *mesh = &job->faces[i];
        result->names += !told[i];
        result->unused += mesh->vertex_count;
        memset(used, 0, mesh->vertex_count);
        for (uint32_t corner = 0; corner < mesh->corner_count; corner++) {
            result->unused -= !used[mesh->corners[corner]];
            used[mesh->corners[corner]] = true;
        }
    }
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        result->metadata += scene->metadata[i].owner == CP_OWNER_MESH && gone[scene->metadata[i].index];
}

static cp_status finish(struct merge_job *job, uint32_t old_meshes)
{
    cp_scene *scene = job->scene;
    cp_context *context = scene->context;
    uint32_t nodes = scene->node_count, meshes = scene->mesh_count, most = 0;
    for (uint32_t i = 0; i < old_meshes; i++)
        most = job->faces[i].vertex_count > most ? job->faces[i].vertex_count : most;
    struct arena *scratch = arena_new(context);
    bool *moved = arena_allocate_zeroed(scratch, nodes, sizeof *moved);
    bool *gone = arena_allocate_zeroed(scratch, meshes, sizeof *gone);
    bool *told = arena_allocate_zeroed(scratch, meshes, sizeof *told);
    bool *used = arena_allocate(scratch, most, sizeof *used);
    cp_status status = arena_failed(scratch) ? CP_LIMIT : CP_OK;
    if (status == CP_OK) {
        count_losses(job, gone, told, moved, used);
        status = place_instances(job);
    }
    if (status == CP_OK)
        status = scene_drop_rows(scene, TABLE_MESHES, gone);
    arena_free(scratch);
    return status;
}

/* ---- all of it ---- */

static cp_status merge(struct merge_job *job)
{
    uint32_t old_meshes = job->scene->mesh_count;
    cp_status status = find_anchors(job);
    if (status == CP_OK)
        status = list_parts(job);
    if (status == CP_OK)
        status = number_parts(job, false);
    if (status == CP_OK)
        status = part_regions(job);
    if (status == CP_OK)
        status = number_parts(job, false);
    if (status == CP_OK)
        status = drop_lone_parts(job);
    if (status == CP_OK)
        status = number_parts(job, false);
    if (status == CP_OK)
        status = sort_parts(job);
    if (status == CP_OK)
        status = number_parts(job, true);
    if (status != CP_OK || job->part_count == 0)
        return status;
    job->result->made = job->bucket_count;
    status = merge_build(job);
    return status == CP_OK ? finish(job, old_meshes) : status;
}

cp_status scene_merge_meshes(cp_scene *scene, const struct merge_settings *settings, struct merge_result *result)
{
    cp_context *context = scene->context;
    size_t nodes = scene->node_count, meshes = scene->mesh_count, instances = scene->instance_count;
    *result = (struct merge_result){0};
    struct arena *scratch = arena_new(context);
    struct merge_job job = {.scene = scene,
                            .settings = settings,
                            .result = result,
                            .heads = arena_allocate(scratch, nodes, sizeof *job.heads),
                            .anchors = arena_allocate(scratch, nodes, sizeof *job.anchors),
                            .relative = arena_allocate(scratch, nodes, sizeof *job.relative),
                            .worlds = arena_allocate(scratch, nodes, sizeof *job.worlds),
                            .faces = arena_allocate(scratch, meshes, sizeof *job.faces),
                            .joined = arena_allocate_zeroed(scratch, instances, sizeof *job.joined)};
    bool good = !arena_failed(scratch);
    if (good && meshes > 0)
        memcpy(job.faces, scene->meshes, meshes * sizeof *job.faces);
    cp_status status = good ? merge(&job) : CP_LIMIT;
    arena_free(scratch);
    memory_free(context, job.parts, job.part_room, sizeof *job.parts);
    memory_free(context, job.buckets, job.bucket_count, sizeof *job.buckets);
    return status;
}

/* ---- what is said ---- */

void merge_report(cp_context *context, const struct merge_result *result)
{
    if (result->frozen > 0)
        report_loss(context, "merge-frozen", NOWHERE, result->frozen, "meshes no longer move with their frames");
    if (result->names > 0)
        report_loss(context, "merge-names", NOWHERE, result->names,
                    "names of joined meshes are lost, unless their frames have them");
    if (result->metadata > 0)
        report_loss(context, "merge-metadata", NOWHERE, result->metadata, "metadata of joined meshes is left out");
    if (result->pairs > 0)
        report_loss(context, "merge-pairs", NOWHERE, result->pairs,
                    "statements about collision pairs name a frame whose geometry is with another now");
    if (result->made == 0)
        return;
    char rounded[NUMBER_SIZE];
    (void)print_bound(1000 * result->rounded, rounded);
    report_note(context, "merge-joined", NOWHERE,
                "%u placed meshes became %u; rounding moved no vertex by more than %s mm", result->instances,
                result->made, rounded);
    if (result->unused > 0)
        report_note(context, "merge-unused", NOWHERE, "%llu vertices that no face uses are left out",
                    (unsigned long long)result->unused);
}
