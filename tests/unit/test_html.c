/* Pages of the exporter html: what the policy allows is in the page and nothing else runs, the cell inside is the GLB
 * that is written alone, and no text of the scene becomes markup. What browsers make of it, tests/consumers tries. */
#include <math.h>
#include <zlib.h>

#include "cellpipe_tool.h"
#include "fixture.h"

/* ---- means of our own ---- */

/* SHA-256 (FIPS 180-4). */
static void hash_block(uint32_t state[8], const unsigned char *block)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t w[64], v[8];
#define TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (TURN(w[i - 15], 7) ^ TURN(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (TURN(w[i - 2], 17) ^ TURN(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t first =
            v[7] + (TURN(v[4], 6) ^ TURN(v[4], 11) ^ TURN(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        uint32_t second =
            (TURN(v[0], 2) ^ TURN(v[0], 13) ^ TURN(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
#undef TURN
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

static void hash_text(const char *text, size_t size, unsigned char hash[32])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char end[128] = {0};
    size_t rest = size % 64, ends = rest < 56 ? 64 : 128;
    for (size_t at = 0; at + 64 <= size; at += 64)
        hash_block(state, (const unsigned char *)text + at);
    memcpy(end, text + (size - rest), rest);
    end[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        end[ends - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t at = 0; at < ends; at += 64)
        hash_block(state, end + at);
    for (int i = 0; i < 32; i++)
        hash[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* Returns the bytes that the characters of a page mean, by the rule in docs/html.md; the caller frees them. */
static unsigned char *decode(const char *text, size_t length, size_t *size)
{
    static const char digits[] =
        "#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";
    unsigned char *bytes = calloc(length + 1, 1);
    size_t bit = 0;
    assert_non_null(bytes);
    assert_int_equal(strlen(digits), 91);
    for (size_t i = 0; i < length; i += 2) {
        int count = length - i >= 2 ? 13 : 6;
        const char *first = strchr(digits, text[i]), *second = count == 13 ? strchr(digits, text[i + 1]) : digits;
        assert_true(first && second);
        long value = count == 13 ? 91 * (first - digits) + (second - digits) : first - digits;
        assert_true(value < 1L << count);
        for (int k = count - 1; k >= 0; k--, bit++)
            bytes[bit / 8] = (unsigned char)(bytes[bit / 8] | (value >> k & 1) << (7 - bit % 8));
    }
    *size = bit / 8;
    for (; bit % 8 != 0; bit++)
        assert_int_equal(bytes[bit / 8] >> (7 - bit % 8) & 1, 0);
    return bytes;
}

static void encode(const unsigned char hash[32], char text[45])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 11; i++) {
        uint32_t three = 0;
        for (int k = 0; k < 3; k++)
            three = three << 8 | (3 * i + k < 32 ? hash[3 * i + k] : 0u);
        for (int k = 0; k < 4; k++)
            text[4 * i + k] = digits[three >> (18 - 6 * k) & 63];
    }
    text[43] = '=';
    text[44] = 0;
}

static char *expand(const unsigned char *packed, size_t size, size_t *expanded)
{
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)packed, .avail_in = (uInt)size};
    size_t room = 64u << 20;
    char *bytes = malloc(room);
    assert_non_null(bytes);
    stream.next_out = (unsigned char *)bytes;
    stream.avail_out = (uInt)room;
    assert_int_equal(inflateInit2(&stream, 31), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    *expanded = stream.total_out;
    (void)inflateEnd(&stream);
    return bytes;
}

/* ---- pages ---- */

struct text {
    char *bytes; /* a NUL follows */
    size_t size;
};

static struct text write_page(cp_context *context, const cp_scene *scene, const char *const *options, size_t count)
{
    void *bytes;
    struct text page;
    expect_status(context, cp_write_memory(context, scene, "html", options, count, &bytes, &page.size), CP_OK);
    page.bytes = malloc(page.size + 1);
    assert_non_null(page.bytes);
    memcpy(page.bytes, bytes, page.size);
    page.bytes[page.size] = 0;
    assert_int_equal(strlen(page.bytes), page.size);
    cp_free(context, bytes, page.size);
    return page;
}

/* The text of the page between two others; *size its length. If it is inlined, gcc warns of strings that are empty. */
__attribute__((noinline)) static const char *between(const struct text *page, const char *begin, const char *end,
                                                     size_t *size)
{
    const char *from = strstr(page->bytes, begin), *to = from ? strstr(from + strlen(begin), end) : NULL;
    assert_non_null(to);
    *size = (size_t)(to - from) - strlen(begin);
    return from + strlen(begin);
}

#define CODE "<script type=\"application/x-xz\" id=\"packed-code\">"
#define CELL "<script type=\"application/gzip\" id=\"packed-cell\">"

static char *unpack_cell(const struct text *page, size_t *size)
{
    size_t length, packed_size;
    const char *text = between(page, CELL, "</script>", &length);
    unsigned char *packed = decode(text, length, &packed_size);
    char *bytes = expand(packed, packed_size, size);
    free(packed);
    return bytes;
}

/* Returns the bytes of a file; the caller frees them. */
static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    enum { ROOM = 16 << 20 };
    char *text = malloc(ROOM);
    assert_true(file && text);
    *size = fread(text, 1, ROOM - 1, file);
    assert_int_equal(fgetc(file), EOF);
    text[*size] = 0;
    (void)fclose(file);
    return text;
}

static cp_scene *read_sample(cp_context *context, const char *name)
{
    char path[256];
    cp_scene *scene;
    (void)snprintf(path, sizeof path, SAMPLES "/%s", name);
    expect_status(context, cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    return scene;
}

/* Counts a text in the page's markup, scripts and style; packed bytes may look like anything. */
static size_t count_text(const struct text *page, const char *text)
{
    static const char packed[] = "id=\"packed-";
    size_t count = 0, length = strlen(text);
    for (size_t at = 0; at + length <= page->size; at++) {
        count += memcmp(page->bytes + at, text, length) == 0;
        if (strncmp(page->bytes + at, packed, sizeof packed - 1) == 0)
            at = (size_t)(strstr(page->bytes + at, "</script>") - page->bytes) - 1;
    }
    return count;
}

static void expect_source(const struct text *page, const char *directive, const char *text, size_t size)
{
    unsigned char hash[32];
    char source[64], digits[45];
    size_t length;
    hash_text(text, size, hash);
    encode(hash, digits);
    (void)snprintf(source, sizeof source, "'sha256-%s'", digits);
    const char *policy = between(page, "Content-Security-Policy\" content=\"", "\"", &length);
    const char *from = strstr(policy, directive);
    assert_non_null(from);
    const char *found = strstr(from, source);
    assert_non_null(found);
    assert_true(found < policy + length && !memchr(from, ';', (size_t)(found - from)));
}

static void policy_allows_what_is_there(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = read_sample(context, "demo.wu");
    struct text page = write_page(context, scene, NULL, 0);
    size_t size, length;
    const char *boot = between(&page, "<script>", "</script>", &size);
    expect_source(&page, "script-src ", boot, size);
    const char *style = between(&page, "<style>", "</style>", &size);
    expect_source(&page, "style-src ", style, size);
    char *code = read_text(PAGE_SOURCE ".js", &size);
    expect_source(&page, "script-src ", code, size);
    assert_non_null(strstr(code, "THREE"));
    free(code);
    /* That this is the same text, packed, tests/consumers/test_page_xz tries, and the browser. */
    const char *packed = between(&page, CODE, "</script>", &length);
    unsigned char *xz = decode(packed, length, &size);
    code = read_text(PAGE_SOURCE ".xz", &length);
    assert_int_equal(size, length);
    assert_memory_equal(xz, code, size);
    free(code);
    free(xz);

    const char *policy = between(&page, "Content-Security-Policy\" content=\"", "\"", &length);
    assert_int_equal(strncmp(policy, "default-src 'none'; ", 20), 0);
    assert_null(strstr(policy, "unsafe") < policy + length ? strstr(policy, "unsafe") : NULL);
    assert_int_equal(count_text(&page, "'sha256-"), 3);
    /* One script runs, the others are data; nothing is loaded from elsewhere, and no markup has code in it. */
    assert_int_equal(count_text(&page, "<script>"), 1);
    assert_int_equal(count_text(&page, "<script"), 5);
    assert_int_equal(count_text(&page, "id=\"packed-live\"></script>"), 1);
    assert_int_equal(count_text(&page, "connect-src"), 0);
    assert_int_equal(count_text(&page, "src="), count_text(&page, "src=\"data:image/png;base64,"));
    assert_int_equal(count_text(&page, "<link"), 0);
    assert_int_equal(count_text(&page, " style="), 0);
    assert_int_equal(count_text(&page, "{{"), 0);
    assert_int_equal(count_text(&page, "{{"), 0);
    assert_int_equal(count_text(&page, "<noscript>"), 1);
    free(page.bytes);
    cp_scene_free(scene);
}

/* A live page has nothing of the cell, and may ask the server that it comes from. */
static void live_pages_have_no_cell(void **state)
{
    static const char *const live = "live=yes";
    cp_context *context = *state;
    cp_scene *scene = read_sample(context, "demo.wu");
    struct text page = write_page(context, scene, &live, 1);
    size_t size;
    char *code = read_text(PAGE_SOURCE ".live.js", &size);
    expect_source(&page, "script-src ", code, size);
    assert_int_equal(count_text(&page, "'sha256-"), 4);
    assert_int_equal(count_text(&page, "; connect-src 'self'; "), 1);
    assert_int_equal(count_text(&page, "id=\"packed-cell\"></script>"), 1);
    assert_int_equal(count_text(&page, "demo"), 0);
    assert_int_equal(count_text(&page, "<title>Live cell</title>"), 1);
    assert_int_equal(count_text(&page, "{\"live\":true}"), 1);
    free(code);
    free(page.bytes);
    cp_scene_free(scene);
}

/* Returns the bytes of the script of a part; the caller frees them. */
static char *unpack_part(const struct text *script, size_t *size)
{
    size_t length, packed_size;
    const char *text = between(script, "cellpipe_part(\"", "\")\n", &length);
    char *plain = malloc(length + 1);
    size_t used = 0;
    assert_non_null(plain);
    assert_ptr_equal(text, script->bytes + strlen("cellpipe_part(\""));
    for (size_t i = 0; i < length; i++) { /* a backslash of a string is two */
        i += text[i] == '\\';
        plain[used++] = text[i];
    }
    unsigned char *packed = decode(plain, used, &packed_size);
    char *part = expand(packed, packed_size, size);
    free(packed);
    free(plain);
    return part;
}

/* The script of a part has the GLB of a page, or says why it has none. */
static void parts_are_scripts(void **state)
{
    static const char *const options[] = {"part=yes", "web=no", "most-triangles=3498"}, *const few[] = {
                                                                                            "part=yes",
                                                                                            "most-triangles=3497"};
    static const char *const glb[] = {"profile=deliver", "clips=auto"};
    cp_context *context = *state;
    cp_scene *scene = read_sample(context, "demo.wu");
    struct text script = write_page(context, scene, options, 3);
    size_t size, alone_size;
    void *alone;
    char *part = unpack_part(&script, &size);
    expect_status(context, cp_write_memory(context, scene, "glb", glb, 2, &alone, &alone_size), CP_OK);
    assert_int_equal(size, alone_size);
    assert_memory_equal(part, alone, size);
    free(script.bytes);
    script = write_page(context, scene, few, 2);
    assert_int_equal(count_text(&script, "cellpipe_part(null,\"This part is too large to be shown here: it has 3498 "),
                     1);
    cp_free(context, alone, alone_size);
    free(part);
    free(script.bytes);
    cp_scene_free(scene);
}

/* Takes bytes of the library as a text. */
static struct text take_page(cp_context *context, void *bytes, size_t size)
{
    struct text page = {malloc(size + 1), size};
    assert_non_null(page.bytes);
    memcpy(page.bytes, bytes, size);
    page.bytes[size] = 0;
    cp_free(context, bytes, size);
    return page;
}

/* The page of a batch has the data, and may load pictures and the viewer beside it; the viewer may load scripts. */
static void pages_of_batches(void **state)
{
    static const char data[] = "{\"title\":\"</script>\"}";
    cp_context *context = *state;
    void *bytes;
    size_t size, length, packed_size;
    expect_status(context, cp_page_of_batch(context, "<b>&\xe9", data, strlen(data), &bytes, &size), CP_OK);
    struct text page = take_page(context, bytes, size);
    char *code = read_text(PAGE_SOURCE ".batch.js", &size);
    expect_source(&page, "script-src ", code, size);
    assert_int_equal(count_text(&page, "'sha256-"), 2);
    assert_int_equal(
        count_text(&page, "; img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'\""), 1);
    assert_int_equal(count_text(&page, "<title>&lt;b&gt;&amp;"), 1);
    assert_int_equal(count_text(&page, "<b>"), 0);
    assert_int_equal(count_text(&page, "{{"), 0);
    const char *text = between(&page, "id=\"packed-data\">", "<", &length);
    unsigned char *packed = decode(text, length, &packed_size);
    char *plain = expand(packed, packed_size, &size);
    assert_int_equal(size, strlen(data));
    assert_memory_equal(plain, data, size);
    free(plain);
    free(packed);
    free(code);
    free(page.bytes);
    expect_status(context, cp_page_of_parts(context, &bytes, &size), CP_OK);
    page = take_page(context, bytes, size);
    assert_int_equal(count_text(&page, "' 'self'; style-src 'sha256-"), 1);
    assert_int_equal(count_text(&page, "{\"part\":true}"), 1);
    assert_int_equal(count_text(&page, "id=\"packed-cell\"></script>"), 1);
    free(page.bytes);
}

/* The page of a scene, with an option or NULL, has the bytes of a GLB of another scene. */
static void expect_cell_of(cp_context *context, const cp_scene *scene, const char *option, const cp_scene *expected,
                           const char *glb_option)
{
    const char *const glb[] = {"profile=deliver", glb_option};
    struct text page = write_page(context, scene, &option, option ? 1 : 0);
    void *alone;
    size_t size, alone_size;
    char *cell = unpack_cell(&page, &size);
    expect_status(context, cp_write_memory(context, expected, "glb", glb, 2, &alone, &alone_size), CP_OK);
    assert_int_equal(size, alone_size);
    assert_memory_equal(cell, alone, size);
    cp_free(context, alone, alone_size);
    free(cell);
    free(page.bytes);
}

static void expect_cell(cp_context *context, const cp_scene *scene, const char *option, const char *glb_option)
{
    expect_cell_of(context, scene, option, scene, glb_option);
}

static void cell_is_the_glb(void **state)
{
    static const char *const names[] = {"demo.wu", "stl_viscam.stl", "gltf_textures.gltf", "joints.gltf"};
    cp_context *context = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cp_scene *scene = read_sample(context, names[i]);
        expect_cell(context, scene, NULL, "clips=auto");
        expect_cell(context, scene, "clips=no", "clips=none");
        expect_cell(context, scene, "web=yes", "web=yes");
        cp_scene_free(scene);
    }
}

/* The last characters are one or two and hold any number of bits. */
static void any_size_is_packed(void **state)
{
    cp_context *context = *state;
    char name[64] = "";
    for (size_t i = 0; i < 39; i++) {
        cp_scene *scene = cp_scene_new(context);
        (void)add_node_at(scene, 0, name, NULL);
        expect_status(context, cp_scene_finish(scene), CP_OK);
        expect_cell(context, scene, NULL, "clips=auto");
        cp_scene_free(scene);
        name[i] = (char)('a' + i * i % 26);
    }
}

/* A part of many triangles has small numbers, if it is not said otherwise. */
static void large_parts_are_small(void **state)
{
    enum { SIDE = 320 };
    cp_context *context = *state;
    char *text = malloc((size_t)SIDE * SIDE * 100);
    cp_scene *scene;
    assert_non_null(text);
    size_t at = 0;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            at += (size_t)sprintf(text + at, "v %d %d %d\n", i, k, i * k % 7);
    for (int i = 0; i + 1 < SIDE; i++)
        for (int k = 1; k < SIDE; k++)
            at += (size_t)sprintf(text + at, "f %d %d %d %d\n", i * SIDE + k, i * SIDE + k + 1, (i + 1) * SIDE + k + 1,
                                  (i + 1) * SIDE + k);
    expect_status(context, cp_read_memory(context, text, at, "large.obj", NULL, NULL, 0, &scene), CP_OK);
    free(text);
    expect_cell(context, scene, NULL, "web=yes");
    expect_cell(context, scene, "web=no", "web=no");
    cp_scene_free(scene);
}

/* A scene that no camera sees as a whole has no picture, but a page. */
static void pictures_have_limits(void **state)
{
    static const cp_mesh box = {.name = "box", .kind = CP_MESH_BOX, .size = {1, 1, 1}};
    static const cp_pose far = {{1, 0, 0, 1e308, 0, 1, 0, 0, 0, 0, 1, 0}},
                         near = {{1, 0, 0, -1e308, 0, 1, 0, 0, 0, 0, 1, 0}};
    cp_context *context = *state;
    for (int i = 0; i < 2; i++) {
        cp_scene *scene = cp_scene_new(context);
        uint32_t mesh = add_mesh_of(scene, &box);
        (void)add_instance_of(scene, add_node_at(scene, 0, "a", i == 0 ? NULL : &near), mesh, CP_USE_DRAWN, NULL);
        (void)add_instance_of(scene, add_node_at(scene, 0, "b", i == 0 ? NULL : &far), mesh, CP_USE_DRAWN, NULL);
        expect_status(context, cp_scene_finish(scene), CP_OK);
        struct text page = write_page(context, scene, NULL, 0);
        assert_int_equal(count_text(&page, "<div id=\"picture\"><img"), i == 0);
        free(page.bytes);
        cp_scene_free(scene);
    }
}

static void same_bytes_twice(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = read_sample(context, "demo.wu");
    struct text one = write_page(context, scene, NULL, 0), two = write_page(context, scene, NULL, 0);
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.bytes, two.bytes, one.size);
    free(one.bytes);
    free(two.bytes);
    cp_scene_free(scene);
}

static void edges_are_an_option(void **state)
{
    static const char *const edges = "edges=yes";
    cp_context *context = *state;
    cp_scene *scene = read_sample(context, "stl_viscam.stl");
    struct text page = write_page(context, scene, NULL, 0);
    assert_int_equal(count_text(&page, "id=\"options\">{}<"), 1);
    free(page.bytes);
    page = write_page(context, scene, &edges, 1);
    assert_int_equal(count_text(&page, "id=\"options\">{\"edges\":true}<"), 1);
    free(page.bytes);
    cp_scene_free(scene);
}

/* ---- pairs ---- */

/* Three boxes, of which two turn: one on the other. */
static cp_scene *make_arm(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    uint32_t box = add_mesh_of(scene, &(cp_mesh){.name = "box", .kind = CP_MESH_BOX, .size = {1, 1, 1}}), parent = 0;
    static const char *const names[] = {"Base", "Arm", "Hand"};
    for (int i = 0; i < 3; i++) {
        const cp_pose local = plain_translation(2 * i, 0, 0);
        parent = add_node_at(scene, parent, names[i], &local);
        if (i > 0)
            (void)add_limited_joint(scene, parent, CP_JOINT_REVOLUTE, NULL, -3, 3);
        (void)add_instance_of(scene, parent, box, CP_USE_BOTH, NULL);
    }
    return scene;
}

#define ARM_EVIDENCE                                                                                                   \
    "{\"format\":\"cellpipe collision evidence\",\"version\":\"1.0\",\"prefix\":\"\",\"device_files\":[],\n"           \
    "\"frames\":[{\"id\":\"Base\",\"name\":\"Base\"},{\"id\":\"Arm\",\"name\":\"Arm\"},{\"id\":\"Hand\",\"name\":"     \
    "\"Hand\"}],\n"                                                                                                    \
    "\"pairs\":[\n"
#define ARM_PAIR(first, second, rest)                                                                                  \
    "{\"first\":\"?\",\"second\":\"?\",\"first_id\":\"" first "\",\"second_id\":\"" second "\"," rest "}"

static const char arm_evidence[] = ARM_EVIDENCE ARM_PAIR(
    "Base", "Hand",
    "\"status\":\"sometimes\",\"verdict\":\"kept\",\"evidence\":\"seen & told\",\"margin\":0.001,\"touch\":1e-6,"
    "\"work\":12,\"samples\":100,\"descents\":3,\"hits\":2,\"clearance\":0,\"witness\":[{\"joint\":\"?\",\"joint_"
    "id\":"
    "\"Arm\",\"value\":-0.25},{\"joint\":\"?\",\"joint_id\":\"Hand\",\"value\":1.5}]") ",\n" ARM_PAIR("Base", "Arm",
                                                                                                      "\"status\":"
                                                                                                      "\"adjacent\""
                                                                                                      ",\"verdict\""
                                                                                                      ":\"excluded"
                                                                                                      "\"") "]}\n";

static void state_arm(cp_scene *scene)
{
    static const cp_joint_setting seen_at[] = {{0, -0.25}, {1, 1.5}};
    static const cp_finding finding = {.margin = 0.001,
                                       .touch = 1e-6,
                                       .clearance = 0,
                                       .work = 12,
                                       .samples = 100,
                                       .descents = 3,
                                       .hits = 2,
                                       .witness_count = 2,
                                       .witness = seen_at};
    const cp_pair pairs[] = {{1, 3, CP_PAIR_KEPT, "sometimes", "seen & told", &finding},
                             {1, 2, CP_PAIR_EXCLUDED, "adjacent", "", NULL}};
    for (int i = 0; i < 2; i++)
        assert_true(cp_add_pair(scene, &pairs[i]) != CP_NONE);
}

static const char *evidence_option(const char *name)
{
    static char option[512];
    (void)snprintf(option, sizeof option, "evidence=%s", path_of(name));
    return option;
}

/* A page with evidence is that of a scene which states the same, even where the scene excludes a pair without saying
 * more, once or twice; the scene itself stays as it was. */
static void evidence_gives_pairs(void **state)
{
    cp_context *context = *state;
    write_file("arm.json", arm_evidence);
    for (int given = 0; given < 3; given++) {
        cp_scene *scene = make_arm(context), *stated = make_arm(context);
        for (int i = 0; i < given; i++)
            (void)add_pair_of(scene, i == 0 ? 1 : 3, i == 0 ? 3 : 1, "given");
        state_arm(stated);
        expect_status(context, cp_scene_finish(scene), CP_OK);
        expect_status(context, cp_scene_finish(stated), CP_OK);
        expect_cell_of(context, scene, evidence_option("arm.json"), stated, "clips=auto");
        assert_int_equal(count_pairs(scene), given);
        assert_false(was_reported(context, "list-evidence-kept"));
        assert_false(was_reported(context, "list-evidence-outdated"));
        cp_scene_free(scene);
        cp_scene_free(stated);
    }
}

/* A witness without numbers is a finding, too. */
static void evidence_may_be_a_witness(void **state)
{
    static const cp_joint_setting seen_at[] = {{1, 0.5}};
    static const cp_finding finding = {
        .touch = 1e-6, .clearance = (double)INFINITY, .witness_count = 1, .witness = seen_at};
    static const cp_pair pair = {2, 3, CP_PAIR_KEPT, "sometimes", "", &finding};
    cp_context *context = *state;
    cp_scene *scene = make_arm(context), *stated = make_arm(context);
    write_file("witness.json",
               ARM_EVIDENCE ARM_PAIR("Arm", "Hand",
                                     "\"status\":\"sometimes\",\"verdict\":\"kept\",\"witness\":[{\"joint_id\":"
                                     "\"Hand\",\"value\":0.5}]") "]}");
    assert_true(cp_add_pair(stated, &pair) != CP_NONE);
    expect_status(context, cp_scene_finish(scene), CP_OK);
    expect_status(context, cp_scene_finish(stated), CP_OK);
    expect_cell_of(context, scene, evidence_option("witness.json"), stated, "clips=auto");
    cp_scene_free(scene);
    cp_scene_free(stated);
}

/* Findings of the cell itself stay. */
static void own_findings_stay(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = make_arm(context);
    write_file("other.json",
               ARM_EVIDENCE ARM_PAIR("Hand", "Base", "\"status\":\"undecided\",\"verdict\":\"kept\"") "]}");
    state_arm(scene);
    expect_status(context, cp_scene_finish(scene), CP_OK);
    expect_cell_of(context, scene, evidence_option("other.json"), scene, "clips=auto");
    assert_int_equal(count_entries(context, CP_NOTE, "list-evidence-kept"), 1);
    cp_scene_free(scene);
}

/* Frames and joints that the cell lacks are told, each with the number of its pairs; no half of a witness is left. */
static void evidence_of_another_cell(void **state)
{
    cp_context *context = *state;
    cp_scene *scene = make_arm(context), *stated = make_arm(context);
    write_file(
        "another.json",
        "{\"format\":\"cellpipe collision evidence\",\"version\":\"1.0\",\"prefix\":\"\",\"device_files\":[],"
        "\"frames\":[{\"id\":\"Base\",\"name\":\"?\"},{\"id\":\"Hand\",\"name\":\"?\"},{\"id\":\"Door\",\"name\":\"?\"}"
        "],"
        "\"pairs\":[" ARM_PAIR("Base", "Door", "\"status\":\"static\",\"verdict\":\"excluded\"") "," ARM_PAIR(
            "Door", "Hand",
            "\"status\":\"undecided\",\"verdict\":\"kept\"") "," ARM_PAIR("Base", "Hand",
                                                                          "\"status\":\"sometimes\",\"verdict\":"
                                                                          "\"kept\",\"key\":\"0000000000000001\","
                                                                          "\"witness\":[{\"joint_id\":\"Arm\","
                                                                          "\"value\":1},{\"joint_id\":\"Hinge\","
                                                                          "\"value\":2}]") "]}");
    const cp_finding bare = {.touch = 1e-6, .clearance = (double)INFINITY, .key = 1};
    const cp_pair pair = {1, 3, CP_PAIR_KEPT, "sometimes", "", &bare};
    assert_true(cp_add_pair(stated, &pair) != CP_NONE);
    expect_status(context, cp_scene_finish(scene), CP_OK);
    expect_status(context, cp_scene_finish(stated), CP_OK);
    expect_cell_of(context, scene, evidence_option("another.json"), stated, "clips=auto");
    assert_int_equal(count_lost(context, "list-evidence-frame"), 2);
    assert_int_equal(count_lost(context, "list-evidence-joint"), 1);
    assert_true(was_said(context, "\"Door\""));
    assert_true(was_said(context, "\"Hinge\""));
    assert_true(was_said(context, "1 of 1 pairs have changed"));
    cp_scene_free(scene);
    cp_scene_free(stated);
}

/* An error names the file and the line; the page does not replace the file that it is made of. */
static void evidence_that_cannot_be(void **state)
{
    static const char *const rests[] = {"\"samples\":1,\"hits\":2",
                                        "\"margin\":1e999",
                                        "\"witness\":7",
                                        "\"witness\":[{\"value\":1}]",
                                        "\"witness\":[{\"joint_id\":\"Arm\"}]",
                                        "\"witness\":[{\"joint_id\":\"Arm\",\"value\":\"1\"}]",
                                        "\"witness\":[{\"joint_id\":\"Arm\",\"value\":1e999}]",
                                        "\"evidence\":7"};
    cp_context *context = *state;
    cp_scene *scene = make_arm(context);
    void *bytes;
    size_t size;
    expect_status(context, cp_scene_finish(scene), CP_OK);
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s%s%s}]}",
                       ARM_EVIDENCE ARM_PAIR("Base", "Arm", "\"status\":\"adjacent\",\"verdict\":\"excluded\"") ",\n",
                       "{\"first_id\":\"Base\",\"second_id\":\"Hand\",\"status\":\"sometimes\",\"verdict\":\"kept\",",
                       rests[i]);
        write_file("bad.json", text);
        const char *option = evidence_option("bad.json");
        cp_report_clear(context);
        expect_status(context, cp_write_memory(context, scene, "html", &option, 1, &bytes, &size), CP_INPUT);
        const cp_entry *entry = find_entry(context, "list-evidence");
        assert_non_null(entry);
        assert_string_equal(entry->file, path_of("bad.json"));
        assert_int_equal(entry->line, 5);
    }
    write_file("arm.json", arm_evidence);
    const char *option = evidence_option("arm.json");
    expect_status(context, cp_write(context, scene, path_of("arm.json"), "html", &option, 1), CP_USAGE);
    assert_true(was_reported(context, "write-input"));
    char *left = read_whole(path_of("arm.json"), NULL);
    assert_non_null(left);
    assert_string_equal(left, arm_evidence);
    free(left);
    cp_scene_free(scene);
}

