/* Worlds that our exporter has written (exporters/vrml97): joints are Transforms in their frames, and the strings of
 * the WorldInfo have the names, limits and masters for which VRML97 has no field. */

#include "base/text/text.h"
#include "vrml97.h"

/* A string "joint NAME TYPE KEY=VALUE ... name=ORIGINAL". */
struct own_joint {
    const char *def, *name, *text; /* text: from the type on */
    cp_joint_type type;
    uint32_t index; /* the scene's, or CP_NONE */
    uint32_t next;  /* the next fixed joint of the same frame */
};

struct own_texts {
    const char **items;
    uint32_t count, room;
};

struct wrl_own {
    struct own_joint *joints;
    uint32_t count, room;
    struct name_map names; /* "KIND NAME": the string's place in `texts` */
    const char **texts;
    uint32_t text_count, text_room;
    struct name_map joint_names; /* keyed by DEF name; a fixed joint has that of its frame */
    bool *leads;                 /* indexed by joint of the scene: others follow it */
    struct name_map frames;      /* keyed by DEF name */
    struct own_texts devices, scopes;
};

/* ---- the strings ---- */

/* Takes the next word; returns what is behind it and the blank. NULL at the end. */
static const char *take_word(struct wrl *wrl, const char *text, const char **word)
{
    const char *blank = strchr(text, ' ');
    if (!blank)
        return NULL;
    *word = arena_copy_text(wrl->arena, text, (size_t)(blank - text));
    return *word ? blank + 1 : NULL;
}

/* Finds the value of a key among the words before the name, as a text in the arena; NULL if it is not there. start:
 * where the search begins, and goes on. */
static const char *value_of(struct wrl *wrl, const char **start, const char *key)
{
    size_t size = strlen(key);
    const char *at = *start;
    while (strncmp(at, "name=", 5) != 0) {
        size_t length = strcspn(at, " ");
        if (length > size && at[size] == '=' && strncmp(at, key, size) == 0) {
            *start = at + length + (at[length] == ' ');
            return arena_copy_text(wrl->arena, at + size + 1, length - size - 1);
        }
        if (!at[length])
            break;
        at += length + 1;
    }
    return NULL;
}

static void read_number(struct wrl *wrl, const char *text, const char *key, double *number)
{
    double read;
    const char *value = value_of(wrl, &text, key);
    if (value && text_is_number(value, &read))
        *number = read;
}

static const char *name_in(const char *text)
{
    const char *name = strncmp(text, "name=", 5) == 0 ? text : strstr(text, " name=");
    return !name ? "" : name + (*name == ' ' ? 6 : 5);
}

static cp_status add_joint_text(struct wrl *wrl, struct wrl_own *own, const char *text)
{
    struct own_joint joint = {.index = CP_NONE, .next = CP_NONE};
    const char *type = NULL, *rest = take_word(wrl, text, &joint.def);
    joint.text = rest;
    if (!rest || !take_word(wrl, rest, &type))
        return CP_OK;
    while (joint_type_words[joint.type] && strcmp(joint_type_words[joint.type], type) != 0)
        joint.type++;
    if (!joint_type_words[joint.type])
        return CP_OK;
    joint.name = name_in(rest);
    bool added;
    uint32_t *row = name_map_add(&own->joint_names, joint.def, own->count, &added);
    if (!row)
        return CP_LIMIT;
    if (!added) { /* a frame with several fixed joints */
        joint.next = *row;
        *row = own->count;
    }
    return array_add(wrl->context, &own->joints, &own->room, &own->count, &joint, sizeof joint) ? CP_OK : CP_LIMIT;
}

static cp_status keep_text(struct wrl *wrl, struct own_texts *texts, const char *text)
{
    return array_add(wrl->context, &texts->items, &texts->room, &texts->count, &text, sizeof text) ? CP_OK : CP_LIMIT;
}

static cp_status add_text(struct wrl *wrl, struct wrl_own *own, const char *text)
{
    static const char *const kinds[] = {"frame ", "mesh ", "look ", "clip "};
    if (strncmp(text, "device ", 7) == 0)
        return keep_text(wrl, &own->devices, text + 7);
    if (strncmp(text, "scope ", 6) == 0)
        return keep_text(wrl, &own->scopes, text + 6);
    if (strncmp(text, "joint ", 6) == 0)
        return add_joint_text(wrl, own, text + 6);
    for (int i = 0; i < 4; i++) {
        const char *end = strstr(text, " name=");
        if (strncmp(text, kinds[i], strlen(kinds[i])) != 0 || !end)
            continue;
        const char *key = arena_copy_text(wrl->arena, text, (size_t)(end - text)), *name = end + 6;
        uint32_t place = own->text_count;
        if (!key || !array_add(wrl->context, &own->texts, &own->text_room, &own->text_count, &name, sizeof name) ||
            !name_map_add(&own->names, key, place, NULL))
            return CP_LIMIT;
    }
    return CP_OK;
}

