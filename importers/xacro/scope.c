/* Properties, in scopes: a macro's are within those of its caller. */
#include "expand.h"

void scope_start(struct xacro *xacro, struct scope *scope, struct scope *parent)
{
    *scope = (struct scope){
        .parent = parent, .property_names = {.context = xacro->context}, .macro_names = {.context = xacro->context}};
}

void scope_free(struct xacro *xacro, struct scope *scope)
{
    memory_free(xacro->context, scope->properties, scope->property_room, sizeof *scope->properties);
    name_map_free(&scope->property_names);
    name_map_free(&scope->macro_names);
}

/* Puts the property into the scope, in place of one of the same name. */
static cp_status put(struct xacro *xacro, struct scope *scope, const struct property *property)
{
    bool added;
    const uint32_t *row = name_map_add(&scope->property_names, property->name, scope->property_count, &added);
    if (!row)
        return CP_LIMIT;
    if (!added) {
        scope->properties[*row] = *property;
        return CP_OK;
    }
    return array_add(xacro->context, &scope->properties, &scope->property_room, &scope->property_count, property,
                     sizeof *property)
               ? CP_OK
               : CP_LIMIT;
}

/* Replaces a text by the number or truth value that it reads as, and removes single quotes around it. */
static cp_status read_literal(struct xacro *xacro, struct value *value)
{
    if (value->kind != VALUE_TEXT)
        return CP_OK;
    const char *bytes = value->text.bytes;
    size_t size = value->text.size;
    if (size < 2 || bytes[0] != '\'' || bytes[size - 1] != '\'') {
        (void)value_from_literal(bytes, size, value);
        return CP_OK;
    }
    bytes = arena_copy_text(xacro->arena, bytes + 1, size - 2);
    *value = value_of_text(bytes, size - 2);
    return bytes ? CP_OK : CP_LIMIT;
}

cp_status scope_set(struct xacro *xacro, struct scope *scope, const char *name, const struct value *value, bool lazy)
{
    struct property property = {.name = name, .state = PROPERTY_DONE, .value = *value, .element = xacro->at};
    if (read_literal(xacro, &property.value) != CP_OK)
        return CP_LIMIT;
    if (lazy && property.value.kind == VALUE_TEXT) {
        property.state = PROPERTY_LAZY;
        property.text = property.value.text.bytes;
    }
    return put(xacro, scope, &property);
}

cp_status scope_set_block(struct xacro *xacro, struct scope *scope, const char *name, const struct xml_node *block)
{
    return put(xacro, scope, &(struct property){.name = name, .state = PROPERTY_BLOCK, .element = block});
}

cp_status scope_set_space(struct xacro *xacro, struct scope *scope, const char *name, struct scope *space)
{
    return put(xacro, scope, &(struct property){.name = name, .state = PROPERTY_SPACE, .space = space});
}

struct property *scope_find(struct scope **scope, const char *name, size_t size)
{
    for (; *scope; *scope = (*scope)->parent) {
        const uint32_t *row = name_map_find_sized(&(*scope)->property_names, name, size);
        if (row && (*scope)->properties[*row].state != PROPERTY_REMOVED)
            return &(*scope)->properties[*row];
    }
    return NULL;
}

/* ---- values ---- */

/* Evaluates a property's text, in the scope that has it. Its row may move meanwhile. */
static cp_status evaluate(struct xacro *xacro, struct scope *scope, size_t row)
{
    struct scope *const outside = xacro->scope;
    const struct xml_node *const at = xacro->at;
    const char *text = scope->properties[row].text;
    struct value value;
    cp_status status = xacro_begin_call(xacro, scope->properties[row].element);
    if (status != CP_OK)
        return status;
    scope->properties[row].state = PROPERTY_OPEN;
    xacro->scope = scope;
    xacro->at = scope->properties[row].element;
    status = xacro_evaluate(xacro, text, &value);
    xacro->scope = outside;
    xacro->at = at;
    xacro_end_call(xacro);
    if (status == CP_OK)
        status = read_literal(xacro, &value);
    if (status == CP_OK) {
        scope->properties[row].value = value;
        scope->properties[row].state = PROPERTY_DONE;
    }
    return status;
}

/* Finds the value of the property in the scope, or in those around it if it may be there. */
static cp_status value_in(struct xacro *xacro, struct scope *scope, const char *name, size_t size, struct value *value,
                          bool *found)
{
    const struct property *property = scope_find(&scope, name, size);
    *found = property != NULL;
    if (!property)
        return CP_OK;
    size_t row = (size_t)(property - scope->properties);
    if (property->state == PROPERTY_OPEN)
        return report_error(xacro->context, CP_INPUT, "xacro-circular", xml_node_place(property->element),
                            "the property \"%.100s\" needs itself for its value", property->name);
    if (property->state == PROPERTY_SPACE) {
        *value = (struct value){.kind = VALUE_MODULE, .module = {property->name}};
        return CP_OK;
    }
    cp_status status = property->state == PROPERTY_LAZY ? evaluate(xacro, scope, row) : CP_OK;
    *value = scope->properties[row].value;
    return status;
}

/* Finds an argument, whose text is read like that of a property; true and false are values, too. */
static cp_status argument_value(struct xacro *xacro, const char *name, size_t size, struct value *value, bool *found)
{
    *found = (size == 4 && memcmp(name, "true", 4) == 0) || (size == 5 && memcmp(name, "false", 5) == 0);
    if (*found) {
        *value = value_of_bool(size == 4);
        return CP_OK;
    }
    const uint32_t *row = name_map_find_sized(&xacro->argument_names, name, size);
    *found = row != NULL;
    if (!row)
        return CP_OK;
    xacro->arguments[*row].is_known = true;
    *value = value_of_text(xacro->arguments[*row].value, strlen(xacro->arguments[*row].value));
    return read_literal(xacro, value);
}

