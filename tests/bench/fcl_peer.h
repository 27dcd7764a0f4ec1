/* FCL's collision engine, for time_collide; fcl_peer.cpp is built where libfcl-dev is there. */
#ifndef BENCH_FCL_PEER_H
#define BENCH_FCL_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fcl_body;

/* Its tree of oriented boxes and rectangle swept spheres (OBBRSS) over its own copy of the triangles. NULL when that
 * fails. */
struct fcl_body *fcl_body_new(const double (*vertices)[3], size_t vertex_count, const uint32_t (*triangles)[3],
                              size_t triangle_count);
void fcl_body_free(struct fcl_body *body);
/* Whether they touch, with no contact asked for; `placed` is the 3x4 matrix that takes the other's frame to the first
 * one's. */
bool fcl_bodies_meet(const struct fcl_body *one, const struct fcl_body *other, const double placed[12]);
/* 0 or less where they touch. */
double fcl_bodies_distance(const struct fcl_body *one, const struct fcl_body *other, const double placed[12]);

#ifdef __cplusplus
}
#endif
#endif
