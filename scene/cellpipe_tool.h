/* Declares what only the program cellpipe needs of its library: beside cellpipe.h, the one header that cli/ includes.
 * It is not installed, and promises nothing to anybody else. */
#ifndef CELLPIPE_TOOL_H
#define CELLPIPE_TOOL_H

#include <string.h>

#include "cellpipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options (base/options.c): of flags, commands, importers, exporters and filters, and limits ---- */

/* Reads a value into the settings; NULL: the option was named alone. CP_USAGE, reported, when it is no value of the
 * type or out of range. */
CP_API cp_status cp_option_read(cp_context *context, const cp_option *option, const char *text, void *settings);
/* The option of a table that "NAME" or "NAME=VALUE" names. NULL when there is none. */
const cp_option *cp_option_named(const cp_option *options, const char *word);
/* The bytes of a value in the settings; 0 if there is none, or no such type. */
size_t cp_option_size(cp_option_type type);
CP_API cp_option_info cp_option_describe(const cp_option *option);
/* The units that may stand behind a number of a type (the word in cp_option_info), one by one; NULL past the last. */
CP_API const char *cp_option_unit(const char *type, size_t index);

/* Tests options before any work is done. CP_OK if the plug-in knows all these "KEY=VALUE" options and their values are
 * in range. Else the report names the wrong ones. */
CP_API cp_status cp_check_options(cp_context *context, cp_plugin_kind kind, const char *name,
                                  const char *const *options, size_t option_count);
/* Returns the name, default and meaning of a limit. Past the last one, name is NULL. */
CP_API cp_option_info cp_limit_at(size_t index);

/* ---- processes ---- */

enum { CP_MOST_SAID = 1024, CP_MOST_PROCESSES = 1024 };

/* A process of our own: a fork, which has a copy of all that its parent had, and talks to it by a channel. */
typedef struct process {
    int id;      /* 0: it has been ended, or somebody else holds the other end of the channel */
    int channel; /* a socket */
    int words;   /* the end of a pipe: what it prints on standard error; -1: it prints no more */
    bool ready;  /* after cp_process_wait: the channel can be used without waiting, or the other end is closed */
    bool gone;   /* after cp_process_wait: it has ended */
    bool killed; /* after cp_process_end: it had to be killed */
    int signal, exit_code; /* after cp_process_end: 0 and -1: it did not end so, or the host ignores SIGCHLD */
    uint64_t most_memory;  /* after cp_process_end: the most bytes that it had resident */
    size_t said_size;
    char said[CP_MOST_SAID + 1]; /* the last of what it printed */
} cp_process;

/* Starts a process that calls work with its end of the channel, and ends with code 0 if work returns. It dies with its
 * parent (on Linux); its standard input and output lead nowhere. For foreign code these and all other descriptors are
 * closed, and signals do what they do in a new program, but those of a terminal are ignored. False with errno set:
 * there can be none. */
CP_API bool cp_process_start(cp_process *process, bool is_foreign, void (*work)(void *user, int channel), void *user);
/* Closes, in a fork, what it has inherited of another one. */
CP_API void cp_process_leave(const cp_process *process);
/* Waits until a channel is ready for events (POLLIN, POLLOUT) or a signal comes, for some milliseconds at most. Takes
 * what the processes print. At most CP_MOST_PROCESSES. */
CP_API void cp_process_wait(cp_process *const *processes, uint32_t count, short events, int milliseconds);
/* Waits so long for the end of the process, then kills it; frees all that it had here. */
CP_API void cp_process_end(cp_process *process, uint32_t milliseconds);
/* The last line that it printed, without blanks at its end; "" if there is none. */
CP_API const char *cp_process_last_line(cp_process *process);
/* Sends or receives size bytes. False at the end of the stream, and when a signal came and stops() is true; stops may
 * be NULL. */
CP_API bool cp_process_transfer(int channel, void *bytes, size_t size, bool sends, bool (*stops)(void));
/* Limits this process to so many bytes of data beyond those that it has (without effect under sanitizers), to files of
 * that size, and to no core file. */
CP_API void cp_process_limit(uint64_t memory, uint64_t file_size);
/* Limits this process to so many seconds of processor time since its start. */
CP_API void cp_process_limit_seconds(uint64_t seconds);

