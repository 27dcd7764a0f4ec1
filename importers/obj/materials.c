/* MTL: the materials that the OBJ file uses. A library is searched by the whole rest of its line, since names may hold
 * blanks, else by each word.
 *
 * Kd is the colour, d or 1 - Tr the opacity, both as on a screen (sRGB); Ke, Pm and Pr are emission, metallic and
 * roughness. Other numbers that are not neutral are kept as metadata. Images: map_Kd, map_Ke, norm, and bump if it is
 * no grey image of heights. The first of two materials of one name counts. */
#include "obj.h"

#include <math.h>

#include "base/text/text.h"
#include "model/model.h"

/* A bit of library.kept, beside those of metadata. */
#define OWN_EMISSION (UINT32_C(1) << 31)

struct library {
    struct obj_reader *reader;
    cp_scene *scene;
    struct obj_libraries *all;
    const struct source *source;
    const char *end;
    uint32_t material; /* the present one in the scene; CP_NONE: one that is not used, or is defined already */
    bool has_opacity;  /* set by d, which counts more than Tr */
    uint32_t kept;     /* bits: numbers that it has already */
    bool has_colour;   /* Kd */
    cp_texture_use uses[CP_TEXTURE_EMISSIVE + 1]; /* textures of the material, by their role; texture CP_NONE: none */
    const char *opacity_map, *colour_map;
    uint64_t textures, spectral, outside, opaque, blackened;
};

/* ---- lines ---- */

/* Reads up to three numbers; returns how many. */
static int read_values(const char *at, const char *end, double values[3])
{
    int count = 0;
    for (at = obj_skip_blanks(at); count < 3 && !obj_ends_line(*at); count++) {
        const char *after = parse_double(at, end, values + count);
        if (!after || !(obj_is_blank(*after) || obj_ends_line(*after)) || !isfinite(values[count]))
            break;
        at = obj_skip_blanks(after);
    }
    return count;
}

static double unit_range(struct library *library, double value)
{
    library->outside += !(value >= 0 && value <= 1);
    return within_unit(value);
}

/* The numbers that are kept as metadata, unless they are neutral. */
static const struct {
    const char *word, *key;
    int count;
    double neutral;
} kept[] = {
    {"Ka", "clr.ambient", 3, 0},
    {"Ks", "clr.specular", 3, 0},
    {"Ns", "mat.shininess", 1, 0},
    {"Ni", "mat.refracti", 1, 1},
};

static cp_status keep_numbers(struct library *library, size_t which, const double *values)
{
    bool any = false;
    for (int i = 0; i < kept[which].count; i++)
        any |= values[i] != kept[which].neutral;
    bool done = !any || scene_add_numbers(library->scene, CP_OWNER_MATERIAL, library->material, kept[which].key, values,
                                          (size_t)kept[which].count, kept[which].count > 1);
    return done ? CP_OK : CP_LIMIT;
}

/* ---- images ---- */

/* The number of words after an option of an image; 0 for -o, -s and -t, which have up to three numbers. */
static const struct {
    const char *word;
    int words;
} image_options[] = {{"-o", 0},      {"-s", 0},     {"-t", 0},     {"-mm", 2},     {"-blendu", 1},
                     {"-blendv", 1}, {"-cc", 1},    {"-clamp", 1}, {"-texres", 1}, {"-imfchan", 1},
                     {"-bm", 1},     {"-boost", 1}, {"-type", 1}};
enum { OPTION_COUNT = sizeof image_options / sizeof *image_options };

static size_t word_size(const char *at)
{
    size_t size = 0;
    while (!obj_is_blank(at[size]) && !obj_ends_line(at[size]))
        size++;
    return size;
}

/* Reads the options before the path of an image. OBJ's second coordinate counts from the lower edge: a point (u, v) of
 * it is (u, 1 - v), and its place s v + o in the image is, from above, 1 - s (1 - v) - o. Returns where the path
 * begins. */
