/* html: one page that shows the cell in a browser, offline. Specification: HTML5; glTF 2.0 inside. Dialects: none.
 *
 * Behaviour and limitations
 * - The page holds a GLB of profile deliver, packed by gzip, and the viewer of page/ with three.js, which the build
 *   embeds. It loads nothing: the policy in its head allows no source but the texts whose hashes it names.
 * - A live page has nothing of the cell; its policy allows it to ask the server that it comes from. That of a gallery's
 *   parts gets each from a script, as no browser lets a page of a file read other files.
 * - Of the scene's texts the title alone is markup, escaped; names are in the GLB, and the viewer sets them as text.
 *   page.c writes all pages.
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
    bool clips, edges, live, part;
    int web;
    int64_t most_triangles;
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
    {"part", "a script with the part for a gallery's viewer, and a picture beside it: gallery makes it",
     CP_OPTION_BOOLEAN, offsetof(struct html_settings, part), .initial = "no"},
    {"most-triangles", "with part=yes: of a part of more triangles there is the picture alone", CP_OPTION_INTEGER,
     offsetof(struct html_settings, most_triangles), "1000000", .minimum = 1, .maximum = 1e9},
    {"evidence", "shows the pairs of this file, which exclude with --out evidence=yes writes beside its list",
     CP_OPTION_PATH, .offset = offsetof(struct html_settings, evidence)},
    CP_OPTIONS_END,
};

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
        return pair_count == 0 && (corners >= MANY_CORNERS || settings->part);
#endif
    return settings->web == WEB_YES;
}

/* Draws the picture, where the build can, unless no camera sees all of a scene that large. Those of a gallery lie on
 * cards, light or dark. */
static cp_status draw_picture(cp_context *context, const cp_scene *scene, bool is_part, struct arena *arena,
                              void **picture, size_t *size)
{
    static const char *const of_cell[] = {"size=320x240"}, *const of_part[] = {"size=192x144", "background=none"};
    struct views views;
    if (PNG_PACKAGE)
        return CP_OK;
    cp_status status = views_list(context, scene, arena, &views);
    if (status != CP_OK || views.count == 0)
        return status;
    return write_beside(context, scene, "png", is_part ? of_part : of_cell, is_part ? 2 : 1, picture, size);
}

/* Writes the script that gives a gallery's viewer the part, cellpipe_part("the packed GLB"), or null and why there is
 * none; and the picture. */
static cp_status write_script(const struct html_settings *own, uint64_t triangles, const struct page *page)
{
    enum { MOST_PACKED = 32 << 20 };
    struct sink *sink = page->sink;
    if (triangles > (uint64_t)own->most_triangles || page->cell_size > MOST_PACKED) {
        sink_print(
            sink,
            "cellpipe_part(null,\"This part is too large to be shown here: it has %llu triangles, and %llu bytes "
            "packed.\")\n",
            (unsigned long long)triangles, (unsigned long long)page->cell_size);
    } else {
        sink_text(sink, "cellpipe_part(\"");
        page_write_packed(sink, page->cell, page->cell_size, true);
        sink_text(sink, "\")\n");
    }
    if (!page->picture || sink_is_stream(sink))
        return sink_status(sink);
    const char *name = sink_safe_name(sink, sink_stem(sink), ".png");
    cp_status status = name ? sink_put(sink, name, page->picture, page->picture_size) : CP_LIMIT;
    return status == CP_OK ? sink_status(sink) : status;
}

static cp_status write_scene(cp_context *context, const cp_scene *scene, const struct html_settings *own,
                             struct sink *sink)
{
    const char *const glb[] = {"profile=deliver", own->clips ? "clips=auto" : "clips=none", "cameras=auto",
                               is_for_web(scene, own) ? "web=yes" : "web=no"};
    struct arena *arena = arena_new(context);
    struct page page = {.kind = own->live ? PAGE_LIVE : PAGE_OF_CELL, .sink = sink, .edges = own->edges};
    void *cell = NULL, *picture = NULL;
    page.title = arena ? find_title(scene, own, sink, arena) : NULL;
    cp_status status = page.title ? CP_OK : CP_LIMIT;
    if (status == CP_OK && !own->live)
        status = write_further(context, scene, "glb.gz", glb, sizeof glb / sizeof *glb, &cell, &page.cell_size);
    if (status == CP_OK && !own->live)
        status = html_report_losses(context, scene);
    if (status == CP_OK && !own->live)
        status = draw_picture(context, scene, own->part, arena, &picture, &page.picture_size);
    page.cell = cell;
    page.picture = picture;
    if (status == CP_OK && own->part)
        status = write_script(own, cp_last_written(context).triangles, &page);
    else if (status == CP_OK)
        page_write(&page);
    memory_free(context, cell, page.cell_size, 1);
    memory_free(context, picture, page.picture_size, 1);
    arena_free(arena);
    return status == CP_OK ? sink_status(sink) : status;
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
