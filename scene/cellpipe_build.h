/* The header for hosts that bring their own data to cellpipe: scenes that they build, files from their own store,
 * importers, exporters and filters of their own.
 * Unstable: what this header declares may change with any version, and cellpipe.h says what holds for both. */
#ifndef CELLPIPE_BUILD_H
#define CELLPIPE_BUILD_H

#include "cellpipe.h"

#if defined(__GNUC__)
#define CP_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define CP_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a scene of one's own ---------------------------------------------------------------------------- */

/* Makes a scene that has its world, node 0, alone. NULL when out of memory. Its rows are added by the functions below;
 * then cp_scene_finish makes it one that all other functions take:
 *
 *     cp_scene *scene = cp_scene_new(context);
 *     cp_node link = cp_new_node();
 *     link.name = "link";
 *     link.parent = 0;
 *     uint32_t node = cp_add_node(scene, &link);
 *     ... cp_add_mesh, cp_add_instance, cp_add_joint ...
 *     cp_status status = cp_scene_finish(scene);
 */
CP_API cp_scene *cp_scene_new(cp_context *context);

/* A row with its defaults: no parent and no limits, the identity, a joint that is driven and turns about Z, a matt
 * white material. An instance is drawn and collides. */
CP_API cp_node cp_new_node(void);
CP_API cp_mesh cp_new_mesh(void);
CP_API cp_image cp_new_image(void);
CP_API cp_texture cp_new_texture(void);
CP_API cp_material cp_new_material(void);
CP_API cp_joint cp_new_joint(void);
CP_API cp_loop cp_new_loop(void);
CP_API cp_device cp_new_device(void);
CP_API cp_pair cp_new_pair(void);
CP_API cp_clip cp_new_clip(void);
CP_API cp_metadata_entry cp_new_metadata(void);
CP_API cp_instance cp_new_instance(uint32_t node, uint32_t mesh);

/* Adds a copy of a row, and of all that it points to. Returns its index, or CP_NONE when out of memory, or over a
 * limit, which the report tells. An absent name is "", of a joint its node's; an absent id is made of the name when the
 * scene is finished. A parent comes before its children; the instances of a node are added one after the other, and so
 * are its joints, in the order of their nodes ("build-order"). What else rows refer to may come later. The members
 * first_instance, instance_count, first_joint and joint_count of nodes are counted here. */
CP_API uint32_t cp_add_node(cp_scene *scene, const cp_node *row);
CP_API uint32_t cp_add_instance(cp_scene *scene, const cp_instance *row);
CP_API uint32_t cp_add_mesh(cp_scene *scene, const cp_mesh *row);
CP_API uint32_t cp_add_image(cp_scene *scene, const cp_image *row);
CP_API uint32_t cp_add_texture(cp_scene *scene, const cp_texture *row);
CP_API uint32_t cp_add_material(cp_scene *scene, const cp_material *row);
CP_API uint32_t cp_add_joint(cp_scene *scene, const cp_joint *row);
CP_API uint32_t cp_add_loop(cp_scene *scene, const cp_loop *row);
CP_API uint32_t cp_add_device(cp_scene *scene, const cp_device *row);
CP_API uint32_t cp_add_pair(cp_scene *scene, const cp_pair *row);
CP_API uint32_t cp_add_clip(cp_scene *scene, const cp_clip *row);
CP_API uint32_t cp_add_metadata(cp_scene *scene, const cp_metadata_entry *row);
/* Puts a copy of a row in the place of row `index`, with all that it points to; start from the row that is there.
 * CP_USAGE if there is none ("build-row"), or an instance or a joint would change its node ("build-order"); CP_LIMIT if
 * out of memory. Finish the scene afterwards. */
CP_API cp_status cp_set_node(cp_scene *scene, uint32_t index, const cp_node *row);
CP_API cp_status cp_set_instance(cp_scene *scene, uint32_t index, const cp_instance *row);
CP_API cp_status cp_set_mesh(cp_scene *scene, uint32_t index, const cp_mesh *row);
CP_API cp_status cp_set_image(cp_scene *scene, uint32_t index, const cp_image *row);
CP_API cp_status cp_set_texture(cp_scene *scene, uint32_t index, const cp_texture *row);
CP_API cp_status cp_set_material(cp_scene *scene, uint32_t index, const cp_material *row);
CP_API cp_status cp_set_joint(cp_scene *scene, uint32_t index, const cp_joint *row);
CP_API cp_status cp_set_loop(cp_scene *scene, uint32_t index, const cp_loop *row);
CP_API cp_status cp_set_device(cp_scene *scene, uint32_t index, const cp_device *row);
CP_API cp_status cp_set_pair(cp_scene *scene, uint32_t index, const cp_pair *row);
CP_API cp_status cp_set_clip(cp_scene *scene, uint32_t index, const cp_clip *row);
CP_API cp_status cp_set_metadata(cp_scene *scene, uint32_t index, const cp_metadata_entry *row);
/* Gives the scene the rows of `other` in place of its own, and frees `other`. The scene keeps its source. CP_USAGE,
 * with nothing done, unless both are scenes of one context and differ. */
