//===- ControlShapes.cpp - Shapes of control flow -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/control/ControlShapes.h"

#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// A truth value or count is a tensor of one element.
static void checkScalar(LayerCheck &check, unsigned input, const Twine &what) {
  ArrayRef<int64_t> shape = check.in(input);
  if (llvm::any_of(shape, [](int64_t length) { return length != 1; }))
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the " + what + " is not one value")
        .found(shapeText(shape))
        .expected("[] or [1]")
        .token(shapeText(shape));
}

LogicalResult compass::inferIf(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  checkScalar(check, 0, "condition");
  int64_t thenInputs = check.integerOf(keys::then_branch_inputs_num),
          elseInputs = check.integerOf(keys::else_branch_inputs_num),
          found = int64_t(op->getNumOperands()) - 1;
  if (found != thenInputs + elseInputs)
    check
        .problem(diag::OpArity, "layer_bottom",
                 "the number of inputs does not fit the branches")
        .found(Twine(found) + " after the condition")
        .expected(Twine(thenInputs + elseInputs) +
                  ": then_branch_inputs_num + else_branch_inputs_num");
  return check.declared(shapes);
}

LogicalResult compass::inferLoop(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  checkScalar(check, 0, "count");
  checkScalar(check, 1, "condition");
  int64_t carried = check.integerOf(keys::dependency_inputs_num),
          scanned = check.integerOf(keys::scan_outputs_num),
          inputs = int64_t(op->getNumOperands()) - 2,
          outputs = op->getNumResults();
  if (inputs < carried)
    check
        .problem(diag::OpArity, "layer_bottom",
                 "the layer has fewer inputs than dependency_inputs_num")
        .found(Twine(inputs) + " after count and condition")
        .expected(Twine(carried) + " or more: dependency_inputs_num");
  if (outputs != carried + scanned)
    check
        .problem(diag::OpArity, "layer_top",
                 "the layer has a wrong number of outputs")
        .found(Twine(outputs))
        .expected(Twine(carried + scanned) +
                  ": dependency_inputs_num + scan_outputs_num");
  return check.declared(shapes);
}

LogicalResult compass::inferCopies(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  if (op->getNumOperands() != op->getNumResults())
    return check
        .problem(diag::OpArity, "layer_top",
                 "the layer has a wrong number of outputs")
        .found(Twine(op->getNumResults()))
        .expected(Twine(op->getNumOperands()) + ", one for each input");
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    shapes.emplace_back(check.in(i));
  return success();
}
