/* Robot programs: the steps of moves, and what a program does. */
#include <math.h>
#include <unistd.h>

#include "plain_numbers.h"
#include "scene_fixture.h"

#define MM 1e-3

/* ---- programs on a machine that is its own coordinates ---- */

static uint32_t add_movable(const char *name, double x, double y, double z)
{
    cp_node node = cp_new_node();
    node.parent = 0;
    node.name = name;
    node.local = plain_translation(x, y, z);
    node.flags = CP_NODE_MOVABLE;
    const uint32_t index = cp_add_node(scene, &node);
    assert_int_not_equal(index, CP_NONE);
    return index;
}

/* A joint on a node of its own, about or along an axis, 0 to 2. */
static cp_joint joint_below(uint32_t *parent, const char *node, const cp_pose *local, cp_joint_type type,
                            const char *name, uint32_t axis)
{
    cp_joint joint = cp_new_joint();
    joint.node = *parent = add_node_at(scene, *parent, node, local);
    joint.type = type;
    joint.name = name;
    for (uint32_t k = 0; k < 3; k++)
        joint.axis[k] = k == axis;
    return joint;
}

/* Slides along X, Y and Z, then turns about Z, Y and X: the tool is at T(x y z) Rz(r) Ry(p) Rx(y). */
static uint32_t build_machine(void)
{
    const uint32_t own[] = {0, 1, 2, 3, 4, 5};
    uint32_t parent = add_node_at(scene, 0, "base", NULL);
    for (uint32_t i = 0; i < 6; i++) {
        cp_joint joint = joint_below(&parent, "axis", NULL, i < 3 ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE,
                                     &"XYZRPW"[i], i < 3 ? i : 5 - i);
        if (i == 2) {
            joint.lower = -1;
            joint.upper = 2;
        }
        assert_int_equal(cp_add_joint(scene, &joint), own[i]);
    }
    const uint32_t tool = add_node_at(scene, parent, "tool", NULL);
    (void)add_movable("part", 0.1, 0.2, 0);
    (void)add_movable("far part", 0.5, 0.2, 0.1);
    (void)add_device_of(scene, "machine", 1, tool, 6, own);
    finish_scene();
    return tool;
}

struct run {
    double (*rows)[7]; /* time, mm and radians: the beginning, then each period */
    uint32_t count, room, marks;
    const cp_mark *mark;
    cp_program *program;
    cp_status status;
};

/* stop, emergency: before this step, counted from 1; 0: never. */
static struct run run_program(const char *text, double period, uint32_t stop, uint32_t emergency)
{
    struct run run = {.status = CP_OK};
    cp_program_options options = {.size = sizeof options, .frame = 0, .period = period, .reach = 0.01};
    cp_program_snapshot state = {.size = sizeof state};
    fresh_scene();
    options.frame = build_machine();
    run.status = cp_program_new(context, scene, "test.prg", text, strlen(text), &options, &run.program);
    for (uint32_t step = 0; run.status == CP_OK; step++) {
        cp_program_state(run.program, &state);
        if (run.count == run.room) {
            run.room = run.room * 2 + 64;
            run.rows = realloc(run.rows, run.room * sizeof *run.rows);
            assert_non_null(run.rows);
        }
        double *row = run.rows[run.count];
        row[0] = state.time;
        for (uint32_t i = 0; i < 6; i++)
            row[1 + i] = i < 3 ? state.q[i] / MM : state.q[i];
        if (run.count == 0 || row[0] > run.rows[run.count - 1][0])
            run.count++;
        if (state.ended)
            break;
        if (stop > 0 && step + 1 == stop)
            cp_program_stop(run.program, false);
        if (emergency > 0 && step + 1 == emergency)
            cp_program_stop(run.program, true);
        run.status = cp_program_step(run.program);
    }
    if (run.program)
        run.mark = cp_program_marks(run.program, &run.marks);
    return run;
}

static void end_run(struct run *run)
{
    cp_program_free(run->program);
    free(run->rows);
}

static const double *last_row(const struct run *run)
{
    return run->rows[run->count - 1];
}

/* The text is all right, and this is where it ends. */
static void expect_end(const char *text, double x, double y, double z)
{
    struct run run = run_program(text, 0.01, 0, 0);
    if (run.status != CP_OK) {
        show_report(context);
        fail_msg("%s", text);
    }
    const double *row = last_row(&run);
    if (fabs(row[1] - x) + fabs(row[2] - y) + fabs(row[3] - z) > 1e-6)
        fail_msg("%s: it ends at %.9g %.9g %.9g", text, row[1], row[2], row[3]);
    end_run(&run);
}

/* The text is wrong, or a line goes wrong: there, with this code, and words in the message. */
static void expect_error(const char *text, cp_status status, uint64_t line, uint64_t column, const char *code,
                         const char *words)
{
    cp_report_clear(context);
    struct run run = run_program(text, 0.01, 0, 0);
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    if (run.status != status || count == 0 || entries[0].line != line || entries[0].column != column ||
        strcmp(entries[0].code, code) != 0 || !strstr(entries[0].text, words)) {
        show_report(context);
        fail_msg("%s: status %d, not that message", text, (int)run.status);
    }
    cp_report_clear(context);
    end_run(&run);
}

/* A step of a move that speeds up by as much a step as it slows down by, in `ramp` steps each. */
static double step_length(uint32_t step, uint32_t ramp, uint32_t even, double more)
{
    return step < ramp ? more * (step + 0.5) : step < ramp + even ? more * ramp : more * (2 * ramp + even - step - 0.5);
}

/* Five steps for either ramp, of 12.5 mm together, and 35 of 5 mm leave 3.3 mm: a step among those that slow down,
 * behind the one of 3.5 mm. */
static void test_line_steps(void **unused)
{
    (void)unused;
    enum { REST_AT = 42 };
    double way = 0;
    struct run run = run_program("SPEED 50,100\nLMOV 203.3,0,0\nOUT 1,1\n", 0.1, 0, 0);
    assert_int_equal(run.status, CP_OK);
    assert_int_equal(run.count, 47);
    for (uint32_t step = 0; step < 46; step++) {
        way += step == REST_AT ? 3.3 : step_length(step - (step > REST_AT), 5, 35, 1);
        assert_true(fabs(run.rows[step + 1][1] - way) < 1e-9 && fabs(run.rows[step + 1][2]) < 1e-9);
    }
    assert_true(fabs(way - 203.3) < 1e-9 && fabs(last_row(&run)[0] - 4.6) < 1e-9);
    assert_int_equal(run.marks, 4);
    assert_string_equal(run.mark[3].name, "output 1");
    assert_true(fabs(run.mark[3].time - 4.6) < 1e-9);
    end_run(&run);
    run = run_program("SPEED 50,100,50\nLMOV 0,16,0\n", 0.1, 0, 0);
    assert_int_equal(run.count, 11);
    assert_true(fabs(last_row(&run)[2] - 16) < 1e-9);
    end_run(&run);
}

