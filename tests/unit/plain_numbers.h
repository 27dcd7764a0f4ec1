/* Reads and prints numbers by the C library as in the C locale: tests compare with these, whatever locale the run is
 * under. */
#ifndef CELLPIPE_PLAIN_NUMBERS_H
#define CELLPIPE_PLAIN_NUMBERS_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static inline locale_t plain_locale(void)
{
    static locale_t plain;
    if (!plain)
        plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain;
}

/* One statement, such as printing a number. */
#define IN_PLAIN_LOCALE(statement)                                                                                     \
    do {                                                                                                               \
        locale_t usual_locale = uselocale(plain_locale());                                                             \
        statement;                                                                                                     \
        (void)uselocale(usual_locale);                                                                                 \
    } while (0)

static inline double plain_strtod(const char *text, char **end)
{
    locale_t old = uselocale(plain_locale());
    double value = strtod(text, end);
    (void)uselocale(old);
    return value;
}

static inline float plain_strtof(const char *text, char **end)
{
    locale_t old = uselocale(plain_locale());
    float value = strtof(text, end);
    (void)uselocale(old);
    return value;
}

__attribute__((format(printf, 2, 3))) static inline void plain_print(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    IN_PLAIN_LOCALE((void)vfprintf(file, format, arguments));
    va_end(arguments);
}

__attribute__((format(printf, 3, 4))) static inline int plain_snprintf(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    IN_PLAIN_LOCALE(length = vsnprintf(out, size, format, arguments));
    va_end(arguments);
    return length;
}

#endif
