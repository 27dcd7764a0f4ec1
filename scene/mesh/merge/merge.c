/* Which meshes are joined, and the scene afterwards. */
#include "merge.h"
#include "../../motion/motion.h"
#include "../../pose.h"
#include "../../text/text.h"
#include "../join.h"
#include "../mesh.h"
#include "merge_build.h"

#include <string.h>

/* ---- where meshes would go ---- */

static uint32_t scope_anchor(const struct merge_job *job, uint32_t node)
{
    switch (job->settings->scope) {
    case MERGE_NODE:
        return node;
    case MERGE_SCENE:
        return 0;
    case MERGE_LINK:
        break;
    }
    return job->heads[node];
}

static cp_status find_anchors(struct merge_job *job)
{
    const cp_scene *scene = job->scene;
    cp_mechanism mechanism;
    cp_status status = mechanism_open(&mechanism, scene->context, scene);
    scene_find_links(scene, job->heads);
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++) {
        uint32_t anchor = scope_anchor(job, i);
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

static bool may_join(const struct merge_job *job, const cp_instance *instance, const uint32_t *uses)
{
    const cp_mesh *mesh = &job->scene->meshes[instance->mesh];
    if (job->settings->keep && job->settings->keep[instance->mesh])
        return false;
    if (mesh->kind >= CP_MESH_BOX && !job->settings->primitives)
        return false;
    return job->settings->shared || uses[instance->mesh] == 1;
}

static cp_status add_part(struct merge_job *job, struct merge_part part)
{
    cp_context *context = job->scene->context;
    if (!array_reserve(context, &job->parts, &job->part_room, (uint64_t)job->part_count + 1, sizeof part))
        return CP_LIMIT;
    job->parts[job->part_count++] = part;
    return CP_OK;
}

static cp_status add_instance_parts(struct merge_job *job, uint32_t index)
{
    cp_mesh *mesh = &job->faces[job->scene->instances[index].mesh];
    cp_status status = mesh_tessellate(job->scene, mesh); /* once: the copy stays faces */
    uint32_t count = mesh->group_count > 0 ? mesh->group_count : 1;
    for (uint32_t group = 0; group < count && status == CP_OK; group++)
        if (merge_part_group(mesh, group).face_count > 0)
            status = add_part(job, (struct merge_part){index, group, 0, 0});
    return status;
}

static cp_status list_parts(struct merge_job *job)
{
    const cp_scene *scene = job->scene;
    uint32_t mesh_count = scene->mesh_count;
    uint32_t *uses = memory_allocate_zeroed(scene->context, mesh_count, sizeof *uses);
    cp_status status = uses ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++)
        uses[scene->instances[i].mesh]++;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++)
        if (may_join(job, &scene->instances[i], uses))
            status = add_instance_parts(job, i);
    memory_free(scene->context, uses, mesh_count, sizeof *uses);
    return status;
}

/* ---- buckets ---- */

enum { KEY_WORDS = 3, KEY_LINES = 1 << 2, KEY_NORMALS = 1 << 3, KEY_COLOURS = 1 << 4 };

/* What the parts of a mesh have in common. */
static void set_key(const struct merge_job *job, const struct merge_part *part, uint32_t key[KEY_WORDS])
{
    const cp_instance *instance = &job->scene->instances[part->instance];
    const cp_mesh *mesh = &job->faces[instance->mesh];
    key[0] = job->anchors[instance->node];
    key[1] = instance->use | (mesh->kind == CP_MESH_LINES ? KEY_LINES : 0) | (mesh->normals ? KEY_NORMALS : 0) |
             (mesh->colours ? KEY_COLOURS : 0);
    key[2] = job->settings->groups ? 0 : merge_part_group(mesh, part->group).material;
}

/* Buckets by their first parts. */
static cp_status find_buckets(struct merge_job *job)
{
    cp_context *context = job->scene->context;
    uint32_t count = job->part_count;
    uint32_t(*keys)[KEY_WORDS] = memory_allocate(context, count, sizeof *keys);
    uint32_t *first = memory_allocate(context, count, sizeof *first);
    bool good = keys && first;
    for (uint32_t i = 0; good && i < count; i++)
        set_key(job, &job->parts[i], keys[i]);
    good = good && join_rows(context, keys, KEY_WORDS, KEY_WORDS, count, first);
    if (good)
        job->bucket_count = join_number(first, count);
    for (uint32_t i = 0; good && i < count; i++)
        job->parts[i].bucket = first[i];
    memory_free(context, keys, count, sizeof *keys);
    memory_free(context, first, count, sizeof *first);
    return good ? CP_OK : CP_LIMIT;
}

