/* A third-party importer that does on purpose what assimp's readers do on damaged files, and worse. A file says what it
 * does: "planted crash", "planted file part.txt". The words are in planted.c. */
#ifndef CELLPIPE_TESTS_PLANTED_H
#define CELLPIPE_TESTS_PLANTED_H

#include "plugins/importer.h"

extern const struct importer planted_importer;

#endif