static const char *read_options(const struct library *library, const char *at, cp_texture_use *use, bool *clamped)
{
    double offset[3] = {0, 0, 0}, scale[3] = {1, 1, 1}, unused[3];
    for (at = obj_skip_blanks(at); *at == '-';) {
        size_t size = word_size(at), option = 0;
        while (option < OPTION_COUNT && !obj_is_word(at, size, image_options[option].word))
            option++;
        if (option == OPTION_COUNT)
            break;
        const char *values = obj_skip_blanks(at + size);
        double *numbers = option == 0 ? offset : option == 1 ? scale : unused;
        int words = image_options[option].words;
        if (words == 0)
            words = read_values(values, library->end, numbers);
        if (obj_is_word(at, size, "-bm") && read_values(values, library->end, unused) > 0)
            use->strength = unused[0];
        if (obj_is_word(at, size, "-clamp"))
            *clamped = obj_is_word(values, word_size(values), "on");
        for (at = values; words > 0; words--)
            at = obj_skip_blanks(at + word_size(at));
    }
    use->scale[0] = scale[0];
    use->scale[1] = scale[1];
    use->offset[0] = offset[0];
    use->offset[1] = 1 - scale[1] - offset[1];
    return at;
}

/* Returns the entry for a path in the library; a letter separates images, and textures of both wrappings. */
static uint32_t *find_entry(struct library *library, char letter, const char *path)
{
    char *key = arena_print(library->reader->arena, "%c%s/%s", letter, library->source->name, path);
    return key ? name_map_add(&library->all->textures, key, CP_NONE, NULL) : NULL;
}

/* Finds the texture of the image at a path, which is read once. */
static cp_status find_texture(struct library *library, const char *path, bool clamped, uint32_t *texture)
{
    cp_scene *scene = library->scene;
    uint32_t *known = find_entry(library, 'i', path), image;
    if (!known)
        return CP_LIMIT;
    if (*known == CP_NONE) { /* nobody adds to the map meanwhile */
        cp_status status = scene_read_image(scene, library->source, path, NULL, "obj-image", known);
        if (status != CP_OK)
            return status;
    }
    image = *known;
    known = find_entry(library, clamped ? 'c' : 'r', path);
    cp_wrap wrap = clamped ? CP_WRAP_CLAMP : CP_WRAP_REPEAT;
    if (known && *known == CP_NONE)
        *known = scene_add_texture(scene, &(cp_texture){.image = image, .fallback = CP_NONE, .wrap = {wrap, wrap}});
    *texture = known ? *known : CP_NONE;
    return *texture == CP_NONE ? CP_LIMIT : CP_OK;
}

/* Returns the path of an image, perhaps in quotes, with '/' between its folders, in the reader's memory. */
static char *copy_path(struct library *library, const char *name, uint32_t size)
{
    bool quoted = size > 2 && name[0] == '"' && name[size - 1] == '"';
    char *path = arena_copy_text(library->reader->arena, name + quoted, size - 2 * (size_t)quoted);
    for (char *c = path; c && (c = strchr(c, '\\'));)
        *c = '/';
    return path;
}

/* Reads a line "map_Kd [options] path". */
static cp_status read_image(struct library *library, const char *at, cp_texture_role role, bool heights)
{
    const cp_scene *scene = library->scene;
    cp_texture_use use = {.role = role, .strength = 1};
    bool clamped = false;
    uint32_t size;
    const char *name = obj_rest_of_line(read_options(library, at, &use, &clamped), &size);
    bool outweighs = role == CP_TEXTURE_NORMAL && !heights;
    if (size == 0 || (library->uses[role].texture != CP_NONE && !outweighs))
        return CP_OK;
    char *path = copy_path(library, name, size);
    cp_status status = path ? find_texture(library, path, clamped, &use.texture) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    if (heights && image_is_grey(&scene->images[scene->textures[use.texture].image])) {
        library->textures++;
        return CP_OK;
    }
    if (role == CP_TEXTURE_BASE_COLOUR)
        library->colour_map = path;
    library->uses[role] = use;
    return CP_OK;
}

