/* Joints. kinematics.c reads models, systems and what binds their axes to transforms of the picture; axes.c follows the
 * names from there to the axis in a model; joints.c makes joints of the scene where nodes are placed. */
#ifndef CELLPIPE_IMPORTERS_COLLADA_KINEMATICS_H
#define CELLPIPE_IMPORTERS_COLLADA_KINEMATICS_H

#include "collada.h"

/* A <revolute> or <prismatic> of a joint. */
struct collada_axis {
    const char *sid;
    bool turns;
    double axis[3], lower, upper; /* degrees, or units of the file; infinite without limits */
    uint32_t next;                /* the joint's next one; CP_NONE: none */
};
/* A <joint>, or an <instance_joint>, which has the url of one. */
struct collada_joint {
    const char *id, *name, *url; /* url NULL: it is a joint */
    struct collada_list axes;
};
/* A name in a system or scene that leads on: a newparam to another path, an instance to the id of what it shows. */
struct collada_link {
    const char *to;
    bool is_instance;
    uint32_t device; /* the instance of a system that it stands in; CP_NONE */
};
/* A <bind_joint_axis>. */
struct collada_bound {
    const char *target, *path; /* the transform; the axis, as a path */
    const char *name;          /* the joint's; NULL: its node's is taken */
    uint64_t line;
    uint32_t transform;  /* CP_NONE: not found */
    uint32_t next;       /* the next one of the same transform */
    const uint32_t *way; /* nodes from that of the transform up to the first one of the path */
    uint32_t way_count;
    uint32_t axis;   /* CP_NONE: not found */
    uint32_t device; /* its row of devices */
    uint32_t joint;  /* the scene's first one that it moves; others follow that. CP_NONE: none so far */
};
/* A robot: the joints of one instance of a system. */
struct collada_device {
    const char *name, *url; /* name "": that of the system */
    uint32_t joint_count;
};
/* A joint of the scene. */
struct collada_mover {
    uint32_t joint, end, device; /* end: the node that moves with it */
};

struct collada_kinematics {
    struct name_map paths;     /* "owner/sid" to links */
    struct name_map joints_in; /* "model/sid" to joints */
    struct name_map joint_ids, system_ids;
    const char *owner; /* the id of the model, system or scene that is read */
    uint32_t device;   /* the instance of a system that is read; CP_NONE */
    struct collada_axis *axes;
    struct collada_joint *joints;
    struct collada_link *links;
    struct collada_bound *bounds;
    struct collada_device *devices;
    const char **systems; /* names of systems, "" for none */
    struct collada_mover *movers;
    uint32_t axis_count, axis_room, joint_count, joint_room, link_count, link_room, bound_count, bound_room,
        device_count, device_room, system_count, system_room, mover_count, mover_room;
    uint32_t *first_bounds; /* each transform of the top document has one, or CP_NONE; NULL: no joints */
    uint32_t *searches;     /* each node's last search for a sid that has reached it */
    uint32_t search;        /* the number of the last one */
    uint64_t steps;         /* of all of them */
};

/* ---- kinematics.c: readers of elements ---- */

cp_status collada_read_joints(struct collada_document *document, void *into);   /* <library_joints> */
cp_status collada_read_models(struct collada_document *document, void *into);   /* <library_kinematics_models> */
cp_status collada_read_systems(struct collada_document *document, void *into);  /* articulated systems and scenes */
cp_status collada_read_bindings(struct collada_document *document, void *into); /* <instance_kinematics_scene> */
cp_status collada_start_kinematics(struct collada *collada);
void collada_free_kinematics(struct collada *collada);

/* ---- paths.c ---- */

/* The end of a path of sids. */
struct collada_found {
    uint32_t transform; /* CP_NONE: nothing was found */
    const char *member; /* the rest behind the sid: ".ANGLE", "(0)(1)" or "" */
    const uint32_t *way;
    uint32_t way_count; /* as in struct collada_bound */
};
/* CP_LIMIT, reported, once the searches of the file have taken too many steps. */
cp_status collada_check_steps(const struct collada *collada);
/* Finds a transform of the document. CP_LIMIT after too many steps. */
cp_status collada_find_transform(struct collada_document *document, const char *path, struct collada_found *found);

/* ---- axes.c ---- */

/* Finds the transforms and axes of all bindings. */
cp_status collada_resolve_joints(struct collada *collada);

/* ---- joints.c ---- */

/* Adds a node of the document to the scene, below the place `above` (CP_NONE: the world), with its joints. */
cp_status collada_add_node(struct collada_document *document, uint32_t row, uint32_t above, const char *name,
                           uint32_t *target);
/* Returns the value of a joint that the transform says: radians or metres. */
double collada_joint_value(const struct collada *collada, uint32_t bound, const struct collada_transform *transform);
/* Adds a device for each robot. */
cp_status collada_add_devices(struct collada *collada);

#endif
