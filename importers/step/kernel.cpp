// Reads STEP, IGES and BREP by Open CASCADE (7.6), and tessellates what it finds. The rest of cellpipe is C and sees
// kernel.h alone.
//
// The order: load (the file's entities), transfer (shapes, in a document with names and colours), walk (its tree of
// instances), mesh (each product once).
#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <BRepBndLib.hxx>
#include <BRepGProp.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <BinTools.hxx>
#include <Bnd_Box.hxx>
#include <GProp_GProps.hxx>
#include <Geom_Surface.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <IGESData_IGESModel.hxx>
#include <Interface_Check.hxx>
#include <Interface_CheckIterator.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_Printer.hxx>
#include <Poly_Triangulation.hxx>
#include <Quantity_ColorRGBA.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <STEPConstruct_ExternRefs.hxx>
#include <Standard_Failure.hxx>
#include <StepBasic_ProductDefinition.hxx>
#include <StepData_StepModel.hxx>
#include <TColStd_HSequenceOfExtendedString.hxx>
#include <TColStd_SequenceOfAsciiString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TDataStd_TreeNode.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
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

// Thrown where an array of the model would have more items than its indices count.
struct TooLarge {
};

uint32_t index_of(size_t count)
{
    if (count >= CAD_NONE)
        throw TooLarge();
    return static_cast<uint32_t>(count);
}

// The model with the memory that its pointers point to.
struct OwnModel : cad_model {
    std::vector<cad_node> own_nodes;
    std::vector<cad_product> own_products;
    std::vector<cad_group> own_groups;
    std::vector<cad_colour> own_colours;
    std::vector<cad_complaint> own_complaints;
    std::vector<double> own_points;
    std::vector<float> own_normals;
    std::vector<uint32_t> own_triangles;
    std::deque<std::string> texts;

    OwnModel() : cad_model()
    {
        unit = "";
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
        const bool is_read = request.format == CAD_STEP ? read_step()
                             : request.format == CAD_IGES ? read_iges()
                                                          : read_brep();
        why = printer->first;
        if (!is_read)
            return CAD_REFUSED;
        walk_roots();
        for (const TDF_Label &label : labels)
            describe(label);
        return model.own_nodes.empty() ? CAD_EMPTY : CAD_READ;
    }