/* An instance takes part when some bucket has another one. The parts of the others go. */
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

/* Parts by bucket, and in their old order in each. */
static cp_status sort_parts(struct merge_job *job)
{
    cp_context *context = job->scene->context;
    struct merge_part *sorted = memory_allocate(context, job->part_count, sizeof *sorted);
    job->buckets = memory_allocate_zeroed(context, job->bucket_count, sizeof *job->buckets);
    if (!sorted || !job->buckets) {
        memory_free(context, sorted, job->part_count, sizeof *sorted);
        return CP_LIMIT;
    }
    for (uint32_t i = 0; i < job->part_count; i++)
        job->buckets[job->parts[i].bucket].part_count++;
    for (uint32_t i = 1; i < job->bucket_count; i++)
        job->buckets[i].first_part = job->buckets[i - 1].first_part + job->buckets[i - 1].part_count;
    for (uint32_t i = 0; i < job->bucket_count; i++)
        job->buckets[i].part_count = 0;
    for (uint32_t i = 0; i < job->part_count; i++) {
        struct merge_bucket *bucket = &job->buckets[job->parts[i].bucket];
        sorted[bucket->first_part + bucket->part_count++] = job->parts[i];
    }
    for (uint32_t i = 0; i < job->part_count; i++)
        job->parts[i] = sorted[i];
    memory_free(context, sorted, job->part_count, sizeof *sorted);
    return CP_OK;
}

static cp_status find_slots(struct merge_job *job)
{
    cp_context *context = job->scene->context;
    uint32_t count = job->part_count;
    uint32_t(*keys)[2] = memory_allocate(context, count, sizeof *keys);
    uint32_t *first = memory_allocate(context, count, sizeof *first);
    bool good = keys && first;
    for (uint32_t i = 0; good && i < count; i++) {
        const struct merge_part *part = &job->parts[i];
        const cp_mesh *mesh = &job->faces[job->scene->instances[part->instance].mesh];
        keys[i][0] = part->bucket;
        keys[i][1] = merge_part_group(mesh, part->group).material;
    }
    good = good && join_rows(context, keys, 2, 2, count, first);
    if (good)
        (void)join_number(first, count);
    for (uint32_t i = 0; good && i < count; i++)
        job->parts[i].slot = first[i];
    memory_free(context, keys, count, sizeof *keys);
    memory_free(context, first, count, sizeof *first);
    return good ? CP_OK : CP_LIMIT;
}

static void describe_buckets(struct merge_job *job)
{
    for (uint32_t i = 0; i < job->bucket_count; i++) {
        struct merge_bucket *bucket = &job->buckets[i];
        const cp_instance *instance = &job->scene->instances[job->parts[bucket->first_part].instance];
        bucket->anchor = job->anchors[instance->node];
        bucket->use = instance->use;
    }
}

static cp_status plan(struct merge_job *job)
{
    cp_status status = list_parts(job);
    if (status == CP_OK)
        status = find_buckets(job);
    if (status == CP_OK)
        status = drop_lone_parts(job);
    if (status == CP_OK)
        status = find_buckets(job);
    if (status == CP_OK)
        status = sort_parts(job);
    if (status == CP_OK)
        status = find_slots(job);
    if (status == CP_OK)
        describe_buckets(job);
    return status;
}

/* ---- the scene afterwards ---- */

static void count_moved_pairs(struct merge_job *job, bool *moved)
{
    const cp_scene *scene = job->scene;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        uint32_t anchor = job->anchors[instance->node];
        if (!job->joined[i])
            continue;
        job->result->instances++;
        job->result->frozen += job->heads[instance->node] != job->heads[anchor];
        if (instance->use & CP_USE_COLLISION && anchor != instance->node)
            moved[instance->node] = true;
    }
    for (uint32_t i = 0; i < scene->pair_count; i++)
        job->result->pairs += moved[scene->pairs[i].first] || moved[scene->pairs[i].second];
}

