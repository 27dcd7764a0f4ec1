/* Recordings: cells that move and grab, told as text by a simulation of the test's own (deneb_cell.h), against what the
 * clip shows. */
#include <unistd.h>

#include "deneb_cell.h"
#include "fixture.h"

static const double exact = 1e-9, joined = 1e-6; /* metres */

/* ---- files ---- */

static FILE *create(const char *name)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    return file;
}

static cp_scene *read_file(cp_context *context, const char *name, const char *option)
{
    cp_scene *scene;
    if (cp_read(context, path_of(name), NULL, &option, option ? 1 : 0, &scene) != CP_OK) {
        show_report(context);

        fail_msg("%s is not read", name);
    }
    return scene;
}

/* ---- the simulation ---- */

struct step {
    double raw_time, time; /* as told; where the clip has it */
    bool jumps;
    struct cell cell;
    bool changes[CELL_MOST_DEVICES]; /* hangs elsewhere from now on */
    bool regrips[CELL_MOST_DEVICES]; /* or moves on its host */
};

struct show {
    bool in_parents, smooth;
    struct cell first;
    uint32_t count;
    struct step steps[CELL_MOST_STEPS];
};

static struct show show;

static void begin_show(uint32_t devices)
{
    bool nothing[CELL_MOST_DEVICES] = {false};
    struct cell *cell = &show.first;
    cell->count = devices;
    for (uint32_t i = 0; i < devices; i++) {
        cell->devices[i] = (struct cell_device){.world = row_random(), .host = -1};
        cell->devices[i].grip = cell->devices[i].world;
        for (int k = 0; k < CELL_JOINTS; k++)
            cell->devices[i].q[k] = chance_between(-30, 30);
        if (i > 0 && chance(3) == 0) {
            cell->devices[i].host = (int)chance(i * CELL_PARTS);
            cell->devices[i].grip = row_random();
        }
    }
    cell_carry(cell, nothing);
}

static void choose_hosts(const struct show *of, struct step *step, int hosts[CELL_MOST_DEVICES])
{
    struct cell tried = step->cell;
    for (uint32_t i = 0; i < tried.count; i++) {
        hosts[i] = tried.devices[i].host;
        bool wants = chance(of->smooth ? 40 : 4) == 0;
        int host = chance(3) == 0 ? -1 : (int)chance(tried.count * CELL_PARTS);
        if (!wants || host == hosts[i] || (host >= 0 && (uint32_t)host / CELL_PARTS == i))
            continue;
        hosts[i] = host;
    }
    for (uint32_t i = 0; i < tried.count; i++)
        tried.devices[i].host = hosts[i];
    for (uint32_t i = 0; i < tried.count && !cell_is_tree(&tried); i++)
        tried.devices[i].host = hosts[i] = step->cell.devices[i].host;
    for (uint32_t i = 0; i < tried.count; i++)
        step->changes[i] = hosts[i] != step->cell.devices[i].host;
}

/* Degrees of a joint that goes forth and back between rests: a third each of rest, and of speeding up and slowing
 * down. */
static double wait_and_turn(double time)
{
    double t = fmod(time + 10, 2), way = t < 1 ? t : 2 - t;
    way = fmin(1, fmax(0, 1.5 * way - 0.25));
    way = way < 0.25 ? way * way * 2 : way > 0.75 ? 1 - (1 - way) * (1 - way) * 2 : way - 0.125;
    return 40 * way;
}

/* What moves by itself in the step, and what is thereby told. */
static void move_devices(const struct show *of, struct step *step, bool told[CELL_MOST_DEVICES],
                         bool turned[CELL_MOST_DEVICES])
{
    for (uint32_t i = 0; i < step->cell.count; i++) {
        struct cell_device *it = &step->cell.devices[i];
        turned[i] = of->smooth || chance(2) == 0;
        for (int k = 0; k < CELL_JOINTS && turned[i]; k++)
            it->q[k] =
                of->smooth ? wait_and_turn(step->raw_time + 0.3 * i + 0.7 * k) : it->q[k] + chance_between(-80, 80);
        told[i] = it->host < 0 && chance(2) == 0 && !of->smooth;
        step->regrips[i] = it->host >= 0 && chance(8) == 0 && !of->smooth;
        told[i] = told[i] || step->regrips[i];
        if (told[i])
            it->world = row_random();
    }
}

