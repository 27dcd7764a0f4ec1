/* --version: the program's, and those of the libraries that a build may lack. */
#include "cli.h"

struct part {
    const char *name, *version; /* at compile time; NULL: not built */
    const char *package, *gives;
};

/* CMakeLists.txt says the versions. */
static const struct part parts[] = {
#ifdef HAVE_ASSIMP
    {"assimp", VERSION_OF_ASSIMP, "", ""},
#else
    {"assimp", NULL, "libassimp-dev", "further formats"},
#endif
#ifdef HAVE_XML2
    {"libxml2", VERSION_OF_XML2, "", ""},
#else
    {"libxml2", NULL, "libxml2-dev", "3MF and collision setups"},
#endif
#ifdef HAVE_LIBZIP
    {"libzip", VERSION_OF_LIBZIP, "", ""},
#else
    {"libzip", NULL, "libzip-dev", "3MF"},
#endif
#ifdef HAVE_PNG
    {"libpng", VERSION_OF_PNG, "", ""},
#else
    {"libpng", NULL, "libpng-dev", "textures of VRML97"},
#endif
#ifdef HAVE_TURBOJPEG
    {"libturbojpeg", VERSION_OF_TURBOJPEG, "", ""},
#else
    {"libturbojpeg", NULL, "libturbojpeg0-dev", "textures of VRML97"},
#endif
#ifdef HAVE_MESHOPT
    {"meshoptimizer", VERSION_OF_MESHOPT, "", ""},
#else
    {"meshoptimizer", NULL, "libmeshoptimizer-dev", "EXT_meshopt_compression"},
#endif
};

void print_version(void)
{
    printf("cellpipe " CP_VERSION "\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *part = &parts[i];
        if (part->version)
            printf("%-14s %s\n", part->name, part->version);
        else
            printf("%-14s not built, so without %s: apt-get install %s, then build again\n", part->name, part->gives,
                   part->package);
    }
}