/* One node's: those that are left, then the joined ones that go there. */
static uint32_t place_node(const struct merge_job *job, const cp_node *node, const uint32_t range[2],
                           const uint32_t *buckets, cp_instance *out)
{
    const cp_scene *scene = job->scene;
    uint32_t count = 0;
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count; i++)
        if (!job->joined[i])
            out[count++] = scene->instances[i];
    for (uint32_t i = range[0]; i < range[1]; i++) {
        const struct merge_bucket *bucket = &job->buckets[buckets[i]];
        out[count++] = (cp_instance){bucket->anchor, bucket->mesh, bucket->use, bucket->base};
    }
    return count;
}

/* order: buckets by anchor; first: for each node where its own begin, and one more. */
static void order_buckets(const struct merge_job *job, uint32_t *first, uint32_t *order)
{
    uint32_t nodes = job->scene->node_count;
    for (uint32_t i = 0; i < job->bucket_count; i++)
        first[job->buckets[i].anchor + 1]++;
    for (uint32_t i = 0; i < nodes; i++)
        first[i + 1] += first[i];
    for (uint32_t i = job->bucket_count; i-- > 0;)
        order[--first[job->buckets[i].anchor + 1]] = i;
    for (uint32_t i = 0; i < nodes; i++)
        first[i] = first[i + 1];
    first[nodes] = job->bucket_count;
}

static cp_status place_instances(struct merge_job *job)
{
    cp_scene *scene = job->scene;
    cp_context *context = scene->context;
    size_t nodes = scene->node_count;
    uint32_t room = scene->instance_count - job->result->instances + job->bucket_count; /* at least the joined ones */
    uint32_t count = 0;
    uint32_t *first = memory_allocate_zeroed(context, nodes + 1, sizeof *first);
    uint32_t *order = memory_allocate(context, job->bucket_count, sizeof *order);
    cp_instance *table = memory_allocate(context, room, sizeof *table);
    bool good = first && order && table;
    if (good)
        order_buckets(job, first, order);
    for (uint32_t i = 0; good && i < nodes; i++)
        count += place_node(job, &scene->nodes[i], first + i, order, table + count);
    if (good)
        scene_take_instances(scene, table, count, room);
    else
        memory_free(context, table, room, sizeof *table);
    memory_free(context, first, nodes + 1, sizeof *first);
    memory_free(context, order, job->bucket_count, sizeof *order);
    return good ? CP_OK : CP_LIMIT;
}

static void count_unused(struct merge_job *job, const cp_mesh *mesh, bool *used)
{
    memset(used, 0, mesh->vertex_count);
    uint64_t count = 0;
    for (uint32_t i = 0; i < mesh->corner_count; i++) {
        count += !used[mesh->corners[i]];
        used[mesh->corners[i]] = true;
    }
    job->result->unused += mesh->vertex_count - count;
}

/* told[mesh]: some frame that shows it has its name. gone[mesh]: it was joined, and nothing shows it any more. */
static void mark_gone(const struct merge_job *job, bool *gone, bool *told)
{
    const cp_scene *scene = job->scene;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        const char *name = scene->meshes[instance->mesh].name;
        gone[instance->mesh] = gone[instance->mesh] || job->joined[i];
        if (!told[instance->mesh])
            told[instance->mesh] = !*name || strcmp(name, scene->nodes[instance->node].name) == 0;
    }
    for (uint32_t i = 0; i < job->part_count; i++) {
        uint32_t mesh = scene->instances[job->parts[i].instance].mesh;
        if (strcmp(scene->meshes[mesh].name, scene->meshes[job->buckets[job->parts[i].bucket].mesh].name) == 0)
            told[mesh] = true;
    }
    for (uint32_t i = 0; i < scene->instance_count; i++)
        if (!job->joined[i])
            gone[scene->instances[i].mesh] = false;
}

static cp_status count_gone(struct merge_job *job, uint32_t old_meshes, const bool *gone, const bool *told)
{
    const cp_scene *scene = job->scene;
    uint32_t most = 0;
    for (uint32_t i = 0; i < old_meshes; i++)
        most = gone[i] && job->faces[i].vertex_count > most ? job->faces[i].vertex_count : most;
    bool *used = memory_allocate(scene->context, most, sizeof *used);
    if (!used)
        return CP_LIMIT;
    for (uint32_t i = 0; i < old_meshes; i++) {
        if (!gone[i])
            continue;
        count_unused(job, &job->faces[i], used);
        job->result->names += !told[i];
    }
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        job->result->metadata += scene->metadata[i].owner == CP_OWNER_MESH && gone[scene->metadata[i].index];
    memory_free(scene->context, used, most, sizeof *used);
    return CP_OK;
}