/* Returns what restricted the process of the last file that was read under CP_FLAG_ISOLATE: "rlimits, landlock,
 * seccomp", or fewer of them if the system has no more; "" if there was no such process. It is a literal. */
CP_API const char *cp_isolation(const cp_context *context);
/* Returns the most memory, in bytes, that such a process has had resident; 0 if there was none. */
CP_API uint64_t cp_reader_memory(const cp_context *context);

struct buffer;

/* Appends the contents of gzip'd bytes, or other bytes as they are, and a NUL behind them. name: of the file, for
 * errors, which are those of a file that is read: CP_INPUT for damaged ones, CP_LIMIT beyond the context's limits. */
CP_API cp_status cp_unpack(cp_context *context, const char *name, const void *bytes, size_t size, struct buffer *plain);

/* ---- JSON ---- */

struct sink;

/* JSON out, as a stream: the writer keeps commas, escapes and the ends of lines right. At first it writes no blanks. */
typedef struct json_writer {
    struct buffer *out;                                      /* takes the text; NULL: put does */
    void (*put)(void *user, const char *bytes, size_t size); /* called with each piece */
    void *user;
    int lines;        /* values within so many brackets get lines of their own */
    int depth;        /* open brackets */
    bool spaced;      /* a blank follows commas and colons */
    bool keeps_bytes; /* a byte XX that is not UTF-8 is written as \udcXX, else as the Latin-1 character it may be */
    bool comma;       /* the next key or value needs one before it */

    /* The rest is for base/text/json.h. */
    bool dense;           /* json_line ends no lines */
    struct sink *sink;    /* took the text before that in `out`; NULL: the text is only measured */
    uint64_t passed;      /* size of the text before */
    struct buffer *aside; /* our extras may be left out: it takes them and drops them; NULL: they are written */
    struct json_place {
        struct buffer *out;
        struct sink *sink;
        uint64_t passed;
        bool comma;
    } kept; /* private: the text goes on there after our extras */
} cp_json;

/* '{' or '[', and its end. key: of the member; NULL for an element of an array, or the top. */
CP_API void cp_json_open(cp_json *json, const char *key, char bracket);
CP_API void cp_json_close(cp_json *json, char bracket);
/* value NULL is null. */
CP_API void cp_json_text(cp_json *json, const char *key, const char *value);
/* A value that is not finite is null. */
CP_API void cp_json_number(cp_json *json, const char *key, double value);
CP_API void cp_json_numbers(cp_json *json, const char *key, const double *values, size_t count);
CP_API void cp_json_count(cp_json *json, const char *key, uint64_t value);
CP_API void cp_json_count_or_null(cp_json *json, const char *key, uint64_t value); /* 0 is null */
CP_API void cp_json_boolean(cp_json *json, const char *key, bool value);
/* A value that is JSON already. */
CP_API void cp_json_word(cp_json *json, const char *key, const char *word);
/* The next value begins a line, after so many blanks: at most 16. */
CP_API void cp_json_line(cp_json *json, int blanks);

/* Writes a struct as a line of JSON and reads it back, by a table of its members. A byte of a text that is not UTF-8 is
 * written as \udcXX, so that paths come back unchanged. */

struct arena;

/* Strings in order. */
struct list {
    const char **items;
    size_t count, room;
};

typedef enum cp_field_kind {
    CP_FIELD_TEXT,   /* const char *; NULL is "" */
    CP_FIELD_PATH,   /* the same, of the file that the line describes: it may come again in the line */
    CP_FIELD_SAID,   /* the same; an empty one is not written */
    CP_FIELD_HOST,   /* the same; lines that follow each other mostly have the same */
    CP_FIELD_FOLDER, /* the same */
    CP_FIELD_TEXTS,  /* struct list */
    CP_FIELD_MORE,   /* the same; an empty one is not written */
    CP_FIELD_HASH,   /* cp_hash; zero is "" */
    CP_FIELD_COUNT,  /* uint64_t */
    CP_FIELD_SMALL,  /* uint32_t */
    CP_FIELD_TIME,   /* int64_t; 0 is not written */
    CP_FIELD_NUMBER, /* double; one that is not finite becomes 0 */
    CP_FIELD_SHAPE,  /* cp_shape, as an array of numbers; of kind 0 is not written */
    CP_FIELD_WORD,   /* an enum, by its words */
    CP_FIELD_TRUE,   /* bool; false is not written */
    CP_FIELD_ROWS    /* an array of structs, by its address */
} cp_field_kind;

