/* Makes names in delivered files unique: no two nodes have the same one, as three.js sees it. Its GLTFLoader binds
 * clips to objects by names, after PropertyBinding.sanitizeNodeName: white space becomes '_', and [ ] . : / are
 * dropped. Primitives are objects with the name of their mesh. It numbers repeats (`_1`, `_2`) without a check whether
 * that name is free. */
#include "writer.h"

#include <string.h>

/* Returns the bytes of the white space character (ECMAScript: \s) with which the text begins, or 0. */
static size_t white_space(const char *text)
{
    static const char *const wide[] = {"\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                       "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf"};
    if (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        return 1;
    if (strncmp(text, "\xe2\x80", 2) == 0 && (unsigned char)text[2] >= 0x80 && (unsigned char)text[2] <= 0x8a)
        return 3; /* U+2000 to U+200A */
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0)
            return strlen(wide[i]);
    return 0;
}

/* Returns the name as three.js has it. NULL when out of memory. */
static char *sanitise(struct arena *arena, const char *name)
{
    char *key = arena_allocate(arena, strlen(name) + 1, 1);
    size_t size = 0;
    while (key && *name) {
        size_t blank = white_space(name);
        if (blank > 0)
            key[size++] = '_';
        else if (!strchr("[].:/", *name))
            key[size++] = *name;
        name += blank > 0 ? blank : 1;
    }
    if (key)
        key[size] = '\0';
    return key;
}

/* Returns the number n of a key BASE_n, as three.js writes it, and the size of BASE; 0: there is none. */
static uint32_t number_behind(const char *key, size_t *base_size)
{
    const char *last = strrchr(key, '_');
    size_t digits = last ? strspn(last + 1, "0123456789") : 0;
    if (digits == 0 || digits > 9 || last[1] == '0' || last[1 + digits])
        return 0;
    *base_size = (size_t)(last - key);
    uint32_t number = 0;
    for (const char *digit = last + 1; *digit; digit++)
        number = 10 * number + (uint32_t)(*digit - '0');
    return number;
}

/* Tells whether it is a name of further places of a mesh: NAME_instance_0, NAME_instance_1, ... */
static bool is_name_of_copy(const char *key)
{
    static const char mark[] = "_instance_";
    const char *last = strrchr(key, '_');
    size_t size = last ? (size_t)(last + 1 - key) : 0;
    return size >= sizeof mark - 1 && strncmp(last + 2 - sizeof mark, mark, sizeof mark - 1) == 0 &&
           last[1 + strspn(last + 1, "0123456789")] == '\0';
}

/* The names by keys, which are names as three.js has them. */
struct written_names {
    struct arena *arena;      /* the names' */
    struct name_map nodes;    /* maps a key to the last number that was tried behind it */
    struct name_map numbered; /* maps BASE to the smallest number n of a node BASE_n */
    struct name_map meshes;   /* maps a key to the number of objects that get it from meshes */
    struct name_map mended;   /* maps a key of meshes to the number that is added to their name */
};

/* ---- nodes ---- */

static bool note_number(struct written_names *names, const char *key)
{
    size_t size = 0;
    uint32_t number = number_behind(key, &size), *smallest;
    if (number == 0)
        return true;
    const char *base = arena_copy_text(names->arena, key, size);
    smallest = base ? name_map_add(&names->numbered, base, number, NULL) : NULL;
    if (smallest && *smallest > number)
        *smallest = number;
    return smallest != NULL;
}

/* Returns the name, or the name with the first number that makes it new; NULL when out of memory. Several nodes may be
 * nameless, as clips find them all the same. */
static const char *name_node(struct written_names *names, const char *name)
{
    const char *key = sanitise(names->arena, name), *tried = key, *found = name;
    bool is_free = false;
    if (!*name)
        return name;
    while (tried && name_map_add(&names->nodes, tried, 0, &is_free) && (!is_free || is_name_of_copy(tried))) {
        uint32_t number = ++*name_map_find(&names->nodes, key);
        found = arena_number(names->arena, name, '_', number);
        tried = found ? arena_number(names->arena, key, '_', number) : NULL;
        is_free = false;
    }
    return tried && is_free && note_number(names, tried) ? found : NULL;
}

/* ---- meshes ---- */

/* Returns the mesh's name; one without a name gets its number. */
static const char *mesh_name(const struct gltf_file *file, uint32_t mesh)
{
    const char *name = file->scene->meshes[mesh].name;
    return *name ? name : arena_number(file->work->arena, "mesh", '_', file->meshes[mesh].index);
}

/* Tells whether no node has the name of an object of the meshes with this key. */
static bool are_apart(const struct written_names *names, const char *key, uint32_t objects)
{
    const uint32_t *smallest = name_map_find(&names->numbered, key);
    return !smallest || *smallest >= objects + (name_map_find(&names->nodes, key) != NULL);
}

/* Finds a number for the meshes with this key if one of them would have a node's name. */
static bool mend_meshes(struct written_names *names, const char *key)
{
    uint32_t objects = *name_map_find(&names->meshes, key), number = 0;
    const char *tried = key;
    bool added = false;
    if (are_apart(names, key, objects) || name_map_find(&names->mended, key))
        return true;
    do
        tried = arena_number(names->arena, key, '_', ++number);
    while (tried && (name_map_find(&names->meshes, tried) || name_map_find(&names->nodes, tried) ||
                     !are_apart(names, tried, objects)));
    return tried && name_map_add(&names->meshes, tried, objects, NULL) &&
           name_map_add(&names->mended, key, number, &added);
}

static bool name_meshes(struct gltf_file *file, struct written_names *names)
{
    uint32_t count = file->scene->mesh_count;
    const char **keys = file_allocate(file, count, sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = mesh_name(file, i);
        keys[i] = name ? sanitise(names->arena, name) : NULL;
        uint32_t *objects = keys[i] ? name_map_add(&names->meshes, keys[i], 0, NULL) : NULL;
        if (!objects)
            return false;
        *objects += file->meshes[i].primitive_count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!mend_meshes(names, keys[i]))
            return false;
        const uint32_t *number = name_map_find(&names->mended, keys[i]);
        const char *name = number ? mesh_name(file, i) : NULL;
        if (number)
            file->meshes[i].name = name ? arena_number(names->arena, name, '_', *number) : NULL;
        if (!file->meshes[i].name)
            return false;
    }
    return true;
}