static cp_status finish(struct merge_job *job, uint32_t old_meshes)
{
    cp_scene *scene = job->scene;
    cp_context *context = scene->context;
    uint32_t nodes = scene->node_count, meshes = scene->mesh_count;
    bool *moved = memory_allocate_zeroed(context, nodes, sizeof *moved);
    bool *gone = memory_allocate_zeroed(context, meshes, sizeof *gone);
    bool *told = memory_allocate_zeroed(context, meshes, sizeof *told);
    cp_status status = moved && gone && told ? CP_OK : CP_LIMIT;
    if (status == CP_OK) {
        count_moved_pairs(job, moved);
        mark_gone(job, gone, told);
        status = count_gone(job, old_meshes, gone, told);
    }
    if (status == CP_OK)
        status = place_instances(job);
    if (status == CP_OK)
        status = scene_drop_rows(scene, TABLE_MESHES, gone);
    memory_free(context, moved, nodes, sizeof *moved);
    memory_free(context, gone, meshes, sizeof *gone);
    memory_free(context, told, meshes, sizeof *told);
    return status;
}

/* ---- all of it ---- */

static cp_status merge(struct merge_job *job)
{
    uint32_t old_meshes = job->scene->mesh_count;
    cp_status status = find_anchors(job);
    if (status == CP_OK)
        status = plan(job);
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
    struct merge_job job = {.scene = scene,
                            .settings = settings,
                            .result = result,
                            .heads = memory_allocate(context, nodes, sizeof *job.heads),
                            .anchors = memory_allocate(context, nodes, sizeof *job.anchors),
                            .relative = memory_allocate(context, nodes, sizeof *job.relative),
                            .worlds = memory_allocate(context, nodes, sizeof *job.worlds),
                            .faces = memory_allocate(context, meshes, sizeof *job.faces),
                            .joined = memory_allocate_zeroed(context, instances, sizeof *job.joined)};
    bool good = job.heads && job.anchors && job.relative && job.worlds && job.faces && job.joined;
    if (good && meshes > 0)
        memcpy(job.faces, scene->meshes, meshes * sizeof *job.faces);
    cp_status status = good ? merge(&job) : CP_LIMIT;
    memory_free(context, job.heads, nodes, sizeof *job.heads);
    memory_free(context, job.anchors, nodes, sizeof *job.anchors);
    memory_free(context, job.relative, nodes, sizeof *job.relative);
    memory_free(context, job.worlds, nodes, sizeof *job.worlds);
    memory_free(context, job.faces, meshes, sizeof *job.faces);
    memory_free(context, job.joined, instances, sizeof *job.joined);
    memory_free(context, job.parts, job.part_room, sizeof *job.parts);
    memory_free(context, job.buckets, job.bucket_count, sizeof *job.buckets);
    return status;
}

/* ---- what is said ---- */

static void report_losses(cp_context *context, const struct merge_result *result)
{
    if (result->frozen > 0)
        report_loss(context, "merge-frozen", NOWHERE, result->frozen, "meshes no longer move with their frames");
    if (result->names > 0)
        report_loss(context, "merge-names", NOWHERE, result->names,
                    "names of joined meshes are gone that their frames do not have");
    if (result->metadata > 0)
        report_loss(context, "merge-metadata", NOWHERE, result->metadata, "metadata of joined meshes is left out");
    if (result->pairs > 0)
        report_loss(context, "merge-pairs", NOWHERE, result->pairs,
                    "statements about collision pairs name a frame whose geometry is with another now");
}

static void report_work(cp_context *context, const struct merge_result *result)
{
    char rounded[NUMBER_SIZE];
    if (result->made == 0)
        return;
    (void)print_bound(1000 * result->rounded, rounded);
    report_note(context, "merge-joined", NOWHERE,
                "%u placed meshes became %u; rounding moved no vertex by more than %s mm", result->instances,
                result->made, rounded);
    if (result->unused > 0)
        report_note(context, "merge-unused", NOWHERE, "%llu vertices that no face uses are left out",
                    (unsigned long long)result->unused);
}

void merge_report(cp_context *context, const struct merge_result *result)
{
    report_losses(context, result);
    report_work(context, result);
}
