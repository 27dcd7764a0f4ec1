/* Targets as texts. */
#include <math.h>

#include "base/text/text.h"
#include "model/model.h"

bool cp_parse_pose(const char *text, cp_pose *pose)
{
    double coordinates[6];
    char item[ENTRY_SIZE];
    for (int i = 0; i < 6; i++) {
        bool last = !strchr(text, ',');
        if (last != (i == 5) || !cut_entry(text, item, &text) ||
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
    char item[ENTRY_SIZE];
    *solve = 0;
    do {
        unsigned row = 0;
        if (!cut_entry(text, item, &text))
            return false;
        while (row < 6 && strcmp(item, words[row]) != 0)
            row++;
        if (row == 6)
            return false;
        *solve |= 1u << row;
    } while (*text);
    return true;
}
