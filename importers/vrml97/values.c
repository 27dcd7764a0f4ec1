/* Values of fields by their types. Lists of numbers are most of a file: they are read in a loop of their own. */

#include "base/text/text.h"
#include "parser.h"

/* Numbers of one value of a type; its list has the same. */
static const unsigned char widths[WRL_TYPE_COUNT] = {
    [WRL_BOOL] = 1,  [WRL_INT] = 1,    [WRL_INTS] = 1,    [WRL_FLOAT] = 1,    [WRL_FLOATS] = 1,
    [WRL_TIME] = 1,  [WRL_TIMES] = 1,  [WRL_VEC2] = 2,    [WRL_VEC2S] = 2,    [WRL_VEC3] = 3,
    [WRL_VEC3S] = 3, [WRL_COLOUR] = 3, [WRL_COLOURS] = 3, [WRL_ROTATION] = 4, [WRL_ROTATIONS] = 4};

static bool is_list(enum wrl_type type)
{
    return type != WRL_BOOL && type != WRL_IMAGE && (type - WRL_IMAGE) % 2 == 0;
}

/* Returns how a field's numbers are kept. Keys are moments and places in double precision, as clips have them. */
static enum wrl_store store_of(enum wrl_type type, const char *name)
{
    switch (type) {
    case WRL_BOOL:
    case WRL_INT:
    case WRL_INTS:
    case WRL_IMAGE:
        return WRL_AS_INTEGERS;
    case WRL_STRING:
    case WRL_STRINGS:
        return WRL_AS_TEXTS;
    case WRL_NODE:
    case WRL_NODES:
        return WRL_AS_NODES;
    case WRL_VEC2S:
    case WRL_VEC3S:
    case WRL_COLOURS:
        return strcmp(name, "keyValue") == 0 ? WRL_AS_DOUBLES : WRL_AS_FLOATS;
    default:
        return WRL_AS_DOUBLES;
    }
}

static bool read_truth(struct wrl_parser *parser, int32_t *number)
{
    if (wrl_accept_word(parser, "TRUE")) {
        *number = 1;
        return true;
    }
    if (wrl_accept_word(parser, "FALSE")) {
        *number = 0;
        return true;
    }
    static const char *const words[2][2] = {{"false", "0"}, {"true", "1"}};
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 2; i++)
            if (wrl_accept_word(parser, words[truth][i])) {
                wrl_lenient(parser, "vrml97-boolean", "\"%s\" is taken for %s", words[truth][i],
                            truth ? "TRUE" : "FALSE");
                *number = truth;
                return parser->status == CP_OK;
            }
    if (wrl_breaks_off(parser))
        return false;
    parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-number", wrl_here(parser),
                                  "%s is neither TRUE nor FALSE", wrl_next_shown(parser).text);
    return false;
}

/* An array that grows in the context's memory. */
struct growing {
    void *items;
    uint32_t count, room;
    size_t size;
};

static bool grow(struct wrl_parser *parser, struct growing *array)
{
    if (array_reserve(parser->wrl->context, &array->items, &array->room, array->count + UINT64_C(1), array->size))
        return true;
    parser->status = CP_LIMIT;
    return false;
}

static bool read_one(struct wrl_parser *parser, enum wrl_store store, enum wrl_type type, struct growing *array)
{
    if (array->count == array->room && !grow(parser, array))
        return false;
    switch (store) {
    case WRL_AS_FLOATS:
        return wrl_float(parser, (float *)array->items + array->count);
    case WRL_AS_DOUBLES:
        return wrl_double(parser, (double *)array->items + array->count);
    case WRL_AS_INTEGERS:
        return type == WRL_BOOL ? read_truth(parser, (int32_t *)array->items + array->count)
                                : wrl_integer(parser, (int32_t *)array->items + array->count);
    default:
        break;
    }
    const char *text = wrl_string(parser);
    if (text)
        ((const char **)array->items)[array->count] = text;
    return text != NULL;
}

/* Reads whole numbers of up to nine digits, and the blanks behind them, as far as there are any: most of a file of
 * meshes is of these. All else is left for read_one. False if the next one is none. */
static bool read_short(struct wrl_parser *parser, struct growing *array)
{
    enum { MOST_DIGITS = 9 };
    const char *at = parser->at, *end = parser->end;
    const uint32_t before = array->count;
    while (array->count < array->room && at < end) {
        const char *digits = at + (*at == '-'), *next = digits;
        uint32_t value = 0;
        for (; next < end && (unsigned char)(*next - '0') <= 9 && next - digits < MOST_DIGITS; next++)
            value = 10 * value + (uint32_t)(*next - '0');
        if (next == digits || next == end || (*next != ' ' && *next != ',' && *next != '\n'))
            break;
        ((int32_t *)array->items)[array->count++] = *at == '-' ? -(int32_t)value : (int32_t)value;
        for (at = next; at < end && (*at == ' ' || *at == ',' || *at == '\n'); at++)
            if (*at == '\n') {
                parser->line++;
                parser->line_start = at + 1;
            }
    }
    parser->at = at;
    return array->count > before;
}

/* Gives the value an array that grew: vertices to the scene, which meshes take as they are, all else to the arena. */
static void keep(struct wrl_parser *parser, struct growing *array, struct wrl_value *value)
{
    enum { LEAST_TAKEN = 1 << 16 }; /* bytes */
    struct wrl *wrl = parser->wrl;
    const void *kept;
    if (value->store == WRL_AS_FLOATS) {
        kept = scene_keep_array(wrl->scene, &array->items, &array->room, array->count, array->size);
    } else if (array->count * array->size < LEAST_TAKEN) {
        kept = arena_copy(wrl->arena, array->items, array->count, array->size);
    } else {
        void *fitted = memory_resize(wrl->context, array->items, array->room * array->size, array->count * array->size);
        array->items = fitted ? fitted : array->items;
        array->room = fitted ? array->count : array->room;
        kept = fitted && arena_take(wrl->arena, fitted, array->room, array->size) ? fitted : NULL;
        if (kept) {
            array->items = NULL;
            array->room = 0;
        }
    }
    value->count = array->count;
    value->doubles = kept;
    if (!kept)
        parser->status = CP_LIMIT;
}

static const size_t sizes[] = {[WRL_AS_DOUBLES] = sizeof(double),
                               [WRL_AS_FLOATS] = sizeof(float),
                               [WRL_AS_INTEGERS] = sizeof(int32_t),
                               [WRL_AS_TEXTS] = sizeof(char *),
                               [WRL_AS_NODES] = sizeof(struct wrl_node *)};

static void read_plain(struct wrl_parser *parser, struct wrl_value *value, const char *name)
{
    struct growing array = {.size = sizes[value->store]};
    uint32_t width = value->store == WRL_AS_TEXTS ? 1 : widths[value->type];
    uint64_t line = parser->line;
    bool good = true;
    if (is_list(value->type) && wrl_accept(parser, '[')) {
        while (good && !wrl_is_cut(parser, "a list", line) && *parser->at != ']') {
            if (value->store == WRL_AS_INTEGERS && read_short(parser, &array))
                continue;
            good = read_one(parser, value->store, value->type, &array);
            array.count += good;
        }
        if (parser->status == CP_OK && !parser->is_cut)
            parser->at++;
    } else {
        bool is_bracketed = !is_list(value->type) && wrl_accept(parser, '[');
        if (is_bracketed)
            wrl_lenient(parser, "vrml97-brackets", "%.60s is one value, which stands in no brackets", name);
        for (uint32_t i = 0; i < width && good; i++) {
            good = read_one(parser, value->store, value->type, &array);
            array.count += good;
        }
        if (is_bracketed && good)
            (void)wrl_expect(parser, ']', name);
    }
    if (parser->status == CP_OK && array.count % width != 0)
        wrl_lenient(parser, "vrml97-list", "%.60s has %u numbers, which is no multiple of %u: the last are left out",
                    name, array.count, width);
    array.count -= array.count % width;
    if (parser->status == CP_OK)
        keep(parser, &array, value);
    memory_free(parser->wrl->context, array.items, array.room, array.size);
}

static void read_image(struct wrl_parser *parser, struct wrl_value *value)
{
    struct growing array = {.size = sizes[WRL_AS_INTEGERS]};
    uint64_t count = 3;
    for (; array.count < count && parser->status == CP_OK; array.count++) {
        if (!read_one(parser, WRL_AS_INTEGERS, WRL_IMAGE, &array))
            break;
        const int32_t *numbers = array.items;
        if (array.count != 2)
            continue;
        bool is_none = numbers[0] == 0 || numbers[1] == 0;
        if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0 || numbers[2] > 4 ||
            (uint64_t)numbers[0] * (uint64_t)numbers[1] > UINT32_MAX - 3)
            parser->status = report_error(parser->wrl->context, CP_INPUT, "vrml97-image", wrl_here(parser),
                                          "an image of %d x %d pixels with %d components is none", numbers[0],
                                          numbers[1], numbers[2]);
        else
            count += is_none || numbers[2] == 0 ? 0 : (uint64_t)numbers[0] * (uint64_t)numbers[1];
    }
    array.count = array.count < count ? 0 : array.count; /* the file breaks off */
    if (parser->status == CP_OK)
        keep(parser, &array, value);
    memory_free(parser->wrl->context, array.items, array.room, array.size);
}

/* ---- nodes ---- */

static bool add_node(struct wrl_parser *parser, struct growing *array)
{
    if (wrl_read_among(parser))
        return parser->status == CP_OK;
    bool is_null = wrl_accept_word(parser, "NULL");
    struct wrl_node *node = is_null ? NULL : wrl_read_node(parser);
    if (is_null)
        wrl_lenient(parser, "vrml97-null", "NULL among nodes is passed over");
    if (!node || (array->count == array->room && !grow(parser, array)))
        return parser->status == CP_OK;
    ((struct wrl_node **)array->items)[array->count++] = node;
    return true;
}

static void read_nodes(struct wrl_parser *parser, struct wrl_value *value)
{
    struct growing array = {.size = sizes[WRL_AS_NODES]};
    uint64_t line = parser->line;
    if (value->type == WRL_NODE) {
        if (!wrl_accept_word(parser, "NULL"))
            (void)add_node(parser, &array);
    } else if (wrl_accept(parser, '[')) {
        while (!wrl_is_cut(parser, "a list of nodes", line) && *parser->at != ']')
            if (!add_node(parser, &array))
                break;
        if (parser->status == CP_OK && !parser->is_cut)
            parser->at++;
    } else {
        (void)add_node(parser, &array);
    }
    if (parser->status == CP_OK)
        keep(parser, &array, value);
    memory_free(parser->wrl->context, array.items, array.room, array.size);
}

void wrl_read_value(struct wrl_parser *parser, enum wrl_type type, const char *name, struct wrl_value *value)
{
    *value = (struct wrl_value){.type = type, .store = store_of(type, name)};
    if (wrl_is_cut(parser, name, parser->line))
        return;
    if (wrl_accept_word(parser, "IS")) {
        value->is = wrl_name(parser, "a name behind IS");
        value->store = WRL_AS_IS;
        if (value->is && !parser->is_cut)
            value->count = wrl_is_member(parser, value->is, type);
        if (parser->is_cut)
            *value = (struct wrl_value){.type = type, .store = store_of(type, name)};
    } else if (value->store == WRL_AS_NODES) {
        read_nodes(parser, value);
    } else if (type == WRL_IMAGE) {
        read_image(parser, value);
    } else {
        read_plain(parser, value, name);
    }
}
