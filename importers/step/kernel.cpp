// Reads STEP, IGES and BREP by Open CASCADE (7.6), and tessellates what it finds. The rest of cellpipe is C and sees
// kernel.h alone.
//
// The order: load (the file's entities), transfer (shapes, in a document with names and colours), walk (its tree of
// instances), mesh (each product once).
#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <BRepAdaptor_Curve.hxx>
#include <BRepAdaptor_Surface.hxx>
#include <BRepBndLib.hxx>
#include <BRepBuilderAPI_NurbsConvert.hxx>
#include <BRepBuilderAPI_Sewing.hxx>
#include <BRepGProp.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <BinTools.hxx>
#include <Bnd_Box.hxx>
#include <ElSLib.hxx>
#include <GCPnts_TangentialDeflection.hxx>
#include <GProp_GProps.hxx>
#include <Geom_Surface.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <IGESData_IGESModel.hxx>
#include <Interface_Check.hxx>
#include <Interface_CheckIterator.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_Printer.hxx>
#include <NCollection_DataMap.hxx>
#include <Poly_Triangulation.hxx>
#include <Precision.hxx>
#include <Quantity_ColorRGBA.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <STEPConstruct_ExternRefs.hxx>
#include <Standard_Failure.hxx>
#include <Standard_OutOfMemory.hxx>
#include <StepBasic_ProductDefinition.hxx>
#include <StepData_StepModel.hxx>
#include <TColStd_HSequenceOfExtendedString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TDataStd_TreeNode.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedDataMapOfShapeListOfShape.hxx>
#include <TopTools_ShapeMapHasher.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Compound.hxx>
#include <TopoDS_Iterator.hxx>
#include <TransferBRep.hxx>
#include <Transfer_Binder.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DataMapOfShapeLabel.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_LayerTool.hxx>
#include <XCAFDoc_Material.hxx>
#include <XCAFDoc_MaterialTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

namespace
{

// The kernel recurses over the tree of a file, and so do we.
constexpr int deepest_tree = 60;
constexpr uint32_t most_nodes = 1u << 20;

// A solid of more faces is not converted to splines when one of them is lost: that could take minutes.
constexpr size_t most_faces_to_mend = 500;

constexpr double farthest_mended = 1e9; // mm

constexpr double sewing_tolerance = 0.01; // mm

constexpr double farthest_point = 1e30; // mm; floats end at 3.4e38, and squares of lengths are to be finite, too

// The finest triangles that are simplified have this part of the diagonal as their deflection.
constexpr double finest_part = 1e-4;

// Few triangles come of a wide angle; the deflection then decides. Wider ones lose the shape of small circles.
constexpr double coarse_angle = 80 * M_PI / 180;

// Thrown where an array of the model would have more items than its indices count.
struct TooLarge {
};

uint32_t index_of(size_t count)
{
    if (count >= CAD_NONE)
        throw TooLarge();
    return static_cast<uint32_t>(count);
}

// The kernel swallows what it throws when memory runs out, and goes on without the shape. So whoever finds a shape
// missing asks whether there is memory for a larger block than the kernel asks for at once.
void expect_memory()
{
    constexpr size_t larger = size_t(16) << 20;
    void *block = std::malloc(larger);
    if (!block)
        throw std::bad_alloc();
    std::free(block);
}

// The model with the memory that its pointers point to.
struct OwnModel : cad_model {
    std::vector<cad_node> own_nodes;
    std::vector<cad_product> own_products;
    std::vector<cad_group> own_groups;
    std::vector<cad_colour> own_colours;
    std::vector<cad_complaint> own_complaints;
    std::vector<cad_line> own_lines;
    std::vector<double> own_line_points;
    std::vector<double> own_points;
    std::vector<float> own_normals;
    std::vector<uint32_t> own_triangles;
    std::deque<std::string> texts;

    OwnModel() : cad_model()
    {
    }

    const char *keep(const std::string &text)
    {
        texts.push_back(text);
        return texts.back().c_str();
    }

    // Makes the arrays seen by C.
    void publish()
    {
        nodes = own_nodes.data();
        node_count = index_of(own_nodes.size());
        products = own_products.data();
        product_count = index_of(own_products.size());
        groups = own_groups.data();
        group_count = index_of(own_groups.size());
        colours = own_colours.data();
        colour_count = index_of(own_colours.size());
        complaints = own_complaints.data();
        complaint_count = index_of(own_complaints.size());
        lines = own_lines.data();
        line_count = index_of(own_lines.size());
        line_points = reinterpret_cast<const double(*)[3]>(own_line_points.data());
        points = reinterpret_cast<const double(*)[3]>(own_points.data());
        normals = reinterpret_cast<const float(*)[3]>(own_normals.data());
        triangles = reinterpret_cast<const uint32_t(*)[3]>(own_triangles.data());
    }
};

// ---- texts ----

std::string utf8_of(const TCollection_ExtendedString &text)
{
    std::vector<char> bytes(static_cast<size_t>(text.LengthOfCString()) + 1);
    Standard_PCharacter at = bytes.data();
    text.ToUTF8CString(at);
    return bytes.data();
}

// The path of a label in its document.
std::string entry_of(const TDF_Label &label)
{
    TCollection_AsciiString entry;
    TDF_Tool::Entry(label, entry);
    return entry.ToCString();
}

bool name_of(const TDF_Label &label, std::string &name)
{
    Handle(TDataStd_Name) attribute;
    if (!label.FindAttribute(TDataStd_Name::GetID(), attribute))
        return false;
    name = utf8_of(attribute->Get());
    return true;
}

// Keeps the first thing that the kernel prints as an alarm or failure: syntax errors with their lines come this way.
class Printer : public Message_Printer
{
  public:
    mutable std::string first;

