/* Patterns of names, as rules of ProximitySetup have them. A pattern becomes states with edges to the next ones (K.
 * Thompson, "Regular expression search algorithm", 1968), and a name is followed through all that it can reach at once:
 * there is no going back, so no pattern takes more than its length for each character.
 *
 * Of regular expressions, which are Boost's in RobWork, all is read that takes no memory of what came before: counted
 * repetitions, references, other assertions than of the beginning and end, and possessive signs are not. */
#include "rwxml.h"

enum { SET_SIZE = 32, DEEPEST = 64 }; /* bytes of a set; groups in groups */

/* Leads to others: with a set, by a character of it; without, at no cost. */
struct state {
    uint32_t set;      /* a row, or CP_NONE */
    uint32_t after[2]; /* states, or CP_NONE */
};

struct rwxml_pattern {
    struct state *states;
    unsigned char (*sets)[SET_SIZE]; /* bits of the bytes that fit */
    uint32_t count, set_count;
    uint32_t first, last;
    /* Scratch: the states reached, those after the next character, and those whose edges are still to be followed. */
    bool *reached, *next;
    uint32_t *open;
};

/* A part of a pattern: what fits it leads from its first state to its last, which has no edges yet. */
struct part {
    uint32_t first, last;
};

struct parser {
    struct rwxml_pattern *pattern;
    const char *start, *at;
    int depth;
    bool failed; /* the expression has something that is not read */
};

/* ---- states ---- */

static uint32_t add_state(struct rwxml_pattern *pattern, uint32_t set, uint32_t after, uint32_t other)
{
    pattern->states[pattern->count] = (struct state){set, {after, other}};
    return pattern->count++;
}

static struct part make_empty(struct rwxml_pattern *pattern)
{
    uint32_t state = add_state(pattern, CP_NONE, CP_NONE, CP_NONE);
    return (struct part){state, state};
}

/* Makes the part of one character, of a set that is empty at first. */
static struct part make_character(struct rwxml_pattern *pattern, unsigned char **set)
{
    uint32_t last = add_state(pattern, CP_NONE, CP_NONE, CP_NONE);
    *set = pattern->sets[pattern->set_count];
    return (struct part){add_state(pattern, pattern->set_count++, last, CP_NONE), last};
}

/* Lets the part lack, or come again. */
static struct part repeat(struct rwxml_pattern *pattern, struct part part, char sign)
{
    uint32_t last = add_state(pattern, CP_NONE, CP_NONE, CP_NONE);
    pattern->states[part.last].after[0] = last;
    if (sign != '?')
        pattern->states[part.last].after[1] = part.first;
    return (struct part){sign == '+' ? part.first : add_state(pattern, CP_NONE, part.first, last), last};
}

/* ---- sets ---- */

static void add_range(unsigned char *set, unsigned char from, unsigned char to)
{
    for (unsigned byte = from; byte <= to; byte++)
        set[byte / 8] |= (unsigned char)(1u << byte % 8);
}

static void invert(unsigned char *set)
{
    for (size_t i = 0; i < SET_SIZE; i++)
        set[i] = (unsigned char)~set[i];
}

/* Adds a class of characters by its name, of so many characters. False if it is unknown. */
static bool add_class(unsigned char *set, const char *name, size_t size)
{
    static const struct {
        const char *letter, *name;
        const char *ranges; /* pairs of characters */
    } classes[] = {
        {"d", "digit", "09"}, {"w", "word", "AZaz09__"}, {"s", "space", "\t\r  "}, {"", "lower", "az"},
        {"", "upper", "AZ"},  {"", "alpha", "AZaz"},     {"", "alnum", "AZaz09"},  {"", "xdigit", "09AFaf"},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const char *known = size == 1 ? classes[i].letter : classes[i].name;
        if (strlen(known) != size || memcmp(known, name, size) != 0)
            continue;
        for (const char *range = classes[i].ranges; *range; range += 2)
            add_range(set, (unsigned char)range[0], (unsigned char)range[1]);
        return true;
    }
    return false;
}

/* Adds what a backslash and the character at `at` stand for: a class, by a small letter, all but the class, by a large
 * one, or a sign itself. False if it is something else. */