static bool is_transform(const struct wrl_node *node, const char *name)
{
    return node->kind && node->kind->class == WRL_PLACED && node->name && strcmp(node->name, name) == 0;
}

/* Tells whether the tree is that of our exporter: the world, perhaps in the turn to Y up, behind a WorldInfo. */
static const struct wrl_node *find_world(const struct wrl_file *top)
{
    if (top->node_count < 2 || !top->nodes[0]->kind || top->nodes[0]->kind->class != WRL_INFO)
        return NULL;
    for (uint32_t i = 1; i < top->node_count; i++) {
        const struct wrl_node *node = top->nodes[i], *child = wrl_child(node, "children");
        if (is_transform(node, "WORLD") ||
            (is_transform(node, "y_up") && child && is_transform(child, "WORLD") && node->field_count == 2))
            return node;
    }
    return NULL;
}

cp_status wrl_find_own(struct wrl *wrl, const struct wrl_file *top)
{
    struct wrl_own *own = arena_allocate_zeroed(wrl->arena, 1, sizeof *own);
    const struct wrl_value *info = find_world(top) ? wrl_value(top->nodes[0], "info") : NULL;
    cp_status status = own ? CP_OK : CP_LIMIT;
    if (!info || !own)
        return status;
    own->names.context = own->joint_names.context = own->frames.context = wrl->context;
    wrl->own = own;
    wrl->is_own = true;
    for (uint32_t i = 0; i < info->count && status == CP_OK; i++)
        status = add_text(wrl, own, info->texts[i]);
    return status;
}

const char *wrl_own_name(const struct wrl *wrl, const char *kind, const char *prefix, const char *name)
{
    size_t size = strlen(prefix);
    if (!name || !wrl->own)
        return name ? name : "";
    const char *key = arena_print(wrl->arena, "%s %s", kind, name);
    const uint32_t *row = key ? name_map_find(&wrl->own->names, key) : NULL;
    return row ? wrl->own->texts[*row] : strncmp(name, prefix, size) == 0 ? name + size : name;
}

/* ---- joints ---- */

static struct own_joint *joint_of(const struct wrl *wrl, const struct wrl_node *node)
{
    const uint32_t *row = node->name ? name_map_find(&wrl->own->joint_names, node->name) : NULL;
    struct own_joint *joint = row ? &wrl->own->joints[*row] : NULL;
    return joint && joint->type != CP_JOINT_FIXED ? joint : NULL;
}

uint32_t wrl_own_joint(const struct wrl *wrl, const struct wrl_node *node)
{
    const struct own_joint *joint = joint_of(wrl, node);
    return joint ? joint->index : CP_NONE;
}

/* Reads the axis that the string has; the one that the Transform shows, for worlds of before that. */
static void read_axis(struct wrl *wrl, const struct own_joint *own, const struct wrl_node *node, double axis[3])
{
    const char *text = own->text, *value = value_of(wrl, &text, "axis"), *end = value ? value + strlen(value) : NULL;
    double read[4] = {0, 0, 1, 0};
    for (int i = 0; i < 3 && value; i++) {
        value = parse_double(value, end, &read[i]);
        value = value && (*value == ',' || i == 2) ? value + (i < 2) : NULL;
    }
    if (!value && own->type == CP_JOINT_REVOLUTE) {
        read[0] = read[1] = 0;
        read[2] = 1;
        wrl_numbers(node, "rotation", 4, read);
    } else if (!value && own->type == CP_JOINT_PRISMATIC) {
        wrl_numbers(node, "translation", 3, read);
    }
    double length = sqrt(dot_product(read, read));
    for (int i = 0; i < 3; i++)
        axis[i] = length > 0 && isfinite(length) ? (fabs(length - 1) > 1e-12 ? read[i] / length : read[i]) : (i == 2);
}

/* Reads the value at which the Transform stands. */
static double read_value(const struct wrl_node *node, const cp_joint *joint)
{
    double turn[4] = {0, 0, 1, 0}, way[3] = {0}, scale[3] = {1, 1, 1};
    wrl_numbers(node, "rotation", 4, turn);
    wrl_numbers(node, "translation", 3, way);
    wrl_numbers(node, "scale", 3, scale);
    if (joint->type == CP_JOINT_REVOLUTE)
        return turn[3] * (dot_product(turn, joint->axis) < 0 ? -1 : 1);
    if (joint->type == CP_JOINT_PRISMATIC)
        return dot_product(way, joint->axis);
    return scale[0] != 1 ? scale[0] : scale[1] != 1 ? scale[1] : scale[2];
}