  private:
    void send(const TCollection_AsciiString &text, const Message_Gravity gravity) const override
    {
        if (gravity >= Message_Alarm && first.empty())
            first = text.ToCString();
    }
};

// ---- the reading ----

class Reader
{
  public:
    Reader(const cad_request &wish, OwnModel &result) : request(wish), model(result)
    {
    }

    // The application of the process keeps documents that nobody closes.
    ~Reader()
    {
        if (!document.IsNull())
            XCAFApp_Application::GetApplication()->Close(document);
    }

    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

    cad_outcome read(std::string &why)
    {
        Handle(Printer) printer = new Printer;
        Message::DefaultMessenger()->ChangePrinters().Clear();
        Message::DefaultMessenger()->AddPrinter(printer);
        // Shapes without a product would else be called "SOLID" or "COMPOUND", and be taken for products.
        XCAFDoc_ShapeTool::SetAutoNaming(false);
        XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
        shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
        colours = XCAFDoc_DocumentTool::ColorTool(document->Main());
        layers = XCAFDoc_DocumentTool::LayerTool(document->Main());
        materials = XCAFDoc_DocumentTool::MaterialTool(document->Main());
        const bool is_read = request.format == CAD_STEP   ? read_step()
                             : request.format == CAD_IGES ? read_iges()
                                                          : read_brep();
        why = printer->first;
        if (why.find("OutOfMemory") != std::string::npos)
            throw std::bad_alloc();
        if (!is_read || model.own_complaints.size() > 0)
            expect_memory();
        if (!is_read)
            return is_loaded ? CAD_EMPTY : CAD_REFUSED;
        walk_roots();
        for (const Labels &part : parts)
            describe(part);
        return model.own_nodes.empty() ? CAD_EMPTY : CAD_READ;
    }

  private:
    using Labels = std::vector<TDF_Label>;
    using Colours = NCollection_DataMap<TopoDS_Shape, uint32_t, TopTools_ShapeMapHasher>; // by face

    const cad_request &request;
    OwnModel &model;
    Handle(TDocStd_Document) document;
    Handle(XCAFDoc_ShapeTool) shapes;
    Handle(XCAFDoc_ColorTool) colours;
    Handle(XCAFDoc_LayerTool) layers;
    Handle(XCAFDoc_MaterialTool) materials;
    bool is_loaded = false;    // the text is well-formed; it may still hold no shape
    std::vector<Labels> parts; // the labels of each product: one, but for nameless roots
    std::map<std::string, uint32_t> product_by_entry;
    std::map<std::string, std::string> file_by_entry; // of products whose shapes are in other files
    std::map<std::vector<double>, uint32_t> colour_by_value;
    std::map<std::pair<cad_gravity, std::string>, size_t> complaint_by_text;

    // ---- load and transfer ----

    void complain(cad_gravity gravity, const char *text, const std::string &entity)
    {
        if (strncmp(text, "Can not read external file", 26) == 0)
            return; // the caller opens it
        const auto known = complaint_by_text.insert({{gravity, text}, model.own_complaints.size()});
        if (known.second)
            model.own_complaints.push_back({gravity, model.keep(text), model.keep(entity), 0});
        model.own_complaints[known.first->second].count++;
    }

    // gravity: that of the list's failures.
    void take_complaints(Interface_CheckIterator list, const Interface_InterfaceModel &file, cad_gravity gravity)
    {
        for (list.Start(); list.More(); list.Next()) {
            const Handle(Interface_Check) check = list.Value();
            const int number = list.Number();
            std::string entity;
            if (number > 0 && number <= file.NbEntities())
                entity = file.StringLabel(file.Value(number))->ToCString();
            for (int i = 1; i <= check->NbFails(); i++)
                complain(gravity, check->CFail(i), entity);
            for (int i = 1; i <= check->NbWarnings(); i++)
                complain(CAD_REMARK, check->CWarning(i), entity);
        }
    }

    bool read_step()
    {
        STEPCAFControl_Reader reader;
        reader.SetColorMode(true);
        reader.SetNameMode(true);
        reader.SetLayerMode(true);
        reader.SetMatMode(true);
        reader.SetPropsMode(true);
        reader.SetGDTMode(false); // annotations: no shapes, and known to crash
        reader.SetViewMode(false);
        Interface_Static::SetCVal("read.step.codepage", request.codepage); // after the constructor, which sets it
        std::istringstream stream(std::string(request.bytes, request.size));
        if (reader.ChangeReader().ReadStream("file", stream) != IFSelect_RetDone) {
            expect_memory();
            return false;
        }
        is_loaded = true;
        const Interface_InterfaceModel &file = *reader.Reader().WS()->Model();
        take_complaints(reader.Reader().WS()->ModelCheckList(), file, CAD_FAULT);
        const bool is_read = reader.Transfer(document);
        take_complaints(reader.Reader().WS()->TransferReader()->TransientProcess()->CheckList(false), file, CAD_LOSS);
        take_files(reader);
        return is_read;
    }