/* A name closes the script, opens one, and makes an image; none of it is in the page, whatever is in the cell. */
static void names_are_no_markup(void **state)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"</script><script>evil()</script>\",\"children\":[1]},"
        "{\"name\":\"<img src=x onerror=evil()>\"},{\"name\":\"<!--<script>\"}],\"scenes\":[{\"nodes\":[0,2]}]}";
    static const char *const titles[] = {NULL, "title=</title><script>evil(\"1\")</script>&"};
    cp_context *context = *state;
    cp_scene *scene;
    expect_status(context,
                  cp_read_memory(context, text, sizeof text - 1, "<script>evil()<&>.gltf", NULL, NULL, 0, &scene),
                  CP_OK);
    for (int i = 0; i < 2; i++) {
        struct text page = write_page(context, scene, &titles[i], titles[i] ? 1 : 0);
        size_t size;
        char *cell = unpack_cell(&page, &size);
        assert_int_equal(count_text(&page, "evil"), 2); /* the title, in its element and as a heading */
        assert_int_equal(count_text(&page, "<script>"), 1);
        assert_int_equal(
            count_text(&page, i ? "<title>&lt;/title&gt;&lt;script&gt;evil(&quot;1&quot;)&lt;/script&gt;&amp;</title>"
                                : "<title>&lt;script&gt;evil()&lt;&amp;&gt;.gltf</title>"),
            1);
        free(cell);
        free(page.bytes);
    }
    cp_scene_free(scene);
}

