/* Lists the STL files below a folder, for tests that loop over a corpus. */
#ifndef STL_FILES_H
#define STL_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct files {
    char paths[1000][512];
    size_t count;
};

static int no_dots(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void find_stl_files(const char *folder, struct files *files)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, no_dots, alphasort);
    for (int i = 0; i < count; i++) {
        char path[512];
        if (snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path) {
            size_t length = strlen(path);
            if (strcasecmp(path + length - 4, ".stl") != 0)
                find_stl_files(path, files);
            else if (files->count < 1000)
                memcpy(files->paths[files->count++], path, length + 1);
        }
        free(entries[i]);
    }
    free(entries);
}

#endif