  private:
    const cad_request &request;
    OwnModel &model;
    Handle(TDocStd_Document) document;
    Handle(XCAFDoc_ShapeTool) shapes;
    Handle(XCAFDoc_ColorTool) colours;
    Handle(XCAFDoc_LayerTool) layers;
    Handle(XCAFDoc_MaterialTool) materials;
    std::vector<TDF_Label> labels; // of the products
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
    void take_complaints(Interface_CheckIterator list, cad_gravity gravity)
    {
        for (list.Start(); list.More(); list.Next()) {
            const Handle(Interface_Check) check = list.Value();
            const std::string entity = list.Number() > 0 ? "#" + std::to_string(list.Number()) : "";
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
        reader.SetGDTMode(false);  // annotations: no shapes, and known to crash
        reader.SetViewMode(false);
        Interface_Static::SetCVal("read.step.codepage", request.codepage); // after the constructor, which sets it
        std::istringstream stream(std::string(request.bytes, request.size));
        if (reader.ChangeReader().ReadStream("file", stream) != IFSelect_RetDone)
            return false;
        take_complaints(reader.Reader().WS()->ModelCheckList(), CAD_FAULT);
        TColStd_SequenceOfAsciiString lengths, angles, solid_angles;
        reader.ChangeReader().FileUnits(lengths, angles, solid_angles);
        if (lengths.Length() > 0)
            model.unit = model.keep(lengths.Value(1).ToCString());
        const bool is_read = reader.Transfer(document);
        take_complaints(reader.Reader().WS()->TransferReader()->TransientProcess()->CheckList(false), CAD_LOSS);
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
        // There is no call for a stream; but a file without a name is standard input, which may be any stream. The reader
        // closes it.
        FILE *bytes = fmemopen(const_cast<char *>(request.bytes), request.size, "r"), *before = stdin;
        if (!bytes)
            throw std::bad_alloc();
        stdin = bytes;
        const bool is_loaded = reader.ReadFile("") == IFSelect_RetDone;
        stdin = before;
        if (!is_loaded)
            return false;
        const Handle(IGESData_IGESModel) entities = Handle(IGESData_IGESModel)::DownCast(reader.Model());
        if (!entities->GlobalSection().UnitName().IsNull())
            model.unit = model.keep(entities->GlobalSection().UnitName()->ToCString());
        take_complaints(reader.WS()->ModelCheckList(), CAD_FAULT);
        const bool is_read = reader.Transfer(document);
        take_complaints(reader.WS()->TransferReader()->TransientProcess()->CheckList(false), CAD_LOSS);
        return is_read;
    }

    bool read_brep()
    {
        static const char binary[] = "Open CASCADE Binary";
        std::istringstream stream(std::string(request.bytes, request.size));
        TopoDS_Shape shape;
        BRep_Builder builder;
        if (request.size > sizeof binary && memcmp(request.bytes, binary, sizeof binary - 1) == 0)
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
        const auto known = colour_by_value.insert(
            {std::vector<double>(found.rgba, found.rgba + 4), index_of(model.own_colours.size())});
        if (known.second)
            model.own_colours.push_back(found);
        return known.first->second;
    }

    uint32_t product_at(const TDF_Label &label)
    {
        const auto known = product_by_entry.insert({entry_of(label), index_of(labels.size())});
        if (known.second)
            labels.push_back(label);
        return known.first->second;
    }

    void walk_roots()
    {
        TDF_LabelSequence roots;
        shapes->GetFreeShapes(roots);
        for (int i = 1; i <= roots.Length(); i++)
            walk(roots.Value(i), CAD_NONE, 0);
    }

    void walk(const TDF_Label &label, uint32_t parent, int depth)
    {
        TDF_Label product = label;
        const bool is_instance = XCAFDoc_ShapeTool::GetReferredShape(label, product);
        cad_node node = {};
        node.is_hidden = !colours->IsVisible(label) || !colours->IsVisible(product);
        if (node.is_hidden && !request.keeps_hidden) {
            model.hidden_products++;
            return;
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
        const uint32_t at = index_of(model.own_nodes.size());
        if (depth > deepest_tree || at >= most_nodes)
            throw TooLarge();
        model.own_nodes.push_back(node);
        if (!XCAFDoc_ShapeTool::IsAssembly(product))
            return;
        TDF_LabelSequence components;
        XCAFDoc_ShapeTool::GetComponents(product, components);
        for (int i = 1; i <= components.Length(); i++)
            walk(components.Value(i), at, depth + 1);
    }

    // ---- products ----

    void describe(const TDF_Label &label)
    {
        cad_product product = {};
        std::string name;
        product.has_name = name_of(label, name);
        product.name = model.keep(name);
        product.is_assembly = XCAFDoc_ShapeTool::IsAssembly(label);
        product.is_hidden = !colours->IsVisible(label);
        product.colour = colour_at(label);
        const auto file = file_by_entry.find(entry_of(label));
        product.file = file == file_by_entry.end() ? "" : model.keep(file->second);
        product.layers = model.keep(layers_at(label));
        product.material = "";
        take_material(label, product);
        product.first_point = index_of(model.own_points.size() / 3);
        product.first_triangle = index_of(model.own_triangles.size() / 3);
        product.first_group = index_of(model.own_groups.size());
        if (!product.is_assembly)
            mesh(label, product);
        product.point_count = index_of(model.own_points.size() / 3) - product.first_point;
        product.triangle_count = index_of(model.own_triangles.size() / 3) - product.first_triangle;
        product.group_count = index_of(model.own_groups.size()) - product.first_group;
        model.own_products.push_back(product);
    }

    std::string layers_at(const TDF_Label &label)
    {
        std::string all;
        Handle(TColStd_HSequenceOfExtendedString) names = new TColStd_HSequenceOfExtendedString;
        layers->GetLayers(label, names);
        for (int i = 1; i <= names->Length(); i++)
            all += utf8_of(names->Value(i)) + "\n";
        return all;
    }

    void take_material(const TDF_Label &label, cad_product &product)
    {
        Handle(TDataStd_TreeNode) node;
        Handle(TCollection_HAsciiString) name, description, density_name, density_type;
        if (!label.FindAttribute(XCAFDoc::MaterialRefGUID(), node) || !node->HasFather() ||
            !materials->GetMaterial(node->Father()->Label(), name, description, product.density,
                                               density_name, density_type))
            return;
        if (!name.IsNull())
            product.material = model.keep(name->ToCString());
        product.density *= 1000; // the kernel's is in g/cm3
    }

    // ---- triangles ----

    struct Coloured {
        uint32_t colour;
        TopoDS_Face face;
    };

    void mesh(const TDF_Label &label, cad_product &product)
    {
        const TopoDS_Shape shape = XCAFDoc_ShapeTool::GetShape(label);
        if (shape.IsNull())
            return;
        TopTools_IndexedMapOfShape faces;
        TopExp::MapShapes(shape, TopAbs_FACE, faces);
        product.solids = count(shape, TopAbs_SOLID, TopAbs_SHAPE);
        product.free_edges = count(shape, TopAbs_EDGE, TopAbs_FACE);
        product.free_points = count(shape, TopAbs_VERTEX, TopAbs_EDGE);
        const double size = diagonal(shape);
        if (faces.IsEmpty() || !(size > 0))
            return;
        // A deflection of more than the part makes holes and exceptions.
        product.deflection = request.relative > 0 ? size * request.relative : request.deflection;
        product.deflection = std::min(product.deflection, size / 20);
        IMeshTools_Parameters parameters;
        parameters.Deflection = product.deflection;
        parameters.Angle = request.angle;
        parameters.InParallel = false; // its threads may not start in a process without rights
        BRepTools::Clean(shape);
        BRepMesh_IncrementalMesh mesher(shape, parameters);
        for (const Coloured &face : faces_by_colour(label, shape, faces)) {
            const uint32_t first = index_of(model.own_triangles.size() / 3);
            add_face(face.face, product);
            const uint32_t added = index_of(model.own_triangles.size() / 3) - first;
            if (model.own_groups.size() == product.first_group || model.own_groups.back().colour != face.colour)
                model.own_groups.push_back({first - product.first_triangle, 0, face.colour});
            model.own_groups.back().triangle_count += added;
        }
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

    // The colour of each face, by its number in the map: its own before its shell's before its solid's.
    std::vector<uint32_t> face_colours(const TDF_Label &label, const TopTools_IndexedMapOfShape &faces)
    {
        const size_t room = static_cast<size_t>(faces.Extent()) + 1;
        std::vector<uint32_t> result(room, CAD_NONE);
        std::vector<int> kinds(room, -1);
        TDF_LabelSequence parts;
        XCAFDoc_ShapeTool::GetSubShapes(label, parts);
        for (int i = 1; i <= parts.Length(); i++) {
            const TopoDS_Shape part = XCAFDoc_ShapeTool::GetShape(parts.Value(i));
            const uint32_t colour = colour_at(parts.Value(i));
            if (colour == CAD_NONE || part.IsNull())
                continue;
            for (TopExp_Explorer at(part, TopAbs_FACE); at.More(); at.Next()) {
                const size_t face = static_cast<size_t>(faces.FindIndex(at.Current()));
                if (face > 0 && kinds[face] < part.ShapeType()) {
                    kinds[face] = part.ShapeType();
                    result[face] = colour;
                }
            }
        }
        return result;
    }

    // Lists the faces as the product has them, those of one colour together. A face may be in it twice, turned.
    std::vector<Coloured> faces_by_colour(const TDF_Label &label, const TopoDS_Shape &shape,
                                          const TopTools_IndexedMapOfShape &faces)
    {
        const std::vector<uint32_t> own = face_colours(label, faces);
        std::vector<Coloured> list;
        for (TopExp_Explorer at(shape, TopAbs_FACE); at.More(); at.Next())
            list.push_back({own[static_cast<size_t>(faces.FindIndex(at.Current()))], TopoDS::Face(at.Current())});
        std::stable_sort(list.begin(), list.end(),
                         [](const Coloured &a, const Coloured &b) { return a.colour < b.colour; });
        return list;
    }

    void add_face(const TopoDS_Face &face, cad_product &product)
    {
        TopLoc_Location location;
        const Handle(Poly_Triangulation) grid = BRep_Tool::Triangulation(face, location);
        if (grid.IsNull() || grid->NbTriangles() == 0) {
            GProp_GProps area;
            BRepGProp::SurfaceProperties(face, area);
            product.lost_faces++;
            product.lost_area += std::fabs(area.Mass());
            return;
        }
        const gp_Trsf place = location.Transformation();
        const bool is_turned = face.Orientation() == TopAbs_REVERSED;
        const bool is_mirrored = place.VectorialPart().Determinant() < 0;
        const uint32_t first = index_of(model.own_points.size() / 3) - product.first_point;
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

void set_text(char text[CAD_TEXT], const char *words)
{
    snprintf(text, CAD_TEXT, "%s", words ? words : "");
}

} // namespace

// What the kernel throws must not reach C.
extern "C" enum cad_outcome cad_read(const struct cad_request *request, struct cad_model **model, char text[CAD_TEXT])
{
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
    } catch (const Standard_Failure &failure) {
        set_text(text, failure.GetMessageString());
    } catch (const std::exception &failure) {
        set_text(text, failure.what());
    }
    return CAD_REFUSED;
}

extern "C" void cad_free(struct cad_model *model)
{
    delete static_cast<OwnModel *>(model);
}
