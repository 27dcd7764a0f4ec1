/* Takes joint values from the words of a command. */
#include "posing.h"

#include <string.h>

enum { MOST_NAMES = 10000 }; /* the most names that are compared for the nearest one, which is slow */

/* ---- the request ---- */

/* Takes the words after the input. Numbers become one text "0.1,0.2"; NAME=VALUE is a joint whose name has blanks,
 * since sort_words takes no such word for an option. */
static cp_status take_words(struct cli *cli, const struct request *request, struct posing *posing)
{
    const struct list *words = &request->words;
    size_t size = 1;
    for (size_t i = 1; i < words->count; i++)
        size += strlen(words->items[i]) + 1;
    char *values = cli_allocate(cli, size), *end = values;
    bool good = values != NULL;
    for (size_t i = 1; i < words->count && good; i++)
        if (strchr(words->items[i], '='))
            good = list_add(cli, &posing->joints, words->items[i]);
        else
            end = stpcpy(stpcpy(end, end == values ? "" : ","), words->items[i]);
    for (size_t i = 0; i < request->settings.count && good; i++)
        good = list_add(cli, &posing->joints, request->settings.items[i]);
    return good && (end == values || list_add(cli, &posing->q, values)) ? CP_OK : CP_LIMIT;
}

/* Returns the word for a joint without "id:", so that an id may be a name, too. */
static const char *without_id(const char *setting)
{
    return strncmp(setting, "id:", 3) == 0 ? setting + 3 : setting;
}

cp_status take_posing(struct cli *cli, const struct request *request, struct posing *posing,
                      const struct command *command)
{
    if (request->words.count == 0)
        return complain(cli, CP_USAGE, "%s needs an input: cellpipe %s CELL [Q...]", command->name, command->name);
    cp_status status = take_words(cli, request, posing);
    const struct list *joints = &posing->joints;
    for (size_t i = 0; i < joints->count && status == CP_OK; i++)
        for (size_t k = 0; k < i; k++) { /* one joint, one value */
            const char *one = without_id(joints->items[i]), *other = without_id(joints->items[k]);
            size_t size = (size_t)(strrchr(one, '=') - one) + 1;
            if (strncmp(one, other, size) == 0 && !strchr(other + size, '='))
                return complain(cli, CP_USAGE, "the joint has two values: %s and %s", joints->items[k],
                                joints->items[i]);
        }
    if (status == CP_OK && posing->q.count + posing->deg.count > 1)
        return complain(cli, CP_USAGE, "the joints have values twice: give them once, as Q..., q= or deg=");
    return status;
}

/* ---- joint values ---- */

static cp_status find_device(struct cli *cli, const cp_scene *scene, const char *name, uint32_t *device)
{
    uint32_t count;
    const cp_device *devices = cp_devices(scene, &count);
    struct list names = {0};
    bool good = true;
    for (*device = 0; *device < count; ++*device)
        if (strcmp(devices[*device].name, name) == 0 || strcmp(devices[*device].id, without_id(name)) == 0)
            return CP_OK;
    for (uint32_t i = 0; i < count && i < MOST_NAMES && good; i++)
        good = list_add(cli, &names, devices[i].name);
    return good && list_add(cli, &names, NULL) ? complain_missing(cli, "device", name, names.items) : CP_LIMIT;
}

cp_status choose_device(struct cli *cli, const cp_scene *scene, const char *name, const char *question,
                        uint32_t *device)
{
    uint32_t count, found = 0;
    const cp_device *devices = cp_devices(scene, &count);
    char names[1024] = "";
    if (name)
        return find_device(cli, scene, name, device);
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i].joint_count == 0)
            continue;
        *device = i;
        size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", found ? ", " : "", devices[i].name);
        found++;
    }
    if (found == 0)
        return complain(cli, CP_USAGE, "no device has joints: give joints their values by name, as NAME=VALUE");
    if (found > 1)
        return complain(cli, CP_USAGE, "%s device=NAME, of %s", question, names);
    return CP_OK;
}

