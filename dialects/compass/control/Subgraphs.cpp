//===- Subgraphs.cpp - Calls of sub-graphs against their signatures -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/control/ControlShapes.h"
#include "dialects/compass/graph/Graphs.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// The keys of If and Loop that name sub-graphs.
constexpr llvm::StringLiteral kGraphKeys[] = {"then_branch", "else_branch",
                                              "body"};

/// Checks one If or Loop against the functions that it calls.
class CallCheck {
public:
  CallCheck(Operation *op, SymbolTableCollection &symbols)
      : op(op), symbols(symbols), check(op) {}

  /// The sub-graph that \p key names; null after reporting that there is none
  /// or that it leads back here.
  func::FuncOp find(StringRef key);
  /// What the layer passes are the inputs of the sub-graph. The first
  /// \p exempt are not compared.
  void inputs(StringRef key, func::FuncOp graph, ValueRange passed,
              unsigned exempt = 0);
  bool countOutputs(StringRef key, func::FuncOp graph, size_t expected);
  /// One element type, and one scale if there is one.
  void sameElements(const TensorInfo &found, const TensorInfo &expected,
                    StringRef key, const Twine &what);
  void sameShape(ArrayRef<int64_t> found, ArrayRef<int64_t> expected,
                 StringRef key, const Twine &what);
  LayerError problem(DiagId id, StringRef key, const Twine &message) {
    return check.problem(id, key, message);
  }
  int64_t integerOf(IntKey key) const { return check.integerOf(key); }
  LogicalResult result() const { return success(check.ok()); }

private:
  func::FuncOp lookup(Operation *caller, StringRef key);
  bool leadsTo(func::FuncOp from, func::FuncOp to);

  Operation *op;
  SymbolTableCollection &symbols;
  LayerCheck check;
};

func::FuncOp CallCheck::lookup(Operation *caller, StringRef key) {
  auto name = caller->getAttrOfType<FlatSymbolRefAttr>(key);
  return name ? symbols.lookupNearestSymbolFrom<func::FuncOp>(caller, name)
              : nullptr;
}

/// Whether calls that begin in \p from arrive at \p to.
bool CallCheck::leadsTo(func::FuncOp from, func::FuncOp to) {
  SmallVector<func::FuncOp> work = {from};
  llvm::SmallPtrSet<Operation *, 8> seen = {from};
  while (!work.empty()) {
    func::FuncOp graph = work.pop_back_val();
    if (graph == to)
      return true;
    graph.walk([&](Operation *caller) {
      for (StringRef key : kGraphKeys)
        if (func::FuncOp callee = lookup(caller, key);
            callee && seen.insert(callee).second)
          work.push_back(callee);
    });
  }
  return false;
}

func::FuncOp CallCheck::find(StringRef key) {
  func::FuncOp graph = lookup(op, key);
  auto caller = op->getParentOfType<func::FuncOp>();
  StringRef name = op->getAttrOfType<FlatSymbolRefAttr>(key).getValue();
  if (!graph || isMainGraph(graph) || graph.isExternal()) {
    std::string names;
    for (auto other : op->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
      if (!isMainGraph(other))
        names += (names.empty() ? "" : ", ") + other.getName().str();
    problem(diag::OpBadAttribute, key, "there is no sub-graph " + name)
        .found(name)
        .expected(names.empty() ? "the file has no sub-graphs" : names);
    return nullptr;
  }
  // Nothing calls the main graph.
  if (caller && !isMainGraph(caller) && leadsTo(graph, caller)) {
    problem(diag::IrCycle, key,
            "the sub-graph " + caller.getName() + " calls itself through " +
                name)
        .found(name)
        .expected("a sub-graph that does not lead back here");
    return nullptr;
  }
  return graph;
}

void CallCheck::sameElements(const TensorInfo &found,
                             const TensorInfo &expected, StringRef key,
                             const Twine &what) {
  if (found.dtype != expected.dtype)
    problem(diag::OpElementType, key, what + " differ in element type")
        .found(dtypeName(found.storedType()))
        .expected(dtypeName(expected.storedType()));
  else if (found.isQuantized() && expected.isQuantized() &&
           (found.scale != expected.scale || found.zp != expected.zp))
    problem(diag::OpElementType, key, what + " differ in scale")
        .found(std::to_string(found.scale) + ", zero point " + Twine(found.zp))
        .expected(std::to_string(expected.scale) + ", zero point " +
                  Twine(expected.zp));
}

void CallCheck::sameShape(ArrayRef<int64_t> found, ArrayRef<int64_t> expected,
                          StringRef key, const Twine &what) {
  if (found != expected)
    problem(diag::OpShape, key, what + " differ in shape")
        .found(shapeText(found))
        .expected(shapeText(expected))
        .token(shapeText(found));
}

void CallCheck::inputs(StringRef key, func::FuncOp graph, ValueRange passed,
                       unsigned exempt) {
  SmallVector<Value> taken = graphInputs(graph);
  StringRef name = graph.getName();
  if (taken.size() != passed.size()) {
    problem(diag::OpArity, key,
            "the layer does not pass the inputs that the sub-graph " + name +
                " takes")
        .found(Twine(passed.size()) + " inputs")
        .expected(Twine(taken.size()) + ", as in its input_tensors");
    return;
  }
  for (size_t i = exempt; i < taken.size(); ++i) {
    TensorInfo from = describe(passed[i]), to = describe(taken[i]);
    std::string what = "tensor " + tensorNameOf(passed[i]) + " and input " +
                       tensorNameOf(taken[i]) + " of sub-graph " + name.str();
    sameElements(from, to, "layer_bottom_type", what);
    sameShape(from.shape, to.shape, "layer_bottom_shape", what);
  }
}

bool CallCheck::countOutputs(StringRef key, func::FuncOp graph,
                             size_t expected) {
  size_t found = graphOutputs(graph).size();
  if (found != expected)
    problem(diag::OpArity, key,
            "the sub-graph " + graph.getName() +
                " has a wrong number of outputs")
        .found(Twine(found))
        .expected(Twine(expected));
  return found == expected;
}

} // namespace

