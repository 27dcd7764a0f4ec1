#include "exporters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void json_key_hash(struct json_writer *json, const char *key, uint64_t hash)
{
    char digits[17];
    (void)snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    json_key_text(json, key, digits);
}

void json_finding(struct json_writer *json, const cp_finding *finding)
{
    json_key_number(json, "margin", finding->margin);
    json_key_number(json, "touch", finding->touch);
    json_key_integer(json, "work", finding->work);
    json_key_integer(json, "samples", finding->samples);
    json_key_integer(json, "descents", finding->descents);
    json_key_integer(json, "hits", finding->hits);
    if (isfinite(finding->clearance))
        json_key_number(json, "clearance", finding->clearance);
    if (finding->key)
        json_key_hash(json, "key", finding->key);
}
