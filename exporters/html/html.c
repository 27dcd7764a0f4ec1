/* html: one page that shows the cell in a browser, offline. Specification: HTML5; glTF 2.0 inside. Dialects: none.
 *
 * Behaviour and limitations
 * - The page holds a GLB of profile deliver, packed by gzip, and the viewer of page/ with three.js, which the build
 *   embeds. It loads nothing: the policy in its head allows no source but the texts whose hashes it names.
 * - A live page has nothing of the cell; its policy allows it to ask the server that it comes from.
 * - Of the scene's texts the title alone is markup, escaped; names are in the GLB, and the viewer sets them as text.
 * - docs/html.md says what browsers it needs; losses.c knows what three.js r111 does not show. */
#include "../exporters.h"
#include "base/base.h"
#include "base/text/text.h"
#include "collide/list/list.h"
#include "losses.h"
#include "page.h"
#include "view/pixels.h"
#include "view/view.h"

struct html_settings {
    const char *title, *evidence;
    bool clips, edges, live;
    int web;
};
enum { WEB_AUTO, WEB_YES, WEB_NO };

static const cp_option options[] = {
    {"title", "the page's title; unless given, the source's name", CP_OPTION_STRING,
     .offset = offsetof(struct html_settings, title)},
    {"clips", "clips that move all joints and each through their limits, beside the scene's own", CP_OPTION_BOOLEAN,
     offsetof(struct html_settings, clips), .initial = "yes"},
    {"edges", "edges are drawn at first; a button of the page changes it", CP_OPTION_BOOLEAN,
     offsetof(struct html_settings, edges), .initial = "no"},
    {"web", "numbers of the GLB inside: small (glb's web=yes), exact, or small for parts of many triangles (auto)",
     CP_OPTION_CHOICE, offsetof(struct html_settings, web), "auto", .choices = "auto|yes|no"},
    {"live", "a page without a cell, which it gets from the server that it comes from: serve makes it",
     CP_OPTION_BOOLEAN, offsetof(struct html_settings, live), .initial = "no"},
    {"evidence", "shows the pairs of this file, which exclude with --out evidence=yes writes beside its list",
     CP_OPTION_PATH, .offset = offsetof(struct html_settings, evidence)},
    CP_OPTIONS_END,
};

/* ---- what stands in the page ---- */

struct page {
    cp_context *context;
    struct sink *sink;
    const struct html_settings *settings;
    const char *title;
    const void *cell; /* the GLB, packed */
    size_t cell_size;
    const void *picture; /* a PNG, or NULL */
    size_t picture_size;
};

/* Writes bytes as base64, in pieces of a multiple of 3 bytes. */
static void write_base64(struct page *page, const void *bytes, size_t size)
{
    enum { PIECE = 3 << 12 };
    char text[PIECE / 3 * 4];
    for (size_t at = 0; at < size && sink_status(page->sink) == CP_OK; at += PIECE) {
        size_t piece = size - at < PIECE ? size - at : PIECE;
        sink_write(page->sink, text, base64_encode((const char *)bytes + at, piece, text));
    }
}

static char digit(uint32_t value)
{
    return (char)('#' + value + (value >= '<' - '#'));
}

static size_t put_pair(char *text, uint32_t bits)
{
    text[0] = digit((bits & 8191) / 91);
    text[1] = digit((bits & 8191) % 91);
    return 2;
}

/* Writes packed bytes as 91 printable characters, '#' to '~' without '<': 13 bits, the highest first, are two of them,
 * which is 23 % more than the bytes; of base64 it is 33 %. Up to 6 bits that are left over are one. */
static void write_packed(struct page *page, const void *bytes, size_t size)
{
    enum { ROOM = 4096 };
    char text[ROOM];
    size_t used = 0;
    uint32_t bits = 0;
    int held = 0;
    for (size_t at = 0; at < size && sink_status(page->sink) == CP_OK; at++) {
        bits = bits << 8 | ((const unsigned char *)bytes)[at];
        held += 8;
        if (held >= 13) {
            held -= 13;
            used += put_pair(text + used, bits >> held);
        }
        if (used > ROOM - 4) {
            sink_write(page->sink, text, used);
            used = 0;
        }
    }
    if (held > 6)
        used += put_pair(text + used, bits << (13 - held));
    else if (held > 0)
        text[used++] = digit(bits << (6 - held) & 63);
    sink_write(page->sink, text, used);
}