/* Reads a triangle with two sets of coordinates for each of so many materials; ' is ". */
static cp_scene *read_materials(cp_context *context, const char *materials, int drawn)
{
    char text[4096], primitives[512] = "";
    cp_scene *scene;
    for (int i = 0; i < drawn; i++)
        (void)sprintf(primitives + strlen(primitives),
                      "%s{'attributes':{'POSITION':0,'TEXCOORD_0':1,'TEXCOORD_1':1},'material':%d}", i ? "," : "", i);
    int size = snprintf(
        text, sizeof text,
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':60,'uri':'data:application/octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAIA/'}],"
        "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':24}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]},"
        "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC2'}],'images':[{'uri':'data:image/png;base64,"
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC'},"
        "{'uri':'data:image/ktx2;base64,q0tUWCAyMLsNChoK'},{'uri':'data:image/vnd-ms.dds;base64,RERTIHwAAAA='}],"
        "'textures':[{'source':0},{'extensions':{'KHR_texture_basisu':{'source':1}}},"
        "{'source':0,'extensions':{'KHR_texture_basisu':{'source':1}}},"
        "{'extensions':{'MSFT_texture_dds':{'source':2}}}],'materials':[%s],'meshes':[{'primitives':[%s]}],'nodes':[{'"
        "mesh':0}],"
        "'scenes':[{'nodes':[0]}]}",
        materials, primitives);
    assert_true(size > 0 && (size_t)size < sizeof text);
    for (char *quote = text; (quote = strchr(quote, '\''));)
        *quote = '"';
    expect_status(context, cp_read_memory(context, text, (size_t)size, "paint.gltf", NULL, NULL, 0, &scene), CP_OK);
    return scene;
}

