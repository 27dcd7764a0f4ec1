/* Macros: their parameters, and what becomes of a call. */
#include "expand.h"

#include "base/text/text.h"

/* ---- definitions ---- */

/* Tells whether a value may end here: at a blank, or where the text does. */
static bool ends(const char *at)
{
    return !*at || is_space(*at);
}

/* Returns the end of an initial value: a whole ${...} or $(...), or a word, of which parts may be in quotes. NULL if
 * what stands there is neither. never_closes: of each kind of bracket, whether none closes before a blank in the rest
 * of the text, which is searched once. */
static const char *end_of_initial(const char *text, bool never_closes[2])
{
    int kind = text[0] == '$' && text[1] == '(';
    if (text[0] == '$' && (text[1] == '{' || text[1] == '(') && !never_closes[kind]) {
        for (const char *at = text; (at = strchr(at, kind == 0 ? '}' : ')')); at++)
            if (ends(at + 1))
                return at + 1;
        never_closes[kind] = true;
    }
    while (text && !ends(text)) {
        const char *close = *text == '\'' || *text == '"' ? strchr(text + 1, *text) : text;
        text = close ? close + 1 : NULL;
    }
    return text;
}

static cp_status refuse_parameters(struct xacro *xacro, const struct xml_node *element, const char *at)
{
    return report_error(xacro->context, CP_INPUT, "xacro-parameters", xml_node_place(element),
                        "\"%.100s\" among the params of a macro is no parameter: NAME, NAME:=VALUE, NAME:=^, "
                        "NAME:=^|VALUE, *NAME or **NAME",
                        at);
}

/* Reads one parameter at *at, and goes on behind it. never_closes: as above. */
static cp_status read_parameter(struct xacro *xacro, const struct xml_node *element, const char **at,
                                bool never_closes[2], struct parameter *parameter)
{
    const char *name = *at, *next = name;
    *parameter = (struct parameter){.name = NULL};
    while (*next && !is_space(*next) && *next != ':' && *next != '=')
        next++;
    parameter->name = arena_copy_text(xacro->arena, name, (size_t)(next - name));
    if (!parameter->name)
        return CP_LIMIT;
    if (next == name)
        return refuse_parameters(xacro, element, name);
    *at = next;
    while (is_space(*next))
        next++;
    next += *next == ':';
    if (*next != '=') {
        return ends(*at) ? CP_OK : refuse_parameters(xacro, element, name);
    }
    for (next++; is_space(*next);)
        next++;
    parameter->forwards = *next == '^';
    bool has_initial = !parameter->forwards || next[1] == '|';
    next += parameter->forwards ? 1 + has_initial : 0;
    const char *end = end_of_initial(next, never_closes);
    if (!end || (!has_initial && end != next))
        return refuse_parameters(xacro, element, name);
    parameter->initial = has_initial && end > next ? arena_copy_text(xacro->arena, next, (size_t)(end - next)) : NULL;
    *at = end;
    return has_initial && end > next && !parameter->initial ? CP_LIMIT : CP_OK;
}

static cp_status read_parameters(struct xacro *xacro, const struct xml_node *element, const char *text,
                                 struct macro *macro)
{
    struct parameter *list = NULL;
    uint32_t room = 0;
    bool never_closes[2] = {false, false};
    cp_status status = CP_OK;
    for (const char *at = text; status == CP_OK;) {
        struct parameter parameter;
        while (is_space(*at))
            at++;
        if (!*at)
            break;
        status = read_parameter(xacro, element, &at, never_closes, &parameter);
        if (status == CP_OK &&
            !array_add(xacro->context, &list, &room, &macro->parameter_count, &parameter, sizeof parameter))
            status = CP_LIMIT;
    }
    if (status == CP_OK) {
        macro->parameters = arena_copy(xacro->arena, list, macro->parameter_count, sizeof *list);
        status = macro->parameters ? CP_OK : CP_LIMIT;
    }
    memory_free(xacro->context, list, room, sizeof *list);
    return status;
}