static void write_device(FILE *file, const struct show *of, const struct step *step, uint32_t index,
                         const bool kinds[2])
{
    const struct cell_device *it = &step->cell.devices[index];
    bool twice = chance(6) == 0;
    plain_print(file, " DEV %u", (unsigned)index);
    if (kinds[1])
        plain_print(file, " JOINTS 2 %.17g %.17g", it->q[0] + twice, it->q[1] + twice); /* what comes last holds */
    if (twice)
        plain_print(file, "\n DEV %u", (unsigned)index);
    if (kinds[1] && twice)
        plain_print(file, " JOINTS 2 %.17g %.17g", it->q[0], it->q[1]);
    if (step->changes[index])
        plain_print(file, " ATTACH %d", it->host);
    if (kinds[0])
        write_matrix(file, of->in_parents ? it->grip : it->world);
    plain_print(file, "\n");
}

/* One step: joints turn, devices are carried or move, then some hang elsewhere, where they are. */
static void take_step(FILE *file, struct show *of, double raw_time)
{
    const struct step *before = of->count > 0 ? &of->steps[of->count - 1] : NULL;
    struct step *step = &of->steps[of->count];
    bool told[CELL_MOST_DEVICES], turned[CELL_MOST_DEVICES];
    int hosts[CELL_MOST_DEVICES];
    *step = (struct step){.raw_time = raw_time, .time = raw_time, .cell = before ? before->cell : of->first};
    step->jumps = before && before->raw_time == raw_time;
    double last = before ? before->time : 0;
    for (uint32_t i = 0; before && i < before->cell.count; i++)
        if (before->changes[i] && !before->jumps && of->count > 1)
            last = nextafter(before->time, INFINITY);
    if (before)
        step->time = fmax(raw_time, nextafter(last, INFINITY));
    choose_hosts(of, step, hosts);
    move_devices(of, step, told, turned);
    cell_carry(&step->cell, told);
    for (uint32_t i = 0; i < step->cell.count; i++)
        step->cell.devices[i].host = hosts[i];
    for (uint32_t i = 0; i < step->cell.count; i++)
        if (told[i] || step->changes[i]) /* the others' grips would gather errors */
            cell_hang(&step->cell, i, hosts[i]);
    plain_print(file, "STEP %.17g\n", raw_time);
    for (uint32_t i = 0; i < step->cell.count; i++) {
        bool matrix = told[i] || chance(of->smooth ? 1 : 3) == 0 || (of->in_parents && step->changes[i]);
        bool kinds[] = {matrix, turned[i]};
        if (matrix || turned[i] || step->changes[i])
            write_device(file, of, step, i, kinds);
    }
    of->count++;
}

static void write_show(uint32_t devices, uint32_t steps, bool in_parents, bool smooth)
{
    double time = chance(4) == 0 ? -1 : 0;
    show.in_parents = in_parents;
    show.smooth = smooth;
    show.count = 0;
    begin_show(devices);
    FILE *file = create("cell.dcw");
    write_workcell(file, &show.first);
    assert_int_equal(fclose(file), 0);
    file = create("cell.dcr");
    plain_print(file, "DCT RECORDING 1.0\nWORKCELL \"cell\" DEVICES %u FRAME %s\n", (unsigned)devices,
                in_parents ? "parent" : "world");
    for (uint32_t i = 0; i < steps; i++) {
        take_step(file, &show, time);
        time += smooth ? 0.012 : chance(5) == 0 ? 0 : 0.04;
    }
    plain_print(file, "END\n");
    assert_int_equal(fclose(file), 0);
}

/* ---- what the clip shows ---- */

static void find_nodes(const cp_scene *scene, uint32_t count, uint32_t nodes[CELL_MOST_DEVICES][CELL_PARTS + 1])
{
    char name[16];
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "d%u", (unsigned)i);
        nodes[i][CELL_PARTS] = find_node(scene, name);
        for (uint32_t k = 0; k < CELL_PARTS; k++) {
            (void)snprintf(name, sizeof name, "d%up%u", (unsigned)i, (unsigned)k);
            nodes[i][k] = find_node(scene, name);
        }
    }
}