/* A stop lets the move end; then the program can go on, and does what it would have done without. */
static void test_goes_on_after_a_stop(void **unused)
{
    (void)unused;
    static const char text[] = "IMOV 10, 0, 0\nIMOV 0, 20, 0\nOUT 1, 1\nIMOV 0, 0, 30\nEND\n";
    struct run whole = run_program(text, 0.01, 0, 0);
    const uint32_t whole_count = whole.count;
    double end[7];
    assert_int_equal(whole.status, CP_OK);
    memcpy(end, last_row(&whole), sizeof end);
    assert_int_equal(cp_program_resume(whole.program), CP_NO); /* it has come to its end */
    end_run(&whole);

    struct run run = run_program(text, 0.01, 5, 0);
    cp_program_snapshot state = {.size = sizeof state};
    uint32_t steps = run.count - 1;
    for (int stops = 0; stops < 3; stops++) {
        cp_program_state(run.program, &state);
        assert_true(state.ended && state.stopped);
        assert_int_equal(cp_program_resume(run.program), CP_OK);
        assert_int_equal(cp_program_resume(run.program), CP_NO); /* it runs */
        cp_program_state(run.program, &state);
        assert_false(state.ended || state.stopped);
        for (bool first = true; !state.ended; first = false) {
            const double before = state.time;
            assert_int_equal(cp_program_step(run.program), CP_OK);
            if (first && stops < 2)
                cp_program_stop(run.program, false);
            cp_program_state(run.program, &state);
            steps += state.time > before;
        }
        if (stops == 2)
            assert_false(state.stopped);
    }
    assert_int_equal(steps, whole_count - 1);
    assert_true(fabs(state.time - end[0]) < 1e-12);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(fabs((i < 3 ? state.q[i] / MM : state.q[i]) - end[1 + i]) < 1e-9);
    assert_int_equal(cp_program_resume(run.program), CP_NO);
    end_run(&run);

    run = run_program(text, 0.01, 0, 5);
    assert_int_equal(cp_program_resume(run.program), CP_NO); /* not after an emergency */
    end_run(&run);
}

/* An emergency in step 10 ends there; a stop lets the move end. */
static void test_stops(void **unused)
{
    (void)unused;
    static const char text[] = "SPEED 50,100\nLMOV 203.3,0,0\nLMOV 0,0,0\n";
    struct run run = run_program(text, 0.1, 0, 10);
    assert_int_equal(run.count, 11);
    assert_true(fabs(last_row(&run)[1] - 37.5) < 1e-9);
    end_run(&run);
    run = run_program(text, 0.1, 0, 1); /* the first step of a move is made, too */
    assert_true(run.count == 2 && fabs(last_row(&run)[1] - 0.5) < 1e-9);
    end_run(&run);
    run = run_program(text, 0.1, 0, 47);
    assert_true(run.count == 48 && fabs(last_row(&run)[1] - 202.8) < 1e-9);
    end_run(&run);
    run = run_program(text, 0.1, 10, 0);
    assert_int_equal(run.count, 47);
    assert_true(fabs(last_row(&run)[1] - 203.3) < 1e-9);
    assert_true(run.mark[run.marks - 1].value == 2);
    end_run(&run);
}

static double distance_to(const double *row, double x, double y, double z)
{
    return sqrt((row[1] - x) * (row[1] - x) + (row[2] - y) * (row[2] - y) + (row[3] - z) * (row[3] - z));
}

static void test_arcs(void **unused)
{
    (void)unused;
    /* A quarter, from (100 0 0) by its middle, about (0 0 0); a half, the long way round; a tilted full circle. */
    struct run run = run_program("LMOV 100,0,0\nCMOV 70.710678118654755,70.710678118654755,0, 0,100,0\n", 0.01, 0, 0);
    uint32_t arc = 0;
    assert_int_equal(run.status, CP_OK);
    for (uint32_t i = 0; i < run.count; i++)
        if (run.rows[i][2] > 1e-3) {
            arc++;
            assert_true(fabs(distance_to(run.rows[i], 0, 0, 0) - 100) < 1e-7 && fabs(run.rows[i][3]) < 1e-9);
        }
    assert_true(arc > 50 && fabs(last_row(&run)[1]) < 1e-7 && fabs(last_row(&run)[2] - 100) < 1e-7);
    end_run(&run);
    run = run_program("A = POSE(0,100,0,0,0,0)\nB = POSE(-100,0,0,90,0,0)\nLMOV 100,0,0\nCIRC1 A B\n", 0.01, 0, 0);
    assert_int_equal(run.status, CP_OK);
    for (uint32_t i = 0; i < run.count; i++)
        if (run.rows[i][2] > 1e-3) /* the turn goes with the way */
            assert_true(fabs(run.rows[i][4] - atan2(run.rows[i][2], run.rows[i][1]) / 2) < 1e-9);
    end_run(&run);
    run = run_program("A = POSE(0,100,0,0,0,0)\nB = POSE(0,0,100,0,0,0)\nLMOV 100,0,0\nCIRC2 A,B\n", 0.01, 0, 0);
    assert_int_equal(run.status, CP_OK);
    double lowest = 0, middle = 100.0 / 3, radius = 100 * sqrt(2.0 / 3);
    for (uint32_t i = 0; i < run.count; i++) {
        if (fabs(run.rows[i][1] + run.rows[i][2] + run.rows[i][3] - 100) > 1e-6)
            continue; /* on the way there */
        lowest = fmin(lowest, run.rows[i][1]);
        assert_true(fabs(distance_to(run.rows[i], middle, middle, middle) - radius) < 1e-7);
    }
    assert_true(lowest < middle - 0.99 * radius * sqrt(2.0 / 3) && fabs(last_row(&run)[1] - 100) < 1e-7);
    end_run(&run);
}

