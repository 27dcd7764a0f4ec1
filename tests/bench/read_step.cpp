// read_step FILE: reads STEP or IGES by Open CASCADE alone, with names and colours, and tessellates each product as
// cellpipe does at first: 0.1 % of its diagonal, 20 degrees. Prints the number of triangles. It checks and writes
// nothing: what is left for a converter around the kernel.
#include <cmath>
#include <cstdio>
#include <cstring>

#include <BRepBndLib.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Poly_Triangulation.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Compound.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>

template <class Reader> static bool read(const char *path, Handle(TDocStd_Document) & document)
{
    Reader reader;
    reader.SetColorMode(true);
    reader.SetNameMode(true);
    return reader.ReadFile(path) == IFSelect_RetDone && reader.Transfer(document);
}

static long tessellate(const TopoDS_Shape &shape)
{
    Bnd_Box box;
    BRepBndLib::Add(shape, box, false);
    if (box.IsVoid())
        return 0;
    box.SetGap(0);
    BRepMesh_IncrementalMesh mesher(shape, 0.001 * std::sqrt(box.SquareExtent()), false, 20 * M_PI / 180);
    long triangles = 0;
    for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next()) {
        TopLoc_Location location;
        const Handle(Poly_Triangulation) grid = BRep_Tool::Triangulation(TopoDS::Face(at.Current()), location);
        triangles += grid.IsNull() ? 0 : grid->NbTriangles();
    }
    return triangles;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: read_step FILE\n");
        return 2;
    }
    Message::DefaultMessenger()->ChangePrinters().Clear();
    Handle(TDocStd_Document) document;
    XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
    const bool is_iges = strstr(arguments[1], ".ig") || strstr(arguments[1], ".IG");
    if (!(is_iges ? read<IGESCAFControl_Reader>(arguments[1], document)
                  : read<STEPCAFControl_Reader>(arguments[1], document)))
        return 1;
    TDF_LabelSequence products;
    XCAFDoc_DocumentTool::ShapeTool(document->Main())->GetShapes(products);
    TopoDS_Compound loose; // the faces of IGES are one part
    BRep_Builder builder;
    builder.MakeCompound(loose);
    long triangles = 0;
    for (int i = 1; i <= products.Length(); i++) {
        const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(products.Value(i));
        if (is_iges)
            builder.Add(loose, shape);
        else if (!XCAFDoc_ShapeTool::IsAssembly(products.Value(i)))
            triangles += tessellate(shape);
    }
    triangles += tessellate(loose);
    printf("%ld triangles\n", triangles);
    return 0;
}
