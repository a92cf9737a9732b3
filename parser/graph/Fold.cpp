//===- Fold.cpp - Shapes and constants of an import graph -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Fold.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/network/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/graph/OperatorTable.h"
#include "support/diagnostics/Import.h"
#include <cstring>
#include <set>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// Constants that are larger, and larger than what they are made of, stay
/// layers.
static constexpr int64_t kMostFolded = 16 << 20;

bool graph::checkTensors(const Node &node, ImportState &state) {
  const OperatorEntry *entry = findOperator(node.op, node.domain);
  Place place{state.file + ": " + node.describe()};
  size_t inputs = node.inputs.size(), outputs = node.outputs.size();
  bool ok = inputs >= entry->minInputs && inputs <= entry->maxInputs;
  for (size_t i = 0; ok && i < entry->minInputs; ++i)
    ok = node.inputs[i] != nullptr;
  if (!ok) {
    state.diags
        .report(diag::ImportBadNode, place,
                node.op + ": the node has a wrong number of inputs")
        .found(std::to_string(inputs))
        .expected(std::to_string(entry->minInputs) +
                  (entry->maxInputs == entry->minInputs ? ""
                   : entry->maxInputs == ~0u
                       ? " or more"
                       : " to " + std::to_string(entry->maxInputs)));
    return false;
  }
  for (size_t i = entry->maxOutputs; i < outputs; ++i)
    if (node.outputs[i]) {
      state.diags
          .report(diag::ImportForm, place,
                  node.op + ": an output that is not supported")
          .found(node.outputs[i]->name)
          .expected(std::to_string(entry->maxOutputs) + " outputs")
          .hint("remove outputs that only training needs");
      return false;
    }
  for (const Tensor *tensor : node.inputs)
    if (tensor && !tensor->foreignType.empty()) {
      state.diags
          .report(diag::ImportForm, place,
                  node.op + ": an input has a type that is not supported")
          .found(tensor->foreignType + " of tensor " + tensor->name)
          .expected("tensors of integers, floats or truth values");
      return false;
    }
  return true;
}

namespace {

class Folder {
public:
  Folder(Graph &graph, ImportState &state)
      : graph(graph), state(state), builder(&state.context),
        scratch(ModuleOp::create(builder.getUnknownLoc())) {
    builder.setInsertionPointToEnd(scratch->getBody());
  }

  bool fold(ArrayRef<Tensor *> captured = {}) {
    Emitter emitter(state, builder, graph, /*isTrial=*/true);
    for (ArrayRef<Tensor *> inputs : {ArrayRef(graph.inputs), captured})
      for (Tensor *input : inputs)
        emitter.define(input, inputValue(*input), false);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (takeBranch(i)) {
        --i;
        continue;
      }
      visit(*graph.nodes[i], emitter);
    }
    return ok;
  }

private:
  Value inputValue(const Tensor &input) {
    OperationState op(builder.getUnknownLoc(),
                      compass::InputOp::getOperationName());
    op.addTypes(compass::plainType(&state.context, *input.shape,
                                   irElement(*input.type)));
    return builder.create(op)->getResult(0);
  }

  void visit(Node &node, Emitter &emitter) {
    for (const Tensor *tensor : readBy(node))
      if (!emitter.isKnown(tensor)) {
        // Told at the node that should have written it.
        if (tensor->foreignType.empty())
          ok = false;
        else
          ok &= checkTensors(node, state);
        return;
      }
    if (!checkTensors(node, state) || !haveElements(node)) {
      ok = false;
      return;
    }
    size_t errors = state.diags.numErrors();
    if (failed(emitNode(emitter, node))) {
      ok = false;
      if (state.diags.numErrors() == errors)
        state.diags.report(diag::ImportForm,
                           {state.file + ": " + node.describe()},
                           node.op + ": this form is not supported");
      return;
    }
    bool isConstant =
        llvm::all_of(readBy(node),
                     [](const Tensor *t) { return t->constant.has_value(); }) &&
        node.op != "Loop" && node.op != "If";
    for (Tensor *output : node.outputs)
      if (output && !output->constant)
        finish(*output, emitter, isConstant, node);
    noteUnchanged(node, emitter);
  }

  /// A node for which no layer is made.
  void noteUnchanged(const Node &node, const Emitter &emitter) {
    const Tensor *y = node.output(0);
    if (!y || y->constant)
      return;
    for (Tensor *x : node.inputs)
      if (x && !x->constant && x->type == y->type && x->shape == y->shape &&
          x->quantization == y->quantization && emitter.areSame(x, y)) {
        state.unchanged[&node] = x;
        return;
      }
  }

  /// Layers have no tensors without elements.
  bool haveElements(const Node &node) {
    for (const Tensor *tensor : node.inputs)
      if (tensor && !tensor->constant && tensor->shape &&
          numElements(*tensor->shape) == 0)
        return false;
    return true;
  }