CP_API cp_status cp_scene_replace(cp_scene *scene, cp_scene *other);
/* Says that pairs of frames that cannot move against each other are not checked for collision; at first they are. */
CP_API void cp_exclude_static_pairs(cp_scene *scene, bool excluded);

/* Gives ids to rows without one and checks all invariants. CP_USAGE, with the first broken one in the report
 * ("scene-invalid"): then only cp_scene_free may have the scene. */
CP_API cp_status cp_scene_finish(cp_scene *scene);

/* ---- files from the host's own store --------------------------------------------------------------- */

typedef struct cp_opener {
    size_t size; /* set by the caller */
    /* Gives the bytes of the file at a path: the one that cp_read was told, or one that a file names. Returns CP_OK,
     * CP_NO if there is no such file (another spelling or folder is tried then), or any other status, with which the
     * read ends. It makes no calls with the context. */
    cp_status (*open)(void *user, const char *path, const void **bytes, size_t *count);
    /* Takes bytes back that `open` gave, once they are copied; NULL: nothing is to be done. */
    void (*release)(void *user, const void *bytes, size_t count);
    void *user;
} cp_opener;
/* Has all files that are read come from the opener in place of the disk; NULL: from the disk again. Paths are joined
 * as they are for files on the disk ("robots/arm.wu" names "links/a.stl": "robots/links/a.stl"), but the host alone
 * decides what may be read: CP_FLAG_CONFINE means nothing. CP_USAGE without a size. */
CP_API cp_status cp_set_opener(cp_context *context, const cp_opener *opener);

/* ---- importers, exporters and filters of the host's own ----------------------------------------------- */

/* A registered plug-in belongs to one context, and works there as a built-in one does: found by name, suffix and probe,
 * with options, packed and zipped files, losses, CP_FLAG_STRICT and limits. The built-in ones come first. Structs and
 * tables of options are copied; all else that they point to stays the host's and outlives the context.
 *
 * Registering is CP_USAGE if a function is missing ("plugin-function"), the name is taken in its kind ("plugin-taken"),
 * or anything is spelled wrongly: a name has 1 to 31 of a-z, 0-9, - and _ ("plugin-name"); suffixes begin with a point,
 * are in lower case and parted by blanks ("plugin-suffixes"); options have such names too, and lie within the settings
 * ("plugin-option"). CP_LIMIT if out of memory. In both cases nothing is registered. It is allowed at any time, also in
 * a function of the host's: the call that goes on keeps to what it has chosen.
 *
 * The functions are called in the calling thread, one at a time, while the call of the library goes on. They return
 * CP_OK, or report an error and return CP_USAGE, CP_INPUT, CP_OUTPUT, CP_LOSSY, CP_LIMIT, or the CP_CANCELLED of a call
 * that they made. A failure without an error in the report gets one ("plugin-failed"); another status is CP_USAGE
 * ("plugin-status"). If a function leaves a scene broken, the call ends with CP_USAGE ("scene-invalid").
 *
 * They may make calls with the context and its scenes, but for those that the library is at work for: an importer does
 * not call cp_read, nor an exporter cp_write or cp_write_file, and no function clears the report. */

/* An error in the report, about a line (from 1; 0: none) of a file; file NULL: the one that is read or written, or the
 * filter. code: lower-case words with hyphens, beginning with the plug-in's name. Returns status. */
CP_API cp_status cp_report_error(cp_context *context, cp_status status, const char *code, const char *file,
                                 uint64_t line, const char *format, ...) CP_PRINTF(6, 7);
/* Adds any entry: its severity, code, file, line, column, node and count are the entry's, its text is printed. Equal
 * losses add up their counts. */
CP_API void cp_report_entry(cp_context *context, const cp_entry *entry, const char *format, ...) CP_PRINTF(3, 4);

/* Reads a decimal number at the start of [text, end), in any locale. Returns its end, or NULL if none starts there. A
 * number too large is infinite. */
CP_API const char *cp_parse_number(const char *text, const char *end, double *value);

