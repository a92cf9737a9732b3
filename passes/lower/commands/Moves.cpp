//===- Moves.cpp - Moves within the SRAM ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The DMA engine's path is as wide as the DDR bus. Where rows stay together,
// the tensor engine moves them at the rate of its array: a convolution that
// changes nothing, whatever the bits mean.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/CopyAxes.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/Pointwise.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using kernels::DType;

/// Cycles of the commands, one after the other.
static uint64_t cyclesOf(const Pointwise &f, const isa::Machine &machine) {
  std::vector<PointPart> parts =
      partsOf(f.axes, /*hasSlopes=*/false, machine.macArray);
  uint64_t cycles = parts.empty() ? UINT64_MAX : 0;
  for (const PointPart &part : parts)
    cycles += isa::costOf(commandOf(f, part), machine).aloneCycles();
  return cycles;
}

/// The bytes of elements that move as \p axes say; null if the engine has no
/// such strides. As bytes all of them take one pass, and fill twice as many
/// lanes as numbers of 16 bits, which take two.
static std::optional<Pointwise> movesOf(ArrayRef<DmaAxis> axes,
                                        uint32_t elementBytes) {
  Pointwise f;
  f.stage = plainStage(DType::I8);
  for (const DmaAxis &axis : axes) {
    if (axis.srcStride < 0 || axis.dstStride < 0)
      return std::nullopt;
    f.axes.push_back({axis.size, axis.srcStride * elementBytes, 0,
                      axis.dstStride * elementBytes});
  }
  if (elementBytes > 1)
    f.axes.push_back({elementBytes, 1, 0, 1});
  return f;
}

bool Lowering::moveInSram(const Step &step, ArrayRef<DmaAxis> axes,
                          uint32_t elementBytes, const Tensor &in,
                          const Tensor &out) {
  CopyCommands copies(axes, elementBytes);
  std::optional<Pointwise> f = movesOf(axes, elementBytes);
  if (!options.fuseResidual || !in.inSram || !out.inSram || !f)
    return false;
  isa::Copy copy = copies.one();
  copy.srcRegion = copy.dstRegion = isa::kSramRegion;
  uint64_t byDma = copies.count() * isa::costOf(copy, machine).aloneCycles();
  // The array has other work while the DMA engine copies: it must gain by it.
  return cyclesOf(*f, machine) < byDma / 2 &&
         emitPointwise(step, *f, in, Tensor(), out, {});
}

bool Lowering::padInSram(const Step &step, ArrayRef<DmaAxis> axes,
                         uint32_t elementBytes, int32_t value, const Tensor &in,
                         const Tensor &out, int64_t firstElement) {
  if (!in.inSram || !out.inSram || elementBytes > 2 || axes.empty())
    return false;
  // If each row ends in elements of the border and there are no further rows,
  // only these are written, else all elements: 0 times some input, and the
  // value as the bias.
  SmallVector<DmaAxis> merged = mergeAxes(axes);
  uint64_t count = out.sizeBytes() / elementBytes;
  bool isRowEnd = merged.size() == 2 && merged[1].dstStride == 1 &&
                  firstElement == 0 &&
                  merged[0].size * uint64_t(merged[0].dstStride) == count;
  Pointwise border;
  border.stage = plainStage(elementBytes == 1 ? DType::I8 : DType::I16);
  border.weight = 0;
  border.bias = elementBytes == 1 ? int8_t(value) : int16_t(value);
  auto lanes = int64_t(machine.macArray.inputLanes);
  if (isRowEnd) {
    int64_t pitch = merged[0].dstStride;
    uint64_t channels = uint64_t(pitch) - merged[1].size;
    if (channels * elementBytes > in.sizeBytes())
      return false;
    border.axes = {{merged[0].size, 0, 0, pitch}, {channels, 1, 0, 1}};
  } else if (count % uint64_t(lanes) == 0 &&
             in.sizeBytes() >= uint64_t(lanes) * elementBytes) {
    border.axes = {{count / uint64_t(lanes), 0, 0, lanes},
                   {uint64_t(lanes), 1, 0, 1}};
  } else {
    return false;
  }
  std::optional<Pointwise> middle = movesOf(axes, elementBytes);
  isa::Copy fill = fillOf(count, elementBytes, uint32_t(value));
  isa::Copy copy = CopyCommands(axes, elementBytes).one();
  copy.srcRegion = copy.dstRegion = isa::kSramRegion;
  uint64_t byDma = isa::costOf(fill, machine).aloneCycles() +
                   isa::costOf(copy, machine).aloneCycles();
  uint64_t byArray = cyclesOf(border, machine);
  if (!middle || byArray >= byDma ||
      byArray + cyclesOf(*middle, machine) >= byDma / 2)
    return false;
  Tensor borderPlace = out, middlePlace = out;
  borderPlace.offsetBytes += isRowEnd ? merged[1].size * elementBytes : 0;
  middlePlace.offsetBytes += uint64_t(firstElement) * elementBytes;
  return emitPointwise(step, border, in, Tensor(), borderPlace, {}) &&
         emitPointwise(step, *middle, in, Tensor(), middlePlace, {});
}
