/* The page of a report: report --html, and the index of a gallery. */
#ifndef CELLPIPE_CLI_PAGE_H
#define CELLPIPE_CLI_PAGE_H

#include "summary.h"

/* A gallery knows this of an output: a key of its bytes, and which files it has of it. */
struct page_part {
    const char *key; /* "": none */
    bool is_gone;    /* its files are not as they were written */
    bool has_model, has_picture;
};

struct page_request {
    const char *title;
    const char *folder; /* of pictures and models below the page's folder: ".gallery/"; NULL: there are none */
    /* Fills the part of a row; NULL: none has any. */
    cp_status (*find_part)(void *user, const struct record *record, struct page_part *part);
    void *user;
};

/* Makes the page of what the summary has and of all rows of its scope. *bytes as of cp_write_memory. */
cp_status make_page(const struct summary *summary, struct state *state, const struct page_request *request,
                    void **bytes, size_t *size);

#endif
