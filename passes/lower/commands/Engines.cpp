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
#include "kernels/image/Resize.h"
#include "kernels/movement/DataMovement.h"
#include "kernels/norm/LayerNorm.h"
#include "kernels/norm/Norm.h"
#include "kernels/norm/Softmax.h"
#include "kernels/pool/Pool.h"
#include "kernels/reduce/Reduce.h"
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
  constexpr auto unary = lowerWith<&Lowering::lowerUnary>;
  constexpr llvm::StringLiteral takesConv =
      "8 and 16 bits, sums that fit the accumulators; scales of more than 16 "
      "bits where the machine has them; ties to even or upwards, double "
      "rounding on the TECs; together with a function of two tensors or a "
      "table that alone reads the result";
  constexpr auto pairs = lowerWith<&Lowering::lowerSoftmaxPairs>;
  constexpr llvm::StringLiteral takesPairs =
      "of two bytes, as a table of their difference; input and result in SRAM "
      "at once";
  constexpr auto rows = lowerWith<&Lowering::lowerSoftmaxRows>;
  constexpr llvm::StringLiteral takesRows =
      "rows of neighbours where the TECs are not faster, which find a number "
      "of each; of exponentials from a table those of up to 16 bits, where the "
      "machine has wide scales";
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
       "as a convolution, with what reads its result alone"},
      {kernels::BatchNormInt::kSymbol, Engine::TensorEngine, conv,
       "channels innermost, as a depthwise convolution of one cell"},
      {kernels::ReduceInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerReduce>,
       "SUM and MEAN of neighbouring axes, 8 and 16 bits, as products with "
       "ones; MAX and MIN of many values by halves; input and result in SRAM "
       "at once"},
      {kernels::PoolInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerPool>,
       "MAX and AVG of 8 and 16 bits, AVG of whole images as products with "
       "ones; halves away from zero where reciprocals "
       "of 24 bits give all sums of the window's areas exactly, else on the "
       "TECs"},
      {kernels::MatMulInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerMatMul>,
       "8 and 16 bits, sums that fit the accumulators, scales and rounding as "
       "of "
       "a convolution, operands and result in SRAM at once"},
      {kernels::ResizeInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerResize>,
       "8 and 16 bits, as convolutions with constant weights of up to 16 bits "
       "whose outputs interleave: nearest, and bilinear without antialiasing, "
       "where the commands are few enough to be faster than the TECs"},
      {kernels::EltwiseInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerEltwise>,
       "ADD, SUB, MUL, MAX, MIN and comparisons of 8 and 16 bits, broadcast in "
       "any way; "
       "scales of more than 16 bits where the machine has them; products below "
       "2^62; any function of bytes and one number that is known"},
      {kernels::DivInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerQuotient>,
       "divisors of 8 bits, unsigned ones of 16 bits with a table of uint16, "
       "and known ones: products with their inverses"},
      {kernels::LayerNormInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerNorm>,
       "what becomes of single values, once the TECs have found the numbers of "
       "their groups; normalised values in SRAM at once"},
      {kernels::SoftmaxLutInt::kSymbol, Engine::TensorEngine, pairs,
       takesPairs},
      {kernels::SoftmaxLutInt::kSymbol, Engine::TensorEngine, rows, takesRows},
      {kernels::SoftmaxExpInt::kSymbol, Engine::TensorEngine, pairs,
       takesPairs},
      {kernels::SoftmaxExpInt::kSymbol, Engine::TensorEngine, rows, takesRows},
      {kernels::SoftmaxPow2Int::kSymbol, Engine::TensorEngine, pairs,
       takesPairs},
      {kernels::Lut::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerTable>, "of 8 and 16 bits"},
      {kernels::ActivationInt::kSymbol, Engine::TensorEngine, unary,
       "of 8 and 16 bits, but SIGN"},
      {kernels::PReluInt::kSymbol, Engine::TensorEngine, unary,
       "slopes of 16 bits, one for each channel or for all"},
      {kernels::Cast::kSymbol, Engine::TensorEngine, unary,
       "between integers of 8 and 16 bits, but TRUNCATION"},
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
  // Tables of them are as wide as a terminal.
  return llvm::join(engines, ", ") + (engines.size() > 1 ? ", TEC" : " or TEC");
}

std::string npu::whyOnTecs(const compass::KernelCall &call) {
  llvm::StringRef kernel = call.symbol();
  llvm::ArrayRef<EngineForm> forms = engineForms(kernel);
  if (!forms.empty()) {
    std::vector<std::string> takes;
    for (const EngineForm &form : forms)
      takes.push_back(form.takes.str());
    return (kernel + " is not as the " +
            llvm::StringRef(name(forms.front().engine)) +
            " takes it: " + llvm::join(takes, ", or "))
        .str();
  }
  if (kernel.ends_with("_float"))
    return (kernel + " computes floats: engines have integers alone").str();
  return ("no engine has " + kernel).str();
}
