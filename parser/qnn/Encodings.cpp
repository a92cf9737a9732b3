//===- Encodings.cpp - Encodings of QNN as quantizations ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Encodings.h"

#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Quantization;
using Form = Encoding::Form;

namespace {

bool hasAxis(const Encoding &encoding) {
  return encoding.form == Form::AxisScaleOffset ||
         encoding.form == Form::BitWidthAxisScaleOffset;
}

/// What is wrong with an encoding, and what it may be; empty: nothing.
std::pair<std::string, std::string> problemOf(const QnnTensor &tensor) {
  const Encoding &encoding = tensor.encoding;
  const DataTypeEntry &type = tensor.entry();
  if (encoding.form == Form::None)
    return {"no encoding", "scale_offset or axis_scale_offset"};
  if (encoding.form == Form::Other)
    return {encoding.other, "scale_offset or axis_scale_offset"};
  auto scale = std::ranges::find_if_not(
      encoding.scales, [](float s) { return std::isnormal(s) && s > 0; });
  if (scale != encoding.scales.end())
    return {"scale " + std::to_string(*scale), "a scale above 0"};
  if (hasAxis(encoding)) {
    if (tensor.kind != TensorKind::Static)
      return {"per-channel scales of a computed tensor", "one scale"};
    if (encoding.axis < 0 || encoding.axis >= std::int64_t(tensor.dims.size()))
      return {"axis " + std::to_string(encoding.axis),
              "0 to " + std::to_string(std::int64_t(tensor.dims.size()) - 1)};
    std::int64_t length = tensor.dims[std::size_t(encoding.axis)];
    if (std::int64_t(encoding.scales.size()) != length)
      return {std::to_string(encoding.scales.size()) + " scales",
              std::to_string(length) + ", one for each position along axis " +
                  std::to_string(encoding.axis)};
  } else if (encoding.scales.size() != 1) {
    return {std::to_string(encoding.scales.size()) + " scales", "one scale"};
  }
  // Fewer bits than are stored: weights of 4 bits in bytes. Those of a tensor
  // that is computed would clip where no layer does.
  if (encoding.bitWidth != 0 && encoding.bitWidth != type.numBits() &&
      (encoding.bitWidth != 4 || type.numBits() != 8 ||
       tensor.kind != TensorKind::Static))
    return {std::to_string(encoding.bitWidth) + " of " +
                std::to_string(type.numBits()) + " bits",
            "all bits, or weights of 4 bits in 8"};
  if (type.type == DataType::UFIXED_POINT_32)
    return {type.name, "up to 16 bits, or SFIXED_POINT_32"};
  if (type.numBits() > 16 && tensor.kind != TensorKind::Static)
    return {std::string(type.name) + " of a computed tensor", "8 or 16 bits"};
  if (type.numBits() < 8 && tensor.kind != TensorKind::Static)
    return {std::string(type.name) + " of a computed tensor", "8 or 16 bits"};
  return {};
}

} // namespace

std::optional<Quantization> qnn::quantizationOf(const QnnTensor &tensor,
                                                DiagnosticEngine &diags) {
  if (auto [found, expected] = problemOf(tensor); !found.empty()) {
    diags
        .report(diag::QnnEncoding, tensor.place,
                "tensor " + tensor.name + ": the encoding is not supported")
        .found(found)
        .expected(expected);
    return std::nullopt;
  }
  Quantization result{
      tensor.entry().element, tensor.encoding.scales, {}, tensor.encoding.axis};
  for (std::int32_t offset : tensor.encoding.offsets)
    result.zeroPoints.push_back(-std::int64_t(offset));
  result.zeroPoints.resize(result.scales.size(), 0);
  return result;
}

Encoding qnn::encodingOf(const Quantization &quantization) {
  Encoding result;
  result.form =
      quantization.isPerTensor() ? Form::ScaleOffset : Form::AxisScaleOffset;
  result.scales = quantization.scales;
  result.axis = quantization.axis;
  for (std::int64_t zeroPoint : quantization.zeroPoints)
    result.offsets.push_back(std::int32_t(-zeroPoint));
  return result;
}
