#include "write_mesh.h"

void write_dae(const struct mesh *mesh, const char *path)
{
    FILE *file = open_output(path);
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
            "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
            "<asset><unit meter=\"1\"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>\n"
            "<source id=\"p\"><float_array id=\"a\" count=\"%zu\">",
            3 * mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i;
        fprintf(file, "%.9g %.9g %.9g ", (double)p[0], (double)p[1], (double)p[2]);
    }
    fprintf(file,
            "</float_array><technique_common><accessor source=\"#a\" count=\"%zu\" stride=\"3\">"
            "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/>"
            "</accessor></technique_common></source>\n"
            "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\n"
            "<triangles count=\"%zu\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>",
            mesh->vertex_count, mesh->triangle_count);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->corners + 3 * i;
        fprintf(file, "%u %u %u ", corners[0], corners[1], corners[2]);
    }
    fputs("</p></triangles></mesh></geometry></library_geometries>\n"
          "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"><instance_geometry url=\"#g\"/></node>"
          "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene>\n</COLLADA>\n",
          file);
    close_output(file, path);
}
