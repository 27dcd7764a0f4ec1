/* Nodes, DEF and USE, ROUTEs: a file as a tree. */
#include <stdarg.h>
#include <stdio.h>

#include "base/text/text.h"
#include "parser.h"

void wrl_lenient(struct wrl_parser *parser, const char *code, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (parser->status == CP_OK)
        parser->status = report_lenient(parser->wrl->context, parser->wrl->settings->common.strict, code,
                                        wrl_here(parser), "%s", text);
}

cp_status wrl_count_node(struct wrl *wrl, const struct wrl_file *file, uint64_t line)
{
    if (wrl->node_count < limit_nodes(wrl->context) && wrl->node_count < UINT32_MAX - 1) {
        wrl->node_count++;
        return CP_OK;
    }
    return report_error(wrl->context, CP_LIMIT, "vrml97-nodes", AT_LINE(file->source->name, line),
                        "more than %u nodes, with those of prototypes (%s)", wrl->node_count,
                        limit_of_nodes(wrl->context));
}

/* ---- names ---- */

static void define(struct wrl_parser *parser, struct wrl_node *node)
{
    struct wrl_scope *scope = parser->scope;
    uint32_t place = scope->named_count;
    if (parser->status != CP_OK)
        return;
    bool added;
    uint32_t *row =
        array_add(parser->wrl->context, &scope->named, &scope->named_room, &scope->named_count, &node, sizeof node)
            ? name_map_add(&scope->names, node->name, place, &added)
            : NULL;
    if (row)
        *row = place; /* the last node of a name counts */
    else
        parser->status = CP_LIMIT;
}

static struct wrl_node *find_node(const struct wrl_parser *parser, const char *name)
{
    const uint32_t *row = name_map_find(&parser->scope->names, name);
    return row ? parser->scope->named[*row] : NULL;
}

static struct wrl_node *use(struct wrl_parser *parser)
{
    const char *name = wrl_name(parser, "a name behind USE");
    struct wrl_node *node = name ? find_node(parser, name) : NULL;
    if (name && !node)
        wrl_lenient(parser, "vrml97-use", "USE %.100s: no node before has that name", name);
    if (!node || !node->is_open)
        return node;
    if (parser->scripts == 0) /* Scripts name what they change, even what they are in */
        parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-circle", wrl_here(parser),
                                      "USE %.100s stands in the node of that name, which would hold itself", name);
    return NULL;
}

void wrl_free_scope(struct wrl *wrl, struct wrl_scope *scope)
{
    name_map_free(&scope->names);
    name_map_free(&scope->proto_names);
    memory_free(wrl->context, scope->named, scope->named_room, sizeof *scope->named);
    memory_free(wrl->context, scope->protos, scope->proto_room, sizeof *scope->protos);
}

/* ---- ROUTE ---- */

/* Takes "NAME.EVENT"; names may have points themselves. *node is NULL, with a warning, if there is none. */
static const char *route_end(struct wrl_parser *parser, struct wrl_node **node)
{
    const char *text = wrl_name(parser, "NODE.EVENT");
    const char *point = text ? strrchr(text, '.') : NULL;
    *node = NULL;
    if (text && !point && !wrl_breaks_off(parser))
        parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-route", wrl_here(parser),
                                      "\"%.100s\" is not NODE.EVENT", text);
    if (!point)
        return NULL;
    const char *name = arena_copy_text(parser->wrl->arena, text, (size_t)(point - text));
    if (!name) {
        parser->status = CP_LIMIT;
        return NULL;
    }
    *node = find_node(parser, name);
    if (!*node)
        wrl_lenient(parser, "vrml97-route", "a ROUTE names the node \"%.100s\", which is not there", name);
    return point + 1;
}

static void read_route(struct wrl_parser *parser)
{
    struct wrl *wrl = parser->wrl;
    struct wrl_route route = {.line = parser->line};
    route.event = route_end(parser, &route.from);
    if (parser->status == CP_OK && !wrl_accept_word(parser, "TO") && !wrl_breaks_off(parser))
        parser->status = report_error(wrl->context, CP_INPUT, "vrml97-route", wrl_here(parser),
                                      "a ROUTE has %s where TO is expected", wrl_next_shown(parser).text);
    route.field = route_end(parser, &route.to);
    if (parser->status != CP_OK || !route.from || !route.to)
        return;
    if (!parser->scope->proto) {
        parser->status = wrl_add_route(wrl, &route);
        return;
    }
    struct wrl_route *kept = arena_copy(wrl->arena, &route, 1, sizeof route);
    if (kept) {
        kept->next = parser->scope->proto->routes;
        parser->scope->proto->routes = kept;
    } else {
        parser->status = CP_LIMIT;
    }
}