static void expect_step(const struct step *step, const cp_pose *worlds, uint32_t nodes[][CELL_PARTS + 1], double within,
                        const char *when)
{
    for (uint32_t i = 0; i < step->cell.count; i++)
        for (uint32_t k = 0; k <= CELL_PARTS; k++) {
            struct row_matrix wanted = k == CELL_PARTS ? step->cell.devices[i].world : cell_part(&step->cell, i, k);
            double off = row_distance(wanted, &worlds[nodes[i][k]]);
            if (!(off <= within))
                fail_msg("%s step %u (%.17g s): device %u part %u is %.3g m off", when, (unsigned)(step - show.steps),
                         step->time, (unsigned)i, (unsigned)k, off);
        }
}

/* Between two steps a device that is held as it was keeps its place on its host. */
static void expect_grips(const struct step *a, const struct step *b, const cp_pose *worlds,
                         uint32_t nodes[][CELL_PARTS + 1])
{
    for (uint32_t i = 0; i < a->cell.count; i++) {
        const struct cell_device *it = &a->cell.devices[i];
        if (it->host < 0 || b->regrips[i])
            continue;
        cp_pose host = worlds[nodes[it->host / CELL_PARTS][it->host % CELL_PARTS]], back = plain_inverse(&host);
        cp_pose grip = plain_product(&back, &worlds[nodes[i][CELL_PARTS]]);
        double off = row_distance(it->grip, &grip);
        if (!(off <= exact))
            fail_msg("after step %u device %u is %.3g m off its place on its host", (unsigned)(a - show.steps),
                     (unsigned)i, off);
    }
}

static void expect_show(cp_context *context, const cp_scene *scene, double within)
{
    uint32_t nodes[CELL_MOST_DEVICES][CELL_PARTS + 1];
    cp_pose worlds[CELL_MOST_DEVICES * (CELL_PARTS + 1) + 1];
    find_nodes(scene, show.first.count, nodes);
    for (uint32_t i = 0; i < show.count; i++) {
        const struct step *step = &show.steps[i], *next = i + 1 < show.count ? step + 1 : NULL;
        assert_int_equal(cp_clip_poses(context, scene, 0, step->time, worlds), CP_OK);
        expect_step(step, worlds, nodes, within, "at");
        if (!next || next->jumps)
            continue;
        double after = nextafter(nextafter(step->time, INFINITY), INFINITY);
        assert_int_equal(cp_clip_poses(context, scene, 0, after, worlds), CP_OK);
        expect_step(step, worlds, nodes, within + joined, "just after");
        assert_int_equal(cp_clip_poses(context, scene, 0, step->time + (next->time - step->time) * 0.3, worlds), CP_OK);
        if (within == exact)
            expect_grips(step, next, worlds, nodes);
    }
}

static void test_random_shows(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        cp_context *context = cp_context_new(NULL);
        write_show(1 + chance(CELL_MOST_DEVICES), 1 + chance(12), round % 2 == 0, false);
        cp_scene *scene = round % 3 == 0 ? read_file(context, "cell.dcr", NULL)
                                         : read_file(context, "cell.dcw", "recording=cell.dcr");
        size_t entries;
        (void)cp_report(context, &entries);
        if (entries > 0)
            show_report(context);
        assert_int_equal(entries, 0);
        expect_show(context, scene, exact);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static uint64_t count_keys(const cp_scene *scene)
{
    uint32_t count;
    uint64_t keys = 0;
    const cp_clip *clip = cp_clips(scene, &count);
    for (uint32_t i = 0; i < clip->track_count; i++)
        keys += clip->tracks[i].key_count;
    return keys;
}

/* Within the tolerance at all steps, with far fewer keys, which a note counts. */
static void test_thinned(void **state)
{
    (void)state;
    for (int round = 0; round < 12; round++) {
        cp_context *context = cp_context_new(NULL);
        unsigned long long kept = 0, of = 0;
        write_show(2 + chance(3), CELL_MOST_STEPS, round % 2 == 0, true);
        cp_scene *all = read_file(context, "cell.dcr", NULL);
        expect_show(context, all, exact);
        assert_false(was_reported(context, "deneb-thinned"));
        cp_scene *scene = read_file(context, "cell.dcr", "tolerance=0.1mm");
        expect_show(context, scene, 1e-4);
        assert_true(count_keys(scene) * 3 < count_keys(all));
        const cp_entry *entry = find_entry(context, "deneb-thinned");
        assert_non_null(entry);
        assert_int_equal(sscanf(entry->text, "%llu of %llu keys are kept, within 0.1 mm", &kept, &of), 2);
        assert_int_equal(kept, count_keys(scene));
        assert_true(of >= count_keys(all));
        cp_scene_free(all);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* ---- stages ---- */

static cp_scene *through_glb(cp_context *context, const cp_scene *scene, const char *profile)
{
    void *bytes;
    size_t size;
    cp_scene *again;
    assert_int_equal(cp_write_memory(context, scene, "glb", &profile, 1, &bytes, &size), CP_OK);
    assert_int_equal(cp_read_memory(context, bytes, size, "stage.glb", NULL, NULL, 0, &again), CP_OK);
    cp_free(context, bytes, size);
    return again;
}

/* From the clip on. */
static const char *clip_of(const char *text)
{
    const char *clip = strstr(text, "\nclip ");
    assert_non_null(clip);
    return clip;
}

static void test_stages(void **state)
{
    (void)state;
    const int rounds = (int)usual_or_long(8, 24);
    for (int round = 0; round < rounds; round++) {
        cp_context *context = cp_context_new(NULL);
        write_show(2 + chance(4), 8, round % 2 == 0, round % 4 > 1);
        cp_scene *scene = read_file(context, "cell.dcr", NULL);
        cp_scene *stage = through_glb(context, scene, "profile=stage");
        cp_scene *deliver = through_glb(context, scene, "profile=deliver");
        char *first = written_text(context, scene, "dump", NULL, NULL),
             *second = written_text(context, stage, "dump", NULL, NULL),
             *third = written_text(context, deliver, "dump", NULL, NULL);
        assert_string_equal(first, second);
        assert_string_equal(clip_of(first), clip_of(third));
        free(first);
        free(second);
        free(third);
        expect_show(context, stage, exact);
        cp_scene_free(scene);
        cp_scene_free(stage);
        cp_scene_free(deliver);
        cp_context_free(context);
    }
}

/* ---- other tools ---- */

/* The file without our extras, as any player of glTF sees it: baked channels in single precision, in time from the
 * first step on. */
static cp_scene *as_others_read(cp_context *context, const cp_scene *scene)
{
    static const char *const options[] = {"profile=deliver", "embed=yes", "clips=none", "tolerance=0.02mm"};
    void *bytes;
    size_t size;
    cp_scene *again;
    assert_int_equal(cp_write_memory(context, scene, "gltf", options, 4, &bytes, &size), CP_OK);
    for (char *at = bytes; at + 10 < (char *)bytes + size; at++)
        if (memcmp(at, "\"cellpipe\"", 10) == 0)
            memcpy(at, "\"nobodys_\"", 10);
    assert_int_equal(cp_read_memory(context, bytes, size, "others.gltf", NULL, NULL, 0, &again), CP_OK);
    cp_free(context, bytes, size);
    return again;
}

static void test_others(void **state)
{
    (void)state;
    for (int round = 0; round < 12; round++) {
        cp_context *context = cp_context_new(NULL);
        uint32_t nodes[CELL_MOST_DEVICES][CELL_PARTS + 1], count, clips;
        cp_pose worlds[256];
        write_show(2 + chance(4), 10, round % 2 == 0, round % 4 > 1);
        cp_scene *scene = read_file(context, "cell.dcr", NULL), *others = as_others_read(context, scene);
        find_nodes(others, show.first.count, nodes);
        for (uint32_t i = 0; i < show.first.count; i++)
            for (uint32_t k = 1; k < CELL_PARTS; k++) { /* behind a part's joint is the joint's own node */
                char name[16];
                (void)snprintf(name, sizeof name, "d%uj%u", (unsigned)i, (unsigned)k - 1);
                nodes[i][k] = find_node(others, name);
            }
        (void)cp_nodes(others, &count);
        (void)cp_clips(others, &clips);
        assert_true(count <= 256 && clips <= 1);
        double shift = show.steps[0].raw_time < 0 ? -show.steps[0].raw_time : 0;
        for (uint32_t i = 0; clips == 1 && i < show.count; i++) {
            bool at_jump = show.steps[i].jumps || (i + 1 < show.count && show.steps[i + 1].jumps);
            if (at_jump) /* floats of time cannot tell its two sides apart as we do */
                continue;
            assert_int_equal(cp_clip_poses(context, others, 0, (double)(float)(show.steps[i].time + shift), worlds),
                             CP_OK);
            expect_step(&show.steps[i], worlds, nodes, 2e-4, "in others' hands, at");
        }
        cp_scene_free(scene);
        cp_scene_free(others);
        cp_context_free(context);
    }
}

/* ---- by hand ---- */

#define IDENTITY_AT(x) "1 0 0 0 0 1 0 0 0 0 1 0 " x " 0 0 1"
#define THREE_DEVICES                                                                                                  \
    "DCT WORKCELL 1.0\nHEAD\nNAME \"cell\" UNIT mm ANGLE deg\nEND\nDEVICES\n"                                          \
    "DEVICE \"device_1\"\nPART \"p0\" ATTACH 0\nEND\nDEVICE \"device_2\"\nPART \"p1\" ATTACH 0\nEND\n"                 \
    "DEVICE \"device_3\"\nPART \"p2\" ATTACH 0\nEND\nATTACHMENTS 3\n -1 0 -1\nEND\n"

static double x_of(cp_context *context, const cp_scene *scene, const char *name, double time)
{
    cp_pose worlds[16];
    assert_int_equal(cp_clip_poses(context, scene, 0, time, worlds), CP_OK);
    return worlds[find_node(scene, name)].m[3] * 1000;
}

static void expect_x(cp_context *context, const cp_scene *scene, const char *name, double time, double x)
{
    double found = x_of(context, scene, name, time);
    if (!(fabs(found - x) < 1e-6))
        fail_msg("%s at %.17g s is at %.9g, not %.9g mm", name, time, found, x);
}

/* The example of NISTIR 6076: device_2 hangs on device_1 until time_grab, on device_3 from then on. */
static void test_report_example(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    write_file("cell.dcw", THREE_DEVICES);
    write_file(
        "cell.dcr",
        "DCT RECORDING 1.0\nWORKCELL \"cell\" DEVICES 3 FRAME world\n"
        "STEP 0\nDEV 0 MATRIX " IDENTITY_AT("0") "\nDEV 1 MATRIX " IDENTITY_AT("50") "\nDEV 2 MATRIX " IDENTITY_AT(
            "300") "\n"
                   "STEP 2\nDEV 0 MATRIX " IDENTITY_AT("200") "\nDEV 1 ATTACH 2\n"
                                                              "STEP 4\nDEV 0 MATRIX " IDENTITY_AT(
                                                                  "0") "\nDEV 2 MATRIX " IDENTITY_AT("900") "\nEND\n");
    cp_scene *scene = read_file(context, "cell.dcr", NULL);
    uint32_t count;
    const cp_clip *clip = cp_clips(scene, &count);
    assert_int_equal(count, 1);
    assert_string_equal(clip->name, "cell");
    assert_int_equal(clip->attachment_count, 1);
    assert_int_equal(clip->attachments[0].node, find_node(scene, "device_2"));
    assert_int_equal(clip->attachments[0].host, find_node(scene, "p2"));
    expect_x(context, scene, "p1", 0, 50);
    expect_x(context, scene, "p1", 1, 150); /* with device_1 */
    expect_x(context, scene, "p1", 2, 250);
    expect_x(context, scene, "p1", 3, 550); /* with device_3 */
    expect_x(context, scene, "p1", 4, 850);
    expect_x(context, scene, "p0", 3, 100);
    expect_x(context, scene, "p2", 1, 300); /* not told at 2 s: stood still until then */
    expect_x(context, scene, "p2", 2, 300);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* Two steps of one time are a jump: both poses are there, nothing is between. */
static void test_jump(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    write_file("cell.dcw", THREE_DEVICES);
    write_file("cell.dcr", "DCT RECORDING 1.0\nWORKCELL cell\nSTEP 0\nDEV 1 ATTACH -1 MATRIX " IDENTITY_AT(
                               "0") "\n"
                                    "STEP 1\nDEV 1 MATRIX " IDENTITY_AT(
                                        "100") "\n"
                                               "STEP 1\nDEV 1 MATRIX " IDENTITY_AT(
                                                   "700") " ATTACH 2\n"
                                                          "STEP 2\nDEV 2 MATRIX " IDENTITY_AT("10") "\nEND\n");
    cp_scene *scene = read_file(context, "cell.dcr", NULL);
    expect_x(context, scene, "p1", 0.5, 50);
    expect_x(context, scene, "p1", 1, 100);
    expect_x(context, scene, "p1", nextafter(1, 2), 700);
    expect_x(context, scene, "p1", 1.5, 705);
    expect_x(context, scene, "p1", 2, 710);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* A on B, then B on A, in one step; and the frame of the parents. */
static void test_swap(void **state)
{
    (void)state;
    static const char *const frames[] = {"world", "parent"}, *upright = "1 0 0 0 0 1 0 0 0 0 1 0 ";
    for (int i = 0; i < 2; i++) {
        cp_context *context = cp_context_new(NULL);
        char text[1024];
        write_file("cell.dcw", THREE_DEVICES);
        /* device_1 at 0, device_2 on it at 50; then device_1 hangs on device_2, which stands at 80 in the world */
        (void)snprintf(text, sizeof text,
                       "DCT RECORDING 1.0\nWORKCELL cell FRAME %s\n"
                       "STEP 0\nDEV 0 MATRIX %s0 0 0 1\nDEV 1 MATRIX %s50 0 0 1\n"
                       "STEP 1\nDEV 0 ATTACH 1 MATRIX %s%s 0 0 1\nDEV 1 ATTACH -1 MATRIX %s80 0 0 1\n"
                       "STEP 2\nDEV 1 MATRIX %s180 0 0 1\nEND\n",
                       frames[i], upright, upright, upright, i == 0 ? "20" : "-60", upright, upright);
        write_file("cell.dcr", text);
        cp_scene *scene = read_file(context, "cell.dcr", NULL);
        assert_false(was_reported(context, "deneb-attachment"));
        expect_x(context, scene, "p0", 0, 0);
        expect_x(context, scene, "p1", 0, 50);
        expect_x(context, scene, "p0", 1, 20);
        expect_x(context, scene, "p1", 1, 80);
        expect_x(context, scene, "p0", 1.5, 70);
        expect_x(context, scene, "p1", 1.5, 130);
        expect_x(context, scene, "p0", 2, 120);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* A device that is let go without a matrix stays where its host has carried it. */
static void test_let_go(void **state)
{
    (void)state;
    static const char *const frames[] = {"world", "parent"};
    for (int i = 0; i < 2; i++) {
        cp_context *context = cp_context_new(NULL);
        char text[512];
        write_file("cell.dcw", THREE_DEVICES);
        (void)snprintf(
            text, sizeof text,
            "DCT RECORDING 1.0\nWORKCELL cell FRAME %s\nSTEP 0\nDEV 0 MATRIX " IDENTITY_AT(
                "0") "\nSTEP 1\nDEV 0 MATRIX " IDENTITY_AT("100") "\nDEV 1 ATTACH -1\n"
                                                                  "STEP 2\nDEV 0 MATRIX " IDENTITY_AT("0") "\nEND\n",
            frames[i]);
        write_file("cell.dcr", text);
        cp_scene *scene = read_file(context, "cell.dcr", NULL);
        expect_x(context, scene, "p1", 0.5, 50);
        expect_x(context, scene, "p1", 1, 100);
        expect_x(context, scene, "p1", 1.5, 100);
        expect_x(context, scene, "p1", 2, 100);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* A recording of another file, by its own units; and options that name the files. */
static void test_options(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    write_file("cell.dcw", THREE_DEVICES);
    write_file("other.dcr", "DCT RECORDING 1.0\nWORKCELL \"not a file\"\nUNIT m\nSTEP 0\nDEV 0 MATRIX " IDENTITY_AT(
                                "0") "\nSTEP 1\nDEV 0 MATRIX " IDENTITY_AT("0.5") "\nEND\n");
    cp_scene *scene = read_file(context, "other.dcr", "workcell=cell.dcw");
    uint32_t count;
    assert_string_equal(cp_clips(scene, &count)->name, "other");
    assert_true(was_reported(context, "deneb-workcell")); /* it is of another, it says */
    expect_x(context, scene, "p0", 1, 500);
    expect_x(context, scene, "p1", 1, 500);
    cp_scene_free(scene);
    scene = read_file(context, "cell.dcw", "recording=other.dcr");
    expect_x(context, scene, "p0", 0.5, 250);
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, path_of("other.dcr"), NULL, NULL, 0, &scene), CP_INPUT);
    cp_context_free(context);
}

/* A recording without a step is a clip without a track, with a warning. */
static void test_no_steps(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    uint32_t count;
    write_file("cell.dcw", THREE_DEVICES);
    write_file("cell.dcr", "DCT RECORDING 1.0\nWORKCELL \"cell\"\nEND\n");
    cp_scene *scene = read_file(context, "cell.dcr", NULL);
    assert_true(was_reported(context, "deneb-no-steps"));
    assert_int_equal(cp_clips(scene, &count)->track_count, 0);
    assert_int_equal(count, 1);
    cp_scene *stage = through_glb(context, scene, "profile=stage");
    char *first = written_text(context, scene, "dump", NULL, NULL),
         *second = written_text(context, stage, "dump", NULL, NULL);
    assert_string_equal(first, second);
    free(first);
    free(second);
    cp_scene_free(stage);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* The first and the last time of all tracks and attachments. */
static void expect_range(const cp_clip *clip, double first, double last)
{
    double lowest = INFINITY, highest = -INFINITY;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        lowest = fmin(lowest, clip->tracks[i].times[0]);
        highest = fmax(highest, clip->tracks[i].times[clip->tracks[i].key_count - 1]);
    }
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        lowest = fmin(lowest, clip->attachments[i].time);
        highest = fmax(highest, clip->attachments[i].time);
    }
    assert_true(lowest == first && highest == last);
}

/* Steps that tell nothing are part of the time all the same. */
static void test_silent_steps(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    write_file("cell.dcw", THREE_DEVICES);
    write_file("cell.dcr", "DCT RECORDING 1.0\nWORKCELL \"cell\"\nSTEP 1\nSTEP 2\nSTEP 3\nDEV 0 MATRIX " IDENTITY_AT(
                               "500") "\nSTEP 4\nDEV 0 MATRIX " IDENTITY_AT("600") "\nSTEP 7\nEND\n");
    cp_scene *scene = read_file(context, "cell.dcr", NULL);
    assert_int_equal(count_clips(scene), 1);
    expect_range(&cp_clips(scene, NULL)[0], 1, 7);
    expect_x(context, scene, "p0", 1.5, 0);
    expect_x(context, scene, "p0", 2, 0);
    expect_x(context, scene, "p0", 2.5, 250);
    expect_x(context, scene, "p0", 6, 600);
    cp_scene_free(scene);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_example), cmocka_unit_test(test_jump),         cmocka_unit_test(test_swap),
        cmocka_unit_test(test_let_go),         cmocka_unit_test(test_options),      cmocka_unit_test(test_no_steps),
        cmocka_unit_test(test_random_shows),   cmocka_unit_test(test_thinned),      cmocka_unit_test(test_stages),
        cmocka_unit_test(test_others),         cmocka_unit_test(test_silent_steps),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
