// Reads STEP, IGES and BREP by Open CASCADE (7.6), and tessellates what it finds. The rest of cellpipe is C and sees
// kernel.h alone.
//
// The order: load (the file's entities), transfer (shapes, in a document with names and colours), walk (its tree of
// instances), describe (each product once). What is made of a product's shape follows at the end.
#include "kernel.h"

#include <algorithm>
#include <array>
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
#include <BRepBuilderAPI_Sewing.hxx>
#include <BRepGProp.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRepTools_WireExplorer.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <BinTools.hxx>
#include <Bnd_Box.hxx>
#include <ElSLib.hxx>
#include <GCPnts_TangentialDeflection.hxx>
#include <GProp_GProps.hxx>
#include <Geom2d_Curve.hxx>
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
#include <Poly_PolygonOnTriangulation.hxx>
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
#include <TDF_LabelMapHasher.hxx>
#include <TDF_LabelSequence.hxx>
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
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

namespace
{

// The kernel recurses over the tree of a file, and so do we.
constexpr int deepest_tree = 60;
constexpr uint32_t most_nodes = 1u << 20;

constexpr double sewing_tolerance = 0.01; // mm

constexpr double farthest_point = 1e30; // mm; floats end at 3.4e38, and squares of lengths are to be finite, too

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

using Colours = NCollection_DataMap<TopoDS_Shape, uint32_t, TopTools_ShapeMapHasher>; // by face

struct ColouredFace {
    uint32_t colour;
    TopoDS_Face face;
};

// The shape of a product.
struct Shape {
    TopoDS_Shape whole, unsewn;
    std::vector<ColouredFace> faces;
};

struct OwnMesh : cad_mesh {
    std::vector<cad_face> own_faces;
    std::vector<std::array<double, 3>> own_points;
    std::vector<std::array<double, 2>> own_places;
    std::vector<std::array<float, 3>> own_normals;
    std::vector<std::array<uint32_t, 3>> own_triangles;
    std::vector<uint32_t> own_borders;
    std::vector<BRepAdaptor_Surface> surfaces; // one a face
};

struct OwnLines : cad_lines {
    std::vector<cad_line> own_lines;
    std::vector<std::array<double, 3>> own_points;
};

// The model with the memory that its pointers point to.
struct OwnModel : cad_model {
    std::vector<cad_node> own_nodes;
    std::vector<cad_product> own_products;
    std::vector<cad_colour> own_colours;
    std::vector<cad_complaint> own_complaints;
    std::vector<Shape> shapes; // one a product
    std::deque<std::string> texts;
    OwnMesh mesh;
    OwnLines lines;

    const char *keep(const std::string &text)
    {
        texts.push_back(text);
        return texts.back().c_str();
    }
};

// Makes an array seen by C.
template <class Own, class Plain> void publish(const std::vector<Own> &own, Plain *&array, uint32_t &count)
{
    static_assert(sizeof(Own) == sizeof(Plain), "C sees the same items");
    array = reinterpret_cast<Plain *>(own.data());
    count = index_of(own.size());
}

// ---- texts ----

bool name_of(const TDF_Label &label, std::string &name)
{
    Handle(TDataStd_Name) attribute;
    if (!label.FindAttribute(TDataStd_Name::GetID(), attribute))
        return false;
    name = TCollection_AsciiString(attribute->Get()).ToCString();
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
    template <class Item> using ByLabel = NCollection_DataMap<TDF_Label, Item, TDF_LabelMapHasher>;

    const cad_request &request;
    OwnModel &model;
    Handle(TDocStd_Document) document;
    Handle(XCAFDoc_ShapeTool) shapes;
    Handle(XCAFDoc_ColorTool) colours;
    Handle(XCAFDoc_LayerTool) layers;
    bool is_loaded = false;    // the text is well-formed; it may still hold no shape
    std::vector<Labels> parts; // the labels of each product: one, but for nameless roots
    ByLabel<uint32_t> product_by_label;
    ByLabel<int> definition_by_label;
    ByLabel<TCollection_AsciiString> file_by_label; // of products whose shapes are in other files
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
        reader.SetPropsMode(false); // volumes and areas that the file states
        reader.SetGDTMode(false);   // annotations: no shapes, and known to crash
        reader.SetViewMode(false);
        Interface_Static::SetCVal("read.step.codepage", request.codepage); // after the constructor, which sets it
        std::istringstream stream(std::string(request.bytes, request.size));
        if (reader.ChangeReader().ReadStream("file", stream) != IFSelect_RetDone) {
            expect_memory();
            return false;
        }
        is_loaded = true;
        const StepData_StepModel &file = *reader.ChangeReader().StepModel();
        take_complaints(reader.Reader().WS()->ModelCheckList(), file, CAD_FAULT);
        const bool is_read = reader.Transfer(document);
        take_complaints(reader.Reader().WS()->TransferReader()->TransientProcess()->CheckList(false), file, CAD_LOSS);
        take_files(reader);
        take_definitions(reader, file);
        return is_read;
    }

