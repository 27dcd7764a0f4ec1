/* The library put together for the program cellpipe_planted: the planted importer takes assimp's place. */
#include "planted.h"

#define assimp_importer planted_importer
#include "../../cellpipe.c"
