/* The module xacro of expressions: files, arguments, messages, and texts in pieces. */
#include "base/text/text.h"
#include "evaluation.h"

static cp_status refuse_argument(const struct call *call, const struct value *value)
{
    return evaluation_fail(call->evaluation, "xacro.%s does not take %s", call->function->name, value_kind_name(value));
}

static cp_status load_yaml(const struct call *call, struct value *result)
{
    const struct expression_world *world = call->evaluation->world;
    if (call->values->kind != VALUE_TEXT)
        return refuse_argument(call, call->values);
    if (!world->load_yaml)
        return evaluation_fail(call->evaluation, "no file can be loaded here");
    return world->load_yaml(world->user, call->values->text.bytes, result);
}

static cp_status argument(const struct call *call, struct value *result)
{
    const struct expression_world *world = call->evaluation->world;
    if (call->values->kind != VALUE_TEXT)
        return refuse_argument(call, call->values);
    if (!world->argument)
        return evaluation_fail(call->evaluation, "there are no arguments here");
    return world->argument(world->user, call->values->text.bytes, result);
}

/* Joins the arguments with blanks, as Python's print() does. */
static cp_status join(const struct call *call, struct buffer *text)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < call->count && status == CP_OK; i++) {
        status = evaluation_spend(call->evaluation, value_weight(&call->values[i]));
        if (status == CP_OK && i > 0)
            buffer_text(text, " ");
        if (status == CP_OK)
            value_print(&call->values[i], text);
    }
    buffer_append(text, "", 1);
    return status == CP_OK && text->failed ? CP_LIMIT : status;
}

/* Reports what a file says to its user. xacro.error does not end the work, so that it is a warning, too. */
static cp_status say(const struct call *call, struct value *result)
{
    const struct expression_world *world = call->evaluation->world;
    const char *name = call->function->name;
    struct buffer text = {.context = world->context};
    cp_status status = join(call, &text);
    if (status == CP_OK && strcmp(name, "fatal") == 0)
        status =
            report_error(world->context, CP_INPUT, "xacro-fatal", world->place, "the file says: %.1000s", text.data);
    else if (status == CP_OK && strcmp(name, "message") == 0)
        report_note(world->context, "xacro-message", world->place, "the file says: %.1000s", text.data);
    else if (status == CP_OK)
        report_warning(world->context, "xacro-message", world->place, "the file says: %s%.1000s",
                       strcmp(name, "error") == 0 ? "error: " : "", text.data);
    buffer_free(&text);
    *result = value_of_text("", 0);
    return status;
}

static cp_status print_location(const struct call *call, struct value *result)
{
    const struct expression_world *world = call->evaluation->world;
    report_note(world->context, "xacro-message", world->place, "the file asks where it is evaluated: here");
    *result = value_of_text("", 0);
    return CP_OK;
}

static cp_status dotify(const struct call *call, struct value *result)
{
    if (call->values->kind != VALUE_DICT)
        return refuse_argument(call, call->values);
    struct value_items *items = arena_copy(call->evaluation->world->arena, call->values->items, 1, sizeof *items);
    if (!items)
        return CP_LIMIT;
    items->is_dotted = true;
    *result = (struct value){.kind = VALUE_DICT, .items = items};
    return CP_OK;
}

/* Cuts a text at every character of the second argument. The third says whether empty pieces are left out. */
static cp_status tokenize(const struct call *call, struct value *result)
{
    const struct value *text = call->values;
    const char *set = call->count > 1 ? call->values[1].text.bytes : ",; ";
    bool skips_empty = call->count < 3 || value_is_true(&call->values[2]);
    for (uint32_t i = 0; i < call->count && i < 2; i++)
        if (call->values[i].kind != VALUE_TEXT)
            return refuse_argument(call, &call->values[i]);
    if (!*set || strpbrk(set, "^]\\-") || strlen(set) > 100) /* xacro makes a regular expression of them */
        return evaluation_fail(call->evaluation, "xacro.tokenize does not take the separators '%.100s'", set);
    uint64_t count = 1;
    for (size_t i = 0; i < text->text.size; i++)
        count += strchr(set, text->text.bytes[i]) != NULL;
    cp_status status;
    struct value_items *items = evaluation_items(call->evaluation, count, false, &status);
    if (!items)
        return status;
    items->count = 0;
    const char *at = text->text.bytes;
    for (uint64_t i = 0; i < count && status == CP_OK; i++) {
        size_t size = strcspn(at, set);
        if (size > 0 || !skips_empty)
            status = evaluation_copy(call->evaluation, at, size, &items->values[items->count++]);
        at += size + (at[size] != '\0');
    }
    return status == CP_OK ? evaluation_finish(call->evaluation, VALUE_LIST, items, result) : status;
}

const struct value_function xacro_functions[] = {
    {.name = "arg", 1, 1, argument},
    {.name = "dotify", 1, 1, dotify},
    {.name = "error", 0, ANY_COUNT, say},
    {.name = "fatal", 0, ANY_COUNT, say},
    {.name = "load_yaml", 1, 1, load_yaml},
    {.name = "message", 0, ANY_COUNT, say},
    {.name = "print_location", 0, 0, print_location},
    {.name = "tokenize", 1, 3, tokenize},
    {.name = "warning", 0, ANY_COUNT, say},
    {.name = NULL},
};
