//===- Bind.cpp - Inputs, outputs and lengths of a network ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Bind.h"
#include "parser/graph/CutHint.h"
#include "parser/graph/OperatorTable.h"
#include "support/diagnostics/Import.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace yarrow;
using namespace yarrow::graph;

/// The tensors that \p name means: a tensor, or what a node of the name writes
/// (its first result) or, as an input, reads (its first input without a value).
static Tensor *findPlace(Graph &graph, const std::string &name, bool isInput) {
  auto isNamed = [&](Tensor *t) { return t && t->name == name; };
  for (Tensor *tensor : graph.inputs)
    if (isNamed(tensor))
      return tensor;
  for (auto &node : graph.nodes)
    for (Tensor *tensor : node->outputs)
      if (isNamed(tensor))
        return tensor;
  for (auto &node : graph.nodes)
    if (node->name == name) {
      if (!isInput)
        return node->output(0);
      for (Tensor *tensor : node->inputs)
        if (tensor && !tensor->constant)
          return tensor;
    }
  return nullptr;
}

static bool cut(Graph &graph, const ImportOptions &options,
                std::map<std::string, Shape> &shapes, DiagnosticEngine &diags) {
  std::vector<std::string> known;
  auto place = [&](const std::string &name, bool isInput) -> Tensor * {
    if (Tensor *tensor = findPlace(graph, name, isInput))
      return tensor;
    if (known.empty())
      for (auto &node : graph.nodes) {
        known.push_back(node->name);
        for (Tensor *tensor : node->outputs)
          if (tensor)
            known.push_back(tensor->name);
      }
    diags
        .report(diag::ImportCut, {graph.file},
                "cannot cut the network at " + name +
                    ", which is not one of its nodes or tensors")
        .suggest(name, known);
    return nullptr;
  };
  bool ok = true;
  if (!options.outputs.empty()) {
    std::vector<Tensor *> before = std::move(graph.outputs);
    graph.outputs.clear();
    for (const std::string &name : options.outputs)
      if (Tensor *tensor = place(name, false))
        graph.outputs.push_back(tensor);
      else
        ok = false;
    // What states become stays.
    for (State &state : graph.states) {
      graph.outputs.push_back(before[state.output]);
      state.output = graph.outputs.size() - 1;
    }
  }
  std::vector<Tensor *> inputs;
  for (const std::string &name : options.inputs) {
    Tensor *tensor = place(name, true);
    if (!tensor) {
      ok = false;
      continue;
    }
    inputs.push_back(tensor);
    if (!tensor->shape && !tensor->declaredShape.empty())
      tensor->shape = tensor->declaredShape;
    // Where the file says nothing of it, a tensor is one of floats.
    if (!tensor->type && tensor->foreignType.empty())
      tensor->type = tensor->declaredType.value_or(ElementType::F32);
    // Its shape may be given under the name of its node.
    if (auto it = shapes.find(name); it != shapes.end() && name != tensor->name)
      shapes.insert({tensor->name, it->second}), shapes.erase(name);
    // What wrote it before writes nothing now.
    for (auto &node : graph.nodes)
      std::ranges::replace(node->outputs, tensor, nullptr);
  }
  // Inputs that are still needed stay; dropUnused tells which.
  for (Tensor *tensor : graph.inputs)
    if (!llvm::is_contained(inputs, tensor))
      inputs.push_back(tensor);
  graph.inputs = inputs;
  return ok;
}

void graph::dropUnused(Graph &graph) {
  std::set<const Tensor *> needed(graph.outputs.begin(), graph.outputs.end());
  std::vector<std::unique_ptr<Node>> kept;
  for (auto &node : llvm::reverse(graph.nodes)) {
    bool isNeeded = llvm::any_of(node->outputs, [&](Tensor *t) {
      return t && needed.contains(t) && !t->constant;
    });
    if (!isNeeded)
      continue;
    for (Tensor *tensor : readBy(*node))
      needed.insert(tensor);
    kept.push_back(std::move(node));
  }
  std::ranges::reverse(kept);
  graph.nodes = std::move(kept);
}

