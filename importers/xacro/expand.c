/* The expansion of a xacro document, element by element, in the order of the text.
 *
 * What the language means is defined by the program ros/xacro (github.com/ros/xacro) alone. */
#include "expand.h"

#include "base/text/text.h"

static const char prefix[] = "xacro:";

static bool has_prefix(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* ---- help for elements ---- */

cp_status xacro_begin_call(struct xacro *xacro, const struct xml_node *element)
{
    if (xacro->calls >= MOST_CALLS)
        return report_error(xacro->context, CP_LIMIT, "xacro-depth", xml_node_place(element),
                            "macros, files and properties are nested more than %d deep", MOST_CALLS);
    xacro->calls++;
    return CP_OK;
}

void xacro_end_call(struct xacro *xacro)
{
    xacro->calls--;
}

cp_status xacro_attributes(struct xacro *xacro, const struct xml_node *element, const char *const *names,
                           size_t required, const char **values)
{
    size_t count = 0;
    cp_status status = CP_OK;
    for (; names[count]; count++) {
        values[count] = xml_node_attribute(element, names[count]);
        if (!values[count] && count < required)
            return report_error(xacro->context, CP_INPUT, "xacro-attribute", xml_node_place(element),
                                "<%.100s> has no attribute %s", element->name, names[count]);
    }
    for (uint32_t i = 0; i < element->attribute_count; i++) {
        const char *name = element->attributes[i].name;
        size_t known = 0;
        while (known < count && strcmp(names[known], name) != 0)
            known++;
        if (known == count && strncmp(name, "xmlns", 5) != 0 && status == CP_OK)
            status = report_lenient(xacro->context, xacro->strict, "xacro-attribute", xml_node_place(element),
                                    "<%.100s> has the attribute %.100s, which is unknown there", element->name, name);
    }
    return status;
}

cp_status xacro_count_attributes(struct xacro *xacro, const struct xml_node *element, uint64_t count)
{
    xacro->attributes += count;
    return xacro->attributes <= MOST_ATTRIBUTES
               ? CP_OK
               : report_error(xacro->context, CP_LIMIT, "xacro-size", xml_node_place(element),
                              "the document expands to more than %d attributes and parameters", MOST_ATTRIBUTES);
}

/* Sets an attribute of an element, in place of one of the same name. The list is copied each time, and so counted. */
static cp_status set_attribute(struct xacro *xacro, struct xml_node *element, const char *name, const char *value)
{
    for (uint32_t i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name) == 0) {
            element->attributes[i].value = value;
            return CP_OK;
        }
    if (xacro_count_attributes(xacro, xacro->at, element->attribute_count + UINT64_C(1)) != CP_OK)
        return CP_LIMIT;
    struct xml_item *items = arena_allocate(xacro->arena, element->attribute_count + (size_t)1, sizeof *items);
    if (!items)
        return CP_LIMIT;
    if (element->attribute_count > 0)
        memcpy(items, element->attributes, element->attribute_count * sizeof *items);
    items[element->attribute_count++] = (struct xml_item){name, value};
    element->attributes = items;
    return CP_OK;
}

cp_status xacro_lift_namespaces(struct xacro *xacro, const struct xml_node *from, struct xml_node *to)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < from->attribute_count && status == CP_OK; i++) {
        const struct xml_item *item = &from->attributes[i];
        if (strncmp(item->name, "xmlns:", 6) == 0 && strcmp(item->name, "xmlns:xacro") != 0 && to->name &&
            !xml_node_attribute(to, item->name))
            status = set_attribute(xacro, to, item->name, item->value);
    }
    return status;
}

/* ---- elements of the language ---- */

static cp_status insert_block(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    static const char *const names[] = {"name", NULL};
    const char *name;
    cp_status status = xacro_attributes(xacro, element, names, 1, &name);
    if (status != CP_OK)
        return status;
    for (int stars = 2; stars > 0; stars--) {
        const char *key = arena_print(xacro->arena, "%s%s", stars == 2 ? "**" : "*", name);
        if (!key)
            return CP_LIMIT;
        struct scope *scope = xacro->scope;
        const struct property *block = scope_find(&scope, key, strlen(key));
        if (!block)
            continue;
        const struct xml_node *inside = block->element;
        status = xacro_begin_call(xacro, element);
        if (status != CP_OK)
            return status;
        status = stars == 2 ? xacro_expand_children(xacro, inside, to) : xacro_expand_element(xacro, inside, to);
        xacro_end_call(xacro);
        return status;
    }
    return report_error(xacro->context, CP_INPUT, "xacro-block", xml_node_place(element),
                        "there is no block \"%.100s\"", name);
}