static bool add_escaped(unsigned char *set, const char *at)
{
    if (is_letter(*at)) {
        unsigned char own[SET_SIZE] = {0};
        char small = (char)(*at | 0x20);
        if (!add_class(own, &small, 1))
            return false;
        if (small != *at)
            invert(own);
        for (size_t i = 0; i < SET_SIZE; i++)
            set[i] |= own[i];
        return true;
    }
    if (!*at || (*at >= '0' && *at <= '9'))
        return false;
    add_range(set, (unsigned char)*at, (unsigned char)*at);
    return true;
}

/* Adds the part of a set in brackets that begins at `at`. Returns what is behind it; NULL if it is not read. */
static const char *read_member(const char *at, unsigned char *set)
{
    if (*at == '[' && at[1] == ':') {
        const char *end = strstr(at, ":]");
        return end && add_class(set, at + 2, (size_t)(end - at) - 2) ? end + 2 : NULL;
    }
    if (*at == '[' && (at[1] == '.' || at[1] == '='))
        return NULL;
    if (*at == '\\') /* no range begins with it */
        return add_escaped(set, at + 1) && (is_letter(at[1]) || at[2] != '-') ? at + 2 : NULL;
    bool is_range = at[1] == '-' && at[2] && at[2] != ']';
    unsigned char from = (unsigned char)*at, to = is_range ? (unsigned char)at[2] : from;
    if (to < from || (is_range && (to == '\\' || to == '[')))
        return NULL;
    add_range(set, from, to);
    return at + (is_range ? 3 : 1);
}

/* Reads a set "[a-z_]" or "[^.]". Returns what is behind it; NULL if it is not read. */
static const char *read_set(const char *at, unsigned char *set)
{
    bool inverted = *++at == '^';
    at += inverted;
    const char *start = at;
    while (at && *at && (*at != ']' || at == start)) {
        bool is_lone = *at == '-' && at != start && at[1] != ']'; /* a range of a range, or of a class */
        at = is_lone ? NULL : read_member(at, set);
    }
    if (!at || !*at)
        return NULL;
    if (inverted)
        invert(set);
    return at + 1;
}

/* ---- expressions ---- */

static struct part read_choices(struct parser *parser);

static void fail(struct parser *parser)
{
    parser->failed = true;
}

static struct part read_group(struct parser *parser)
{
    parser->at++;
    if (strncmp(parser->at, "?:", 2) == 0) /* it is not remembered, as none is here */
        parser->at += 2;
    else if (*parser->at == '?' || *parser->at == '*')
        fail(parser);
    if (++parser->depth > DEEPEST)
        fail(parser);
    struct part part = parser->failed ? make_empty(parser->pattern) : read_choices(parser);
    parser->depth--;
    if (*parser->at == ')')
        parser->at++;
    else
        fail(parser);
    return part;
}

static struct part read_character(struct parser *parser)
{
    unsigned char *set;
    struct part part = make_character(parser->pattern, &set);
    const char *at = parser->at;
    if (*at == '[')
        at = read_set(at, set);
    else if (*at == '\\')
        at = add_escaped(set, at + 1) ? at + 2 : NULL;
    else if (*at == '.')
        add_range(set, 0, UINT8_MAX), at++;
    else if (strchr("{}^$*+?", *at))
        at = NULL;
    else
        add_range(set, (unsigned char)*at, (unsigned char)*at), at++;
    if (at)
        parser->at = at;
    else
        fail(parser);
    return part;
}

/* Reads a character, set or group with its sign of repetition, or a sign of the expression's beginning or end. */
static struct part read_item(struct parser *parser)
{
    if ((*parser->at == '^' && parser->at == parser->start) || (*parser->at == '$' && !parser->at[1])) {
        parser->at++; /* whole names have to fit anyhow */
        return make_empty(parser->pattern);
    }
    struct part part = *parser->at == '(' ? read_group(parser) : read_character(parser);
    char sign = *parser->at;
    if (parser->failed || !sign || !strchr("*+?", sign))
        return part;
    parser->at++;
    if (*parser->at == '?') /* asks for as few as possible: the same names fit as a whole */
        parser->at++;
    return repeat(parser->pattern, part, sign);
}

static struct part read_sequence(struct parser *parser)
{
    struct part all = make_empty(parser->pattern);
    while (!parser->failed && *parser->at && *parser->at != '|' && *parser->at != ')') {
        struct part part = read_item(parser);
        parser->pattern->states[all.last].after[0] = part.first;
        all.last = part.last;
    }
    return all;
}

