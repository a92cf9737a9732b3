//===- Windows.h - Windows as attributes of ONNX ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   AttributeList attributes = windowAttributes(windowAxes(op, 2));
//   n.node("MaxPool", {x}, attributes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_EXPORT_OPERATORS_WINDOWS_H
#define YARROW_PARSER_ONNX_EXPORT_OPERATORS_WINDOWS_H

#include "dialects/compass/WindowShape.h"
#include "parser/onnx/ModelWriter.h"

namespace yarrow::onnx {

/// kernel_shape, strides, pads and, unless all are 1, dilations: runtimes have
/// integer forms of pools that do not know of these.
inline AttributeList
windowAttributes(llvm::ArrayRef<compass::WindowAxis> axes) {
  Lengths kernel, strides, dilations, before, after;
  bool isDilated = false;
  for (const compass::WindowAxis &axis : axes) {
    kernel.push_back(axis.kernel);
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation);
    before.push_back(axis.before);
    after.push_back(axis.after);
    isDilated |= axis.dilation != 1;
  }
  before.insert(before.end(), after.begin(), after.end());
  AttributeList attributes = {
      {"kernel_shape", kernel}, {"strides", strides}, {"pads", before}};
  if (isDilated)
    attributes.push_back({"dilations", dilations});
  return attributes;
}

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_EXPORT_OPERATORS_WINDOWS_H