static cp_status expand_condition(struct xacro *xacro, const struct xml_node *element, bool wanted, struct xml_node *to)
{
    static const char *const names[] = {"value", NULL};
    const char *value;
    bool truth;
    cp_status status = xacro_attributes(xacro, element, names, 1, &value);
    if (status == CP_OK)
        status = xacro_evaluate_truth(xacro, value, false, &truth);
    return status == CP_OK && truth == wanted ? xacro_expand_children(xacro, element, to) : status;
}

/* <xacro:element xacro:name="NAME" ...> is the element of that name. */
static cp_status expand_named(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    const char *text = xml_node_attribute(element, "xacro:name");
    struct xml_node named = *element;
    cp_status status = text ? xacro_evaluate_text(xacro, text, &named.name) : CP_OK;
    if (status == CP_OK && (!text || !*named.name || strcmp(named.name, element->name) == 0))
        return report_error(xacro->context, CP_INPUT, "xacro-attribute", xml_node_place(element),
                            "<xacro:element> has no xacro:name that names an element");
    return status == CP_OK ? xacro_expand_element(xacro, &named, to) : status;
}

/* <xacro:attribute name="" value=""/> is one of the element around it. */
static cp_status expand_attribute(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    static const char *const names[] = {"name", "value", NULL};
    const char *attributes[2];
    cp_status status = xacro_attributes(xacro, element, names, 2, attributes);
    for (size_t i = 0; i < 2 && status == CP_OK; i++)
        status = xacro_evaluate_text(xacro, attributes[i], &attributes[i]);
    if (status == CP_OK && (!*attributes[0] || !to->name))
        return report_error(xacro->context, CP_INPUT, "xacro-attribute", xml_node_place(element),
                            "<xacro:attribute> has no name, or no element around it");
    return status == CP_OK ? set_attribute(xacro, to, attributes[0], attributes[1]) : status;
}

static cp_status expand_call(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    const char *text = xml_node_attribute(element, "macro"), *name;
    if (!text)
        return report_error(xacro->context, CP_INPUT, "xacro-attribute", xml_node_place(element),
                            "<xacro:call> has no attribute macro");
    cp_status status = xacro_evaluate_text(xacro, text, &name);
    return status == CP_OK ? xacro_call_macro(xacro, name, element, to) : status;
}

static cp_status expand_word(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    const char *word = element->name + sizeof prefix - 1;
    if (strcmp(word, "property") == 0)
        return xacro_set_property(xacro, element);
    if (strcmp(word, "macro") == 0)
        return xacro_define_macro(xacro, element);
    if (strcmp(word, "arg") == 0)
        return xacro_declare_argument(xacro, element);
    if (strcmp(word, "include") == 0)
        return xacro_include(xacro, element, to);
    if (strcmp(word, "if") == 0 || strcmp(word, "unless") == 0)
        return expand_condition(xacro, element, *word == 'i', to);
    if (strcmp(word, "insert_block") == 0)
        return insert_block(xacro, element, to);
    if (strcmp(word, "element") == 0)
        return expand_named(xacro, element, to);
    if (strcmp(word, "attribute") == 0)
        return expand_attribute(xacro, element, to);
    if (strcmp(word, "call") == 0)
        return expand_call(xacro, element, to);
    return xacro_call_macro(xacro, word, element, to);
}

/* ---- all other elements ---- */

static struct xml_node *add_node(struct xacro *xacro, const struct xml_node *from, struct xml_node *to)
{
    struct xml_node *node = arena_allocate_zeroed(xacro->arena, 1, sizeof *node);
    if (!node)
        return NULL;
    node->file = from->file;
    node->line = from->line;
    node->is_cdata = from->is_cdata;
    xml_node_append(to, node);
    return node;
}

/* Evaluates the attributes of an element for its copy, but for those of the language. */
static cp_status copy_attributes(struct xacro *xacro, const struct xml_node *element, struct xml_node *copy)
{
    cp_status status = xacro_count_attributes(xacro, element, element->attribute_count);
    if (status != CP_OK)
        return status;
    copy->attributes = arena_allocate(xacro->arena, element->attribute_count, sizeof *copy->attributes);
    for (uint32_t i = 0; i < element->attribute_count && copy->attributes && status == CP_OK; i++) {
        const struct xml_item *item = &element->attributes[i];
        if (has_prefix(item->name) || strcmp(item->name, "xmlns:xacro") == 0)
            continue;
        struct xml_item *evaluated = &copy->attributes[copy->attribute_count++];
        evaluated->name = item->name;
        status = xacro_evaluate_text(xacro, item->value, &evaluated->value);
    }
    return copy->attributes ? status : CP_LIMIT;
}

static cp_status copy_element(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    struct xml_node *copy = add_node(xacro, element, to);
    if (!copy)
        return CP_LIMIT;
    copy->name = element->name;
    cp_status status = copy_attributes(xacro, element, copy);
    return status == CP_OK ? xacro_expand_children(xacro, element, copy) : status;
}

