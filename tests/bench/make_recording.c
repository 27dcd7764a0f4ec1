/* make_recording DEVICES STEPS FOLDER
 *
 * Writes a Deneb-style cell (cell.dcw, robot.dcd, link.dcp) of robots with 6 joints, and what they do (cell.dcr):
 * joints go between two angles and wait there, speeding up and slowing down as drives do, 25 steps a second; all joints
 * in each step, a robot's matrix in one step of 100, when it has moved on its track. Every tenth robot grabs the next
 * one for a while. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 6, MATRIX_EVERY = 100, BUFFER = 1 << 16 };
static const double step_length = 0.04; /* seconds */

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "make_recording: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    setvbuf(file, NULL, _IOFBF, BUFFER);
    return file;
}

static void finish(FILE *file)
{
    if (ferror(file) | fclose(file)) {
        fprintf(stderr, "make_recording: %s\n", strerror(errno));
        exit(1);
    }
}

static void write_link(const char *folder)
{
    FILE *file = create(folder, "link.dcp");
    fputs("DCT PART 1.0\nOBJECT \"link\"\nPOINTS 8\n", file);
    for (int i = 0; i < 8; i++)
        fprintf(file, "%d %d %d\n", i & 1 ? 60 : -60, i & 2 ? 60 : -60, i & 4 ? 300 : 0);
    fputs("POLYGONS 6\n4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\nEND\n", file);
    finish(file);
}

static void write_robot(const char *folder)
{
    FILE *file = create(folder, "robot.dcd");
    fputs("DCT DEVICE 1.0\nANGLE deg\nDEVICE \"robot\"\nPART \"base\" FILE \"link.dcp\" ATTACH 1\n", file);
    for (int i = 1; i <= JOINTS; i++)
        fprintf(file, "PART \"link%d\" FILE \"link.dcp\" ATTACH %s\nMATRIX 1 0 0 0 0 1 0 0 0 0 1 0 0 0 300 1\n", i,
                i < JOINTS ? "1" : "0000000");
    for (int i = 1; i <= JOINTS; i++)
        fprintf(file, "JOINT \"j%d\" PART %d TYPE ROTATE_%c INIT 0 LOWER -170 UPPER 170\n", i, i, i % 2 ? 'Z' : 'Y');
    fputs("END\n", file);
    finish(file);
}

static void write_matrix(FILE *file, long device, double moved)
{
    fprintf(file, "MATRIX 1 0 0 0 0 1 0 0 0 0 1 0 %.6g %ld 0 1\n", moved, device * 3000);
}

static void write_cell(const char *folder, long devices)
{
    FILE *file = create(folder, "cell.dcw");
    fputs("DCT WORKCELL 1.0\nHEAD\nNAME \"cell\" UNIT mm ANGLE deg\nEND\nDEVICES\n", file);
    for (long i = 0; i < devices; i++) {
        fprintf(file, "DEVICE \"r%ld\" FILE \"robot.dcd\"\n", i);
        write_matrix(file, i, 0);
        fputs("END\n", file);
    }
    fputs("END\n", file);
    finish(file);
}

/* 0 .. 1: a third of the way speeding up, a third at full speed, a third slowing down. */
static double ramp(double t)
{
    if (t <= 0 || t >= 1)
        return t <= 0 ? 0 : 1;
    if (t < 1.0 / 3)
        return t * t * 9 / 4;
    return t > 2.0 / 3 ? 1 - (1 - t) * (1 - t) * 9 / 4 : (t - 1.0 / 3) * 1.5 + 0.25;
}

/* Degrees: wait, go, wait, come back. */
static double joint_value(long device, int joint, double time)
{
    double period = 8 + (double)((device * 7 + joint * 3) % 11) * 0.4,
           t = fmod(time + (double)(device % 13), period) / period;
    double way = t < 0.5 ? ramp(t * 4 - 0.5) : 1 - ramp(t * 4 - 2.5);
    return (double)((device * 31 + joint * 17) % 60) - 30 + way * (20 + (double)((device + joint) % 50));
}

/* A number with 6 decimals, many times faster than printf. */
static char *put_number(char *at, double value)
{
    char digits[24];
    int count = 0;
    long long whole = llround(fabs(value) * 1e6);
    *at++ = ' ';
    if (value < 0 && whole > 0)
        *at++ = '-';
    for (; whole > 0 || count < 7; whole /= 10)
        digits[count++] = (char)('0' + whole % 10);
    while (count > 6)
        *at++ = digits[--count];
    *at++ = '.';
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static void write_step(FILE *file, long devices, long step)
{
    double time = (double)step * step_length;
    fprintf(file, "STEP %.2f\n", time);
    for (long i = 0; i < devices; i++) {
        char line[256], *at = line;
        at += sprintf(at, "DEV %ld JOINTS 6", i);
        for (int k = 0; k < JOINTS; k++)
            at = put_number(at, joint_value(i, k, time));
        *at++ = '\n';
        fwrite(line, 1, (size_t)(at - line), file);
        long turn = (step + i) % MATRIX_EVERY;
        int is_guest = i % 10 == 1;
        if (!is_guest && turn == 0)
            write_matrix(file, i, (double)((step + i) / MATRIX_EVERY % 2) * 500);
        if (is_guest && turn % 50 == 0)
            fprintf(file, "ATTACH %ld\n", turn == 0 ? (i - 1) * (JOINTS + 1) + JOINTS : -1L);
    }
}

int main(int count, char **words)
{
    long devices = count == 4 ? atol(words[1]) : 0, steps = count == 4 ? atol(words[2]) : 0;
    if (devices < 1 || steps < 1) {
        fprintf(stderr, "usage: make_recording DEVICES STEPS FOLDER\n");
        return 2;
    }
    write_link(words[3]);
    write_robot(words[3]);
    write_cell(words[3], devices);
    FILE *file = create(words[3], "cell.dcr");
    fprintf(file, "DCT RECORDING 1.0\nWORKCELL \"cell\" DEVICES %ld FRAME world\n", devices);
    for (long i = 0; i < steps; i++)
        write_step(file, devices, i);
    fputs("END\n", file);
    finish(file);
    return 0;
}
