/* Makes the page of a report. Its data is JSON:
 *
 *     {"title":"web","folder":".gallery/","report":{...},"rows":[[IN,OUT,STATE,KEY,HAS,TRIANGLES_IN,TRIANGLES_OUT,
 *      BYTES_IN,BYTES_OUT,MS,ERROR,[LOSS,...],[WARNING,...]],...]}
 *
 * "report" is what report --json prints, without the lists of copies. STATE is that of the record; "gone" if the output
 * is not there any more, "missing" if there is no record. KEY is 32 hexadecimal digits, which are those of all outputs
 * of the same bytes; "": none. HAS is 1 if there is a model, and 2 more if there is a picture. A byte XX that is not
 * UTF-8 is \udcXX. page/rows.js reads it. */
#include "page.h"

struct page_rows {
    cp_json json;
    const struct summary *summary;
    const struct page_request *request;
};

static void put_texts(cp_json *json, const struct list *texts)
{
    cp_json_open(json, NULL, '[');
    for (size_t i = 0; i < texts->count; i++)
        cp_json_text(json, NULL, texts->items[i]);
    cp_json_close(json, ']');
}

static void put_row(cp_json *json, const char *in, const char *state, const struct record *record,
                    const struct page_part *part, double ms)
{
    const uint64_t counts[] = {record->triangles_in, record->triangles_out, record->bytes_in, record->bytes_out};
    cp_json_open(json, NULL, '[');
    cp_json_text(json, NULL, in);
    cp_json_text(json, NULL, record->out);
    cp_json_text(json, NULL, state);
    cp_json_text(json, NULL, part->key);
    cp_json_count(json, NULL, part->has_model + 2u * part->has_picture);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cp_json_count(json, NULL, counts[i]);
    cp_json_number(json, NULL, ms);
}

static cp_status add_page_row(void *user, const struct state_row *row)
{
    struct page_rows *rows = user;
    const struct record *record = &row->record;
    struct page_part part = {.key = ""};
    cp_status status = rows->request->find_part ? rows->request->find_part(rows->request->user, record, &part) : CP_OK;
    put_row(&rows->json, row->in, part.is_gone ? "gone" : state_names[record->state], record, &part,
            rows->summary->scope->no_times ? 0 : record->ms);
    const char *error = "";
    if (*record->code)
        error = cli_print(rows->summary->cli, "%s: %s", record->code, record->message);
    cp_json_text(&rows->json, NULL, error ? error : "");
    put_texts(&rows->json, &record->losses);
    put_texts(&rows->json, &record->warnings);
    cp_json_close(&rows->json, ']');
    return status;
}

static void add_missing(struct page_rows *rows)
{
    static const struct record none = {.out = ""};
    for (uint32_t i = 0; i < rows->summary->missing_count; i++) {
        put_row(&rows->json, rows->summary->missing[i], "missing", &none, &(struct page_part){.key = ""}, 0);
        cp_json_text(&rows->json, NULL, "");
        put_texts(&rows->json, &none.losses);
        put_texts(&rows->json, &none.warnings);
        cp_json_close(&rows->json, ']');
    }
}

cp_status make_page(const struct summary *summary, struct state *state, const struct page_request *request,
                    void **bytes, size_t *size)
{
    struct buffer data = {.context = summary->cli->context};
    struct page_rows rows = {.json = {.out = &data, .keeps_bytes = true}, .summary = summary, .request = request};
    cp_json_open(&rows.json, NULL, '{');
    cp_json_text(&rows.json, "title", request->title);
    cp_json_text(&rows.json, "folder", request->folder ? request->folder : "");
    cp_json_open(&rows.json, "report", '{');
    put_summary(&rows.json, summary);
    cp_json_close(&rows.json, '}');
    cp_json_open(&rows.json, "rows", '[');
    cp_status status = each_of_scope(state, summary->scope, add_page_row, &rows);
    add_missing(&rows);
    cp_json_close(&rows.json, ']');
    cp_json_close(&rows.json, '}');
    if (status == CP_OK && data.failed)
        status = CP_LIMIT;
    if (status == CP_OK)
        status = cp_page_of_batch(summary->cli->context, request->title, data.data, data.size, bytes, size);
    buffer_free(&data);
    return status;
}
