//===- TensorReader.cpp - Tensors of TFLite -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/TensorReader.h"
#include "parser/tflite/SparseTensor.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Constant;
using graph::Quantization;
using graph::Shape;
using graph::Tensor;

namespace {

struct TypeRecord {
  std::int64_t number;
  const char *name;
  std::optional<ElementType> type;
};
/// Types of 4 bits are unpacked into bytes.
constexpr TypeRecord kTypes[] = {
    {0, "float32", ElementType::F32},    {1, "float16", ElementType::F16},
    {2, "int32", ElementType::I32},      {3, "uint8", ElementType::U8},
    {4, "int64", ElementType::I64},      {5, "string", std::nullopt},
    {6, "bool", ElementType::Bool},      {7, "int16", ElementType::I16},
    {8, "complex64", std::nullopt},      {9, "int8", ElementType::I8},
    {10, "float64", ElementType::F64},   {11, "complex128", std::nullopt},
    {12, "uint64", ElementType::U64},    {13, "resource", std::nullopt},
    {14, "variant", std::nullopt},       {15, "uint32", ElementType::U32},
    {16, "uint16", ElementType::U16},    {17, "int4", ElementType::I8},
    {18, "bfloat16", ElementType::BF16}, {19, "int2", std::nullopt},
    {20, "uint4", ElementType::U8}};
constexpr std::int64_t kInt4 = 17, kUint4 = 20;

const TypeRecord *findType(std::int64_t number) {
  for (const TypeRecord &record : kTypes)
    if (record.number == number)
      return &record;
  return nullptr;
}

bool isHalfByte(std::int64_t number) {
  return number == kInt4 || number == kUint4;
}

/// Two values a byte, the low half first.
std::vector<std::byte> unpackHalves(Bytes packed, std::size_t count,
                                    bool isSigned) {
  std::vector<std::byte> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    unsigned both = unsigned(packed[i / 2]);
    int value = int(i % 2 ? both >> 4 : both & 15);
    values[i] = std::byte(isSigned && value > 7 ? value - 16 : value);
  }
  return values;
}

bool canBeScaled(ElementType type) {
  return elementBytes(type) <= 2
             ? type == ElementType::I8 || type == ElementType::U8 ||
                   type == ElementType::I16 || type == ElementType::U16
             : type == ElementType::I32 || type == ElementType::I64;
}

} // namespace

std::optional<ElementType> tflite::elementTypeOf(std::int64_t number) {
  const TypeRecord *record = findType(number);
  return record ? record->type : std::nullopt;
}

std::string tflite::elementTypeName(std::int64_t number) {
  const TypeRecord *record = findType(number);
  return record ? record->name : "type " + std::to_string(number);
}

Diagnostic &TensorReader::malformed(const Tensor &tensor,
                                    const std::string &what) {
  return diags.report(diag::TfliteMalformed, {path},
                      "tensor " + tensor.name + " " + what);
}

void TensorReader::readShape(const TensorParts &parts, Tensor &tensor) {
  Shape shape = parts.shape.copy<std::int64_t>(),
        signature = parts.signature.copy<std::int64_t>();
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (signature.size() == shape.size() && signature[i] < 0)
      shape[i] = -1;
  Shape known = shape;
  std::ranges::replace_if(known, [](std::int64_t l) { return l == -1; }, 1);
  if (!graph::isPossible(known)) {
    malformed(tensor, "has an impossible shape")
        .expected("up to 8 axes, up to 2^40 elements");
    shape.clear();
  }
  tensor.shape = shape;
  tensor.declaredShape = shape;
  tensor.symbols.assign(shape.size(), "");
}

