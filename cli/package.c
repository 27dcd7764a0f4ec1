/* info FOLDER: lists the packages of ROS in a folder - those with a package.xml, perhaps itself - and their robots:
 * files of URDF, xacro and SRDF, by their first elements alone, and what each needs beside the package. It reads no
 * robot. */
#include "package.h"
#include "markup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEEPEST = 16,          /* folders in each other; links to folders are not followed */
    MOST_ENTRIES = 100000, /* names in all folders */
    MOST_BYTES = 16 << 20  /* of a file */
};

/* Suffixes without the point: the first that fits. */
static const char *const kinds[] = {"urdf", "srdf.xacro", "xacro", "srdf", "xml"};

/* A robot, or the groups of one. */
struct robot {
    const char *path; /* below the package */
    const char *kind, *name;
    uint64_t links, joints; /* that stand below <robot> themselves */
    uint64_t calls;         /* counts calls of macros there, and groups of SRDF */
    struct list packages;   /* others that it names */
    struct list arguments;  /* of xacro, without a default */
    uint32_t package;       /* the one that it is in */
    uint32_t next;          /* the next one there, or CP_NONE */
};

struct package {
    const char *folder;   /* below that of the listing; "" for that itself */
    const char *name;     /* NULL: the listing's folder is none, and these robots are in none */
    uint32_t first, last; /* robots, or CP_NONE */
    uint32_t count;
    uint64_t passed;       /* files of macros alone, and of other elements */
    struct name_map names; /* of robots that are no SRDF: the first of each name */
};

struct listing {
    struct cli *cli;
    const char *folder;
    struct package *packages; /* the first one is the folder itself */
    struct robot *robots;
    uint32_t package_count, package_room, robot_count, robot_room;
    struct name_map names; /* holds those of all packages in the same way */
    uint64_t entries;
    cp_status status; /* CP_INPUT: some file or folder could not be read */
};

/* ---- bytes ---- */

/* Reads the beginning of a file; the caller frees *bytes. CP_INPUT if it cannot be read, which is reported. */
static cp_status read_beginning(struct cli *cli, const char *path, char **bytes, size_t *size)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool good = file >= 0 && fstat(file, &facts) == 0;
    if (good && !S_ISREG(facts.st_mode)) {
        good = false;
        errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
    }
    size_t room = good && facts.st_size < MOST_BYTES ? (size_t)facts.st_size : MOST_BYTES;
    *bytes = good ? malloc(room + 1) : NULL;
    *size = 0;
    ssize_t got = 1;
    while (*bytes && got > 0 && *size < room) {
        got = read(file, *bytes + *size, room - *size);
        *size += got > 0 ? (size_t)got : 0;
    }
    cp_status status = CP_OK;
    if (!good || (*bytes && got < 0))
        status = complain(cli, CP_INPUT, "%s cannot be read: %s", path, strerror(errno));
    else if (!*bytes)
        status = complain(cli, CP_LIMIT, "out of memory");
    else if (facts.st_size > MOST_BYTES)
        status = complain(cli, CP_INPUT, "%s has more than %d bytes, and is not looked at", path, MOST_BYTES);
    if (file >= 0)
        (void)close(file);
    return status;
}

/* Returns what the piece means, "" for none. */
static const char *keep(struct cli *cli, struct piece piece)
{
    char *text = cli_allocate(cli, piece.size + 1);
    if (text && piece.at)
        (void)markup_decode(piece, text);
    return text;
}

/* Adds a name to the list, unless it was seen before. */
static bool add_once(struct cli *cli, struct list *list, struct name_map *seen, const char *name)
{
    bool added = false;
    return name && name_map_add(seen, name, 0, &added) && (!added || list_add(cli, list, name));
}

/* ---- a file ---- */