typedef struct cp_field {
    const char *name; /* NULL ends a table */
    cp_field_kind kind;
    size_t offset;
    size_t unless;                 /* offset of a bool: if it is true, the member is not written; 0: of none */
    const char *const *words;      /* of CP_FIELD_WORD, ended by NULL */
    const struct cp_field *rows;   /* the table of a row of CP_FIELD_ROWS */
    size_t row_size, count_offset; /* sizes of CP_FIELD_ROWS, and the offset of their count, uint32_t */
} cp_field;

/* Appends the struct and the end of the line. Failure is sticky in the buffer. */
CP_API void cp_fields_print(struct buffer *out, const cp_field *fields, const void *members);

/* Reads lines one after the other. Start: {.context = context, .arena = arena}; texts and arrays go to the arena. A
 * caller that clears the arena sets host and folder to NULL. */
typedef struct cp_field_reader {
    cp_context *context;
    struct arena *arena;
    struct json_document *json;       /* private */
    const char *host, *folder, *path; /* texts that may come again, and are kept once */
} cp_field_reader;

/* Parses one line, whose memory may be freed after it has been taken. CP_INPUT if it is no JSON object, CP_LIMIT if out
 * of memory. */
CP_API cp_status cp_fields_parse(cp_field_reader *reader, const char *line, size_t size);
/* Fills the struct from the line that was parsed last; members that it does not have stay as they are, and unknown ones
 * are ignored. Texts of rows are "" at first. CP_INPUT if one has another type, or if the line was no object. */
CP_API cp_status cp_fields_take(cp_field_reader *reader, const cp_field *fields, void *members);
CP_API void cp_field_reader_free(cp_field_reader *reader);

/* ---- files ---- */

/* Tests before long work whether cp_write can write to the path. CP_OUTPUT if it is already clear that it cannot. */
CP_API cp_status cp_expect_output(cp_context *context, const char *path);
/* Returns true if a write to the path gives a file such a name: it replaces a file, or the folder's file system has no
 * files without a name, which are gone with their writer (Linux, most local file systems). An output of more than 200
 * files has names for the rest of them in any case. */
CP_API bool cp_needs_temporary_name(cp_context *context, const char *path);
/* Makes the file at path a hard link of the one at `model`, if they are equal byte for byte and have the same owner and
 * permissions, by a temporary in its folder. *fresh: it was not one before. CP_NO if they differ; CP_OUTPUT, with a
 * warning in the report, if there cannot be such a link, as between file systems. In these cases nothing changes. */
CP_API cp_status cp_link_equal(cp_context *context, const char *path, const char *model, bool *fresh);
/* Returns true if this context has read the file at path, also under another name. cp_write refuses to replace such a
 * file. */
CP_API bool cp_was_read(const cp_context *context, const char *path);
/* An output, measured over all its files. */
typedef struct cp_written {
    uint64_t bytes;
    uint64_t triangles; /* drawn ones, a mesh's at each of its places; 0 for formats without faces */
    uint32_t clips;     /* made ones among them; 0 for formats without clips */
    double deviation;   /* metres: how far a simplified output is from the source's surfaces at most; else 0 */
} cp_written;
/* Returns what the last cp_write with this context has written. */
CP_API cp_written cp_last_written(const cp_context *context);

CP_API cp_hash cp_hash_bytes(const void *bytes, size_t size);

/* ---- scenes and programs ---- */

/* Makes a scene that differs by its joints' values alone: q[joint count]. It shares arrays and strings with the
 * original, which must outlive it. NULL if out of memory. */
CP_API cp_scene *cp_scene_at(const cp_scene *scene, const double *q);
/* Tells whether a rotation and a translation lead from one pose to the other: what is stretched is so in both alike. */
CP_API bool cp_pose_moves_rigidly(const cp_pose *from, const cp_pose *to);
/* Runs the program to its end, or to a stop or an emergency at these seconds (below 0: none), and adds a clip of it to
 * the scene. Errors are those of cp_program_step; CP_LIMIT, too, for a clip that becomes too long. */
