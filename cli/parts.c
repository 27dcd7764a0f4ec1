/* Meshes as parts: how their faces are connected, how large they are, which are copies. */
#include "parts.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LISTED = 20 };

bool is_cell(const cp_scene *scene)
{
    uint32_t count, joints, devices, clips, pairs;
    const cp_node *nodes = cp_nodes(scene, &count);
    (void)cp_joints(scene, &joints);
    (void)cp_devices(scene, &devices);
    (void)cp_clips(scene, &clips);
    (void)cp_pairs(scene, &pairs);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i].flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE))
            return true;
    return strcmp(cp_scene_source(scene)->format, "tag") == 0 || joints > 0 || devices > 0 || clips > 0 || pairs > 0;
}

cp_status list_parts(struct cli *cli, const cp_scene *scene, bool all, struct parts *parts)
{
    uint32_t instance_count;
    const cp_mesh *meshes = cp_meshes(scene, &parts->count);
    const cp_instance *instances = cp_instances(scene, &instance_count);
    parts->items = cli_allocate(cli, parts->count * sizeof *parts->items);
    if (!parts->items)
        return CP_LIMIT;
    for (uint32_t i = 0; i < parts->count; i++) {
        parts->items[i].mesh = &meshes[i];
        parts->items[i].topology.size = sizeof parts->items[i].topology;
        cp_status status = cp_mesh_topology(cli->context, &meshes[i], &parts->items[i].topology);
        if (status != CP_OK)
            return status;
    }
    if (!all)
        return CP_OK;
    cp_measures *measures = cli_allocate(cli, parts->count * sizeof *measures);
    uint32_t *first = cli_allocate(cli, parts->count * sizeof *first);
    for (uint32_t i = 0; measures && i < parts->count; i++)
        measures[i].size = sizeof measures[i];
    cp_status status = measures && first ? cp_measure_meshes(cli->context, scene, measures) : CP_LIMIT;
    if (status == CP_OK)
        status = cp_equal_meshes(cli->context, scene, first);
    for (uint32_t i = 0; i < parts->count && status == CP_OK; i++) {
        parts->items[i].measures = measures[i];
        parts->items[i].same_as = first[i];
    }
    for (uint32_t i = 0; i < instance_count; i++)
        parts->items[instances[i].mesh].placed++;
    return status;
}

/* ---- for people ---- */

static void print_size(const cp_measures *measures)
{
    for (int axis = 0; axis < 3; axis++)
        printf("%s%s", axis ? " x " : "",
               short_number(measures->any ? 1e3 * (measures->upper[axis] - measures->lower[axis]) : 0).text);
    printf(" mm, area %s mm2, volume %s mm3", short_number(1e6 * measures->area).text,
           short_number(1e9 * measures->volume).text);
}

static void print_bytes(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 10000 && unit < 4) {
        value /= 1000;
        unit++;
    }
    printf("%.0f %s", value, units[unit]);
}

/* Prints the totals over all meshes, each counted once. */
static void print_totals(const struct parts *parts, const cp_measures *measures)
{
    cp_topology sum = {.size = sizeof sum};
    uint64_t bytes = 0, spare_bytes = 0, stored_vertices = 0;
    uint32_t faced = 0, closed = 0, copies = 0; /* meshes with faces; those of them that are closed, and those that
                                                 * equal an earlier one */
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct mesh_facts *part = &parts->items[i];
        const cp_topology *more = &part->topology;
        uint64_t size = cp_mesh_bytes(part->mesh);
        sum.edges += more->edges;
        sum.border_edges += more->border_edges;
        sum.non_manifold_edges += more->non_manifold_edges;
        sum.misoriented_edges += more->misoriented_edges;
        sum.degenerate_faces += more->degenerate_faces;
        sum.vertices += more->vertices;
        sum.unused_vertices += more->unused_vertices;
        sum.touching_vertices += more->touching_vertices;
        sum.duplicate_faces += more->duplicate_faces;
        sum.components += more->components;
        sum.inside_out_shells += more->inside_out_shells;
        sum.cavities += more->cavities;
        sum.flipped_faces += more->flipped_faces;
        stored_vertices += part->mesh->vertex_count;
        faced += more->edges > 0;
        closed += more->closed;
        copies += part->same_as != i;
        bytes += size;
        spare_bytes += part->same_as != i ? size : 0;
    }
    printf("parts       %" PRIu32 " closed, %" PRIu32 " not closed; %" PRIu64 " component%s, %" PRIu64 " %s\n", closed,
           faced - closed, sum.components, plural(sum.components), sum.cavities,
           sum.cavities == 1 ? "cavity" : "cavities");
    printf("size        ");
    print_size(measures);
    printf("\nvertices    %" PRIu64 " unique of %" PRIu64 " stored, %" PRIu64 " unused, %" PRIu64
           " where the surface touches itself\n",
           sum.vertices, stored_vertices, sum.unused_vertices, sum.touching_vertices);
    printf("edges       %" PRIu64 ": %" PRIu64 " border, %" PRIu64 " of more than two faces, %" PRIu64
           " between faces that are wound against each other\n",
           sum.edges, sum.border_edges, sum.non_manifold_edges, sum.misoriented_edges);
    printf("faults      %" PRIu64 " flipped face%s, %" PRIu64 " shell%s inside out, %" PRIu64
           " face%s without area, %" PRIu64 " double face%s\n",
           sum.flipped_faces, plural(sum.flipped_faces), sum.inside_out_shells, plural(sum.inside_out_shells),
           sum.degenerate_faces, plural(sum.degenerate_faces), sum.duplicate_faces, plural(sum.duplicate_faces));
    printf("duplicates  %" PRIu32 " mesh%s equal to an earlier one, ", copies, copies == 1 ? "" : "es");
    print_bytes(spare_bytes);
    printf("\nmemory      ");
    print_bytes(bytes);
    printf("\n");
}

static void print_part(struct cli *cli, const struct parts *parts, const struct mesh_facts *part)
{
    const cp_topology *topology = &part->topology;
    uint64_t triangles = cp_mesh_triangles(part->mesh);
    say(cli, "  %-20s %" PRIu64 " triangle%s, %" PRIu64 " %s, %" PRIu64 " component%s, ", mesh_name(part->mesh),
        triangles, plural(triangles), topology->vertices, topology->vertices == 1 ? "vertex" : "vertices",
        topology->components, plural(topology->components));
    printf("%s, ", topology->closed                    ? "closed"
                   : topology->edges > 0               ? "not closed"
                   : part->mesh->kind == CP_MESH_LINES ? "lines"
                                                       : "no faces");
    print_size(&part->measures);
    if (&parts->items[part->same_as] != part)
        say(cli, ", as %s (mesh %" PRIu32 ")", mesh_name(parts->items[part->same_as].mesh), part->same_as + 1);
    printf("\n");
}

void print_parts(struct cli *cli, const struct parts *parts, const cp_measures *measures)
{
    print_totals(parts, measures);
    for (uint32_t i = 0; i < parts->count && parts->count > 1 && parts->count <= MOST_LISTED; i++)
        print_part(cli, parts, &parts->items[i]);
}
