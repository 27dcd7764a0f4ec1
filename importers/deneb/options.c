/* The options of the Deneb importers. */
#include <stddef.h>

#include "deneb.h"

/* clang-format off */
#define OF_PARTS                                                                                                       \
    {"matrix", "how matrices are written: of row vectors, of column vectors, or as each looks", CP_OPTION_CHOICE,         \
     offsetof(struct deneb_settings, matrix), "auto", .choices = "auto|row|col"}

#define OF_DEVICES                                                                                                     \
    {"paths", "a file with the folders of parts and devices", CP_OPTION_PATH,                                             \
     .offset = offsetof(struct deneb_settings, paths)},                                                                \
    {"colour", "which colour holds where a device gives a part another", CP_OPTION_CHOICE,                                \
     offsetof(struct deneb_settings, colour), "device", .choices = "device|part"},                                     \
    {"dof_zero", "joints that follow a formula stand at 0, as in NIST's translator", CP_OPTION_BOOLEAN,                   \
     offsetof(struct deneb_settings, dof_zero), .initial = "no"},                                                      \
    {"outside", "follow paths that lead out of the folder (\"..\")", CP_OPTION_BOOLEAN,                                   \
     offsetof(struct deneb_settings, outside), .initial = "no"}

#define OF_RECORDINGS                                                                                                  \
    {"tolerance", "a recording is thinned to keys that are this near to all others; 0 keeps all", CP_OPTION_LENGTH,       \
     offsetof(struct deneb_settings, tolerance), "0", .maximum = 1e6}
/* clang-format on */

const cp_option deneb_part_options[] = {
    OF_PARTS,
    {"unit", "the unit of length of legacy geometry, which does not say it (mm when not given)", CP_OPTION_UNIT,
     .offset = offsetof(struct deneb_settings, unit)},
    {"explain", "tell which readings of legacy geometry were tried, and why each failed (notes)", CP_OPTION_BOOLEAN,
     offsetof(struct deneb_settings, explain), .initial = "no"},
    CP_OPTIONS_END};

const cp_option deneb_device_options[] = {OF_PARTS, OF_DEVICES, CP_OPTIONS_END};
const cp_option deneb_workcell_options[] = {OF_PARTS,
                                            OF_DEVICES,
                                            {"recording", "a recording of the cell, which becomes a clip",
                                             CP_OPTION_PATH, .offset = offsetof(struct deneb_settings, recording)},
                                            OF_RECORDINGS,
                                            CP_OPTIONS_END};
const cp_option deneb_recording_options[] = {OF_PARTS,
                                             OF_DEVICES,
                                             {"workcell",
                                              "the workcell's file; when not said, the name in the recording and .dcw",
                                              CP_OPTION_PATH, .offset = offsetof(struct deneb_settings, workcell)},
                                             OF_RECORDINGS,
                                             CP_OPTIONS_END};
