//===- OnnxReader.cpp - ONNX models as import graphs ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OnnxReader.h"
#include "parser/onnx/Model.h"
#include "parser/onnx/NodeCheck.h"
#include "parser/onnx/NodeOrder.h"
#include "parser/onnx/TensorReader.h"
#include "parser/onnx/TypeCheck.h"
#include "support/FileKind.h"
#include <algorithm>
#include <bit>
#include <set>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Attribute;
using graph::Graph;
using graph::Node;
using graph::Tensor;

namespace {

constexpr std::int64_t kFirstIr = 3, kLastIr = 14;
constexpr std::int64_t kFirstSet = 6, kLastSet = 26;
constexpr unsigned kMostDepth = 64;
/// A model that names more after its functions were inlined is no network.
constexpr std::size_t kMostNodes = 1 << 20;

/// Names that nodes of one graph, or of one call of a function, may use.
struct Scope {
  Scope *outer = nullptr; ///< Of a sub-graph; a function sees only its own.
  std::map<std::string, Tensor *, std::less<>> names = {};
  /// Tensors that some node here will write.
  std::set<const Tensor *> written = {};
  std::string prefix = {}; ///< Of names in an inlined function.
  /// Of an inlined function: what its attribute references stand for.
  const std::map<std::string, Attribute, std::less<>> *bindings = nullptr;
  const OperatorSets *sets = nullptr;
  unsigned depth = 0;

  Tensor *find(std::string_view name) const {
    for (const Scope *s = this; s; s = s->outer)
      if (auto it = s->names.find(name); it != s->names.end())
        return it->second;
    return nullptr;
  }
  /// Whether it is an input of a function that the call leaves out.
  bool isLeftOut(std::string_view name) const {
    for (const Scope *s = this; s; s = s->outer)
      if (auto it = s->names.find(name); it != s->names.end())
        return !it->second;
    return false;
  }
};

/// "float32 [3,4]"
std::string typeText(const Tensor &tensor) {
  std::string text =
      tensor.type ? elementTypeName(elementNumber(*tensor.type)) + " [" : "[";
  for (std::size_t i = 0; tensor.shape && i < tensor.shape->size(); ++i)
    text += (i ? "," : "") + std::to_string((*tensor.shape)[i]);
  return text + "]";
}

class Reader {
public:
  Reader(std::string path, std::shared_ptr<const void> owner,
         DiagnosticEngine &diags)
      : path(std::move(path)), diags(diags),
        tensors(this->path, std::move(owner), diags) {}

  std::unique_ptr<Graph> read(Bytes bytes);

private:
  template <typename Parts>
  bool parts(Bytes bytes, Parts &out, const std::string &what) {
    const char *why = parse(bytes, out);
    if (!why)
      return true;
    diags.report(DiagId::OnnxMalformed, {path}, what + " is damaged")
        .found(why);
    return false;
  }
  Place at(const Node &node) const { return {path + ": " + node.describe()}; }
  Place at(const std::string &where) const { return {path + ": " + where}; }

  void checkVersions(const ModelParts &model);
  void readFunctions(const ModelParts &model);
  void readGraph(Bytes bytes, Graph &graph, Scope &scope, bool isMain);
  void readInputs(const GraphParts &g, Graph &graph, Scope &scope, bool isMain);
  void readValue(Bytes bytes, Tensor &tensor);
  void readStated(const std::vector<Bytes> &values, const Scope &scope);
  void checkListed(Bytes bytes, const Tensor &constant);
  Tensor *declare(std::string_view name, Graph &graph, Scope &scope,
                  const std::string &where);
  void readNodes(const std::vector<Bytes> &nodes, Graph &graph, Scope &scope);
  void readNode(const NodeParts &parts, Graph &graph, Scope &scope);
  void readAttributes(const NodeParts &parts, Node &node, Scope &scope);
  bool checkAttribute(const AttributeParts &parts, const Node &node,
                      std::set<std::string_view> &names);
  std::optional<Attribute> attributeOf(const AttributeParts &parts,
                                       Scope &scope, const Node &node);
  void inlineCall(const NodeParts &parts, const FunctionParts &function,
                  Node &call, Graph &graph, Scope &scope);
  const FunctionParts *findFunction(const NodeParts &node) const;

