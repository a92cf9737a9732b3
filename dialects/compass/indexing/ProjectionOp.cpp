//===- ProjectionOp.cpp - Locality sensitive hashing ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/CountedTensors.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexOps.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "kernels/indexing/Projection.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

using kernels::ProjectionForm;

static ProjectionForm formOf(Operation *op) {
  return llvm::StringSwitch<ProjectionForm>(wordKey(op, keys::method, "DENSE"))
      .Case("SIGNATURES", ProjectionForm::Signatures)
      .Case("APART_SIGNATURES", ProjectionForm::ApartSignatures)
      .Default(ProjectionForm::Dense);
}

LogicalResult compass::inferLshProjection(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> hashes = check.in(0), items = check.in(1);
  ProjectionForm form = formOf(op);
  // What a number of 32 bits holds.
  int64_t bits = hashes[1];
  if (form == ProjectionForm::ApartSignatures && hashes[0] > 0)
    bits += llvm::Log2_64_Ceil(uint64_t(hashes[0]));
  // The kernel counts all bits, all items and the bytes of one in 32 bits.
  checkCounted(check, 0);
  checkCounted(check, 1,
               kernels::dtypeBytes(describe(op->getOperand(1)).dtype));
  if (form != ProjectionForm::Dense && bits > 32)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the bits of a hash function do not fit an integer")
        .found(Twine(bits) + " bits")
        .expected("at most 32");
  if (items.empty())
    check.problem(diag::OpShape, "layer_bottom_shape", "the items have no axis")
        .found(shapeText(items))
        .expected("[items,...]");
  else if (op->getNumOperands() > 2 && check.in(2) != items.take_front())
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "there is not one weight per item")
        .found(shapeText(check.in(2)))
        .expected(shapeText(items.take_front()))
        .token(shapeText(check.in(2)));
  if (!check.ok())
    return failure();
  shapes.push_back(
      {form == ProjectionForm::Dense ? product(hashes) : hashes[0]});
  return success();
}

LogicalResult LshProjectionOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> hashes = inputShape(*this, 0);
  TensorInfo items = describe(getOperand(1));
  kernels::ProjectionParams p;
  p.functions = uint32_t(hashes[0]), p.bits = uint32_t(hashes[1]);
  p.items = uint32_t(items.shape[0]);
  // Not the size of all by their number, which may be 0.
  p.itemBytes = uint32_t(product(inputShape(*this, 1).drop_front()) *
                         kernels::dtypeBytes(items.dtype));
  p.form = formOf(*this);
  KernelCall &call = program.call<kernels::Projection>(p);
  call["hashes"] = operand(0), call["input"] = operand(1);
  if (getNumOperands() > 2)
    call["weights"] = operand(2);
  call["output"] = result(0);
  return success();
}