/// The inputs that a cut network does not need any more.
static void dropInputs(Graph &graph) {
  std::set<const Tensor *> read(graph.outputs.begin(), graph.outputs.end());
  for (auto &node : graph.nodes)
    for (Tensor *tensor : readBy(*node))
      read.insert(tensor);
  std::erase_if(graph.inputs, [&](Tensor *t) { return !read.contains(t); });
}

static void countOperators(const Graph &graph,
                           std::map<std::pair<std::string, std::string>,
                                    std::vector<const Node *>> &unknown) {
  for (auto &node : graph.nodes) {
    if (!findOperator(node->op, node->domain))
      unknown[{node->domain, node->op}].push_back(node.get());
    for (auto &[key, attribute] : node->attributes)
      if (attribute.graph)
        countOperators(*attribute.graph, unknown);
  }
}

static bool isUnknown(const Node &node) {
  if (!findOperator(node.op, node.domain))
    return true;
  for (auto &[key, attribute] : node.attributes)
    if (attribute.graph)
      for (auto &inner : attribute.graph->nodes)
        if (isUnknown(*inner))
          return true;
  return false;
}

/// At which tensors the network can be cut to do without them.
static std::string cutHintFor(const Graph &graph) {
  std::set<const Node *> nodes;
  for (auto &node : graph.nodes)
    if (isUnknown(*node))
      nodes.insert(node.get());
  return cutHint(graph, nodes);
}

bool graph::checkOperators(const Graph &graph, DiagnosticEngine &diags) {
  std::map<std::pair<std::string, std::string>, std::vector<const Node *>>
      unknown;
  countOperators(graph, unknown);
  std::vector<std::string> known;
  for (const OperatorEntry &entry : allOperatorEntries())
    // The others have operators by number, which their readers check.
    if (entry.domain != std::string_view("tflite") &&
        entry.domain != std::string_view("nnapi") &&
        entry.domain != std::string_view("qnn"))
      known.push_back(entry.name);
  Diagnostic *last = nullptr;
  for (auto &[name, nodes] : unknown) {
    auto &[domain, op] = name;
    // A reader that knows why says so.
    if (const Attribute *why = nodes.front()->attribute("refused")) {
      last = &diags
                  .report(diag::TfliteOperator,
                          {graph.file + ": " + nodes.front()->describe()},
                          "the operator " + op + " is not imported")
                  .found(std::to_string(nodes.size()) +
                         (nodes.size() == 1 ? " operator" : " operators"))
                  .hint(why->text);
      continue;
    }
    Diagnostic &d =
        diags
            .report(diag::ImportUnknownOperator,
                    {graph.file + ": " + nodes.front()->describe()},
                    "the operator " + (domain.empty() ? "" : domain + "::") +
                        op + " is not imported")
            .found(std::to_string(nodes.size()) +
                   (nodes.size() == 1 ? " node" : " nodes"))
            .expected("one of the " + std::to_string(known.size()) +
                      " operators in docs/onnx.md");
    if (llvm::StringRef(domain).contains('.') && domain != "com.microsoft")
      d.hint("if a plugin has it, load the plugin with --plugin FILE "
             "(docs/plugins.md)");
    else
      d.suggest(op, known);
    last = &d;
  }
  if (last)
    if (std::string cut = cutHintFor(graph); !cut.empty())
      last->hint(last->hintText.empty() ? cut : last->hintText + "; " + cut);
  return unknown.empty();
}

namespace {
/// Gives inputs their shapes.
class Binder {
public:
  Binder(Graph &graph, const ImportOptions &options, DiagnosticEngine &diags)
      : graph(graph), options(options), diags(diags) {}

  bool bind() {
    checkNames();
    if (options.shapesInOrder.size() > graph.inputs.size())
      problem(diag::ImportInputShape,
              "there are more shapes than inputs of the network")
          .found(std::to_string(options.shapesInOrder.size()))
          .expected("at most " + std::to_string(graph.inputs.size()));
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      if (i < options.shapesInOrder.size())
        takeShape(*graph.inputs[i], options.shapesInOrder[i]);
      bindInput(*graph.inputs[i], i);
    }
    return ok;
  }

private:
  Diagnostic &problem(DiagId id, const std::string &message) {
    ok = false;
    return diags.report(id, {graph.file}, message);
  }