static void write_source(struct page *page, const struct page_part *part)
{
    sink_text(page->sink, " 'sha256-");
    write_base64(page, part->hash, 32);
    sink_text(page->sink, "'");
}

/* A script that another one makes is admitted by the hash of its text as well. Textures are blobs. */
static void write_policy(struct page *page)
{
    sink_text(page->sink, "default-src 'none'; script-src");
    write_source(page, &page_boot);
    write_source(page, &page_code);
    if (page->settings->live)
        write_source(page, &page_live);
    sink_text(page->sink, "; style-src");
    write_source(page, &page_style);
    if (page->settings->live)
        sink_text(page->sink, "; connect-src 'self'");
    sink_text(page->sink, "; img-src blob: data:; base-uri 'none'; form-action 'none'");
}

static void write_title(struct page *page)
{
    (void)sink_markup(page->sink, page->title);
}

static void write_generator(struct page *page)
{
    sink_text(page->sink, "cellpipe " CP_VERSION);
}

static void write_style(struct page *page)
{
    sink_write(page->sink, page_style.bytes, page_style.size);
}

static void write_boot(struct page *page)
{
    sink_write(page->sink, page_boot.bytes, page_boot.size);
}

static void write_code(struct page *page)
{
    write_packed(page, page_code.bytes, page_code.size);
}

static void write_live(struct page *page)
{
    if (page->settings->live)
        write_packed(page, page_live.bytes, page_live.size);
}

static void write_cell(struct page *page)
{
    write_packed(page, page->cell, page->cell_size);
}

static void write_options(struct page *page)
{
    const bool edges = page->settings->edges, live = page->settings->live;
    sink_print(page->sink, "{%s%s%s}", edges ? "\"edges\":true" : "", edges && live ? "," : "",
               live ? "\"live\":true" : "");
}

/* Writes a picture of the cell: it is seen while the page unpacks, and where there are no scripts or no WebGL. */
static void write_picture(struct page *page)
{
    if (!page->picture)
        return;
    sink_text(page->sink, "<img alt=\"a picture of the cell\" src=\"data:image/png;base64,");
    write_base64(page, page->picture, page->picture_size);
    sink_text(page->sink, "\">");
}

static const struct {
    const char *word;
    void (*write)(struct page *page);
} words[] = {{"policy", write_policy}, {"title", write_title},     {"generator", write_generator},
             {"style", write_style},   {"picture", write_picture}, {"code", write_code},
             {"live", write_live},     {"cell", write_cell},     {"options", write_options}, {"boot", write_boot}};

/* Writes the markup with what its words in {{ }} mean. The build has both, so an unknown word is a fault of ours. */
static void write_page(struct page *page)
{
    const char *at = (const char *)page_markup.bytes, *end = at + page_markup.size;
    while (at < end) {
        const char *brace = memchr(at, '{', (size_t)(end - at));
        if (!brace || end - brace < 2 || brace[1] != '{') {
            const char *stop = brace ? brace + 1 : end;
            sink_write(page->sink, at, (size_t)(stop - at));
            at = stop;
            continue;
        }
        sink_write(page->sink, at, (size_t)(brace - at));
        at = brace + 2;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t size = strlen(words[i].word);
            if ((size_t)(end - at) >= size + 2 && memcmp(at, words[i].word, size) == 0 && at[size] == '}') {
                words[i].write(page);
                at += size + 2;
                break;
            }
        }
    }
}

/* ---- the exporter ---- */

/* Returns the title as valid text: the one that is given, else the name of the source or the output. NULL: out of
 * memory. */
static const char *find_title(const cp_scene *scene, const struct html_settings *settings, struct sink *sink,
                              struct arena *arena)
{
    const char *file = cp_scene_source(scene)->file;
    if (settings->live && !settings->title)
        return "Live cell";
    if (settings->title)
        return utf8_from(arena, settings->title, strlen(settings->title), NULL);
    file = text_file_name(file && *file ? file : sink_stem(sink));
    return utf8_from(arena, file, strlen(file), NULL);
}