cp_status xacro_define_macro(struct xacro *xacro, const struct xml_node *element)
{
    static const char prefix[] = "xacro:";
    static const char *const names[] = {"name", "params", NULL};
    const char *attributes[2];
    struct macro macro = {.element = element};
    cp_status status = xacro_attributes(xacro, element, names, 1, attributes);
    if (status != CP_OK)
        return status;
    macro.name = attributes[0];
    if (strncmp(macro.name, prefix, sizeof prefix - 1) == 0) {
        report_warning(xacro->context, "xacro-macro", xml_node_place(element),
                       "the name of the macro \"%.100s\" should not have the prefix", macro.name);
        macro.name += sizeof prefix - 1;
    }
    if (strchr(macro.name, '.'))
        return report_error(xacro->context, CP_INPUT, "xacro-macro", xml_node_place(element),
                            "the name of the macro \"%.100s\" has a point, which parts the namespace of an included "
                            "file from a name in it",
                            macro.name);
    status = attributes[1] ? read_parameters(xacro, element, attributes[1], &macro) : CP_OK;
    if (status != CP_OK)
        return status;
    uint32_t *row = name_map_add(&xacro->scope->macro_names, macro.name, xacro->macro_count, NULL);
    if (!row ||
        !array_add(xacro->context, &xacro->macros, &xacro->macro_room, &xacro->macro_count, &macro, sizeof macro))
        return CP_LIMIT;
    *row = xacro->macro_count - 1;
    return CP_OK;
}

/* ---- calls ---- */

/* Finds a macro from the scope outwards. */
static const struct macro *find_macro(const struct xacro *xacro, const struct scope *scope, const char *name)
{
    for (; scope; scope = scope->parent) {
        const uint32_t *row = name_map_find(&scope->macro_names, name);
        if (row)
            return &xacro->macros[*row];
    }
    return NULL;
}

/* Finds the macro "name" or "space.name", and the scope around what it defines. NULL if there is none. */
static const struct macro *resolve_macro(struct xacro *xacro, const char *name, struct scope **around)
{
    *around = xacro->scope;
    for (const char *point; (point = strchr(name, '.')); name = point + 1) {
        struct scope *scope = *around;
        const struct property *space = scope_find(&scope, name, (size_t)(point - name));
        if (!space || space->state != PROPERTY_SPACE)
            return NULL;
        *around = space->space;
    }
    return find_macro(xacro, *around, name);
}

/* A call that is being prepared. */
struct call {
    const struct macro *macro;
    const struct xml_node *element;
    struct scope scope; /* of the body */
    bool *is_set;       /* of each parameter */
};

static cp_status set_parameter(struct xacro *xacro, struct call *call, uint32_t parameter, const struct value *value)
{
    call->is_set[parameter] = true;
    return scope_set(xacro, &call->scope, call->macro->parameters[parameter].name, value, false);
}