/* Reads a ROUTE or a prototype, if one is next. */
static bool read_statement(struct wrl_parser *parser)
{
    if (wrl_accept_word(parser, "ROUTE"))
        read_route(parser);
    else if (wrl_accept_word(parser, "PROTO"))
        wrl_read_proto(parser, false);
    else if (wrl_accept_word(parser, "EXTERNPROTO"))
        wrl_read_proto(parser, true);
    else
        return false;
    return true;
}

bool wrl_read_among(struct wrl_parser *parser)
{
    struct place place = wrl_here(parser);
    if (!read_statement(parser))
        return false;
    if (parser->status == CP_OK)
        parser->status = report_lenient(parser->wrl->context, parser->wrl->settings->common.strict, "vrml97-statement",
                                        place, "a ROUTE or prototype stands among nodes");
    return true;
}

/* ---- fields ---- */

/* A node that is being read, with its fields so far, and the nodes of the field that is being read. */
struct open_node {
    struct wrl_node *node;
    struct wrl_field *fields;
    uint32_t count, room;
    struct wrl_field field;
    struct wrl_node **nodes;
    uint32_t node_count, node_room;
    uint64_t list_line;
    enum { NO_NODES, ONE_NODE, MANY_NODES } awaited; /* MANY_NODES: up to the bracket */
};

/* Nodes in nodes. A stack takes the place of recursion, since worlds may be as deep as the scene's limit allows. */
struct open_nodes {
    struct open_node *items;
    uint32_t count, room;
};

/* Passes over the value of a field that nobody knows: what is up to the next word or bracket of the node. */
static void skip_value(struct wrl_parser *parser)
{
    char c = wrl_peek(parser);
    size_t size;
    if (c == '[' || c == '{') {
        wrl_skip_brackets(parser);
        return;
    }
    if (c == '"') {
        (void)wrl_string(parser);
        return;
    }
    if (wrl_accept_word(parser, "USE") || wrl_accept_word(parser, "IS")) {
        (void)wrl_word(parser, &size);
    } else if (wrl_accept_word(parser, "DEF")) {
        (void)wrl_word(parser, &size);
        (void)wrl_word(parser, &size);
        if (wrl_peek(parser) == '{')
            wrl_skip_brackets(parser);
    } else if (strchr("+-.0123456789", c)) {
        while ((c = wrl_peek(parser)) != 0 && strchr("+-.0123456789", c))
            (void)wrl_word(parser, &size);
    } else {
        (void)wrl_word(parser, &size); /* TRUE, NULL, or the type of a node */
        if (wrl_peek(parser) == '{')
            wrl_skip_brackets(parser);
    }
}

/* Finds the field that another one takes the place of: one of its name. A field may be several members of a
 * prototype's interface at once, as it has two events. */
static struct wrl_field *find_field(const struct open_node *open, const struct wrl_field *field)
{
    enum { EVENTS = 2 };
    bool is = field->value.store == WRL_AS_IS;
    int others = 0;
    for (uint32_t i = 0; i < open->count; i++) {
        struct wrl_field *other = &open->fields[i];
        if (other->name != field->name || (other->value.store == WRL_AS_IS) != is)
            continue;
        if (!is || other->value.count == field->value.count || ++others > EVENTS)
            return other;
    }
    return NULL;
}

static void add_field(struct wrl_parser *parser, struct open_node *open)
{
    struct wrl_node *node = open->node;
    const struct wrl_field *field = &open->field;
    struct wrl_field *other = find_field(open, field);
    if (other)
        wrl_lenient(parser, "vrml97-twice", "%.60s has %.60s twice, and the last counts", node->type, field->name);
    const struct wrl_value *value = &field->value;
    node->has_is = node->has_is || value->store == WRL_AS_IS;
    for (uint32_t i = 0; value->store == WRL_AS_NODES && i < value->count; i++) {
        node->has_is = node->has_is || value->nodes[i]->has_is;
        if (node->height <= value->nodes[i]->height)
            node->height = value->nodes[i]->height + 1;
    }
    if (other)
        *other = *field;
    else if (parser->status == CP_OK &&
             !array_add(parser->wrl->context, &open->fields, &open->room, &open->count, field, sizeof *field))
        parser->status = CP_LIMIT;
}