  /// Type, shape and perhaps value of a tensor that was just emitted.
  void finish(Tensor &output, Emitter &emitter, bool isConstant, Node &node) {
    if (!emitter.isKnown(&output)) {
      ok = false;
      state.diags
          .report(diag::ImportForm, {state.file + ": " + node.describe()},
                  node.op + ": an output is not imported")
          .found(output.name);
      return;
    }
    Value value = emitter.plain(&output);
    if (!value) {
      ok = false;
      return;
    }
    ArrayRef<int64_t> shape = shapeOf(value);
    output.setType(elementOf(value), Shape(shape.begin(), shape.end()));
    if (output.quantization && !isFloat(value)) {
      ok = false;
      state.diags
          .report(diag::ImportForm, {state.file + ": " + node.describe()},
                  node.op + ": integers cannot be quantized again")
          .found(compass::dtypeName(elementOf(value)).str())
          .expected("floats");
      emitter.forget(&output);
      return;
    }
    if (!isPossible(*output.shape)) {
      ok = false;
      state.diags
          .report(diag::ImportForm, {state.file + ": " + node.describe()},
                  node.op + ": a result has an impossible shape")
          .found(shapeText(*output.shape))
          .expected("up to 8 axes, up to 2^40 elements");
      emitter.forget(&output);
      return;
    }
    if (!isConstant)
      return;
    int64_t size = int64_t(compass::describe(value).sizeBytes()), from = 0;
    for (const Tensor *input : node.inputs)
      if (input)
        from += int64_t(input->constant->bytes.size());
    if (size > std::max<int64_t>(kMostFolded, from))
      return;
    auto bytes = bytesOf(value);
    if (!bytes)
      return;
    std::vector<std::byte> copy(bytes->size());
    std::memcpy(copy.data(), bytes->data(), copy.size());
    output.constant =
        Constant::ofBytes(elementOf(value), *output.shape, std::move(copy));
    if (output.quantization)
      output.constant = storedConstant(*output.constant, *output.quantization);
    emitter.forget(&output);
  }

  /// The bytes of a value that depends on constants alone.
  std::optional<std::vector<char>> bytesOf(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<compass::ConstantOp>(op)) {
      auto view =
          compass::viewConstant(compass::tensorKey(op, compass::keys::weights));
      if (!view)
        return std::nullopt;
      return std::vector<char>(view->bytes.begin(), view->bytes.end());
    }
    std::vector<std::vector<uint64_t>> aligned;
    SmallVector<compass::TensorBytesRef> operands;
    for (Value operand : op->getOperands()) {
      auto bytes = bytesOf(operand);
      if (!bytes)
        return std::nullopt;
      aligned.emplace_back(bytes->size() / 8 + 1);
      std::memcpy(aligned.back().data(), bytes->data(), bytes->size());
      operands.emplace_back(
          reinterpret_cast<const char *>(aligned.back().data()), bytes->size());
    }
    std::vector<compass::TensorBytes> results;
    if (op->getNumOperands() == 0 ||
        failed(compass::evaluateOp(op, operands, results)))
      return std::nullopt;
    for (auto [result, bytes] : llvm::zip(op->getResults(), results))
      known[result] = bytes;
    return known[value];
  }

  /// Puts the branch of an If with a constant condition in its place.
  bool takeBranch(size_t i) {
    Node &node = *graph.nodes[i];
    const Tensor *condition = node.input(0);
    if (node.op != "If" || !condition || !condition->constant ||
        condition->constant->numElements() != 1)
      return false;
    const graph::Attribute *branch = node.attribute(
        condition->constant->integerAt(0) ? "then_branch" : "else_branch");
    if (!branch || !branch->graph ||
        branch->graph->outputs.size() != node.outputs.size())
      return false;
    std::shared_ptr<Graph> body = branch->graph;
    std::vector<std::unique_ptr<Node>> nodes = std::move(body->nodes);
    for (size_t k = 0; k < node.outputs.size(); ++k)
      if (node.outputs[k]) {
        auto copy = std::make_unique<Node>();
        copy->op = "Identity";
        copy->inputs = {body->outputs[k]};
        copy->outputs = {node.outputs[k]};
        nodes.push_back(std::move(copy));
      }
    graph.nodes.erase(graph.nodes.begin() + long(i));
    graph.nodes.insert(graph.nodes.begin() + long(i),
                       std::make_move_iterator(nodes.begin()),
                       std::make_move_iterator(nodes.end()));
    graph.adopt(body); // its tensors are used from now on
    return true;
  }

  Graph &graph;
  ImportState &state;
  OpBuilder builder;
  OwningOpRef<ModuleOp> scratch;
  DenseMap<Value, std::vector<char>> known;
  bool ok = true;
};

} // namespace

bool graph::fold(Graph &graph, ImportState &state) {
  return Folder(graph, state).fold();
}

bool graph::foldBody(Graph &body, ArrayRef<Tensor *> captured,
                     ImportState &state) {
  return Folder(body, state).fold(captured);
}
