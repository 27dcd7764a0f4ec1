/* Prototypes. An instance is expanded as soon as it is read: the nodes of the body are copied, and what stands for a
 * member of the interface (IS) becomes the value that the instance gives. Geometry without such a place is shared. */

#include "base/text/text.h"
#include "parser.h"

/* ---- interfaces ---- */

bool wrl_read_member(struct wrl_parser *parser, struct wrl_member *member)
{
    static const struct {
        const char *word;
        enum wrl_access access;
    } words[] = {{"eventIn", WRL_IN}, {"eventOut", WRL_OUT}, {"field", WRL_FIELD}, {"exposedField", WRL_EXPOSED}};
    size_t way = 0, type = 0;
    if (wrl_is_cut(parser, "an interface", parser->line) || *parser->at == ']')
        return false;
    while (way < 4 && !wrl_accept_word(parser, words[way].word))
        way++;
    for (; way < 4 && type < WRL_TYPE_COUNT; type++)
        if (wrl_accept_word(parser, wrl_type_words[type]))
            break;
    if ((way == 4 || type == WRL_TYPE_COUNT) && wrl_breaks_off(parser))
        return false;
    if (way == 4 || type == WRL_TYPE_COUNT) {
        parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-interface", wrl_here(parser),
                                      way == 4 ? "%s is none of eventIn, eventOut, field and exposedField"
                                               : "%s is not the type of a field",
                                      wrl_next_shown(parser).text);
        return false;
    }
    *member = (struct wrl_member){.type = (enum wrl_type)type, .access = words[way].access};
    member->name = wrl_name(parser, "the name of a field");
    return member->name != NULL;
}

