/* Gives meshes coordinates that the world stretches alike in all directions. In these one step of a grid, one crease
 * angle and one error of a simplification mean the same everywhere. */
#include "web.h"

#include <math.h>

#include "mesh/mesh.h"
#include "model/model.h"
#include "motion/motion.h"

/* Singular values count as equal if they differ by less than this part; a pose with one below this part of the largest
 * is flat. */
static const double part = 1e-6;

struct even_job {
    cp_scene *scene;
    cp_pose *worlds;
    bool *changes;   /* nodes: joints or clips change how the world stretches their meshes */
    bool *keeps;     /* meshes that stay as they are */
    double *stretch; /* indexed by mesh: the largest factor by which an instance stretches a length; 0 without
                      * instances */
    cp_pose *frames; /* indexed by mesh: from the new coordinates to the old ones */
};

/* ---- what stretches ---- */

static void singular_values(const cp_pose *pose, double *least, double *most)
{
    double us[3][3], v[3][3];
    pose_singular(pose, us, v);
    *least = INFINITY;
    *most = 0;
    for (int column = 0; column < 3; column++) {
        double length = sqrt(dot_product(us[column], us[column]));
        *least = fmin(*least, length);
        *most = fmax(*most, length);
    }
}

bool web_is_uneven(const cp_pose *pose)
{
    double least, most;
    singular_values(pose, &least, &most);
    return least < most * (1 - part);
}

/* Finds changes: a motion below an uneven pose stretches otherwise at each of its positions, and scales do so
 * themselves. */
static void find_changes(struct even_job *job)
{
    const cp_scene *scene = job->scene;
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const cp_clip *clip = &scene->clips[i];
        for (uint32_t k = 0; k < clip->track_count; k++) {
            const cp_track *track = &clip->tracks[k];
            if (track->path != CP_PATH_JOINT &&
                (track->path == CP_PATH_SCALE || web_is_uneven(&job->worlds[scene->nodes[track->target].parent])))
                job->changes[track->target] = true;
        }
        for (uint32_t k = 0; k < clip->attachment_count; k++)
            if (web_is_uneven(&job->worlds[clip->attachments[k].host]))
                job->changes[clip->attachments[k].node] = true;
    }
    for (uint32_t i = 1; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        bool changes = job->changes[i] || job->changes[node->parent];
        for (uint32_t k = node->first_joint; k < node->first_joint + node->joint_count; k++)
            changes = changes || scene->joints[k].type == CP_JOINT_SCALE;
        if (!changes && node->joint_count > 0) {
            cp_pose before = pose_multiply(&job->worlds[node->parent], &node->local);
            changes = web_is_uneven(&before);
        }
        job->changes[i] = changes;
    }
}

/* ---- frames ---- */

/* Shortens the frame's axes just so far that the pose lengthens none of its vectors. */
static void fit_frame(cp_pose *frame, const cp_pose *pose)
{
    double us[3][3], v[3][3];
    cp_pose product = pose_multiply(pose, frame), turn = POSE_IDENTITY;
    pose_singular(&product, us, v);
    for (int column = 0; column < 3; column++) {
        double length = fmax(1, sqrt(dot_product(us[column], us[column])));
        for (int row = 0; row < 3; row++)
            turn.m[4 * row + column] = v[column][row] / length;
    }
    *frame = pose_multiply(frame, &turn);
    frame->m[3] = frame->m[7] = frame->m[11] = 0;
}

/* Finds the frames. A mesh whose frame is even stays as it is. */
static void find_frames(struct even_job *job)
{
    const cp_scene *scene = job->scene;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_pose pose = pose_multiply(&job->worlds[instance->node], &instance->transform);
        double least, most, *stretch = &job->stretch[instance->mesh];
        singular_values(&pose, &least, &most);
        *stretch = fmax(*stretch, most);
        if (job->changes[instance->node] || !(least >= most * part && isfinite(most)))
            job->keeps[instance->mesh] = true;
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        double length = 1 / (job->stretch[i] * part);
        job->keeps[i] = job->keeps[i] || !isfinite(length) || !(length > 0) || scene->meshes[i].corner_count == 0;
        job->frames[i] = pose_scaling(length, length, length);
    }
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_pose pose = pose_multiply(&job->worlds[instance->node], &instance->transform);
        if (!job->keeps[instance->mesh])
            fit_frame(&job->frames[instance->mesh], &pose);
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        job->keeps[i] = job->keeps[i] || !web_is_uneven(&job->frames[i]);
}

