/* One context and one scene for each test; fixture.c has them. */
#ifndef SCENE_FIXTURE_H
#define SCENE_FIXTURE_H

#include "fixture.h"

extern cp_context *context;
extern cp_scene *scene;

/* For cmocka: a new context with a scene that has its world alone. */
int set_up(void **unused);
int tear_down(void **unused);
/* Replaces the scene by a new one. */
void fresh_scene(void);
/* The test fails, with the report, if the scene is not sound. */
void finish_scene(void);
/* Replaces the scene by what the draft of it says, which has to be sound. */
void change_scene(struct draft *draft);

#endif