/* Takes the attributes of the call as parameters. */
static cp_status take_attributes(struct xacro *xacro, struct call *call)
{
    const struct macro *macro = call->macro;
    bool is_call = strcmp(call->element->name, "xacro:call") == 0;
    for (uint32_t i = 0; i < call->element->attribute_count; i++) {
        const struct xml_item *attribute = &call->element->attributes[i];
        uint32_t parameter = 0;
        if (strncmp(attribute->name, "xmlns", 5) == 0 || (is_call && strcmp(attribute->name, "macro") == 0))
            continue;
        while (parameter < macro->parameter_count && strcmp(macro->parameters[parameter].name, attribute->name) != 0)
            parameter++;
        if (parameter == macro->parameter_count)
            return report_error(xacro->context, CP_INPUT, "xacro-call", xml_node_place(call->element),
                                "the macro \"%.100s\" has no parameter \"%.100s\"", macro->name, attribute->name);
        struct value value;
        cp_status status = xacro_evaluate(xacro, attribute->value, &value);
        if (status == CP_OK)
            status = set_parameter(xacro, call, parameter, &value);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

/* Expands the children of the call, and takes them as blocks. */
static cp_status take_blocks(struct xacro *xacro, struct call *call)
{
    const struct macro *macro = call->macro;
    struct xml_node *inside = arena_allocate_zeroed(xacro->arena, 1, sizeof *inside);
    cp_status status = inside ? xacro_expand_children(xacro, call->element, inside) : CP_LIMIT;
    const struct xml_node *block = status == CP_OK ? xml_node_child(inside, NULL) : NULL;
    for (uint32_t i = 0; i < macro->parameter_count && status == CP_OK; i++) {
        const struct parameter *parameter = &macro->parameters[i];
        if (parameter->name[0] != '*')
            continue;
        if (!block)
            return report_error(xacro->context, CP_INPUT, "xacro-call", xml_node_place(call->element),
                                "the call of the macro \"%.100s\" has no element for its block \"%.100s\"", macro->name,
                                parameter->name);
        call->is_set[i] = true;
        status = scope_set_block(xacro, &call->scope, parameter->name, block);
        block = xml_node_next(block, NULL);
    }
    if (block && status == CP_OK)
        return report_error(xacro->context, CP_INPUT, "xacro-call", xml_node_place(block),
                            "the macro \"%.100s\" has no block for <%.100s>", macro->name, block->name);
    return status;
}

/* Gives the parameters that are left their initial values, as the caller's scope has them. */
static cp_status take_initials(struct xacro *xacro, struct call *call)
{
    const struct macro *macro = call->macro;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < macro->parameter_count && status == CP_OK; i++) {
        const struct parameter *parameter = &macro->parameters[i];
        struct value value;
        bool found = false;
        if (call->is_set[i])
            continue;
        if (parameter->forwards)
            status = scope_value(xacro, parameter->name, strlen(parameter->name), &value, &found);
        if (status == CP_OK && !found && parameter->initial) {
            status = xacro_evaluate(xacro, parameter->initial, &value);
            found = true;
        }
        if (status == CP_OK && !found)
            return report_error(xacro->context, CP_INPUT, "xacro-call", xml_node_place(call->element),
                                parameter->forwards
                                    ? "the macro \"%.100s\" takes the property \"%.100s\" of its caller, who has none"
                                    : "the call of the macro \"%.100s\" does not give its parameter \"%.100s\"",
                                macro->name, parameter->name);
        if (status == CP_OK)
            status = set_parameter(xacro, call, i, &value);
    }
    return status;
}

/* Expands the body. Like those of any element, the attributes of <xacro:macro> are evaluated first, and with them the
 * properties that initial values name, for good. */
static cp_status expand_body(struct xacro *xacro, struct call *call, struct xml_node *to)
{
    const struct xml_node *const body = call->macro->element;
    const char *name = call->macro->name;
    struct value unused;
    cp_status status = xacro_lift_namespaces(xacro, body, to);
    xacro->at = body;
    for (uint32_t i = 0; i < body->attribute_count && status == CP_OK; i++)
        status = xacro_evaluate(xacro, body->attributes[i].value, &unused);
    if (status == CP_OK)
        status = xacro_expand_children(xacro, body, to);
    if (status == CP_INPUT)
        report_note(xacro->context, "xacro-called", xml_node_place(call->element),
                    "in the macro \"%.100s\", which is called here", name);
    return status;
}

cp_status xacro_call_macro(struct xacro *xacro, const char *name, const struct xml_node *element, struct xml_node *to)
{
    struct scope *const outside = xacro->scope, *around;
    const struct macro *found = resolve_macro(xacro, name, &around);
    if (!found)
        return report_error(xacro->context, CP_INPUT, "xacro-unknown", xml_node_place(element),
                            "there is no macro \"%.100s\"", name);
    const struct macro macro = *found; /* the list of macros may move */
    struct call call = {.macro = &macro, .element = element};
    cp_status status = xacro_count_attributes(xacro, element, macro.parameter_count);
    if (status == CP_OK) {
        call.is_set = arena_allocate_zeroed(xacro->arena, macro.parameter_count, sizeof *call.is_set);
        status = call.is_set ? xacro_begin_call(xacro, element) : CP_LIMIT;
    }
    if (status != CP_OK)
        return status;
    scope_start(xacro, &call.scope, around);
    xacro->scope = around; /* a macro of a namespace is called from there */
    xacro->at = element;
    status = take_attributes(xacro, &call);
    if (status == CP_OK)
        status = take_blocks(xacro, &call);
    xacro->at = element;
    if (status == CP_OK)
        status = take_initials(xacro, &call);
    xacro->scope = &call.scope;
    if (status == CP_OK)
        status = expand_body(xacro, &call, to);
    xacro->scope = outside;
    scope_free(xacro, &call.scope);
    xacro_end_call(xacro);
    return status;
}