static cp_status pose_joint(struct cli *cli, cp_scene *scene, const char *setting, const struct command *command)
{
    size_t size = (size_t)(strrchr(setting, '=') - setting);
    const char *name = cli_print(cli, "%.*s", (int)size, setting);
    uint32_t count, known = 0;
    const cp_joint *joints = cp_joints(scene, &count);
    if (!name)
        return CP_LIMIT;
    while (known < count && strcmp(joints[known].name, name) != 0 && strcmp(joints[known].id, without_id(name)) != 0)
        known++;
    if (known == count) { /* the user may have meant an option */
        struct list names = {0};
        bool good = true;
        for (uint32_t i = 0; i < count && i < MOST_NAMES && good; i++)
            good = list_add(cli, &names, joints[i].name);
        good = good && add_option_names(cli, command, false, &names) && list_add(cli, &names, NULL);
        return good ? complain_missing(cli, "joint or option", name, names.items) : CP_LIMIT;
    }
    const char *options[] = {cli_print(cli, "joint=%s", name), cli_print(cli, "value=%s", setting + size + 1)};
    return options[0] && options[1] ? cp_apply(cli->context, scene, "pose", options, 2) : CP_LIMIT;
}

bool is_posed(const struct posing *posing)
{
    return posing->home || posing->q.count + posing->deg.count + posing->joints.count > 0;
}

cp_status pose_cell(struct cli *cli, cp_scene *scene, const struct posing *posing, const struct command *command)
{
    cp_status status = CP_OK;
    if (posing->home)
        status = cp_apply(cli->context, scene, "pose", (const char *const[]){"home=yes"}, 1);
    if (status == CP_OK && posing->q.count + posing->deg.count > 0) {
        const char *name = posing->device, *values = posing->q.count ? posing->q.items[0] : posing->deg.items[0];
        uint32_t device = 0, count;
        status = name ? CP_OK : choose_device(cli, scene, NULL, "whose values are these? Give", &device);
        if (status != CP_OK)
            return status;
        const char *options[] = {name ? cli_print(cli, "device=%s", name)
                                      : cli_print(cli, "device=id:%s", cp_devices(scene, &count)[device].id),
                                 cli_print(cli, "%s=%s", posing->q.count ? "q" : "deg", values)};
        status = options[0] && options[1] ? cp_apply(cli->context, scene, "pose", options, 2) : CP_LIMIT;
    }
    for (size_t i = 0; i < posing->joints.count && status == CP_OK; i++)
        status = pose_joint(cli, scene, posing->joints.items[i], command);
    return status;
}

/* ---- frames ---- */

cp_status find_frame(struct cli *cli, const cp_scene *scene, const char *name, uint32_t *frame)
{
    uint32_t count, found = 0;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(nodes[i].id, without_id(name)) == 0) {
            *frame = i;
            return CP_OK;
        } else if (strcmp(nodes[i].name, name) == 0 && found++ == 0) {
            *frame = i;
        }
    if (found == 1)
        return CP_OK;
    if (found > 1)
        return complain(cli, CP_USAGE, "%u frames are called \"%s\": name one by its id, such as id:%s",
                        (unsigned)found, name, nodes[*frame].id);
    struct list names = {0};
    bool good = true;
    for (uint32_t i = 0; i < count && i < MOST_NAMES && good; i++)
        good = list_add(cli, &names, nodes[i].name);
    return good && list_add(cli, &names, NULL) ? complain_missing(cli, "frame", name, names.items) : CP_LIMIT;
}

cp_status choose_end(struct cli *cli, const cp_scene *scene, const char *name, const char *device_name, uint32_t *frame)
{
    uint32_t device, count;
    if (name)
        return find_frame(cli, scene, name, frame);
    cp_status status = choose_device(cli, scene, device_name, "which frame? Give frame=NAME, or", &device);
    if (status != CP_OK)
        return status;
    const cp_device *it = &cp_devices(scene, &count)[device];
    *frame = it->end_count > 0 ? it->ends[0] : it->base;
    if (it->end_count > 1)
        return complain(cli, CP_USAGE, "device \"%s\" has %u ends: give frame=NAME, such as frame=\"%s\"", it->name,
                        (unsigned)it->end_count, cp_nodes(scene, &count)[it->ends[0]].name);
    return CP_OK;
}

void relate(const cp_pose *from, const cp_pose *frame, cp_pose *pose)
{
    const double *m = from->m;
    double inverse[3][3], determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[i][k] = m[4 * a + c] * m[4 * b + d] - m[4 * a + d] * m[4 * b + c];
        }
    for (int i = 0; i < 3; i++)
        determinant += m[4 * i] * inverse[0][i];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double sum = 0;
            for (int i = 0; i < 3; i++)
                sum += inverse[row][i] * (frame->m[4 * i + column] - (column == 3 ? m[4 * i + 3] : 0));
            pose->m[4 * row + column] = sum / determinant;
        }
}
