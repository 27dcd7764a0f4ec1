/* Reports of a file of CAD: the kernel's complaints, the losses, and the figures of the check of its triangles. */
#include <math.h>
#include <stdio.h>

#include "step.h"

#ifdef HAVE_OCCT

#define MOST_VOLUME_ERROR 0.02 /* by tessellation alone */

/* The figures of all products. */
struct figures {
    uint64_t products, faces, lost, mended, open_edges;
    const char *farthest; /* the product with the largest deviation as a part of what was asked for; NULL: none */
    double deviation, asked;
    double volume; /* the largest difference, as a part of the exact volume */
    bool has_volume;
};

static void report_complaints(cp_context *context, const struct step_model *model)
{
    struct place place = IN_FILE(model->path);
    for (uint32_t i = 0; i < model->cad->complaint_count; i++) {
        const struct cad_complaint *said = &model->cad->complaints[i];
        const char *at = *said->entity ? said->entity : "the file";
        if (said->gravity == CAD_LOSS)
            report_loss(context, "step-entity", place, said->count, "entities (%s) that give no shape: %s", at,
                        said->text);
        else if (said->gravity == CAD_FAULT)
            report_warning(context, "step-fault", place, "%s%s: %s", at, said->count > 1 ? " and others" : "",
                           said->text);
    }
}

/* Reports what is wrong with the triangles of a product, and adds its figures. */
static void report_product(cp_context *context, const struct step_model *model, uint32_t index, struct figures *figures)
{
    const struct cad_product *product = &model->cad->products[index];
    const struct step_product *made = &model->products[index];
    struct place place = IN_FILE(model->path);
    double off = fabs(fabs(made->volume) - made->exact_volume);
    if (made->lost_faces)
        report_loss(context, "step-face", place, made->lost_faces,
                    "faces of \"%s\", %.3g mm2 in all, that Open CASCADE cannot tessellate", product->name,
                    made->lost_area);
    if (off > MOST_VOLUME_ERROR * made->exact_volume)
        report_loss(context, "step-volume", place, 1,
                    "the shape of \"%s\": its triangles enclose %.4g mm3, its surfaces %.4g mm3", product->name,
                    made->volume, made->exact_volume);
    if (made->deviation > made->asked)
        report_warning(context, "step-deviation", place,
                       "\"%s\": triangles up to %.3g mm from the surface, not %.3g mm", product->name, made->deviation,
                       made->asked);
    if (made->open_edges)
        report_warning(context, "step-open", place, "\"%s\" is solid, but its triangles leave %llu edges open",
                       product->name, (unsigned long long)made->open_edges);
    figures->products += product->face_count > 0;
    figures->faces += product->face_count;
    figures->lost += made->lost_faces;
    figures->mended += made->mended_faces;
    figures->open_edges += made->open_edges;
    if (made->exact_volume > 0) {
        figures->has_volume = true;
        figures->volume = fmax(figures->volume, off / made->exact_volume);
    }
    if (made->asked > 0 &&
        (!figures->farthest || made->deviation * figures->asked > figures->deviation * made->asked)) {
        figures->farthest = product->name;
        figures->deviation = made->deviation;
        figures->asked = made->asked;
    }
}

static void report_figures(cp_context *context, const struct step_model *model, const struct figures *figures)
{
    char volume[80] = "";
    if (!figures->farthest)
        return;
    if (figures->has_volume)
        (void)snprintf(volume, sizeof volume, "; volume within %.2g %%, open edges of solids: %llu",
                       100 * figures->volume, (unsigned long long)figures->open_edges);
    report_note(context, "step-checked", IN_FILE(model->path),
                "faces checked: %llu, of products: %llu; lost: %llu, mended: %llu; at most %.3g mm from the surface "
                "(%.3g mm asked for, \"%s\")%s",
                (unsigned long long)figures->faces, (unsigned long long)figures->products,
                (unsigned long long)figures->lost, (unsigned long long)figures->mended, figures->deviation,
                figures->asked, figures->farthest, volume);
}

/* Reports what the file has and the scene has not. */
static void report_rest(cp_context *context, const struct step_model *model)
{
    const struct cad_model *cad = model->cad;
    struct place place = IN_FILE(model->path);
    uint64_t edges = 0, points = 0;
    for (uint32_t i = 0; i < cad->product_count; i++) {
        edges += model->products[i].lost_edges;
        points += cad->products[i].free_points;
    }
    const struct {
        const char *code;
        uint64_t count;
        const char *text;
    } losses[] = {
        {"step-curve", edges, "curves that bound no face"},
        {"step-point", points, "points"},
        {"step-hidden", cad->hidden_products, "parts that the file hides; --in hidden=yes reads them"},
        {"step-annotation", model->facts.annotations, "annotations (PMI)"},
        {"step-tessellated", model->facts.tessellated, "shapes of triangles (AP242), which Open CASCADE does not read"},
        {"step-kinematics", model->facts.joints, "joints of mechanisms"},
        {"step-placement", model->facts.misplaced,
         "mapped items that a mirroring, scaling or complex operator places, which Open CASCADE places wrongly"}};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count)
            report_loss(context, losses[i].code, place, losses[i].count, "%s", losses[i].text);
}

void step_report(cp_context *context, const struct step_model *model)
{
    struct figures figures = {0};
    report_complaints(context, model);
    for (uint32_t i = 0; i < model->cad->product_count; i++)
        report_product(context, model, i, &figures);
    report_figures(context, model, &figures);
    report_rest(context, model);
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif
