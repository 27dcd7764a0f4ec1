/* own_format IN OUT [OPTION]...: reads, lifts and writes a scene, by an importer, a filter and an exporter of its own.
 * They know files of places (*.places), lines of NAME X Y Z in metres, as frames with a ball at each. */
#include <cellpipe_build.h>
#include <stdio.h>
#include <string.h>

/* ---- the importer ---- */

struct reading {
    double radius; /* metres */
};

static const cp_option reading_options[] = {{"radius", "of the balls", CP_OPTION_LENGTH,
                                             offsetof(struct reading, radius), "10mm", .minimum = 1e-6, .maximum = 10},
                                            CP_OPTIONS_END};

/* Reads the line [at, end) as a frame that shows the mesh. */
static cp_status read_place(cp_context *context, cp_scene *scene, uint32_t mesh, const char *at, const char *end,
                            uint64_t line)
{
    char name[100] = "";
    cp_node node = cp_new_node();
    size_t size = strcspn(at, " \n");
    if (size > 0 && size < sizeof name)
        memcpy(name, at, size);
    at += size;
    for (int axis = 0; axis < 3 && at; axis++) {
        at += strspn(at, " ");
        at = cp_parse_number(at, end, &node.local.m[4 * axis + 3]);
    }
    if (!at || at != end || !*name)
        return cp_report_error(context, CP_INPUT, "places-line", NULL, line,
                               "needs NAME X Y Z, such as \"home 0 0.5 1\"");
    node.name = name;
    node.parent = 0; /* the world */
    cp_instance ball = cp_new_instance(cp_add_node(scene, &node), mesh);
    return ball.node == CP_NONE || cp_add_instance(scene, &ball) == CP_NONE ? CP_LIMIT : CP_OK;
}

static cp_status read_places(void *user, cp_context *context, const cp_input *input, const void *settings,
                             cp_scene *scene)
{
    (void)user;
    const struct reading *own = settings;
    cp_mesh ball = cp_new_mesh();
    ball.kind = CP_MESH_SPHERE;
    ball.sides = 16;
    ball.size[0] = own->radius;
    uint32_t mesh = cp_add_mesh(scene, &ball);
    size_t size;
    const char *at = cp_input_bytes(input, &size), *last = at + size; /* a NUL is behind them */
    cp_status status = mesh == CP_NONE ? CP_LIMIT : CP_OK;
    for (uint64_t line = 1; at < last && status == CP_OK; line++) {
        const char *end = at + strcspn(at, "\n");
        if (end > at)
            status = read_place(context, scene, mesh, at, end, line);
        at = end + 1;
    }
    return status;
}

/* ---- the filter ---- */

struct lifting {
    double by; /* metres */
};

static const cp_option lifting_options[] = {
    {"by", "how far up", CP_OPTION_LENGTH, offsetof(struct lifting, by), "0", .minimum = -1000, .maximum = 1000},
    CP_OPTIONS_END};

static cp_status lift(void *user, cp_context *context, cp_scene *scene, const void *settings)
{
    (void)user;
    const struct lifting *own = settings;
    uint32_t count, clips;
    const cp_node *nodes = cp_nodes(scene, &count);
    cp_status status = CP_OK;
    (void)cp_clips(scene, &clips);
    if (clips > 0)
        return cp_report_error(context, CP_USAGE, "lift-clips", NULL, 0, "a clip says where frames are: lift it first");
    for (uint32_t i = 1; i < count && status == CP_OK; i++) {
        cp_node node = nodes[i];
        if (node.parent == 0)
            node.local.m[11] += own->by;
        status = cp_set_node(scene, i, &node);
    }
    return status;
}

/* ---- the exporter ---- */

static cp_status write_places(void *user, cp_context *context, const cp_scene *scene, const void *settings,
                              cp_output *output)
{
    (void)user;
    (void)settings;
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    cp_pose worlds[1000];
    if (count > 1000)
        return cp_report_error(context, CP_LIMIT, "places-many", NULL, 0, "%u frames: has room for 999", count - 1);
    cp_status status = cp_world_poses(context, scene, NULL, worlds);
    for (uint32_t i = 1; i < count && status == CP_OK; i++) {
        cp_output_text(output, nodes[i].name);
        for (int axis = 0; axis < 3; axis++) {
            cp_output_text(output, " ");
            cp_output_number(output, worlds[i].m[4 * axis + 3]);
        }
        status = cp_output_text(output, "\n"); /* the first error of all */
    }
    return status;
}

/* ---- the host ---- */

static cp_status register_places(cp_context *context)
{
    const cp_importer importer = {.size = sizeof importer,
                                  .name = "places",
                                  .title = "places by name",
                                  .options = reading_options,
                                  .settings_size = sizeof(struct reading),
                                  .suffixes = ".places",
                                  .read = read_places};
    const cp_exporter exporter = {.size = sizeof exporter,
                                  .name = "places",
                                  .title = "places by name",
                                  .suffixes = ".places",
                                  .carries = CP_FEATURE_HIERARCHY | CP_FEATURE_NAMES,
                                  .write = write_places};
    const cp_filter filter = {.size = sizeof filter,
                              .name = "lift",
                              .title = "lifts all that hangs on the world",
                              .options = lifting_options,
                              .settings_size = sizeof(struct lifting),
                              .apply = lift};
    cp_status status = cp_register_importer(context, &importer);
    if (status == CP_OK)
        status = cp_register_exporter(context, &exporter);
    return status == CP_OK ? cp_register_filter(context, &filter) : status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: own_format IN OUT [OPTION]...\n");
        return CP_USAGE;
    }
    static const char *const up[] = {"by=50cm"};
    const char *const *options = (const char *const *)argv + 3;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    cp_status status = context ? register_places(context) : CP_LIMIT;
    if (status == CP_OK)
        status = cp_read(context, argv[1], NULL, options, (size_t)argc - 3, &scene);
    if (status == CP_OK)
        status = cp_apply(context, scene, "lift", up, 1);
    if (status == CP_OK)
        status = cp_write(context, scene, argv[2], NULL, NULL, 0);
    size_t count = 0;
    const cp_entry *entries = context ? cp_report(context, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    cp_scene_free(scene);
    cp_context_free(context);
    return (int)status;
}
