/* Reads devices: parts on parts by attach flags, and the joints that move them. */
#include "cell.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "model/model.h"

double deneb_angle(struct deneb_file *file)
{
    if (deneb_accept(file, "deg"))
        return degrees_to_radians(1);
    if (deneb_accept(file, "rad"))
        return 1;
    deneb_expected(file, "deg or rad");
    return 1;
}

double deneb_joint_unit(const struct deneb_joint *joint, struct deneb_units units)
{
    return joint->motion == DENEB_ROTATE ? units.angle : joint->motion == DENEB_TRANSLATE ? units.length : 1;
}

/* ---- parts ---- */

/* Tells whether the token is bits. They are text: 01 and 1 differ. */
static bool is_bits(const struct deneb_token *token)
{
    for (size_t i = 0; i < token->size; i++)
        if (token->start[i] != '0' && token->start[i] != '1')
            return false;
    return token->kind != DENEB_END && token->kind != DENEB_FORMULA && token->size > 0;
}

/* Reads a flag, in which blanks between bits do not matter. */
static const char *read_flag(struct deneb_file *file)
{
    struct buffer bits = {.context = file->context};
    if (!deneb_in_line(file, "bits"))
        return "";
    if (!is_bits(&file->token))
        deneb_expected(file, "an attach flag of bits 0 and 1");
    while (file->status == CP_OK && !file->token.begins_line && is_bits(&file->token)) {
        buffer_append(&bits, file->token.start, file->token.size);
        deneb_next(file);
    }
    const char *flag = arena_copy_text(file->arena, bits.data ? bits.data : "", bits.size);
    if (!flag || bits.failed)
        file->status = CP_LIMIT;
    buffer_free(&bits);
    return flag;
}

bool deneb_make_room(struct deneb_file *file, struct deneb_cell *cell, uint32_t parts, uint32_t joints)
{
    uint64_t most = limit_nodes(cell->context), part_count = cell->parts.count + (uint64_t)parts,
             joint_count = cell->joints.count + (uint64_t)joints;
    if (file->status == CP_OK && (part_count > most || joint_count > most))
        file->status = report_error(cell->context, CP_LIMIT, "scene-nodes", deneb_place(file),
                                    "more parts or joints than the limit of %llu (%s)", (unsigned long long)most,
                                    limit_of_nodes(cell->context));
    if (file->status == CP_OK &&
        (!array_reserve(cell->context, &cell->parts.items, &cell->parts.room, part_count, sizeof *cell->parts.items) ||
         !array_reserve(cell->context, &cell->joints.items, &cell->joints.room, joint_count,
                        sizeof *cell->joints.items)))
        file->status = CP_LIMIT;
    return file->status == CP_OK;
}

static bool read_placing(struct deneb_file *file, const struct deneb_cell *cell, struct deneb_units units,
                         struct deneb_part *part)
{
    if (deneb_accept(file, "MATRIX")) {
        part->pose = deneb_pose(file, (enum deneb_matrix)cell->settings->matrix, units.length);
    } else if (deneb_accept(file, "COLOR")) {
        deneb_colour(file, part->rgba);
        part->has_colour = true;
    } else {
        return false;
    }
    return true;
}

/* Reads a part after the word PART: "name" FILE "file" ATTACH bits, and perhaps MATRIX and COLOR. */
static void read_part(struct deneb_file *file, struct deneb_cell *cell, struct deneb_layers *layers,
                      struct deneb_device *device)
{
    struct deneb_part part = {.pose = POSE_IDENTITY,
                              .place = deneb_place(file),
                              .device = (uint32_t)(device - cell->devices.items),
                              .parent = CP_NONE,
                              .node = CP_NONE};
    part.name = deneb_in_line(file, "a name") ? deneb_name(file, &part.raw) : "";
    for (bool more = true; more && file->status == CP_OK;) {
        if (deneb_accept(file, "FILE"))
            part.file = deneb_in_line(file, "a path") ? deneb_name(file, &part.file_raw) : "";
        else if (deneb_accept(file, "ATTACH"))
            part.flag = read_flag(file);
        else
            more = read_placing(file, cell, device->units, &part);
    }
    if (file->status == CP_OK && !part.flag)
        file->status = report_error(file->context, CP_INPUT, "deneb-flag", part.place,
                                    "the part \"%s\" has no ATTACH, so what hangs on it is not known", part.name);
    if (file->status == CP_OK) {
        /* The flags before it tell on which part it hangs. Too deep a tree ends here, before it costs memory. */
        uint64_t most = cell->context->limits.depth; /* the world and the device take two of these */
        uint32_t parent, depth;
        if (!deneb_add_layer(layers, part.flag, &parent, &depth))
            file->status = CP_LIMIT;
        else if (depth + UINT64_C(2) > most)
            file->status = report_error(cell->context, CP_LIMIT, "scene-depth", part.place,
                                        "the part \"%s\" lies deeper than the limit of %llu (--limit depth=)",
                                        part.name, (unsigned long long)most);
        else if (parent != CP_NONE)
            part.parent = device->first_part + parent;
    }
    if (!deneb_make_room(file, cell, 1, 0))
        return;
    cell->parts.items[cell->parts.count++] = part;
    device->part_count++;
}

