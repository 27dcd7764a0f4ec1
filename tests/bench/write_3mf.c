#include "write_mesh.h"

#include <stdlib.h>
#include <zip.h>

static void add_part(zip_t *archive, const char *name, const char *text, size_t size)
{
    zip_source_t *bytes = zip_source_buffer(archive, text, size, 0);
    if (!bytes || zip_file_add(archive, name, bytes, ZIP_FL_ENC_UTF_8) < 0)
        fail("%s: %s", name, zip_strerror(archive));
}

void write_3mf(const struct mesh *mesh, const char *path)
{
    static const char relations[] =
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
        "Target=\"/3D/3dmodel.model\" Id=\"model\" "
        "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
    static const char types[] =
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" "
        "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"model\" "
        "ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>";
    char *text = NULL;
    size_t size = 0;
    FILE *model = open_memstream(&text, &size);
    if (!model)
        fail("out of memory");
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model unit=\"meter\" "
          "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources><object id=\"1\" "
          "type=\"model\"><mesh><vertices>\n",
          model);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i;
        fprintf(model, "<vertex x=\"%.9g\" y=\"%.9g\" z=\"%.9g\"/>\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    fputs("</vertices><triangles>\n", model);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->corners + 3 * i;
        fprintf(model, "<triangle v1=\"%u\" v2=\"%u\" v3=\"%u\"/>\n", corners[0], corners[1], corners[2]);
    }
    fputs("</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>\n", model);
    close_output(model, "memory");
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    if (!archive)
        fail("%s cannot be written", path);
    add_part(archive, "[Content_Types].xml", types, sizeof types - 1);
    add_part(archive, "_rels/.rels", relations, sizeof relations - 1);
    add_part(archive, "3D/3dmodel.model", text, size);
    if (zip_close(archive) != 0)
        fail("%s: %s", path, zip_strerror(archive));
    free(text);
}