    // The kernel would open further files itself, by any path; the name "file" keeps it from finding them.
    void take_files(STEPCAFControl_Reader &reader)
    {
        STEPConstruct_ExternRefs files(reader.Reader().WS());
        files.LoadExternRefs();
        const Handle(Transfer_TransientProcess) process = reader.Reader().WS()->TransferReader()->TransientProcess();
        for (int i = 1; i <= files.NbExternRefs(); i++) {
            const Handle(StepBasic_ProductDefinition) definition = files.ProdDef(i);
            const Handle(Transfer_Binder) binder =
                definition.IsNull() ? Handle(Transfer_Binder)() : process->Find(definition);
            const TopoDS_Shape shape = binder.IsNull() ? TopoDS_Shape() : TransferBRep::ShapeResult(process, binder);
            if (!shape.IsNull() && reader.GetShapeLabelMap().IsBound(shape))
                file_by_entry[entry_of(reader.GetShapeLabelMap().Find(shape))] = files.FileName(i);
        }
    }

    bool read_iges()
    {
        IGESCAFControl_Reader reader;
        reader.SetColorMode(true);
        reader.SetNameMode(true);
        reader.SetLayerMode(true);
        // There is no call for a stream; but a file without a name is standard input, which may be any stream. The
        // reader closes it.
        FILE *bytes = fmemopen(const_cast<char *>(request.bytes), request.size, "r"), *before = stdin;
        if (!bytes)
            throw std::bad_alloc();
        stdin = bytes;
        is_loaded = reader.ReadFile("") == IFSelect_RetDone;
        stdin = before;
        if (!is_loaded)
            return false;
        const Handle(IGESData_IGESModel) entities = Handle(IGESData_IGESModel)::DownCast(reader.Model());
        take_complaints(reader.WS()->ModelCheckList(), *entities, CAD_FAULT);
        const bool is_read = reader.Transfer(document);
        take_complaints(reader.WS()->TransferReader()->TransientProcess()->CheckList(false), *entities, CAD_LOSS);
        return is_read;
    }

    bool read_brep()
    {
        // The text has "CASCADE Topology V3" without the word before it.
        static const char binary[] = "Open CASCADE Topology V";
        const std::string bytes(request.bytes, request.size);
        std::istringstream stream(bytes);
        stream.exceptions(std::ios::failbit | std::ios::badbit); // else the kernel waits for numbers without end
        TopoDS_Shape shape;
        BRep_Builder builder;
        if (bytes.substr(0, 100).find(binary) != std::string::npos)
            BinTools::Read(shape, stream);
        else
            BRepTools::Read(shape, stream, builder);
        if (shape.IsNull())
            return false;
        shapes->AddShape(shape, false);
        return true;
    }

    // ---- the tree ----

    uint32_t colour_at(const TDF_Label &label)
    {
        Quantity_ColorRGBA colour;
        if (!colours->GetColor(label, XCAFDoc_ColorSurf, colour) && !colours->GetColor(label, XCAFDoc_ColorGen, colour))
            return CAD_NONE;
        cad_colour found;
        // The kernel holds linear light; files have sRGB.
        colour.GetRGB().Values(found.rgba[0], found.rgba[1], found.rgba[2], Quantity_TOC_sRGB);
        found.rgba[3] = static_cast<double>(colour.Alpha());
        for (double number : found.rgba)
            if (!(number >= 0 && number <= 1)) {
                complain(CAD_FAULT, "A colour is not between 0 and 1, and is left out", "");
                return CAD_NONE;
            }
        const auto known = colour_by_value.insert(
            {std::vector<double>(found.rgba, found.rgba + 4), index_of(model.own_colours.size())});
        if (known.second)
            model.own_colours.push_back(found);
        return known.first->second;
    }

    uint32_t product_at(const TDF_Label &label)
    {
        const auto known = product_by_entry.insert({entry_of(label), index_of(parts.size())});
        if (known.second)
            parts.push_back({label});
        return known.first->second;
    }

    void walk_roots()
    {
        TDF_LabelSequence roots;
        shapes->GetFreeShapes(roots);
        uint32_t merged = CAD_NONE;
        for (int i = 1; i <= roots.Length(); i++)
            // A part of IGES is many roots, a face each.
            if (merged != CAD_NONE && is_loose(roots.Value(i)))
                parts[merged].push_back(roots.Value(i));
            else if (walk(roots.Value(i), CAD_NONE, 0) && is_loose(roots.Value(i)))
                merged = model.own_nodes.back().product;
    }

    bool is_loose(const TDF_Label &label) const
    {
        std::string name;
        return request.format == CAD_IGES && !XCAFDoc_ShapeTool::IsAssembly(label) && colours->IsVisible(label) &&
               (!name_of(label, name) || name.empty());
    }