/* A file that an importer reads. */
typedef struct cp_input cp_input;
/* Returns all bytes, unpacked. A NUL follows the last one. They are valid as long as the input. */
CP_API const char *cp_input_bytes(const cp_input *input, size_t *count);
/* Returns the name for messages. */
CP_API const char *cp_input_name(const cp_input *input);
/* Returns the line of a byte, from 1, by counting: for messages alone. */
CP_API uint64_t cp_input_line(const cp_input *input, size_t offset);
/* These two are options that every importer has. Strict: what breaks the format's rules is an error, even if its
 * meaning is clear. Partial: what a truncated file holds is kept. */
CP_API bool cp_input_is_strict(const cp_input *input);
CP_API bool cp_input_is_partial(const cp_input *input);
/* Opens a further file that the input names by a path with '/' between folders, or by a URI: from where built-in
 * importers find theirs, under the same limits. CP_NO, without a message, if there is none. Close what is opened before
 * the importer returns. */
CP_API cp_status cp_input_open(const cp_input *input, const char *name, cp_input **further);
CP_API void cp_input_close(cp_input *further);
/* Reads such a file as a scene of its own, which the caller frees: by the importer that `format` names, or NULL: its
 * bytes decide. CP_NO as above. cp_merge puts it into the importer's scene, and cp_set_node puts its root in place;
 * each merge takes time for all that the scene has. */
CP_API cp_status cp_input_read(const cp_input *input, const char *name, const char *format, cp_scene **scene);

/* An importer. Members that are not set are zero. */
typedef struct cp_importer {
    size_t size; /* set by the caller */
    const char *name, *title;
    const char *version;      /* see cp_plugin_info; NULL: "1" */
    const cp_option *options; /* or NULL */
    size_t settings_size;     /* bytes of the settings: a struct of the host's that the options fill */
    void *user;               /* handed to its functions */
    const char *suffixes;     /* ".pts .points"; NULL: none */
    /* Returns how sure the first bytes (64 KiB at most) of a file of file_size bytes make it that the file is of this
     * format: 0 not .. 100 sure. Below 50 is a guess, which loses to the importer of the suffix unless that one returns
     * 0. NULL: the suffix or the name alone decides. */
    int (*probe)(void *user, const void *head, size_t count, uint64_t file_size);
    const char *sign; /* names the mark that the probe searches for, in the message about an unknown file; or NULL */
    bool isolated;    /* under CP_FLAG_ISOLATE it reads in a process of its own; else always in this one */
    bool is_cell;     /* its frames and joints are worth having without geometry, too */
    /* Fills the scene, which has its world alone, by cp_add_... . The library finishes it. */
    cp_status (*read)(void *user, cp_context *context, const cp_input *input, const void *settings, cp_scene *scene);
} cp_importer;
CP_API cp_status cp_register_importer(cp_context *context, const cp_importer *importer);

/* A file that an exporter writes. It keeps its first error; all functions return it, as the library asks for it in the
 * end. Files are put in place after the exporter has returned CP_OK, packed if the user asked for it. */
typedef struct cp_output cp_output;
CP_API cp_status cp_output_write(cp_output *output, const void *bytes, size_t count);
CP_API cp_status cp_output_text(cp_output *output, const char *text);
/* Writes the shortest text that reads back to the same number, in any locale. */
CP_API cp_status cp_output_number(cp_output *output, double number);

/* An exporter. Members that are not set are zero. */
typedef struct cp_exporter {
    size_t size; /* set by the caller */
    const char *name, *title, *version;
    const cp_option *options;
    size_t settings_size;
    void *user; /* so far as in cp_importer */
    const char *suffixes;
    /* CP_FEATURE_...: all else that a scene has is reported as lost. Without n-gons or primitives, `write` gets
     * triangles or faces in their place. A list about the scene, which is no copy of it, carries CP_FEATURE_ALL. */
    uint32_t carries;
    uint32_t
        shows; /* CP_USE_... of the meshes that people see; if there are none, that is a loss. 0: none are needed */
    cp_status (*write)(void *user, cp_context *context, const cp_scene *scene, const void *settings, cp_output *output);
} cp_exporter;
CP_API cp_status cp_register_exporter(cp_context *context, const cp_exporter *exporter);

/* A filter. Members that are not set are zero. */
typedef struct cp_filter {
    size_t size; /* set by the caller */
    const char *name, *title, *version;
    const cp_option *options;
    size_t settings_size;
    void *user; /* so far as in cp_importer */
    /* Changes the scene, a copy that is thrown away on failure: by cp_set_..., cp_add_..., cp_merge, or cp_apply of
     * other filters; or it builds another one by cp_scene_new and hands that to cp_scene_replace. The library finishes
     * it. */
    cp_status (*apply)(void *user, cp_context *context, cp_scene *scene, const void *settings);
} cp_filter;
CP_API cp_status cp_register_filter(cp_context *context, const cp_filter *filter);

#ifdef __cplusplus
}
#endif
#endif
