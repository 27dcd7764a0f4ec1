/* Faces of primitives. A corner is a group of `stride` indices in the text of <p>; here corners are numbered by their
 * order in it. */
#include "collada.h"

static cp_status refuse(const struct collada_texts *texts, const char *what, uint64_t found, uint64_t divisor)
{
    return collada_error(texts->document, "collada-p", texts->primitive->line, "%s: %llu, no multiple of %llu", what,
                         (unsigned long long)found, (unsigned long long)divisor);
}

static void tell(const struct collada_texts *texts, enum collada_finding finding, uint64_t count)
{
    texts->document->collada->counts[finding] += count;
}

static bool make_room(const struct collada_texts *texts, struct collada_faces *faces, uint64_t corners, uint64_t ends)
{
    cp_context *context = texts->document->collada->context;
    return array_reserve(context, &faces->corners.items, &faces->corners.room, faces->corners.count + corners,
                         sizeof(uint32_t)) &&
           array_reserve(context, &faces->ends.items, &faces->ends.room, faces->ends.count + ends, sizeof(uint32_t));
}

/* Ends a face; here and below there is room. */
static void end_face(struct collada_faces *faces)
{
    faces->ends.items[faces->ends.count++] = faces->corners.count;
}

static void add_run(struct collada_faces *faces, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        faces->corners.items[faces->corners.count++] = first + i;
}

/* Adds triangles or lines: faces of one size. */
static cp_status add_equal(const struct collada_texts *texts, uint32_t corner_count, uint32_t size,
                           struct collada_faces *faces)
{
    uint32_t count = corner_count / size;
    if (corner_count % size != 0)
        return refuse(texts, "corners in <p>", corner_count, size);
    tell(texts, COLLADA_TOLD_COUNTS, texts->primitive->said != count);
    if (!make_room(texts, faces, corner_count, count))
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        add_run(faces, size * i, size);
        end_face(faces);
    }
    return CP_OK;
}

static cp_status add_polylist(const struct collada_texts *texts, uint32_t corner_count, struct collada_faces *faces)
{
    const struct collada_indices *sizes = &texts->primitive->sizes;
    uint64_t sum = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < sizes->count; i++)
        sum += sizes->items[i];
    if (sum != corner_count)
        return collada_error(texts->document, "collada-vcount", texts->primitive->line,
                             "<p> has %u corners, and <vcount> asks for %llu", (unsigned)corner_count,
                             (unsigned long long)sum);
    tell(texts, COLLADA_TOLD_COUNTS, texts->primitive->said != sizes->count);
    if (!make_room(texts, faces, corner_count, sizes->count))
        return CP_LIMIT;
    for (uint32_t i = 0; i < sizes->count; first += sizes->items[i++]) {
        tell(texts, COLLADA_TOLD_SMALL, sizes->items[i] < 3);
        if (sizes->items[i] < 3)
            continue;
        add_run(faces, first, sizes->items[i]);
        end_face(faces);
    }
    return CP_OK;
}

/* Adds the triangles of a fan or a strip. Every second triangle of a strip is turned. */
static void add_fan(struct collada_faces *faces, uint32_t first, uint32_t size, bool is_strip)
{
    for (uint32_t i = 2; i < size; i++) {
        uint32_t *corners = faces->corners.items + faces->corners.count, turned = is_strip ? i % 2 : 0;
        corners[0] = is_strip ? first + i - 2 + turned : first;
        corners[1] = first + i - 1 - turned;
        corners[2] = first + i;
        faces->corners.count += 3;
        end_face(faces);
    }
}

static uint32_t size_of(const struct collada_texts *texts, uint32_t text)
{
    return (texts->primitive->sizes.items[text] & ~COLLADA_HOLE) / texts->stride;
}

static bool is_hole(const struct collada_texts *texts, uint32_t text)
{
    return texts->primitive->sizes.items[text] & COLLADA_HOLE;
}

/* Adds the polygon of a text and the holes behind it. ends: room for `count`, the texts of both. */
static cp_status add_polygon(const struct collada_texts *texts, uint32_t text, uint32_t count, uint32_t corner,
                             uint32_t *ends, struct collada_faces *faces)
{
    uint32_t first = faces->corners.count, loops = 0;
    tell(texts, COLLADA_TOLD_SMALL, size_of(texts, text) < 3);
    if (size_of(texts, text) < 3)
        return CP_OK;
    for (uint32_t i = text; i < text + count; corner += size_of(texts, i++)) {
        if (size_of(texts, i) < 3)
            continue;
        add_run(faces, corner, size_of(texts, i));
        ends[loops++] = faces->corners.count - first;
    }
    cp_status status = CP_OK;
    uint32_t joined = ends[0];
    if (loops > 1)
        status = collada_join_holes(texts, faces->corners.items + first, ends, loops, &joined);
    tell(texts, COLLADA_TOLD_HOLES, status == CP_NO ? loops - 1 : 0);
    faces->corners.count = first + joined;
    end_face(faces);
    return status == CP_NO ? CP_OK : status;
}

static cp_status add_polygons(const struct collada_texts *texts, struct collada_faces *faces)
{
    uint32_t text_count = texts->primitive->sizes.count, corner = 0, polygons = 0;
    uint32_t *ends = memory_allocate(texts->document->collada->context, text_count, sizeof *ends);
    cp_status status = ends ? CP_OK : CP_LIMIT;
    for (uint32_t text = 0, next; status == CP_OK && text < text_count; text = next) {
        uint32_t size = size_of(texts, text);
        for (next = text + 1; next < text_count && is_hole(texts, next); next++)
            size += size_of(texts, next);
        status = add_polygon(texts, text, next - text, corner, ends, faces);
        corner += size;
        polygons++;
    }
    memory_free(texts->document->collada->context, ends, text_count, sizeof *ends);
    tell(texts, COLLADA_TOLD_COUNTS, texts->primitive->said != polygons);
    return status;
}

/* Adds what has a text a face. */
static cp_status add_texts(const struct collada_texts *texts, uint32_t corner_count, struct collada_faces *faces)
{
    const struct collada_primitive *primitive = texts->primitive;
    uint32_t corner = 0, text_count = primitive->sizes.count;
    for (uint32_t i = 0; i < text_count; i++)
        if ((primitive->sizes.items[i] & ~COLLADA_HOLE) % texts->stride != 0)
            return refuse(texts, "indices in a <p>", primitive->sizes.items[i] & ~COLLADA_HOLE, texts->stride);
    /* A fan has a triangle a corner at most; a bridge to a hole takes two corners more. */
    if (!make_room(texts, faces, 3 * (uint64_t)corner_count + 2 * (uint64_t)text_count,
                   corner_count + (uint64_t)text_count))
        return CP_LIMIT;
    if (primitive->kind == COLLADA_POLYGONS)
        return add_polygons(texts, faces);
    for (uint32_t i = 0; i < text_count; corner += size_of(texts, i++)) {
        uint32_t size = size_of(texts, i);
        bool is_line = primitive->kind == COLLADA_LINESTRIPS, is_small = size < (is_line ? 2 : 3);
        tell(texts, COLLADA_TOLD_SMALL, is_small);
        if (!is_line) {
            add_fan(faces, corner, size, primitive->kind == COLLADA_TRISTRIPS);
        } else if (!is_small) {
            add_run(faces, corner, size);
            end_face(faces);
        }
    }
    tell(texts, COLLADA_TOLD_COUNTS, primitive->said != text_count);
    return CP_OK;
}

cp_status collada_add_faces(const struct collada_texts *texts, struct collada_faces *faces)
{
    const struct collada_primitive *primitive = texts->primitive;
    uint32_t corner_count = primitive->indices.count / texts->stride;
    if (primitive->indices.count % texts->stride != 0)
        return refuse(texts, "indices in <p>", primitive->indices.count, texts->stride);
    switch (primitive->kind) {
    case COLLADA_TRIANGLES:
        return add_equal(texts, corner_count, 3, faces);
    case COLLADA_LINES:
        return add_equal(texts, corner_count, 2, faces);
    case COLLADA_POLYLIST:
        return add_polylist(texts, corner_count, faces);
    default:
        return add_texts(texts, corner_count, faces);
    }
}