static void test_language(void **unused)
{
    (void)unused;
    struct run run = run_program("IMOV 0,0,0.1,90,0,0\n", 0.01, 0, 0); /* 90 degrees at 250 a second */
    assert_true(run.status == CP_OK && run.count > 55 && run.count < 70);
    end_run(&run);
    run = run_program("IMOV 10,0,0,-300,0,0\n", 0.01, 0, 0); /* the long way */
    assert_true(run.status == CP_OK && fabs(last_row(&run)[4] + 300 * PI / 180) < 1e-6);
    end_run(&run);
    run = run_program("IMOV 0,0,0,0,0,360\n", 0.01, 0, 0);
    assert_true(run.status == CP_OK && run.count > 150 && fabs(last_row(&run)[6] - 2 * PI) < 1e-6);
    end_run(&run);
    expect_end("", 0, 0, 0);
    expect_end("; nothing but this\n\n", 0, 0, 0);
    expect_end("LMOV 10,20,30", 10, 20, 30);
    expect_end("lmov 10, 20, 30 ; in any case\r\nEnd\r\nLMOV 0,0,0\r\n", 10, 20, 30);
    expect_end("MOVE 10,20,30,40,50,60\n", 10, 20, 30);
    expect_end("J = JOINTS(1,2,3,4,5,6)\nMOVE J\n", 1, 2, 3);
    expect_end("J = JOINTS(1,2,3,4,5,6)\nPTP J\n", 1, 2, 3);
    expect_end("P = POSE(1,2,3,10,20,30)\nPTP P\n", 1, 2, 3);
    expect_end("P = POSE(1,2,3,10,20,30)\nLPTP P\nIPTP P\n", 2, 4, 6);
    expect_end("IMOV 5,0,0\nIMOV 5,0,1,90,0,0\nIMOV 5,0,0\n", 15, 0, 1);
    expect_end("PTP POSE(1,2,3,10,20,30)\n", 1, 2, 3);
    expect_end("x=2\nlptp pose ( (1+1)*x, x, 3,0,0,0)\nIPTP POSE(1,0,0,0,0,0)\n", 5, 2, 3);
    expect_end("MOVE JOINTS(1,2,3,4,5,6)\nPTP JOINTS(4,5,6,0,0,0)\n", 4, 5, 6);
    expect_end("CPTP POSE(50,50,0,0,0,0) POSE(100,0,0,0,0,0)\n", 100, 0, 0);
    expect_end("MOVE POSE(1,2,3,0,0,0)\nMOVE part\n", 100, 200, 0);
    expect_end("MOVE id:part\n", 100, 200, 0);
    expect_end("x = 7\nFOR = 3\nLMOV x,FOR,0\n", 7, 3, 0);
    expect_end("J=JOINTS(1,2,3,0,0,0)\nFOR = POSE(500,1,2,3,4,5)\nMOVE J\n", 1, 2, 3);
    expect_end("\xef\xbb\xbfLMOV 1,2,3\n", 1, 2, 3);
    expect_end("PTP part\n", 100, 200, 0);
    expect_end("LPTP \"far part\"\n", 500, 200, 100);
    expect_end("x = 3\ny = x*2 + 1e1\nLMOV x,y,sqrt(x*12)\n", 3, 16, 6);
    expect_end("LMOV sin(30)*100, cos(60)*100, 2^3\n", 50, 50, 8);
    expect_end("FOR i=1,4\nIMOV 10,0,0\nNEXT\n", 40, 0, 0);
    expect_end("FOR i=4,1,-1\nIMOV i,0,0\nNEXT i\n", 10, 0, 0);
    expect_end("FOR i=1,0\nIMOV 10,0,0\nNEXT\n", 0, 0, 0);
    expect_end("FOR i=0,1,0.1\nIMOV 1,0,0\nNEXT\n", 11, 0, 0);
    expect_end("FOR i=1,3\nFOR j=1,i\nIMOV 1,0,0\nNEXT j\nNEXT i\n", 6, 0, 0);
    expect_end("a=2\nIF a=2 THEN\nLMOV 1,0,0\nELSE\nLMOV 2,0,0\nENDIF\n", 1, 0, 0);
    expect_end("a=3\nIF a=2 THEN\nLMOV 1,0,0\nELSE\nLMOV 2,0,0\nENDIF\n", 2, 0, 0);
    expect_end("a=3\nIF a<2 OR a>=3 AND a<>4 THEN\nLMOV 1,0,0\nENDIF\n", 1, 0, 0);
    expect_end("a=4\nIF a<2 OR a>=3 AND a<>4 THEN\nLMOV 1,0,0\nENDIF\n", 0, 0, 0);
    expect_end("a=0\nIF a THEN\nLMOV 1,0,0\nENDIF\nIF (1+1)*2 <= 4 THEN\nIMOV 0,1,0\nENDIF\n", 0, 1, 0);
    expect_end("IF 1 THEN\nIF 0 THEN\nLMOV 1,0,0\nELSE\nLMOV 2,0,0\nENDIF\nELSE\nLMOV 3,0,0\nENDIF\n", 2, 0, 0);
    expect_end("n=0\nagain: n=n+1\nIMOV 1,0,0\nIF n<5 THEN\nGOTO again\nENDIF\n", 5, 0, 0);
    expect_end("n=0\nagain: n=n+1\nIMOV 1,0,0\nIF n<5 THEN GOTO again\n", 5, 0, 0);
    expect_end("a=2\nIF a=1 OR a=2 AND (a+1)*2>5 THEN GOTO b\nLMOV 9,0,0\nb: IMOV 1,0,0\n", 1, 0, 0);
    expect_end("IF 0 THEN GOTO b\nIMOV 0,1,0\nb: IMOV 1,0,0\n", 1, 1, 0);
    expect_end("if 1 then gosub b\nEND\nb: IF 1 THEN IMOV 1,0,0\nIF 0 THEN IMOV 5,0,0\nIF 1 THEN RET\nIMOV 7,0,0\n", 1,
               0, 0);
    expect_end("FOR i=1,9\nIMOV 1,0,0\nIF i=3 THEN END\nNEXT\n", 3, 0, 0);
    expect_end("IF 1 THEN b=4\nIF 1 THEN P=POSE(b,0,1,0,0,0)\nIF b>3 THEN PTP P ; there\n", 4, 0, 1);
    expect_end("IF 1 THEN\nIF 0 THEN IMOV 1,0,0\nIMOV 0,1,0\nELSE\nIMOV 0,0,1\nENDIF\n", 0, 1, 0);
    expect_end("IF 0 THEN LMOV 1/0,0,0\nIF=3\nIF IF=3 THEN IMOV IF,0,0\n", 3, 0, 0);
    expect_end("GOSUB a\nGOSUB a\nEND\na: IMOV 1,0,0\nGOSUB b\nRET\nb:\nIMOV 0,1,0\nRET\n", 2, 2, 0);
    expect_end("CASE 2,one,two\nEND\none: LMOV 1,0,0\nEND\ntwo: LMOV 2,0,0\n", 2, 0, 0);
    expect_end("CASE 3,one,two\nLMOV 9,0,0\nEND\none: END\ntwo: END\n", 9, 0, 0);
    expect_end("LMOV 5,5,5\nHOME\n", 0, 0, 0);
    expect_end("SPEED 1000\nSPEED 100,200\nSPEED 100,200,300\nLMOV 5,5,5\nWAIT 0.5\n", 5, 5, 5);
    expect_end("SETT 1,5\nSETC 2,7\nOUT 3,1\nAPAWD\nIMOV 1,0,0\nSTAWD\n", 1, 0, 0);
    expect_end("SETC 1,7\nSETT 1,5\nWAIT 1\nLMOV COUNTER(1),TIMER(1),counter ( 2 )\n", 7, 5, 0);
    expect_end("SETC 3,2\nfor i=1,3\nSETC i,COUNTER(3)*2+i\nNEXT\nLMOV COUNTER(1),COUNTER(2),COUNTER(3)\n", 5, 6, 7);
    expect_end("a: SETC 4,COUNTER(4)+1\nIMOV 1,0,0\nIF COUNTER(4)<3 THEN GOTO a\nIMOV 0,COUNTER(4),TIMER(4)\n", 3, 3,
               0);
    expect_end("SETC 2147483647,9\nSETC 0,3\nLMOV COUNTER(2147483647),COUNTER(0),max(TIMER(1),1)\n", 9, 3, 1);
    expect_end("pie=3\nLMOV pie,pi*0,sin(pi*0)\n", 3, 0, 0);
    expect_end("counter=1\ntimer=2\nmax=3\nmin = 4\nLMOV counter,timer,max(max,min)\n", 1, 2, 4);
    expect_end("LMOV 0,0,0\nLMOV 0,0,0,90,0,0\n", 0, 0, 0); /* a turn alone */
}

static void test_errors(void **unused)
{
    (void)unused;
    const cp_status input = CP_INPUT, no = CP_NO, limit = CP_LIMIT;
    const char *syntax = "program-syntax";
    expect_error("LMVO 1,2,3\n", input, 1, 1, syntax, "unknown instruction \"LMVO\"; did you mean LMOV?");
    expect_error("LMOVE 1,2,3\n", input, 1, 1, syntax, "unknown instruction \"LMOVE\"; did you mean LMOV?");
    expect_error("HOME\n  cmove 1,2,3\n", input, 2, 3, syntax, "did you mean CMOV?");
    expect_error("pi = 3\n", input, 1, 1, syntax, "\"pi\" is a constant: nothing is assigned to it");
    expect_error("HOME\n Pi = POSE(1,2,3,4,5,6)\n", input, 2, 2, syntax, "\"Pi\" is a constant");
    expect_error("FOR PI=1,2\nNEXT\n", input, 1, 5, syntax, "\"PI\" is a constant");
    expect_error("IF 1 THEN pi=JOINTS(1,2,3,4,5,6)\n", input, 1, 11, syntax, "\"pi\" is a constant");
    expect_error("\n  xyzzy\n", input, 2, 3, syntax, "unknown instruction \"xyzzy\"");
    expect_error("LMOV 1,2\n", input, 1, 1, syntax, "it takes 3 or 6 numbers, not 2");
    expect_error("LMOV 1,2,3,4\n", input, 1, 1, syntax, "it takes 3 or 6 numbers, not 4");
    expect_error("MOVE 1\n", input, 1, 1, syntax, "it takes 6 numbers, not 1");
    expect_error("SPEED 1,2,3,4\n", input, 1, 1, syntax, "it takes 1 to 3 numbers, not 4");
    expect_error("LMOV 1,,3\n", input, 1, 8, syntax, "a number or formula");
    expect_error("LMOV 1,2,a\n", input, 1, 10, syntax, "nobody gives a number to \"a\"");
    expect_error("P=POSE(1,2,3,4,5,6)\nLMOV 1,2,P\n", input, 2, 10, syntax, "\"P\" is no number");
    expect_error("LMOV 1,2,3)\n", input, 1, 10, syntax, "a number or formula");
    expect_error("P=POSE(1,2,3)\n", input, 1, 7, syntax, "it takes 6 numbers, not 3");
    expect_error("PTP POSE(1,2,3)\n", input, 1, 9, syntax, "it takes 6 numbers, not 3");
    expect_error("PTP POSE(1,2,3,4,5,6\n", input, 1, 9, syntax, "the bracket is not closed");
    expect_error("PTP POSE(1,2,3,4,5,6) 7\n", input, 1, 23, syntax, "expected the end of the line");
    expect_error("LPTP JOINTS(1,2,3,4,5,6)\n", input, 1, 6, syntax, "JOINTS are no point in space");
    expect_error("GOTO heer\nhere:\n", input, 1, 6, syntax, "there is no label \"heer\"; did you mean here?");
    expect_error("count=1\nOUT 1, coun\n", input, 2, 8, syntax, "to \"coun\"; did you mean count?");
    expect_error("OUT 1,  (2\n", input, 1, 9, syntax, "a ) is missing, in \"(2\"");
    expect_error("=3\n", input, 1, 1, syntax, "expected an instruction, found \"=3\"");
    expect_error("FOR i=1,2\nGOTO in\nNEXT\nFOR k=1,2\nin: NEXT k\n", input, 5, 0, "program-for",
                 "NEXT of a FOR that was not carried out");
    expect_error("CMOV 0,0,0, 10,0,0\n", input, 1, 0, "program-arc", "two of the three places");
    expect_error("CMOV 10,0,0, 0,0,0\n", input, 1, 0, "program-arc", "two of the three places");
    expect_error("LMOV 1,2,3\nIMOV 0.1,0.2,0.3\nCMOV 30,2,3, 1.1,2.2,3.3\n", input, 3, 0, "program-arc",
                 "two of the three places");
    expect_error("WAIT -1\n", input, 1, 0, "program-wait", "a wait is not below 0 s");
    expect_error("P=POSE 1,2,3\n", input, 1, 8, syntax, "expected numbers in brackets");
    expect_error("PTP nowhere\n", input, 1, 5, syntax, "there is no point or frame \"nowhere\"");
    expect_error("PTP prat\n", input, 1, 5, syntax, "did you mean part?");
    expect_error("PTP\n", input, 1, 4, syntax, "expected a point: a variable or a frame, found the end of the line");
    expect_error("PTP part part\n", input, 1, 10, syntax, "expected the end of the line, found \"part\"");
    expect_error("a=1\nPTP a\n", input, 2, 5, syntax, "\"a\" is a number, no point");
    expect_error("CIRC1 part\n", input, 1, 11, syntax, "expected a point");
    expect_error("a=1\na=POSE(1,2,3,4,5,6)\n", input, 2, 1, syntax, "by turns");
    expect_error("GOTO there\n", input, 1, 6, syntax, "there is no label \"there\"");
    expect_error("a: HOME\na: HOME\n", input, 2, 1, syntax, "the label \"a\" stands twice");
    expect_error("IF 1\nENDIF\n", input, 1, 5, syntax, "expected THEN, found the end of the line");
    expect_error("IF 1 THEN GOTO heer\nhere:\n", input, 1, 16, syntax,
                 "there is no label \"heer\"; did you mean here?");
    expect_error("IF 1 THEN GOTO\n", input, 1, 15, syntax, "expected a label, found the end of the line");
    expect_error("IF 1 THEN HOEM\n", input, 1, 11, syntax, "unknown instruction \"HOEM\"; did you mean HOME?");
    expect_error("IF 1 THEN IF 1 THEN END\n", input, 1, 11, syntax, "IF behind THEN: it stands in a line of its own");
    expect_error("IF 1 THEN FOR i=1,2\nNEXT\n", input, 1, 11, syntax, "FOR behind THEN");
    expect_error("IF 1 THEN HOME\nENDIF\n", input, 2, 1, syntax, "ENDIF without IF");
    expect_error("a: IF 1 THEN GOTO a ELSE GOTO a\n", input, 1, 21, syntax,
                 "expected the end of the line, found \"ELSE\"");
    expect_error("IF 1 GOTO a\na:\n", input, 1, 6, syntax, "nobody gives a number to \"GOTO\"");
    expect_error("a: IF 1 THEN GOTO a\n", limit, 1, 0, "program-steps", "an endless loop?");
    expect_error("IF 1 THEN\nHOME\n", input, 1, 0, syntax, "IF without ENDIF");
    expect_error("ELSE\n", input, 1, 1, syntax, "ELSE without IF");
    expect_error("IF 1 THEN\nELSE\nELSE\nENDIF\n", input, 3, 1, syntax, "a second ELSE of one IF");
    expect_error("ENDIF\n", input, 1, 1, syntax, "ENDIF without IF");
    expect_error("FOR i=1,2\nENDIF\nNEXT\n", input, 2, 1, syntax, "ENDIF without IF");
    expect_error("FOR i=1,2\n", input, 1, 0, syntax, "FOR without NEXT");
    expect_error("NEXT\n", input, 1, 1, syntax, "NEXT without FOR");
    expect_error("j=1\nFOR i=1,2\nNEXT j\n", input, 3, 6, syntax, "another variable");
    expect_error("FOR i=1\nNEXT\n", input, 1, 1, syntax, "it takes 2 or 3 numbers, not 1");
    expect_error("LMOV 1,TIMER(a),3\n", input, 1, 8, syntax, "TIMER takes a whole number in brackets");
    expect_error("LMOV 1,COUNTER(1.5),3\n", input, 1, 8, syntax, "COUNTER takes a whole number in brackets");
    expect_error("SETT 1.5,3\n", input, 1, 0, "program-number",
                 "SETT takes a whole number from 0 to 2147483647, not 1.5");
    expect_error("HOME\nSETC 0.5,3\n", input, 2, 0, "program-number", "SETC takes a whole number");
    expect_error("OUT 2.25,1\n", input, 1, 0, "program-number", "OUT takes a whole number");
    expect_error("FOR i=1,2,0.5\nSETT i,1\nNEXT\n", input, 2, 0, "program-number", "not 1.5");
    expect_error("SETC -1,9\n", input, 1, 0, "program-number", "not -1");
    expect_error("SETC 2147483648,9\n", input, 1, 0, "program-number", "not 2.14748365e+09");
    expect_error("IF 1 THEN SETT 1e300,9\n", input, 1, 0, "program-number", "not 1e+300");
    expect_error("LMOV TIMER(1.5),2,3\n", input, 1, 6, syntax, "TIMER takes a whole number in brackets");
    expect_error("LMOV COUNTER(0.5),2,3\n", input, 1, 6, syntax, "COUNTER takes a whole number in brackets");
    expect_error("LMOV TIMER(-1),2,3\n", input, 1, 6, syntax, "TIMER takes a whole number in brackets");
    expect_error("LMOV COUNTER(),2,3\n", input, 1, 6, syntax, "COUNTER takes a whole number in brackets");
    expect_error("LMOV 1,2,TIMER(99999999999)\n", input, 1, 10, syntax, "TIMER takes a whole number in brackets");
    expect_error("LMOV 1,2,TIMER(1\n", input, 1, 10, syntax, "TIMER takes a whole number in brackets");
    expect_error("LMOV 1,2,TIMER\n", input, 1, 10, syntax, "nobody gives a number to \"TIMER\"");
    expect_error("HANDLE\n", input, 1, 7, syntax, "expected OPEN or CLOSE");
    expect_error("CASE 1\n", input, 1, 7, syntax, "expected a comma and a label");
    expect_error("P=POSE(0,0,0,0,0,0)\nGRAB P\n", input, 2, 1, syntax, "what is held is a frame");
    expect_error("a: GOTO a\n", limit, 1, 0, "program-steps", "an endless loop?");
    expect_error("RET\n", input, 1, 0, "program-return", "RET without GOSUB");
    expect_error("a: GOSUB a\n", limit, 1, 0, "program-calls", "nested more than 256 times");
    expect_error("FOR i=1,2,0\nNEXT\n", input, 1, 0, "program-for", "not 0");
    expect_error("IF 0 THEN\na=1\nENDIF\nLMOV a,0,0\n", input, 4, 0, "program-unset", "no value yet");
    expect_error("a=1/0\n", input, 1, 0, "program-number", "no value");
    expect_error("LMOV 0,0,2500\n", no, 1, 0, "program-limit", "beyond its limit of 2000 mm");
    expect_error("MOVE 0,0,2500,0,0,0\n", no, 1, 0, "program-limit",
                 "at 0 s: joint \"ZRPW\" would be 500 mm beyond its limit of 2000 mm");
    expect_error("P=POSE(0,0,2500,0,0,0)\nPTP P\n", no, 2, 0, "program-limit",
                 "at 0 s: the tool gets there only beyond limits: joint \"ZRPW\" would be 500 mm beyond its limit");
    expect_error("CMOV 10,0,0,20,0,0\n", input, 1, 0, "program-arc", "lie on a line");
    expect_error("J=JOINTS(1,2,3,4,5,6)\nLPTP J\n", input, 2, 6, syntax, "no point in space");
    expect_error("SPEED 0\n", input, 1, 0, "program-speed", "above 0");
    expect_error("SPEED 0%\n", input, 1, 0, "program-speed", "above 0 and up to 100 %, not 0 %");
    expect_error("SPEED 101 %\n", input, 1, 0, "program-speed", "up to 100 %, not 101 %");
    expect_error("SPEED 50%,100\n", input, 1, 10, syntax, "expected the end of the line, found \",\"");
    expect_error("SPEED 10,50%\n", input, 1, 1, syntax, "it takes 1 number, not 2");
    expect_error("SPEED %\n", input, 1, 1, syntax, "it takes 1 number, not 0");
    expect_error("SPEED\n", input, 1, 1, syntax, "it takes 1 to 3 numbers, not 0");
    expect_error("WAIT 5%\n", input, 1, 6, syntax, "a number or formula");
    expect_error("GRAB part\n", no, 1, 0, "program-grab", "\"part\" is 224 mm from the tool, beyond reach=10 mm");
    expect_error("HANDLE OPEN part\n", no, 1, 0, "program-grab", "does not hold \"part\"");
    expect_error("HANDLE CLOSE base\n", input, 1, 0, "program-hold", "carries the tool");
    expect_error("SPEED 0.000001\nLMOV 1000,0,0\n", limit, 2, 0, "program-long", "more steps than can be counted");
}