CP_API cp_status cp_program_record(cp_program *program, cp_scene *scene, const char *name, double stop,
                                   double emergency);

/* ---- equal shapes ---- */

/* Finds equal meshes: first[mesh count]. first[i] is the first mesh that equals mesh i bit for bit, materials included;
 * it is i if there is none before. A mesh without an instance equals only itself. */
CP_API cp_status cp_equal_meshes(cp_context *context, const cp_scene *scene, uint32_t *first);
/* A description of all that a scene shows which does not change when the scene is moved as a whole. If two agree, they
 * have as many vertices and faces of each size, and their values differ by no more than the rounding of their vertices
 * explains: the scenes are most likely equal up to a motion, but that is no proof. Materials, colours and normals do
 * not count. */
enum { CP_SHAPE_VALUES = 10 };
typedef struct cp_shape {
    uint64_t kind;    /* a hash of the counts, below 2^53; 0: nothing is shown, or too far away */
    double tolerance; /* metres, by which its vertices may be off: 1e-6 of the distance from their mesh's origin */
    /* The values 0 to 5 describe the vertices' distances from their centre, in metres: root mean square, largest,
     * smallest; with the covariance C of the positions tr(C^2)^(1/4) and tr(C^3)^(1/6); root mean fourth power. The
     * next two describe faces, by the differences d of the squared distances of their corners, m the largest: cubic
     * mean of m; mean of d d d m. The last two come from the third moment u, with the largest distance as the unit:
     * |u|; det(u, C u, C C u). Mirror images have another sign of the last one; of d d d m, too, if their faces show
     * the same side. */
    double values[CP_SHAPE_VALUES];
} cp_shape;
/* Computes the shape of all instances at home, drawn or for collisions. CP_LIMIT if out of memory. */
CP_API cp_status cp_find_shape(cp_context *context, const cp_scene *scene, cp_shape *shape);
/* Finds the range of values[0] in which a shape must be to agree with this one: two that agree have ranges that meet. */
CP_API void cp_shape_range(const cp_shape *shape, double *low, double *high);
/* Groups shapes that agree. first[i] is the shape that differs least from shape i among the earlier ones that agree
 * with none before them; it is i if shape i agrees with none of these. Shapes of kind 0 agree with none. Takes n log n
 * time. */
CP_API cp_status cp_find_alike(cp_context *context, const cp_shape *shapes, uint32_t count, uint32_t *first);
/* Returns the size of a mesh's arrays in bytes. */
CP_API uint64_t cp_mesh_bytes(const cp_mesh *mesh);

/* ---- sheets ---- */

/* A sheet of pictures with their names below, as a PNG image that grows in memory. */
typedef struct cp_sheet cp_sheet;
typedef struct cp_sheet_layout {
    uint32_t count, columns; /* pictures in all, and in a row; columns 0: as many as make the sheet about square */
    uint32_t width, height;  /* pixels of each picture */
    cp_colour background;
} cp_sheet_layout;
/* Begins a sheet. CP_USAGE if it has no picture, or is wider or higher than 65500 pixels. */
CP_API cp_status cp_sheet_new(cp_context *context, const cp_sheet_layout *layout, cp_sheet **sheet);
/* Adds a picture, which the exporter png has made in the layout's size; NULL: a cross takes its place. The name is
 * UTF-8; characters beyond ASCII become boxes, and a long name loses its middle. */
CP_API cp_status cp_sheet_add(cp_sheet *sheet, const void *png, size_t size, const char *name);
/* Ends the sheet, empty where pictures are missing. *bytes as of cp_write_memory. */
CP_API cp_status cp_sheet_end(cp_sheet *sheet, void **bytes, size_t *size);
/* Frees the sheet; NULL is allowed. */
CP_API void cp_sheet_free(cp_sheet *sheet);

/* ---- pages ---- */

/* Makes the page that shows data of a batch: JSON, as cli/report/page.c describes it. *bytes as of cp_write_memory. */
CP_API cp_status cp_page_of_batch(cp_context *context, const char *title, const void *data, size_t data_size,
                                  void **bytes, size_t *size);
