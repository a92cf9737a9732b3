//===- Engines.cpp - Which engines compute which kernels ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/Engines.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"
#include "kernels/convert/Convert.h"
#include "kernels/movement/DataMovement.h"
#include "kernels/pool/Pool.h"
#include "passes/lower/commands/Lowering.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::npu;
using isa::Engine;

template <bool (Lowering::*Lower)(const Step &)>
static bool lowerWith(Lowering &lowering, const Step &step) {
  return (lowering.*Lower)(step);
}

llvm::ArrayRef<EngineForm> npu::engineForms(llvm::StringRef kernel) {
  constexpr auto conv = lowerWith<&Lowering::lowerConv>;
  constexpr llvm::StringLiteral takesConv =
      "8 and 16 bits, sums that fit the accumulators; scales of more than 16 "
      "bits where the machine has them; ties to even or upwards, double "
      "rounding on the TECs; together with an ADD or a table that alone reads "
      "the result";
  // Forms of one kernel are neighbours.
  static constexpr EngineForm forms[] = {
      {kernels::Conv2DInt::kSymbol, Engine::TensorEngine, conv, takesConv},
      {kernels::DepthwiseConv2DInt::kSymbol, Engine::TensorEngine, conv,
       takesConv},
      {kernels::ConvTranspose2DInt::kSymbol, Engine::TensorEngine, conv,
       "as convolutions of stride 1 whose outputs interleave, one for each "
       "place of a stride"},
      {kernels::Conv2DWinogradInt::kSymbol, Engine::TensorEngine, conv,
       "in its Winograd mode, where the machine has it and the sums fit, else "
       "as ordinary convolutions"},
      {kernels::FullyConnectedInt::kSymbol, Engine::TensorEngine, conv,
       "as a convolution; together with an ADD or a table that alone reads the "
       "result"},
      {kernels::PoolInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerPool>,
       "MAX and AVG of 8 and 16 bits; halves away from zero where reciprocals "
       "of 24 bits give all sums of the window's areas exactly, else on the "
       "TECs"},
      {kernels::MatMulInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerMatMul>,
       "8 and 16 bits, sums that fit the accumulators, scales and rounding as "
       "of "
       "a convolution, operands and result in SRAM at once"},
      {kernels::EltwiseInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerEltwise>,
       "ADD of equal shapes, 8 and 16 bits, scales of more than 16 bits where "
       "the machine has them and the sum of products fits 62; with one "
       "constant "
       "number, 8 bits; operands and result in SRAM at once"},
      {kernels::Lut::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerTable>, "input and result in SRAM at once"},
      {kernels::Copy::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerCopy>,
       "up to five axes, after neighbours that stay together are joined; of "
       "more, in up to 16 commands"},
      {kernels::Split::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerSplit>,
       "all"},
      {kernels::Concat::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerConcat>,
       "where all branches have the result's scale, of 8 bits also where "
       "convolutions make them; else on the TECs"},
      {kernels::Pad::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerPad>,
       "a border of one value; axes as of a copy"},
  };
  auto has = [&](const EngineForm &form) { return form.kernel == kernel; };
  const EngineForm *first = llvm::find_if(forms, has);
  return {first, std::find_if_not(first, std::end(forms), has)};
}

std::string npu::unitsOf(llvm::ArrayRef<llvm::StringRef> kernels) {
  std::vector<std::string_view> engines;
  for (llvm::StringRef kernel : kernels)
    for (const EngineForm &form : engineForms(kernel))
      if (!llvm::is_contained(engines, name(form.engine)))
        engines.push_back(name(form.engine));
  if (kernels.empty())
    return "";
  if (engines.empty())
    return "TEC";
  return llvm::join(engines, ", ") + " or TEC";
}