static cp_status add_own_joint(struct wrl *wrl, struct own_joint *own, const struct wrl_node *node, uint32_t frame)
{
    own->index = scene_add_joint(wrl->scene, frame, own->type, own->name);
    if (own->index == CP_NONE)
        return CP_LIMIT;
    cp_joint *joint = &wrl->scene->joints[own->index];
    const char *text = own->text;
    read_number(wrl, text, "lower", &joint->lower);
    read_number(wrl, text, "upper", &joint->upper);
    read_number(wrl, text, "velocity", &joint->velocity);
    read_number(wrl, text, "acceleration", &joint->acceleration);
    read_number(wrl, text, "effort", &joint->effort);
    read_number(wrl, text, "damping", &joint->damping);
    read_number(wrl, text, "friction", &joint->friction);
    read_number(wrl, text, "home", &joint->home);
    size_t size = strcspn(text, " ");
    joint->driven = strncmp(text + size, " passive ", 9) != 0;
    joint->damping = fmax(joint->damping, 0);
    joint->friction = fmax(joint->friction, 0);
    joint->q = joint->home;
    if (own->type == CP_JOINT_FIXED)
        return CP_OK;
    read_axis(wrl, own, node, joint->axis);
    joint->q = read_value(node, joint);
    return CP_OK;
}

/* Finds the Transform of a joint among the children of a node. */
static struct wrl_node *joint_in(const struct wrl *wrl, const struct wrl_node *node)
{
    const struct wrl_value *children = wrl_value(node, "children");
    for (uint32_t i = 0; children && children->store == WRL_AS_NODES && i < children->count; i++)
        if (children->nodes[i]->kind && children->nodes[i]->kind->class == WRL_PLACED &&
            joint_of(wrl, children->nodes[i]))
            return children->nodes[i];
    return NULL;
}

/* Adds the joints of a frame in the order of the strings: Transforms in Transforms, with fixed joints between them. */
cp_status wrl_own_add_joints(struct wrl *wrl, struct wrl_node *node, uint32_t frame)
{
    struct wrl_own *own = wrl->own;
    if (node->name && !name_map_add(&own->frames, node->name, frame, NULL))
        return CP_LIMIT;
    const uint32_t *row = node->name ? name_map_find(&own->joint_names, node->name) : NULL;
    struct wrl_node *at = joint_in(wrl, node);
    uint32_t fixed = CP_NONE; /* the chain of fixed joints runs backwards: turn it */
    for (uint32_t i = row && own->joints[*row].type == CP_JOINT_FIXED ? *row : CP_NONE, next; i != CP_NONE; i = next) {
        next = own->joints[i].next;
        own->joints[i].next = fixed;
        fixed = i;
    }
    cp_status status = CP_OK;
    while (status == CP_OK && (at || fixed != CP_NONE)) {
        struct own_joint *joint = at ? joint_of(wrl, at) : NULL;
        if (fixed != CP_NONE && (!joint || &own->joints[fixed] < joint)) {
            uint32_t next = own->joints[fixed].next;
            status = add_own_joint(wrl, &own->joints[fixed], node, frame);
            fixed = next;
            continue;
        }
        if (joint->index != CP_NONE)
            return CP_OK; /* a frame that is used again has its joints already */
        status = add_own_joint(wrl, joint, at, frame);
        at = joint_in(wrl, at);
    }
    return status;
}

/* ---- masters ---- */

static uint32_t joint_index(const struct wrl *wrl, const char *def)
{
    const uint32_t *row = def ? name_map_find(&wrl->own->joint_names, def) : NULL;
    return row ? wrl->own->joints[*row].index : CP_NONE;
}

/* The joints that one follows. */
struct masters {
    uint32_t items[EXPRESSION_MOST_INPUTS], count;
    double factors[EXPRESSION_MOST_INPUTS]; /* a formula multiplies their values by these */
};

