//===- Pointwise.h - Functions of single elements on the engine -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The output stage of a convolution requantizes, joins a second tensor, and
// looks results up. If no convolution precedes a function of this kind, one
// that changes nothing takes its place: depthwise, with a window of one cell
// and weights of 1. It computes one element per input lane and pixel of the
// array in each cycle, while a TEC needs a few instructions for 32 elements.
//
// Tensors can be broadcast, or be parts of others: each axis has its own step
// in the operand, the other operand and the result. The command has three axes
// (rows, pixels, channels); partsOf() cuts a function of more into several.
//
//   Pointwise f;
//   if (!describeEltwise(call, machine, f)) return false;
//   for (const PointPart &part : partsOf(f, machine.macArray))
//     emit(commandOf(f, part));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_POINTWISE_H
#define YARROW_PASSES_LOWER_DESCRIBE_POINTWISE_H

#include "dialects/compass/LayerProgram.h"
#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/convert/Convert.h"

#include <array>

namespace yarrow::npu {

using compass::KernelCall;

/// Elements along an axis, and from one to the next in each tensor; 0 where a
/// tensor repeats.
struct PointAxis {
  uint64_t size = 1;
  int64_t in = 0, other = 0, out = 0;
};

struct Pointwise {
  /// Everything but shape and places.
  isa::Conv stage;
  /// Outermost first.
  llvm::SmallVector<PointAxis, 4> axes;
  /// The element x enters the stage as weight * x + bias.
  int8_t weight = 1;
  int32_t bias = 0;
  /// Where the table begins in the constant that holds it.
  uint32_t lutOffset = 0;
  /// One for each element of the innermost axis, if the stage has any.
  std::vector<int16_t> slopes;
  /// Which buffers of the call are the operand and the other one.
  llvm::StringRef in = "input", other;

  uint32_t inBytes() const { return isa::elementBytes(stage.inType); }
  uint32_t otherBytes() const { return isa::elementBytes(stage.residualType); }
  uint32_t outBytes() const;
};

/// What one command computes: its axes, and the first elements of the tensors.
struct PointPart {
  uint64_t in = 0, other = 0, out = 0;
  PointAxis rows, pixels, channels;
};

/// Axes without those of one element, neighbours that continue each other
/// joined; the innermost one is left alone if it has slopes.
llvm::SmallVector<PointAxis, 4> joinedAxes(llvm::ArrayRef<PointAxis> axes,
                                           bool hasSlopes);

/// The commands of a function with these axes; none if there are too many.
std::vector<PointPart> partsOf(llvm::ArrayRef<PointAxis> axes, bool hasSlopes,
                               const isa::MacArray &array);

/// The command of a part, with addresses in bytes from the tensors' first
/// elements.
isa::Conv commandOf(const Pointwise &f, const PointPart &part);

/// A stage that hands elements on as they are.
isa::Conv plainStage(ElementType type);

//===--- Kernels as such functions; false if the engine lacks something ---===//

/// yk_eltwise_int: sums, differences, products, extremes.
bool describeEltwise(const KernelCall &call, const isa::Machine &machine,
                     Pointwise &f);
/// yk_eltwise_int: comparisons, by the sign of a difference; \p table is what
/// the stage looks up, if it has one.
bool describeComparison(const KernelCall &call, const isa::Machine &machine,
                        Pointwise &f, std::array<uint8_t, 4> &table);
/// A table of the 256 bytes of \p type, the least one first, for a row of
/// \p count elements.
bool describeByteTable(ElementType type, ElementType tableType, uint64_t count,
                       Pointwise &f);
/// A table of 2^log2Items entries for an index of \p inBits from \p indexMin
/// on.
bool describeWordTable(ElementType type, ElementType tableType,
                       int32_t indexMin, uint32_t inBits, uint32_t log2Items,
                       uint64_t count, Pointwise &f);
/// yk_div_int, with inverses of \p inverseType in the place of the divisor.
bool describeQuotient(const kernels::DivIntParams &p, ElementType inverseType,
                      const isa::Machine &machine, Pointwise &f);
/// yk_lut.
bool describeLookup(const KernelCall &call, Pointwise &f);
/// yk_activation_int, yk_cast between integers: a function of one operand.
bool describeActivation(const KernelCall &call, const isa::Machine &machine,
                        Pointwise &f);
bool describeCast(const KernelCall &call, const isa::Machine &machine,
                  Pointwise &f);
/// yk_prelu_int with a slope for each channel.
bool describePRelu(const KernelCall &call, const isa::Machine &machine,
                   Pointwise &f);
/// A branch of yk_concat, in the result's rows.
bool describeBranch(const KernelCall &concat,
                    const kernels::ConcatBranch &branch,
                    const isa::Machine &machine, Pointwise &f);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_POINTWISE_H