    // Returns false for what is hidden.
    bool walk(const TDF_Label &label, uint32_t parent, int depth)
    {
        TDF_Label product = label;
        const bool is_instance = XCAFDoc_ShapeTool::GetReferredShape(label, product);
        cad_node node = {};
        if (!request.keeps_hidden && (!colours->IsVisible(label) || !colours->IsVisible(product))) {
            model.hidden_products++;
            return false;
        }
        std::string name;
        if (is_instance)
            name_of(label, name);
        node.parent = parent;
        node.product = product_at(product);
        node.name = model.keep(name);
        node.colour = is_instance ? colour_at(label) : CAD_NONE;
        const gp_Trsf place = XCAFDoc_ShapeTool::GetLocation(label).Transformation();
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                node.pose[4 * row + column] = place.Value(row + 1, column + 1);
        for (double number : node.pose)
            if (!(std::fabs(number) <= farthest_point)) {
                complain(CAD_LOSS, "An instance of a product is too far away", name);
                return false;
            }
        const uint32_t at = index_of(model.own_nodes.size());
        if (depth > deepest_tree || at >= most_nodes)
            throw TooLarge();
        model.own_nodes.push_back(node);
        if (!XCAFDoc_ShapeTool::IsAssembly(product))
            return true;
        TDF_LabelSequence components;
        XCAFDoc_ShapeTool::GetComponents(product, components);
        for (int i = 1; i <= components.Length(); i++)
            walk(components.Value(i), at, depth + 1);
        return true;
    }

    // ---- products ----

    void describe(const Labels &part)
    {
        const TDF_Label &label = part.front();
        cad_product product = {};
        std::string name;
        product.has_name = name_of(label, name);
        product.name = model.keep(name);
        product.is_assembly = XCAFDoc_ShapeTool::IsAssembly(label);
        product.colour = part.size() == 1 ? colour_at(label) : CAD_NONE;
        const auto file = file_by_entry.find(entry_of(label));
        product.file = file == file_by_entry.end() ? "" : model.keep(file->second);
        product.layers = model.keep(layers_at(label));
        product.material = "";
        take_material(label, product);
        if (!product.is_assembly)
            take_shape(part, product);
        model.own_products.push_back(product);
    }

    std::string layers_at(const TDF_Label &label)
    {
        std::string all;
        Handle(TColStd_HSequenceOfExtendedString) names = new TColStd_HSequenceOfExtendedString;
        layers->GetLayers(label, names);
        for (int i = 1; i <= names->Length(); i++)
            all += (i > 1 ? ", " : "") + utf8_of(names->Value(i));
        return all;
    }

    // The density is left out: the kernel does not look at the unit of its mass.
    void take_material(const TDF_Label &label, cad_product &product)
    {
        Handle(TDataStd_TreeNode) node;
        Handle(TCollection_HAsciiString) name, description, density_name, density_type;
        double density;
        if (label.FindAttribute(XCAFDoc::MaterialRefGUID(), node) && node->HasFather() &&
            materials->GetMaterial(node->Father()->Label(), name, description, density, density_name, density_type) &&
            !name.IsNull())
            product.material = model.keep(name->ToCString());
    }

    // ---- triangles ----

    // A face of a product, and what was meshed in its place: itself, or its copy as a spline.
    struct MeshedFace {
        uint32_t colour;
        TopoDS_Face face;
    };

    void take_shape(const Labels &part, cad_product &product)
    {
        Colours own;
        TopoDS_Shape shape = shape_of(part, own);
        if (shape.IsNull())
            return;
        product.free_points = count(shape, TopAbs_VERTEX, TopAbs_EDGE);
        const TopoDS_Shape unsewn = shape;
        if (request.format == CAD_IGES)
            shape = sewn(shape, own);
        product.solids = count(shape, TopAbs_SOLID, TopAbs_SHAPE);
        const std::vector<MeshedFace> faces = faces_of(shape, own);
        product.face_count = index_of(faces.size());
        const double size = diagonal(shape);
        double deflection = request.relative > 0 ? size * request.relative : request.deflection;
        // Simplification needs most of the error, so it begins with fine triangles; but the finest would be too many.
        if (request.coarse > 0)
            deflection =
                std::min(deflection, std::max(request.coarse / 10, std::min(request.coarse / 2, finest_part * size)));
        // A deflection of more than the part makes holes and exceptions.
        if (!faces.empty() && size > 0) {
            mesh(shape, faces, std::min(deflection, size / 20), request.angle, product.fine);
            take_lines(unsewn, product, std::min(deflection, size / 20));
            if (request.coarse > 0)
                mesh(shape, faces, std::min(request.coarse, size / 20), coarse_angle, product.coarse);
            if (product.fine.volume != 0)
                product.volume = exact_volume(shape);
        } else {
            take_lines(unsewn, product, size > 0 ? std::min(deflection, size / 20) : deflection);
        }
    }