/* All that is wrong is said at once. */
static void test_all_errors(void **unused)
{
    (void)unused;
    size_t count;
    cp_report_clear(context);
    struct run run = run_program("LMVO 1,2,3\nHOME\nGOTO nowhere\nPTP\nWAIT 1,2\n", 0.01, 0, 0);
    (void)cp_report(context, &count);
    assert_int_equal(run.status, CP_INPUT);
    assert_int_equal(count, 4);
    end_run(&run);
    cp_report_clear(context);
    run = run_program("ELSE\nWAIT 1\n", 0.01, 0, 0); /* and no IF without ENDIF */
    (void)cp_report(context, &count);
    assert_int_equal(count, 1);
    cp_report_clear(context);
    end_run(&run);
}

/* An arm of three joints, about Z, Y and Y, with two links of 300 mm: it holds a place, and no more. */
static uint32_t build_small_arm(void)
{
    const uint32_t own[] = {0, 1, 2};
    const cp_pose link = plain_translation(0.3, 0, 0);
    uint32_t parent = add_node_at(scene, 0, "base", NULL);
    for (uint32_t i = 0; i < 3; i++) {
        cp_joint joint =
            joint_below(&parent, "link", i == 2 ? &link : NULL, CP_JOINT_REVOLUTE, &"ABC"[i], i == 0 ? 2 : 1);
        joint.home = i == 2 ? 1 : i == 1 ? -0.5 : 0;
        assert_int_equal(cp_add_joint(scene, &joint), own[i]);
    }
    const uint32_t tool = add_node_at(scene, parent, "tool", &link);
    (void)add_device_of(scene, "arm", 1, tool, 3, own);
    finish_scene();
    return tool;
}

