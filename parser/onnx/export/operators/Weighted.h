//===- Weighted.h - Weights of exported layers ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The common part of convolutions and products with weights.
//
//   ConvolutionForm form = convolutionForm(n);
//   n.node("Conv", {x, w, b}, form.attributes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_EXPORT_OPERATORS_WEIGHTED_H
#define YARROW_PARSER_ONNX_EXPORT_OPERATORS_WEIGHTED_H

#include "parser/onnx/export/LayerExport.h"

namespace yarrow::onnx {

/// How the weights of a layer lie: the axis of the outputs in the IR, and the
/// order of axes that ONNX has.
struct WeightsForm {
  Order order;
  int64_t outputAxis = 0;
};

struct ConvolutionForm {
  WeightsForm weights;
  AttributeList attributes;
};
ConvolutionForm convolutionForm(LayerExport &n);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_EXPORT_OPERATORS_WEIGHTED_H