    // Makes triangles of the faces. If a sample is too far from the surface, they are made again at a half, a quarter
    // and an eighth of the deflection.
    void mesh(const TopoDS_Shape &shape, std::vector<MeshedFace> faces, double deflection, double angle,
              cad_triangles &made)
    {
        made.deflection = deflection;
        tessellate(shape, deflection, angle);
        made.deviation = largest_deviation(faces, deflection);
        for (double finer = deflection / 2; made.deviation > deflection && finer > deflection / 10; finer /= 2) {
            tessellate(shape, finer, angle);
            made.deviation = largest_deviation(faces, deflection);
        }
        mend(shape, faces, angle, made);
        if (made.mended_faces > 0)
            made.deviation = largest_deviation(faces, deflection);
        // Faces of one colour are written together.
        std::stable_sort(faces.begin(), faces.end(),
                         [](const MeshedFace &a, const MeshedFace &b) { return a.colour < b.colour; });
        made.first_point = index_of(model.own_points.size() / 3);
        made.first_triangle = index_of(model.own_triangles.size() / 3);
        made.first_group = index_of(model.own_groups.size());
        for (const MeshedFace &face : faces)
            add_face(face, made);
        made.point_count = index_of(model.own_points.size() / 3) - made.first_point;
        made.triangle_count = index_of(model.own_triangles.size() / 3) - made.first_triangle;
        made.group_count = index_of(model.own_groups.size()) - made.first_group;
        if (count(shape, TopAbs_SOLID, TopAbs_SHAPE) > 0 && made.lost_faces == 0 &&
            count(shape, TopAbs_FACE, TopAbs_SOLID) == 0)
            made.volume = volume_of(made);
    }

    static void tessellate(const TopoDS_Shape &shape, double deflection, double angle)
    {
        IMeshTools_Parameters parameters;
        parameters.Deflection = deflection;
        parameters.Angle = angle;
        parameters.InParallel = false; // its threads may not start in a process without rights
        BRepTools::Clean(shape);       // a finer mesh would be kept
        BRepMesh_IncrementalMesh mesher(shape, parameters);
    }

    // Points that a float cannot hold, as damaged files have them, are no triangles for us.
    static bool has_triangles(const TopoDS_Face &face)
    {
        TopLoc_Location location;
        const Handle(Poly_Triangulation) grid = BRep_Tool::Triangulation(face, location);
        if (grid.IsNull() || grid->NbTriangles() == 0)
            return false;
        for (int i = 1; i <= grid->NbNodes(); i++)
            for (int axis = 1; axis <= 3; axis++)
                if (!(std::fabs(grid->Node(i).Coord(axis)) <= farthest_point))
                    return false;
        return true;
    }

    // The kernel converts what is very far away without end.
    static bool has_near_surface(const TopoDS_Face &face)
    {
        double first_u, last_u, first_v, last_v;
        BRepTools::UVBounds(face, first_u, last_u, first_v, last_v);
        const gp_Pnt middle = BRepAdaptor_Surface(face, false).Value((first_u + last_u) / 2, (first_v + last_v) / 2);
        return middle.XYZ().Modulus() <= farthest_mended;
    }

    // Meshes solids of which a face got no triangles again, as splines: that helps with cones that reach their apex. A
    // copy has its faces in the same order.
    static void mend(const TopoDS_Shape &shape, std::vector<MeshedFace> &faces, double angle, cad_triangles &made)
    {
        size_t first = 0;
        for (TopExp_Explorer at(shape, TopAbs_SOLID); at.More(); at.Next()) {
            const size_t end = first + count(at.Current(), TopAbs_FACE, TopAbs_SHAPE);
            size_t lost = 0;
            bool is_near = diagonal(at.Current()) <= farthest_mended;
            for (size_t i = first; i < end; i++)
                if (!has_triangles(faces[i].face)) {
                    lost++;
                    is_near &= has_near_surface(faces[i].face);
                }
            if (lost > 0 && is_near && end - first <= most_faces_to_mend)
                made.mended_faces += mend_solid(at.Current(), &faces[first], end - first, lost, made.deflection, angle);
            first = end;
        }
    }

    // Returns how many faces have triangles now that had none.
    static uint32_t mend_solid(const TopoDS_Shape &solid, MeshedFace *faces, size_t number, size_t lost,
                               double deflection, double angle)
    {
        const TopoDS_Shape copy = BRepBuilderAPI_NurbsConvert(solid, true).Shape();
        std::vector<TopoDS_Face> copies;
        size_t still_lost = 0;
        tessellate(copy, deflection, angle);
        for (TopExp_Explorer at(copy, TopAbs_FACE); at.More(); at.Next()) {
            copies.push_back(TopoDS::Face(at.Current()));
            still_lost += !has_triangles(copies.back());
        }
        if (copies.size() != number || still_lost >= lost)
            return 0;
        for (size_t i = 0; i < number; i++)
            faces[i].face = copies[i];
        return index_of(lost - still_lost);
    }

    static double exact_volume(const TopoDS_Shape &shape)
    {
        double volume = 0;
        for (TopExp_Explorer at(shape, TopAbs_SOLID); at.More(); at.Next()) {
            GProp_GProps exact;
            BRepGProp::VolumeProperties(at.Current(), exact);
            volume += std::fabs(exact.Mass()); // a mirrored one counts negative
        }
        return volume;
    }