void TensorReader::readQuantization(const TensorParts &parts, Tensor &tensor) {
  QuantizationParts q(parts.quantization);
  if (q.detailsType > 1) {
    diags
        .report(diag::ImportForm, {path},
                "tensor " + tensor.name +
                    " is quantized by blocks, which is not supported")
        .expected("a scale for the tensor or for each position of one axis");
    return;
  }
  if (q.scales.empty() || !canBeScaled(*tensor.type))
    return;
  Quantization result;
  result.stored = *tensor.type;
  result.scales = q.scales.copy();
  result.zeroPoints = q.zeroPoints.copy();
  if (result.zeroPoints.size() <= 1)
    result.zeroPoints.assign(result.scales.size(), result.zeroPoints.empty()
                                                       ? 0
                                                       : result.zeroPoints[0]);
  for (float &scale : result.scales) {
    if (!std::isfinite(scale) || scale < 0) {
      malformed(tensor, "has an invalid scale").found(std::to_string(scale));
      return;
    }
    // Channels of zeros: whatever is stored stands for 0.
    scale = std::max(scale, std::numeric_limits<float>::min());
  }
  for (std::int64_t zeroPoint : result.zeroPoints)
    if (zeroPoint < std::numeric_limits<std::int32_t>::min() ||
        zeroPoint > std::numeric_limits<std::int32_t>::max()) {
      malformed(tensor, "has a zero point beyond its type")
          .found(std::to_string(zeroPoint));
      return;
    }
  bool isPerTensor = result.scales.size() == 1;
  const Shape &shape = *tensor.shape;
  // Biases say the axis of their weights; a list has one.
  std::int64_t axis = shape.size() == 1 ? 0 : q.axis;
  result.axis = isPerTensor ? 0 : axis;
  bool fits = isPerTensor ||
              (axis >= 0 && std::size_t(axis) < shape.size() &&
               shape[std::size_t(axis)] == std::int64_t(q.scales.size()));
  if (!fits || result.zeroPoints.size() != result.scales.size()) {
    malformed(tensor, "has scales that do not match its shape")
        .found(std::to_string(result.scales.size()) + " scales, " +
               std::to_string(result.zeroPoints.size()) +
               " zero points, axis " + std::to_string(q.axis))
        .expected("one of each, or one of each for every position of the axis");
    return;
  }
  tensor.type = ElementType::F32;
  tensor.quantization = std::move(result);
}

std::optional<Bytes> TensorReader::dataOf(const TensorParts &parts,
                                          const Tensor &tensor) {
  // The first buffer is empty, for tensors that nobody has filled.
  if (parts.buffer == 0)
    return Bytes();
  if (parts.buffer >= buffers.size()) {
    malformed(tensor, "has a buffer that does not exist")
        .found(std::to_string(parts.buffer))
        .expected("below " + std::to_string(buffers.size()));
    return std::nullopt;
  }
  const FlatTable &buffer = buffers[parts.buffer];
  // Of files beyond 2 GB: data behind the flatbuffer.
  auto offset = buffer.number<std::uint64_t>(1, 0);
  auto size = buffer.number<std::uint64_t>(2, 0);
  if (offset <= 1)
    return buffer.list<std::byte>(0).raw();
  std::uint64_t whole = file.all().size();
  if (offset > whole || size > whole - offset) {
    malformed(tensor, "has data beyond the end of the file")
        .found("offset " + std::to_string(offset) + ", " +
               std::to_string(size) + " bytes")
        .expected("within " + std::to_string(whole) + " bytes");
    return std::nullopt;
  }
  return file.all().subspan(offset, size);
}

void TensorReader::readConstant(const TensorParts &parts, Tensor &tensor) {
  auto data = dataOf(parts, tensor);
  bool isStatic = tensor.isStatic();
  std::int64_t count = isStatic ? graph::numElements(*tensor.shape) : 0;
  if (!data || (data->empty() && (count != 0 || !isStatic)))
    return;
  bool isHalf = isHalfByte(parts.type);
  ElementType type = *elementTypeOf(parts.type);
  std::size_t width = elementBytes(type);
  if (!isStatic) {
    malformed(tensor, "is constant but has an open length");
    return;
  }
  Constant constant{type, *tensor.shape, *data, owner};
  if (parts.sparsity.isPresent()) {
    std::vector<std::byte> dense;
    const char *why = isHalf ? "a sparse tensor of 4 bits"
                             : expandSparse(parts.sparsity, *tensor.shape,
                                            *data, width, dense);
    if (why) {
      malformed(tensor, "cannot be expanded").found(why);
      return;
    }
    constant = Constant::ofBytes(type, *tensor.shape, std::move(dense));
  } else {
    auto size = std::uint64_t(count) * width;
    if (isHalf)
      size = (size + 1) / 2;
    if (data->size() != size) {
      malformed(tensor, "has data that do not match its shape")
          .found(std::to_string(data->size()) + " bytes")
          .expected(std::to_string(size) + " bytes");
      return;
    }
    if (isHalf) {
      constant = Constant::ofBytes(
          type, *tensor.shape,
          unpackHalves(*data, std::size_t(count), parts.type == kInt4));
      constant.narrowBits = 4;
    }
  }
  tensor.constant = std::move(constant);
}

void TensorReader::read(const TensorParts &parts, std::size_t index,
                        Tensor &tensor) {
  tensor.name = parts.name.empty() ? "tensor_" + std::to_string(index)
                                   : std::string(parts.name);
  readShape(parts, tensor);
  tensor.type = elementTypeOf(parts.type);
  if (!tensor.type) {
    tensor.foreignType = elementTypeName(parts.type);
    return;
  }
  readQuantization(parts, tensor);
  readConstant(parts, tensor);
  // Nothing computes tensors of 4 bits; constants are unpacked.
  if (isHalfByte(parts.type) && !tensor.constant)
    tensor.foreignType = elementTypeName(parts.type);
}