static cp_status follow_formula(struct wrl *wrl, cp_joint *joint, const char *text, double angle,
                                const struct masters *masters)
{
    uint32_t count = masters->count;
    size_t at;
    if (strlen(text) > EXPRESSION_LONGEST || expression_check(text, count, &at)) {
        report_warning(wrl->context, "vrml97-master", NOWHERE, "the formula of the joint \"%.60s\" makes no sense",
                       joint->name);
        return CP_OK;
    }
    cp_expression *expression = scene_allocate(wrl->scene, 1, sizeof *expression);
    double *factors = arena_copy(wrl->scene->arena, masters->factors, count, sizeof *factors);
    uint32_t *inputs = arena_copy(wrl->scene->arena, masters->items, count, sizeof *inputs);
    const char *kept = scene_text(wrl->scene, text);
    if (!expression || !factors || !inputs || !kept)
        return CP_LIMIT;
    *expression =
        (cp_expression){.text = kept, .angle = angle, .input_count = count, .inputs = inputs, .factors = factors};
    joint->expression = expression;
    joint->driven = false;
    return CP_OK;
}

static cp_status follow(struct wrl *wrl, const struct own_joint *own)
{
    const char *at = own->text, *text = own->text, *value;
    struct masters masters = {.count = 0};
    double angle = 1;
    cp_joint *joint = &wrl->scene->joints[own->index];
    bool known = true;
    while (masters.count < EXPRESSION_MOST_INPUTS && (value = value_of(wrl, &at, "master")) != NULL) {
        uint32_t master = joint_index(wrl, value), i = masters.count++;
        masters.items[i] = master;
        masters.factors[i] = 1;
        if (strncmp(at, "factor=", 7) == 0)
            read_number(wrl, at, "factor", &masters.factors[i]);
        known = known && master != CP_NONE && master != own->index && masters.factors[i] != 0;
    }
    if (masters.count == 0)
        return CP_OK;
    const char *formula = value_of(wrl, &text, "expression");
    for (uint32_t i = 0; i < masters.count && known; i++)
        known = !cp_joint_is_dependent(&wrl->scene->joints[masters.items[i]]);
    if (!known || wrl->own->leads[own->index]) {
        report_warning(wrl->context, "vrml97-master", NOWHERE,
                       "the joint \"%.60s\" follows one that is not there or follows others, or is itself followed: "
                       "it is free",
                       joint->name);
        return CP_OK;
    }
    for (uint32_t i = 0; i < masters.count; i++)
        wrl->own->leads[masters.items[i]] = true;
    joint->scale = 1;
    joint->offset = 0;
    read_number(wrl, own->text, "scale", &joint->scale);
    read_number(wrl, own->text, "offset", &joint->offset);
    read_number(wrl, own->text, "angle", &angle);
    if (formula)
        return follow_formula(wrl, joint, formula, angle, &masters);
    joint->master = masters.items[0];
    joint->driven = false;
    return CP_OK;
}

/* ---- devices ---- */

static uint32_t frame_named(const struct wrl_own *own, const char *def)
{
    const uint32_t *row = name_map_find(&own->frames, def);
    return row ? *row : strcmp(def, "WORLD") == 0 ? 0 : CP_NONE;
}

/* Takes a number of a list "1,2,3"; NULL at its end, and where there is none. */
static const char *take_number(const char *text, double *number)
{
    const char *next = text && *text ? parse_double(text, text + strlen(text), number) : NULL;
    return next && isfinite(*number) ? next + (*next == ',') : NULL;
}

static uint32_t count_numbers(const char *text)
{
    uint32_t count = 1;
    for (; text && *text; text++)
        count += *text == ',';
    return count;
}

static void warn_of_device(struct wrl *wrl, const char *text, const char *what)
{
    report_warning(wrl->context, "vrml97-device", NOWHERE, "the device \"%.60s\" %s", name_in(text), what);
}

/* Gives a device its joints, which are numbers of strings, and their values at home. */
static cp_status read_members(struct wrl *wrl, cp_device *device, const char *text)
{
    const struct wrl_own *own = wrl->own;
    const char *at = text, *joint = value_of(wrl, &at, "joints");
    at = text;
    const char *value = value_of(wrl, &at, "home");
    uint32_t most = count_numbers(joint), seen = 0;
    uint32_t *joints = scene_allocate(wrl->scene, most, sizeof *joints);
    double *home = scene_allocate(wrl->scene, most, sizeof *home), number;
    if (!joints || !home)
        return CP_LIMIT;
    for (; (joint = take_number(joint, &number)) != NULL && seen < most; seen++) {
        bool is_there = number >= 0 && number < own->count && own->joints[(uint32_t)number].index != CP_NONE;
        value = take_number(value, &home[device->joint_count]);
        if (is_there)
            joints[device->joint_count++] = own->joints[(uint32_t)number].index;
    }
    device->joints = joints;
    device->home = value && device->joint_count > 0 ? home : NULL;
    if (device->joint_count < seen)
        warn_of_device(wrl, text, "has joints that are not there");
    return CP_OK;
}

