/* The configuration that a command's words give: CELL [Q...] [JOINT=VALUE]... device= q= deg= home=. */
#ifndef CELLPIPE_POSING_H
#define CELLPIPE_POSING_H

#include "cli.h"

struct posing {
    const char *device;
    struct list q, deg, joints; /* "0.1,0.2" and "10,20" for the device's joints; "NAME=VALUE" */
    bool home;                  /* all other joints at their homes */
};

/* The rows of a command whose struct has the member `posing`. */
#define POSING_OPTIONS(wanted)                                                                                         \
    {"Q...", "values of the device's joints in order: radians, metres, or with a unit (30deg, 5mm)", CP_OPTION_WORD,   \
     .offset = 0},                                                                                                     \
        {"q",                                                                                                          \
         "the same in one word",                                                                                       \
         CP_OPTION_STRING,                                                                                             \
         offsetof(wanted, posing.q),                                                                                   \
         .value = "A,B,...",                                                                                           \
         .repeats = true},                                                                                             \
        {"deg",                                                                                                        \
         "as q, with degrees for joints that turn",                                                                    \
         CP_OPTION_STRING,                                                                                             \
         offsetof(wanted, posing.deg),                                                                                 \
         .value = "A,B,...",                                                                                           \
         .repeats = true},                                                                                             \
        {"device", "the device of Q..., q= and deg=, if several have joints", CP_OPTION_DEVICE,                        \
         .offset = offsetof(wanted, posing.device)},                                                                   \
        {"JOINT=VALUE", "the value of one joint, by name, or by id as id:j1#2=VALUE", CP_OPTION_WORD, .offset = 0},    \
    {                                                                                                                  \
        "home", "set all other joints to their homes", CP_OPTION_BOOLEAN, offsetof(wanted, posing.home),               \
            .value = "yes"                                                                                             \
    }

/* Takes the words behind the input. CP_USAGE, reported, when there is no input or values contradict each other. */
cp_status take_posing(struct cli *cli, const struct request *request, struct posing *posing,
                      const struct command *command);
/* Returns true if any value is given. */
bool is_posed(const struct posing *posing);
/* Sets the joints. An unknown joint may have been meant as one of the command's options. */
cp_status pose_cell(struct cli *cli, cp_scene *scene, const struct posing *posing, const struct command *command);
/* Finds the device of that name or id; NULL: the one with joints. CP_USAGE, reported with the question, when there is
 * none or more than one. */
cp_status choose_device(struct cli *cli, const cp_scene *scene, const char *name, const char *question,
                        uint32_t *device);
/* Finds the frame of that name or id. CP_USAGE, reported, when there is none, or several have the name. */
cp_status find_frame(struct cli *cli, const cp_scene *scene, const char *name, uint32_t *frame);
/* Does the same; or if the name is NULL, finds the end of the device of that name, or of the one with joints. */
cp_status choose_end(struct cli *cli, const cp_scene *scene, const char *name, const char *device_name,
                     uint32_t *frame);
/* Finds a frame's pose as it is seen from another one, whose scales and mirroring count. */
void relate(const cp_pose *from, const cp_pose *frame, cp_pose *pose);

#endif
