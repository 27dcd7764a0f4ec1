/* make_3mf_samples FOLDER: writes the 3MF sample.
 *     cc -o make_3mf_samples tests/make_3mf_samples.c && ./make_3mf_samples samples */
#include "unit/zip_writer.h"

#include <stdio.h>

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define MODEL                                                                                                          \
    "<model unit=\"%s\" xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"\n"                         \
    " xmlns:m=\"http://schemas.microsoft.com/3dmanufacturing/material/2015/02\"\n"                                     \
    " xmlns:p=\"http://schemas.microsoft.com/3dmanufacturing/production/2015/06\" requiredextensions=\"m p\">\n"

static const char relations[] =
    XML "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\n"
        " <Relationship Target=\"/3D/3dmodel.model\" Id=\"model\""
        " Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/>\n</Relationships>\n";

static const char types[] =
    XML "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\n"
        " <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\n"
        " <Default Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>\n"
        "</Types>\n";

/* A finger in two colours, another one of it, mirrored, and a jaw from another part that goes from red to blue. */
static const char root[] =
    " <metadata name=\"Title\">gripper</metadata>\n <resources>\n"
    "  <basematerials id=\"1\"><base name=\"steel\" displaycolor=\"#A0A8B0\"/>"
    "<base name=\"rubber\" displaycolor=\"#202020FF\"/></basematerials>\n"
    "  <object id=\"2\" name=\"finger\" type=\"model\" pid=\"1\" pindex=\"0\" partnumber=\"F-7\">\n   <mesh>\n"
    "    <vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"10\" y=\"0\" z=\"0\"/>"
    "<vertex x=\"0\" y=\"10\" z=\"0\"/><vertex x=\"0\" y=\"0\" z=\"40\"/></vertices>\n"
    "    <triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" v3=\"3\"/>"
    "<triangle v1=\"1\" v2=\"2\" v3=\"3\" pid=\"1\" p1=\"1\"/><triangle v1=\"2\" v2=\"0\" v3=\"3\"/></triangles>\n"
    "   </mesh>\n  </object>\n"
    "  <object id=\"3\" name=\"gripper\" type=\"model\">\n   <components>\n"
    "    <component objectid=\"2\" transform=\"1 0 0 0 1 0 0 0 1 20 0 0\"/>\n"
    "    <component objectid=\"2\" transform=\"-1 0 0 0 1 0 0 0 1 -20 0 0\"/>\n"
    "    <component objectid=\"1\" p:path=\"/3D/jaw.model\"/>\n   </components>\n  </object>\n </resources>\n"
    " <build>\n  <item objectid=\"3\" partnumber=\"G-1\" transform=\"0 1 0 -1 0 0 0 0 1 100 50 0\"/>\n"
    "  <item objectid=\"2\"/>\n </build>\n</model>\n";

static const char jaw[] =
    " <resources>\n  <m:colorgroup id=\"7\"><m:color color=\"#FF0000\"/><m:color color=\"#0000FF80\"/></m:colorgroup>\n"
    "  <object id=\"1\" name=\"jaw\" type=\"model\" pid=\"7\" pindex=\"0\">\n   <mesh>\n"
    "    <vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/>"
    "<vertex x=\"0\" y=\"1\" z=\"0\"/><vertex x=\"0\" y=\"0\" z=\"1\"/></vertices>\n"
    "    <triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" v3=\"3\" p1=\"0\" p2=\"0\" "
    "p3=\"1\"/>"
    "<triangle v1=\"1\" v2=\"2\" v3=\"3\" p1=\"0\" p2=\"0\" p3=\"1\"/><triangle v1=\"2\" v2=\"0\" "
    "v3=\"3\"/></triangles>\n"
    "   </mesh>\n  </object>\n </resources>\n <build/>\n</model>\n";

static struct bytes zip, directory;

static void put_model(const char *name, const char *unit, const char *rest)
{
    char text[8192];
    (void)snprintf(text, sizeof text, XML MODEL "%s", unit, rest);
    put_zipped(&zip, &directory, name, text, false);
}

int main(int count, char **arguments)
{
    char path[4096];
    put_zipped(&zip, &directory, "[Content_Types].xml", types, false);
    put_zipped(&zip, &directory, "_rels/.rels", relations, false);
    put_model("3D/3dmodel.model", "millimeter", root);
    put_model("3D/jaw.model", "centimeter", jaw);
    end_zip(&zip, &directory, 4);
    (void)snprintf(path, sizeof path, "%s/3mf_gripper.3mf", count > 1 ? arguments[1] : ".");
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(zip.data, 1, zip.size, file) != zip.size || fclose(file) != 0) {
        perror(path);
        return 1;
    }
    return 0;
}