/* ---- meshes ---- */

/* Moves the origin to the middle of the corners, where floats are finest. */
static void centre_frame(const cp_mesh *mesh, cp_pose *frame)
{
    for (size_t axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < mesh->corner_count; i++) {
            double place = (double)mesh->positions[3 * (size_t)mesh->corners[i] + axis];
            low = fmin(low, place);
            high = fmax(high, place);
        }
        frame->m[4 * axis + 3] = (low + high) / 2;
    }
}

static cp_status move_mesh(struct even_job *job, uint32_t index, double *displaced)
{
    cp_scene *scene = job->scene;
    cp_mesh *mesh = &scene->meshes[index];
    cp_pose inverse;
    double matrix[3][3], most = 0;
    centre_frame(mesh, &job->frames[index]);
    job->keeps[index] = true; /* unless all goes well */
    if (!pose_inverse(&job->frames[index], &inverse))
        return CP_OK;
    mesh_normal_matrix(&inverse, matrix);
    float *positions = scene_allocate(scene, mesh->vertex_count, 3 * sizeof *positions);
    cp_mesh moved = *mesh; /* with directions of its own */
    moved.positions = positions;
    moved.normals = mesh->normals ? scene_allocate(scene, mesh->vertex_count, 3 * sizeof *moved.normals) : NULL;
    moved.tangents = mesh->tangents ? scene_allocate(scene, mesh->vertex_count, 4 * sizeof *moved.tangents) : NULL;
    if (!positions || (mesh->normals && !moved.normals) || (mesh->tangents && !moved.tangents))
        return CP_LIMIT;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        double off[3];
        if (!mesh_move_position(&inverse, mesh->positions + 3 * i, positions + 3 * i, off))
            return CP_OK; /* beyond the range of floats */
        most = fmax(most, sqrt(dot_product(off, off)));
        mesh_move_directions(&inverse, (const double(*)[3])matrix, mesh, i, &moved, i);
    }
    *mesh = moved;
    job->keeps[index] = false;
    *displaced = fmax(*displaced, most); /* no instance makes the frame's vectors longer */
    return CP_OK;
}

cp_status web_even_out(cp_scene *scene, double *displaced)
{
    cp_context *context = scene->context;
    struct arena *scratch = arena_new(context);
    struct even_job job = {.scene = scene,
                           .worlds = arena_allocate(scratch, scene->node_count, sizeof *job.worlds),
                           .changes = arena_allocate_zeroed(scratch, scene->node_count, sizeof *job.changes),
                           .keeps = arena_allocate_zeroed(scratch, scene->mesh_count, sizeof *job.keeps),
                           .stretch = arena_allocate_zeroed(scratch, scene->mesh_count, sizeof *job.stretch),
                           .frames = arena_allocate(scratch, scene->mesh_count, sizeof *job.frames)};
    double most = 0;
    cp_status status = arena_failed(scratch) ? CP_LIMIT : scene_world_poses(context, scene, NULL, job.worlds);
    if (status == CP_OK) {
        find_changes(&job);
        find_frames(&job);
    }
    for (uint32_t i = 0; i < scene->mesh_count && status == CP_OK; i++)
        if (!job.keeps[i])
            status = move_mesh(&job, i, &most);
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        cp_instance *instance = &scene->instances[i];
        if (!job.keeps[instance->mesh])
            instance->transform = pose_multiply(&instance->transform, &job.frames[instance->mesh]);
    }
    *displaced += most;
    arena_free(scratch);
    return status;
}
