/* AMF, step by step: document.c reads the XML into tables, with mesh.c for meshes and colour.c for colours and
 * materials; place.c makes meshes and nodes of the tables. amf.c unpacks archives and puts the steps together. */
#ifndef CELLPIPE_IMPORTERS_AMF_AMF_H
#define CELLPIPE_IMPORTERS_AMF_AMF_H

#include "../importers.h"
#include "../painted.h"
#include "base/text/xml.h"

struct amf_settings {
    struct import_settings common;
    double unit; /* 0: the file's */
};

struct amf_note {
    const char *key, *value;
};

/* A row of the table of notes: metadata. */
struct amf_notes {
    const char *name; /* the metadata of the type "name", which is none of the notes; or "" */
    uint32_t first, count;
};

struct amf_material {
    const char *id;
    struct amf_notes notes;
    uint32_t colour; /* a row of the table; CP_NONE: it says none */
};

struct amf_volume {
    uint32_t first_face, face_count;
    uint32_t colour;      /* CP_NONE: none of its own */
    const char *material; /* id; or NULL */
    uint64_t line;
};

/* The numbers of an <instance>, in the order of the table in document.c. */
enum { MOVE_DELTA = 0, MOVE_TURN = 3, MOVE_SCALE = 6, MOVE_MIRROR = 9, MOVE_SCALE_ALL = 12, MOVE_COUNT = 13 };

struct amf_instance {
    const char *id; /* an object has it, or else a constellation */
    uint64_t line;
    double move[MOVE_COUNT];
    uint32_t object; /* found once all is read */
};

/* An <object>, or a <constellation> of some. */
struct amf_object {
    const char *id;                 /* "" for none */
    bool is_constellation, is_part; /* is_part: an instance shows it */
    struct amf_notes notes;
    uint32_t first_instance, instance_count; /* of a constellation */
    /* The rest is of an object. */
    uint32_t colour; /* CP_NONE: none of its own */
    uint32_t first_volume, volume_count;
    struct painted painted;
    uint32_t *vertex_colours; /* one for each vertex, or CP_NONE; NULL: no vertex has one */
    float *normals;           /* the first normal_count vertices have them */
    uint32_t vertex_colour_room, normal_room, normal_count;
    uint32_t mesh;
    double origin[3]; /* the mesh's: not 0 if it is far from the object's */
};

/* The kinds of things that the scene does not hold: the table in amf.c has their words. */
enum amf_loss {
    LOSS_CURVES,
    LOSS_NORMALS,
    LOSS_TEXTURES,
    LOSS_TEXTURE_MAPS,
    LOSS_COMPOSITES,
    LOSS_FORMULAS,
    LOSS_VOLUME_METADATA,
    LOSS_VOLUME_TYPES,
    LOSS_COUNT
};

/* Odd things that are read all the same. */
struct amf_oddity {
    uint64_t count, line; /* line: of the first one */
};

struct amf {
    cp_context *context;
    const struct source *source; /* the XML document */
    const struct amf_settings *settings;
    cp_scene *scene;
    struct arena *arena; /* texts of the file's */
    struct xml xml;
    cp_status status;
    double unit;  /* metres */
    bool radians; /* the file is PrusaSlicer's, whose angles are in radians */
    struct name_map object_names, constellation_names, material_names; /* ids to rows of their tables */
    struct name_map known_colours;                                     /* numbers as text to rows of the table */
    struct amf_object *objects;
    struct amf_instance *instances;
    struct amf_volume *volumes;
    struct amf_material *materials;
    struct amf_note *notes;
    struct colour *colours;
    uint32_t object_count, object_room, instance_count, instance_room, volume_count, volume_room, material_count,
        material_room, note_count, note_room, colour_count, colour_room;
    uint64_t vertices;
    uint64_t losses[LOSS_COUNT];
    struct amf_oddity clipped, profiles, transparent, unknown_materials;
};

/* document.c */
cp_status amf_read_document(struct amf *file);
struct place amf_here(const struct amf *file);
/* Sets the file's status: an error at the parser's place. */
void amf_error(struct amf *file, const char *code, const char *what, const char *value);
/* Finds the next child of the open element at `depth`. */
bool amf_child(struct amf *file, uint32_t depth);
/* Counts a child that no code reads as a loss. */
void amf_skip(struct amf *file);
void amf_count(struct amf *file, struct amf_oddity *oddity);
/* Returns a copy that lives as long as the reading; "" for NULL. NULL when out of memory, with the status set. */
const char *amf_keep(struct amf *file, const char *text);
/* Reads the element's text as a number: an error unless single precision holds it. */
bool amf_number(struct amf *file, double *value, float *single);
/* Reads <metadata type="KEY">VALUE</metadata> into the notes, which are the last of the table. */
void amf_read_note(struct amf *file, struct amf_notes *notes);

/* colour.c */
/* Reads a <color>. Returns its row; CP_NONE for one by formula, and after an error. */
uint32_t amf_read_colour(struct amf *file);
void amf_read_material(struct amf *file);

/* mesh.c: reads the <mesh> that has just started. */
void amf_read_mesh(struct amf *file, struct amf_object *object);

/* place.c: makes meshes of the objects, and nodes of those that nothing else shows. */
cp_status amf_place_objects(struct amf *file);

#endif
