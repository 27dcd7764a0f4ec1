/* play_and_collide CELL: plays the first clip of a cell ten times a second, and prints how many pairs of frames
 * collide, then lists these pairs. The exit code is 1 if any pair collides. */
#include <cellpipe.h>
#include <stdio.h>
#include <stdlib.h>

static double last_key(const cp_clip *clip)
{
    double end = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        if (track->key_count > 0 && track->times[track->key_count - 1] > end)
            end = track->times[track->key_count - 1];
    }
    return end;
}

/* Plays the first clip and prints collisions. `worlds` has room for all nodes. CP_NO if any pair collides. */
static cp_status play(cp_context *context, const cp_scene *scene, cp_collider *collider, cp_pose *worlds)
{
    uint32_t clip_count, count, before = 0;
    const cp_clip *clips = cp_clips(scene, &clip_count);
    const cp_node *nodes = cp_nodes(scene, &count);
    const cp_contact *contacts;
    long moments = clip_count > 0 ? (long)(last_key(&clips[0]) * 10) + 1 : 0;
    cp_status status = CP_OK;
    for (long i = 0; i < moments && status == CP_OK; i++) {
        status = cp_clip_poses(context, scene, 0, (double)i / 10, worlds);
        if (status == CP_OK)
            status = cp_collide(collider, worlds, 0, &contacts, &count);
        if (status == CP_OK && count != before)
            printf("%ld ms: %u pairs collide\n", i * 100, (unsigned)count);
        before = count;
    }
    cp_passages passages = {
        .size = sizeof passages}; /* the same by one call, which searches for the begin and end of each collision */
    if (status == CP_OK && moments > 0)
        status = cp_collide_clip(collider, 0, 0.1, 0, &passages);
    for (uint32_t i = 0; i < passages.count; i++) {
        const cp_passage *pair = &passages.items[i];
        printf("%s | %s: %.0f ms to %.0f ms\n", nodes[pair->first].id, nodes[pair->second].id, pair->begin * 1000,
               pair->end * 1000);
    }
    return status == CP_OK && passages.count > 0 ? CP_NO : status;
}

int main(int argument_count, char **arguments)
{
    cp_context *context = argument_count == 2 ? cp_context_new(NULL) : NULL;
    if (!context) {
        fprintf(stderr, argument_count == 2 ? "out of memory\n" : "usage: play_and_collide CELL\n");
        return argument_count == 2 ? CP_LIMIT : CP_USAGE;
    }
    cp_scene *scene = NULL;
    cp_collider *collider = NULL;
    cp_pose *worlds = NULL;
    uint32_t node_count = 0;
    cp_status status = cp_read(context, arguments[1], NULL, NULL, 0, &scene);
    if (status == CP_OK)
        (void)cp_nodes(scene, &node_count);
    if (status == CP_OK && !(worlds = malloc(node_count * sizeof *worlds)))
        status = CP_LIMIT;
    if (status == CP_OK) /* CP_NO: no pair to check, no collider */
        status = cp_collider_new(context, scene, CP_TOUCH, false, &collider);
    if (collider)
        status = play(context, scene, collider, worlds);
    size_t entry_count;
    const cp_entry *entries = cp_report(context, &entry_count);
    for (size_t i = 0; i < entry_count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    cp_collider_free(collider); /* before its scene, which goes before its context */
    free(worlds);
    cp_scene_free(scene);
    cp_context_free(context);
    return (int)status;
}
