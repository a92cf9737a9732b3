//===- ResizeBand.h - A resize as convolutions ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The commands that make some rows of a resized image, in one of two forms:
//
// * By channels: a depthwise convolution for each run of rows and columns whose
//   weights are the same (ResizeGrid.h).
// * By blocks: several columns of a row are one pixel, with the channels of all
//   columns, and a convolution computes them from the input's columns. Most
//   weights are 0, but if pixels have few channels the array is full, and
//   columns can differ.
//
//   ResizeConstants constants(layer, form);
//   for (const isa::Conv &command : commandsOf(layer, form, {0, 8}, constants))
//     ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_RESIZEBAND_H
#define YARROW_PASSES_LOWER_DESCRIBE_RESIZEBAND_H

#include "isa/Descriptors.h"
#include "passes/lower/describe/ResizeGrid.h"
#include <map>

namespace yarrow::npu {

struct ResizeLayer {
  const kernels::ResizeIntParams &params;
  const ResizeGrid &grid;

  uint64_t inElem() const { return elementBytes(params.inType); }
  uint64_t outElem() const { return elementBytes(params.outType); }
  uint64_t inRowBytes() const {
    return uint64_t(params.shape.inW) * params.shape.channels * inElem();
  }
  uint64_t outRowBytes() const {
    return uint64_t(params.shape.outW) * params.shape.channels * outElem();
  }
};

/// How many columns are a pixel of the command.
struct ResizeForm {
  uint32_t blockColumns = 0; ///< 0: by channels.
};

/// Rows of the result, and those of the input that they are made of.
struct RowBand {
  uint32_t begin, end;
  uint32_t rows() const { return end - begin; }
};
RowBand inputBandUnder(const ResizeGrid &grid, const RowBand &band);

/// The weights of all commands, each set once, behind biases of 0.
class ResizeConstants {
public:
  explicit ResizeConstants(uint32_t mostOutputChannels);
  /// Where these are from now on.
  uint64_t add(std::vector<char> weights);
  std::vector<char> bytes;

private:
  std::map<std::vector<char>, uint64_t> placeOf;
};

/// Channels of a command's result in this form, at most.
uint32_t outputChannelsOf(const ResizeLayer &layer, ResizeForm form);

/// How many commands there would be.
uint64_t commandCount(const ResizeLayer &layer, ResizeForm form,
                      const RowBand &band);

/// Places of input and output count from the band's first row of each.
std::vector<isa::Conv> commandsOf(const ResizeLayer &layer, ResizeForm form,
                                  const RowBand &band,
                                  ResizeConstants &constants);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_RESIZEBAND_H