static cp_status read_ends(struct wrl *wrl, cp_device *device, const char *text)
{
    uint32_t most = 0, *ends;
    const char *end, *at = text;
    while (value_of(wrl, &at, "end"))
        most++;
    ends = scene_allocate(wrl->scene, most, sizeof *ends);
    at = text;
    while (ends && (end = value_of(wrl, &at, "end")) != NULL) {
        ends[device->end_count] = frame_named(wrl->own, end);
        device->end_count += ends[device->end_count] != CP_NONE;
    }
    device->ends = ends;
    if (device->end_count < most)
        warn_of_device(wrl, text, "has ends that are not there");
    return ends ? CP_OK : CP_LIMIT;
}

static int find_kind(const char *text)
{
    size_t size = strcspn(text, " ");
    int kind = 0;
    while (device_kind_words[kind] &&
           (strlen(device_kind_words[kind]) != size || memcmp(device_kind_words[kind], text, size) != 0))
        kind++;
    return kind;
}

/* Adds a device. One that makes no sense keeps its place, by which the others name it. */
static cp_status add_device(struct wrl *wrl, const char *text)
{
    const char *at = text, *base = value_of(wrl, &at, "base");
    uint32_t frame = base ? frame_named(wrl->own, base) : CP_NONE;
    int kind = find_kind(text);
    bool is_known = device_kind_words[kind] && frame != CP_NONE;
    uint32_t index = scene_add_device(wrl->scene, name_in(text), is_known ? frame : 0);
    double number;
    if (index == CP_NONE)
        return CP_LIMIT;
    if (!is_known) {
        warn_of_device(wrl, text, "is of no known kind, or on a frame that is not there");
        return CP_OK;
    }
    cp_device *device = &wrl->scene->devices[index];
    device->kind = (cp_device_kind)kind;
    at = text;
    if (take_number(value_of(wrl, &at, "scope"), &number) && number >= 0 && number < wrl->own->devices.count)
        device->scope = (uint32_t)number;
    cp_status status = read_members(wrl, device, text);
    return status == CP_OK ? read_ends(wrl, device, text) : status;
}

/* Gives each frame the device that its string says, else that of the frame around it. */
static cp_status read_scopes(struct wrl *wrl)
{
    const uint32_t inherited = CP_NONE - 1;
    cp_scene *scene = wrl->scene;
    uint32_t *scopes = arena_allocate(wrl->arena, scene->node_count, sizeof *scopes);
    double number;
    if (!scopes)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++)
        scopes[i] = i == 0 ? CP_NONE : inherited;
    for (uint32_t i = 0; i < wrl->own->scopes.count; i++) {
        const char *text = wrl->own->scopes.items[i], *def = NULL, *rest = take_word(wrl, text, &def);
        uint32_t frame = frame_named(wrl->own, rest ? def : text);
        bool has_device = take_number(rest, &number) && number >= 0 && number < wrl->own->devices.count;
        if (frame != CP_NONE)
            scopes[frame] = has_device ? (uint32_t)number : CP_NONE;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        scene->nodes[i].scope = scopes[i] == inherited ? scene->nodes[scene->nodes[i].parent].scope : scopes[i];
    return CP_OK;
}

static cp_status add_devices(struct wrl *wrl)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < wrl->own->devices.count && status == CP_OK; i++)
        status = add_device(wrl, wrl->own->devices.items[i]);
    return status == CP_OK && wrl->own->devices.count > 0 ? read_scopes(wrl) : status;
}

cp_status wrl_own_finish(struct wrl *wrl)
{
    cp_status status = CP_OK;
    if (!wrl->own)
        return CP_OK;
    wrl->own->leads = arena_allocate_zeroed(wrl->arena, wrl->scene->joint_count, sizeof *wrl->own->leads);
    if (!wrl->own->leads)
        return CP_LIMIT;
    for (uint32_t i = 0; i < wrl->own->count && status == CP_OK; i++)
        if (wrl->own->joints[i].index != CP_NONE)
            status = follow(wrl, &wrl->own->joints[i]);
    return status == CP_OK ? add_devices(wrl) : status;
}

void wrl_own_free(struct wrl *wrl)
{
    struct wrl_own *own = wrl->own;
    if (!own)
        return;
    name_map_free(&own->names);
    name_map_free(&own->joint_names);
    name_map_free(&own->frames);
    memory_free(wrl->context, own->devices.items, own->devices.room, sizeof *own->devices.items);
    memory_free(wrl->context, own->scopes.items, own->scopes.room, sizeof *own->scopes.items);
    memory_free(wrl->context, own->joints, own->room, sizeof *own->joints);
    memory_free(wrl->context, own->texts, own->text_room, sizeof *own->texts);
}
