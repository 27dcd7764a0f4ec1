/* The table of what cli/ calls. */
#include "server.h"
#include "users.h"

__attribute__((visibility("default")))
const struct live_room live_room = {.size = sizeof live_room, .serve = live_serve, .change_users = change_users};
