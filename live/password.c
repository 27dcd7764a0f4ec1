/* Passwords: their rules, and their hashes by libcrypt. */
#include "users.h"

#include <crypt.h>

#define KIND "$y$jBT$" /* yescrypt of cost 7: some 100 ms, and 64 MiB */

enum { COST = 7, MOST_SALT = 86, SUM_SIZE = 43 };

/* Characters of libcrypt's base 64. */
static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

_Static_assert((int)HASH_SIZE == (int)CRYPT_OUTPUT_SIZE, "a hash of libcrypt fits");
_Static_assert((int)MOST_PASSWORD + 1 == (int)CRYPT_MAX_PASSPHRASE_SIZE, "libcrypt takes the longest password");

const char *password_fault(const char *password, size_t size)
{
    size_t characters = 0, more;
    if (size > MOST_PASSWORD)
        return "a password has at most 511 bytes";
    for (size_t at = 0; at < size; at += more, characters++) {
        const unsigned char *bytes = (const unsigned char *)password + at;
        if (*bytes < ' ' || *bytes == 0x7f || (*bytes == 0xc2 && at + 1 < size && bytes[1] < 0xa0))
            return "a password has no control characters, such as the carriage return of a Windows line";
        more = utf8_length(password + at, size - at);
        if (more == 0)
            return "a password is UTF-8, as browsers send it";
    }
    return characters < FEWEST_PASSWORD ? "a password has at least 8 characters" : NULL;
}

bool password_hash(const char *password, char hash[HASH_SIZE])
{
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    struct crypt_data data = {0};
    if (!crypt_gensalt_rn(KIND, COST, NULL, 0, setting, sizeof setting))
        return false;
    const char *made = crypt_rn(password, setting, &data, sizeof data);
    if (made)
        memcpy(hash, made, strlen(made) + 1);
    forget_secret(&data, sizeof data);
    return made;
}

bool password_is_hash(const char *text)
{
    if (strncmp(text, KIND, strlen(KIND)) != 0)
        return false;
    text += strlen(KIND);
    size_t salt = strspn(text, digits);
    if (salt == 0 || salt > MOST_SALT || text[salt] != '$')
        return false;
    text += salt + 1;
    return strspn(text, digits) == SUM_SIZE && text[SUM_SIZE] == '\0';
}

bool password_matches(const char *password, const char *hash)
{
    /* The form of a hash, which no password has: to compute it takes as long as any other. */
    static const char nobody[] = KIND "......................$...........................................";
    struct crypt_data data = {0};
    const char *wanted = hash ? hash : nobody, *made = crypt_rn(password, wanted, &data, sizeof data);
    bool matches = made && strlen(made) == strlen(wanted) && same_secret(made, wanted, strlen(wanted));
    forget_secret(&data, sizeof data);
    return matches && hash;
}

bool same_secret(const char *one, const char *other, size_t size)
{
    unsigned differs = 0;
    for (size_t i = 0; i < size; i++)
        differs |= (unsigned)((unsigned char)one[i] ^ (unsigned char)other[i]);
    return differs == 0;
}

void forget_secret(void *bytes, size_t size)
{
    volatile unsigned char *at = bytes;
    while (size-- > 0)
        *at++ = 0;
}
