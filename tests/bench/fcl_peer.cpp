#include "fcl_peer.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

struct fcl_body {
    fcl::BVHModel<fcl::OBBRSSd> model;
};

struct fcl_body *fcl_body_new(const double (*vertices)[3], size_t vertex_count, const uint32_t (*triangles)[3],
                              size_t triangle_count)
{
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> corners;
    points.reserve(vertex_count);
    corners.reserve(triangle_count);
    for (size_t i = 0; i < vertex_count; i++)
        points.emplace_back(vertices[i][0], vertices[i][1], vertices[i][2]);
    for (size_t i = 0; i < triangle_count; i++)
        corners.emplace_back(triangles[i][0], triangles[i][1], triangles[i][2]);
    auto *body = new fcl_body;
    body->model.beginModel(static_cast<int>(triangle_count), static_cast<int>(vertex_count));
    body->model.addSubModel(points, corners);
    if (body->model.endModel() == fcl::BVH_OK)
        return body;
    delete body;
    return nullptr;
}

void fcl_body_free(struct fcl_body *body)
{
    delete body;
}

static fcl::Transform3d transform_of(const double placed[12])
{
    fcl::Transform3d transform = fcl::Transform3d::Identity();
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            transform(row, column) = placed[4 * row + column];
    return transform;
}

bool fcl_bodies_meet(const struct fcl_body *one, const struct fcl_body *other, const double placed[12])
{
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    return fcl::collide(&one->model, fcl::Transform3d::Identity(), &other->model, transform_of(placed), request,
                        result) > 0;
}

double fcl_bodies_distance(const struct fcl_body *one, const struct fcl_body *other, const double placed[12])
{
    fcl::DistanceRequestd request(false, false, 0, 0);
    fcl::DistanceResultd result;
    return fcl::distance(&one->model, fcl::Transform3d::Identity(), &other->model, transform_of(placed), request,
                         result);
}
