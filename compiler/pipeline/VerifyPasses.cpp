//===- VerifyPasses.cpp - What holds between the phases of quantization ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Passes.h"
#include "dialects/compass/Execution.h"
#include "passes/PassDiagnostics.h"
#include "quantizer/calibrate/RangeAttributes.h"

using namespace yarrow;
using namespace mlir;

namespace yarrow {
#define GEN_PASS_DEF_VERIFYNETWORK
#define GEN_PASS_DEF_VERIFYRANGES
#include "compiler/pipeline/Passes.h.inc"
} // namespace yarrow

namespace {

struct VerifyNetwork : yarrow::impl::VerifyNetworkBase<VerifyNetwork> {
  using VerifyNetworkBase::VerifyNetworkBase;

  void runOnOperation() override {
    yarrow::DiagnosticEngine diags;
    compass::checkExecutable(getOperation(), diags);
    if (failed(emitAll(diags, getOperation())))
      signalPassFailure();
  }
};

struct VerifyRanges : yarrow::impl::VerifyRangesBase<VerifyRanges> {
  using VerifyRangesBase::VerifyRangesBase;

  void runOnOperation() override {
    yarrow::DiagnosticEngine diags;
    verifyRanges(getOperation(), diags);
    if (failed(emitAll(diags, getOperation())))
      signalPassFailure();
  }
};

} // namespace