/* An arm of links of 300 mm in a plane, whose tool passes its shoulder in a distance: joint values in closed form. */
static void arm_values(double x, double y, double q[2])
{
    const double square = x * x + y * y, elbow = acos((square - 2 * 0.09) / (2 * 0.09));
    q[1] = elbow;
    q[0] = atan2(y, x) - elbow / 2;
}

/* Two turning joints about Z with this limit of speed; the second one begins bent. */
static uint32_t build_plane_arm(double velocity)
{
    const uint32_t own[] = {0, 1};
    const cp_pose link = plain_translation(0.3, 0, 0);
    uint32_t parent = add_node_at(scene, 0, "base", NULL);
    double q[2];
    arm_values(0.1, -0.3, q);
    for (uint32_t i = 0; i < 2; i++) {
        cp_joint joint = joint_below(&parent, "link", i == 1 ? &link : NULL, CP_JOINT_REVOLUTE, &"AB"[i], 2);
        joint.home = q[i];
        joint.velocity = velocity;
        assert_int_equal(cp_add_joint(scene, &joint), own[i]);
    }
    const uint32_t tool = add_node_at(scene, parent, "tool", &link);
    (void)add_device_of(scene, "arm", 1, tool, 2, own);
    finish_scene();
    return tool;
}

/* Runs a program of that arm: the steps of its first line, and the largest speed of a joint. */
static uint32_t run_plane_arm(const char *text, double velocity, bool keep, double (*places)[2], double *most)
{
    fresh_scene();
    const cp_program_options options = {.size = sizeof options,
                                        .frame = build_plane_arm(velocity),
                                        .period = 0.01,
                                        .reach = 0.01,
                                        .keep_speeds = keep,
                                        .solve = CP_REACH_X | CP_REACH_Y};
    cp_program *program = NULL;
    double before[2];
    uint32_t steps = 0;
    *most = 0;
    arm_values(0.1, -0.3, before);
    assert_int_equal(cp_program_new(context, scene, "p", text, strlen(text), &options, &program), CP_OK);
    for (cp_program_snapshot state = {.size = sizeof state}; !state.ended;) {
        if (cp_program_step(program) != CP_OK) {
            show_report(context);
            fail_msg("step %d", (int)steps);
        }
        cp_program_state(program, &state);
        if (state.ended)
            break;
        assert_true(steps < 10000);
        for (int i = 0; i < 2; i++) {
            *most = fmax(*most, fabs(state.q[i] - before[i]) / 0.01);
            before[i] = state.q[i];
        }
        places[steps][0] = 300 * (cos(before[0]) + cos(before[0] + before[1]));
        places[steps++][1] = 300 * (sin(before[0]) + sin(before[0] + before[1]));
    }
    cp_program_free(program);
    return steps;
}

/* A line past the shoulder at 100 mm asks more of the joints than they give: it takes longer by the factor that the
 * closed form has at its plan, evenly, and no joint exceeds its limit. With speeds=keep it is as fast as it was. */
static void test_slow_line(void **unused)
{
    (void)unused;
    static const char text[] = "SPEED 400,2000\nLMOV 100,300,0\n";
    static double kept[10000][2], slow[10000][2];
    double most, limit, expected = 0, way = 0, before[2], now[2];
    size_t count;
    arm_values(0.1, -0.3, before);
    for (uint32_t step = 0; step < 170; step++) {
        way += step_length(step, 20, 130, 0.2);
        arm_values(0.1, -0.3 + way * MM, now);
        for (int i = 0; i < 2; i++)
            expected = fmax(expected, fabs(now[i] - before[i]) / 0.01);
        memcpy(before, now, sizeof now);
    }
    const uint32_t steps = run_plane_arm(text, 1, true, kept, &most);
    assert_int_equal(steps, 171); /* and one for the rest, which is none */
    assert_true(fabs(most - expected) < 1e-6);
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);
    for (limit = expected * 1.01; limit > 0.1; limit *= 0.7) {
        cp_report_clear(context);
        const uint32_t slower = run_plane_arm(text, limit, false, slow, &most);
        const cp_entry *entries = cp_report(context, &count);
        const double factor = fmax(expected / limit, 1);
        if (!(most <= limit * (1 + 1e-6)) || fabs(slower / factor / steps - 1) > 0.02)
            fail_msg("limit %g: %g, %u steps of %u", limit, most, (unsigned)slower, (unsigned)steps);
        assert_true(factor == 1 || most > 0.98 * limit);
        assert_int_equal(count, factor > 1);
        if (count > 0) {
            assert_true(entries[0].severity == CP_WARNING && entries[0].line == 2);
            assert_string_equal(entries[0].code, "program-slower");
            assert_non_null(strstr(entries[0].text, "joint \""));
            char words[60]; /* the factor, to what three digits have of it */
            const char *times = strstr(entries[0].text, "the line is slowed down ");
            assert_non_null(times);
            (void)snprintf(words, sizeof words, "%s", times + strlen("the line is slowed down "));
            assert_true(fabs(plain_strtod(words, NULL) / factor - 1) < 0.02);
        }
        for (uint32_t i = 0; i < slower; i++) { /* evenly: at each part of its time it is where the fast one is */
            const uint32_t same = (uint32_t)((i + 1.0) / slower * steps);
            const double there = kept[same > 0 ? same - 1 : 0][1];
            if (fabs(slow[i][0] - 100) > 1e-6 || fabs(slow[i][1] - there) > 10)
                fail_msg("limit %g, step %u: at %g %g, not %g", limit, (unsigned)i, slow[i][0], slow[i][1], there);
        }
    }
    cp_report_clear(context);

    /* Joint motion and lines that are slow enough stay as they are. */
    assert_true(run_plane_arm("MOVE 0,90\n", 1, false, slow, &most) > 100 && most <= 1 + 1e-9);
    assert_true(run_plane_arm("SPEED 40\nLMOV 100,300,0\n", 2, false, slow, &most) > 1500 && most < 1);
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);
}