/* ---- joints ---- */

static const struct {
    const char *word, *alias; /* the numbers of the three-letter enumeration in an SDK of Deneb's successor */
    enum deneb_motion motion;
    int axis;
} joint_types[] = {
    {"TRANS_X", "13", DENEB_TRANSLATE, 0}, {"TRANS_Y", "14", DENEB_TRANSLATE, 1},
    {"TRANS_Z", "15", DENEB_TRANSLATE, 2}, {"ROTATE_X", "16", DENEB_ROTATE, 0},
    {"ROTATE_Y", "17", DENEB_ROTATE, 1},   {"ROTATE_Z", "18", DENEB_ROTATE, 2},
    {"SCALE_X", NULL, DENEB_SCALE, 0},     {"SCALE_Y", NULL, DENEB_SCALE, 1},
    {"SCALE_Z", NULL, DENEB_SCALE, 2},     {"SCALE_ALL", NULL, DENEB_SCALE, DENEB_ALL_AXES},
};

static bool read_type(struct deneb_file *file, struct deneb_joint *joint)
{
    for (size_t i = 0; i < sizeof joint_types / sizeof *joint_types; i++)
        if (deneb_accept(file, joint_types[i].word) ||
            (joint_types[i].alias && deneb_accept(file, joint_types[i].alias))) {
            joint->motion = joint_types[i].motion;
            joint->axis = joint_types[i].axis;
            return true;
        }
    deneb_expected(file, "a type such as ROTATE_Z or TRANS_X");
    return false;
}

/* Reads a formula: "=...", =... to the end of the line, or a number. */
static const char *read_formula(struct deneb_file *file)
{
    const struct deneb_token *token = &file->token;
    if (!deneb_in_line(file, "a value"))
        return NULL;
    size_t skipped = token->kind == DENEB_STRING && token->size > 0 && *token->start == '=';
    if (token->kind != DENEB_FORMULA && !skipped) {
        char text[NUMBER_SIZE];
        size_t size = print_double(deneb_number(file, false), text);
        return arena_copy_text(file->arena, text, size);
    }
    const char *raw, *text = utf8_from(file->arena, token->start + skipped, token->size - skipped, &raw);
    if (!text)
        file->status = CP_LIMIT;
    else
        deneb_next(file);
    return text;
}

/* Reads a joint after the word JOINT: "name" PART number TYPE type, and perhaps INIT, LOWER, UPPER, and VALUE or
 * FREE. */
