/* The evidence beside a list of exclusions (docs/exclusion.md): what is known of all pairs of the scene. */
#ifndef CELLPIPE_EXPORTERS_EVIDENCE_H
#define CELLPIPE_EXPORTERS_EVIDENCE_H

#include "base/bytes/bytes.h"
#include "model/model.h"

/* The option of all lists; at: the offset of a bool in their settings. */
#define EVIDENCE_OPTION(at)                                                                                            \
    {                                                                                                                  \
        "evidence", "all that is known of all pairs, as JSON in a further file OUT.json", CP_OPTION_BOOLEAN, (at),     \
            .initial = "no"                                                                                            \
    }

/* A further file of the list, and what its names lack. */
struct evidence_file {
    const char *name, *prefix;
};

/* This is what a list says. Its arrays have one value for each pair of the scene. */
struct evidence {
    cp_context *context;
    const cp_scene *scene;
    struct arena *arena;  /* memory for the work */
    const char *format;   /* the list has this one; NULL: a setup, described from `outdated` on */
    const bool *listed;   /* pairs that the list excludes */
    const bool *outdated; /* pairs whose finding no longer holds */
    const bool *unnamed;  /* pairs that <ExcludeStaticPairs/> excludes without names; NULL: none */
    bool static_element;  /* <ExcludeStaticPairs/> is written */
    const char *prefix;   /* what the names in the list lack */
    const struct evidence_file *files;
    uint32_t file_count;
};

/* Call it before anything is written. If evidence is wanted, a stream as output is CP_USAGE; if not, older evidence
 * beside the output is a warning. */
cp_status evidence_expect(cp_context *context, struct arena *arena, const struct sink *top, bool wanted);
/* Writes the file beside the list. */
cp_status evidence_write(const struct evidence *list, struct sink *top);

#endif
