/* Facets as text. */
#include <string.h>

#include "stl.h"

static inline char *put_words(char *out, const char *words)
{
    size_t size = strlen(words);
    memcpy(out, words, size);
    return out + size;
}

static char *put_numbers(char *out, const float vector[3])
{
    for (int i = 0; i < 3; i++) {
        *out++ = ' ';
        out += print_float(vector[i], out);
    }
    *out++ = '\n';
    return out;
}

/* A vertex is a corner of several facets, most of them near each other: its numbers are printed once for those. */
static char *put_vertex(char *out, uint32_t vertex, const float *positions, struct vertex_texts texts)
{
    struct vertex_text *known = &texts.texts[vertex & (texts.count - 1)];
    if (known->vertex == vertex) {
        memcpy(out, known->text, sizeof known->text);
    } else {
        known->vertex = vertex;
        known->size = (uint8_t)(put_numbers(out, positions + 3 * (size_t)vertex) - out);
        memcpy(known->text, out, sizeof known->text);
    }
    return out + known->size;
}

char *stl_put_ascii_facet(char *out, const struct facet *facet, const float *positions, struct vertex_texts texts)
{
    out = put_numbers(put_words(out, "  facet normal"), facet->normal);
    out = put_words(out, "    outer loop\n");
    for (int i = 0; i < 3; i++)
        out = put_vertex(put_words(out, "      vertex"), facet->vertices[i], positions, texts);
    return put_words(out, "    endloop\n  endfacet\n");
}
