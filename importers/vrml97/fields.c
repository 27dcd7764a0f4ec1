/* Values of nodes, by the names of their fields. */

#include "vrml97.h"

struct place wrl_place(const struct wrl_node *node)
{
    return (struct place){.file = node->file->source->name, .line = node->line, .column = node->column};
}

/* Returns the value that an instance of a prototype has, unless it is given: that of the interface. */
static const struct wrl_value *default_of(const struct wrl_proto *proto, const char *name)
{
    uint32_t place = proto ? wrl_member_place(proto, name) : CP_NONE;
    bool is_there =
        place != CP_NONE && proto->members[place].access <= WRL_EXPOSED && proto->defaults[place].store != WRL_AS_IS;
    return is_there ? &proto->defaults[place] : NULL;
}

const struct wrl_value *wrl_value(const struct wrl_node *node, const char *name)
{
    for (uint32_t i = node->field_count; i-- > 0;)
        if (strcmp(node->fields[i].name, name) == 0)
            return node->fields[i].value.store == WRL_AS_IS ? NULL : &node->fields[i].value;
    const struct wrl_proto *proto = node->instance ? node->instance->proto : NULL;
    return default_of(proto && proto->urls ? proto->found : proto, name);
}

double wrl_item(const struct wrl_value *value, uint32_t index)
{
    switch (value->store) {
    case WRL_AS_DOUBLES:
        return value->doubles[index];
    case WRL_AS_FLOATS:
        return (double)value->floats[index];
    case WRL_AS_INTEGERS:
        return value->integers[index];
    default:
        return 0;
    }
}

void wrl_numbers(const struct wrl_node *node, const char *name, uint32_t count, double *numbers)
{
    const struct wrl_value *value = wrl_value(node, name);
    if (value && value->store <= WRL_AS_INTEGERS && value->count >= count)
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = wrl_item(value, i);
}

double wrl_number(const struct wrl_node *node, const char *name, double missing)
{
    wrl_numbers(node, name, 1, &missing);
    return missing;
}

bool wrl_truth(const struct wrl_node *node, const char *name, bool missing)
{
    return wrl_number(node, name, missing) != 0;
}

const char *wrl_text(const struct wrl_node *node, const char *name, const char *missing)
{
    const struct wrl_value *value = wrl_value(node, name);
    return value && value->store == WRL_AS_TEXTS && value->count > 0 ? value->texts[0] : missing;
}

struct wrl_node *wrl_child(const struct wrl_node *node, const char *name)
{
    const struct wrl_value *value = wrl_value(node, name);
    return value && value->store == WRL_AS_NODES && value->count > 0 ? value->nodes[0] : NULL;
}

struct wrl_node *wrl_real(struct wrl_node *node)
{
    while (node && node->instance)
        node = node->instance->body;
    return node;
}

struct wrl_node *wrl_child_of_kind(struct wrl *wrl, const struct wrl_node *node, const char *name, const char *kind)
{
    struct wrl_node *written = wrl_child(node, name), *real = wrl_real(written);
    if (!real || (real->kind && (!kind || strcmp(real->kind->name, kind) == 0)))
        return real;
    report_loss(wrl->context, "vrml97-node", wrl_place(real), 1, "nodes of the type \"%.60s\" as %.40s of %.60s",
                real->type, name, node->type);
    return NULL;
}