static void read_joint(struct deneb_file *file, struct deneb_cell *cell, struct deneb_device *device)
{
    struct deneb_joint joint = {.lower = -INFINITY, .upper = INFINITY, .place = deneb_place(file), .joint = CP_NONE};
    bool has_part = false, has_type = false, has_initial = false;
    joint.name = deneb_in_line(file, "a name") ? deneb_name(file, &joint.raw) : "";
    while (file->status == CP_OK) {
        if (!file->token.begins_line && deneb_accept(file, "PART")) { /* else it is the next part */
            if (deneb_in_line(file, "a part"))
                joint.part = deneb_count(file, "the number of a part", UINT32_MAX - 1);
            has_part = true;
        } else if (deneb_accept(file, "TYPE")) {
            has_type = deneb_in_line(file, "a type") && read_type(file, &joint);
        } else if (deneb_accept(file, "INIT")) {
            joint.initial = deneb_in_line(file, "a value") ? deneb_number(file, false) : 0;
            has_initial = true;
        } else if (deneb_accept(file, "LOWER")) {
            joint.lower = deneb_in_line(file, "a value") ? deneb_number(file, false) : 0;
        } else if (deneb_accept(file, "UPPER")) {
            joint.upper = deneb_in_line(file, "a value") ? deneb_number(file, false) : 0;
        } else if (deneb_accept(file, "VALUE")) {
            joint.formula = read_formula(file);
        } else if (deneb_accept(file, "FREE")) {
            joint.is_free = true;
        } else {
            break;
        }
    }

    if (file->status == CP_OK && (!has_part || !has_type))
        file->status = report_error(file->context, CP_INPUT, "deneb-joint", joint.place, "the joint \"%s\" has no %s",
                                    joint.name, has_part ? "TYPE" : "PART");
    if (file->status == CP_OK && joint.is_free && (joint.formula || joint.motion == DENEB_SCALE))
        file->status = report_error(
            file->context, CP_INPUT, "deneb-free", joint.place,
            joint.formula ? "the joint \"%s\" is FREE and has a VALUE" : "the scale \"%s\" cannot be FREE", joint.name);
    if (file->status == CP_OK && joint.motion == DENEB_ROTATE && device->units.angle == 0)
        file->status = report_error(file->context, CP_INPUT, "deneb-angle", joint.place,
                                    "the joint \"%s\" turns, but no ANGLE says in what", joint.name);
    if (file->status == CP_OK && joint.lower > joint.upper) {
        double lower = joint.upper;
        joint.upper = joint.lower;
        joint.lower = lower;
        file->status = report_lenient(file->context, file->strict, "deneb-limits", joint.place,
                                      "the limits of \"%s\" are the wrong way round", joint.name);
    }
    if (!has_initial) /* neutral, or the limit that is nearest to it */
        joint.initial = fmax(joint.lower, fmin(joint.upper, joint.motion == DENEB_SCALE ? 1 : 0));
    else if (file->status == CP_OK && !joint.formula && (joint.initial < joint.lower || joint.initial > joint.upper))
        file->status = report_lenient(file->context, file->strict, "deneb-initial", joint.place,
                                      "the initial value of \"%s\" is beyond its limits", joint.name);
    if (!deneb_make_room(file, cell, 0, 1))
        return;
    cell->joints.items[cell->joints.count++] = joint;
    device->joint_count++;
}

/* ---- loops and frames ---- */

/* Reads a matrix without scale, shear and mirroring. */
static cp_pose read_rigid(struct deneb_file *file, const struct deneb_cell *cell, struct deneb_units units)
{
    struct place place = deneb_place(file);
    cp_pose pose = deneb_pose(file, (enum deneb_matrix)cell->settings->matrix, units.length);
    if (file->status == CP_OK && !pose_is_rigid(&pose, 1e-6))
        file->status = report_error(file->context, CP_INPUT, "deneb-rigid", place,
                                    "the matrix is no rotation and translation alone");
    return pose;
}

void deneb_read_loop(struct deneb_file *file, struct deneb_cell *cell, struct deneb_units units)
{
    struct deneb_loop loop = {.place = deneb_place(file), .poses = {POSE_IDENTITY, POSE_IDENTITY}};
    uint32_t parts = 0;
    bool has_type = false, has_length = false;
    const char *twice = NULL;
    loop.name = deneb_in_line(file, "a name") ? deneb_name(file, &loop.raw) : "";
    while (file->status == CP_OK) {
        if (parts < 2 && deneb_accept(file, "PART")) {
            loop.parts[parts++] = deneb_count(file, "the number of a part", UINT32_MAX - 1);
        } else if (parts > 0 && deneb_accept(file, "MATRIX")) {
            loop.poses[parts - 1] = read_rigid(file, cell, units);
        } else if (deneb_accept(file, "TYPE")) {
            uint32_t type = 0;
            while (loop_type_words[type] && !deneb_accept(file, loop_type_words[type]))
                type++;
            if (!loop_type_words[type])
                deneb_expected(file, "a type such as SPHERICAL or REVOLUTE");
            loop.type = (cp_loop_type)type;
            twice = has_type ? "has two TYPEs" : twice;
            has_type = true;
        } else if (deneb_accept(file, "LENGTH")) {
            loop.length = deneb_number(file, false) * units.length;
            twice = has_length ? "has two LENGTHs" : twice;
            has_length = true;
        } else {
            break;
        }
    }
    if (file->status == CP_OK && !file->token.begins_line && (!has_type || parts < 2))
        deneb_expected(file, "PART, MATRIX, TYPE or LENGTH");
    const char *why = twice                            ? twice
                      : !has_type                      ? "has no TYPE"
                      : parts < 2                      ? "needs two PARTs"
                      : loop.parts[0] == loop.parts[1] ? "joins a part to itself"
                      : has_length != (loop.type == CP_LOOP_DISTANCE)
                          ? "has a LENGTH if it is a DISTANCE, and only then"
                      : loop.length < 0 ? "has a LENGTH below 0"
                                        : NULL;
    if (file->status == CP_OK && why)
        file->status =
            report_error(file->context, CP_INPUT, "deneb-loop", loop.place, "the loop \"%s\" %s", loop.name, why);
    if (file->status == CP_OK &&
        !array_add(cell->context, &cell->loops.items, &cell->loops.room, &cell->loops.count, &loop, sizeof loop))
        file->status = CP_LIMIT;
}