#define PAINT(extensions) "{'name':'Paint','extensions':{" extensions "}}"
#define TURNED "'extensions':{'KHR_texture_transform':{'rotation':0.5}}"

/* What three.js r111 leaves out is a loss, where it makes a difference: once a kind, with the first material's name.
 * That it does leave it out, and shows the rest, says its GLTFLoader.js. */
static void unshown_materials_are_losses(void **state)
{
    static const struct {
        const char *materials;
        int drawn;
        const char *code, *said; /* code NULL: nothing is lost */
        uint64_t count;
    } cases[] = {
        {PAINT("'KHR_materials_clearcoat':{'clearcoatFactor':1}"), 1, "html-extension",
         "KHR_materials_clearcoat of materials is in the GLB, and not shown; the first is \"Paint\"", 1},
        {PAINT("'KHR_materials_transmission':{'transmissionFactor':1}"), 1, "html-extension",
         "KHR_materials_transmission ", 1},
        {PAINT("'KHR_materials_ior':{'ior':1.3}"), 1, "html-extension", "KHR_materials_ior ", 1},
        {PAINT("'KHR_materials_specular':{'specularFactor':0.5}"), 1, "html-extension", "KHR_materials_specular ", 1},
        {PAINT("'KHR_materials_sheen':{'sheenColorFactor':[1,0,0]}"), 1, "html-extension", "KHR_materials_sheen ", 1},
        {PAINT("'KHR_materials_iridescence':{'iridescenceFactor':1}"), 1, "html-extension",
         "KHR_materials_iridescence ", 1},
        {"{},{'extensions':{'KHR_materials_ior':{'ior':1.3}}}," PAINT("'KHR_materials_ior':{'ior':1.4}"), 3,
         "html-extension",
         "KHR_materials_ior of materials is in the GLB, and not shown; the first is \"material#2\" (2)", 2},
        /* Unused, without effect, or shown. */
        {"{}," PAINT("'KHR_materials_ior':{'ior':1.4}"), 1, NULL, NULL, 0},
        {PAINT("'KHR_materials_clearcoat':{},'KHR_materials_unlit':{}"), 1, NULL, NULL, 0},
        {PAINT("'KHR_materials_emissive_strength':{'emissiveStrength':2}"), 1, NULL, NULL, 0},
        /* Transforms. */
        {"{'name':'Paint','pbrMetallicRoughness':{'baseColorTexture':{'index':0}},'normalTexture':{'index':0," TURNED
         "}}",
         1, "html-transforms", "; the first is \"Paint\"", 1},
        {"{'normalTexture':{'index':0},'emissiveTexture':{'index':0," TURNED "}},"
         "{'pbrMetallicRoughness':{'metallicRoughnessTexture':{'index':0}},'normalTexture':{'index':0," TURNED "}}",
         2, "html-transforms", " (2)", 2},
        {"{'occlusionTexture':{'index':0," TURNED "}}", 1, "html-transforms", "material", 1},
        {"{'pbrMetallicRoughness':{'baseColorTexture':{'index':0," TURNED "}},'normalTexture':{'index':0," TURNED "}}",
         1, NULL, NULL, 0},
        {"{'emissiveTexture':{'index':0," TURNED "},'occlusionTexture':{'index':0}}", 1, NULL, NULL, 0},
        /* Coordinates. */
        {"{'name':'Paint','pbrMetallicRoughness':{'baseColorTexture':{'index':0}},'normalTexture':{'index':0,"
         "'texCoord':1}}",
         1, "html-coordinates", "; the first is \"Paint\"", 1},
        {"{'emissiveTexture':{'index':0,'texCoord':1},'normalTexture':{'index':0,'texCoord':1}}", 1, NULL, NULL, 0},
        {"{'emissiveTexture':{'index':0,'texCoord':1},'occlusionTexture':{'index':0}}", 1, NULL, NULL, 0},
        {"{'emissiveTexture':{'index':0},'occlusionTexture':{'index':0,'texCoord':1}}", 1, NULL, NULL, 0},
        /* Images: those that no browser reads, unless another is there for those who cannot read them. */
        {"{'name':'Paint','pbrMetallicRoughness':{'baseColorTexture':{'index':1}}}", 1, "html-images",
         "(KTX2, DDS) are shown without them; the first is \"Paint\"", 1},
        {"{'normalTexture':{'index':3}},{'emissiveTexture':{'index':0},'occlusionTexture':{'index':1}}", 2,
         "html-images", " (2)", 2},
        {"{'pbrMetallicRoughness':{'baseColorTexture':{'index':2}}},"
         "{'pbrMetallicRoughness':{'baseColorTexture':{'index':1}}}",
         1, NULL, NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_materials(context, cases[i].materials, cases[i].drawn);
        struct text page = write_page(context, scene, NULL, 0);
        for (size_t k = 0; k < 4; k++) {
            static const char *const codes[] = {"html-extension", "html-transforms", "html-coordinates", "html-images"};
            bool lost = cases[i].code && strcmp(cases[i].code, codes[k]) == 0;
            if (count_lost(context, codes[k]) != (lost ? cases[i].count : 0))
                fail_msg("case %zu: %s", i, codes[k]);
            if (lost && (count_entries(context, CP_LOSS, codes[k]) != 1 || !was_said(context, cases[i].said)))
                fail_msg("case %zu: %s", i, find_entry(context, codes[k])->message);
        }
        free(page.bytes);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* The reader reports an extension that the scene has no place for; the page does not report it again. */
static void nothing_is_lost_twice(void **state)
{
    cp_context *context = *state;
    cp_scene *scene =
        read_materials(context, PAINT("'ACME_paint':{'a':1},'KHR_materials_sheen':{'sheenRoughnessFactor':1}"), 1);
    struct text page = write_page(context, scene, NULL, 0);
    assert_int_equal(count_lost(context, "gltf-material-extension"), 1);
    assert_int_equal(count_lost(context, "html-extension"), 1);
    assert_false(was_said(context, "ACME_paint of materials is in"));
    free(page.bytes);
    cp_scene_free(scene);
}

static void titles(void **state)
{
    static const char *const latin = "title=M\xfcller";
    cp_context *context = *state;
    cp_scene *scene = read_sample(context, "demo.wu");
    struct text page = write_page(context, scene, NULL, 0);
    assert_int_equal(count_text(&page, "<title>demo.wu</title>"), 1);
    free(page.bytes);
    page = write_page(context, scene, &latin, 1);
    assert_int_equal(count_text(&page, "<title>M\xc3\xbcller</title>"), 1);
    free(page.bytes);
    cp_scene_free(scene);
}

/* The hash is that of the standard's examples. */
static void hashes_are_right(void **state)
{
    static const char *const text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    unsigned char hash[32];
    (void)state;
    hash_text("abc", 3, hash);
    assert_memory_equal(hash, "\xba\x78\x16\xbf\x8f\x01\xcf\xea", 8);
    hash_text(text, strlen(text), hash);
    assert_memory_equal(hash, "\x24\x8d\x6a\x61\xd2\x06\x38\xb8", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_right),
        cmocka_unit_test_setup_teardown(policy_allows_what_is_there, make_context, free_context),
        cmocka_unit_test_setup_teardown(live_pages_have_no_cell, make_context, free_context),
        cmocka_unit_test_setup_teardown(parts_are_scripts, make_context, free_context),
        cmocka_unit_test_setup_teardown(pages_of_batches, make_context, free_context),
        cmocka_unit_test_setup_teardown(cell_is_the_glb, make_context, free_context),
        cmocka_unit_test_setup_teardown(any_size_is_packed, make_context, free_context),
        cmocka_unit_test_setup_teardown(large_parts_are_small, make_context, free_context),
        cmocka_unit_test_setup_teardown(pictures_have_limits, make_context, free_context),
        cmocka_unit_test_setup_teardown(same_bytes_twice, make_context, free_context),
        cmocka_unit_test_setup_teardown(edges_are_an_option, make_context, free_context),
        cmocka_unit_test_setup_teardown(evidence_gives_pairs, make_context, free_context),
        cmocka_unit_test_setup_teardown(evidence_may_be_a_witness, make_context, free_context),
        cmocka_unit_test_setup_teardown(own_findings_stay, make_context, free_context),
        cmocka_unit_test_setup_teardown(evidence_of_another_cell, make_context, free_context),
        cmocka_unit_test_setup_teardown(evidence_that_cannot_be, make_context, free_context),
        cmocka_unit_test_setup_teardown(names_are_no_markup, make_context, free_context),
        cmocka_unit_test(unshown_materials_are_losses),
        cmocka_unit_test_setup_teardown(nothing_is_lost_twice, make_context, free_context),
        cmocka_unit_test_setup_teardown(titles, make_context, free_context),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
