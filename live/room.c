/* The table of what cli/ calls. */
#include "users.h"

__attribute__((visibility("default")))
const struct live_room live_room = {.size = sizeof live_room, .change_users = change_users};