LogicalResult compass::verifyIf(Operation *op, SymbolTableCollection &symbols) {
  CallCheck call(op, symbols);
  func::FuncOp thenGraph = call.find("then_branch"),
               elseGraph = call.find("else_branch");
  if (!thenGraph || !elseGraph)
    return failure();
  auto passed = op->getOperands().drop_front();
  size_t thenInputs = size_t(call.integerOf(keys::then_branch_inputs_num));
  call.inputs("then_branch", thenGraph, passed.take_front(thenInputs));
  call.inputs("else_branch", elseGraph, passed.drop_front(thenInputs));
  bool countsFit =
      call.countOutputs("then_branch", thenGraph, op->getNumResults());
  countsFit &= call.countOutputs("else_branch", elseGraph, op->getNumResults());
  if (!countsFit)
    return failure();
  for (auto [result, first, second] :
       llvm::zip(op->getResults(), graphOutputs(thenGraph),
                 graphOutputs(elseGraph))) {
    TensorInfo out = describe(result), a = describe(first),
               b = describe(second);
    std::string what = "result " + tensorNameOf(result) + " and output ";
    call.sameElements(out, a, "layer_top_type",
                      what + tensorNameOf(first) + " of then_branch");
    call.sameElements(out, b, "layer_top_type",
                      what + tensorNameOf(second) + " of else_branch");
    // The result is declared for the branch with more elements.
    const TensorInfo &larger = a.numElements() > b.numElements() ? a : b;
    if (a.numElements() == b.numElements() && out.shape == a.shape)
      continue;
    call.sameShape(out.shape, larger.shape, "layer_top_shape",
                   what + tensorNameOf(&larger == &a ? first : second) +
                       " of the larger branch");
  }
  return call.result();
}

/// Shape of \p count values of this shape stacked along the first axis.
static SmallVector<int64_t> stacked(ArrayRef<int64_t> shape, int64_t count) {
  SmallVector<int64_t> result(shape);
  if (result.empty())
    result.push_back(1);
  if (result.size() == 1)
    result.insert(result.begin(), 1);
  result.front() *= count; // both below 2^31
  return result;
}

LogicalResult compass::verifyLoop(Operation *op,
                                  SymbolTableCollection &symbols) {
  CallCheck call(op, symbols);
  func::FuncOp body = call.find("body");
  if (!body)
    return failure();
  // Iteration and condition of the body have types of their own.
  call.inputs("body", body, op->getOperands(), /*exempt=*/2);
  size_t carried = size_t(call.integerOf(keys::dependency_inputs_num));
  if (!call.countOutputs("body", body, 1 + op->getNumResults()))
    return failure();
  auto outputs = graphOutputs(body);
  int64_t count = call.integerOf(keys::loop_default_count);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Value given = outputs[1 + i];
    TensorInfo out = describe(result), in = describe(given);
    std::string what = "result " + tensorNameOf(result) + " and output " +
                       tensorNameOf(given) + " of the body";
    call.sameElements(out, in, "layer_top_type", what);
    if (i >= carried) {
      call.sameShape(out.shape, stacked(in.shape, count), "layer_top_shape",
                     what + ", stacked loop_default_count times,");
      continue;
    }
    call.sameShape(out.shape, in.shape, "layer_top_shape", what);
    TensorInfo before = describe(op->getOperand(2 + i));
    std::string round = "tensor " + tensorNameOf(op->getOperand(2 + i)) +
                        " before and " + tensorNameOf(given) +
                        " after an iteration";
    call.sameElements(before, in, "layer_bottom_type", round);
    call.sameShape(before.shape, in.shape, "layer_bottom_shape", round);
  }
  return call.result();
}
