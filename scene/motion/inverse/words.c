/* Targets as texts. */
#include <math.h>

#include "../../options.h"
#include "../../pose.h"
#include "inverse.h"

/* The next of a list's items without its comma and blanks, in `item`; *text goes past it. False when it is too long. */
static bool next_item(const char **text, char item[400])
{
    const char *at = *text + strspn(*text, " ");
    size_t size = strcspn(at, ",");
    *text = at + size + (at[size] == ',');
    while (size > 0 && at[size - 1] == ' ')
        size--;
    if (size >= 400)
        return false;
    memcpy(item, at, size);
    item[size] = '\0';
    return true;
}

bool cp_parse_pose(const char *text, cp_pose *pose)
{
    double coordinates[6];
    char item[400];
    for (int i = 0; i < 6; i++) {
        bool last = !strchr(text, ',');
        if (last != (i == 5) || !next_item(&text, item) ||
            !(i < 3 ? read_length(item, &coordinates[i]) : read_angle(item, 1, &coordinates[i])) ||
            !isfinite(coordinates[i]))
            return false;
    }
    *pose = pose_from_coordinates(coordinates);
    return true;
}

bool cp_parse_reach(const char *text, unsigned *solve)
{
    static const char *const words[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    char item[400];
    *solve = 0;
    do {
        unsigned row = 0;
        if (!next_item(&text, item))
            return false;
        while (row < 6 && strcmp(item, words[row]) != 0)
            row++;
        if (row == 6)
            return false;
        *solve |= 1u << row;
    } while (*text);
    return true;
}