/* Makes the page that shows a part: that of KEY.js beside it, if it is opened as PAGE?KEY. The exporter html writes
 * such scripts (part=yes). CP_USAGE if the build lacks the viewer. */
CP_API cp_status cp_page_of_parts(cp_context *context, void **bytes, size_t *size);

/* ---- pairs ---- */

/* Computes the present hash of each pair: keys[count], comparable with cp_finding.key. It covers both frames' collision
 * geometry and the joints between them. It is 0 if one of the frames has no such geometry. */
CP_API cp_status cp_pair_keys(cp_context *context, const cp_scene *scene, const cp_pair *pairs, uint32_t count,
                              uint64_t *keys);
/* Computes a hash of each frame's collision geometry in the frame's coordinates: keys[node count]; 0 if a frame has
 * none. */
CP_API cp_status cp_geometry_keys(cp_context *context, const cp_scene *scene, uint64_t *keys);

/* ---- words ---- */

/* Returns the word nearest to `word` in a NULL-terminated list, or NULL if none is near. */
CP_API const char *cp_nearest_word(const char *word, const char *const *words);
/* Prints the shortest decimal text that reads back to the same double, in any locale. Returns its length. */
enum { CP_NUMBER_SIZE = 32 };
CP_API size_t cp_print_double(double value, char out[CP_NUMBER_SIZE]);
/* Prints the next character of a text as in a JSON string (RFC 8259) and moves *text past it. Returns the number of
 * bytes in out; 0 at the end of the text. DEL is escaped too. A byte that is not UTF-8 is read as Latin-1 and
 * escaped. */
enum { CP_JSON_CHARACTER_SIZE = 6 };
CP_API size_t cp_print_json_character(const char **text, char out[CP_JSON_CHARACTER_SIZE]);
/* Prints the next character of a text as people may see it on a terminal and moves *text past it. Returns the number of
 * bytes in out; 0 at the end of the text. Control characters, the marks of Unicode that change the direction of text,
 * and bytes that are not UTF-8 are escaped: \n, \r, \t, \x1b, \u202e. All else stays as it is, a backslash too. */
enum { CP_SHOWN_CHARACTER_SIZE = 6 };
CP_API size_t cp_print_shown_character(const char **text, char out[CP_SHOWN_CHARACTER_SIZE]);
/* False unless the whole text is a length with a unit ("5mm", "0.2in", "1e-6m"); without a unit it is in metres. */
CP_API bool cp_parse_length(const char *text, double *metres);
/* Reads "X,Y,Z,R,P,Y": metres and radians, unless a unit follows (5mm, 30deg). Returns false if the text is anything
 * else. */
CP_API bool cp_parse_pose(const char *text, cp_pose *pose);
/* Reads "x,y,z,roll,pitch,yaw", or some of them, as CP_REACH_... Returns false if the text is anything else. */
CP_API bool cp_parse_reach(const char *text, unsigned *solve);

/* ---- memory and texts ---- */

/* The library shows no names but those that begin with cp_. Short ones are for us. */
#define arena_allocate cp_arena_allocate
#define arena_clear cp_arena_clear
#define arena_copy cp_arena_copy
#define arena_copy_text cp_arena_copy_text
#define arena_free cp_arena_free
#define arena_new cp_arena_new
#define arena_print cp_arena_print
#define array_reserve cp_array_reserve
#define buffer_double cp_buffer_double
#define buffer_free cp_buffer_free
#define buffer_print cp_buffer_print
#define buffer_reserve cp_buffer_reserve
#define buffer_text cp_buffer_text
#define library_load cp_library_load
#define memory_allocate cp_memory_allocate
#define memory_allocate_zeroed cp_memory_allocate_zeroed
#define memory_free cp_memory_free
#define name_map_add cp_name_map_add
#define name_map_find cp_name_map_find
#define name_map_free cp_name_map_free
#define text_ends_nocase cp_text_ends_nocase
#define utf8_length cp_utf8_length

/* Memory: the context's allocator, arenas, and arrays that grow. Every function that can fail reports
 * out-of-memory itself and returns NULL or false; the caller returns CP_LIMIT. */

