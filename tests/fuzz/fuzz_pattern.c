/* A fuzzer for the patterns of proximity setups: the first line is a pattern, and each further line a name. What is
 * read must fit the same names as the C library says (POSIX, "Extended Regular Expressions"), wherever both have the
 * same syntax; patterns with * and ? are compared with fnmatch. A bug shows as a crash, a leak, a sanitizer's finding
 * or a difference. */
#include "../../importers/rwxml/rwxml.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { LONGEST = 100 }; /* patterns and names that are compared: the C library may take very long for others */

static void check(bool good, const char *what, const char *pattern, const char *name)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_pattern: %s: \"%s\" and \"%s\"\n", what, pattern, name);
    abort();
}

/* POSIX says nothing of what follows a backslash, (? and +?, or reads it in another way. */
static bool is_common(const char *expression)
{
    return strlen(expression) <= LONGEST && !strpbrk(expression, "\\{}") && !strstr(expression, "(?") &&
           !strstr(expression, "+?");
}

static bool fits_expression(const char *expression, const char *name)
{
    char whole[LONGEST + 8];
    regex_t compiled;
    (void)snprintf(whole, sizeof whole, "^(%s)$", expression);
    check(regcomp(&compiled, whole, REG_EXTENDED | REG_NOSUB) == 0, "read, but no expression", expression, name);
    int result = regexec(&compiled, name, 0, NULL, 0);
    regfree(&compiled);
    return result == 0;
}

/* fnmatch has sets and escapes besides. */
static bool fits_wildcards(const char *pattern, const char *name)
{
    char escaped[2 * LONGEST + 1], *end = escaped;
    for (const char *at = pattern; *at; at++) {
        if (*at == '[' || *at == '\\')
            *end++ = '\\';
        *end++ = *at;
    }
    *end = '\0';
    return fnmatch(escaped, name, 0) == 0;
}

static void compare(const struct rwxml_pattern *compiled, const char *pattern, const char *name)
{
    bool fits = rwxml_fits(compiled, name);
    check(fits == rwxml_fits(compiled, name), "the second answer is another one", pattern, name);
    if (strlen(name) > LONGEST || strlen(pattern) > LONGEST)
        return;
    if (!rwxml_is_expression(pattern))
        check(fits == fits_wildcards(pattern, name), "not as fnmatch says", pattern, name);
    else if (is_common(pattern + 5))
        check(fits == fits_expression(pattern + 5, name), "not as regexec says", pattern, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cp_context *context = cp_context_new(NULL);
    struct arena *arena = context ? arena_new(context) : NULL;
    char *text = arena ? malloc(size + 1) : NULL;
    if (text) {
        memcpy(text, bytes, size);
        text[size] = '\0';
        struct rwxml_pattern *compiled;
        char *name = strchr(text, '\n');
        if (name)
            *name++ = '\0';
        cp_status status = rwxml_compile(arena, text, &compiled);
        check(status == CP_OK || status == CP_LIMIT, "status", text, "");
        check(status == CP_OK || !compiled, "a pattern after a failure", text, "");
        check(compiled || status == CP_LIMIT || rwxml_is_expression(text), "a plain pattern is refused", text, "");
        while (name && compiled) {
            char *next = strchr(name, '\n');
            if (next)
                *next++ = '\0';
            compare(compiled, text, name);
            name = next;
        }
    }
    free(text);
    arena_free(arena);
    cp_context_free(context);
    return 0;
}