  void checkNames() {
    std::vector<std::string> names;
    for (const Tensor *input : graph.inputs)
      names.push_back(input->name);
    for (auto &[name, shape] : options.shapes)
      if (!llvm::is_contained(names, name))
        problem(diag::ImportInputShape,
                "a shape is given for " + name + ", which is not an input")
            .expected("one of " + llvm::join(names, ", "))
            .suggest(name, names);
  }

  void bindInput(Tensor &input, size_t index) {
    if (!input.type) {
      problem(diag::ImportForm,
              "the input " + input.name + " has a type that is not supported")
          .found(input.foreignType.empty() ? "no type" : input.foreignType)
          .expected("tensors of integers, floats or truth values");
      return;
    }
    auto given = options.shapes.find(input.name);
    if (given != options.shapes.end())
      takeShape(input, given->second);
    if (!input.shape) {
      problem(diag::ImportUnknownLength,
              "the input " + input.name + " has no shape")
          .hint("give the shape with --input-shape " + input.name + "=...");
      return;
    }
    takeBatchOfOne(input);
    for (size_t i = 0; i < input.shape->size(); ++i)
      if ((*input.shape)[i] < 0) {
        std::string symbol = i < input.symbols.size() ? input.symbols[i] : "";
        problem(diag::ImportUnknownLength,
                "a length of the input " + input.name + " is not known")
            .found("axis " + std::to_string(i) + " is " +
                   (symbol.empty() ? "open" : symbol))
            .hint(proposal(input, index));
        return;
      }
    if (!isPossible(*input.shape))
      problem(diag::ImportForm,
              "the input " + input.name + " has an impossible shape")
          .found(shapeText(*input.shape))
          .expected("up to 8 axes, up to 2^40 elements");
    else if (numElements(*input.shape) == 0)
      problem(diag::ImportForm, "the input " + input.name + " has no elements")
          .found(shapeText(*input.shape))
          .expected("lengths of 1 or more");
  }

  void takeShape(Tensor &input, const Shape &shape) {
    bool fits = !input.shape || input.shape->size() == shape.size();
    for (size_t i = 0; fits && input.shape && i < shape.size(); ++i)
      fits = (*input.shape)[i] < 0 || (*input.shape)[i] == shape[i];
    if (fits)
      input.shape = shape;
    else
      problem(diag::ImportInputShape, "the shape given for " + input.name +
                                          " does not match its declared shape")
          .found(shapeText(shape))
          .expected(example(input));
  }

  void takeBatchOfOne(Tensor &input) {
    Shape &shape = *input.shape;
    if (shape.empty() || shape[0] >= 0)
      return;
    shape[0] = 1;
    diags
        .report(diag::ImportBatchOfOne, {graph.file},
                "the first axis of input " + input.name +
                    " is open; a batch of 1 is assumed")
        .hint("give another batch with --input-shape " + input.name + "=" +
              example(input));
  }

  /// An option with the shape of the samples, where there are some that fit.
  std::string proposal(const Tensor &input, size_t index) const {
    const Shape &stated = *input.shape;
    std::vector<Shape> samples =
        options.sampleShapes ? options.sampleShapes() : std::vector<Shape>();
    Shape sample = index < samples.size() ? samples[index] : Shape();
    bool fits = sample.size() == stated.size();
    for (size_t i = 1; fits && i < sample.size(); ++i)
      fits = stated[i] < 0 || stated[i] == sample[i];
    if (!fits || sample.empty())
      return "give all lengths with --input-shape " + input.name + "=" +
             example(input);
    sample[0] = std::max<int64_t>(stated[0], 1); // the rest are more samples
    std::string text;
    for (int64_t length : sample)
      text += (text.empty() ? "" : ",") + std::to_string(length);
    return "give the shape of the samples with --input-shape " + input.name +
           "=" + text;
  }