/* SPEED v% is the part of its limit at which the slowest joint cruises; lines keep their own speed. */
static void test_joint_speed(void **unused)
{
    (void)unused;
    static double places[10000][2];
    double most;
    static const double parts[] = {100, 50, 12.5, 2};
    for (int i = 0; i < 4; i++) {
        char text[100];
        (void)plain_snprintf(text, sizeof text, "SPEED %g * 2 / 2 %% ; of joints\nMOVE 0,90\n", parts[i]);
        (void)run_plane_arm(text, 2, false, places, &most);
        assert_true(fabs(most - 2 * parts[i] / 100) < 1e-9);
    }
    (void)run_plane_arm("SPEED 25%\nMOVE 0,90\nspeed 100%\nMOVE -60,120\n", 2, false, places, &most);
    assert_true(most > 1.9 && most <= 2 + 1e-9);
    const uint32_t steps = run_plane_arm("LMOV 100,0,0\n", 100, false, places, &most);
    assert_int_equal(run_plane_arm("SPEED 1%\nLMOV 100,0,0\n", 100, false, places, &most), steps);
}

/* What a machine of three degrees cannot hold is said, and solve= leaves it out: the tool goes straight then. */
static void test_three_degrees(void **unused)
{
    (void)unused;
    static const char text[] = "PTP POSE(400,0,100,0,0,0)\nLMOV 400,200,100\nIMOV -100,0,50\n";
    static const char *const impossible[] = {"PTP POSE(400,0,100,0,0,0)\n", "IMOV 0,200,0\n", "IMOV 0,0,0,0,0,30\n"};
    fresh_scene();
    cp_program_options options = {.size = sizeof options, .frame = build_small_arm(), .period = 0.01, .reach = 0.01};
    cp_program *program = NULL;
    for (size_t i = 0; i < 3; i++) {
        size_t count;
        cp_status status = CP_OK;
        cp_report_clear(context);
        assert_int_equal(cp_program_new(context, scene, "p", impossible[i], strlen(impossible[i]), &options, &program),
                         CP_OK);
        for (cp_program_snapshot state = {.size = sizeof state}; status == CP_OK && !state.ended;
             cp_program_state(program, &state))
            status = cp_program_step(program);
        assert_int_equal(status, CP_NO);
        const cp_entry *entries = cp_report(context, &count);
        assert_true(count > 0 && strstr(entries[0].text, "has 3 degrees of freedom, the pose asks for 6: solve="));
        cp_program_free(program);
    }
    cp_report_clear(context);
    options.solve = CP_REACH_X | CP_REACH_Y | CP_REACH_Z;
    assert_int_equal(cp_program_new(context, scene, "p", text, sizeof text - 1, &options, &program), CP_OK);
    double at[3] = {0};
    int on_lines = 0;
    for (cp_program_snapshot state = {.size = sizeof state}; !state.ended; cp_program_state(program, &state)) {
        if (cp_program_step(program) != CP_OK) {
            show_report(context);
            fail_msg("line %d", (int)state.line);
        }
        cp_program_state(program, &state);
        const double *q = state.q, out = 300 * cos(q[1]) + 300 * cos(q[1] + q[2]);
        at[0] = out * cos(q[0]);
        at[1] = out * sin(q[0]);
        at[2] = -300 * sin(q[1]) - 300 * sin(q[1] + q[2]);
        if (state.line == 2) /* on its line */
            assert_true(fabs(at[0] - 400) < 1e-6 && fabs(at[2] - 100) < 1e-6);
        if (state.line == 3)
            assert_true(fabs(at[1] - 200) < 1e-6 && fabs(400 - at[0] - 2 * (at[2] - 100)) < 1e-6);
        on_lines += state.line > 1;
    }
    assert_true(on_lines > 100 && fabs(at[0] - 300) < 1e-6 && fabs(at[1] - 200) < 1e-6 && fabs(at[2] - 150) < 1e-6);
    cp_program_free(program);
}

/* A clip of the program's text. */
static const cp_clip *record_program(const char *text)
{
    char path[] = "/tmp/cellpipe-test-program-XXXXXX", file[80];
    const int opened = mkstemp(path);
    assert_true(opened >= 0 && write(opened, text, strlen(text)) == (ssize_t)strlen(text));
    (void)close(opened);
    (void)snprintf(file, sizeof file, "file=%s", path);
    fresh_scene();
    (void)build_machine();
    if (cp_apply(context, scene, "program", (const char *[]){file}, 1) != CP_OK) {
        show_report(context);
        fail_msg("%s", text);
    }
    (void)unlink(path);
    return cp_clips(scene, NULL);
}

/* The clip is over when the program is, whatever it does last, and if it does nothing at all. */
static void test_clip_lasts(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double last;
    } programs[] = {{"WAIT 2\n", 2},
                    {"WAIT 2\nOUT 1,1\nWAIT 3\n", 5},
                    {"MOVE 1,0,0,0,0,0\nMOVE 0,0,0,0,0,0\nWAIT 4\n", 4},
                    {"GRAB part\nWAIT 0.5\nHANDLE OPEN\nWAIT 0.5\n", 1},
                    {"WAIT 0.01\n", 0.01},
                    {"OUT 1,1\n", 0}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const bool grabs = strstr(programs[i].text, "GRAB") != NULL, moves = strstr(programs[i].text, "MOVE") != NULL;
        char text[200];
        (void)snprintf(text, sizeof text, "%s%s", grabs ? "PTP part\n" : "", programs[i].text);
        const cp_clip *clip = record_program(text);
        double last = 0, before = 0;
        for (uint32_t k = 0; k < clip->track_count; k++)
            last = fmax(last, clip->tracks[k].times[clip->tracks[k].key_count - 1]);
        for (uint32_t k = 0; k < clip->mark_count; k++) /* the moves before: when the next line begins */
            if ((grabs && clip->marks[k].value == 2) || (moves && clip->marks[k].value == 3))
                before = clip->marks[k].time;
        if (!(fabs(last - before - programs[i].last) < 1e-9))
            fail_msg("%s: it lasts %.9g s", programs[i].text, last - before);
    }
}