    // The volume inside the triangles, by the divergence theorem.
    double volume_of(const cad_triangles &made) const
    {
        double volume = 0;
        const double *points = &model.own_points[3 * static_cast<size_t>(made.first_point)];
        const auto corner = [&](size_t at) {
            const double *point = points + 3 * static_cast<size_t>(model.own_triangles[at]);
            return gp_XYZ(point[0], point[1], point[2]);
        };
        for (size_t i = 3 * static_cast<size_t>(made.first_triangle); i < model.own_triangles.size(); i += 3)
            volume += corner(i).DotCross(corner(i + 1), corner(i + 2)) / 6;
        return volume;
    }

    // ---- lines ----

    // Makes lines of the curves that the request wants: those without a face, then the borders of faces. The seam of a
    // closed face is no border.
    void take_lines(const TopoDS_Shape &shape, cad_product &product, double deflection)
    {
        product.first_line = index_of(model.own_lines.size());
        for (TopExp_Explorer at(shape, TopAbs_EDGE, TopAbs_FACE); at.More(); at.Next())
            product.free_edges += request.edges == CAD_NO_EDGES || !add_line(TopoDS::Edge(at.Current()), deflection);
        product.free_line_count = index_of(model.own_lines.size()) - product.first_line;
        TopTools_IndexedDataMapOfShapeListOfShape faces;
        if (request.edges == CAD_ALL_EDGES)
            TopExp::MapShapesAndAncestors(shape, TopAbs_EDGE, TopAbs_FACE, faces);
        for (int i = 1; i <= faces.Extent(); i++) {
            const TopoDS_Edge edge = TopoDS::Edge(faces.FindKey(i));
            const bool is_free = faces(i).IsEmpty();
            if (!is_free && !BRep_Tool::Degenerated(edge) && !BRep_Tool::IsClosed(edge, TopoDS::Face(faces(i).First())))
                add_line(edge, deflection);
        }
        product.line_count = index_of(model.own_lines.size()) - product.first_line;
    }

    bool add_line(const TopoDS_Edge &edge, double deflection)
    try {
        const BRepAdaptor_Curve curve(edge);
        if (Precision::IsInfinite(curve.FirstParameter()) || Precision::IsInfinite(curve.LastParameter()))
            return false;
        const GCPnts_TangentialDeflection points(curve, request.angle, deflection);
        model.own_lines.push_back(
            {index_of(model.own_line_points.size() / 3), static_cast<uint32_t>(points.NbPoints())});
        for (int i = 1; i <= points.NbPoints(); i++)
            for (int axis = 1; axis <= 3; axis++)
                model.own_line_points.push_back(points.Value(i).Coord(axis));
        index_of(model.own_line_points.size());
        return true;
    } catch (const Standard_Failure &) {
        expect_memory();
        return false; // an edge without a curve
    }

    // ---- deviation ----

    // The largest distance between the surface and the middles of edges and triangles. Where the point at the middle of
    // the parameters is farther than `enough`, the nearest point is looked for.
    static double largest_deviation(const std::vector<MeshedFace> &faces, double enough)
    {
        double most = 0;
        for (const MeshedFace &meshed : faces) {
            TopLoc_Location location;
            const Handle(Poly_Triangulation) grid = BRep_Tool::Triangulation(meshed.face, location);
            const BRepAdaptor_Surface surface(meshed.face, false);
            if (!has_triangles(meshed.face) || !grid->HasUVNodes())
                continue;
            for (int i = 1; i <= grid->NbTriangles(); i++)
                most = std::max(most, deviation_of(*grid, i, location.Transformation(), surface, enough));
        }
        return most;
    }

    static double deviation_of(const Poly_Triangulation &grid, int triangle, const gp_Trsf &place,
                               const BRepAdaptor_Surface &surface, double enough)
    {
        static const double weights[4][3] = {{.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}, {1. / 3, 1. / 3, 1. / 3}};
        int corners[3];
        grid.Triangle(triangle).Get(corners[0], corners[1], corners[2]);
        double most = 0;
        for (const double *weight : weights) {
            gp_XYZ point(0, 0, 0);
            gp_XY at(0, 0);
            for (int i = 0; i < 3; i++) {
                point += weight[i] * grid.Node(corners[i]).Transformed(place).XYZ();
                at += weight[i] * grid.UVNode(corners[i]).XY();
            }
            most = std::max(most, distance_to(surface, point, at, enough));
        }
        return most;
    }

    // The distance of a point from the surface; at: the parameters of a point near it.
    static double distance_to(const BRepAdaptor_Surface &surface, const gp_XYZ &point, const gp_XY &at, double enough)
    {
        double u, v;
        switch (surface.GetType()) {
        case GeomAbs_Plane:
            return 0;
        case GeomAbs_Cylinder:
            ElSLib::Parameters(surface.Cylinder(), point, u, v);
            break;
        case GeomAbs_Cone:
            ElSLib::Parameters(surface.Cone(), point, u, v);
            break;
        case GeomAbs_Sphere:
            ElSLib::Parameters(surface.Sphere(), point, u, v);
            break;
        case GeomAbs_Torus:
            ElSLib::Parameters(surface.Torus(), point, u, v);
            break;
        default:
            return searched_distance(surface, point, at, enough);
        }
        return surface.Value(u, v).Distance(point);
    }