static struct part read_choices(struct parser *parser)
{
    struct rwxml_pattern *pattern = parser->pattern;
    struct part all = read_sequence(parser);
    while (!parser->failed && *parser->at == '|') {
        parser->at++;
        struct part other = read_sequence(parser);
        uint32_t last = add_state(pattern, CP_NONE, CP_NONE, CP_NONE);
        pattern->states[all.last].after[0] = pattern->states[other.last].after[0] = last;
        all = (struct part){add_state(pattern, CP_NONE, all.first, other.first), last};
    }
    return all;
}

static struct part read_expression(struct parser *parser)
{
    struct part all = read_choices(parser);
    if (*parser->at) /* a bracket that closes nothing */
        fail(parser);
    return all;
}

/* Reads a pattern with * and ?. */
static struct part read_wildcards(struct parser *parser)
{
    struct rwxml_pattern *pattern = parser->pattern;
    struct part all = make_empty(pattern);
    for (; *parser->at; parser->at++) {
        unsigned char *set, byte = (unsigned char)*parser->at;
        bool any = byte == '*' || byte == '?';
        struct part part = make_character(pattern, &set);
        add_range(set, any ? 0 : byte, any ? UINT8_MAX : byte);
        if (byte == '*')
            part = repeat(pattern, part, '*');
        pattern->states[all.last].after[0] = part.first;
        all.last = part.last;
    }
    return all;
}

/* ---- patterns ---- */

static const char sign[] = "REGEX";

bool rwxml_is_expression(const char *text)
{
    return strncmp(text, sign, sizeof sign - 1) == 0 && text[sizeof sign - 1];
}

cp_status rwxml_compile(struct arena *arena, const char *text, struct rwxml_pattern **pattern)
{
    bool is_regular = rwxml_is_expression(text);
    struct rwxml_pattern *made = arena_allocate_zeroed(arena, 1, sizeof *made);
    const char *start = is_regular ? text + sizeof sign - 1 : text;
    struct parser parser = {.pattern = made, .start = start, .at = start};
    size_t size = strlen(start), most = 4 * size + 4; /* no character makes more than four states */
    *pattern = NULL;
    if (!made || size > UINT32_MAX / 8)
        return made ? CP_OK : CP_LIMIT;
    made->states = arena_allocate(arena, most, sizeof *made->states);
    made->sets = arena_allocate_zeroed(arena, size + 1, sizeof *made->sets);
    made->reached = arena_allocate(arena, most, sizeof *made->reached);
    made->next = arena_allocate(arena, most, sizeof *made->next);
    made->open = arena_allocate(arena, most, sizeof *made->open);
    if (!made->states || !made->sets || !made->reached || !made->next || !made->open)
        return CP_LIMIT;
    struct part all = is_regular ? read_expression(&parser) : read_wildcards(&parser);
    made->first = all.first;
    made->last = all.last;
    if (!parser.failed)
        *pattern = made;
    return CP_OK;
}

/* Adds a state, and those behind it at no cost, to the states reached. */
static void reach(const struct rwxml_pattern *pattern, bool *reached, uint32_t state)
{
    uint32_t open = 0;
    if (reached[state])
        return;
    reached[state] = true;
    pattern->open[open++] = state;
    while (open > 0) {
        const struct state *from = &pattern->states[pattern->open[--open]];
        for (int i = 0; i < 2 && from->set == CP_NONE; i++) {
            uint32_t to = from->after[i];
            if (to == CP_NONE || reached[to])
                continue;
            reached[to] = true;
            pattern->open[open++] = to;
        }
    }
}

bool rwxml_fits(const struct rwxml_pattern *pattern, const char *name)
{
    bool *reached = pattern->reached, *next = pattern->next;
    memset(reached, 0, pattern->count * sizeof *reached);
    reach(pattern, reached, pattern->first);
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        memset(next, 0, pattern->count * sizeof *next);
        for (uint32_t i = 0; i < pattern->count; i++) {
            uint32_t set = pattern->states[i].set;
            if (reached[i] && set != CP_NONE && pattern->sets[set][byte / 8] >> byte % 8 & 1)
                reach(pattern, next, pattern->states[i].after[0]);
        }
        bool *swapped = reached;
        reached = next;
        next = swapped;
    }
    return reached[pattern->last];
}