  /// "1,3,height,width"
  static std::string example(const Tensor &input) {
    std::string text;
    for (size_t i = 0; i < input.shape->size(); ++i) {
      int64_t length = (*input.shape)[i];
      std::string symbol = i < input.symbols.size() ? input.symbols[i] : "";
      text += (i ? "," : "") + (length >= 0      ? std::to_string(length)
                                : symbol.empty() ? "?"
                                                 : symbol);
    }
    return text;
  }

  Graph &graph;
  const ImportOptions &options;
  DiagnosticEngine &diags;
  bool ok = true;
};
} // namespace

/// The shape of an input for which \p count numbers are given: what is open of
/// it is 1, or what a list needs.
static Shape shapeFor(const Shape &stated, size_t count) {
  Shape shape = stated;
  int64_t known = 1;
  for (int64_t length : stated)
    known *= std::max<int64_t>(length, 1);
  bool isFilled = count == 1;
  for (int64_t &length : shape)
    if (length < 0) {
      length = isFilled || known == 0 || int64_t(count) % known
                   ? 1
                   : int64_t(count) / known;
      isFilled = true;
    }
  return shape;
}

/// Makes constants of the numbers that are given for inputs. Shapes that are
/// given count; one that is not known is a scalar's, or that of the list.
static bool bindValues(Graph &graph, ImportOptions &options,
                       DiagnosticEngine &diags) {
  for (auto &[name, values] : options.values) {
    auto it = std::ranges::find(graph.inputs, name, &Tensor::name);
    Tensor *input = it == graph.inputs.end() ? nullptr : *it;
    if (!input || !input->type) {
      std::vector<std::string> names;
      for (const Tensor *other : graph.inputs)
        names.push_back(other->name);
      diags
          .report(diag::ImportInputShape, {graph.file},
                  "a number is given for " + name + ", which is not an input")
          .expected("one of " + llvm::join(names, ", "))
          .suggest(name, names);
      return false;
    }
    Shape shape = input->shape.value_or(
        values.size() == 1 ? Shape() : Shape{int64_t(values.size())});
    if (auto given = options.shapes.find(name); given != options.shapes.end()) {
      shape = given->second;
      options.shapes.erase(given);
    }
    shape = shapeFor(shape, values.size());
    auto count = isPossible(shape) ? size_t(numElements(shape)) : 0;
    if (values.size() != 1 && values.size() != count) {
      diags
          .report(diag::ImportInputShape, {graph.file},
                  "the numbers given for " + name + " do not match its shape")
          .found(std::to_string(values.size()) + " numbers")
          .expected(std::to_string(count) + " for " + shapeText(shape) +
                    ", or one number for all elements");
      return false;
    }
    std::vector<float> floats(count);
    std::vector<int64_t> integers(count);
    for (size_t i = 0; i < count; ++i) {
      double value = values.size() == 1 ? values[0] : values[i];
      floats[i] = float(value);
      integers[i] = int64_t(value);
    }
    Constant constant = *input->type == ElementType::F32
                            ? Constant::ofFloats(shape, floats)
                            : Constant::ofIntegers(shape, integers);
    options.constants.insert({name, std::move(constant)});
  }
  return true;
}

bool graph::bind(Graph &graph, const ImportOptions &given,
                 DiagnosticEngine &diags) {
  ImportOptions options = given;
  if (!cut(graph, given, options.shapes, diags) ||
      !bindValues(graph, options, diags))
    return false;
  for (Tensor *input : graph.inputs)
    if (auto it = options.constants.find(input->name);
        it != options.constants.end()) {
      input->setType(it->second.type, it->second.shape);
      input->constant = it->second;
    }
  std::erase_if(graph.inputs,
                [](Tensor *t) { return t->constant.has_value(); });
  dropUnused(graph);
  if (!options.inputs.empty() || !options.outputs.empty())
    dropInputs(graph);
  std::erase_if(graph.states, [&](const State &state) {
    return !llvm::is_contained(graph.inputs, state.past);
  });
  return Binder(graph, options, diags).bind();
}