static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_ALL; /* the exporter glb reports its losses, and losses.c what the page does not show of it */
}

static uint32_t shows(const void *settings)
{
    (void)settings;
    return CP_USE_DRAWN;
}

/* Small numbers save nine tenths of a large part, and little of a cell, which loses its pairs by them. */
static bool is_for_web(const cp_scene *scene, const struct html_settings *settings)
{
    enum { MANY_CORNERS = 300000 };
    uint32_t mesh_count, pair_count;
    uint64_t corners = 0;
    const cp_mesh *meshes = cp_meshes(scene, &mesh_count);
    (void)cp_pairs(scene, &pair_count);
    for (uint32_t i = 0; i < mesh_count; i++)
        corners += meshes[i].corner_count;
#ifdef HAVE_MESHOPT
    if (settings->web == WEB_AUTO)
        return corners >= MANY_CORNERS && pair_count == 0;
#endif
    return settings->web == WEB_YES;
}

/* Draws the picture, where the build can, unless no camera sees all of a scene that large. */
static cp_status draw_picture(cp_context *context, const cp_scene *scene, struct arena *arena, void **picture,
                              size_t *size)
{
    static const char *const size_option[] = {"size=320x240"};
    struct views views;
    if (PNG_PACKAGE)
        return CP_OK;
    cp_status status = views_list(context, scene, arena, &views);
    if (status != CP_OK || views.count == 0)
        return status;
    return write_beside(context, scene, "png", size_option, 1, picture, size);
}

static cp_status write_scene(cp_context *context, const cp_scene *scene, const struct html_settings *own,
                             struct sink *sink)
{
    const char *const glb[] = {"profile=deliver", own->clips ? "clips=auto" : "clips=none", "cameras=auto",
                               is_for_web(scene, own) ? "web=yes" : "web=no"};
    void *cell = NULL, *picture = NULL;
    size_t size = 0, picture_size = 0;
    struct page page = {.context = context, .sink = sink, .settings = own};
    struct arena *arena = arena_new(context);
    page.title = arena ? find_title(scene, own, sink, arena) : NULL;
    cp_status status = page.title ? CP_OK : CP_LIMIT;
    if (status == CP_OK && own->live) {
        write_page(&page);
        arena_free(arena);
        return sink_status(sink);
    }
    if (status == CP_OK)
        status = write_further(context, scene, "glb.gz", glb, sizeof glb / sizeof *glb, &cell, &size);
    if (status == CP_OK)
        status = html_report_losses(context, scene);
    if (status == CP_OK)
        status = draw_picture(context, scene, arena, &picture, &picture_size);
    if (status == CP_OK) {
        page.cell = cell;
        page.cell_size = size;
        page.picture = picture;
        page.picture_size = picture_size;
        write_page(&page);
        status = sink_status(sink);
    }
    memory_free(context, cell, size, 1);
    memory_free(context, picture, picture_size, 1);
    arena_free(arena);
    return status;
}

/* Writes the scene with the pairs of the evidence, if a file is given. */
static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct html_settings *own = settings;
    if (!own->evidence)
        return write_scene(context, scene, own, sink);
    cp_scene *judged = scene_copy(scene);
    cp_status status = judged ? evidence_state(context, judged, own->evidence) : CP_LIMIT;
    if (status == CP_OK)
        status = scene_finish(judged);
    if (status == CP_OK)
        status = write_scene(context, judged, own, sink);
    cp_scene_free(judged);
    return status;
}

#ifdef HAVE_THREE
#define PACKAGE NULL
#else
#define PACKAGE "libjs-three"
#endif

const struct exporter html_exporter = {
    .plugin = {.name = "html",
               .title = "a page that shows the cell in a browser, offline",
               .options = options,
               .settings_size = sizeof(struct html_settings),
               .package = PACKAGE},
    .suffixes = ".html",
    .carries = carries,
    .shows = shows,
    .write = write,
};