  std::string path;
  DiagnosticEngine &diags;
  TensorReader tensors;
  std::vector<FunctionParts> functions;
  OperatorSets modelSets;
  std::vector<const FunctionParts *> calls; ///< That are being inlined.
  std::size_t numNodes = 0;
  bool gaveUp = false; ///< Too many nodes.
};

void Reader::checkVersions(const ModelParts &model) {
  if (model.irVersion < kFirstIr)
    diags
        .report(DiagId::OnnxVersion, {path},
                "the model's IR version is not read")
        .found(std::to_string(model.irVersion))
        .expected(std::to_string(kFirstIr) + " to " + std::to_string(kLastIr));
  else if (model.irVersion > kLastIr)
    diags
        .report(DiagId::OnnxNewerIr, {path},
                "the model's IR version is newer than those known")
        .found(std::to_string(model.irVersion))
        .expected("up to " + std::to_string(kLastIr));
  if (modelSets.empty())
    diags
        .report(DiagId::OnnxVersion, {path},
                "the model imports no operator set")
        .expected("an opset_import of ai.onnx, which says what its nodes mean")
        .hint("the tool that wrote the model, or an edit behind it, left it "
              "out");
  auto it = modelSets.find("");
  if (it != modelSets.end() &&
      (it->second < kFirstSet || it->second > kLastSet))
    diags
        .report(DiagId::OnnxVersion, {path},
                "the model's operator set is of a version that is not read")
        .found("version " + std::to_string(it->second) + " of ai.onnx")
        .expected("version " + std::to_string(kFirstSet) + " to " +
                  std::to_string(kLastSet))
        .hint("export the model with another opset_version");
}

void Reader::readFunctions(const ModelParts &model) {
  for (Bytes bytes : model.functions) {
    FunctionParts function;
    if (parts(bytes, function, "a function"))
      functions.push_back(std::move(function));
  }
}

std::unique_ptr<Graph> Reader::read(Bytes bytes) {
  ModelParts model;
  if (!parts(bytes, model, "the model"))
    return nullptr;
  if (!model.hasGraph) {
    diags.report(DiagId::OnnxMalformed, {path}, "the model has no graph")
        .expected("a ModelProto with a graph");
    return nullptr;
  }
  modelSets = model.operatorSets;
  checkVersions(model);
  readFunctions(model);
  auto graph = std::make_unique<Graph>();
  graph->file = path;
  Scope scope;
  scope.sets = &modelSets;
  if (!diags.hasErrors())
    readGraph(model.graph, *graph, scope, /*isMain=*/true);
  tensors.reportExternal();
  if (!diags.hasErrors()) {
    checkNodes(*graph, path, diags);
    checkTypes(*graph, path, diags);
    // Of lengths that are open whoever gives them knows better.
    graph->statesShapes = std::ranges::all_of(graph->inputs, &Tensor::isStatic);
  }
  if (!diags.hasErrors() && graph->outputs.empty())
    diags.report(DiagId::ImportBadGraph, {path}, "the graph has no outputs")
        .expected("one output or more");
  return diags.hasErrors() ? nullptr : std::move(graph);
}

/// Type and shape that the file states.
void Reader::readValue(Bytes bytes, Tensor &tensor) {
  ValueParts value;
  if (!parts(bytes, value, "the type of tensor " + tensor.name))
    return;
  if (*value.otherKind) {
    tensor.foreignType = value.otherKind;
    return;
  }
  if (value.elementType != 0) {
    tensor.type = elementTypeOf(value.elementType);
    if (!tensor.type)
      tensor.foreignType = elementTypeName(value.elementType);
  }
  if (!value.hasShape)
    return;
  tensor.shape = value.lengths;
  for (std::string_view symbol : value.symbols)
    tensor.symbols.emplace_back(symbol);
}

/// A tensor that is written here; reports a name that has one already.
Tensor *Reader::declare(std::string_view name, Graph &graph, Scope &scope,
                        const std::string &where) {
  if (auto it = scope.names.find(name); it != scope.names.end()) {
    if (!scope.written.insert(it->second).second)
      diags
          .report(DiagId::ImportBadGraph, at(where),
                  "tensor " + std::string(name) + " is written twice")
          .expected("one node, input or constant for each tensor");
    return it->second;
  }
  Tensor *tensor = graph.addTensor(scope.prefix + std::string(name));
  scope.names.emplace(name, tensor);
  scope.written.insert(tensor);
  return tensor;
}

void Reader::readInputs(const GraphParts &g, Graph &graph, Scope &scope,
                        bool isMain) {
  for (Bytes bytes : g.initializers) {
    auto constant = tensors.read(bytes, "the graph");
    if (!constant) {
      // It is told; that nobody writes it would be told of each of its readers.
      declare(TensorReader::nameOf(bytes), graph, scope, "the graph");
      continue;
    }
    Tensor *tensor = declare(constant->name, graph, scope, "the graph");
    tensor->foreignType = constant->foreignType;
    if (constant->foreignType.empty()) {
      tensor->setType(constant->constant.type, constant->constant.shape);
      tensor->constant = std::move(constant->constant);
    }
  }
  for (Bytes bytes : g.sparse) {
    (void)bytes;
    diags
        .report(DiagId::ImportForm, {path},
                "the graph has a sparse constant, which is not imported")
        .hint("store it as a dense one");
  }
  for (Bytes bytes : g.inputs) {
    ValueParts value;
    if (!parts(bytes, value, "an input"))
      continue;
    // Before IR version 4 constants were listed among the inputs.
    if (Tensor *known = scope.names.contains(value.name)
                            ? scope.names.find(value.name)->second
                            : nullptr;
        known && known->constant && isMain) {
      checkListed(bytes, *known);
      continue;
    }
    Tensor *tensor = declare(value.name, graph, scope, "the graph");
    readValue(bytes, *tensor);
    graph.inputs.push_back(tensor);
  }
}

/// A constant that is listed as an input, too.
void Reader::checkListed(Bytes bytes, const Tensor &constant) {
  Tensor said;
  said.name = constant.name;
  readValue(bytes, said);
  bool fits = (!said.type || said.type == constant.type) &&
              (!said.shape || said.shape->size() == constant.shape->size());
  for (std::size_t i = 0; fits && said.shape && i < said.shape->size(); ++i)
    fits = (*said.shape)[i] < 0 || (*said.shape)[i] == (*constant.shape)[i];
  if (!fits)
    diags
        .report(DiagId::ImportBadGraph, {path},
                "the input " + constant.name +
                    " and the constant that it has "
                    "are not of one type and shape")
        .found("a constant of " + typeText(constant))
        .expected(typeText(said));
}

/// What the file states of tensors that nodes write.
void Reader::readStated(const std::vector<Bytes> &values, const Scope &scope) {
  for (Bytes bytes : values) {
    ValueParts value;
    if (!parts(bytes, value, "the type of a tensor"))
      continue;
    Tensor *tensor = scope.find(value.name);
    if (!tensor || tensor->type || !tensor->foreignType.empty())
      continue;
    Tensor said;
    readValue(bytes, said);
    tensor->foreignType = said.foreignType;
    tensor->declaredType = said.type;
    if (said.shape)
      tensor->declaredShape = *said.shape;
  }
}

void Reader::readGraph(Bytes bytes, Graph &graph, Scope &scope, bool isMain) {
  GraphParts g;
  if (scope.depth > kMostDepth) {
    diags
        .report(DiagId::OnnxMalformed, {path},
                "sub-graphs are nested too deeply")
        .expected("at most " + std::to_string(kMostDepth) + " levels");
    return;
  }
  if (!parts(bytes, g, "the graph"))
    return;
  graph.name = g.name;
  readInputs(g, graph, scope, isMain);
  readNodes(g.nodes, graph, scope);
  for (Bytes output : g.outputs) {
    ValueParts value;
    if (!parts(output, value, "an output"))
      continue;
    Tensor *tensor = scope.find(value.name);
    if (!tensor) {
      diags
          .report(DiagId::ImportBadGraph, {path},
                  "nobody writes the output " + std::string(value.name))
          .expected("a node, an input or a constant of this name");
      continue;
    }
    graph.outputs.push_back(tensor);
  }
  readStated(g.valueInfos, scope);
  readStated(g.outputs, scope);
  orderNodes(graph, path, diags);
}

void Reader::readNodes(const std::vector<Bytes> &nodes, Graph &graph,
                       Scope &scope) {
  std::vector<NodeParts> all;
  for (Bytes bytes : nodes) {
    NodeParts node;
    if (!parts(bytes, node, "a node"))
      continue;
    std::string where =
        "node " + std::string(node.name.empty() ? node.op : node.name);
    for (std::string_view output : node.outputs)
      if (!output.empty())
        declare(output, graph, scope, where);
    all.push_back(std::move(node));
  }
  for (const NodeParts &node : all)
    if (!gaveUp)
      readNode(node, graph, scope);
}

void Reader::readNode(const NodeParts &parts, Graph &graph, Scope &scope) {
  if (++numNodes > kMostNodes) {
    gaveUp = true;
    diags
        .report(DiagId::ImportBadGraph, {path},
                "the model has too many nodes, functions inlined")
        .expected("at most " + std::to_string(kMostNodes));
    return;
  }
  auto node = std::make_unique<Node>();
  node->op = parts.op;
  node->domain = parts.domain;
  if (!parts.name.empty())
    node->name = scope.prefix + std::string(parts.name);
  if (auto it = scope.sets->find(parts.domain); it != scope.sets->end())
    node->version = it->second;
  for (std::string_view name : parts.outputs)
    node->outputs.push_back(name.empty() ? nullptr : scope.find(name));
  for (std::string_view name : parts.inputs) {
    Tensor *tensor = name.empty() ? nullptr : scope.find(name);
    if (!name.empty() && !tensor && !scope.isLeftOut(name))
      diags
          .report(DiagId::ImportBadGraph, at(*node),
                  "nobody writes tensor " + std::string(name))
          .expected("a node, an input or a constant of this name");
    node->inputs.push_back(tensor);
  }
  readAttributes(parts, *node, scope);
  if (const FunctionParts *function = findFunction(parts))
    return inlineCall(parts, *function, *node, graph, scope);
  graph.nodes.push_back(std::move(node));
}

/// That it stands once, says its type, and has a value of it alone.
bool Reader::checkAttribute(const AttributeParts &a, const Node &node,
                            std::set<std::string_view> &names) {
  // The fields of the message that hold a value, by the number of its type.
  constexpr unsigned kFieldOfType[] = {0, 2,  3,  4,  5,  6,  7, 8,
                                       9, 10, 11, 22, 23, 14, 15};
  constexpr std::int64_t kTypes = std::size(kFieldOfType);
  auto problem = [&](const std::string &what) -> Diagnostic & {
    return diags.report(DiagId::ImportBadNode, at(node),
                        node.op + ": the attribute " + std::string(a.name) +
                            what);
  };
  if (!names.insert(a.name).second) {
    problem(" stands twice").expected("each attribute once");
    return false;
  }
  if (a.type <= 0 || a.type >= kTypes) {
    // A reference gets its value, and the type with it, from the call.
    if (!a.reference.empty() && a.type == 0)
      return true;
    problem(" says no type that there is")
        .found("type " + std::to_string(a.type))
        .expected("1 to " + std::to_string(kTypes - 1));
    return false;
  }
  std::uint64_t values = 0;
  for (std::int64_t type = 1; type < kTypes; ++type)
    if (type != a.type)
      values |= a.fields & std::uint64_t(1) << kFieldOfType[type];
  if (!values)
    return true;
  problem(" says one type and has a value of another")
      .found("a value in field " + std::to_string(std::countr_zero(values)) +
             " of the message")
      .expected("one in field " + std::to_string(kFieldOfType[a.type]) +
                " alone, as type " + std::to_string(a.type) + " says");
  return false;
}

void Reader::readAttributes(const NodeParts &node, Node &out, Scope &scope) {
  std::set<std::string_view> names;
  for (Bytes bytes : node.attributes) {
    AttributeParts a;
    if (!parts(bytes, a, "an attribute of " + out.describe()))
      continue;
    if (!checkAttribute(a, out, names))
      continue;
    if (!a.reference.empty()) {
      // Of an attribute that the call leaves out the operator's default holds.
      if (scope.bindings)
        if (auto it = scope.bindings->find(a.reference);
            it != scope.bindings->end())
          out.attributes[std::string(a.name)] = it->second;
      continue;
    }
    if (auto value = attributeOf(a, scope, out))
      out.attributes[std::string(a.name)] = std::move(*value);
  }
}

std::optional<Attribute> Reader::attributeOf(const AttributeParts &a,
                                             Scope &scope, const Node &node) {
  using Kind = Attribute::Kind;
  Attribute value;
  switch (a.type) {
  case 1:
    return Attribute::of(a.number);
  case 2:
    return Attribute::of(a.integer);
  case 3:
    return Attribute::of(std::string(a.text));
  case 4: {
    auto constant = tensors.read(a.tensor, node.describe());
    if (!constant)
      return std::nullopt;
    value.kind = constant->foreignType.empty() ? Kind::Tensor : Kind::Other;
    value.text = constant->foreignType;
    if (value.text.empty())
      value.tensor = std::move(constant->constant);
    return value;
  }
  case 5: {
    value.kind = Kind::Graph;
    value.graph = std::make_shared<Graph>();
    value.graph->file = path;
    Scope inner;
    inner.outer = &scope;
    inner.prefix = scope.prefix;
    inner.bindings = scope.bindings;
    inner.sets = scope.sets;
    inner.depth = scope.depth + 1;
    readGraph(a.graph, *value.graph, inner, /*isMain=*/false);
    return value;
  }
  case 6:
    value.kind = Kind::Floats;
    value.numbers = a.numbers;
    return value;
  case 7:
    return Attribute::of(a.integers);
  case 8:
    value.kind = Kind::Strings;
    for (std::string_view text : a.texts)
      value.texts.emplace_back(text);
    return value;
  default:
    return value; // Kind::Other
  }
}

const FunctionParts *Reader::findFunction(const NodeParts &node) const {
  for (const FunctionParts &function : functions)
    if (function.name == node.op && function.domain == node.domain &&
        function.overload == node.overload)
      return &function;
  return nullptr;
}

void Reader::inlineCall(const NodeParts &node, const FunctionParts &function,
                        Node &call, Graph &graph, Scope &scope) {
  if (std::ranges::find(calls, &function) != calls.end() ||
      calls.size() > kMostDepth) {
    diags
        .report(DiagId::ImportBadGraph, at(call),
                "function " + std::string(function.name) + " calls itself")
        .expected("functions that end");
    return;
  }
  auto bindings = call.attributes;
  for (Bytes bytes : function.defaults) {
    AttributeParts a;
    if (parts(bytes, a,
              "an attribute of function " + std::string(function.name)))
      if (auto value = attributeOf(a, scope, call))
        bindings.try_emplace(std::string(a.name), std::move(*value));
  }
  Scope inner;
  inner.prefix = scope.prefix +
                 std::string(node.name.empty() ? function.name : node.name) +
                 "/";
  inner.bindings = &bindings;
  inner.sets =
      function.operatorSets.empty() ? scope.sets : &function.operatorSets;
  inner.depth = scope.depth + 1;
  for (std::size_t i = 0; i < function.inputs.size(); ++i)
    inner.names.emplace(function.inputs[i], call.input(i));
  // The function's outputs are tensors of the caller.
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    Tensor *tensor = call.output(i);
    // An output that is an input of the function, or that nobody takes.
    if (tensor && inner.names.contains(function.outputs[i])) {
      graph.addNode("Identity", {inner.names.find(function.outputs[i])->second},
                    {tensor});
      continue;
    }
    if (tensor)
      inner.names.emplace(function.outputs[i], tensor);
  }
  calls.push_back(&function);
  readNodes(function.nodes, graph, inner);
  calls.pop_back();
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const Tensor *tensor = call.outputs[i];
    bool isInput = i < function.outputs.size() &&
                   std::ranges::find(function.inputs, function.outputs[i]) !=
                       function.inputs.end();
    if (tensor && !isInput && !inner.written.contains(tensor))
      diags
          .report(DiagId::ImportBadGraph, at(call),
                  "function " + std::string(function.name) +
                      " does not write output " + std::to_string(i))
          .found("tensor " + tensor->name)
          .expected("a node of the function, or one of its inputs");
  }
}

} // namespace

std::unique_ptr<Graph> onnx::parseOnnx(Bytes bytes,
                                       std::shared_ptr<const void> owner,
                                       const std::string &path,
                                       DiagnosticEngine &diags) {
  // The caller's engine may hold errors of other files: judge this one alone.
  DiagnosticEngine own;
  std::unique_ptr<Graph> graph =
      Reader(path, std::move(owner), own).read(bytes);
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return graph;
}

std::unique_ptr<Graph> onnx::readOnnx(const std::string &path,
                                      DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file || !isKind(FileKind::Onnx, file->bytes(), path,
                       DiagId::OnnxMalformed, diags))
    return nullptr;
  return parseOnnx(file->bytes(), file, path, diags);
}

std::optional<graph::Constant>
onnx::parseTensorFile(Bytes bytes, std::shared_ptr<const void> owner,
                      const std::string &path, DiagnosticEngine &diags) {
  TensorReader reader(path, std::move(owner), diags);
  auto tensor = reader.read(bytes, "the file");
  reader.reportExternal();
  if (!tensor || !tensor->foreignType.empty())
    return std::nullopt;
  return tensor->constant;
}
