/* --version: prints the program's version, and those of the libraries that a build may lack. */
#include "cli.h"

/* The versions, as CMakeLists.txt gives them: "" for a part that is not built. */
static const struct part {
    const char *name, *version, *package, *gives;
} parts[] = {
    {"assimp", VERSION_OF_ASSIMP, "libassimp-dev", "further formats"},
    {"libxml2", VERSION_OF_XML2, "libxml2-dev", "3MF and collision setups"},
    {"libyaml", VERSION_OF_YAML, "libyaml-dev", "YAML files of xacro"},
    {"libzip", VERSION_OF_LIBZIP, "libzip-dev", "3MF"},
    {"libpng", VERSION_OF_PNG, "libpng-dev", "pictures; PNG textures of VRML97"},
    {"libturbojpeg", VERSION_OF_TURBOJPEG, "libturbojpeg0-dev", "JPEG textures of VRML97"},
    {"meshoptimizer", VERSION_OF_MESHOPT, "libmeshoptimizer-dev", "EXT_meshopt_compression"},
    {"libwebsockets", VERSION_OF_LWS, "libwebsockets-dev", "live cells (serve)"},
    {"sqlite", VERSION_OF_SQLITE, "libsqlite3-dev", "batch and report"},
    {"three.js", VERSION_OF_THREE, "libjs-three", "pages (html)"},
};

void print_version(void)
{
    printf("cellpipe " CP_VERSION "\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *part = &parts[i];
        if (*part->version)
            printf("%-14s %s\n", part->name, part->version);
        else
            printf("%-14s not built, so without %s: apt-get install %s, then build again\n", part->name, part->gives,
                   part->package);
    }
}