    // The kernel would open further files itself, by any path; the name "file" keeps it from finding them.
    void take_files(STEPCAFControl_Reader &reader)
    {
        STEPConstruct_ExternRefs files(reader.Reader().WS());
        files.LoadExternRefs();
        for (int i = 1; i <= files.NbExternRefs(); i++) {
            const TDF_Label product = label_of(reader, files.ProdDef(i));
            if (!product.IsNull())
                file_by_label.Bind(product, files.FileName(i));
        }
    }

    void take_definitions(STEPCAFControl_Reader &reader, const StepData_StepModel &file)
    {
        for (int i = 1; i <= file.NbEntities(); i++) {
            const auto definition = Handle(StepBasic_ProductDefinition)::DownCast(file.Value(i));
            const TDF_Label product = label_of(reader, definition);
            if (!product.IsNull())
                definition_by_label.Bind(product, file.IdentLabel(definition));
        }
    }

    // The product that a definition has become; null if there is none.
    static TDF_Label label_of(STEPCAFControl_Reader &reader, const Handle(StepBasic_ProductDefinition) & definition)
    {
        if (definition.IsNull())
            return TDF_Label();
        const Handle(Transfer_TransientProcess) process = reader.Reader().WS()->TransferReader()->TransientProcess();
        const Handle(Transfer_Binder) binder = process->Find(definition);
        const TopoDS_Shape shape = binder.IsNull() ? TopoDS_Shape() : TransferBRep::ShapeResult(process, binder);
        const bool is_known = !shape.IsNull() && reader.GetShapeLabelMap().IsBound(shape);
        return is_known ? reader.GetShapeLabelMap().Find(shape) : TDF_Label();
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
        if (const uint32_t *known = product_by_label.Seek(label))
            return *known;
        const uint32_t product = index_of(parts.size());
        product_by_label.Bind(label, product);
        parts.push_back({label});
        return product;
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
        const TCollection_AsciiString *file = file_by_label.Seek(label);
        product.file = file ? model.keep(file->ToCString()) : "";
        const int *definition = definition_by_label.Seek(label);
        product.definition = definition && *definition > 0 ? static_cast<uint64_t>(*definition) : 0;
        product.layers = model.keep(layers_at(label));
        product.material = model.keep(material_at(label));
        model.shapes.emplace_back();
        if (!product.is_assembly)
            take_shape(part, product, model.shapes.back());
        model.own_products.push_back(product);
    }

    std::string layers_at(const TDF_Label &label) const
    {
        std::string all;
        const Handle(TColStd_HSequenceOfExtendedString) names = layers->GetLayers(label);
        for (const TCollection_ExtendedString &name : *names)
            all += (all.empty() ? "" : ", ") + std::string(TCollection_AsciiString(name).ToCString());
        return all;
    }

    std::string material_at(const TDF_Label &label) const
    {
        Handle(TDataStd_TreeNode) node;
        Handle(XCAFDoc_Material) material;
        const bool has_name = label.FindAttribute(XCAFDoc::MaterialRefGUID(), node) && node->HasFather() &&
                              node->Father()->Label().FindAttribute(XCAFDoc_Material::GetID(), material) &&
                              !material->GetName().IsNull();
        return has_name ? material->GetName()->ToCString() : "";
    }

    // ---- shapes ----

