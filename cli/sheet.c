/* sheet: pictures of many files on one, each with its name below. */
#include "plan.h"

#include <string.h>

struct wanted {
    struct request request;
    int64_t columns;
    cp_pixels size;
};

/* Returns the last option of that name among those of the pictures, or NULL. */
static const char *picture_option(const struct request *request, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < request->out.count; i++)
        if (strncmp(request->out.items[i], name, strlen(name)) == 0)
            found = request->out.items[i] + strlen(name);
    return found;
}

/* Checks the words; the last one becomes the output, *count how many inputs there are. */
static cp_status check_words(struct cli *cli, struct wanted *wanted, size_t *count, const char **out)
{
    struct request *request = &wanted->request;
    const struct list *words = &request->words;
    *count = words->count > 0 ? words->count - 1 : 0;
    if (*count == 0)
        return complain(cli, CP_USAGE, "sheet needs inputs and an output: cellpipe sheet IN... OUT.png");
    if (*count > UINT16_MAX)
        return complain(cli, CP_USAGE, "a sheet has at most %d pictures", UINT16_MAX);
    *out = words->items[*count];
    size_t png = plugin_named(CP_EXPORTER, "png");
    const char *format = request->to ? exporter_named(request->to) : NULL;
    if (exporter_for(format, *out) != png)
        return complain(cli, CP_USAGE, "%s: the output, the last word, needs the suffix .png", *out);
    if (picture_option(request, "size="))
        return complain(cli, CP_USAGE, "size=: the pictures of a sheet have the size that --size says");
    cp_status status = CP_OK;
    for (size_t i = 0; i < request->out.count && status == CP_OK; i++)
        if (!plugin_has(CP_EXPORTER, png, request->out.items[i], &(cp_option_info){0}))
            status = check_place(cli, (struct option_places){false, true, png}, "png", request->out.items[i]);
    if (status != CP_OK)
        return status;
    status = cp_check_options(cli->context, CP_EXPORTER, "png", request->out.items, request->out.count);
    if (status != CP_OK)
        flush_report(cli, status);
    return status;
}

/* Reads the background of the pictures, which is that of the sheet, too. */
static cp_status read_background(struct cli *cli, const struct request *request, cp_colour *background)
{
    static const cp_option option = {.name = "background", .type = CP_OPTION_COLOUR};
    cp_option_info info = {.size = sizeof info};
    const char *text = picture_option(request, "background=");
    if (!text && plugin_has(CP_EXPORTER, plugin_named(CP_EXPORTER, "png"), "background=", &info))
        text = info.default_value;
    return cp_option_read(cli->context, &option, text, background);
}

static bool has_no_memory(const struct cli *cli)
{
    size_t count;
    const cp_entry *entries = cp_report(cli->context, &count);
    return count > 0 && strcmp(entries[count - 1].code, "out-of-memory") == 0;
}

/* Reads one input and draws it; *png is NULL if that fails. CP_LIMIT if memory ran out, CP_CANCELLED after a signal;
 * all else that fails concerns this input alone. The losses of the picture are not told: nobody expects a sheet to hold
 * joints. */
static cp_status draw(struct cli *cli, const struct plan_step *read, const struct list *options, void **png,
                      size_t *size)
{
    cp_scene *scene = NULL;
    *png = NULL;
    cp_status status =
        cp_read(cli->context, read->name, read->format, read->options.items, read->options.count, &scene);
    bool ended = has_no_memory(cli);
    status = finish_read(cli, status, &scene);
    if (status == CP_OK) {
        status = cp_write_memory(cli->context, scene, "png", options->items, options->count, png, size);
        ended = has_no_memory(cli);
    }
    cp_scene_free(scene);
    if (status == CP_OK)
        cp_report_clear(cli->context);
    flush_report(cli, status);
    return ended ? CP_LIMIT : must_stop(NULL) ? CP_CANCELLED : CP_OK;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Draws all; *failed counts inputs that could not be read or drawn. */
static cp_status draw_all(struct cli *cli, const struct request *request, struct plan *plan, size_t count,
                          cp_sheet *sheet, size_t *failed)
{
    cp_status status = CP_OK;
    for (size_t i = 0; i < count && status == CP_OK; i++) {
        const char *path = request->words.items[i];
        void *png = NULL;
        size_t size = 0;
        plan->count = 0;
        status = add_read(cli, plan, path, request->from, request->in);
        if (status == CP_OK)
            status = draw(cli, &plan->steps[0], &request->out, &png, &size);
        if (status == CP_OK)
            status = cp_sheet_add(sheet, png, size, file_name(path));
        *failed += !png;
        cp_free(cli->context, png, size);
    }
    return status;
}

static cp_status command_sheet(struct cli *cli)
{
    struct wanted wanted = {0};
    size_t count = 0, failed = 0, size = 0;
    const char *out = NULL;
    void *bytes = NULL;
    cp_sheet *sheet = NULL;
    struct plan plan;
    cp_sheet_layout layout = {0};
    cp_status status = sort_words(cli, 1, cli->words.count, &sheet_command, &wanted);
    if (status == CP_OK)
        status = check_words(cli, &wanted, &count, &out);
    if (status == CP_OK)
        status = read_background(cli, &wanted.request, &layout.background);
    if (status != CP_OK)
        return status;
    layout.count = (uint32_t)count;
    layout.columns = (uint32_t)wanted.columns;
    layout.width = wanted.size.width;
    layout.height = wanted.size.height;
    const char *option = cli_print(cli, "size=%lux%lu", (unsigned long)layout.width, (unsigned long)layout.height);
    if (!option || !list_add(cli, &wanted.request.out, option) || !plan_open(cli, &plan, 1))
        return CP_LIMIT;
    status = cp_expect_output(cli->context, out);
    if (status == CP_OK)
        status = cp_sheet_new(cli->context, &layout, &sheet);
    if (status == CP_OK)
        status = draw_all(cli, &wanted.request, &plan, count, sheet, &failed);
    if (status == CP_OK)
        status = cp_sheet_end(sheet, &bytes, &size);
    if (status == CP_OK)
        status = cp_write_file(cli->context, out, bytes, size);
    cp_free(cli->context, bytes, size);
    cp_sheet_free(sheet);
    flush_report(cli, status);
    return status == CP_OK && failed > 0 ? CP_NO : status;
}

static const cp_option options[] = {
    {"--columns", "so many pictures in a row; 0: as many as make the sheet about square", CP_OPTION_INTEGER,
     offsetof(struct wanted, columns), "0", .minimum = 0, .maximum = 65500},
    {"--size", "width and height of each picture", CP_OPTION_PIXELS, offsetof(struct wanted, size), "256x192",
     .minimum = 1, .maximum = 16384},
    {0}};

const struct command sheet_command = {
    .name = "sheet",
    .title = "draw many files on one picture",
    .usage = "IN... OUT.png [--columns N] [--size WxH]",
    .help = "Draws each input as the format png does, with its file name below. --out gives options of png to all "
            "pictures, such as view=front, edges=yes or background=none. An input that cannot be read gets a cross; "
            "the exit code is then 1. What pictures do not hold is no loss here.",
    .examples =
        "cellpipe sheet samples/*.stl sheet.png\n"
        "cellpipe sheet samples/demo.wu samples/tag_arm.wu sheet.png --columns 2 --size 400x300 --out edges=yes",
    .options = options,
    .reads = true,
    .writes = true,
    .run = command_sheet};