/* Begins to read a field of nodes: they follow. */
static void await_nodes(struct wrl_parser *parser, struct open_node *open, enum wrl_type type)
{
    open->field.value = (struct wrl_value){.type = type, .store = WRL_AS_NODES};
    open->node_count = 0;
    open->list_line = parser->line;
    open->awaited = type == WRL_NODES && wrl_accept(parser, '[') ? MANY_NODES : ONE_NODE;
}

/* Ends a field of nodes. */
static void keep_nodes(struct wrl_parser *parser, struct open_node *open)
{
    struct wrl_value *value = &open->field.value;
    open->awaited = NO_NODES;
    value->count = open->node_count;
    value->nodes = arena_copy(parser->wrl->arena, open->nodes, open->node_count, sizeof(struct wrl_node *));
    if (!value->nodes)
        parser->status = CP_LIMIT;
    if (parser->status == CP_OK)
        add_field(parser, open);
}

/* Gives a field of nodes the next one; NULL: it is none. */
static void add_node(struct wrl_parser *parser, struct open_node *open, struct wrl_node *node)
{
    if (node && !array_add(parser->wrl->context, &open->nodes, &open->node_room, &open->node_count, &node, sizeof node))
        parser->status = CP_LIMIT;
    if (open->awaited == ONE_NODE && parser->status == CP_OK)
        keep_nodes(parser, open);
}

static bool is_next(struct wrl_parser *parser, const char *word)
{
    bool found = wrl_accept_word(parser, word);
    parser->at -= found ? strlen(word) : 0;
    return found;
}

static void read_field(struct wrl_parser *parser, struct open_node *open)
{
    struct wrl_node *node = open->node;
    const struct wrl_proto *proto = node->instance ? node->instance->proto : NULL;
    struct wrl_field *field = &open->field;
    *field = (struct wrl_field){.line = parser->line};
    const char *word = wrl_name(parser, "the name of a field");
    const struct wrl_member *member = NULL;
    if (!word)
        return;
    if (!proto) {
        member = wrl_member_named(node->kind->members, word);
    } else {
        uint32_t place = wrl_member_meant(proto, word);
        member = place != CP_NONE ? &proto->members[place] : NULL;
    }
    if (!member) {
        wrl_lenient(parser, "vrml97-field", "%.60s has no field \"%.60s\": its value is passed over", node->type, word);
        if (parser->status == CP_OK)
            skip_value(parser);
        return;
    }
    field->name = member->name;
    bool is_event = member->access >= WRL_IN || strcmp(word, member->name) != 0;
    if (is_event && wrl_peek(parser) != 0 && !is_next(parser, "IS")) {
        wrl_lenient(parser, "vrml97-event", "%.60s of %.60s is an event, which has no value", word, node->type);
        if (parser->status == CP_OK)
            skip_value(parser);
        return;
    }
    bool has_nodes = member->type == WRL_NODE || member->type == WRL_NODES;
    if (has_nodes && wrl_peek(parser) != 0 && !is_next(parser, "IS")) {
        await_nodes(parser, open, member->type);
        return;
    }
    wrl_read_value(parser, member->type, field->name, &field->value);
    if (parser->status == CP_OK)
        add_field(parser, open);
}

/* Reads a member of a Script's interface: what it says is not kept. True if there was one. */
static bool read_script_member(struct wrl_parser *parser)
{
    struct wrl_member member;
    struct wrl_value value;
    const char *at = parser->at;
    if (!wrl_accept_word(parser, "eventIn") && !wrl_accept_word(parser, "eventOut") &&
        !wrl_accept_word(parser, "field") && !wrl_accept_word(parser, "exposedField"))
        return false;
    parser->at = at;
    if (!wrl_read_member(parser, &member))
        return true;
    if (member.access <= WRL_EXPOSED) {
        wrl_read_value(parser, member.type, "", &value);
    } else if (wrl_accept_word(parser, "IS")) {
        (void)wrl_name(parser, "a name behind IS");
    }
    return true;
}

/* ---- nodes ---- */

static bool is_script(const struct wrl_node *node)
{
    return wrl_is(node, "Script");
}

