/* Counts the content for which the scene has no place, and reports it once. */
#include "gltf.h"

static const struct {
    const char *code, *text;
} losses[LOSS_COUNT] = {
    [LOSS_CHUNKS] = {"gltf-unknown-chunk", "chunks of unknown type are not read"},
    [LOSS_TEXTURES] = {"gltf-textures", "textures without an image are not read"},
    [LOSS_SKINS] = {"gltf-skins", "skins are not read"},
    [LOSS_CAMERAS] = {"gltf-cameras", "cameras are not read"},
    [LOSS_LIGHTS] = {"gltf-lights", "lights that no node has are not read"},
    [LOSS_TEXTURE_EXTRAS] = {"gltf-texture-extras", "extras of images and textures are not read"},
    [LOSS_FURTHER_SETS] = {"gltf-coordinates", "texture coordinates beyond the second set are not read"},
    [LOSS_VARIANTS] = {"gltf-variants", "variants of materials are not read"},
    [LOSS_TANGENTS] = {"gltf-tangents", "tangents of primitives without normals are not read"},
    [LOSS_TARGETS] = {"gltf-targets", "morph targets of primitives are not read"},
    [LOSS_PRIMITIVE_EXTRAS] = {"gltf-primitive-extras", "extras of primitives are not read"},
    [LOSS_COLOURS] = {"gltf-colours", "further vertex colours of primitives are not read"},
    [LOSS_POSITIONS] = {"gltf-positions", "primitives without positions are not read"},
    [LOSS_POINTS] = {"gltf-points", "points are not read"},
    [LOSS_COPY_ATTRIBUTES] = {"gltf-copies", "attributes of instances other than their places are not read"},
    [LOSS_SCENES] = {"gltf-scenes", "nodes of other scenes are not read"},
    [LOSS_STAGES] = {"gltf-articulation", "articulation stages that no joint can hold are not read"},
    [LOSS_WEIGHTS] = {"gltf-weights", "animated morph weights are not read"},
    [LOSS_OTHER_CHANNELS] = {"gltf-channel", "animation channels of other things than nodes are not read"},
    [LOSS_CHANNELS] = {"gltf-channel-target", "animation channels that the scene cannot hold are not read"},
    [LOSS_TIMES] = {"gltf-times", "animation channels without keys or with times that do not ascend are not read"},
    [LOSS_ANIMATION_EXTRAS] = {"gltf-animation-extras", "extras of animations are not read"},
    [LOSS_CHANGED_CLIPS] = {"gltf-changed-clip", "clips were changed by another tool; their channels are read"},
    [LOSS_CHANGED_MESHES] = {"gltf-changed-mesh",
                             "meshes were changed by another tool and are read as triangles or lines"},
    [LOSS_CHANGED_GROUPS] = {"gltf-changed-groups",
                             "materials of meshes were changed by another tool and are not read"},
    [LOSS_GONE_NODES] = {"gltf-gone-nodes", "nodes were taken away by another tool"},
    [LOSS_GONE_JOINTS] = {"gltf-gone-joints", "joints were taken away by another tool"},
    [LOSS_GONE_MESHES] = {"gltf-gone-meshes", "meshes were taken away by another tool"},
    [LOSS_GONE_LOOPS] = {"gltf-gone-loops", "loops were taken away by another tool"},
    [LOSS_GONE_DEVICES] = {"gltf-gone-devices", "devices were taken away by another tool"},
    [LOSS_GONE_PAIRS] = {"gltf-gone-pairs", "pairs were taken away by another tool"},
    [LOSS_GONE_CLIPS] = {"gltf-gone-clips", "clips were taken away by another tool"},
};

void gltf_loss(struct gltf *gltf, enum gltf_loss loss, uint64_t count)
{
    gltf->losses[loss] += count;
}

void gltf_report_losses(struct gltf *gltf)
{
    for (uint32_t i = 0; i < LOSS_COUNT && gltf->status == CP_OK; i++)
        if (gltf->losses[i] > 0)
            report_loss(gltf->context, losses[i].code, IN_FILE(gltf->source->name), gltf->losses[i], "%s",
                        losses[i].text);
}
