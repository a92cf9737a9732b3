//===- Tensors.cpp - Element types, quantization and constants ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Tensors.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "support/Half.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

int64_t TensorInfo::numElements() const {
  int64_t n = 1;
  for (int64_t d : shape)
    n *= d;
  return n;
}
int64_t ConstantView::numElements() const {
  return bytes.size() / kernels::dtypeBytes(dtype);
}

namespace {
struct DTypeRecord {
  DType dtype;
  StringLiteral name;
  unsigned bits;
  bool isSigned, isFloat;
};
// In the order of DType; behind them those that fill a part of one.
constexpr DTypeRecord dtypes[] = {
    {DType::I8, "int8", 8, true, false},
    {DType::U8, "uint8", 8, false, false},
    {DType::I16, "int16", 16, true, false},
    {DType::U16, "uint16", 16, false, false},
    {DType::I32, "int32", 32, true, false},
    {DType::U32, "uint32", 32, false, false},
    {DType::F32, "float32", 32, true, true},
    {DType::F16, "float16", 16, true, true},
    {DType::BF16, "bfloat16", 16, true, true},
    {DType::Bool, "bool", 1, false, false},
    {DType::I64, "int64", 64, true, false},
    {DType::F64, "float64", 64, true, true},
    {DType::U64, "uint64", 64, false, false},
    {DType::I8, "aligned_int4", 4, true, false},
    {DType::U8, "aligned_uint4", 4, false, false},
    {DType::I16, "aligned_int12", 12, true, false},
    {DType::U16, "aligned_uint12", 12, false, false},
};
const DTypeRecord &recordFor(DType t) { return dtypes[unsigned(t)]; }

const DTypeRecord &recordFor(StoredType t) {
  if (t.alignedBits)
    for (const DTypeRecord &r : dtypes)
      if (r.dtype == t.dtype && r.bits == t.alignedBits)
        return r;
  assert(!t.alignedBits && "no such type");
  return recordFor(t.dtype);
}

StoredType typeOfRecord(const DTypeRecord &r) {
  return {r.dtype, &r == &recordFor(r.dtype) ? 0 : r.bits};
}

StoredType typeOfInteger(unsigned width, bool isUnsigned) {
  switch (width) {
  case 1:
    return DType::Bool;
  case 4:
  case 8:
    return {isUnsigned ? DType::U8 : DType::I8, width % 8};
  case 12:
  case 16:
    return {isUnsigned ? DType::U16 : DType::I16, width == 12 ? 12u : 0};
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  default:
    return isUnsigned ? DType::U64 : DType::I64;
  }
}

StoredType typeOfElement(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  auto integer = cast<IntegerType>(type);
  return typeOfInteger(integer.getWidth(), integer.isUnsigned());
}
} // namespace

StringRef compass::dtypeName(StoredType t) { return recordFor(t).name; }
bool compass::dtypeIsSigned(DType t) { return recordFor(t).isSigned; }
bool compass::dtypeIsFloat(DType t) { return recordFor(t).isFloat; }

std::optional<StoredType> compass::parseType(StringRef name) {
  std::string lower = name.lower();
  StringRef word = lower;
  word.consume_front("dtype.");
  for (const DTypeRecord &r : dtypes)
    if (word == r.name)
      return typeOfRecord(r);
  return StringSwitch<std::optional<StoredType>>(word)
      .Cases({"float", "fp32"}, DType::F32)
      .Cases({"fp64", "double"}, DType::F64)
      .Cases({"fp16", "half"}, DType::F16)
      .Cases({"bf16", "bfp16"}, DType::BF16)
      .Case("boolean", DType::Bool)
      .Case("int4", StoredType(DType::I8, 4))
      .Case("uint4", StoredType(DType::U8, 4))
      .Case("int12", StoredType(DType::I16, 12))
      .Case("uint12", StoredType(DType::U16, 12))
      .Default(std::nullopt);
}

