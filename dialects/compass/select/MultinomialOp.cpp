//===- MultinomialOp.cpp - Choices by chance ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/CountedTensors.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/select/SelectOps.h"
#include "dialects/compass/select/SelectShapes.h"
#include "kernels/select/Multinomial.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::inferMultinomial(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  int64_t rows = check.in(0)[0], samples = check.integerOf(keys::num_samples);
  // The kernel counts rows, classes and choices in 32 bits. Rows are below
  // 2^31, and so are samples by the record: their product fits 64 bits.
  checkCounted(check, 0);
  if (check.ok() && rows * samples > INT32_MAX)
    check
        .problem(diag::OpBadAttribute, keys::num_samples,
                 "there are more choices than a tensor can hold")
        .found(Twine(samples) + " for each of " + Twine(rows) + " rows")
        .expected("at most " + Twine(INT32_MAX) + " in all rows");
  if (!check.ok())
    return failure();
  shapes.push_back({rows, samples});
  return success();
}

LogicalResult MultinomialOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> weights = inputShape(*this, 0);
  KernelCall &call = program.call<kernels::Multinomial>(
      {.rows = uint32_t(weights[0]),
       .classes = uint32_t(weights[1]),
       .samples = uint32_t(intKey(*this, keys::num_samples))});
  call["weights"] = operand(0), call["seeds"] = operand(1);
  call["output"] = result(0);
  return success();
}
