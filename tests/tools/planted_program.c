/* The library put together for the program cellpipe_planted: the planted importer takes assimp's place. */
#include "planted.h"

#include "../../cellpipe.c"

#define assimp_importer planted_importer
