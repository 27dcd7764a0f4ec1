/* Triangles by what they share with those before: a byte each when they have an edge in common with one of the last and their
 * third vertex is the next new one, one of the last, or the neighbour of the last one that was named. */
#include "pack.h"

#include <string.h>

enum {
    HEADER = 0xe1,
    FIFO = 16,       /* edges and vertices that are remembered */
    MOST_EDGES = 15, /* edges that a code can name: 15 says that there is none */
    RECENT = 13,     /* vertices 1 .. 12 back; 13, 14 are the neighbours of the last named one */
    BEFORE_LAST = 13,
    AFTER_LAST = 14,
    NAMED = 15, /* the vertex follows as a difference from the last named one */
    TABLE = 16, /* pairs of codes that a code of one byte stands for; the last two are never used */
    TABLE_USED = 14
};

/* The pairs found most often where no edge is shared; any will do, the decoder gets them. */
static const unsigned char table[TABLE] = {0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86,
                                           0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0,    0};

struct packer {
    uint32_t edges[FIFO][2];
    uint32_t vertices[FIFO];
    uint32_t edge_end, vertex_end; /* entries so far; the last one is the most recent */
    uint32_t next, last;           /* the first vertex not yet seen, the last one named */
    unsigned char *code, *data;    /* where the next byte of each goes; NULL: nowhere */
    size_t size;
};

static void put_code(struct packer *packer, uint32_t code)
{
    packer->size++;
    if (packer->code)
        *packer->code++ = (unsigned char)code;
}

static void put_data(struct packer *packer, uint32_t data)
{
    packer->size++;
    if (packer->data)
        *packer->data++ = (unsigned char)data;
}

static void push_edge(struct packer *packer, uint32_t from, uint32_t to)
{
    uint32_t *edge = packer->edges[packer->edge_end++ % FIFO];
    edge[0] = from;
    edge[1] = to;
}

static void push_vertex(struct packer *packer, uint32_t vertex)
{
    packer->vertices[packer->vertex_end++ % FIFO] = vertex;
}

/* How many entries ago: 0 is the most recent; FIFO when it is not there. */
static uint32_t find_vertex(const struct packer *packer, uint32_t vertex)
{
    uint32_t ago = 0;
    while (ago < FIFO && packer->vertices[(packer->vertex_end - 1 - ago) % FIFO] != vertex)
        ago++;
    return ago;
}

/* The most recent edge of the triangle; *corner is where it begins. */
static uint32_t find_edge(const struct packer *packer, const uint32_t triangle[3], uint32_t *corner)
{
    for (uint32_t ago = 0; ago < MOST_EDGES; ago++) {
        const uint32_t *edge = packer->edges[(packer->edge_end - 1 - ago) % FIFO];
        for (uint32_t i = 0; i < 3; i++)
            if (edge[0] == triangle[i] && edge[1] == triangle[(i + 1) % 3]) {
                *corner = i;
                return ago;
            }
    }
    return MOST_EDGES;
}

/* The difference from the last named vertex, zigzag coded, seven bits a byte from the lowest. */
static void name_vertex(struct packer *packer, uint32_t vertex)
{
    uint32_t difference = vertex - packer->last;
    uint32_t value = difference << 1 ^ (difference & 0x80000000U ? 0xffffffffU : 0);
    for (; value > 0x7f; value >>= 7)
        put_data(packer, 0x80 | (value & 0x7f));
    put_data(packer, value);
    packer->last = vertex;
}

/* The code of a vertex next to a known edge. */
static uint32_t code_of_third(struct packer *packer, uint32_t vertex)
{
    uint32_t ago = find_vertex(packer, vertex);
    if (ago >= 1 && ago < RECENT)
        return ago;
    if (vertex == packer->next) {
        packer->next++;
        return 0;
    }
    return vertex + 1 == packer->last ? BEFORE_LAST : vertex == packer->last + 1 ? AFTER_LAST : NAMED;
}

