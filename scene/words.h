/* The words of the model's enumerations, the same in stages, dumps and messages: in the enum's order, ended by NULL. */
#ifndef CELLPIPE_WORDS_H
#define CELLPIPE_WORDS_H

#include "cellpipe.h"

extern const char *const mesh_kind_words[];
extern const char *const joint_type_words[];
extern const char *const loop_type_words[];
extern const char *const device_kind_words[];
extern const char *const verdict_words[];
/* What a pair's reason is, if it is one of ours. */
extern const char *const reason_words[];
extern const char *const value_type_words[];
extern const char *const wrap_words[];
extern const char *const sampling_words[];
extern const char *const alpha_words[];
extern const char *const texture_role_words[];
/* By CP_USE_...; 0 is "none". */
extern const char *const use_words[];
/* By the bit of CP_NODE_... */
extern const char *const node_flag_words[];

#endif