/* Lists the packages that a text names by "package://NAME/", "model://NAME/" or "$(find NAME)", apart from its own. */
static bool list_packages(const struct listing *listing, const char *own, struct piece text, struct list *list)
{
    static const char *const marks[] = {"package://", "model://", "$(find "};
    const char *end = text.at + text.size;
    struct name_map seen = {.context = listing->cli->context};
    bool good = true;
    for (size_t mark = 0; mark < sizeof marks / sizeof *marks; mark++) {
        size_t size = strlen(marks[mark]);
        for (const char *at = text.at; good && (at = memchr(at, *marks[mark], (size_t)(end - at))); at++) {
            if ((size_t)(end - at) <= size || memcmp(at, marks[mark], size) != 0)
                continue;
            struct piece name = {at + size, 0};
            while (name.at + name.size < end && !strchr("/)\"'<> \t\r\n", name.at[name.size]))
                name.size++;
            at += size - 1;
            if (name.size == 0 || memchr(name.at, '$', name.size))
                continue;
            const char *kept = keep(listing->cli, name);
            good = kept && ((own && strcmp(kept, own) == 0) || add_once(listing->cli, list, &seen, kept));
        }
    }
    name_map_free(&seen);
    return good;
}

/* Tells whether an element of xacro stands for what is in it. */
static bool is_transparent(struct piece name)
{
    return piece_is(name, "xacro:if") || piece_is(name, "xacro:unless");
}

static bool is_call(struct piece name)
{
    static const char *const own[] = {"xacro:macro",        "xacro:property", "xacro:include",   "xacro:arg",
                                      "xacro:insert_block", "xacro:element",  "xacro:attribute", NULL};
    for (size_t i = 0; own[i]; i++)
        if (piece_is(name, own[i]))
            return false;
    return name.size > 6 && memcmp(name.at, "xacro:", 6) == 0;
}

/* Looks at the elements below <robot>. */
static bool look_into(struct cli *cli, struct markup *markup, struct robot *robot)
{
    struct name_map seen = {.context = cli->context};
    bool good = true;
    unsigned level = 2; /* is the depth of what stands right below <robot>, or in an <xacro:if> there */
    while (good && markup_next(markup)) {
        struct piece name = markup->name;
        if (markup->depth < level)
            level = markup->depth; /* an <xacro:if> has ended */
        if (piece_is(name, "xacro:arg")) {
            bool must_be_given = !markup_attribute(markup, "default").at;
            good =
                !must_be_given || add_once(cli, &robot->arguments, &seen, keep(cli, markup_attribute(markup, "name")));
        }
        if (markup->depth > level)
            continue;
        robot->links += piece_is(name, "link");
        robot->joints += piece_is(name, "joint");
        if (is_transparent(name))
            level = markup->depth + 1;
        else
            robot->calls += is_call(name) || piece_is(name, "group");
    }
    name_map_free(&seen);
    return good;
}

static bool is_srdf(const struct robot *robot)
{
    return strncmp(robot->kind, "srdf", 4) == 0;
}

/* Adds a robot to its package. */
static cp_status add_robot(struct listing *listing, const struct robot *robot)
{
    struct package *package = &listing->packages[robot->package];
    uint32_t index = listing->robot_count;
    if (!array_reserve(listing->cli->context, &listing->robots, &listing->robot_room, index + UINT64_C(1),
                       sizeof *robot))
        return CP_LIMIT;
    if (!is_srdf(robot) && (!name_map_add(&package->names, robot->name, index, NULL) ||
                            !name_map_add(&listing->names, robot->name, index, NULL)))
        return CP_LIMIT;
    *(package->last == CP_NONE ? &package->first : &listing->robots[package->last].next) = index;
    package->last = index;
    package->count++;
    listing->robots[listing->robot_count++] = *robot;
    return CP_OK;
}

/* Adds the robot of a text, if it has one. */
static cp_status take_text(struct listing *listing, uint32_t package, const char *path, const char *kind,
                           struct piece text)
{
    struct cli *cli = listing->cli;
    struct markup markup = {.at = text.at, .end = text.at + text.size};
    struct robot robot = {.path = path, .kind = kind, .package = package, .next = CP_NONE};
    bool is_robot = markup_next(&markup) && piece_is(markup.name, "robot");
    robot.name = keep(cli, is_robot ? markup_attribute(&markup, "name") : (struct piece){NULL, 0});
    if (!robot.name || (is_robot && !look_into(cli, &markup, &robot)))
        return CP_LIMIT;
    bool is_xml = strcmp(kind, "xml") == 0; /* the first packages of ROS called both kinds so */
    if (is_xml)
        robot.kind = robot.links > 0 ? "urdf" : "srdf";
    bool is_whole =
        robot.links > 0 || strcmp(kind, "srdf") == 0 || ((is_xml || strstr(kind, "xacro")) && robot.calls > 0);
    if (!is_robot || !is_whole) {
        listing->packages[package].passed += !is_xml;
        return CP_OK;
    }
    bool good = list_packages(listing, listing->packages[package].name, text, &robot.packages);
    return good ? add_robot(listing, &robot) : CP_LIMIT;
}

