/* Bytes out: a file that appears whole or not at all, a pipe, standard output or memory; gzip by suffix. */
#ifndef CELLPIPE_SINK_H
#define CELLPIPE_SINK_H

#include "../memory.h"
#include "../report.h"

struct sink;

/* Writing never fails at once: the first error is kept and returned by sink_status and sink_close. */
void sink_write(struct sink *sink, const void *bytes, size_t size);
void sink_text(struct sink *sink, const char *text);
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sink_float(struct sink *sink, float value);   /* shortest exact text */
void sink_double(struct sink *sink, double value); /* shortest exact text */
/* Text between tags or in quotes of XML or HTML, escaped. Returns how many characters became U+FFFD, which XML does not
 * have: control characters, U+FFFE, U+FFFF. */
size_t sink_markup(struct sink *sink, const char *text);
cp_status sink_status(const struct sink *sink);

/* The output's name without folders and suffixes ("out/cell.wrl.gz" -> "cell"); "out" for standard output and memory.
 * Bytes as the system has them, perhaps not UTF-8. */
const char *sink_stem(const struct sink *sink);
/* The output's file name without folders ("cell.gltf"). */
const char *sink_file_name(const struct sink *sink);
/* Nothing can lie beside it. */
bool sink_is_stream(const struct sink *top);
/* CP_USAGE, reported, when the top output is a stream: to be asked before anything is written. */
cp_status sink_expect_further(const struct sink *top);
/* Whether a file of this name lies beside the top output already. */
bool sink_has_beside(const struct sink *top, const char *name);
/* A further output beside the top one; relative may hold one folder ("d_Robot/part.wrl"), made as needed, and must
 * be safe already. CP_USAGE when the top output is a stream. The top sink owns it: sink_close_further ends it. */
cp_status sink_open(struct sink *top, const char *relative, struct sink **opened);
/* A safe, so far unused name for a further output: letters, digits, - and _ of `wanted`, cut at 200, no difference
 * by case alone; "_2", "_3" appended where needed, then the suffix. In the context's memory as long as the sink. */
const char *sink_safe_name(struct sink *top, const char *wanted, const char *suffix);
cp_status sink_close_further(struct sink *sink);

/* Packs by gzip, if the name has not asked for it already; before anything is written. */
cp_status sink_pack(struct sink *sink);

/* For write.c. path "-": standard output. */
cp_status sink_open_top(cp_context *context, const char *path, struct sink **opened);
cp_status sink_open_memory(cp_context *context, struct sink **opened);
/* Ends the whole output: puts all files in place when status is CP_OK and nothing failed, else removes all traces. */
cp_status sink_close(struct sink *sink, cp_status status);
/* As sink_close for memory; the bytes become the caller's. */
cp_status sink_close_memory(struct sink *sink, cp_status status, void **bytes, size_t *size);

#endif
