/* The description of rows lacks no field, and the program can walk over it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cellpipe_tool.h"
#include "model/model.h"
#include "model/tables.h"
#include "scene_fixture.h"

enum { LARGEST_ROW = 1024 };

/* Fields that are no members of their own. */
static const struct {
    enum scene_table table;
    size_t begin, end;
} apart[] = {
    {TABLE_NODES, offsetof(cp_node, first_instance), offsetof(cp_node, local)}, /* made by scene_find_spans */
    {TABLE_MESHES, offsetof(cp_mesh, normals), offsetof(cp_mesh, coordinates)}, /* vertex_arrays */
    {TABLE_MESHES, offsetof(cp_mesh, coordinates), offsetof(cp_mesh, face_offsets)},
    {TABLE_MESHES, offsetof(cp_mesh, face_offsets), offsetof(cp_mesh, corners)},
};

static size_t size_of(const struct member *member)
{
    switch (member->kind) {
    case MEMBER_NUMBERS:
        return member->length * sizeof(double);
    case MEMBER_LIMIT:
        return sizeof(double);
    case MEMBER_FLAG:
        return sizeof(bool);
    case MEMBER_COUNT:
    case MEMBER_FLAGS:
    case MEMBER_WORD:
    case MEMBER_ROW:
    case MEMBER_ROW_OR_NONE:
        return sizeof(uint32_t);
    case MEMBER_LONG_COUNT:
    case MEMBER_HASH:
        return sizeof(uint64_t);
    default:
        return sizeof(void *);
    }
}

/* A field of a struct without its line in tables.c would be in no stage, dump or comparison. */
static void test_all_fields_are_described(void **state)
{
    (void)state;
    for (enum scene_table table = 0; table < TABLE_COUNT; table++) {
        const struct layout *layout = &tables[table].layout;
        bool covered[LARGEST_ROW] = {false};
        assert_true(layout->size <= LARGEST_ROW);
        for (const struct member *member = layout->members; member->kind != MEMBER_END; member++) {
            memset(covered + member->at, true, size_of(member));
            if (member->kind == MEMBER_ARRAY)
                memset(covered + member->count, true, sizeof(uint32_t));
        }
        for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
            if (apart[i].table == table)
                memset(covered + apart[i].begin, true, apart[i].end - apart[i].begin);
        for (size_t at = 0, hole = 0; at < layout->size; at++) { /* a smaller one is padding */
            hole = covered[at] ? 0 : hole + 1;
            if (hole >= sizeof(double))
                fail_msg("the field of \"%s\" that ends at byte %zu is not described", tables[table].word, at + 1);
        }
    }
}

static void test_members_are_named(void **state)
{
    (void)state;
    for (enum scene_table table = 0; table < TABLE_COUNT; table++)
        for (const struct member *one = tables[table].layout.members; one->kind != MEMBER_END; one++) {
            assert_non_null(one->name);
            assert_true((one->kind != MEMBER_WORD && one->kind != MEMBER_FLAGS) || one->words);
            for (const struct member *other = one + 1; other->kind != MEMBER_END; other++)
                if (strcmp(one->name, other->name) == 0) /* never in one place */
                    assert_int_equal((one->not_in | other->not_in) & IN_ALL, IN_ALL);
        }
}

static void test_walk(void **state)
{
    static const char *const names[] = {"name", "type", "first", "second", "length"};
    static const cp_member_kind kinds[] = {CP_MEMBER_TEXT, CP_MEMBER_WORD, CP_MEMBER_ROW, CP_MEMBER_ROW,
                                           CP_MEMBER_NUMBERS};
    (void)state;
    uint32_t arm = scene_add_node(scene, 0, "arm", 3), tool = scene_add_node(scene, arm, "tool", 4);
    uint32_t rod = scene_add_loop(scene, "rod", CP_LOOP_DISTANCE, arm, tool);
    scene->loops[rod].length = 0.75;
    finish_scene();

    cp_rows loops = {0};
    assert_true(cp_next_list(scene, &loops));
    assert_string_equal(loops.list, "loops");
    assert_int_equal(loops.count, 1);
    assert_string_equal(cp_row_name(&loops, rod), "rod");
    cp_member member = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(cp_next_member(scene, &loops, rod, CP_IN_INFO, &member));
        assert_string_equal(member.name, names[i]);
        assert_int_equal(member.kind, kinds[i]);
        if (i == 3) {
            assert_int_equal(member.row, tool);
            assert_string_equal(member.table, "node");
            assert_string_equal(member.text, "tool");
        }
    }
    assert_true(*member.numbers == 0.75);
    assert_string_equal(member.unit, "m");
    assert_false(cp_next_member(scene, &loops, rod, CP_IN_INFO, &member));

    scene->loops[rod].type = CP_LOOP_SPHERICAL; /* which has no length */
    member = (cp_member){0};
    for (size_t i = 0; i + 1 < sizeof names / sizeof *names; i++)
        assert_true(cp_next_member(scene, &loops, rod, CP_IN_INFO, &member));
    assert_false(cp_next_member(scene, &loops, rod, CP_IN_INFO, &member));

    assert_true(cp_next_list(scene, &loops)); /* of devices */
    assert_true(cp_next_list(scene, &loops)); /* of pairs */
    assert_false(cp_next_list(scene, &loops));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_fields_are_described),
                                       cmocka_unit_test(test_members_are_named), cmocka_unit_test(test_walk)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