/* Gives the present material its textures. Opacity is the alpha of the colour's image, or lost. */
static cp_status end_material(struct library *library)
{
    static const double white[3] = {1, 1, 1};
    cp_scene *scene = library->scene;
    cp_texture_use *uses = library->uses, kept_uses[CP_TEXTURE_EMISSIVE + 1];
    uint32_t count = 0;
    if (library->material == CP_NONE)
        return CP_OK;
    cp_material *material = &scene->materials[library->material];
    if (material->rgba[3] == 0 && !library->has_opacity) {
        material->rgba[3] = 1;
        library->opaque++;
    }
    for (size_t role = 0; role <= CP_TEXTURE_EMISSIVE; role++)
        if (uses[role].texture != CP_NONE)
            kept_uses[count++] = uses[role];
    bool covers = library->opacity_map && library->colour_map && strcmp(library->opacity_map, library->colour_map) == 0;
    library->textures += library->opacity_map && !covers;
    if (uses[CP_TEXTURE_BASE_COLOUR].texture != CP_NONE) {
        bool black = material->rgba[0] == 0 && material->rgba[1] == 0 && material->rgba[2] == 0;
        library->blackened += black;
        if (!library->has_colour || black)
            memcpy(material->rgba, white, sizeof white);
        material->alpha = covers || material->rgba[3] < 1 ? CP_ALPHA_BLEND : CP_ALPHA_OPAQUE;
    }
    if (uses[CP_TEXTURE_EMISSIVE].texture != CP_NONE && !(library->kept & OWN_EMISSION))
        memcpy(material->emissive, white, sizeof white);
    material->texture_count = count;
    material->textures = count > 0 ? arena_copy(scene->arena, kept_uses, count, sizeof *kept_uses) : NULL;
    return material->textures || count == 0 ? CP_OK : CP_LIMIT;
}

/* ---- properties ---- */

/* Reads emission, metallic and roughness. False for other lines. */
static bool read_surface(struct library *library, const char *at, size_t size, const double values[3], int count)
{
    cp_material *material = &library->scene->materials[library->material];
    bool emission = obj_is_word(at, size, "Ke"), metallic = obj_is_word(at, size, "Pm"),
         rough = obj_is_word(at, size, "Pr");
    library->spectral += emission && count == 0;
    for (int i = 0; emission && i < 3 && count > 0; i++) {
        double c = unit_range(library, values[i < count ? i : 0]);
        material->emissive[i] = linear_from_srgb(c);
        library->kept |= OWN_EMISSION;
    }
    if (metallic && count > 0)
        material->metallic = unit_range(library, values[0]);
    if (rough && count > 0)
        material->roughness = unit_range(library, values[0]);
    return emission || metallic || rough;
}

/* Reads a line that names an image. *taken is false for other lines. */
static cp_status read_map(struct library *library, const char *at, size_t size, bool *taken)
{
    static const struct {
        const char *word;
        cp_texture_role role;
    } maps[] = {{"map_Kd", CP_TEXTURE_BASE_COLOUR}, {"map_Ke", CP_TEXTURE_EMISSIVE}, {"norm", CP_TEXTURE_NORMAL},
                {"map_Bump", CP_TEXTURE_NORMAL},    {"map_bump", CP_TEXTURE_NORMAL}, {"bump", CP_TEXTURE_NORMAL}};
    *taken = true;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (obj_is_word(at, size, maps[i].word))
            return read_image(library, at + size, maps[i].role, i >= 3);
    *taken = obj_is_word(at, size, "map_d");
    if (!*taken)
        return CP_OK;
    cp_texture_use unused = {.strength = 1};
    bool clamped = false;
    uint32_t name_size;
    const char *name = obj_rest_of_line(read_options(library, at + size, &unused, &clamped), &name_size);
    library->opacity_map = copy_path(library, name, name_size);
    return library->opacity_map ? CP_OK : CP_LIMIT;
}