uint32_t wrl_member_place(const struct wrl_proto *proto, const char *name)
{
    uint32_t low = 0, high = proto->member_count;
    while (low < high) { /* the first of several of one name */
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(proto->members[proto->order[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < proto->member_count && strcmp(proto->members[proto->order[low]].name, name) == 0;
    return found ? proto->order[low] : CP_NONE;
}

uint32_t wrl_member_meant(const struct wrl_proto *proto, const char *word)
{
    static const char before[] = "set_", behind[] = "_changed";
    enum { MOST = 256 };
    char name[MOST];
    size_t size = strlen(word), head = sizeof before - 1, tail = sizeof behind - 1;
    uint32_t place = wrl_member_place(proto, word);
    if (place == CP_NONE && size > head && memcmp(word, before, head) == 0)
        place = wrl_member_place(proto, word + head);
    else if (place == CP_NONE && size > tail && size < MOST && strcmp(word + size - tail, behind) == 0) {
        memcpy(name, word, size - tail);
        name[size - tail] = 0;
        place = wrl_member_place(proto, name);
    }
    bool is_event = place != CP_NONE && strcmp(word, proto->members[place].name) != 0;
    return is_event && proto->members[place].access == WRL_FIELD ? CP_NONE : place;
}

uint32_t wrl_is_member(struct wrl_parser *parser, const char *name, enum wrl_type type)
{
    const struct wrl_proto *proto = parser->scope->proto;
    uint32_t place = proto ? wrl_member_meant(proto, name) : CP_NONE;
    const struct wrl_member *member = place != CP_NONE ? &proto->members[place] : NULL;
    if ((member && member->type == type) || wrl_breaks_off(parser))
        return place;
    parser->status =
        !proto
            ? report_error(parser->wrl->context, CP_INPUT, "vrml97-is", wrl_here(parser), "IS stands in no prototype")
        : !member
            ? report_error(parser->wrl->context, CP_INPUT, "vrml97-is", wrl_here(parser),
                           "IS names \"%.60s\", which the prototype \"%.60s\" does not declare", name, proto->name)
            : report_error(parser->wrl->context, CP_INPUT, "vrml97-is", wrl_here(parser),
                           "IS names \"%.60s\", which is %s, for a field that is %s", name,
                           wrl_type_words[member->type], wrl_type_words[type]);
    return 0;
}

struct wrl_proto *wrl_find_proto(const struct wrl_parser *parser, const char *name)
{
    for (const struct wrl_scope *scope = parser->scope; scope; scope = scope->outer) {
        const uint32_t *row = name_map_find(&scope->proto_names, name);
        if (row)
            return scope->protos[*row];
    }
    return NULL;
}

/* Compares two members by their names; of one name the first in the file comes first. */
static int compare_members(const struct wrl_proto *proto, uint32_t a, uint32_t b)
{
    int order = strcmp(proto->members[a].name, proto->members[b].name);
    return order != 0 ? order : a < b ? -1 : 1;
}

/* Orders the members by their names: a shell sort, as one name may stand there more than once. */
static bool order_members(struct wrl *wrl, struct wrl_proto *proto)
{
    uint32_t count = proto->member_count, *order = arena_allocate(wrl->arena, count, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = i;
    for (uint32_t gap = count / 2; order && gap > 0; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t moved = order[i], at = i;
            for (; at >= gap && compare_members(proto, order[at - gap], moved) > 0; at -= gap)
                order[at] = order[at - gap];
            order[at] = moved;
        }
    proto->order = order;
    return order != NULL;
}

static void read_interface(struct wrl_parser *parser, struct wrl_proto *proto)
{
    struct wrl *wrl = parser->wrl;
    struct wrl_member member;
    uint32_t room = 0, value_room = 0, value_count = 0;
    struct wrl_member *members = NULL;
    struct wrl_value *values = NULL;
    while (parser->status == CP_OK && wrl_read_member(parser, &member)) {
        struct wrl_value value = {.type = member.type, .store = WRL_AS_IS};
        if (member.access <= WRL_EXPOSED && !proto->urls)
            wrl_read_value(parser, member.type, member.name, &value);
        if (proto->member_count == WRL_MOST_MEMBERS)
            parser->status =
                report_error(wrl->context, CP_LIMIT, "vrml97-interface", wrl_here(parser),
                             "the interface of \"%.60s\" has more than %d members", proto->name, WRL_MOST_MEMBERS);
        if (parser->status == CP_OK &&
            (!array_add(wrl->context, &members, &room, &proto->member_count, &member, sizeof member) ||
             !array_add(wrl->context, &values, &value_room, &value_count, &value, sizeof value)))
            parser->status = CP_LIMIT;
    }
    if (parser->status == CP_OK) { /* else one of the two may be shorter */
        proto->members = arena_copy(wrl->arena, members, proto->member_count, sizeof *members);
        proto->defaults = arena_copy(wrl->arena, values, proto->member_count, sizeof *values);
        if (!proto->members || !proto->defaults || !order_members(wrl, proto))
            parser->status = CP_LIMIT;
    }
    memory_free(wrl->context, members, room, sizeof *members);
    memory_free(wrl->context, values, value_room, sizeof *values);
}

static void read_proto_body(struct wrl_parser *parser, struct wrl_proto *proto)
{
    struct wrl *wrl = parser->wrl;
    struct wrl_scope scope = {.outer = parser->scope,
                              .names = {.context = wrl->context},
                              .proto_names = {.context = wrl->context},
                              .proto = proto};
    if (parser->depth >= WRL_DEEPEST)
        parser->status = report_error(wrl->context, CP_LIMIT, "vrml97-nesting", wrl_here(parser),
                                      "prototypes are nested deeper than %d", WRL_DEEPEST);
    if (!wrl_expect(parser, '{', "the interface of a prototype"))
        return;
    parser->scope = &scope;
    parser->depth++;
    wrl_read_statements(parser, &proto->body, &proto->body_count, "a prototype", proto->line);
    parser->depth--;
    parser->scope = scope.outer;
    wrl_free_scope(wrl, &scope);
    if (parser->status == CP_OK && !parser->is_cut)
        parser->at++;
}

/* Keeps a prototype of a file for those that name it in an url; the last one of a name counts. */
static bool note_proto(struct wrl *wrl, struct wrl_file *file, struct wrl_proto *proto)
{
    const char *key = arena_print(wrl->arena, "%u %s", file->index, proto->name);
    uint32_t place = wrl->proto_count;
    uint32_t *row =
        key && array_add(wrl->context, &wrl->protos, &wrl->proto_room, &wrl->proto_count, &proto, sizeof proto)
            ? name_map_add(&wrl->proto_names, key, place, NULL)
            : NULL;
    if (!file->first_proto)
        file->first_proto = proto;
    if (row)
        *row = place;
    return row != NULL;
}

void wrl_read_proto(struct wrl_parser *parser, bool is_extern)
{
    struct wrl *wrl = parser->wrl;
    struct wrl_proto *proto = arena_allocate_zeroed(wrl->arena, 1, sizeof *proto);
    struct wrl_value *urls = arena_allocate_zeroed(wrl->arena, 1, sizeof *urls);
    if (!proto || !urls) {
        parser->status = CP_LIMIT;
        return;
    }
    *proto = (struct wrl_proto){.file = parser->file, .line = parser->line};
    proto->urls = is_extern ? urls : NULL;
    proto->name = wrl_name(parser, "the name of a prototype");
    if (!proto->name || !wrl_expect(parser, '[', proto->name))
        return;
    read_interface(parser, proto);
    if (parser->status != CP_OK || parser->is_cut)
        return;
    parser->at++;
    if (is_extern)
        wrl_read_value(parser, WRL_STRINGS, "url", urls);
    else
        read_proto_body(parser, proto);
    if (parser->status != CP_OK)
        return;
    struct wrl_scope *scope = parser->scope;
    uint32_t place = scope->proto_count;
    bool added;
    uint32_t *row =
        array_add(wrl->context, &scope->protos, &scope->proto_room, &scope->proto_count, &proto, sizeof proto)
            ? name_map_add(&scope->proto_names, proto->name, place, &added)
            : NULL;
    if (!row) {
        parser->status = CP_LIMIT;
        return;
    }
    if (!added)
        wrl_lenient(parser, "vrml97-twice", "the prototype \"%.60s\" is declared twice, and the last counts",
                    proto->name);
    *row = place;
    if (!scope->proto && !scope->outer && !note_proto(wrl, parser->file, proto))
        parser->status = CP_LIMIT;
}

/* ---- EXTERNPROTO ---- */

/* Finds the prototype of the name in a file; of no name the first one. */
static cp_status find_proto_in(struct wrl *wrl, const struct wrl_file *file, const char *name, struct wrl_proto **found)
{
    const char *key = arena_print(wrl->arena, "%u %s", file->index, name);
    const uint32_t *row = key ? name_map_find(&wrl->proto_names, key) : NULL;
    *found = !*name ? file->first_proto : row ? wrl->protos[*row] : NULL;
    return key ? CP_OK : CP_LIMIT;
}

/* Finds the prototype that a declaration means: itself, or one of another file. */
static cp_status find_definition(struct wrl *wrl, struct wrl_proto *proto, uint32_t depth,
                                 struct wrl_proto **definition)
{
    enum { MOST_STEPS = 64 };
    struct wrl_proto *at = proto;
    for (int step = 0; at && at->urls && step < MOST_STEPS; step++) {
        if (!at->is_sought) {
            struct wrl_file *file;
            const char *name = "";
            at->is_sought = true;
            cp_status status = wrl_open(wrl, at->file, at->urls, depth, &file, &name);
            if (status == CP_OK && file)
                status = find_proto_in(wrl, file, name, &at->found);
            if (status != CP_OK)
                return status;
        }
        at = at->found; /* perhaps a declaration, too */
    }
    *definition = at && !at->urls ? at : NULL;
    proto->found = *definition && proto->urls ? *definition : proto->found;
    return CP_OK;
}

/* ---- expansion ---- */

struct expansion {
    struct wrl *wrl;
    struct wrl_proto *definition;
    struct wrl_node *node; /* the instance */
    struct wrl_proto *within;
    uint32_t number;
    cp_status status;
};

static struct wrl_node *copy_node(struct expansion *expansion, struct wrl_node *original);

/* Notes that an event of the interface is one of a node. */
static void add_link(struct expansion *expansion, struct wrl_instance *instance, const struct wrl_link *made)
{
    struct wrl_link *link = arena_copy(expansion->wrl->arena, made, 1, sizeof *link), **at = &instance->links;
    if (!link) {
        expansion->status = CP_LIMIT;
        return;
    }
    while (*at && (*at)->member != link->member)
        at = &(*at)->next;
    link->same = *at;
    link->next = *at ? (*at)->next : NULL;
    *at = link;
}

/* Finds what the instance says of each member of the interface, or the interface itself. */
static cp_status find_given(struct expansion *expansion)
{
    struct wrl *wrl = expansion->wrl;
    const struct wrl_proto *proto = expansion->definition;
    const struct wrl_node *node = expansion->node;
    if (!array_reserve(wrl->context, (void **)&wrl->given, &wrl->given_room, proto->member_count, sizeof *wrl->given))
        return CP_LIMIT;
    for (uint32_t i = 0; i < proto->member_count; i++)
        wrl->given[i] = proto->defaults[i].store == WRL_AS_IS ? NULL : &proto->defaults[i];
    for (uint32_t i = 0; i < node->field_count; i++) {
        uint32_t place = wrl_member_place(proto, node->fields[i].name);
        if (place != CP_NONE)
            wrl->given[place] = &node->fields[i].value;
    }
    return CP_OK;
}

static void copy_value(struct expansion *expansion, struct wrl_value *value)
{
    struct wrl_node **nodes = NULL;
    for (uint32_t i = 0; i < value->count && expansion->status == CP_OK; i++) {
        struct wrl_node *copy = copy_node(expansion, value->nodes[i]);
        if (copy != value->nodes[i] && !nodes)
            nodes = arena_copy(expansion->wrl->arena, value->nodes, value->count, sizeof *nodes);
        if (copy != value->nodes[i] && !nodes)
            expansion->status = CP_LIMIT;
        if (nodes)
            nodes[i] = copy;
    }
    value->nodes = nodes ? nodes : value->nodes;
}

static void note_child(struct wrl_node *node, const struct wrl_node *child)
{
    node->has_is = node->has_is || child->has_is;
    node->height = child->height >= node->height ? child->height + 1 : node->height;
}

/* Copies the fields of a node, and gives those their values that stand for a member of the interface. */
static void copy_fields(struct expansion *expansion, const struct wrl_node *original, struct wrl_node *node)
{
    struct wrl_field *fields = arena_allocate(expansion->wrl->arena, original->field_count, sizeof *fields);
    if (!fields)
        expansion->status = CP_LIMIT;
    node->fields = fields;
    node->field_count = 0;
    for (uint32_t i = 0; i < original->field_count && expansion->status == CP_OK; i++) {
        struct wrl_field field = original->fields[i];
        if (field.value.store == WRL_AS_IS) {
            const struct wrl_link link = {
                .name = field.value.is, .field = field.name, .node = node, .member = field.value.count};
            add_link(expansion, expansion->node->instance, &link);
            const struct wrl_value *given = expansion->wrl->given[field.value.count];
            if (!given)
                continue;
            field.value = *given;
            node->has_is = node->has_is || given->store == WRL_AS_IS;
        } else if (field.value.store == WRL_AS_NODES) {
            copy_value(expansion, &field.value);
        }
        for (uint32_t k = 0; field.value.store == WRL_AS_NODES && k < field.value.count; k++)
            note_child(node, field.value.nodes[k]);
        fields[node->field_count++] = field;
    }
}

/* Copies an instance of another prototype in the body, which was expanded when the body was read. */
static void copy_instance(struct expansion *expansion, const struct wrl_instance *original, struct wrl_node *node)
{
    struct wrl_instance *instance = arena_copy(expansion->wrl->arena, original, 1, sizeof *instance);
    node->instance = instance;
    if (!instance) {
        expansion->status = CP_LIMIT;
        return;
    }
    instance->links = NULL;
    if (instance->body) {
        instance->body = copy_node(expansion, instance->body);
        if (instance->body)
            note_child(node, instance->body);
    }
    for (const struct wrl_link *event = original->links; event; event = event->next)
        for (const struct wrl_link *link = event; link && expansion->status == CP_OK; link = link->same) {
            struct wrl_link copy = *link;
            copy.node = copy_node(expansion, link->node);
            if (expansion->status == CP_OK)
                add_link(expansion, instance, &copy);
        }
}

/* Copies a node once in an expansion, with what is below it: at most WRL_DEEPEST deep. */
static struct wrl_node *copy_node(struct expansion *expansion, struct wrl_node *original)
{
    struct wrl *wrl = expansion->wrl;
    if (original->copied == expansion->number)
        return original->copy;
    bool is_shared = !original->has_is && original->kind && original->kind->class == WRL_PART;
    if (is_shared || expansion->status != CP_OK)
        return original;
    struct wrl_node *node = arena_copy(wrl->arena, original, 1, sizeof *node);
    expansion->status = wrl_count_node(wrl, original->file, original->line);
    if (!node)
        expansion->status = CP_LIMIT;
    if (expansion->status != CP_OK)
        return original;
    original->copied = expansion->number;
    original->copy = node;
    node->serial = wrl->node_count - 1;
    node->into = NULL;
    node->is_moved = node->is_oriented = false;
    node->meshes = NULL;
    node->height = 0;
    node->has_is = false;
    copy_fields(expansion, original, node);
    if (original->instance && expansion->status == CP_OK)
        copy_instance(expansion, original->instance, node);
    return node;
}

/* Adds a ROUTE to the body that is being read, or to its node. */
static void copy_route(struct expansion *expansion, const struct wrl_route *route)
{
    struct wrl_route copy = *route;
    copy.from = copy_node(expansion, route->from);
    copy.to = copy_node(expansion, route->to);
    if (expansion->status != CP_OK)
        return;
    if (!expansion->within) {
        expansion->status = wrl_add_route(expansion->wrl, &copy);
        return;
    }
    expansion->status = wrl_count_node(expansion->wrl, route->to->file, route->line);
    struct wrl_route *kept = arena_copy(expansion->wrl->arena, &copy, 1, sizeof copy);
    if (!kept) {
        expansion->status = CP_LIMIT;
        return;
    }
    kept->next = expansion->within->routes;
    expansion->within->routes = kept;
}

cp_status wrl_expand_in(struct wrl *wrl, struct wrl_proto *within, struct wrl_node *node, uint32_t depth)
{
    struct expansion expansion = {.wrl = wrl, .node = node, .within = within};
    wrl->has_robot = wrl->has_robot || wrl_is_joint(node) || wrl_is_humanoid(node);
    cp_status status = find_definition(wrl, node->instance->proto, depth, &expansion.definition);
    if (status != CP_OK)
        return status;
    if (!expansion.definition) {
        report_loss(wrl->context, "vrml97-extern", wrl_place(node), 1,
                    "instances of the prototype \"%.60s\", whose file is not there", node->type);
        return CP_OK;
    }
    expansion.number = ++wrl->expansion;
    expansion.status = find_given(&expansion);
    for (uint32_t i = 0; i < expansion.definition->body_count && expansion.status == CP_OK; i++) {
        struct wrl_node *copy = copy_node(&expansion, expansion.definition->body[i]);
        node->instance->body = i == 0 ? copy : node->instance->body;
    }
    if (node->instance->body)
        note_child(node, node->instance->body);
    for (const struct wrl_route *route = expansion.definition->routes; route && expansion.status == CP_OK;
         route = route->next)
        copy_route(&expansion, route);
    return expansion.status;
}

/* ---- ROUTEs ---- */

/* Tells whether one of the latest ROUTEs into the node is the same: a ROUTE that is there again means nothing. */
static bool is_there(const struct wrl_route *made)
{
    enum { MOST_COMPARED = 8 };
    const struct wrl_route *route = made->to->into;
    for (int i = 0; route && i < MOST_COMPARED; i++, route = route->next)
        if (route->from == made->from && strcmp(route->event, made->event) == 0 &&
            strcmp(route->field, made->field) == 0)
            return true;
    return false;
}

static cp_status add_to(struct wrl *wrl, const struct wrl_route *route, struct wrl_node *to, const char *field)
{
    cp_status status = wrl_count_node(wrl, to->file, route->line);
    if (status != CP_OK)
        return status;
    if (to->instance) {
        for (const struct wrl_link *event = to->instance->links; event; event = event->next)
            for (const struct wrl_link *link = wrl_same_event(field, event->name) ? event : NULL;
                 link && status == CP_OK; link = link->same)
                status = add_to(wrl, route, link->node, link->field);
        return status;
    }
    struct wrl_route made = *route;
    made.to = to;
    made.field = field;
    if (is_there(&made))
        return CP_OK;
    if (!wrl_is_followed(&made)) {
        wrl_tell(wrl, WRL_TOLD_ROUTES, 1, AT_LINE(to->file->source->name, route->line));
        return CP_OK;
    }
    struct wrl_route *kept = arena_copy(wrl->arena, &made, 1, sizeof made);
    if (!kept)
        return CP_LIMIT;
    kept->next = to->into;
    to->into = kept;
    wrl_note_moved(kept);
    return CP_OK;
}

cp_status wrl_add_route(struct wrl *wrl, const struct wrl_route *route)
{
    struct wrl_route plain = *route;
    while (plain.from->instance) {
        const struct wrl_link *link = plain.from->instance->links;
        while (link && !wrl_same_event(plain.event, link->name))
            link = link->next;
        if (!link)
            return CP_OK; /* the prototype has no such event, or its file is not there */
        plain.from = link->node;
        plain.event = link->field;
    }
    return add_to(wrl, &plain, plain.to, plain.field);
}
