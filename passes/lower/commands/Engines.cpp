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
      "8 and 16 bits; sums that fit the accumulators; scales above 16 bits if "
      "the machine has them; rounds half to even or half up (double rounding: "
      "on the TECs); fuses a function of two tensors or a table that is the "
      "result's only reader";
  constexpr auto pairs = lowerWith<&Lowering::lowerSoftmaxPairs>;
  constexpr llvm::StringLiteral takesPairs =
      "8-bit axes of length 2, as a table of the difference; input and result "
      "must fit the SRAM together";
  constexpr auto rows = lowerWith<&Lowering::lowerSoftmaxRows>;
  constexpr llvm::StringLiteral takesRows =
      "contiguous rows, if the TECs are not faster; the TECs compute one "
      "number per row; exponentials from a table must have at most 16 bits and "
      "need a machine with wide scales";
  // Forms of one kernel are neighbours.
  static constexpr EngineForm forms[] = {
      {kernels::Conv2DInt::kSymbol, Engine::TensorEngine, conv, takesConv},
      {kernels::DepthwiseConv2DInt::kSymbol, Engine::TensorEngine, conv,
       takesConv},
      {kernels::ConvTranspose2DInt::kSymbol, Engine::TensorEngine, conv,
       "computed as interleaved convolutions of stride 1, one for each "
       "position of the stride"},
      {kernels::Conv2DWinogradInt::kSymbol, Engine::TensorEngine, conv,
       "computed in Winograd mode if the machine has it and the sums fit, "
       "otherwise as ordinary convolutions"},
      {kernels::FullyConnectedInt::kSymbol, Engine::TensorEngine, conv,
       "computed as a convolution; fuses a layer that is the result's only "
       "reader"},
      {kernels::BatchNormInt::kSymbol, Engine::TensorEngine, conv,
       "channels innermost; computed as a depthwise convolution with a window "
       "of one cell"},
      {kernels::ReduceInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerReduce>,
       "SUM and MEAN over neighbouring axes, 8 and 16 bits, as products with "
       "ones; MAX and MIN over many values by repeated halving; input and "
       "result must fit the SRAM together"},
      {kernels::PoolInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerPool>,
       "MAX and AVG of 8 and 16 bits; AVG of whole images as products with "
       "ones; rounds half away from zero if 24-bit reciprocals are exact for "
       "all sums of a window (otherwise: on the TECs)"},
      {kernels::MatMulInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerMatMul>,
       "8 and 16 bits; sums that fit the accumulators; scales and rounding as "
       "for a convolution; operands and result must fit the SRAM together"},
      {kernels::ResizeInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerResize>,
       "8 and 16 bits; nearest, and bilinear without antialiasing, as "
       "interleaved convolutions with constant weights of up to 16 bits, if "
       "few enough commands make this faster than the TECs"},
      {kernels::EltwiseInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerEltwise>,
       "ADD, SUB, MUL, MAX, MIN and comparisons of 8 and 16 bits, with any "
       "broadcasting; scales above 16 bits if the machine has them; products "
       "below 2^62; any function of an 8-bit tensor and one constant number"},
      {kernels::DivInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerQuotient>,
       "8-bit divisors, unsigned 16-bit divisors with a uint16 table, and "
       "constant divisors, as products with their inverses"},
      {kernels::LayerNormInt::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerNorm>,
       "the arithmetic on single values, after the TECs have computed the "
       "numbers of each group; the normalised values must fit the SRAM "
       "together"},
      {kernels::SoftmaxLutInt::kSymbol, Engine::TensorEngine, pairs,
       takesPairs},
      {kernels::SoftmaxLutInt::kSymbol, Engine::TensorEngine, rows, takesRows},
      {kernels::SoftmaxExpInt::kSymbol, Engine::TensorEngine, pairs,
       takesPairs},
      {kernels::SoftmaxExpInt::kSymbol, Engine::TensorEngine, rows, takesRows},
      {kernels::SoftmaxPow2Int::kSymbol, Engine::TensorEngine, pairs,
       takesPairs},
      {kernels::Lut::kSymbol, Engine::TensorEngine,
       lowerWith<&Lowering::lowerTable>, "8 and 16 bits"},
      {kernels::ActivationInt::kSymbol, Engine::TensorEngine, unary,
       "8 and 16 bits"},
      {kernels::PReluInt::kSymbol, Engine::TensorEngine, unary,
       "16-bit slopes, one per channel or one for all"},
      {kernels::Cast::kSymbol, Engine::TensorEngine, unary,
       "between integers of 8 and 16 bits, except TRUNCATION"},
      {kernels::Copy::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerCopy>,
       "up to five axes, after joining neighbours that stay together; more "
       "axes in up to 16 commands"},
      {kernels::Split::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerSplit>,
       "all"},
      {kernels::Concat::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerConcat>,
       "branches that all have the result's scale, and 8-bit branches with "
       "other scales that convolutions compute (otherwise: on the TECs)"},
      {kernels::Pad::kSymbol, Engine::Dma, lowerWith<&Lowering::lowerPad>,
       "a border of one value; axes as for a copy"},
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
    return ("the " + llvm::StringRef(name(forms.front().engine)) + " takes " +
            kernel + " only in this form: " + llvm::join(takes, ", or "))
        .str();
  }
  if (kernel.ends_with("_float"))
    return (kernel + " computes floats, but engines have only integers").str();
  return ("no engine computes " + kernel).str();
}
