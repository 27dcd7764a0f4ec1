/* Attach flags: every ordered tree of up to 8 parts as flags and back, the layer sequences of the shared oracle (one of
 * them is NISTIR 6076's own example), and flags that break the rules. */
#include <jansson.h>

#include "deneb_support.h"

enum { MOST_PARTS = 8 };

/* Reads a device whose parts have these flags: on which part each hangs, and the first whose flag breaks the rules. */
static void read_layers(cp_context *context, const char *const *flags, uint32_t count, uint32_t *parents, uint32_t *odd)
{
    enum { FIRST_LINE = 3 };
    struct text text = {0};
    print(&text, "DCT DEVICE 1.0\nDEVICE d\n");
    for (uint32_t i = 0; i < count; i++)
        print(&text, "PART %u ATTACH %s\n", i, flags[i]);
    print(&text, "END\n");
    cp_report_clear(context);
    cp_scene *scene = must_read(context, text.data, NULL);
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%u", i);
        const char *host = cp_nodes(scene, NULL)[node_called(scene, name)->parent].name;
        parents[i] = strcmp(host, "d") == 0 ? CP_NONE : (uint32_t)atoi(host);
    }
    const cp_entry *entry = find_entry(context, "deneb-layers");
    *odd = entry ? (uint32_t)entry->line - FIRST_LINE : CP_NONE;
    cp_scene_free(scene);
    free_text(&text);
}

/* ---- trees ---- */

/* Flags of the tree of these parents (in preorder), as the walk through it says. */
static void encode(const uint32_t *parents, uint32_t count, char flags[][MOST_PARTS + 2])
{
    uint32_t depths[MOST_PARTS] = {0};
    for (uint32_t i = 0; i < count; i++)
        depths[i] = parents[i] == CP_NONE ? 0 : depths[parents[i]] + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = i + 1 < count ? depths[i + 1] : 0;
        uint32_t zeros = depths[i] + 1 - next; /* layers to close: down to that of the next one's parent */
        memset(flags[i], '0', zeros);
        strcpy(flags[i] + zeros, i + 1 < count ? "1" : "0");
        if (i + 1 == count)
            flags[i][zeros] = '\0';
    }
}

static uint32_t trees;

static void check_tree(const uint32_t *parents, uint32_t count)
{
    char flags[MOST_PARTS][MOST_PARTS + 2];
    const char *texts[MOST_PARTS];
    uint32_t decoded[MOST_PARTS], odd;
    encode(parents, count, flags);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = flags[i];
    cp_context *context = cp_context_new(NULL);
    read_layers(context, texts, count, decoded, &odd);
    cp_context_free(context);
    assert_int_equal(odd, CP_NONE);
    assert_memory_equal(decoded, parents, count * sizeof *parents);
    trees++;
}

/* The next part hangs on the last one or on one that this hangs on. */
static void grow(uint32_t *parents, uint32_t count, uint32_t wanted)
{
    if (count == wanted) {
        check_tree(parents, count);
        return;
    }
    for (uint32_t parent = count - 1; parent != CP_NONE; parent = parents[parent]) {
        parents[count] = parent;
        grow(parents, count + 1, wanted);
    }
}

static void test_all_trees(void **state)
{
    (void)state;
    uint32_t parents[MOST_PARTS] = {CP_NONE};
    for (uint32_t wanted = 1; wanted <= MOST_PARTS; wanted++)
        grow(parents, 1, wanted);
    assert_int_equal(trees, 626); /* Catalan numbers 1 + 1 + 2 + 5 + 14 + 42 + 132 + 429 */
}

/* ---- the oracle ---- */