/* Reads a frame after TOOL, MOUNT or REFERENCE: "name" PART number, and perhaps MATRIX. */
static void read_frame(struct deneb_file *file, struct deneb_cell *cell, struct deneb_device *device, bool is_tool)
{
    struct deneb_frame frame = {.pose = POSE_IDENTITY, .place = deneb_place(file), .is_tool = is_tool};
    bool has_part = false;
    frame.name = deneb_in_line(file, "a name") ? deneb_name(file, &frame.raw) : "";
    if (file->status == CP_OK && !file->token.begins_line && deneb_accept(file, "PART")) {
        frame.part = deneb_count(file, "the number of a part", UINT32_MAX - 1);
        has_part = true;
    }
    if (file->status == CP_OK && deneb_accept(file, "MATRIX"))
        frame.pose = read_rigid(file, cell, device->units);
    if (file->status == CP_OK && !has_part)
        file->status = report_error(file->context, CP_INPUT, "deneb-frame", frame.place, "the frame \"%s\" has no PART",
                                    frame.name);
    if (file->status != CP_OK)
        return;
    if (array_add(cell->context, &cell->frames.items, &cell->frames.room, &cell->frames.count, &frame, sizeof frame))
        device->frame_count++;
    else
        file->status = CP_LIMIT;
}

/* ---- a device ---- */

/* Checks that the device has the part that one of its statements names. */
static void check_part(struct deneb_file *file, const struct deneb_device *device, const char *what, const char *name,
                       uint32_t part, struct place place)
{
    if (file->status == CP_OK && part >= device->part_count)
        file->status = report_error(file->context, CP_INPUT, "deneb-joint", place,
                                    "the %s \"%s\" is of part %u, but \"%s\" has %u parts", what, name, (unsigned)part,
                                    device->name, (unsigned)device->part_count);
}

uint32_t deneb_add_device(struct deneb_file *file, struct deneb_cell *cell, struct deneb_units units)
{
    struct deneb_device device = {.units = units,
                                  .pose = POSE_IDENTITY,
                                  .attachment = -1,
                                  .host = CP_NONE,
                                  .source = file->source,
                                  .place = deneb_place(file),
                                  .node = CP_NONE};
    device.name = deneb_in_line(file, "a name") ? deneb_name(file, &device.raw) : "";
    if (file->status == CP_OK && !array_add(cell->context, &cell->devices.items, &cell->devices.room,
                                            &cell->devices.count, &device, sizeof device))
        file->status = CP_LIMIT;
    return file->status == CP_OK ? cell->devices.count - 1 : CP_NONE;
}