/* ---- all ---- */

static bool name_all(struct gltf_file *file, struct written_names *names)
{
    const cp_scene *scene = file->scene;
    if (has_up_root(file) && !name_node(names, UP_ROOT_NAME))
        return false;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!(file->nodes[i].name = name_node(names, scene->nodes[i].name)))
            return false;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (!(file->joints[i].name = name_node(names, scene->joints[i].name)))
            return false;
    for (uint32_t i = 0; i < file->views.count; i++)
        if (!(file->view_names[i] = name_node(names, file->views.items[i].title)))
            return false;
    return name_meshes(file, names);
}

bool plan_names(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    const struct name_map none = {.context = file->context};
    struct written_names names = {file->work->arena, none, none, none, none};
    file->view_names = file_allocate(file, file->views.count, sizeof *file->view_names);
    if (!file->view_names)
        return false;
    for (uint32_t i = 0; i < scene->node_count; i++)
        file->nodes[i].name = scene->nodes[i].name;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        file->joints[i].name = scene->joints[i].name;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        file->meshes[i].name = scene->meshes[i].name;
    bool good = !is_deliver(file) || name_all(file, &names);
    name_map_free(&names.nodes);
    name_map_free(&names.numbered);
    name_map_free(&names.meshes);
    name_map_free(&names.mended);
    return good;
}