/* What hung on the tool from the beginning can be grabbed and let go; what would be sheared cannot. */
static void test_own_part(void **unused)
{
    (void)unused;
    static const char text[] = "GRAB own\nIMOV 50,0,0\nHANDLE OPEN\nIMOV 0,0,20\n", slanted[] = "GRAB slanted\n";
    fresh_scene();
    (void)build_machine();
    const uint32_t tool = count_nodes(scene) - 3, own = add_node_at(scene, tool, "own", NULL);
    const cp_pose stretch = plain_scaling(1, 2, 1), turn = plain_rotation((const double[]){0, 0, 1}, 0.5);
    const uint32_t scaled = add_node_at(scene, 0, "scaled", &stretch);
    (void)add_node_at(scene, scaled, "slanted", &turn);
    finish_scene();
    const cp_program_options options = {.size = sizeof options, .frame = tool, .period = 0.01, .reach = 0.01};
    cp_program *program = NULL;
    cp_program_snapshot state = {.size = sizeof state};
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    assert_non_null(worlds);
    assert_int_equal(cp_program_new(context, scene, "own", text, sizeof text - 1, &options, &program), CP_OK);
    for (; !state.ended; cp_program_state(program, &state))
        assert_int_equal(cp_program_step(program), CP_OK);
    assert_int_equal(cp_program_poses(program, worlds), CP_OK);
    assert_true(fabs(worlds[tool].m[11] - 0.02) < 1e-9 && fabs(worlds[own].m[11]) < 1e-9);
    assert_true(fabs(worlds[own].m[3] - 0.05) < 1e-9);
    cp_program_free(program);
    assert_int_equal(cp_program_new(context, scene, "slanted", slanted, sizeof slanted - 1, &options, &program), CP_OK);
    assert_int_equal(cp_program_step(program), CP_INPUT);
    cp_program_free(program);

    /* Nor is a scaled frame a point. */
    size_t count;
    cp_report_clear(context);
    assert_int_equal(cp_program_new(context, scene, "point", "LPTP scaled", 11, &options, &program), CP_OK);
    assert_int_equal(cp_program_step(program), CP_INPUT);
    assert_string_equal(cp_report(context, &count)[0].code, "program-point");
    cp_report_clear(context);
    cp_program_free(program);
    free(worlds);
}

/* What is grabbed goes with the tool, and stays where it is let go; in the clip it hangs elsewhere meanwhile. */
static void test_grab(void **unused)
{
    (void)unused;
    static const char text[] = "PTP part\nHANDLE CLOSE\nIMOV 50,0,30,90,0,0\nHANDLE OPEN\nIMOV 0,0,20\n";
    char path[] = "/tmp/cellpipe-test-program-XXXXXX", file[80];
    int opened = mkstemp(path);
    assert_true(opened >= 0 && write(opened, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
    (void)close(opened);
    (void)snprintf(file, sizeof file, "file=%s", path);
    fresh_scene();
    (void)build_machine();
    uint32_t part = count_nodes(scene) - 2, clip = 0;
    assert_int_equal(cp_apply(context, scene, "program", (const char *[]){file, "name=pick"}, 2), CP_OK);
    assert_int_equal(count_clips(scene), 1);
    const cp_clip *pick = cp_clips(scene, NULL);
    assert_string_equal(pick->name, "pick");
    assert_int_equal(pick->attachment_count, 2);
    assert_int_equal(pick->mark_count, 7);
    assert_string_equal(pick->marks[2].name, "grab part");
    const cp_metadata_entry *kept = cp_metadata(scene, NULL);
    assert_string_equal(kept->key, "program pick");
    assert_string_equal(kept->value, text);
    cp_pose *worlds = calloc(count_nodes(scene), sizeof *worlds);
    assert_non_null(worlds);
    double end = pick->tracks[0].times[pick->tracks[0].key_count - 1];
    double held = pick->attachments[0].time, free_again = pick->attachments[1].time;
    assert_true(held < free_again && free_again < end);
    for (int i = 0; i <= 20; i++) {
        double time = held + (free_again - held) * i / 20;
        assert_int_equal(cp_clip_poses(context, scene, clip, time, worlds), CP_OK);
        for (int k = 0; k < 12; k++) /* it was grabbed at the tool's own pose */
            assert_true(fabs(worlds[part].m[k] - worlds[part - 1].m[k]) < 1e-9);
    }
    assert_int_equal(cp_clip_poses(context, scene, clip, end, worlds), CP_OK);
    assert_true(fabs(worlds[part].m[3] - 0.15) < 1e-9 && fabs(worlds[part].m[11] - 0.03) < 1e-9);
    assert_true(fabs(worlds[part - 1].m[11] - 0.05) < 1e-9);

    /* Step by step all is where the clip has it. */
    const cp_program_options options = {.size = sizeof options, .frame = part - 1, .period = 0.01, .reach = 0.01};
    cp_pose *now = calloc(count_nodes(scene), sizeof *now);
    cp_program *program = NULL;
    cp_program_snapshot state = {.size = sizeof state};
    assert_non_null(now);
    assert_int_equal(cp_program_new(context, scene, "pick", text, sizeof text - 1, &options, &program), CP_OK);
    for (int steps = 0; !state.ended; steps++) {
        assert_int_equal(cp_program_poses(program, now), CP_OK);
        assert_int_equal(cp_clip_poses(context, scene, clip, state.time, worlds), CP_OK);
        for (uint32_t i = 0; i < 12 * count_nodes(scene); i++)
            assert_true(fabs(now[i / 12].m[i % 12] - worlds[i / 12].m[i % 12]) < 1e-9);
        assert_int_equal(cp_program_step(program), CP_OK);
        cp_program_state(program, &state);
        assert_true(steps < 1000);
    }
    assert_true(fabs(state.time - end) < 1e-9);
    cp_program_free(program);
    free(now);
    free(worlds);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_line_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_goes_on_after_a_stop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arcs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_language, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grab, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slow_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_joint_speed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_three_degrees, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clip_lasts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_own_part, set_up, tear_down),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