/* Reads a line of a material. Unknown ones, and mere settings of a renderer, are skipped. */
static cp_status read_property(struct library *library, const char *at, size_t size)
{
    static const char *const textures[] = {"disp", "decal", "refl"};
    double values[3] = {0};
    double *rgba = library->scene->materials[library->material].rgba;
    int count = read_values(at + size, library->end, values);
    if (obj_is_word(at, size, "Kd")) {
        library->spectral += count == 0;
        library->has_colour |= count > 0;
        for (int i = 0; i < 3 && count > 0; i++)
            rgba[i] = unit_range(library, values[i < count ? i : 0]); /* one number is a shade of grey */
        return CP_OK;
    }
    if (obj_is_word(at, size, "d") || (obj_is_word(at, size, "Tr") && !library->has_opacity)) {
        bool opacity = size == 1;
        const char *number = obj_skip_blanks(at + size);
        if (opacity && strncmp(number, "-halo", 5) == 0)
            count = read_values(number + 5, library->end, values);
        if (count > 0)
            rgba[3] = unit_range(library, opacity ? values[0] : 1 - values[0]);
        library->has_opacity |= opacity && count > 0;
        return CP_OK;
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (obj_is_word(at, size, kept[i].word)) {
            library->spectral += count == 0;
            for (int k = count; k < 3 && count > 0; k++)
                values[k] = values[0];
            if (count == 0 || library->kept & 1u << i)
                return CP_OK;
            library->kept |= 1u << i;
            return keep_numbers(library, i, values);
        }
    bool taken;
    if (read_surface(library, at, size, values, count))
        return CP_OK;
    cp_status status = read_map(library, at, size, &taken);
    if (taken)
        return status;
    for (size_t i = 0; i < sizeof textures / sizeof *textures; i++)
        library->textures += obj_is_word(at, size, textures[i]);
    library->textures += size > 4 && (memcmp(at, "map_", 4) == 0);
    return CP_OK;
}

static cp_status begin_material(struct library *library, const char *at)
{
    static const double grey[4] = {0.6, 0.6, 0.6, 1}; /* of a material without Kd */
    struct obj_reader *reader = library->reader;
    uint32_t size;
    const char *name = obj_rest_of_line(at, &size);
    uint32_t *used = name_map_find_sized(&library->all->defined, name, size);
    if (end_material(library) != CP_OK)
        return CP_LIMIT;
    library->material = CP_NONE;
    library->has_opacity = library->has_colour = false;
    library->kept = 0;
    library->opacity_map = library->colour_map = NULL;
    for (size_t role = 0; role <= CP_TEXTURE_EMISSIVE; role++)
        library->uses[role].texture = CP_NONE;
    if (used)
        reader->counts[OBJ_TWICE_DEFINED]++;
    if (used)
        return CP_OK;
    const char *key = arena_copy_text(reader->arena, name, size);
    const char *text = key ? utf8_from(library->scene->arena, name, size, NULL) : NULL;
    if (!text)
        return CP_LIMIT;
    library->material = scene_add_material(library->scene, text, grey, true);
    return library->material != CP_NONE && name_map_add(&library->all->defined, key, library->material, NULL)
               ? CP_OK
               : CP_LIMIT;
}

static cp_status read_lines(struct library *library, const char *at)
{
    cp_status status = CP_OK;
    while (at < library->end && status == CP_OK) {
        at = obj_skip_blanks(at);
        const char *after = at;
        while (!obj_is_blank(*after) && !obj_ends_line(*after))
            after++;
        size_t size = (size_t)(after - at);
        if (obj_is_word(at, size, "newmtl"))
            status = begin_material(library, after);
        else if (size > 0 && library->material != CP_NONE)
            status = read_property(library, at, size);
        at = obj_line_end(after);
        at += at < library->end;
    }
    return status == CP_OK ? end_material(library) : status;
}

/* ---- libraries ---- */

static cp_status read_library(struct obj_reader *reader, cp_scene *scene, struct obj_libraries *libraries,
                              const struct source *source)
{
    struct library library = {
        .reader = reader, .scene = scene, .all = libraries, .source = source, .material = CP_NONE};
    struct place file = IN_FILE(source->name);
    const char *zero = memchr(source->data, '\0', source->size);
    const struct import_settings *import = &reader->settings->import;
    const char *end = source->data + source->size;
    size_t fill = zero ? obj_trailing_fill(source->data, zero, end) : 0;
    library.end = zero ? zero : end;
    cp_status status = CP_OK;
    if (fill > 0)
        status =
            report_lenient(reader->context, import->strict, "obj-trailing", file, "%zu fill bytes at the end", fill);
    else if (zero)
        status = report_lenient(reader->context, !import->partial, "obj-zeros",
                                AT_LINE(source->name, source_line(source, (size_t)(zero - source->data))),
                                "zero bytes in a text, as a power loss leaves them");
    if (status == CP_OK)
        status = read_lines(&library, text_after_mark(source->data, source->size));
    if (status == CP_OK)
        report_opaque(reader->context, OPAQUE_MTL_TR, file, library.opaque);
    if (status == CP_OK && library.blackened)
        report_warning(reader->context, "obj-black", file,
                       "materials whose Kd 0 0 0 would blacken the image of map_Kd, which is shown as it is: %llu",
                       (unsigned long long)library.blackened);
    if (status == CP_OK && library.textures)
        report_loss(reader->context, "obj-textures", file, library.textures, "textures");
    if (status == CP_OK && library.spectral)
        report_loss(reader->context, "obj-spectral", file, library.spectral, "colours that are no numbers");
    if (status == CP_OK && library.outside)
        report_loss(reader->context, "obj-colour-range", file, library.outside, "colour values outside 0..1");
    return status;
}

/* Opens a library. CP_NO when there is no such file. One that was read or missing before is not read again. */
static cp_status open_library(struct obj_reader *reader, cp_scene *scene, struct obj_libraries *libraries,
                              const char *name, size_t size, bool must)
{
    struct source *source = NULL;
    uint32_t *known = name_map_find_sized(&libraries->read, name, size);
    char *path = arena_copy_text(reader->arena, name, size);
    if (known)
        return CP_OK;
    text_turn_slashes(path);
    cp_status status = path ? source_open_near(reader->source, path, NULL, &source) : CP_LIMIT;
    if (status != CP_OK && (status != CP_NO || !must)) {
        source_close(source);
        return status;
    }
    if (status == CP_OK && (status = source_decode(source)) != CP_OK) {
        source_close(source);
        return status;
    }
    bool is_empty = status == CP_OK && source->size == 0;
    const char *key = arena_copy_text(reader->arena, name, size);
    if (!key || !name_map_add(&libraries->read, key, 0, NULL)) {
        status = CP_LIMIT;
    } else if (status == CP_OK && !is_empty) {
        status = read_library(reader, scene, libraries, source);
    } else {
        struct place file = IN_FILE(reader->source->name);
        libraries->has_missing = true;
        status = CP_OK;
        if (reader->settings->import.strict)
            status = report_error(reader->context, CP_INPUT, "obj-file-missing", file,
                                  is_empty ? "the file \"%s\" is empty" : "no file \"%s\"", path);
        else
            report_loss(reader->context, "obj-file-missing", file, 1, "the materials of \"%s\": %s", path,
                        is_empty ? "the file is empty" : "no such file");
    }
    source_close(source);
    return status;
}

cp_status obj_read_library(struct obj_reader *reader, cp_scene *scene, struct obj_libraries *libraries,
                           const struct obj_change *change)
{
    const char *name = change->name, *end = name + change->size;
    if (change->size >= 2 && *name == '"' && end[-1] == '"')
        name++, end--;
    if (name == end)
        return CP_OK;
    bool has_blanks = false;
    for (const char *at = name; at < end; at++)
        has_blanks |= obj_is_blank(*at);
    cp_status status = open_library(reader, scene, libraries, name, (size_t)(end - name), !has_blanks);
    if (status != CP_NO)
        return status;
    for (status = CP_OK; name < end && status == CP_OK;) {
        const char *after = name;
        while (after < end && !obj_is_blank(*after))
            after++;
        status = open_library(reader, scene, libraries, name, (size_t)(after - name), true);
        for (name = after; name < end && obj_is_blank(*name);)
            name++;
    }
    return status;
}

cp_status obj_find_materials(const struct obj_reader *reader, struct obj_names *names,
                             const struct obj_libraries *libraries)
{
    uint32_t missing = 0;
    const struct obj_material *first = NULL;
    for (uint32_t i = 0; i < names->material_count; i++) {
        struct obj_material *material = &names->materials[i];
        const char *comment = strstr(material->name, " #");
        uint32_t *added = name_map_find(&libraries->defined, material->name);
        if (!added && comment) {
            size_t size = (size_t)(comment - material->name);
            while (size > 0 && obj_is_blank(material->name[size - 1]))
                size--;
            added = name_map_find_sized(&libraries->defined, material->name, size);
        }
        material->added = added ? *added : CP_NONE;
        bool is_missing = !added && *material->name;
        missing += is_missing;
        first = is_missing && !first ? material : first;
    }
    if (!first || libraries->has_missing)
        return CP_OK;
    return report_lenient(reader->context, reader->settings->import.strict, "obj-material",
                          obj_place(reader, first->at), "materials that no library defines: %u, the first one \"%s\"",
                          missing, first->name);
}
