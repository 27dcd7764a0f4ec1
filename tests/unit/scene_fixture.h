/* Gives each test one context and one scene; fixture.c has them. */
#ifndef SCENE_FIXTURE_H
#define SCENE_FIXTURE_H

#include "fixture.h"

extern cp_context *context;
extern cp_scene *scene;

/* These two give a test of cmocka a new context, with a scene that has its world alone, and free them. */
int set_up(void **unused);
int tear_down(void **unused);
/* Replaces the scene by a new one. */
void fresh_scene(void);
/* The test fails, with the report, if the scene is not sound. */
void finish_scene(void);
/* Replaces the scene by what the draft of it says, which has to be sound. */
void change_scene(struct draft *draft);

#endif
