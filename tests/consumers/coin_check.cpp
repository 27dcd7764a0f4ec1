// coin_check FILE.wrl: what Coin makes of a VRML97 file, as one line of JSON. Exit 0 when it had nothing to complain
// of, 2 when it had, 3 when the file cannot be read at all.
// coin_check --normals FILE.wrl: a line a triangle of an IndexedFaceSet: its creaseAngle, whether it has normals of its
// own, and for each corner its place in the world and its normal in its own coordinates.
// coin_check --looks FILE.wrl: a line a triangle of any shape: its type and transparency, whether it has a texture, and
// for each corner its place in the world, its diffuse colour, and its texture coordinates.
#include <Inventor/SoDB.h>
#include <Inventor/SoInput.h>
#include <Inventor/SoInteraction.h>
#include <Inventor/SoPrimitiveVertex.h>
#include <Inventor/VRMLnodes/SoVRMLGroup.h>
#include <Inventor/VRMLnodes/SoVRMLIndexedFaceSet.h>
#include <Inventor/actions/SoCallbackAction.h>
#include <Inventor/actions/SoGetBoundingBoxAction.h>
#include <Inventor/errors/SoError.h>
#include <Inventor/errors/SoReadError.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

static int complaints = 0;

static void complain(const SoError *error, void *)
{
    complaints++;
    std::fprintf(stderr, "%s\n", error->getDebugString().getString());
}

struct seen {
    SbBox3f box;
    long triangles = 0, lines = 0;
};

static void add_vertex(seen *all, SoCallbackAction *action, const SoPrimitiveVertex *vertex)
{
    SbVec3f point;
    action->getModelMatrix().multVecMatrix(vertex->getPoint(), point);
    all->box.extendBy(point);
}

static void add_triangle(void *user, SoCallbackAction *action, const SoPrimitiveVertex *a, const SoPrimitiveVertex *b,
                         const SoPrimitiveVertex *c)
{
    seen *all = static_cast<seen *>(user);
    all->triangles++;
    for (const SoPrimitiveVertex *vertex : {a, b, c})
        add_vertex(all, action, vertex);
}

static void add_line(void *user, SoCallbackAction *action, const SoPrimitiveVertex *a, const SoPrimitiveVertex *b)
{
    seen *all = static_cast<seen *>(user);
    all->lines++;
    add_vertex(all, action, a);
    add_vertex(all, action, b);
}

static void report(SoVRMLGroup *scene)
{
    /* Coin looks at the indices only when it is asked for the box, which for turned shapes is a box around boxes. */
    SoGetBoundingBoxAction(SbViewportRegion(100, 100)).apply(scene);
    seen all;
    SoCallbackAction action;
    action.addTriangleCallback(SoNode::getClassTypeId(), add_triangle, &all);
    action.addLineSegmentCallback(SoNode::getClassTypeId(), add_line, &all);
    action.apply(scene);
    std::printf("{\"triangles\": %ld, \"lines\": %ld, ", all.triangles, all.lines);
    const SbVec3f a = all.box.getMin(), b = all.box.getMax();
    if (all.box.isEmpty())
        std::printf("\"bounds\": null}\n");
    else
        std::printf("\"bounds\": [[%.9g, %.9g, %.9g], [%.9g, %.9g, %.9g]]}\n", a[0], a[1], a[2], b[0], b[1], b[2]);
}

static void write_triangle(void *, SoCallbackAction *action, const SoPrimitiveVertex *a, const SoPrimitiveVertex *b,
                           const SoPrimitiveVertex *c)
{
    const SoNode *node = action->getCurPathTail();
    if (!node->isOfType(SoVRMLIndexedFaceSet::getClassTypeId()))
        return;
    const SoVRMLIndexedFaceSet *faces = static_cast<const SoVRMLIndexedFaceSet *>(node);
    std::printf("%.9g %d", faces->creaseAngle.getValue(), faces->normal.getValue() != nullptr);
    for (const SoPrimitiveVertex *vertex : {a, b, c}) {
        SbVec3f point, normal = vertex->getNormal();
        action->getModelMatrix().multVecMatrix(vertex->getPoint(), point);
        normal.normalize();
        std::printf(" %.9g %.9g %.9g %.9g %.9g %.9g", point[0], point[1], point[2], normal[0], normal[1], normal[2]);
    }
    std::printf("\n");
}

static void write_normals(SoVRMLGroup *scene)
{
    SoGetBoundingBoxAction(SbViewportRegion(100, 100)).apply(scene);
    SoCallbackAction action;
    action.addTriangleCallback(SoNode::getClassTypeId(), write_triangle, nullptr);
    action.apply(scene);
}

static void write_look(void *, SoCallbackAction *action, const SoPrimitiveVertex *a, const SoPrimitiveVertex *b,
                       const SoPrimitiveVertex *c)
{
    SbVec2s size;
    int parts;
    SbColor ambient, diffuse, specular, emission;
    float shininess, transparency;
    bool textured = action->getTextureImage(size, parts) != nullptr && size[0] > 0;
    action->getMaterial(ambient, diffuse, specular, emission, shininess, transparency, a->getMaterialIndex());
    std::printf("%s %.9g %d", action->getCurPathTail()->getTypeId().getName().getString(), transparency, textured);
    for (const SoPrimitiveVertex *vertex : {a, b, c}) {
        SbVec3f point;
        const SbVec4f &st = vertex->getTextureCoords();
        action->getModelMatrix().multVecMatrix(vertex->getPoint(), point);
        action->getMaterial(ambient, diffuse, specular, emission, shininess, transparency, vertex->getMaterialIndex());
        std::printf(" %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g", point[0], point[1], point[2], diffuse[0], diffuse[1],
                    diffuse[2], st[0], st[1]);
    }
    std::printf("\n");
}

static void write_looks(SoVRMLGroup *scene)
{
    SoGetBoundingBoxAction(SbViewportRegion(100, 100)).apply(scene);
    SoCallbackAction action;
    action.addTriangleCallback(SoNode::getClassTypeId(), write_look, nullptr);
    action.apply(scene);
}

int main(int count, char **words)
{
    SoDB::init();
    SoInteraction::init();
    SoError::setHandlerCallback(complain, nullptr);
    SoReadError::setHandlerCallback(complain, nullptr);
    SoInput input;
    bool normals = count == 3 && std::strcmp(words[1], "--normals") == 0;
    bool looks = count == 3 && std::strcmp(words[1], "--looks") == 0;
    if (count != 2 + (normals || looks) || !input.openFile(words[count - 1]))
        return 3;
    SoVRMLGroup *scene = SoDB::readAllVRML(&input);
    if (!scene)
        return 3;
    scene->ref();
    (normals ? write_normals : looks ? write_looks : report)(scene);
    scene->unref();
    return complaints ? 2 : 0;
}
