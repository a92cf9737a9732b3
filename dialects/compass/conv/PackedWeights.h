//===- PackedWeights.h - Weights of floats as kernels read them -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Float kernels add their terms one by one for up to 32 outputs at once
// (kernels/FloatTile.h), so the weights of these outputs are adjacent:
// [group][block of outputs][term][output], float32. The last block is filled up
// with zeros to 8, 16 or 32 outputs.
//
//   call["weights"] = packedMatrix(weights); // of [outputs, terms]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_PACKEDWEIGHTS_H
#define YARROW_DIALECTS_COMPASS_CONV_PACKEDWEIGHTS_H

#include "dialects/compass/LayerProgram.h"
#include "kernels/conv/ConvParams.h"

namespace yarrow::compass {

/// Of weights [outputs, terms], of any float type.
BufferBinding packedMatrix(const ConstantView &weights);

/// Of a convolution's [outC, kh, kw, inC / groups].
BufferBinding packedFilters(const ConstantView &weights,
                            const kernels::Conv2DShape &shape);
/// Of a transposed one's [outC / groups, kh, kw, inC].
BufferBinding packedTransposedFilters(const ConstantView &weights,
                                      const kernels::Conv2DShape &shape);
/// Of a depthwise one's [outC, kh, kw, 1]: [kh, kw, outC].
BufferBinding packedDepthwiseFilters(const ConstantView &weights,
                                     const kernels::Conv2DShape &shape);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CONV_PACKEDWEIGHTS_H