/* Looks at a file of this kind, packed or not; whole: its path. */
static cp_status take_file(struct listing *listing, uint32_t package, const char *whole, const char *path,
                           const char *kind)
{
    struct cli *cli = listing->cli;
    struct buffer text = {.context = cli->context};
    char *bytes = NULL;
    size_t size;
    cp_status status = read_beginning(cli, whole, &bytes, &size);
    if (status == CP_OK) {
        status = cp_unpack(cli->context, whole, bytes, size, &text);
        flush_report(cli, status);
        status = status == CP_LIMIT && text.failed ? CP_LIMIT : status == CP_OK ? CP_OK : CP_INPUT;
    }
    free(bytes);
    if (status == CP_OK)
        status = take_text(listing, package, path, kind, (struct piece){text.data, text.size});
    buffer_free(&text);
    if (status != CP_INPUT)
        return status;
    listing->status = CP_INPUT;
    return CP_OK;
}

/* ---- folders ---- */

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Finds the name in a package.xml. CP_INPUT if it has none, which is reported. */
static cp_status find_name(struct cli *cli, const char *manifest, const char **found)
{
    char *bytes = NULL;
    size_t size;
    struct piece name = {NULL, 0};
    cp_status status = read_beginning(cli, manifest, &bytes, &size);
    struct markup markup = {.at = bytes, .end = bytes ? bytes + size : NULL};
    bool is_package = status == CP_OK && markup_next(&markup) && piece_is(markup.name, "package");
    while (is_package && !name.at && markup_next(&markup))
        if (markup.depth == 2 && piece_is(markup.name, "name"))
            name = markup_text(&markup);
    if (status == CP_OK && name.size == 0)
        status = complain(cli, CP_INPUT, "%s does not name a package", manifest);
    if (status == CP_OK && !(*found = keep(cli, name)))
        status = CP_LIMIT;
    free(bytes);
    return status;
}

/* Adds the package of a folder that has a package.xml: *package is then that one. One without a name is reported, and
 * its files are those of the package around it. */
static cp_status enter_folder(struct listing *listing, const char *below, const char *folder, uint32_t *package)
{
    struct cli *cli = listing->cli;
    const char *manifest = cli_print(cli, "%spackage.xml", folder);
    bool is_top = listing->package_count == 0;
    struct package added = {.folder = below, .first = CP_NONE, .last = CP_NONE, .names = {.context = cli->context}};
    bool is_package = manifest && access(manifest, F_OK) == 0;
    cp_status status = !manifest ? CP_LIMIT : is_package ? find_name(cli, manifest, &added.name) : CP_OK;
    if (status == CP_INPUT)
        listing->status = CP_INPUT;
    if (status == CP_LIMIT || (!is_top && !added.name))
        return status == CP_LIMIT ? CP_LIMIT : CP_OK;
    if (!array_reserve(cli->context, &listing->packages, &listing->package_room, listing->package_count + UINT64_C(1),
                       sizeof added))
        return CP_LIMIT;
    *package = listing->package_count++;
    listing->packages[*package] = added;
    return CP_OK;
}

static cp_status walk(struct listing *listing, const char *below, uint32_t package, int depth);

/* Returns the kind of a file by its name; NULL for none. */
static const char *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char suffix[16], packed[20];
        (void)snprintf(suffix, sizeof suffix, ".%s", kinds[i]);
        (void)snprintf(packed, sizeof packed, ".%s.gz", kinds[i]);
        if (text_ends_nocase(name, suffix) || text_ends_nocase(name, packed))
            return kinds[i];
    }
    return NULL;
}

