/* The declarations that the checks of a Collada file share. */
#ifndef CELLPIPE_IMPORTERS_ASSIMP_COLLADA_H
#define CELLPIPE_IMPORTERS_ASSIMP_COLLADA_H

#include "assimp.h"
#include "base/text/xml.h"

/* A <source>: elements of `size` values each, which begin at offset + i * stride of its array. */
struct dae_source {
    bool known, numbers; /* assimp reads its array; the array has numbers, not words */
    bool xyz;            /* its parameters have the names of three coordinates */
    uint64_t count, size;
    const char *array; /* its id */
    uint32_t array_row;
};

/* A reference to a source, and its place in the file. */
struct dae_input {
    const char *id; /* NULL: none */
    uint64_t line;
};

struct dae_sampler {
    struct dae_input times, values;
};

struct dae_skin {
    const char *geometry;
    struct dae_input joints, matrices, weights;
    uint64_t vertices, joint_end, weight_end; /* those of <vertex_weights>; the indices are below */
    uint64_t line;
};

struct dae_controller {
    const char *shows; /* the id of a geometry or of another controller */
    uint64_t line;
};

/* The document that is read, and what was found in it. */
struct dae {
    cp_context *context;
    const struct source *source;
    struct arena *arena;
    struct xml xml;
    uint64_t holes; /* polygons with holes */
    bool clear;     /* some <transparency> is 0 */
};

struct dae_array {
    uint64_t count;
    bool numbers;
};

/* Arrays and sources by their ids, to the rows; the last of a name counts, as it does for assimp. */
struct dae_sources {
    struct name_map arrays, names;
    struct dae_array *array_rows;
    struct dae_source *rows;
    uint32_t array_count, array_room, count, room;
};

struct dae_texts {
    const char **items;
    uint32_t count, room;
};

/* The things that nodes may show, and those that they do show. */
struct dae_links {
    struct name_map ids;         /* ids of geometries to the number of their positions; controllers and nodes, too */
    struct name_map nameless;    /* ids of nodes without a name, whose animations assimp leaves out */
    struct dae_texts shown;      /* ids of what nodes, skins and morphs show; "" in other files */
    struct dae_texts geometries; /* ids */
    struct dae_texts targets;    /* ids of the nodes that channels move */
    bool in_nodes;               /* set in a library of nodes or scenes */
    bool morphs;
};

struct dae_controllers {
    struct name_map names; /* ids to the rows */
    struct dae_controller *rows;
    uint32_t count, room;
    uint32_t last; /* the row of the last one that began */
};

/* Samplers and skins are checked at the end, as their sources may come later. */
struct dae_later {
    struct dae_sampler *sampler_rows;
    struct dae_skin *skin_rows;
    uint32_t sampler_count, sampler_room, skin_count, skin_room;
};

/* The mesh that is read. */
struct dae_mesh {
    const char *geometry; /* the id of the last one */
    const char *vertices; /* the id of the last <vertices> */
    uint64_t vertex_end;  /* the least number of elements among its inputs */
};

/* Reports an error of the file at the line of the last event. */
cp_status dae_error(struct dae *dae, const char *format, ...) __attribute__((format(printf, 2, 3)));
cp_status dae_error_at(struct dae *dae, uint64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reads a whole number of an attribute of the open element: at most as many as the file has bytes. */
cp_status dae_number(struct dae *dae, const char *name, uint64_t missing, uint64_t *number);
/* Returns the source that a reference "#id" means; NULL when the file has none so far. */
const struct dae_source *dae_find_source(const struct dae_sources *sources, const char *reference);
/* Reads the next word of a text as a number from 0 on; false when there is none. *bad: it is something else. */
bool dae_next_index(const char **text, uint64_t *index, bool *bad);

/* collada_mesh.c: checks <vertices>, and <triangles> and the like, whose tag has just been read. */
cp_status dae_check_vertices(struct dae *dae, const struct dae_sources *sources, struct dae_links *links,
                             struct dae_mesh *mesh);
bool dae_is_primitive(const char *name);
cp_status dae_check_primitive(struct dae *dae, const struct dae_sources *sources, const struct dae_mesh *mesh);

#endif