/* Reads what stands before the bracket of a node. */
static struct wrl_node *read_head(struct wrl_parser *parser)
{
    struct wrl *wrl = parser->wrl;
    struct wrl_node *node = arena_allocate_zeroed(wrl->arena, 1, sizeof *node);
    if (!node) {
        parser->status = CP_LIMIT;
        return NULL;
    }
    *node = (struct wrl_node){.file = parser->file,
                              .line = parser->line,
                              .column = (uint32_t)(parser->at - parser->line_start) + 1,
                              .serial = wrl->node_count};
    if (wrl_accept_word(parser, "DEF"))
        node->name = wrl_name(parser, "a name behind DEF");
    node->type = wrl_name(parser, "the type of a node");
    if (!node->type)
        return NULL;
    struct wrl_proto *proto = wrl_find_proto(parser, node->type);
    node->kind = proto ? NULL : wrl_kind_named(node->type);
    if (proto) {
        node->instance = arena_allocate_zeroed(wrl->arena, 1, sizeof *node->instance);
        if (!node->instance) {
            parser->status = CP_LIMIT;
            return NULL;
        }
        node->instance->proto = proto;
    }
    parser->status = wrl_count_node(wrl, parser->file, node->line);
    if (node->name)
        define(parser, node);
    return node;
}

/* Begins to read a node. Returns it if it is whole already: one that is used, or of an unknown type. */
static struct wrl_node *begin_node(struct wrl_parser *parser, struct open_nodes *stack)
{
    if (wrl_accept_word(parser, "USE"))
        return use(parser);
    struct wrl_node *node = read_head(parser);
    if (!node || parser->status != CP_OK || !wrl_expect(parser, '{', node->type))
        return NULL;
    if (!node->kind && !node->instance) {
        parser->at--;
        wrl_skip_brackets(parser);
        return node;
    }
    const struct open_node open = {.node = node};
    if (!array_add(parser->wrl->context, &stack->items, &stack->room, &stack->count, &open, sizeof open)) {
        parser->status = CP_LIMIT;
        return NULL;
    }
    parser->scripts += is_script(node);
    node->is_open = true;
    return NULL;
}

static void free_node(struct wrl_parser *parser, struct open_node *open)
{
    memory_free(parser->wrl->context, open->fields, open->room, sizeof *open->fields);
    memory_free(parser->wrl->context, open->nodes, open->node_room, sizeof(struct wrl_node *));
}

/* Ends the node on top of the stack, and returns it. */
static struct wrl_node *end_node(struct wrl_parser *parser, struct open_nodes *stack)
{
    struct wrl *wrl = parser->wrl;
    struct open_node *open = &stack->items[--stack->count];
    struct wrl_node *node = open->node;
    node->is_open = false;
    node->field_count = open->count;
    node->fields = arena_copy(wrl->arena, open->fields, open->count, sizeof *open->fields);
    free_node(parser, open);
    parser->scripts -= is_script(node);
    if (!node->fields)
        parser->status = CP_LIMIT;
    if (parser->status == CP_OK && !parser->is_cut)
        parser->at++;
    if (parser->status == CP_OK && node->instance)
        parser->status = wrl_expand_in(wrl, parser->scope->proto, node, parser->depth);
    if (parser->status == CP_OK && parser->scope->proto && node->height >= WRL_DEEPEST)
        parser->status = report_error(wrl->context, CP_LIMIT, "vrml97-nesting", wrl_here(parser),
                                      "nodes of a prototype are nested deeper than %d", WRL_DEEPEST);
    return node;
}

/* Reads a field of the node, a ROUTE or a prototype. */
static void read_member(struct wrl_parser *parser, struct open_node *open)
{
    if (!read_statement(parser) && (!is_script(open->node) || !read_script_member(parser)))
        read_field(parser, open);
}

/* Reads the next step of the node on top of the stack. Returns a node that has become whole, or NULL. */
static struct wrl_node *read_step(struct wrl_parser *parser, struct open_nodes *stack)
{
    struct open_node *open = &stack->items[stack->count - 1];
    if (open->awaited == NO_NODES) {
        if (wrl_is_cut(parser, open->node->type, open->node->line) || *parser->at == '}')
            return end_node(parser, stack);
        read_member(parser, open);
        return NULL;
    }
    if (open->awaited == MANY_NODES && (wrl_is_cut(parser, "a list of nodes", open->list_line) || *parser->at == ']')) {
        if (parser->status == CP_OK && !parser->is_cut)
            parser->at++;
        keep_nodes(parser, open);
        return NULL;
    }
    if (wrl_read_among(parser))
        return NULL;
    if (wrl_accept_word(parser, "NULL")) {
        if (open->field.value.type == WRL_NODES)
            wrl_lenient(parser, "vrml97-null", "NULL among nodes is passed over");
        add_node(parser, open, NULL);
        return NULL;
    }
    uint32_t count = stack->count;
    struct wrl_node *node = begin_node(parser, stack);
    if (!node && parser->status == CP_OK && stack->count == count)
        add_node(parser, open, NULL); /* USE of a name that is not there */
    return node;
}

