/* A part of a surface in a round: from triangles to linked faces, and back. */
#include <string.h>

#include "collapse.h"

static void link_faces(struct part *part)
{
    struct workspace *work = part->work;
    for (uint32_t vertex = part->first_vertex; vertex < part->first_vertex + part->vertex_count; vertex++)
        work->states[vertex] = (struct vertex_state){.first = CP_NONE};
    for (uint32_t triangle = part->first_triangle + part->triangle_count; triangle-- > part->first_triangle;) {
        struct linked_face *face = &work->faces[triangle];
        memcpy(face->vertices, work->surface->triangles[triangle], sizeof face->vertices);
        face->queued = 0;
        for (uint32_t number = 3; number-- > 0;) {
            uint32_t *first = &work->states[face->vertices[number]].first;
            face->next[number] = *first;
            *first = 3 * triangle + number;
        }
    }
}

void part_start(struct part *part)
{
    memset(part->queue.counts, 0, sizeof part->queue.counts);
    memset(part->queue.locked, 0, sizeof part->queue.locked);
    part->live = part->triangle_count;
    part->dearest = BUCKET_COUNT - 1;
    part->stamp = 0;
    link_faces(part);
    if (part->work->in_passes)
        passes_start(part);
    else
        queue_start(part);
}

void part_run(struct part *part)
{
    struct workspace *work = part->work;
    if (work->in_passes)
        passes_run(part);
    else
        queue_run(part);
    for (uint32_t triangle = part->first_triangle; triangle < part->first_triangle + part->triangle_count; triangle++)
        memcpy(work->surface->triangles[triangle], work->faces[triangle].vertices,
               sizeof work->faces[triangle].vertices);
}
