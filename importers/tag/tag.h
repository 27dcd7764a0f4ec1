/* The tag importer: lexer -> parser -> a list of tags -> nodes, joints, devices, geometry, exclusions. */
#ifndef CELLPIPE_IMPORTERS_TAG_TAG_H
#define CELLPIPE_IMPORTERS_TAG_TAG_H

#include "../importers.h"
#include "plugins/models.h"

/* A string of the file: as UTF-8, and its bytes as they were (the same pointer when they were UTF-8). Its bytes open
 * files; everything else uses the text. */
struct tag_text {
    const char *text, *raw;
};

/* One file that is being read; its source is open until its tags have become nodes, its name lives longer. */
struct tag_file {
    const char *name;
    struct source *source;
};

/* ---- lexer.c ---- */

enum tag_token_kind {
    TAG_END,
    TAG_NEWLINE,
    TAG_OPEN_BRACE,
    TAG_CLOSE_BRACE,
    TAG_OPEN_LIST,
    TAG_CLOSE_LIST,
    TAG_COMMA,
    TAG_WORD,
    TAG_STRING,
    TAG_NUMBER
};

struct tag_token {
    enum tag_token_kind kind;
    const char *start; /* begin of the text; of a string: after its quote */
    size_t size;
    uint64_t line, column;
    double number;
};

struct tag_lexer {
    cp_context *context;
    const struct tag_file *file;
    const char *next, *end, *line_start;
    uint64_t line;
    bool carriage_return_ends_line; /* the file has no line feed at all */
    bool headers_over;              /* the parser's: a tag or an include has been seen */
    cp_status status;               /* sticky: after an error all tokens are TAG_END */
    struct tag_token token;         /* the current one */
};

void tag_lexer_start(struct tag_lexer *lexer, cp_context *context, const struct tag_file *file);
void tag_lexer_next(struct tag_lexer *lexer);
/* Reports a grammar error at the current token, unless one has been reported; CP_INPUT, or the status of that. */
cp_status tag_lexer_expected(struct tag_lexer *lexer, const char *what);

/* ---- parser.c ---- */

enum tag_value_kind { TAG_VALUE_NUMBER, TAG_VALUE_STRING, TAG_VALUE_LIST };

struct tag_value {
    enum tag_value_kind kind;
    double number;
    struct tag_text string;
    const double *list;
    uint32_t list_count;
};

struct tag_attribute {
    const char *key;
    const struct tag_value *values;
    uint32_t value_count;
    bool used; /* an unused attribute becomes metadata */
    uint64_t line, column;
};

struct tag {
    struct tag_text name;
    const struct tag_file *file;
    uint64_t line, column;
    struct tag_attribute *attributes; /* no key twice */
    uint32_t attribute_count;
};

/* The tags of one file, includes spliced in. Everything is in the list's arena but the files' names. */
struct tag_list {
    cp_context *context;
    struct arena *arena;
    struct arena *names; /* the whole import's */
    uint64_t *bytes;     /* size of all files that are included */
    const char *file;    /* its name */
    bool strict;
    struct tag *tags;
    struct tag_attribute *headers;
    struct source **includes; /* open as long as the list */
    uint32_t count, room, header_count, header_room, include_count, include_room;
};

/* Reads the file and all that it includes. The source is the caller's and stays open as long as the list. */
cp_status tag_parse(struct tag_list *list, struct source *source);
void tag_list_free(struct tag_list *list);
/* Returns the name as a path with '/' for '\', in the arena. */
const char *tag_path(struct arena *arena, const struct tag_text *name);
/* Opens a further file that a tag file names: CP_NO when there is none, CP_LIMIT when all have too many bytes. */
cp_status tag_open(uint64_t *bytes, const struct tag_file *from, const char *path, struct source **opened);

/* ---- the import as a whole: tag.c ---- */

/* DeviceHomePos: the numbers live as long as the import. */
struct tag_home {
    const double *values; /* or NULL */
    uint32_t count;
};

/* A file on its way into the scene; nested devices are a stack of these. */
struct tag_load {
    struct tag_list list;
    struct source *source; /* closed at the end but for the top file's */
    uint32_t next_tag;
    uint32_t root;          /* the node that has the Device attribute, or the world */
    uint32_t device;        /* CP_NONE when the file has no active joint */
    uint32_t scope;         /* the device that its nodes come with */
    struct tag_text prefix; /* "A.B." */
    struct place opener;    /* of the Device attribute */
    struct tag_home home;
};