    // The same for any surface, by steps of Gauss and Newton from these parameters.
    static double searched_distance(const BRepAdaptor_Surface &surface, const gp_XYZ &point, gp_XY at, double enough)
    {
        double nearest = RealLast();
        for (int step = 0; step < 6; step++) {
            gp_Pnt on;
            gp_Vec u, v;
            surface.D1(at.X(), at.Y(), on, u, v);
            const gp_Vec way(on, gp_Pnt(point));
            const double distance = way.Magnitude();
            nearest = std::min(nearest, distance);
            const double uu = u.Dot(u), uv = u.Dot(v), vv = v.Dot(v), determinant = uu * vv - uv * uv;
            if (nearest <= enough || distance > nearest || !(determinant > 1e-12 * uu * vv))
                break;
            at += gp_XY(vv * u.Dot(way) - uv * v.Dot(way), uu * v.Dot(way) - uv * u.Dot(way)) / determinant;
        }
        return nearest;
    }

    static uint32_t count(const TopoDS_Shape &shape, TopAbs_ShapeEnum kind, TopAbs_ShapeEnum outside)
    {
        size_t found = 0;
        for (TopExp_Explorer at(shape, kind, outside); at.More(); at.Next())
            found++;
        return index_of(found);
    }

    static double diagonal(const TopoDS_Shape &shape)
    {
        Bnd_Box box;
        BRepBndLib::Add(shape, box, false);
        if (box.IsVoid())
            return 0;
        box.SetGap(0);
        return std::sqrt(box.SquareExtent());
    }

    // Lists the faces as the product has them, those of solids first, as mend expects them. A face may be in it twice,
    // turned.
    static std::vector<MeshedFace> faces_of(const TopoDS_Shape &shape, const Colours &own)
    {
        std::vector<MeshedFace> list;
        const auto add = [&](const TopoDS_Shape &face) {
            const uint32_t *colour = own.Seek(face);
            list.push_back({colour ? *colour : CAD_NONE, TopoDS::Face(face)});
        };
        for (TopExp_Explorer solid(shape, TopAbs_SOLID); solid.More(); solid.Next())
            for (TopExp_Explorer at(solid.Current(), TopAbs_FACE); at.More(); at.Next())
                add(at.Current());
        for (TopExp_Explorer at(shape, TopAbs_FACE, TopAbs_SOLID); at.More(); at.Next())
            add(at.Current());
        return list;
    }

    // The shape of a product, and the colours of its faces: each face's own before its shell's before its solid's.
    TopoDS_Shape shape_of(const Labels &part, Colours &own)
    {
        if (part.size() == 1) {
            add_colours(part.front(), own);
            return XCAFDoc_ShapeTool::GetShape(part.front());
        }
        TopoDS_Compound all;
        BRep_Builder builder;
        builder.MakeCompound(all);
        for (const TDF_Label &label : part) {
            const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(label);
            const uint32_t colour = colour_at(label);
            for (TopExp_Explorer at(shape, TopAbs_FACE); at.More() && colour != CAD_NONE; at.Next())
                own.Bind(at.Current(), colour);
            add_colours(label, own);
            builder.Add(all, shape);
        }
        return all;
    }

    void add_colours(const TDF_Label &label, Colours &own)
    {
        NCollection_DataMap<TopoDS_Shape, int, TopTools_ShapeMapHasher> kinds;
        TDF_LabelSequence pieces;
        XCAFDoc_ShapeTool::GetSubShapes(label, pieces);
        for (int i = 1; i <= pieces.Length(); i++) {
            const TopoDS_Shape piece = XCAFDoc_ShapeTool::GetShape(pieces.Value(i));
            const uint32_t colour = colour_at(pieces.Value(i));
            if (colour == CAD_NONE || piece.IsNull())
                continue;
            for (TopExp_Explorer at(piece, TopAbs_FACE); at.More(); at.Next()) {
                const int *kind = kinds.Seek(at.Current());
                if (!kind || *kind < piece.ShapeType()) {
                    kinds.Bind(at.Current(), piece.ShapeType());
                    own.Bind(at.Current(), colour);
                }
            }
        }
    }

    // Joins the loose faces of IGES along their edges, a compound at a time: parts that touch stay apart.
    static TopoDS_Shape sewn(const TopoDS_Shape &shape, Colours &own)
    {
        TopoDS_Compound all;
        BRep_Builder builder;
        BRepBuilderAPI_Sewing sewing(sewing_tolerance);
        bool has_faces = false;
        if (shape.ShapeType() != TopAbs_COMPOUND)
            return shape;
        builder.MakeCompound(all);
        for (TopoDS_Iterator at(shape); at.More(); at.Next())
            if (at.Value().ShapeType() == TopAbs_COMPOUND) {
                builder.Add(all, sewn(at.Value(), own));
            } else if (at.Value().ShapeType() == TopAbs_FACE || at.Value().ShapeType() == TopAbs_SHELL) {
                sewing.Add(at.Value());
                has_faces = true;
            } else {
                builder.Add(all, at.Value());
            }
        if (!has_faces)
            return all;
        sewing.Perform();
        for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next())
            if (const uint32_t *colour = own.Seek(at.Current()))
                own.Bind(sewing.ModifiedSubShape(at.Current()), uint32_t(*colour));
        if (!sewing.SewedShape().IsNull())
            builder.Add(all, sewing.SewedShape());
        return all;
    }