/* Is the allocator of a context that was given none. */
void *memory_resize_by_library(void *user, void *block, size_t old_size, size_t size);
/* Resizes a block by the context's allocator, like cp_allocator.resize. Fails without losing the block. */
void *memory_resize(cp_context *context, void *block, size_t old_size, size_t size);
/* Allocates count x size uninitialised bytes, and checks the product. A count or size of 0 gives a valid block of 1
 * byte. */
CP_API void *memory_allocate(cp_context *context, size_t count, size_t size);
CP_API void *memory_allocate_zeroed(cp_context *context, size_t count, size_t size);
/* Frees a block of memory_allocate(context, count, size). NULL is allowed. */
CP_API void memory_free(cp_context *context, void *block, size_t count, size_t size);

/* An arena: many blocks that are freed together. The arrays of one job come from one: arena_new, the arrays,
 * arena_failed, the job, arena_free. If arena_new has failed (NULL), the functions of arenas fail too. */
struct arena;
CP_API struct arena *arena_new(cp_context *context);
CP_API void arena_free(struct arena *arena);
/* Frees its blocks: the arena is as it was when it was new. */
CP_API void arena_clear(struct arena *arena);
/* Allocates count x size uninitialised bytes, aligned for any type. */
CP_API void *arena_allocate(struct arena *arena, size_t count, size_t size);
void *arena_allocate_zeroed(struct arena *arena, size_t count, size_t size);
/* Returns true once any allocation has failed. */
bool arena_failed(const struct arena *arena);
/* Copies size bytes (none of them NUL) and ends them by a NUL. */
CP_API char *arena_copy_text(struct arena *arena, const char *bytes, size_t size);
/* Copies count x size bytes. */
CP_API void *arena_copy(struct arena *arena, const void *bytes, size_t count, size_t size);
/* Takes over a block of count x size bytes that memory_allocate made. Returns false if out of memory: the block then
 * still belongs to the caller. */
bool arena_take(struct arena *arena, void *block, size_t count, size_t size);
/* Makes "base#12", with # for the character between. It avoids the slow printf, as there may be a million of them. */
char *arena_number(struct arena *arena, const char *base, char between, uint32_t number);
/* Prints like printf, into the arena. */
CP_API char *arena_print(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Moves all blocks of `other` into `target`, and frees `other`. */
void arena_adopt(struct arena *target, struct arena *other);

/* Makes room for count items of item_size in *items, which has room for *capacity (both start NULL and 0); items is the
 * address of a pointer of any type. The room at least doubles. Free with memory_free(context, *items, *capacity,
 * item_size). */
CP_API bool array_reserve(cp_context *context, void *items, uint32_t *capacity, uint64_t count, size_t item_size);
/* Makes room in the same way, and appends a copy of one item to the *count that are there. */
bool array_add(cp_context *context, void *items, uint32_t *capacity, uint32_t *count, const void *item,
               size_t item_size);

/* A growing string of bytes. Start with {.context = context}. Once something fails, `failed` stays set. */
struct buffer {
    cp_context *context;
    char *data;
    size_t size, capacity;
    bool failed;
};
CP_API bool buffer_reserve(struct buffer *buffer, size_t more);
/* It is inline, since JSON and lists are made of pieces of a few bytes. */
static inline void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0 || (size > buffer->capacity - buffer->size && !buffer_reserve(buffer, size)))
        return;
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}
CP_API void buffer_text(struct buffer *buffer, const char *text);
CP_API void buffer_print(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the shortest text that reads back to the same value. */
CP_API void buffer_double(struct buffer *buffer, double value);
void buffer_float(struct buffer *buffer, float value);
CP_API void buffer_free(struct buffer *buffer);

/* A map from strings to numbers whose cost hostile keys cannot raise. Keys are not copied. */
struct name_slot {
    const char *key;
    uint32_t hash, value;
};
struct name_map {
    cp_context *context;
    struct name_slot *slots;
    uint32_t slot_count, used;
};
/* Returns the address of the key's value, or NULL. */
CP_API uint32_t *name_map_find(const struct name_map *map, const char *key);
uint32_t *name_map_find_sized(const struct name_map *map, const char *key, size_t size);
/* Returns the address of the key's value, and adds the key with `value` if it was absent (then *added is true; `added`
 * may be NULL). NULL if out of memory. */
CP_API uint32_t *name_map_add(struct name_map *map, const char *key, uint32_t value, bool *added);
CP_API void name_map_free(struct name_map *map);

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* True if the text ends in the suffix, in any case. */
CP_API bool text_ends_nocase(const char *text, const char *suffix);
/* Returns the length of the UTF-8 character at the start of size bytes (at least 1); 0 when it is not well-formed, or
 * NUL. */
CP_API size_t utf8_length(const char *bytes, size_t size);

/* ---- members ---- */

/* Rows of a table of a scene, or those that one row has. A caller may let `rows` point to changed copies. */
typedef struct cp_rows {
    const char *word; /* names one of them, such as "joint"; NULL if a row has them */
    const char *list; /* names those that stand beside frames and joints, such as "loops"; else NULL */
    const void *rows;
    uint32_t count;
    bool plain;         /* each is one value without a name */
    bool single;        /* a record: one row at most, and no list */
    const void *layout; /* private */
} cp_rows;

/* The rows of a table. word: what one of them is called, which must be one of the library's words. */
CP_API cp_rows cp_rows_of(const cp_scene *scene, const char *word);
/* The next table that is a list; rows: all zero at first. False if there is none. */
CP_API bool cp_next_list(const cp_scene *scene, cp_rows *rows);

/* The name of a row of a table, or its id; NULL if it has neither. */
CP_API const char *cp_row_name(const cp_rows *rows, uint32_t row);

typedef enum cp_member_kind {
    CP_MEMBER_TEXT,    /* text, perhaps NULL */
    CP_MEMBER_WORD,    /* text: of an enumeration */
    CP_MEMBER_ROW,     /* row of a table, or CP_NONE; text: its name, or NULL */
    CP_MEMBER_NUMBERS, /* count numbers; an infinite one is no limit */
    CP_MEMBER_WHOLE,   /* whole */
    CP_MEMBER_FLAG,    /* whole: 0 or 1 */
    CP_MEMBER_ROWS     /* rows */
} cp_member_kind;

typedef struct cp_member {
    const char *name; /* NULL in plain rows */
    const char *unit; /* NULL: none, or one that depends on the row */
    cp_member_kind kind;
    const char *text;
    uint32_t row;
    const char *table; /* the word for that row */
    const double *numbers;
    size_t count;
    uint64_t whole;
    cp_rows rows;
    const void *at; /* private */
} cp_member;

/* The members that `info --json` or `diff` show by this walk; for others they have code of their own. For `diff` all
 * rows of a table have the same members. */
enum { CP_IN_INFO = 8, CP_IN_DIFF = 16 };

/* The next member of a row; member: all zero at first. False if there is none. */
CP_API bool cp_next_member(const cp_scene *scene, const cp_rows *rows, uint32_t row, unsigned in, cp_member *member);

/* Libraries of others that are loaded when a file first needs them (process/library.c). FUNCTIONS(X) is a macro that
 * names their functions, as X(first) X(second). */

struct late_library {
    const char *file;
    const char *const *names;
    void *functions; /* a struct of pointers to functions, in the order of the names */
    size_t count;
    size_t room; /* bytes that its loading takes at most, if it is C++ or needs libstdc++: without them its
                  * constructors, or the loader, end the process */
    bool is_loaded;
};

#define LATE_POINTER(name) __typeof__(&(name)) name;
#define LATE_NAME(name) #name,
/* Declares `struct NAME_functions`. */
#define LATE_FUNCTIONS(name, FUNCTIONS)                                                                                \
    struct name##_functions {                                                                                          \
        FUNCTIONS(LATE_POINTER)                                                                                        \
    }
/* Defines `struct NAME_functions NAME`, which is called as NAME.first(...), and `NAME_library`. */
#define LATE_LIBRARY(name, file, room, FUNCTIONS)                                                                      \
    struct name##_functions name;                                                                                      \
    static const char *const name##_names[] = {FUNCTIONS(LATE_NAME)};                                                  \
    static struct late_library name##_library = {                                                                      \
        file, name##_names, &name, sizeof name##_names / sizeof *name##_names, room, false}

/* Sets the library's functions, at the first call. Any thread may call it. CP_LIMIT if that fails: the file is
 * not at fault. */
CP_API cp_status library_load(cp_context *context, struct late_library *library);

#ifdef __cplusplus
}
#endif
#endif