void deneb_read_device(struct deneb_file *file, struct deneb_cell *cell, struct deneb_layers *layers, uint32_t index,
                       uint32_t open)
{
    enum { MOST_SHOWN = 40 };
    struct deneb_device *device = &cell->devices.items[index];
    device->source = file->source;
    device->first_part = cell->parts.count;
    device->first_joint = cell->joints.count;
    device->first_loop = cell->loops.count;
    device->first_frame = cell->frames.count;
    *layers = (struct deneb_layers){.context = cell->context};
    while (!deneb_section_ends(file, "DEVICE")) {
        /* MATRIX and COLOR belong to the last part; before the first one, MATRIX belongs to the device. */
        struct deneb_part own = {.pose = device->pose};
        struct deneb_part *part = device->part_count > 0 ? &cell->parts.items[cell->parts.count - 1] : &own;
        if (deneb_statement(file, "PART")) {
            read_part(file, cell, layers, device);
        } else if (deneb_statement(file, "JOINT")) {
            read_joint(file, cell, device);
        } else if (deneb_statement(file, "LOOP")) {
            deneb_read_loop(file, cell, device->units);
            device->loop_count = cell->loops.count - device->first_loop;
        } else if (deneb_statement(file, "TOOL")) {
            read_frame(file, cell, device, true);
        } else if (deneb_statement(file, "MOUNT") || deneb_statement(file, "REFERENCE")) {
            read_frame(file, cell, device, false);
        } else if (deneb_at_keyword(file) && (part != &own || deneb_is(file, "MATRIX")) &&
                   read_placing(file, cell, device->units, part)) {
            if (part == &own)
                device->pose = own.pose;
        } else {
            deneb_skip_unknown(file, open);
            continue;
        }
        deneb_end_statement(file);
    }
    for (uint32_t i = 0; i < device->joint_count; i++) {
        const struct deneb_joint *joint = &cell->joints.items[device->first_joint + i];
        check_part(file, device, "joint", joint->name, joint->part, joint->place);
    }
    for (uint32_t i = 0; i < 2 * device->loop_count; i++) {
        const struct deneb_loop *loop = &cell->loops.items[device->first_loop + i / 2];
        check_part(file, device, "loop", loop->name, loop->parts[i % 2], loop->place);
    }
    for (uint32_t i = 0; i < device->frame_count; i++) {
        const struct deneb_frame *frame = &cell->frames.items[device->first_frame + i];
        check_part(file, device, "frame", frame->name, frame->part, frame->place);
    }

    /* The attach flags are complete: check that they are those of a tree. */
    uint32_t odd = deneb_end_layers(layers);
    if (file->status != CP_OK || odd == CP_NONE)
        return;
    const struct deneb_part *part = &cell->parts.items[device->first_part + odd];
    file->status =
        report_lenient(file->context, file->strict, "deneb-layers", part->place,
                       "the attach flags of \"%s\" do not form a tree, from part \"%s\" (%.*s%s) on: layers are "
                       "opened and closed as far as that goes",
                       device->name, part->name, MOST_SHOWN, part->flag, strlen(part->flag) > MOST_SHOWN ? "..." : "");
}

/* ---- a device file ---- */

void deneb_name_by_file(struct deneb_device *device)
{
    if (*device->name)
        return;
    device->name = device->file_name;
    device->raw = device->file_raw;
}

void deneb_read_device_file(struct deneb_file *file, struct deneb_cell *cell, struct deneb_layers *layers,
                            uint32_t index)
{
    struct deneb_device *device = &cell->devices.items[index];
    bool found = false;
    device->units = (struct deneb_units){0.001, 0};
    deneb_lexer_start(file);
    deneb_magic(file, DENEB_DEVICE);
    while (file->status == CP_OK && file->token.kind != DENEB_END) {
        if (found && (deneb_is(file, "UNIT") || deneb_is(file, "ANGLE") || deneb_is(file, "DEVICE"))) {
            file->status = report_error(file->context, CP_INPUT, "deneb-order", deneb_place(file),
                                        "a device file has one DEVICE, and UNIT and ANGLE stand before it");
            return;
        }
        if (deneb_statement(file, "DEVICE")) {
            device->file_name = deneb_in_line(file, "a name") ? deneb_name(file, &device->file_raw) : "";
            deneb_name_by_file(device);
            deneb_end_statement(file);
            deneb_read_device(file, cell, layers, index, 1);
            found = true;
            continue;
        }
        if (deneb_statement(file, "UNIT")) {
            device->units.length = deneb_unit(file);
        } else if (deneb_statement(file, "ANGLE")) {
            device->units.angle = deneb_angle(file);
        } else {
            deneb_skip_unknown(file, 0);
            continue;
        }
        deneb_end_statement(file);
    }
    device->file_pose = device->pose;
    if (file->status == CP_OK && !found)
        file->status = report_error(file->context, CP_INPUT, "deneb-device", IN_FILE(file->source->name),
                                    "the file holds no DEVICE");
}