/* The host of each part as a sequence tells it: the part of the layer around its own. */
static void walk_sequence(const json_t *sequence, uint32_t *hosts)
{
    uint32_t layers[64], depth = 0;
    for (size_t i = 0; i < json_array_size(sequence); i++) {
        long long entry = json_integer_value(json_array_get(sequence, i));
        if (entry == 999) {
            layers[++depth] = CP_NONE;
        } else if (entry == -999) {
            depth--;
        } else {
            layers[depth] = (uint32_t)entry;
            hosts[entry] = depth > 1 ? layers[depth - 1] : CP_NONE;
        }
    }
    assert_int_equal(depth, 0);
}

static void check_device(const json_t *device, long long attachment, const uint32_t *hosts)
{
    const char *flags[16];
    uint32_t parents[16], odd, count = (uint32_t)json_array_size(device);
    for (uint32_t i = 0; i < count; i++)
        flags[i] = json_string_value(json_array_get(json_array_get(device, i), 1));
    cp_context *context = cp_context_new(NULL);
    read_layers(context, flags, count, parents, &odd);
    cp_context_free(context);
    assert_int_equal(odd, CP_NONE);
    uint32_t first = (uint32_t)json_integer_value(json_array_get(json_array_get(device, 0), 0));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = parents[i] == CP_NONE ? CP_NONE : first + parents[i];
        uint32_t expected = i == 0 && attachment >= 0 ? (uint32_t)attachment : own;
        assert_int_equal(hosts[first + i], expected);
    }
}

static void test_sequences(void **state)
{
    (void)state;
    json_t *oracle = json_load_file(SHARED "/reference/deneb_oracle.json", 0, NULL);
    const json_t *cases = json_object_get(oracle, "layer_sequence");
    if (!oracle) {
        print_message("skipped: " SHARED "/reference/deneb_oracle.json is not there\n");
        skip();
    }
    uint32_t checked = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i), *devices = json_object_get(one, "devices");
        const json_t *sequence = json_object_get(one, "sequence");
        uint32_t hosts[64];
        if (!json_is_array(sequence)) /* a cycle of attachments */
            continue;
        walk_sequence(sequence, hosts);
        for (size_t k = 0; k < json_array_size(devices); k++)
            check_device(json_array_get(devices, k),
                         json_integer_value(json_array_get(json_object_get(one, "attach"), k)), hosts);
        checked++;
    }
    assert_int_equal(checked, 5);
    json_decref(oracle);
}

/* ---- broken flags ---- */

static void test_broken_flags(void **state)
{
    (void)state;
    static const struct {
        const char *flags[4];
        uint32_t count, odd, parents[4];
    } cases[] = {
        {{"1", "0"}, 2, 1, {CP_NONE, 0}},                 /* one layer stays open */
        {{"0", "0"}, 2, 0, {CP_NONE, CP_NONE}},           /* the device's layer is closed before its last part */
        {{"11", "00"}, 2, 0, {CP_NONE, 0}},               /* a layer of no part */
        {{"1", "000"}, 2, 1, {CP_NONE, 0}},               /* more are closed than are open */
        {{"10", "1", "00"}, 3, 0, {CP_NONE, CP_NONE, 1}}, /* opened and closed at once */
        {{"0001", "00"}, 2, 0, {CP_NONE, CP_NONE}},       /* closed below the device's */
    };
    cp_context *context = cp_context_new(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t parents[4], odd;
        read_layers(context, cases[i].flags, cases[i].count, parents, &odd);
        assert_int_equal(odd, cases[i].odd);
        assert_memory_equal(parents, cases[i].parents, cases[i].count * sizeof *parents);
    }
    /* No flag at all would put two parts into one layer. */
    static const char *const without[] = {"ATTACH", "ATTACH \"\""};
    for (size_t i = 0; i < 2; i++) {
        struct text text = {0};
        cp_scene *scene;
        print(&text, "DCT DEVICE 1.0\nDEVICE d\nPART a %s\nPART b ATTACH 0\nEND\n", without[i]);
        assert_int_equal(read_here(context, text.data, NULL, &scene), CP_INPUT);
        free_text(&text);
    }
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_trees), cmocka_unit_test(test_sequences),
                                       cmocka_unit_test(test_broken_flags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
