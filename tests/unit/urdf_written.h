/* The text of a scene as URDF, for tests of the exporter. */
#ifndef URDF_WRITTEN_H
#define URDF_WRITTEN_H

#include "scene_fixture.h"

/* Returns the text of the scene, until the next call; option NULL: none. */
static inline const char *text_of(const char *option)
{
    static char *text;
    free(text);
    cp_report_clear(context);
    finish_scene();
    text = written_text(context, scene, "urdf", option, NULL);
    return text;
}

static inline void must_have(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static inline void must_lack(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" in:\n%s", part, text);
}

#endif
