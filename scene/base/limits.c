/* The limits of a context: its table of options. */
#include <math.h>

#include "context.h"

static const cp_option limit_table[] = {
    {"bytes", "size of one input file", CP_OPTION_SIZE, offsetof(struct limits, bytes), "68719476736",
     .maximum = INFINITY},
    {"expanded-bytes", "size of one input file after decompression", CP_OPTION_SIZE,
     offsetof(struct limits, expanded_bytes), "68719476736", .maximum = INFINITY},
    {"nesting", "nesting of XML and JSON", CP_OPTION_INTEGER, offsetof(struct limits, nesting), "256",
     .maximum = INFINITY},
    {"depth", "depth of the scene's tree", CP_OPTION_INTEGER, offsetof(struct limits, depth), "4096",
     .maximum = INFINITY},
    {"nodes", "nodes of a scene", CP_OPTION_INTEGER, offsetof(struct limits, nodes), "16777216", .maximum = INFINITY},
    {"vertices", "vertices of a scene", CP_OPTION_INTEGER, offsetof(struct limits, vertices), "4294967295",
     .maximum = INFINITY},
    {"primitive-triangles", "triangles that one sphere, cylinder ... is made of", CP_OPTION_INTEGER,
     offsetof(struct limits, primitive_triangles), "1000000", .maximum = INFINITY},
    {"pairs", "pairs of frames that the filter exclude judges", CP_OPTION_INTEGER, offsetof(struct limits, pairs),
     "4000000", .maximum = INFINITY},
    {"pair-joints", "joints between the frames of all pairs that exclude searches", CP_OPTION_INTEGER,
     offsetof(struct limits, pair_joints), "10000000", .maximum = INFINITY},
    {"loop-way", "radians, or sizes of the loop, that the driven joints of a loop go at once, whole turns apart",
     CP_OPTION_INTEGER, offsetof(struct limits, loop_way), "25000", .maximum = INFINITY},
    {"loop-steps", "steps in which a loop is followed from one pose to another", CP_OPTION_INTEGER,
     offsetof(struct limits, loop_steps), "500000", .maximum = INFINITY},
    {"includes", "depth of files that name files", CP_OPTION_INTEGER, offsetof(struct limits, includes), "64",
     .maximum = INFINITY},
    {"files", "further files that one input opens, each time counted", CP_OPTION_INTEGER,
     offsetof(struct limits, files), "65536", .maximum = INFINITY},
    {"name", "bytes of one name", CP_OPTION_SIZE, offsetof(struct limits, name), "65536", .maximum = INFINITY},
    {"reader-seconds", "seconds for a file in a process of its own (--isolate); 0: no end", CP_OPTION_TIME,
     offsetof(struct limits, reader_seconds), "0", .maximum = 1e12},
    {"reader-memory", "bytes that such a process may take, within those of memory; by default as many", CP_OPTION_SIZE,
     offsetof(struct limits, reader_memory), .maximum = INFINITY},
    {"memory",
     "bytes of memory that the work may take, with all of a process for a reader, mapped files and the libraries' own "
     "apart; by default three quarters of what the machine, its control group or ulimit -v allow",
     CP_OPTION_SIZE, offsetof(struct limits, memory), .maximum = INFINITY},
    {"steps", "instructions that a robot program may carry out", CP_OPTION_INTEGER, offsetof(struct limits, steps),
     "1000000", .maximum = INFINITY},
    {"clip", "seconds that the clip of a robot program may last", CP_OPTION_TIME, offsetof(struct limits, clip), "600",
     .maximum = 1e12},
    {"keys", "keys and marks of the clip of a robot program", CP_OPTION_INTEGER, offsetof(struct limits, keys),
     "4000000", .maximum = INFINITY},
    {"ratio", "bytes that a packed byte may expand to, after the first 16 MiB", CP_OPTION_INTEGER,
     offsetof(struct limits, ratio), "200", .maximum = INFINITY},
    {"expansion",
     "nodes, and instances of meshes, that a byte of the files of a scene may become, after the first 100000; a file "
     "counts once, however often it is used",
     CP_OPTION_INTEGER, offsetof(struct limits, expansion), "20", .maximum = INFINITY},
    CP_OPTIONS_END};
enum { LIMIT_COUNT = sizeof limit_table / sizeof *limit_table - 1 };

void limits_start(cp_context *context)
{
    context->limits.memory = context->limits.reader_memory = machine_memory() / 4 * 3;
    for (const cp_option *limit = limit_table; limit->name; limit++)
        if (limit->initial)
            (void)cp_option_read(context, limit, limit->initial, &context->limits);
}

cp_option_info cp_limit_at(size_t index)
{
    return index < LIMIT_COUNT ? cp_option_describe(&limit_table[index]) : (cp_option_info){0};
}

cp_status cp_set_limit(cp_context *context, const char *setting)
{
    const cp_option *limit = cp_option_named(limit_table, setting);
    const char *equals = strchr(setting, '='), *words[LIMIT_COUNT + 1] = {NULL};
    if (limit)
        return context_finish(context, cp_option_read(context, limit, equals ? equals + 1 : NULL, &context->limits));
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        words[i] = limit_table[i].name;
    return context_finish(context,
                          report_unknown(context, "limit-unknown", "limit", setting, strcspn(setting, "="), words));
}

uint64_t limit_nesting(const cp_context *context)
{
    return context->limits.nesting;
}

uint64_t limit_vertices(const cp_context *context)
{
    return context->limits.vertices;
}

/* Returns how many nodes a reader may make from the bytes that are read; UINT64_MAX if nothing is being read. */
static uint64_t most_by_expansion(const cp_context *context)
{
    enum { FREE_NODES = 100000 };
    uint64_t bytes = context->read_bytes, each = context->limits.expansion;
    if (bytes == NO_READ || (each > 0 && bytes > (UINT64_MAX - FREE_NODES) / each))
        return UINT64_MAX;
    return FREE_NODES + each * bytes;
}

uint64_t limit_nodes(const cp_context *context)
{
    uint64_t most = most_by_expansion(context);
    return most < context->limits.nodes ? most : context->limits.nodes;
}

const char *limit_of_nodes(const cp_context *context)
{
    return most_by_expansion(context) < context->limits.nodes ? "--limit expansion=" : "--limit nodes=";
}
