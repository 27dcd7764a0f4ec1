/* The excluded pairs of a scene by the names of links, sorted, for lists of planners and simulators. */
#ifndef CELLPIPE_EXPORTERS_LINK_PAIRS_H
#define CELLPIPE_EXPORTERS_LINK_PAIRS_H

#include "base/bytes/bytes.h"
#include "model/model.h"

struct link_pair {
    const char *names[2]; /* the one that comes first by its bytes is first */
    uint32_t nodes[2];    /* in the same order */
    uint32_t pair;        /* the scene's first pair with these names */
};

struct link_pairs {
    struct arena *arena;
    const char **links; /* indexed by node: its name in the list */
    uint32_t *owners;   /* indexed by node: the link that has this name, or the node itself */
    struct link_pair *items;
    uint32_t count;
    bool *listed, *outdated; /* indexed by the scene's pair: the list excludes it; its finding no longer holds */
};

/* How a list calls nodes: by the link that carries their geometry, the same as MODEL::LINK, or by their own names. */
enum list_names { LINK_NAMES, MODEL_NAMES, FRAME_NAMES };

/* Returns the size of the "MODEL::" before a node's name. */
size_t model_prefix_size(const cp_scene *scene, uint32_t node, const char *model);
/* Reports as lost that all static pairs are excluded as a whole, for a list of pairs alone. */
void report_static_pairs(cp_context *context, const cp_scene *scene);

/* Lists carry pairs alone. */
uint32_t link_carries(const void *settings);
/* The settings of a list that has no others. */
struct link_settings {
    bool evidence;
};
/* The option of such a list. */
extern const cp_option link_options[];

struct link_list {
    const char *format;
    enum list_names names;
    const char *model; /* the option takes one of MODEL_NAMES; NULL: each link's device */
    bool evidence;
    cp_status (*write_list)(struct link_pairs *pairs, cp_context *context, const cp_scene *scene, struct sink *sink,
                            const void *user);
    const void *user;
};
/* Finds the pairs, writes the list, and beside it evidence if it is wanted. What a list of names cannot have is a
 * loss. */
cp_status link_list_write(const struct link_list *list, cp_context *context, const cp_scene *scene, struct sink *top);

/* Writes an element with the names of a pair as attributes. Returns what sink_markup does. */
size_t sink_pair(struct sink *sink, const char *element, const char *const attributes[2], const char *const names[2]);
/* Reports characters of names as lost that XML cannot hold, if there are any. */
void report_characters(cp_context *context, const char *code, uint64_t count);

/* Tells whether an XML comment may hold the text. */
bool comment_holds(const char *text, size_t size);
/* Writes a blank, a name and a value in quotes, as in an XML tag. Returns what sink_markup does. */
size_t sink_attribute(struct sink *sink, const char *name, const char *value);

#endif
