/* Loads the room live/ when a command needs it: its libraries take time to load. */
#include "cli.h"

#include <dlfcn.h>

#include "../live/live.h"

cp_status load_live(struct cli *cli, const struct live_room **room)
{
    if (!*VERSION_OF_LWS)
        return complain(cli, CP_USAGE,
                        "this build has no live cells: apt-get install libwebsockets-dev, then build again");
    void *library = dlopen("cellpipe_live.so", RTLD_NOW | RTLD_LOCAL);
    *room = library ? dlsym(library, "live_room") : NULL;
    if (!*room)
        return complain(cli, CP_LIMIT, "a library that live cells need cannot be loaded: %.300s", dlerror());
    return CP_OK;
}
