/* Patterns of names, as rules of ProximitySetup have them: a sequence of characters or sets of them, each with the
 * number of times that it may come. Of regular expressions that is all but alternatives and groups. */
#include "rwxml.h"

struct item {
    unsigned char set[32]; /* bits of the bytes that fit */
    bool may_lack, repeats;
};

struct rwxml_pattern {
    struct item *items;
    uint32_t count;
    bool *reached; /* scratch: after so many items */
};

static void add_byte(struct item *item, unsigned char byte)
{
    item->set[byte / 8] |= (unsigned char)(1u << byte % 8);
}

static void add_all(struct item *item)
{
    memset(item->set, 0xff, sizeof item->set);
}

/* Reads a set "[a-z_]" or "[^.]". Returns what is behind it; NULL if it does not end, or names a class. */
static const char *read_set(const char *at, struct item *item)
{
    bool inverted = *++at == '^';
    at += inverted;
    const char *start = at;
    for (; *at && (*at != ']' || at == start); at++) {
        if (*at == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '='))
            return NULL;
        unsigned char from = (unsigned char)*at, to = from;
        if (at[1] == '-' && at[2] && at[2] != ']') {
            to = (unsigned char)at[2];
            at += 2;
        }
        for (unsigned byte = from; byte <= to; byte++)
            add_byte(item, (unsigned char)byte);
    }
    for (size_t i = 0; i < sizeof item->set && inverted; i++)
        item->set[i] = (unsigned char)~item->set[i];
    return *at ? at + 1 : NULL;
}

/* Reads one item of a regular expression with its sign of repetition. NULL if it is of another kind. */
static const char *read_item(const char *at, struct item *item)
{
    if (strchr("(){}|^$*+?", *at))
        return NULL;
    if (*at == '[') {
        at = read_set(at, item);
    } else if (*at == '.') {
        add_all(item);
        at++;
    } else {
        bool escaped = *at == '\\';
        at += escaped;
        bool is_class = escaped && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'));
        if (!*at || (is_class && *at != 'd'))
            return NULL;
        if (is_class)
            for (char digit = '0'; digit <= '9'; digit++)
                add_byte(item, (unsigned char)digit);
        else
            add_byte(item, (unsigned char)*at);
        at++;
    }
    if (at && (*at == '*' || *at == '+' || *at == '?')) {
        item->may_lack = *at != '+';
        item->repeats = *at != '?';
        at++;
    }
    return at;
}

/* Reads one item of a pattern with * and ?. */
static const char *read_wildcard(const char *at, struct item *item)
{
    if (*at == '*' || *at == '?')
        add_all(item);
    else
        add_byte(item, (unsigned char)*at);
    item->may_lack = item->repeats = *at == '*';
    return at + 1;
}

cp_status rwxml_compile(struct arena *arena, const char *text, struct rwxml_pattern **pattern)
{
    static const char sign[] = "REGEX";
    bool is_regular = strncmp(text, sign, sizeof sign - 1) == 0;
    const char *at = is_regular ? text + sizeof sign - 1 : text;
    size_t most = strlen(at) + 1;
    struct rwxml_pattern *made = arena_allocate_zeroed(arena, 1, sizeof *made);
    struct item *items = arena_allocate_zeroed(arena, most, sizeof *items);
    bool *reached = arena_allocate(arena, most + 1, sizeof *reached);
    *pattern = NULL;
    if (!made || !items || !reached)
        return CP_LIMIT;
    made->items = items;
    made->reached = reached;
    while (*at) {
        struct item *item = &items[made->count++];
        at = is_regular ? read_item(at, item) : read_wildcard(at, item);
        if (!at)
            return CP_OK;
    }
    *pattern = made;
    return CP_OK;
}

/* Goes on past the items that may lack. */
static void skip_lacking(const struct rwxml_pattern *pattern)
{
    for (uint32_t i = 0; i < pattern->count; i++)
        pattern->reached[i + 1] |= pattern->reached[i] && pattern->items[i].may_lack;
}

bool rwxml_fits(const struct rwxml_pattern *pattern, const char *name)
{
    bool *reached = pattern->reached; /* after i items */
    memset(reached, 0, (pattern->count + (size_t)1) * sizeof *reached);
    reached[0] = true;
    skip_lacking(pattern);
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        for (uint32_t i = pattern->count; i > 0; i--) { /* this order takes each byte once */
            const struct item *item = &pattern->items[i - 1];
            bool fits = item->set[byte / 8] >> byte % 8 & 1;
            reached[i] = fits && (reached[i - 1] || (reached[i] && item->repeats));
        }
        reached[0] = false;
        skip_lacking(pattern);
    }
    return reached[pattern->count];
}