std::pair<int64_t, int64_t> compass::dtypeRange(StoredType t) {
  const DTypeRecord &r = recordFor(t);
  if (r.isFloat)
    return {0, 0};
  if (r.bits == 64) // of uint64 what int64_t holds
    return {r.isSigned ? INT64_MIN : 0, INT64_MAX};
  int64_t span = int64_t(1) << r.bits;
  return r.isSigned ? std::pair(-span / 2, span / 2 - 1)
                    : std::pair(int64_t(0), span - 1);
}

int64_t compass::mostZeroPoint(StoredType t) {
  auto [least, most] = dtypeRange(t);
  return std::min<int64_t>(most - least, INT32_MAX);
}

Type compass::elementType(MLIRContext *context, StoredType t) {
  Builder b(context);
  switch (t.dtype) {
  case DType::F32:
    return b.getF32Type();
  case DType::F64:
    return b.getF64Type();
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::Bool:
    return b.getI1Type();
  default:
    const DTypeRecord &r = recordFor(t);
    return IntegerType::get(context, r.bits,
                            r.isSigned ? IntegerType::Signless
                                       : IntegerType::Unsigned);
  }
}

RankedTensorType compass::plainType(MLIRContext *context,
                                    ArrayRef<int64_t> shape, StoredType t) {
  return RankedTensorType::get(shape, elementType(context, t));
}

RankedTensorType
compass::quantizedType(MLIRContext *context, ArrayRef<int64_t> shape,
                       StoredType t, float scale, int64_t zp,
                       std::optional<std::pair<int64_t, int64_t>> range) {
  if (!(scale > 0) || !std::isfinite(scale) || dtypeIsFloat(t.dtype) ||
      recordFor(t).bits > 32 || t.dtype == DType::Bool)
    return {};
  if (zp < -mostZeroPoint(t) || zp > mostZeroPoint(t))
    return {};
  auto [lo, hi] = range.value_or(dtypeRange(t));
  auto silent = [&] { return emitError(UnknownLoc::get(context)); };
  ScopedDiagnosticHandler ignore(context,
                                 [](mlir::Diagnostic &) { return success(); });
  auto element = quant::UniformQuantizedType::getChecked(
      silent, dtypeIsSigned(t.dtype) ? quant::QuantizationFlags::Signed : 0u,
      IntegerType::get(context, recordFor(t).bits), Float32Type::get(context),
      1.0 / double(scale), -zp, lo, hi);
  return element ? RankedTensorType::get(shape, element) : RankedTensorType();
}

TensorInfo compass::describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  TensorInfo info;
  info.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  if (auto q = dyn_cast<quant::UniformQuantizedType>(tensor.getElementType())) {
    info.setType(typeOfInteger(q.getStorageTypeIntegralWidth(), !q.isSigned()));
    info.quantized = true;
    info.scale = float(1.0 / q.getScale());
    info.zp = int32_t(-q.getZeroPoint());
    info.lo = q.getStorageTypeMin();
    info.hi = q.getStorageTypeMax();
    return info;
  }
  info.setType(typeOfElement(tensor.getElementType()));
  std::tie(info.lo, info.hi) = dtypeRange(info.storedType());
  return info;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<ConstantView> compass::viewConstant(ElementsAttr attr) {
  ConstantView view;
  ShapedType type = attr.getShapedType();
  StoredType stored = typeOfElement(type.getElementType());
  view.dtype = stored.dtype, view.alignedBits = stored.alignedBits;
  view.shape.assign(type.getShape().begin(), type.getShape().end());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    view.bytes = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    view.bytes = dense.getRawData();
  }
  int64_t elements = 1;
  for (int64_t d : view.shape)
    elements *= d;
  if (int64_t(view.bytes.size()) != elements * kernels::dtypeBytes(view.dtype))
    return std::nullopt;
  return view;
}