struct wrl_node *wrl_read_node(struct wrl_parser *parser)
{
    struct wrl *wrl = parser->wrl;
    struct open_nodes stack = {0};
    if (parser->depth >= WRL_DEEPEST) {
        parser->status = report_error(wrl->context, CP_LIMIT, "vrml97-nesting", wrl_here(parser),
                                      "prototypes are nested deeper than %d", WRL_DEEPEST);
        return NULL;
    }
    parser->depth++;
    struct wrl_node *node = begin_node(parser, &stack);
    while (stack.count > 0 && parser->status == CP_OK) {
        node = read_step(parser, &stack);
        if (node && stack.count > 0 && parser->status == CP_OK)
            add_node(parser, &stack.items[stack.count - 1], node);
    }
    parser->depth--;
    while (stack.count > 0)
        free_node(parser, &stack.items[--stack.count]);
    memory_free(wrl->context, stack.items, stack.room, sizeof *stack.items);
    return parser->status == CP_OK ? node : NULL;
}

void wrl_read_statements(struct wrl_parser *parser, struct wrl_node ***nodes, uint32_t *count, const char *within,
                         uint64_t line)
{
    struct wrl *wrl = parser->wrl;
    struct wrl_node **items = NULL;
    uint32_t room = 0;
    *count = 0;
    while (parser->status == CP_OK) {
        if (within ? wrl_is_cut(parser, within, line) || *parser->at == '}' : wrl_peek(parser) == 0)
            break;
        if (!read_statement(parser) && !wrl_accept_word(parser, "NULL")) {
            struct wrl_node *node = wrl_read_node(parser);
            if (node && !array_add(wrl->context, &items, &room, count, &node, sizeof node))
                parser->status = CP_LIMIT;
        }
    }
    *nodes = arena_copy(wrl->arena, items, *count, sizeof *items);
    if (!*nodes && parser->status == CP_OK)
        parser->status = CP_LIMIT;
    memory_free(wrl->context, items, room, sizeof *items);
}

/* ---- files ---- */

static bool begins(const struct wrl_parser *parser, const char *sign)
{
    size_t size = strlen(sign);
    return (size_t)(parser->end - parser->at) >= size && memcmp(parser->at, sign, size) == 0;
}

/* Checks the first line, which says the language. */
static void read_header(struct wrl_parser *parser)
{
    struct wrl *wrl = parser->wrl;
    struct place place = AT_LINE(parser->file->source->name, 1);
    if (begins(parser, "#VRML V2.0 utf8"))
        return;
    if (begins(parser, "#VRML V1.0"))
        parser->status = report_error(wrl->context, CP_INPUT, "vrml97-version", place,
                                      "is VRML 1.0, another language than VRML97: save it as VRML 2.0");
    else if (begins(parser, "#Inventor"))
        parser->status = report_error(wrl->context, CP_INPUT, "vrml97-version", place,
                                      "is Open Inventor, another language than VRML97: save it as VRML 2.0");
    else if (begins(parser, "#VRML_SIM"))
        parser->status =
            report_error(wrl->context, CP_INPUT, "vrml97-version", place,
                         "is a world of Webots, another language than VRML97: export it as VRML97, X3D or URDF");
    else if (begins(parser, "#X3D"))
        parser->status = report_error(wrl->context, CP_INPUT, "vrml97-version", place,
                                      "is X3D in the classic encoding: save it as XML (.x3d) or VRML97");
    else
        wrl_lenient(parser, "vrml97-header", "the first line is not \"#VRML V2.0 utf8\"");
}

cp_status wrl_parse(struct wrl *wrl, struct wrl_file *file, uint32_t depth)
{
    const struct source *source = file->source;
    const char *begin = text_after_mark(source->data, source->size);
    struct wrl_scope scope = {.names = {.context = wrl->context}, .proto_names = {.context = wrl->context}};
    struct wrl_parser parser = {.wrl = wrl,
                                .file = file,
                                .at = begin,
                                .end = source->data + source->size,
                                .line_start = begin,
                                .line = 1,
                                .scope = &scope,
                                .depth = depth};
    read_header(&parser);
    wrl_read_statements(&parser, &file->nodes, &file->node_count, NULL, 0);
    if (parser.status == CP_OK && source->ends_early && !wrl->settings->common.partial)
        parser.status =
            report_error(wrl->context, CP_INPUT, "vrml97-cut", IN_FILE(source->name), "the gzip stream breaks off");
    wrl_free_scope(wrl, &scope);
    return parser.status;
}