    void add_face(const MeshedFace &meshed, cad_triangles &made)
    {
        const TopoDS_Face &face = meshed.face;
        if (!has_triangles(face)) {
            expect_memory();
            GProp_GProps area;
            BRepGProp::SurfaceProperties(face, area);
            made.lost_faces++;
            made.lost_area += std::fabs(area.Mass());
            return;
        }
        TopLoc_Location location;
        const Handle(Poly_Triangulation) grid = BRep_Tool::Triangulation(face, location);
        const gp_Trsf place = location.Transformation();
        const bool is_turned = face.Orientation() == TopAbs_REVERSED;
        const bool is_mirrored = place.VectorialPart().Determinant() < 0;
        const uint32_t first = index_of(model.own_points.size() / 3) - made.first_point;
        if (model.own_groups.size() == made.first_group || model.own_groups.back().colour != meshed.colour)
            model.own_groups.push_back(
                {index_of(model.own_triangles.size() / 3) - made.first_triangle, 0, meshed.colour});
        add_points(face, *grid, place, is_turned);
        for (int i = 1; i <= grid->NbTriangles(); i++) {
            int corners[3];
            grid->Triangle(i).Get(corners[0], corners[1], corners[2]);
            if (is_turned != is_mirrored)
                std::swap(corners[1], corners[2]);
            for (int corner : corners)
                model.own_triangles.push_back(first + static_cast<uint32_t>(corner - 1));
        }
        index_of(model.own_triangles.size());
        model.own_groups.back().triangle_count += static_cast<uint32_t>(grid->NbTriangles());
    }

    // Adds the points of a face with the normals of its surface, which point out of the solid.
    void add_points(const TopoDS_Face &face, const Poly_Triangulation &grid, const gp_Trsf &place, bool is_turned)
    {
        TopLoc_Location ignored;
        const Handle(Geom_Surface) surface = BRep_Tool::Surface(face, ignored);
        const bool has_places = grid.HasUVNodes() && !surface.IsNull();
        for (int i = 1; i <= grid.NbNodes(); i++) {
            const gp_Pnt point = grid.Node(i).Transformed(place);
            gp_Vec normal(0, 0, 0);
            if (has_places) {
                const gp_Pnt2d at = grid.UVNode(i);
                gp_Pnt on;
                gp_Vec along_u, along_v;
                surface->D1(at.X(), at.Y(), on, along_u, along_v);
                const double sines = along_u.Magnitude() * along_v.Magnitude();
                normal = along_u.Crossed(along_v);
                // At an apex one of the two vanishes, or both are parallel.
                normal = normal.Magnitude() > 1e-7 * sines && normal.Magnitude() > 1e-14
                             ? normal.Transformed(place).Normalized()
                             : gp_Vec(0, 0, 0);
                if (is_turned)
                    normal.Reverse();
            }
            for (int axis = 1; axis <= 3; axis++) {
                model.own_points.push_back(point.Coord(axis));
                model.own_normals.push_back(static_cast<float>(normal.Coord(axis)));
            }
        }
        index_of(model.own_points.size());
    }
};

// The kernel keeps some of what it allocates until the process ends. A build with a leak checker does not count that.
extern "C" __attribute__((weak)) void __lsan_disable();
extern "C" __attribute__((weak)) void __lsan_enable();

struct UncheckedLeaks {
    UncheckedLeaks()
    {
        if (__lsan_disable)
            __lsan_disable();
    }
    ~UncheckedLeaks()
    {
        if (__lsan_enable)
            __lsan_enable();
    }
    UncheckedLeaks(const UncheckedLeaks &) = delete;
    UncheckedLeaks &operator=(const UncheckedLeaks &) = delete;
};

void set_text(char text[CAD_TEXT], const char *words)
{
    snprintf(text, CAD_TEXT, "%s", words ? words : "");
}

} // namespace

// What the kernel throws must not reach C.
extern "C" enum cad_outcome cad_read(const struct cad_request *request, struct cad_model **model, char text[CAD_TEXT])
{
    const UncheckedLeaks unchecked;
    *model = nullptr;
    text[0] = '\0';
    try {
        OwnModel *own = new OwnModel;
        *model = own;
        std::string why;
        const cad_outcome outcome = Reader(*request, *own).read(why);
        own->publish();
        set_text(text, why.c_str());
        return outcome;
    } catch (const std::bad_alloc &) {
        return CAD_NO_MEMORY;
    } catch (const TooLarge &) {
        return CAD_TOO_LARGE;
    } catch (const Standard_OutOfMemory &) {
        return CAD_NO_MEMORY;
    } catch (const Standard_Failure &failure) {
        set_text(text, failure.GetMessageString());
    } catch (const std::ios_base::failure &) {
        set_text(text, "its text ends, or has another word, where a number should be");
    } catch (const std::exception &failure) {
        set_text(text, failure.what());
    }
    return CAD_REFUSED;
}

extern "C" void cad_free(struct cad_model *model)
{
    delete static_cast<OwnModel *>(model);
}