/// Calls \p use with what reads element i of \p view, of one type: a loop in
/// \p use does not ask for the type again.
template <typename Use>
static auto withIntegers(const ConstantView &view, Use use) {
  auto as = [&](auto zero) {
    return use([data = view.bytes.data(), zero](int64_t i) {
      auto value = zero;
      std::memcpy(&value, data + i * sizeof(value), sizeof(value));
      return int64_t(value);
    });
  };
  switch (view.dtype) {
  case DType::I8:
    return as(int8_t());
  case DType::U8:
  case DType::Bool:
    return as(uint8_t());
  case DType::I16:
    return as(int16_t());
  case DType::U16:
    return as(uint16_t());
  case DType::I32:
    return as(int32_t());
  case DType::U32:
    return as(uint32_t());
  case DType::I64:
    return as(int64_t());
  case DType::U64:
    return as(uint64_t());
  default:
    return use([&](int64_t i) { return int64_t(view.floatAt(i)); });
  }
}

int64_t ConstantView::intAt(int64_t i) const {
  return withIntegers(*this, [&](auto at) { return at(i); });
}

int64_t ConstantView::sumOf(int64_t first, int64_t count) const {
  return withIntegers(*this, [&](auto at) {
    int64_t sum = 0;
    for (int64_t i = first; i < first + count; ++i)
      sum += at(i);
    return sum;
  });
}

uint64_t ConstantView::magnitudeOf(int64_t first, int64_t count) const {
  return withIntegers(*this, [&](auto at) {
    uint64_t sum = 0;
    for (int64_t i = first; i < first + count; ++i)
      sum += uint64_t(std::abs(at(i)));
    return sum;
  });
}

std::pair<int64_t, int64_t> ConstantView::extremesWithZero() const {
  return withIntegers(*this, [&](auto at) {
    std::pair<int64_t, int64_t> extremes = {0, 0};
    for (int64_t i = 0, e = numElements(); i < e; ++i) {
      extremes.first = std::min(extremes.first, at(i));
      extremes.second = std::max(extremes.second, at(i));
    }
    return extremes;
  });
}

double ConstantView::floatAt(int64_t i) const {
  auto load = [&](auto zero) {
    std::memcpy(&zero, bytes.data() + i * sizeof(zero), sizeof(zero));
    return zero;
  };
  switch (dtype) {
  case DType::F32:
    return load(float());
  case DType::F64:
    return load(double());
  case DType::F16:
    return halfToFloat(load(uint16_t()));
  case DType::BF16:
    return bfloatToFloat(load(uint16_t()));
  default:
    return double(intAt(i));
  }
}

static ElementsAttr makeResource(MLIRContext *context, StringRef name,
                                 ArrayRef<int64_t> shape, StoredType t,
                                 AsmResourceBlob blob) {
  return DenseResourceElementsAttr::get(plainType(context, shape, t), name,
                                        std::move(blob));
}

ElementsAttr compass::makeAliasConstant(MLIRContext *context, StringRef name,
                                        ArrayRef<int64_t> shape, StoredType t,
                                        ArrayRef<char> bytes,
                                        std::shared_ptr<const void> owner) {
  return makeResource(context, name, shape, t,
                      AsmResourceBlob(
                          bytes, /*dataAlignment=*/1,
                          [owner = std::move(owner)](void *, size_t, size_t) {},
                          /*dataIsMutable=*/false));
}

ElementsAttr compass::makeConstant(MLIRContext *context, StringRef name,
                                   ArrayRef<int64_t> shape, StoredType t,
                                   std::vector<char> bytes) {
  auto owner = std::make_shared<std::vector<char>>(std::move(bytes));
  return makeAliasConstant(context, name, shape, t, *owner, owner);
}

std::optional<double> compass::numberOf(Attribute attr) {
  if (auto i = dyn_cast_or_null<IntegerAttr>(attr))
    return double(i.getInt());
  if (auto f = dyn_cast_or_null<FloatAttr>(attr))
    return f.getValueAsDouble();
  return std::nullopt;
}
