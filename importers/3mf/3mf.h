/* 3MF, part by part: package.c unpacks a part, model.c reads its XML, mesh.c makes meshes and colours of it, place.c
 * builds the tree of the build items. 3mf.c puts them together. */
#ifndef CELLPIPE_IMPORTERS_3MF_3MF_H
#define CELLPIPE_IMPORTERS_3MF_3MF_H

#include "../importers.h"
#include "../painted.h"
#include "base/text/xml.h"

#if defined(HAVE_LIBZIP) && defined(HAVE_XML2)
#define HAVE_3MF
#endif

#define CORE_URI "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
#define MATERIAL_URI "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
#define PRODUCTION_URI "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
#define SLICE_URI "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
#define TRIANGLE_SETS_URI "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07"

struct threemf_settings {
    struct import_settings common;
    double unit; /* 0: the file's */
};

enum resource_kind { RESOURCE_OBJECT, RESOURCE_COLOURS, RESOURCE_OTHER };

/* An element with an id in a part. */
struct resource {
    enum resource_kind kind;
    uint32_t first, count; /* of colours; first: the object */
    const char *element;   /* its name */
    uint64_t uses;         /* the number of triangles that name it, for other elements than meshes */
};

/* A model part: it has ids of its own. */
struct threemf_part {
    const char *name;      /* path in the package, without the first slash */
    double unit;           /* metres */
    struct name_map names; /* ids to resources */
};

/* A reference to the object with the id in the part, which is followed once all parts are read. */
struct reference {
    uint32_t part;
    const char *id;
    uint64_t line;
    uint32_t in; /* the part with the reference */
};

struct component {
    struct reference to;
    uint32_t object; /* that of the reference */
    cp_pose local;   /* in metres */
    const char *part_number;
};

struct threemf_object {
    const char *name, *part_number, *type, *id;
    uint32_t part, mesh; /* CP_NONE: none */
    double origin[3];    /* the mesh's: not 0 if it is far from the object's */
    uint32_t first_component, component_count;
};

struct threemf {
    cp_context *context;
    struct source *source;
    const struct threemf_settings *settings;
    cp_scene *scene;
    struct arena *arena;     /* texts of the file's */
    struct package *package; /* NULL: the source is a part itself */
    struct name_map part_names;
    struct threemf_part *parts;
    struct resource *resources;
    struct colour *colours;
    struct threemf_object *objects;
    struct component *components, *items;
    uint32_t part_count, part_room, resource_count, resource_room, colour_count, colour_room, object_count, object_room,
        component_count, component_room, item_count, item_room;
    uint64_t vertices;
};

/* package.c */
bool is_package(const struct source *source);
/* Opens the ZIP archive, whose first model part is the package's: *name. Close it even on failure. */
cp_status package_open(struct threemf *file, const char **name);
void package_close(struct threemf *file);
/* Tells whether there is a part of that name, in any case. False, too, when out of memory: ask arena_failed. */
bool package_has(const struct threemf *file, const char *name);
/* Unpacks a part: its bytes and a NUL, with the size of the bytes. */
cp_status package_unpack(struct threemf *file, const char *name, struct buffer *bytes);

/* model.c: the state of reading a part. */
struct model_reader {
    struct threemf *file;
    const struct source *source; /* the part's */
    struct xml xml;
    const char *core; /* the namespace of its <model> */
    uint32_t part;
    cp_status status;
};
cp_status model_read(struct threemf *file, uint32_t part, const struct source *source);
/* Returns the number of the part, a new one if it was not met so far; CP_NONE when out of memory. */
uint32_t model_add_part(struct threemf *file, const char *name);
/* Sets and returns the model's status: an error at the parser's place. */
cp_status model_error(struct model_reader *model, const char *code, const char *what, const char *value);
/* Finds the next child of the open element at `depth` that is the format's own; others are losses. */
bool model_child(struct model_reader *model, uint32_t depth);
/* Skips a child that no code reads. */
void model_skip(struct model_reader *model);
/* Reads a number; an error unless the whole text is a number that a float holds. */
bool model_float(struct model_reader *model, const char *name, const char *text, float *value);
bool model_text_index(struct model_reader *model, const char *name, const char *text, uint32_t *index);
struct resource *model_resource(const struct model_reader *model, const char *id);

/* mesh.c */
/* Reads the <mesh> that has just started. paint: the colour of triangles without one, an index or CP_NONE; pid: its
 * resource's id, or NULL. */
cp_status mesh_read(struct model_reader *model, struct threemf_object *object, const char *pid, uint32_t pindex);

/* place.c: makes nodes of the build items. */
cp_status place_items(struct threemf *file);

#endif