/* below: the folder's path below that of the listing, "" or with a '/' at the end. */
static cp_status take_entry(struct listing *listing, const char *below, uint32_t package, const char *name, int depth)
{
    struct cli *cli = listing->cli;
    struct stat facts, link;
    const char *path = cli_print(cli, "%s%s", below, name), *kind = kind_of(name);
    const char *whole = path ? cli_print(cli, "%s/%s", listing->folder, path) : NULL;
    if (!whole)
        return CP_LIMIT;
    listing->entries++;
    if (lstat(whole, &link) != 0 || stat(whole, &facts) != 0)
        return CP_OK; /* a link to nothing */
    if (S_ISDIR(facts.st_mode)) {
        const char *folder = cli_print(cli, "%s/", path);
        return !folder ? CP_LIMIT : S_ISLNK(link.st_mode) ? CP_OK : walk(listing, folder, package, depth + 1);
    }
    const char *in_package = path + strlen(listing->packages[package].folder);
    return S_ISREG(facts.st_mode) && kind ? take_file(listing, package, whole, in_package, kind) : CP_OK;
}

/* package: the one around the folder; CP_NONE for the top folder. */
static cp_status walk(struct listing *listing, const char *below, uint32_t package, int depth)
{
    struct dirent **entries = NULL;
    const char *folder = cli_print(listing->cli, "%s/%s", listing->folder, below);
    cp_status status = folder ? enter_folder(listing, below, folder, &package) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    int count = depth > DEEPEST ? -1 : scandir(folder, &entries, is_visible, by_bytes);
    if (count < 0) {
        (void)complain(listing->cli, CP_INPUT, "%s is not looked at: %s", folder,
                       depth > DEEPEST ? "it lies too deep" : strerror(errno));
        listing->status = CP_INPUT;
    }
    for (int i = 0; i < count; i++) {
        if (status == CP_OK && listing->entries >= MOST_ENTRIES)
            status = complain(listing->cli, CP_LIMIT, "%s has more than %d files", listing->folder, MOST_ENTRIES);
        if (status == CP_OK)
            status = take_entry(listing, below, package, entries[i]->d_name, depth);
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* ---- the answer ---- */

/* Returns where the URDF or xacro of a SRDF is, the first robot of that name: its path, or, if it is in another
 * package, "package://NAME/PATH". *found is NULL if there is none. False when out of memory. */
static bool find_robot(const struct listing *listing, const struct robot *srdf, const char **found)
{
    const uint32_t *here = name_map_find(&listing->packages[srdf->package].names, srdf->name);
    const uint32_t *there = here ? NULL : name_map_find(&listing->names, srdf->name);
    const struct robot *robot = here || there ? &listing->robots[here ? *here : *there] : NULL;
    const char *package = there ? listing->packages[robot->package].name : NULL;
    *found = !robot ? NULL : package ? cli_print(listing->cli, "package://%s/%s", package, robot->path) : robot->path;
    return !robot || *found;
}

static void say_list(struct cli *cli, const char *what, const struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        say(cli, "%s%s", i == 0 ? what : ", ", list->items[i]);
}

static bool print_robot(const struct listing *listing, const struct robot *robot)
{
    struct cli *cli = listing->cli;
    const char *of = NULL;
    if (is_srdf(robot) && !find_robot(listing, robot, &of))
        return false;
    say(cli, "  %-10s %s: robot \"%s\"", robot->kind, robot->path, robot->name);
    if (strcmp(robot->kind, "urdf") == 0)
        printf(", %" PRIu64 " link%s, %" PRIu64 " joint%s", robot->links, plural(robot->links), robot->joints,
               plural(robot->joints));
    if (is_srdf(robot))
        say(cli, of ? ", of %s" : ", whose URDF is not here", of ? of : "");
    for (size_t i = 0; i < robot->arguments.count; i++)
        say(cli, "%s --in arg=%s:=VALUE", i == 0 ? "; needs" : "", robot->arguments.items[i]);
    say_list(cli, "; packages: ", &robot->packages);
    printf("\n");
    return true;
}

static bool print_robots(const struct listing *listing, const struct package *package)
{
    bool good = true;
    for (uint32_t i = package->first; good && i != CP_NONE; i = listing->robots[i].next)
        good = print_robot(listing, &listing->robots[i]);
    if (package->passed > 0)
        printf("  %" PRIu64 " other file%s of these kinds without a robot, such as macros\n", package->passed,
               plural(package->passed));
    return good;
}

static cp_status print_text(const struct listing *listing)
{
    struct cli *cli = listing->cli;
    bool good = true;
    for (uint32_t i = 0; good && i < listing->package_count; i++) {
        const struct package *package = &listing->packages[i];
        int size = (int)strlen(package->folder) - (i > 0); /* without the '/' */
        say(cli, "%s%s%.*s: ", listing->folder, i > 0 ? "/" : "", size, package->folder);
        if (package->name)
            say(cli, "package \"%s\", %" PRIu32 " robot file%s", package->name, package->count, plural(package->count));
        else
            say(cli, "%" PRIu32 " package%s, %" PRIu32 " robot file%s", listing->package_count - 1,
                plural(listing->package_count - 1), listing->robot_count, plural(listing->robot_count));
        printf("\n");
        good = print_robots(listing, package);
    }
    return good ? CP_OK : CP_LIMIT;
}

static void put_list(cp_json *json, const char *key, const struct list *list)
{
    cp_json_open(json, key, '[');
    for (size_t i = 0; i < list->count; i++)
        cp_json_text(json, NULL, list->items[i]);
    cp_json_close(json, ']');
}

/* Writes the members of a package. */
static bool put_package(cp_json *json, const struct listing *listing, const struct package *package)
{
    bool good = true;
    cp_json_text(json, "package", package->name);
    cp_json_open(json, "robots", '[');
    for (uint32_t i = package->first; good && i != CP_NONE; i = listing->robots[i].next) {
        const struct robot *robot = &listing->robots[i];
        const char *of = NULL;
        good = !is_srdf(robot) || find_robot(listing, robot, &of);
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "path", robot->path);
        cp_json_text(json, "kind", robot->kind);
        cp_json_text(json, "name", robot->name);
        cp_json_count(json, "links", robot->links);
        cp_json_count(json, "joints", robot->joints);
        cp_json_text(json, "of", of);
        put_list(json, "arguments", &robot->arguments);
        put_list(json, "packages", &robot->packages);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    cp_json_count(json, "other_files", package->passed);
    return good;
}

static cp_status print_json(const struct listing *listing)
{
    struct json_answer answer;
    if (!json_answer_begin(listing->cli, &answer))
        return CP_LIMIT;
    cp_json *json = &answer.json;
    bool good = put_package(json, listing, listing->packages);
    cp_json_open(json, "packages", '[');
    for (uint32_t i = 1; good && i < listing->package_count; i++) {
        const char *folder = listing->packages[i].folder;
        const char *plain = cli_print(listing->cli, "%.*s", (int)strlen(folder) - 1, folder);
        good = plain;
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "folder", plain);
        good = good && put_package(json, listing, &listing->packages[i]);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    return json_answer_end(listing->cli, &answer, good ? CP_OK : CP_LIMIT);
}

bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

cp_status info_folder(struct cli *cli, const char *folder, bool json)
{
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/')
        size--;
    struct listing listing = {
        .cli = cli, .folder = cli_print(cli, "%.*s", (int)size, folder), .names = {.context = cli->context}};
    cp_status status = listing.folder ? walk(&listing, "", CP_NONE, 1) : CP_LIMIT;
    bool is_any =
        listing.package_count > 1 || listing.robot_count > 0 || (listing.package_count == 1 && listing.packages->name);
    if (status == CP_OK && !is_any && listing.status == CP_OK)
        status = CP_NO;
    if (status == CP_OK && is_any)
        status = json ? print_json(&listing) : print_text(&listing);
    for (uint32_t i = 0; i < listing.package_count; i++)
        name_map_free(&listing.packages[i].names);
    name_map_free(&listing.names);
    memory_free(cli->context, listing.packages, listing.package_room, sizeof *listing.packages);
    memory_free(cli->context, listing.robots, listing.robot_room, sizeof *listing.robots);
    return status == CP_OK ? listing.status : status;
}
