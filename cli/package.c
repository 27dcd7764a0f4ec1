/* info FOLDER: lists the robots of a ROS package, a folder with a package.xml: files of URDF, xacro and SRDF, by their
 * first elements alone, and what each needs beside the package. It reads no robot. */
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
};

struct package {
    struct cli *cli;
    const char *folder, *name;
    struct robot *robots;
    uint32_t count, room;
    struct name_map names;    /* of robots that are no SRDF: the first of each name */
    uint64_t entries, passed; /* passed: files of macros alone, and of other elements */
    cp_status status;         /* CP_INPUT: some file or folder could not be read */
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

static const char *keep(struct cli *cli, struct piece piece)
{
    return cli_print(cli, "%.*s", (int)(piece.size < 4096 ? piece.size : 4096), piece.at ? piece.at : "");
}

/* Adds a name once; few files name more than some packages. */
static bool add_once(struct cli *cli, struct list *list, struct piece name)
{
    for (size_t i = 0; i < list->count; i++)
        if (piece_is(name, list->items[i]))
            return true;
    const char *kept = keep(cli, name);
    return kept && list_add(cli, list, kept);
}

/* ---- a file ---- */

/* Lists the packages that a text names by "package://NAME/", "model://NAME/" or "$(find NAME)", apart from its own. */
static bool list_packages(struct package *package, struct piece text, struct list *list)
{
    enum { MOST_PACKAGES = 100 };
    static const char *const marks[] = {"package://", "model://", "$(find "};
    const char *end = text.at + text.size;
    bool good = true;
    for (size_t mark = 0; mark < sizeof marks / sizeof *marks; mark++) {
        size_t size = strlen(marks[mark]);
        for (const char *at = text.at; good && (at = memchr(at, *marks[mark], (size_t)(end - at))); at++) {
            if ((size_t)(end - at) <= size || memcmp(at, marks[mark], size) != 0)
                continue;
            struct piece name = {at + size, 0};
            while (name.at + name.size < end && !strchr("/)\"'<> \t\r\n", name.at[name.size]) && name.size < 256)
                name.size++;
            bool known = name.size == 0 || memchr(name.at, '$', name.size) || piece_is(name, package->name);
            good = known || list->count >= MOST_PACKAGES || add_once(package->cli, list, name);
        }
    }
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
static bool look_into(struct package *package, struct markup *markup, struct robot *robot)
{
    unsigned level = 2; /* is the depth of what stands right below <robot>, or in an <xacro:if> there */
    while (markup_next(markup)) {
        struct piece name = markup->name, default_value;
        if (markup->depth < level)
            level = markup->depth; /* an <xacro:if> has ended */
        if (piece_is(name, "xacro:arg")) {
            default_value = markup_attribute(markup, "default");
            if (!default_value.at && !add_once(package->cli, &robot->arguments, markup_attribute(markup, "name")))
                return false;
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
    return true;
}

static bool is_srdf(const struct robot *robot)
{
    return strncmp(robot->kind, "srdf", 4) == 0;
}

/* Adds the robot of a text, if it has one. */
static cp_status take_text(struct package *package, const char *path, const char *kind, struct piece text)
{
    struct cli *cli = package->cli;
    struct markup markup = {.at = text.at, .end = text.at + text.size};
    struct robot robot = {.path = path, .kind = kind};
    bool is_robot = markup_next(&markup) && piece_is(markup.name, "robot");
    robot.name = keep(cli, is_robot ? markup_attribute(&markup, "name") : (struct piece){NULL, 0});
    if (!robot.name || (is_robot && !look_into(package, &markup, &robot)) ||
        !list_packages(package, text, &robot.packages))
        return CP_LIMIT;
    bool is_xml = strcmp(kind, "xml") == 0; /* the first packages of ROS called both kinds so */
    if (is_xml)
        robot.kind = robot.links > 0 ? "urdf" : "srdf";
    bool is_whole =
        robot.links > 0 || strcmp(kind, "srdf") == 0 || ((is_xml || strstr(kind, "xacro")) && robot.calls > 0);
    if (!is_robot || !is_whole) {
        package->passed += !is_xml;
        return CP_OK;
    }
    if (!array_reserve(cli->context, &package->robots, &package->room, package->count + UINT64_C(1), sizeof robot))
        return CP_LIMIT;
    if (!is_srdf(&robot) && !name_map_add(&package->names, robot.name, package->count, NULL))
        return CP_LIMIT;
    package->robots[package->count++] = robot;
    return CP_OK;
}

/* Looks at a file of this kind. */
static cp_status take_file(struct package *package, const char *path, const char *kind)
{
    const char *whole = cli_print(package->cli, "%s/%s", package->folder, path);
    char *bytes = NULL;
    size_t size;
    cp_status status = whole ? read_beginning(package->cli, whole, &bytes, &size) : CP_LIMIT;
    if (status == CP_OK)
        status = take_text(package, path, kind, (struct piece){bytes, size});
    free(bytes);
    if (status != CP_INPUT)
        return status;
    package->status = CP_INPUT;
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

static cp_status walk(struct package *package, const char *below, int depth);

/* below: the folder's path below the package, "" or with a '/' at the end. */
static cp_status take_entry(struct package *package, const char *below, const char *name, int depth)
{
    struct cli *cli = package->cli;
    struct stat facts, link;
    const char *path = cli_print(cli, "%s%s", below, name);
    const char *whole = path ? cli_print(cli, "%s/%s", package->folder, path) : NULL;
    if (!whole)
        return CP_LIMIT;
    package->entries++;
    if (lstat(whole, &link) != 0 || stat(whole, &facts) != 0)
        return CP_OK; /* a link to nothing */
    if (S_ISDIR(facts.st_mode)) {
        const char *folder = cli_print(cli, "%s/", path);
        return !folder ? CP_LIMIT : S_ISLNK(link.st_mode) ? CP_OK : walk(package, folder, depth + 1);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && S_ISREG(facts.st_mode); i++) {
        char suffix[16];
        (void)snprintf(suffix, sizeof suffix, ".%s", kinds[i]);
        if (text_ends_nocase(name, suffix))
            return take_file(package, path, kinds[i]);
    }
    return CP_OK;
}

static cp_status walk(struct package *package, const char *below, int depth)
{
    struct dirent **entries = NULL;
    const char *folder = cli_print(package->cli, "%s/%s", package->folder, below);
    if (!folder)
        return CP_LIMIT;
    int count = depth > DEEPEST ? -1 : scandir(folder, &entries, is_visible, by_bytes);
    cp_status status = CP_OK;
    if (count < 0) {
        (void)complain(package->cli, CP_INPUT, "%s is not looked at: %s", folder,
                       depth > DEEPEST ? "it lies too deep" : strerror(errno));
        package->status = CP_INPUT;
    }
    for (int i = 0; i < count; i++) {
        if (status == CP_OK && package->entries >= MOST_ENTRIES)
            status = complain(package->cli, CP_LIMIT, "%s has more than %d files", package->folder, MOST_ENTRIES);
        if (status == CP_OK)
            status = take_entry(package, below, entries[i]->d_name, depth);
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* ---- the answer ---- */

/* Returns the URDF or xacro that a SRDF is of: the first robot of that name; NULL if there is none. */
static const struct robot *robot_of(const struct package *package, const struct robot *srdf)
{
    const uint32_t *found = name_map_find(&package->names, srdf->name);
    return found ? &package->robots[*found] : NULL;
}

static void say_list(struct cli *cli, const char *what, const struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        say(cli, "%s%s", i == 0 ? what : ", ", list->items[i]);
}

static void print_robot(const struct package *package, const struct robot *robot)
{
    struct cli *cli = package->cli;
    say(cli, "  %-10s %s: robot \"%s\"", robot->kind, robot->path, robot->name);
    if (strcmp(robot->kind, "urdf") == 0)
        printf(", %" PRIu64 " link%s, %" PRIu64 " joint%s", robot->links, plural(robot->links), robot->joints,
               plural(robot->joints));
    if (is_srdf(robot)) {
        const struct robot *of = robot_of(package, robot);
        say(cli, of ? ", of %s" : ", whose URDF is not here", of ? of->path : "");
    }
    for (size_t i = 0; i < robot->arguments.count; i++)
        say(cli, "%s --in arg=%s:=VALUE", i == 0 ? "; needs" : "", robot->arguments.items[i]);
    say_list(cli, "; packages: ", &robot->packages);
    printf("\n");
}

static void put_list(cp_json *json, const char *key, const struct list *list)
{
    cp_json_open(json, key, '[');
    for (size_t i = 0; i < list->count; i++)
        cp_json_text(json, NULL, list->items[i]);
    cp_json_close(json, ']');
}

static cp_status print_json(const struct package *package)
{
    struct json_answer answer;
    if (!json_answer_begin(package->cli, &answer))
        return CP_LIMIT;
    cp_json *json = &answer.json;
    cp_json_text(json, "package", package->name);
    cp_json_open(json, "robots", '[');
    for (uint32_t i = 0; i < package->count; i++) {
        const struct robot *robot = &package->robots[i];
        const struct robot *of = is_srdf(robot) ? robot_of(package, robot) : NULL;
        cp_json_open(json, NULL, '{');
        cp_json_text(json, "path", robot->path);
        cp_json_text(json, "kind", robot->kind);
        cp_json_text(json, "name", robot->name);
        cp_json_count(json, "links", robot->links);
        cp_json_count(json, "joints", robot->joints);
        cp_json_text(json, "of", of ? of->path : NULL);
        put_list(json, "arguments", &robot->arguments);
        put_list(json, "packages", &robot->packages);
        cp_json_close(json, '}');
    }
    cp_json_close(json, ']');
    cp_json_count(json, "other_files", package->passed);
    return json_answer_end(package->cli, &answer, CP_OK);
}

static void print_text(const struct package *package)
{
    say(package->cli, "%s: package \"%s\", %" PRIu32 " robot file%s", package->folder, package->name, package->count,
        plural(package->count));
    printf("\n");
    for (uint32_t i = 0; i < package->count; i++)
        print_robot(package, &package->robots[i]);
    if (package->passed > 0)
        printf("  %" PRIu64 " other file%s of these kinds without a robot, such as macros\n", package->passed,
               plural(package->passed));
}

/* Finds the name in the package.xml. CP_INPUT if it has none, which is reported. */
static cp_status find_name(struct package *package, const char *manifest)
{
    char *bytes = NULL;
    size_t size;
    struct piece name = {NULL, 0};
    cp_status status = read_beginning(package->cli, manifest, &bytes, &size);
    struct markup markup = {.at = bytes, .end = bytes ? bytes + size : NULL};
    bool is_package = status == CP_OK && markup_next(&markup) && piece_is(markup.name, "package");
    while (is_package && !name.at && markup_next(&markup))
        if (markup.depth == 2 && piece_is(markup.name, "name"))
            name = markup_text(&markup);
    if (status == CP_OK && name.size == 0)
        status = complain(package->cli, CP_INPUT, "%s does not name a package", manifest);
    if (status == CP_OK && !(package->name = keep(package->cli, name)))
        status = CP_LIMIT;
    free(bytes);
    return status;
}

bool is_package_folder(const char *path)
{
    char manifest[4096];
    struct stat facts;
    int size = snprintf(manifest, sizeof manifest, "%s/package.xml", path);
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && size > 0 && (size_t)size < sizeof manifest &&
           access(manifest, F_OK) == 0;
}

cp_status info_package(struct cli *cli, const char *folder, bool json)
{
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/')
        size--;
    struct package package = {
        .cli = cli, .folder = cli_print(cli, "%.*s", (int)size, folder), .names = {.context = cli->context}};
    const char *manifest = package.folder ? cli_print(cli, "%s/package.xml", package.folder) : NULL;
    cp_status status = manifest ? find_name(&package, manifest) : CP_LIMIT;
    if (status == CP_OK)
        status = walk(&package, "", 1);
    if (status == CP_OK && json)
        status = print_json(&package);
    else if (status == CP_OK)
        print_text(&package);
    name_map_free(&package.names);
    memory_free(cli->context, package.robots, package.room, sizeof *package.robots);
    return status == CP_OK ? package.status : status;
}