static void put_neighbour(struct packer *packer, uint32_t edge, const uint32_t triangle[3], uint32_t corner)
{
    uint32_t a = triangle[corner], b = triangle[(corner + 1) % 3], c = triangle[(corner + 2) % 3];
    uint32_t third = code_of_third(packer, c);
    put_code(packer, edge << 4 | third);
    if (third == NAMED)
        name_vertex(packer, c);
    if (third >= RECENT)
        packer->last = c;
    if (third == 0 || third >= RECENT)
        push_vertex(packer, c);
    push_edge(packer, c, b);
    push_edge(packer, a, c);
}

/* The code of a vertex of a triangle that shares no edge. */
static uint32_t code_of_lone(struct packer *packer, uint32_t vertex)
{
    uint32_t ago = find_vertex(packer, vertex);
    if (ago + 1 < NAMED)
        return ago + 1;
    if (vertex != packer->next)
        return NAMED;
    packer->next++;
    return 0;
}

static uint32_t find_in_table(unsigned char pair)
{
    uint32_t index = 0;
    while (index < TABLE_USED && table[index] != pair)
        index++;
    return index;
}

static void put_corner(struct packer *packer, uint32_t code, uint32_t vertex)
{
    if (code == NAMED)
        name_vertex(packer, vertex);
    if (code == 0 || code == NAMED)
        push_vertex(packer, vertex);
}

/* The vertices begin anew with this triangle: another mesh's. */
static bool starts_anew(const struct packer *packer, const uint32_t corners[3])
{
    return packer->next > 0 && corners[0] == 0 && corners[1] == 1 && corners[2] == 2;
}

static void put_lone(struct packer *packer, const uint32_t triangle[3])
{
    /* Decoders rely on it that the first vertex is the next new one if any is. */
    uint32_t corner = triangle[1] == packer->next ? 1 : triangle[2] == packer->next ? 2 : 0;
    const uint32_t corners[3] = {triangle[corner], triangle[(corner + 1) % 3], triangle[(corner + 2) % 3]};
    bool anew = starts_anew(packer, corners);
    if (anew) {
        packer->next = 0;
        memset(packer->vertices, 0xff, sizeof packer->vertices);
    }
    uint32_t first = NAMED;
    if (corners[0] == packer->next) {
        packer->next++;
        first = 0;
    }
    uint32_t second = code_of_lone(packer, corners[1]), third = code_of_lone(packer, corners[2]);
    unsigned char pair = (unsigned char)(second << 4 | third);
    uint32_t short_code = first == 0 && !anew ? find_in_table(pair) : TABLE_USED;
    if (short_code < TABLE_USED) {
        put_code(packer, 0xf0 | short_code);
    } else {
        put_code(packer, first == 0 ? 0xfe : 0xff);
        put_data(packer, pair);
    }
    put_corner(packer, first, corners[0]);
    put_corner(packer, second, corners[1]);
    put_corner(packer, third, corners[2]);
    push_edge(packer, corners[1], corners[0]);
    push_edge(packer, corners[2], corners[1]);
    push_edge(packer, corners[0], corners[2]);
}

/* Bytes of the largest difference, zigzag coded. */
static uint32_t name_size(uint32_t most)
{
    uint32_t size = 1;
    for (uint64_t value = UINT64_C(2) * most + 1; value > 0x7f; value >>= 7)
        size++;
    return size;
}

size_t pack_triangles_bound(uint32_t count, uint32_t most)
{
    return 1 + (size_t)count / 3 * (2 + 3 * (size_t)name_size(most)) + TABLE;
}

size_t pack_triangles(const uint32_t *indices, uint32_t count, unsigned char *out)
{
    struct packer packer = {.code = out ? out + 1 : NULL, .data = out ? out + 1 + count / 3 : NULL};
    memset(packer.edges, 0xff, sizeof packer.edges);
    memset(packer.vertices, 0xff, sizeof packer.vertices);
    for (uint32_t i = 0; i + 2 < count; i += 3) {
        uint32_t corner = 0, edge = find_edge(&packer, indices + i, &corner);
        if (edge < MOST_EDGES)
            put_neighbour(&packer, edge, indices + i, corner);
        else
            put_lone(&packer, indices + i);
    }
    if (out) {
        out[0] = HEADER;
        memcpy(packer.data, table, TABLE);
    }
    return 1 + packer.size + TABLE;
}