    void take_shape(const Labels &part, cad_product &product, Shape &shape)
    {
        Colours own;
        shape.unsewn = shape_of(part, own);
        if (shape.unsewn.IsNull())
            return;
        shape.whole = request.format == CAD_IGES ? sewn(shape.unsewn, own) : shape.unsewn;
        shape.faces = faces_of(shape.whole, own);
        product.free_points = count(shape.unsewn, TopAbs_VERTEX, TopAbs_EDGE);
        product.face_count = index_of(shape.faces.size());
        product.is_solid =
            count(shape.whole, TopAbs_SOLID, TopAbs_SHAPE) > 0 && count(shape.whole, TopAbs_FACE, TopAbs_SOLID) == 0;
        product.size = diagonal(shape.whole);
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

    // Lists the faces as the product has them, those of solids first. A face may be in it twice, turned.
    static std::vector<ColouredFace> faces_of(const TopoDS_Shape &shape, const Colours &own)
    {
        std::vector<ColouredFace> faces;
        const auto add = [&](TopExp_Explorer at) {
            for (; at.More(); at.Next()) {
                const uint32_t *colour = own.Seek(at.Current());
                faces.push_back({colour ? *colour : CAD_NONE, TopoDS::Face(at.Current())});
            }
        };
        for (TopExp_Explorer solid(shape, TopAbs_SOLID); solid.More(); solid.Next())
            add(TopExp_Explorer(solid.Current(), TopAbs_FACE));
        add(TopExp_Explorer(shape, TopAbs_FACE, TopAbs_SOLID));
        return faces;
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

    // Pieces are solids, shells and faces in any order: the smaller one's colour counts.
    void add_colours(const TDF_Label &label, Colours &own)
    {
        NCollection_DataMap<TopoDS_Shape, int, TopTools_ShapeMapHasher> kinds;
        TDF_LabelSequence pieces;
        XCAFDoc_ShapeTool::GetSubShapes(label, pieces);
        for (const TDF_Label &at_piece : pieces) {
            const TopoDS_Shape piece = XCAFDoc_ShapeTool::GetShape(at_piece);
            const uint32_t colour = colour_at(at_piece);
            for (TopExp_Explorer at(piece, TopAbs_FACE); at.More() && colour != CAD_NONE; at.Next()) {
                const int *kind = kinds.Seek(at.Current());
                if (kind && *kind >= piece.ShapeType())
                    continue;
                kinds.Bind(at.Current(), piece.ShapeType());
                own.Bind(at.Current(), colour);
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
};

// ---- curves ----

struct CurvePoint {
    gp_Pnt point;
    double parameter;
};

// Points along an edge, in the direction of its curve; none along one that has no curve or no end.
std::vector<CurvePoint> points_along(const TopoDS_Edge &edge, double deflection, double angle)
try {
    std::vector<CurvePoint> points;
    const BRepAdaptor_Curve curve(edge);
    if (Precision::IsInfinite(curve.FirstParameter()) || Precision::IsInfinite(curve.LastParameter()))
        return points;
    const GCPnts_TangentialDeflection found(curve, angle, deflection);
    for (int i = 1; i <= found.NbPoints(); i++)
        points.push_back({found.Value(i), found.Parameter(i)});
    return points;
} catch (const Standard_Failure &) {
    expect_memory();
    return {};
}

bool add_line(const TopoDS_Edge &edge, double deflection, double angle, OwnLines &lines)
{
    const std::vector<CurvePoint> points = points_along(edge, deflection, angle);
    if (points.empty())
        return false;
    lines.own_lines.push_back({index_of(lines.own_points.size()), index_of(points.size())});
    for (const CurvePoint &at : points)
        lines.own_points.push_back({at.point.X(), at.point.Y(), at.point.Z()});
    return true;
}

// Makes lines of the curves without a face, then of the borders of faces. The seam of a closed face is no border.
void draw(const TopoDS_Shape &shape, cad_edges edges, double deflection, double angle, OwnLines &lines)
{
    for (TopExp_Explorer at(shape, TopAbs_EDGE, TopAbs_FACE); at.More(); at.Next())
        lines.lost += edges == CAD_NO_EDGES || !add_line(TopoDS::Edge(at.Current()), deflection, angle, lines);
    lines.free_count = index_of(lines.own_lines.size());
    TopTools_IndexedDataMapOfShapeListOfShape faces;
    if (edges == CAD_ALL_EDGES)
        TopExp::MapShapesAndAncestors(shape, TopAbs_EDGE, TopAbs_FACE, faces);
    for (int i = 1; i <= faces.Extent(); i++) {
        const TopoDS_Edge edge = TopoDS::Edge(faces.FindKey(i));
        const bool is_free = faces(i).IsEmpty();
        if (!is_free && !BRep_Tool::Degenerated(edge) && !BRep_Tool::IsClosed(edge, TopoDS::Face(faces(i).First())))
            add_line(edge, deflection, angle, lines);
    }
}

// ---- triangles ----

// Tessellates a shape, and copies the triangles as they are.
class Mesher
{
  public:
    Mesher(const Shape &what, double most, double widest, OwnMesh &result)
        : shape(what), deflection(most), angle(widest), mesh(result)
    {
    }

    void run()
    {
        IMeshTools_Parameters parameters;
        parameters.Deflection = deflection;
        parameters.Angle = angle;
        parameters.InParallel = false; // its threads may not start in a process without rights
        BRepTools::Clean(shape.whole); // a finer mesh would be kept
        BRepMesh_IncrementalMesh mesher(shape.whole, parameters);
        for (const ColouredFace &face : shape.faces)
            add_face(face);
    }

  private:
    const Shape &shape;
    const double deflection, angle;
    OwnMesh &mesh;
    TopTools_IndexedDataMapOfShapeListOfShape faces_at; // an edge; empty until it is needed

    // Adds a point of a face, which is placed by its location, with the normal of its surface out of the solid.
    void add_point(const TopoDS_Face &face, const gp_Pnt &point, const gp_Pnt2d &place)
    {
        TopLoc_Location location;
        const Handle(Geom_Surface) surface = BRep_Tool::Surface(face, location);
        gp_Pnt on;
        gp_Vec u, v, normal;
        if (!surface.IsNull())
            surface->D1(place.X(), place.Y(), on, u, v);
        const gp_Vec across = u.Crossed(v);
        // At an apex one of the two vanishes, or both are parallel.
        if (across.Magnitude() > 1e-7 * (u.Magnitude() * v.Magnitude()) && across.Magnitude() > 1e-14)
            normal = across.Transformed(location.Transformation()).Normalized();
        if (face.Orientation() == TopAbs_REVERSED)
            normal.Reverse();
        mesh.own_points.push_back({point.X(), point.Y(), point.Z()});
        mesh.own_places.push_back({place.X(), place.Y()});
        mesh.own_normals.push_back(
            {static_cast<float>(normal.X()), static_cast<float>(normal.Y()), static_cast<float>(normal.Z())});
    }

    // Points that a float cannot hold, as damaged files have them, are no triangles for us.
    static bool has_triangles(const Handle(Poly_Triangulation) & grid)
    {
        if (grid.IsNull() || grid->NbTriangles() == 0 || !grid->HasUVNodes())
            return false;
        for (int i = 1; i <= grid->NbNodes(); i++)
            for (int axis = 1; axis <= 3; axis++)
                if (!(std::fabs(grid->Node(i).Coord(axis)) <= farthest_point))
                    return false;
        return true;
    }

    void add_face(const ColouredFace &coloured)
    {
        const TopoDS_Face &face = coloured.face;
        TopLoc_Location location;
        const Handle(Poly_Triangulation) grid = BRep_Tool::Triangulation(face, location);
        const gp_Trsf place = location.Transformation();
        mesh.surfaces.emplace_back(face, false);
        cad_face made = {};
        made.colour = coloured.colour;
        made.is_turned = (face.Orientation() == TopAbs_REVERSED) != (place.VectorialPart().Determinant() < 0);
        made.may_deviate = mesh.surfaces.back().GetType() != GeomAbs_Plane;
        made.first_point = index_of(mesh.own_points.size());
        made.first_triangle = index_of(mesh.own_triangles.size());
        made.first_border = index_of(mesh.own_borders.size());
        if (has_triangles(grid)) {
            for (int i = 1; i <= grid->NbNodes(); i++)
                add_point(face, grid->Node(i).Transformed(place), grid->UVNode(i));
            for (int i = 1; i <= grid->NbTriangles(); i++) {
                int corners[3];
                grid->Triangle(i).Get(corners[0], corners[1], corners[2]);
                mesh.own_triangles.push_back({made.first_point + static_cast<uint32_t>(corners[0] - 1),
                                              made.first_point + static_cast<uint32_t>(corners[1] - 1),
                                              made.first_point + static_cast<uint32_t>(corners[2] - 1)});
            }
        } else {
            expect_memory();
            GProp_GProps area;
            BRepGProp::SurfaceProperties(face, area);
            made.area = std::fabs(area.Mass());
            made.may_deviate = true;
            if (!add_borders(face))
                mesh.own_borders.resize(made.first_border);
        }
        made.point_count = index_of(mesh.own_points.size()) - made.first_point;
        made.triangle_count = index_of(mesh.own_triangles.size()) - made.first_triangle;
        made.border_count = index_of(mesh.own_borders.size()) - made.first_border;
        mesh.own_faces.push_back(made);
    }

    // Adds the points of the borders of a face; returns false if one has no curve on the surface.
    bool add_borders(const TopoDS_Face &face)
    try {
        const TopoDS_Face forward = TopoDS::Face(face.Oriented(TopAbs_FORWARD));
        if (faces_at.IsEmpty())
            TopExp::MapShapesAndAncestors(shape.whole, TopAbs_EDGE, TopAbs_FACE, faces_at);
        for (TopoDS_Iterator wire(forward); wire.More(); wire.Next()) {
            const size_t first = mesh.own_points.size();
            for (BRepTools_WireExplorer at(TopoDS::Wire(wire.Value()), forward); at.More(); at.Next()) {
                double start, end;
                const Handle(Geom2d_Curve) places = BRep_Tool::CurveOnSurface(at.Current(), forward, start, end);
                if (places.IsNull())
                    return false;
                const std::vector<CurvePoint> points = points_of_border(at.Current(), start, end);
                // The next edge begins with the last point.
                for (size_t i = 0; i + 1 < points.size(); i++)
                    add_point(face, points[i].point, places->Value(points[i].parameter));
            }
            mesh.own_borders.push_back(index_of(mesh.own_points.size() - first));
        }
        return true;
    } catch (const Standard_Failure &) {
        expect_memory();
        return false;
    }

    // The points of an edge of a border, in its direction: those of a face beside it, or new ones.
    std::vector<CurvePoint> points_of_border(const TopoDS_Edge &edge, double start, double end) const
    {
        std::vector<CurvePoint> points = points_of_neighbour(edge);
        if (points.empty()) {
            points = points_along(edge, deflection, angle);
            points.resize(std::max(points.size(), size_t(2)));
            // The mesher begins and ends at vertices, too.
            points.front() = {BRep_Tool::Pnt(TopExp::FirstVertex(edge)), start};
            points.back() = {BRep_Tool::Pnt(TopExp::LastVertex(edge)), end};
        }
        if (edge.Orientation() == TopAbs_REVERSED)
            std::reverse(points.begin(), points.end());
        return points;
    }

    // The points of an edge that a face beside it has.
    std::vector<CurvePoint> points_of_neighbour(const TopoDS_Edge &edge) const
    {
        std::vector<CurvePoint> points;
        for (const TopoDS_Shape &face : faces_at.FindFromKey(edge)) {
            TopLoc_Location location;
            const Handle(Poly_Triangulation) grid = BRep_Tool::Triangulation(TopoDS::Face(face), location);
            if (grid.IsNull() || !points.empty())
                continue;
            const Handle(Poly_PolygonOnTriangulation) line = BRep_Tool::PolygonOnTriangulation(edge, grid, location);
            if (line.IsNull() || !line->HasParameters())
                continue;
            for (int i = 1; i <= line->NbNodes(); i++)
                points.push_back({grid->Node(line->Node(i)).Transformed(location), line->Parameter(i)});
        }
        return points;
    }
};

// ---- calls ----

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

// Works for C, which what is thrown must not reach.
template <class Work> cad_outcome guarded(char text[CAD_TEXT], Work work)
{
    const UncheckedLeaks unchecked;
    std::string why;
    cad_outcome outcome = CAD_REFUSED;
    try {
        outcome = work(why);
    } catch (const std::bad_alloc &) {
        outcome = CAD_NO_MEMORY;
    } catch (const TooLarge &) {
        outcome = CAD_TOO_LARGE;
    } catch (const Standard_OutOfMemory &) {
        outcome = CAD_NO_MEMORY;
    } catch (const Standard_Failure &failure) {
        why = failure.GetMessageString() ? failure.GetMessageString() : "";
    } catch (const std::ios_base::failure &) {
        why = "its text ends, or has another word, where a number should be";
    } catch (const std::exception &failure) {
        why = failure.what();
    }
    snprintf(text, CAD_TEXT, "%s", why.c_str());
    return outcome;
}

OwnModel &own(cad_model *model)
{
    return *static_cast<OwnModel *>(model);
}

} // namespace

enum cad_outcome cad_read(const struct cad_request *request, struct cad_model **model, char text[CAD_TEXT])
{
    *model = nullptr;
    return guarded(text, [&](std::string &why) {
        OwnModel *made = new OwnModel();
        *model = made;
        const cad_outcome outcome = Reader(*request, *made).read(why);
        publish(made->own_nodes, made->nodes, made->node_count);
        publish(made->own_products, made->products, made->product_count);
        publish(made->own_colours, made->colours, made->colour_count);
        publish(made->own_complaints, made->complaints, made->complaint_count);
        return outcome;
    });
}

enum cad_outcome cad_tessellate(struct cad_model *model, uint32_t product, double deflection, double angle,
                                const struct cad_mesh **mesh, char text[CAD_TEXT])
{
    OwnMesh &made = own(model).mesh;
    *mesh = &made;
    return guarded(text, [&](std::string &) {
        made = OwnMesh();
        Mesher(own(model).shapes[product], deflection, angle, made).run();
        publish(made.own_faces, made.faces, made.face_count);
        publish(made.own_points, made.points, made.point_count);
        publish(made.own_places, made.places, made.point_count);
        publish(made.own_normals, made.normals, made.point_count);
        publish(made.own_triangles, made.triangles, made.triangle_count);
        publish(made.own_borders, made.borders, made.border_count);
        return CAD_READ;
    });
}

enum cad_outcome cad_draw(struct cad_model *model, uint32_t product, enum cad_edges edges, double deflection,
                          double angle, const struct cad_lines **lines, char text[CAD_TEXT])
{
    OwnLines &made = own(model).lines;
    *lines = &made;
    return guarded(text, [&](std::string &) {
        made = OwnLines();
        draw(own(model).shapes[product].unsewn, edges, deflection, angle, made);
        publish(made.own_lines, made.lines, made.count);
        publish(made.own_points, made.points, made.point_count);
        return CAD_READ;
    });
}

enum cad_outcome cad_measure(struct cad_model *model, uint32_t product, double *volume, char text[CAD_TEXT])
{
    return guarded(text, [&](std::string &) {
        *volume = 0;
        for (TopExp_Explorer at(own(model).shapes[product].whole, TopAbs_SOLID); at.More(); at.Next()) {
            GProp_GProps exact;
            BRepGProp::VolumeProperties(at.Current(), exact);
            *volume += std::fabs(exact.Mass()); // a mirrored one counts negative
        }
        return CAD_READ;
    });
}

bool cad_evaluate(const struct cad_model *model, uint32_t face, const double place[2], double point[3],
                  double along_u[3], double along_v[3])
try {
    gp_Pnt on;
    gp_Vec u, v;
    static_cast<const OwnModel *>(model)->mesh.surfaces[face].D1(place[0], place[1], on, u, v);
    on.Coord(point[0], point[1], point[2]);
    u.Coord(along_u[0], along_u[1], along_u[2]);
    v.Coord(along_v[0], along_v[1], along_v[2]);
    return true;
} catch (const Standard_Failure &) {
    return false;
}

bool cad_project(const struct cad_model *model, uint32_t face, const double point[3], double place[2])
{
    const BRepAdaptor_Surface &surface = static_cast<const OwnModel *>(model)->mesh.surfaces[face];
    const gp_Pnt at(point[0], point[1], point[2]);
    switch (surface.GetType()) {
    case GeomAbs_Cylinder:
        ElSLib::Parameters(surface.Cylinder(), at, place[0], place[1]);
        break;
    case GeomAbs_Cone:
        ElSLib::Parameters(surface.Cone(), at, place[0], place[1]);
        break;
    case GeomAbs_Sphere:
        ElSLib::Parameters(surface.Sphere(), at, place[0], place[1]);
        break;
    case GeomAbs_Torus:
        ElSLib::Parameters(surface.Torus(), at, place[0], place[1]);
        break;
    default:
        return false;
    }
    return true;
}

void cad_forget(struct cad_model *model)
{
    own(model).shapes.clear();
    own(model).mesh = OwnMesh();
    own(model).lines = OwnLines();
}

void cad_free(struct cad_model *model)
{
    delete static_cast<OwnModel *>(model);
}