struct tag_composite {
    uint32_t node, scope;
    struct place place;
    const char **names; /* full names of devices */
    uint32_t name_count;
    struct tag_home home;
};

struct tag_exclusions;

struct tag_reader {
    cp_context *context;
    cp_scene *scene;
    bool strict;
    struct arena *arena;
    struct buffer key;              /* scratch for names */
    struct name_map nodes, devices; /* by full name */
    struct name_map primitives;     /* geometry.c: models by their words */
    struct name_map setups;         /* exclusion.c: setups that have been read */
    struct models models;
    struct tag_load *loads;
    struct tag_composite *composites;
    struct tag_exclusions *exclusions;
    uint32_t load_count, load_room, composite_count, composite_room, exclusions_count, exclusions_room;
    uint32_t last_link; /* the last tag with Link or ActiveJoint, whatever its file; or CP_NONE */
    uint64_t device_joints, name_bytes;
    uint64_t bytes; /* size of all files that tag files name and that are read as tag files */
};

/* ---- attribute.c ---- */

/* Returns the attribute, marked as used, or NULL. */
const struct tag_attribute *tag_use(const struct tag *tag, const char *key);
/* Finds an attribute like tag_use, but does not mark it as used. */
struct tag_attribute *tag_find(const struct tag *tag, const char *key);
struct place tag_place(const struct tag *tag);
struct place tag_attribute_place(const struct tag *tag, const struct tag_attribute *attribute);
/* Returns value number `index`; NULL or CP_INPUT after reporting when it is absent or of another kind. */
const struct tag_value *tag_value(struct tag_reader *reader, const struct tag *tag,
                                  const struct tag_attribute *attribute, uint32_t index, enum tag_value_kind kind);
cp_status tag_number(struct tag_reader *reader, const struct tag *tag, const struct tag_attribute *attribute,
                     uint32_t index, double *number);
cp_status tag_string(struct tag_reader *reader, const struct tag *tag, const struct tag_attribute *attribute,
                     uint32_t index, const struct tag_text **string);
/* Reads the first value, a list of three numbers. */
cp_status tag_triple(struct tag_reader *reader, const struct tag *tag, const struct tag_attribute *attribute,
                     double out[3]);
/* Keeps the unused attributes as metadata. */
cp_status tag_keep_unused(struct tag_reader *reader, const struct tag *tag, uint32_t node);
/* Keeps header lines as metadata of the scene or of the device's base; the first of each key wins. */
cp_status tag_keep_headers(struct tag_reader *reader, const struct tag_list *list, cp_owner owner, uint32_t index);

/* ---- frame.c ---- */

/* Finds the fixed transform that the tag's attributes give. */
cp_status tag_transform(struct tag_reader *reader, const struct tag *tag, cp_pose *pose);
/* Makes the tag's node, with its joint and flags, below the load on top of the stack. */
cp_status tag_make_node(struct tag_reader *reader, const struct tag *tag, uint32_t *node);
/* Takes JointHomePos, which any tag may have (the world's too). */
cp_status tag_joint_home(struct tag_reader *reader, const struct tag *tag, uint32_t node);

/* ---- device.c ---- */

/* Finishes after a file's last tag: the end, the joints and the home of its device. */
cp_status tag_finish_device(struct tag_reader *reader, const struct tag_load *load);
/* Remembers a CompositeDevice until all devices are known. */
cp_status tag_note_composite(struct tag_reader *reader, const struct tag *tag, uint32_t node);
cp_status tag_make_composites(struct tag_reader *reader);
/* Reads DeviceHomePos of the tag, if it has one. */
cp_status tag_device_home(struct tag_reader *reader, const struct tag *tag, struct tag_home *home);
/* Returns the driven joint of a node or CP_NONE; a tag makes at most one joint. */
uint32_t tag_driven_joint(const cp_scene *scene, uint32_t node);

/* ---- geometry.c ---- */

/* Places all models of a tag at its node, which is the last one made or the world. */
cp_status tag_place_geometry(struct tag_reader *reader, const struct tag *tag, uint32_t node);

/* ---- exclusion.c ---- */

/* Reads the collision setup that a tag names. */
cp_status tag_read_setup(struct tag_reader *reader, const struct tag *tag, uint32_t node);
/* Turns exclusions by name into pairs of nodes, after the last tag. */
cp_status tag_apply_setups(struct tag_reader *reader);
void tag_free_setups(struct tag_reader *reader);

#endif
