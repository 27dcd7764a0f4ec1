#include "clips.h"

#include <math.h>

#include "base/text/text.h"

cp_status choose_clip(cp_context *context, const cp_scene *scene, const char *name, const cp_clip **clip)
{
    *clip = scene->clip_count > 0 ? &scene->clips[0] : NULL;
    if (!name && scene->clip_count > 1)
        return report_error(context, CP_USAGE, "clip-which", NOWHERE,
                            "%u clips: choose one with clip=NAME, such as \"%.100s\"", (unsigned)scene->clip_count,
                            scene->clips[0].name);
    uint32_t found = CP_NONE, named = 0;
    for (uint32_t i = scene->clip_count; name && i-- > 0;)
        if (strcmp(scene->clips[i].name, name) == 0) {
            found = i;
            named++;
        }
    if (named > 1)
        return report_error(context, CP_USAGE, "clip-which", NOWHERE,
                            "%u clips are called \"%.100s\": choose one by its number, as clip=#%u", (unsigned)named,
                            name, (unsigned)found + 1);
    double number; /* "#2" means the second clip, if no clip has that name */
    if (named == 0 && name && *name == '#' && text_is_number(name + 1, &number) && number >= 1 &&
        number <= scene->clip_count && number == floor(number))
        found = (uint32_t)number - 1;
    if (found != CP_NONE)
        *clip = &scene->clips[found];
    return !name || found != CP_NONE
               ? CP_OK
               : report_error(context, CP_USAGE, "clip-unknown", NOWHERE, "there is no clip \"%.100s\"", name);
}

/* Collects all times, unsorted, and returns how many there are. */
static size_t collect_times(const cp_clip *clip, double *times)
{
    size_t count = 0;
    for (uint32_t i = 0; clip && i < clip->track_count; i++) {
        memcpy(times + count, clip->tracks[i].times, clip->tracks[i].key_count * sizeof *times);
        count += clip->tracks[i].key_count;
    }
    for (uint32_t i = 0; clip && i < clip->attachment_count; i++)
        times[count++] = clip->attachments[i].time;
    return count;
}

cp_status list_moments(cp_context *context, struct arena *arena, const cp_clip *clip, double period, double **times,
                       size_t *count)
{
    size_t all = clip ? clip->attachment_count : 0, kept;
    for (uint32_t i = 0; clip && i < clip->track_count; i++)
        all += clip->tracks[i].key_count;
    double *list = *times = arena_allocate(arena, all + 1, sizeof *list);
    if (!list)
        return CP_LIMIT;
    list[0] = 0;
    all = collect_times(clip, list);
    all += all == 0;
    *count = kept = sort_times(list, all);
    const double first = list[0], last = list[kept - 1];
    const bool even = period > 0 && last > first;
    const double steps = even ? ceil((last - first) / period - 1e-9) : (double)kept;
    if (!even && steps < 1e8)
        return CP_OK;
    if (!(steps < 1e8))
        return report_error(context, CP_LIMIT, "clip-moments", NOWHERE, "the clip has more than 100 million moments");
    list = *times = arena_allocate(arena, (size_t)steps + 1, sizeof *list);
    if (!list)
        return CP_LIMIT;
    *count = (size_t)steps + 1;
    for (size_t i = 0; i < *count; i++)
        list[i] = i + 1 < *count ? first + (double)i * period : last;
    return CP_OK;
}

/* Lists the times at which the track jumps; with NULL it only counts them. */
static size_t list_track_jumps(const cp_track *track, double *jumps)
{
    const size_t width = path_width(track->path);
    size_t count = 0;
    for (uint32_t i = 1; track->interpolation == CP_STEP && i < track->key_count; i++) {
        const double *value = track->values + i * width;
        if (memcmp(value, value - width, width * sizeof *value) == 0)
            continue;
        if (jumps)
            jumps[count] = track->times[i];
        count++;
    }
    return count;
}

void report_curves(cp_context *context, const cp_clip *clip, bool frames)
{
    uint64_t curves = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        curves += clip->tracks[i].interpolation == CP_CUBIC && (frames || clip->tracks[i].path == CP_PATH_JOINT);
    if (curves > 0)
        report_loss(context, "clip-curves", NOWHERE, curves, "curves go straight between their keys (see period=)");
}

cp_status add_jumps(struct arena *arena, const cp_clip *clip, bool frames, double **times, size_t *count)
{
    size_t jumps = frames ? clip->attachment_count : 0, all = *count;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (frames || clip->tracks[i].path == CP_PATH_JOINT)
            jumps += list_track_jumps(&clip->tracks[i], NULL);
    if (jumps == 0)
        return CP_OK;
    double *list = arena_allocate(arena, all + 2 * jumps, sizeof *list);
    if (!list)
        return CP_LIMIT;
    memcpy(list, *times, all * sizeof *list);
    for (uint32_t i = 0; frames && i < clip->attachment_count; i++)
        list[all++] = clip->attachments[i].time;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (frames || clip->tracks[i].path == CP_PATH_JOINT)
            all += list_track_jumps(&clip->tracks[i], list + all);
    for (size_t i = 0; i < jumps; i++, all++) /* there is no moment before the first one */
        list[all] = list[*count + i] > list[0] ? nextafter(list[*count + i], -INFINITY) : list[0];
    *count = sort_times(list, all);
    *times = list;
    return CP_OK;
}