static cp_status copy_text(struct xacro *xacro, const struct xml_node *text, const struct xml_node *parent,
                           struct xml_node *to)
{
    struct xml_node *copy = add_node(xacro, text, to);
    xacro->at = text->line ? text : parent;
    if (!copy)
        return CP_LIMIT;
    copy->text = text->text;
    return text->is_cdata ? CP_OK : xacro_evaluate_text(xacro, text->text, &copy->text);
}

cp_status xacro_expand_element(struct xacro *xacro, const struct xml_node *element, struct xml_node *to)
{
    if (++xacro->elements > MOST_ELEMENTS)
        return report_error(xacro->context, CP_LIMIT, "xacro-size", xml_node_place(element),
                            "the document expands to more than %d elements", MOST_ELEMENTS);
    if (xacro->nesting >= MOST_NESTING)
        return report_error(xacro->context, CP_LIMIT, "xacro-depth", xml_node_place(element),
                            "the elements of macros are nested more than %d deep", MOST_NESTING);
    xacro->nesting++;
    xacro->at = element;
    cp_status status = has_prefix(element->name) ? expand_word(xacro, element, to) : copy_element(xacro, element, to);
    xacro->nesting--;
    return status;
}

cp_status xacro_expand_children(struct xacro *xacro, const struct xml_node *from, struct xml_node *to)
{
    cp_status status = CP_OK;
    for (const struct xml_node *child = from->first; child && status == CP_OK; child = child->next)
        status = child->name ? xacro_expand_element(xacro, child, to) : copy_text(xacro, child, from, to);
    return status;
}

/* ---- the document ---- */

/* Expands the root. Its own attributes come last, so that name="$(arg name)" finds the initial value of an argument
 * that the document declares; ros/xacro wants the argument to be given then. */
static cp_status expand_root(struct xacro *xacro, const struct xml_node *root, struct xml_node *above)
{
    struct xml_node *copy = add_node(xacro, root, above);
    if (!copy)
        return CP_LIMIT;
    copy->name = root->name;
    cp_status status = xacro_expand_children(xacro, root, copy);
    struct xml_node given = *copy; /* <xacro:attribute> and further files gave these */
    xacro->at = root;
    if (status == CP_OK) {
        copy->attribute_count = 0;
        status = copy_attributes(xacro, root, copy);
    }
    for (uint32_t i = 0; i < given.attribute_count && status == CP_OK; i++)
        status = set_attribute(xacro, copy, given.attributes[i].name, given.attributes[i].value);
    return status;
}

void xacro_warn_of_settings(const struct source *source, const struct xacro_settings *settings)
{
    if (settings->arguments.count > 0)
        report_warning(source->context, "xacro-argument-unused", IN_FILE(source->name),
                       "the document is not xacro, and has no argument \"%.100s\"", settings->arguments.items[0]);
}

bool xacro_is_meant(const struct xml_node *root)
{
    for (uint32_t i = 0; i < root->attribute_count; i++)
        if (has_prefix(root->attributes[i].name) || strcmp(root->attributes[i].name, "xmlns:xacro") == 0)
            return true;
    for (const struct xml_node *child = xml_node_child(root, NULL); child; child = xml_node_next(child, NULL))
        if (has_prefix(child->name))
            return true;
    return false;
}

cp_status xacro_expand(const struct source *source, const struct xacro_settings *settings, bool strict,
                       struct arena *arena, struct xml_node **root)
{
    cp_context *context = source->context;
    struct scope global;
    struct xml_node above = {0};
    struct xacro xacro = {.context = context,
                          .arena = arena,
                          .settings = settings,
                          .strict = strict,
                          .file = source,
                          .scope = &global,
                          .argument_names = {.context = context},
                          .yaml_names = {.context = context},
                          .at = *root,
                          .world = {.context = context,
                                    .arena = arena,
                                    .user = &xacro,
                                    .find = scope_value,
                                    .find_member = scope_member,
                                    .load_yaml = xacro_load_yaml,
                                    .argument = xacro_argument}};
    scope_start(&xacro, &global, NULL);
    cp_status status = xacro_take_arguments(&xacro);
    if (status == CP_OK)
        status = expand_root(&xacro, *root, &above);
    if (status == CP_OK) {
        xacro_warn_of_arguments(&xacro);
        *root = above.first;
    }
    for (struct scope *space = xacro.spaces; space; space = space->next_space)
        scope_free(&xacro, space);
    scope_free(&xacro, &global);
    name_map_free(&xacro.argument_names);
    name_map_free(&xacro.yaml_names);
    memory_free(context, xacro.yaml, xacro.yaml_room, sizeof *xacro.yaml);
    memory_free(context, xacro.macros, xacro.macro_room, sizeof *xacro.macros);
    memory_free(context, xacro.arguments, xacro.argument_room, sizeof *xacro.arguments);
    return status;
}
