/* Loaded before a program (LD_PRELOAD), sets the locale of the environment, as a host of the library may have done: no
 * number may come out or be read differently. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void use_locale(void)
{
    if (setlocale(LC_ALL, ""))
        return;
    fputs("use_locale: no such locale\n", stderr);
    _Exit(99);
}
