// kdl_check SCENE FILE.urdf [STATES]: compares where the frames of a scene are by our evaluation with where KDL has the
// links of the URDF file that was written of it, at random joint values. Exit 0 if they agree within 1e-9 m and in
// entries of rotations; 1, with what differs, if not; 3 if a file cannot be read.
#include <cellpipe.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <kdl/frames.hpp>
#include <kdl/tree.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <urdf_parser/urdf_parser.h>

static double random_between(double lower, double upper)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lower + (upper - lower) * static_cast<double>(state >> 11) / 9007199254740992.0;
}

// The scene, and what its file should say of it.
struct scene {
    cp_context *context = cp_context_new(nullptr);
    cp_scene *read = nullptr;
    const cp_node *nodes = nullptr;
    const cp_joint *joints = nullptr;
    uint32_t node_count = 0, joint_count = 0;
    std::map<std::string, int> node_names;
    std::vector<std::string> joint_names; // in the file: the second of a name has _2
    std::vector<bool> is_held; // a joint each: it does not move in the file, or moves what does not
};

static bool moves(const urdf::Joint &joint)
{
    return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
           joint.type == urdf::Joint::PRISMATIC;
}

// Finds the joints that have to stay at home: those that the file has not, and those that drive what stands still in it.
static void find_held(scene *cell, const urdf::ModelInterface &model)
{
    cell->is_held.assign(cell->joint_count, false);
    for (uint32_t i = 0; i < cell->joint_count; i++) {
        const cp_joint &joint = cell->joints[i];
        auto found = model.joints_.find(cell->joint_names[i]);
        if (found != model.joints_.end() && moves(*found->second))
            continue;
        cell->is_held[i] = true;
        if (joint.master != CP_NONE)
            cell->is_held[joint.master] = true;
        for (uint32_t k = 0; joint.expression && k < joint.expression->input_count; k++)
            cell->is_held[joint.expression->inputs[k]] = true;
    }
}

static std::vector<double> random_values(const scene &cell, bool rest)
{
    std::vector<double> q(cell.joint_count + 1);
    for (uint32_t i = 0; i < cell.joint_count; i++) {
        const cp_joint &joint = cell.joints[i];
        double most = joint.type == CP_JOINT_REVOLUTE ? 3.1 : 1;
        double lower = std::isinf(joint.lower) ? -most : joint.lower;
        double upper = std::isinf(joint.upper) ? most : joint.upper;
        q[i] = rest || cell.is_held[i] ? joint.home : random_between(lower, upper);
    }
    return q;
}

// Where KDL has the links. values: a value for each joint of the scene that moves in the file.
static void place_links(const urdf::ModelInterface &model, const KDL::Tree &tree,
                        const std::map<std::string, double> &values, std::map<std::string, KDL::Frame> *frames)
{
    std::vector<KDL::SegmentMap::const_iterator> open{tree.getRootSegment()};
    while (!open.empty()) {
        auto at = open.back();
        open.pop_back();
        const std::string &name = at->first;
        KDL::Frame frame;
        if (at != tree.getRootSegment()) {
            const KDL::TreeElement &element = at->second;
            const std::string &above = element.parent->first;
            const urdf::Joint &joint = *model.links_.at(name)->parent_joint;
            double q = 0;
            auto known = values.find(joint.name);
            if (joint.mimic) {
                auto master = values.find(joint.mimic->joint_name);
                q = joint.mimic->multiplier * (master == values.end() ? 0 : master->second) + joint.mimic->offset;
            } else if (known != values.end()) {
                q = known->second;
            }
            frame = frames->at(above) * element.segment.pose(moves(joint) ? q : 0);
        }
        (*frames)[name] = frame;
        for (const auto &child : at->second.children)
            open.push_back(child);
    }
}

// Returns the worst difference between a frame and its link; a frame that is scaled or mirrored has only a place.
static double compare(const cp_pose &world, const KDL::Frame &frame)
{
    double worst = 0;
    bool rigid = true;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double dot = 0;
            for (int row = 0; row < 3; row++)
                dot += world.m[4 * row + i] * world.m[4 * row + k];
            rigid = rigid && std::fabs(dot - (i == k)) < 1e-9;
        }
    const double *m = world.m;
    rigid = rigid && m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
                             m[2] * (m[4] * m[9] - m[5] * m[8]) >
                         0;
    for (int row = 0; row < 3; row++) {
        worst = std::fmax(worst, std::fabs(world.m[4 * row + 3] - frame.p(row)) /
                                     std::fmax(1, std::fabs(world.m[4 * row + 3])));
        for (int column = 0; rigid && column < 3; column++)
            worst = std::fmax(worst, std::fabs(world.m[4 * row + column] - frame.M(row, column)));
    }
    return worst;
}

int main(int count, char **words)
{
    scene cell;
    if (count < 3 || cp_read(cell.context, words[1], nullptr, nullptr, 0, &cell.read) != CP_OK)
        return 3;
    urdf::ModelInterfaceSharedPtr model = urdf::parseURDFFile(words[2]);
    KDL::Tree tree;
    if (!model || !kdl_parser::treeFromUrdfModel(*model, tree))
        return 3;
    int states = count > 3 ? std::atoi(words[3]) : 100, compared = 0;
    cell.nodes = cp_nodes(cell.read, &cell.node_count);
    cell.joints = cp_joints(cell.read, &cell.joint_count);
    uint32_t loops;
    (void)cp_loops(cell.read, &loops);
    for (uint32_t i = 0; i < cell.node_count; i++)
        cell.node_names[cell.nodes[i].name]++;
    std::map<std::string, int> same;
    for (uint32_t i = 0; i < cell.joint_count; i++) {
        int number = ++same[cell.joints[i].name];
        cell.joint_names.push_back(cell.joints[i].name + (number > 1 ? "_" + std::to_string(number) : ""));
    }
    find_held(&cell, *model);
    double worst = 0;
    std::string worst_name;
    std::vector<cp_pose> worlds(cell.node_count);
    std::vector<double> values(cell.joint_count + 1);
    for (int state = 0; state < states; state++) {
        std::vector<double> q = random_values(cell, state == 0 || loops > 0);
        if (cp_joint_values(cell.context, cell.read, q.data(), values.data()) != CP_OK ||
            cp_world_poses(cell.context, cell.read, q.data(), worlds.data()) != CP_OK)
            return 3;
        std::map<std::string, double> moved;
        for (uint32_t i = 0; i < cell.joint_count; i++)
            moved[cell.joint_names[i]] = values[i];
        std::map<std::string, KDL::Frame> frames;
        place_links(*model, tree, moved, &frames);
        for (uint32_t i = 1; i < cell.node_count; i++) {
            auto frame = frames.find(cell.nodes[i].name);
            if (cell.node_names[cell.nodes[i].name] != 1 || (cell.nodes[i].flags & CP_NODE_PLACEHOLDER))
                continue;
            double off = frame == frames.end() ? INFINITY : compare(worlds[i], frame->second);
            if (off > worst || compared == 0) {
                worst = off;
                worst_name = cell.nodes[i].name;
            }
            compared++;
        }
    }
    std::printf("%d comparisons, worst %.3g (%s)\n", compared, worst, worst_name.c_str());
    cp_scene_free(cell.read);
    cp_context_free(cell.context);
    return worst <= 1e-9 ? 0 : 1;
}
