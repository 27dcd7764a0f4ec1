/* Functions that all parts of the writer call. */
#include "writer.h"

#include <string.h>

void *writer_allocate(struct writer *writer, size_t count, size_t size)
{
    void *block = scene_allocate(writer->work, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

bool is_deliver(const struct writer *writer)
{
    return writer->settings->profile == PROFILE_DELIVER;
}

bool has_up_root(const struct writer *writer)
{
    return is_deliver(writer) && writer->settings->up == UP_Y;
}

int normals_mode(const struct gltf_settings *settings)
{
    if (settings->normals != NORMALS_AUTO)
        return settings->normals;
    return settings->profile == PROFILE_DELIVER ? NORMALS_SMOOTH : NORMALS_KEEP;
}

bool instance_is_left_out(const struct writer *writer, const cp_instance *instance)
{
    return is_deliver(writer) && !writer->settings->collision && instance->use == CP_USE_COLLISION;
}

bool instance_is_drawn(const struct writer *writer, const cp_instance *instance)
{
    return (instance->use & CP_USE_DRAWN) && writer->meshes[instance->mesh].index != CP_NONE;
}

const char *encode_uri(struct writer *writer, const char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char *uri = scene_allocate(writer->work, strlen(name) + 1, 3);
    size_t size = 0;
    for (size_t i = 0; uri && name[i]; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (strchr(safe, byte)) {
            uri[size++] = name[i];
            continue;
        }
        uri[size++] = '%';
        uri[size++] = digits[byte >> 4];
        uri[size++] = digits[byte & 15];
    }
    if (uri)
        uri[size] = 0;
    return uri;
}