cp_status scope_value(void *user, const char *name, size_t size, struct value *value, bool *found)
{
    struct xacro *xacro = user;
    if (xacro->sees_arguments) {
        cp_status status = argument_value(xacro, name, size, value, found);
        if (status != CP_OK || *found)
            return status;
    }
    return value_in(xacro, xacro->scope, name, size, value, found);
}

cp_status scope_member(void *user, const char *module, const char *name, size_t size, struct value *value, bool *found)
{
    struct xacro *xacro = user;
    struct scope *scope = xacro->scope;
    *found = false;
    for (const char *at = module; *at;) { /* "outer.inner" */
        size_t length = strcspn(at, ".");
        const struct property *property = scope_find(&scope, at, length);
        if (!property || property->state != PROPERTY_SPACE)
            return CP_OK;
        scope = property->space;
        at += length + (at[length] == '.');
    }
    cp_status status = value_in(xacro, scope, name, size, value, found);
    if (status == CP_OK && *found && value->kind == VALUE_MODULE) {
        value->module.name = arena_print(xacro->arena, "%s.%.*s", module, (int)size, name);
        status = value->module.name ? CP_OK : CP_LIMIT;
    }
    return status;
}

/* ---- <xacro:property> ---- */

/* Tells whether it can be the name of a property, which expressions know it by. */
static bool is_name(const char *name)
{
    const char *at = name;
    while (*at == '_' || is_letter(*at) || (at > name && is_digit(*at)) || (unsigned char)*at >= 0x80)
        at++;
    return at > name && !*at && strncmp(name, "__", 2) != 0;
}

enum { NAME, VALUE, DEFAULT, REMOVE, SCOPE, LAZY, ATTRIBUTE_COUNT };

/* Finds the scope that the property belongs into; NULL: none. A property of another scope is evaluated at once. */
static struct scope *target_of(struct xacro *xacro, const struct xml_node *element, const char *const *attributes,
                               bool *lazy)
{
    struct scope *scope = xacro->scope;
    const char *word = attributes[SCOPE];
    if (!word)
        return scope;
    if (strcmp(word, "global") == 0) {
        while (scope->parent)
            scope = scope->parent;
        *lazy = false;
    } else if (strcmp(word, "parent") == 0) {
        if (!scope->parent)
            report_warning(xacro->context, "xacro-scope", xml_node_place(element),
                           "the property \"%.100s\" has scope=\"parent\" outside any macro, and is dropped",
                           attributes[NAME]);
        do
            scope = scope->parent;
        while (scope && scope->is_space);
        *lazy = false;
    } else {
        report_warning(xacro->context, "xacro-scope", xml_node_place(element),
                       "scope=\"%.100s\" is neither parent nor global: the property \"%.100s\" is local", word,
                       attributes[NAME]);
    }
    return scope;
}

/* Stores the property that the attributes describe. */
static cp_status store(struct xacro *xacro, const struct xml_node *element, const char *const *attributes, bool lazy)
{
    const char *text = attributes[VALUE] ? attributes[VALUE] : attributes[DEFAULT], *name = attributes[NAME];
    struct scope *scope = target_of(xacro, element, attributes, &lazy);
    if (!scope)
        return CP_OK;
    if (!text) {
        name = arena_print(xacro->arena, "**%s", name);
        return name ? scope_set_block(xacro, scope, name, element) : CP_LIMIT;
    }
    struct value value = value_of_text(text, strlen(text));
    cp_status status = lazy ? CP_OK : xacro_evaluate(xacro, text, &value);
    return status == CP_OK ? scope_set(xacro, scope, name, &value, lazy) : status;
}

cp_status xacro_set_property(struct xacro *xacro, const struct xml_node *element)
{
    static const char *const names[] = {"name", "value", "default", "remove", "scope", "lazy_eval", NULL};
    const char *attributes[ATTRIBUTE_COUNT];
    bool removes = false, lazy = true;
    cp_status status = xacro_attributes(xacro, element, names, 1, attributes);
    if (status == CP_OK)
        status = xacro_evaluate_text(xacro, attributes[NAME], &attributes[NAME]);
    if (status == CP_OK)
        status = xacro_evaluate_truth(xacro, attributes[REMOVE], false, &removes);
    if (status == CP_OK)
        status = xacro_evaluate_truth(xacro, attributes[LAZY], true, &lazy);
    if (status != CP_OK)
        return status;
    if (!is_name(attributes[NAME]))
        return report_error(xacro->context, CP_INPUT, "xacro-property", xml_node_place(element),
                            "\"%.100s\" cannot be the name of a property: it needs letters, digits and _, and may not "
                            "begin with a digit or with __",
                            attributes[NAME]);
    if ((attributes[VALUE] != NULL) + (attributes[DEFAULT] != NULL) + removes > 1)
        return report_error(xacro->context, CP_INPUT, "xacro-property", xml_node_place(element),
                            "the property \"%.100s\" has more than one of value, default and remove", attributes[NAME]);
    struct scope *scope = xacro->scope;
    struct property *known = scope_find(&scope, attributes[NAME], strlen(attributes[NAME]));
    bool is_global = expression_has_global(attributes[NAME]);
    for (; removes && known; known = scope_find(&scope, attributes[NAME], strlen(attributes[NAME])))
        known->state = PROPERTY_REMOVED;
    if (removes || (attributes[DEFAULT] && (known || is_global)))
        return CP_OK;
    if (is_global)
        report_warning(xacro->context, "xacro-global", xml_node_place(element),
                       "the property \"%.100s\" hides what expressions know by this name", attributes[NAME]);
    return store(xacro, element, attributes, lazy);
}
