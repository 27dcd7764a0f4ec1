/* Loads the library, whose functions all files of the importer call. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <pthread.h>
#include <stdio.h>

#include "base/text/xml.h"

LATE_LIBRARY(assimp, FILE_OF_ASSIMP, ASSIMP_FUNCTIONS);

cp_status assimp_load(cp_context *context)
{
#ifdef HAVE_XML2 /* for Collada and X3D */
    if (xml_load(context) != CP_OK)
        return CP_INPUT;
#endif
    return library_load(context, &assimp_library);
}

/* Our version, and that of the library in use, whatever headers it was built with. */
static char version_text[64] = "1, assimp missing";

static void print_version(void)
{
    if (assimp_load(NULL) != CP_OK)
        return;
    (void)snprintf(version_text, sizeof version_text, "1, assimp %u.%u.%u %x", assimp.aiGetVersionMajor(),
                   assimp.aiGetVersionMinor(), assimp.aiGetVersionPatch(), assimp.aiGetVersionRevision());
}

const char *assimp_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, print_version);
    return version_text;
}

#endif
