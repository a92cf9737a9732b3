//===- Compare.cpp - Tensors against recorded ones ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/Compare.h"
#include "kernels/convert/Convert.h"
#include "kernels/registry/Registry.h"
#include "support/Half.h"
#include "support/diagnostics/Files.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::conformance;
using compass::DType;
using compass::TensorInfo;

std::string Difference::str() const {
  if (!problem.empty())
    return problem;
  std::string text =
      std::to_string(count) + " of " + std::to_string(total) + " differ";
  char number[64];
  std::snprintf(number, sizeof number, ", at most %.6g", largest);
  return text + number;
}

static std::optional<DType> dtypeOf(NpyType type) {
  switch (type) {
  case NpyType::Bool:
    return DType::Bool;
  case NpyType::Int8:
    return DType::I8;
  case NpyType::UInt8:
    return DType::U8;
  case NpyType::Int16:
    return DType::I16;
  case NpyType::UInt16:
    return DType::U16;
  case NpyType::Int32:
    return DType::I32;
  case NpyType::UInt32:
    return DType::U32;
  case NpyType::Int64:
    return DType::I64;
  case NpyType::Float16:
    return DType::F16;
  case NpyType::Float32:
    return DType::F32;
  case NpyType::UInt64:
    return DType::U64;
  case NpyType::Float64:
    return DType::F64;
  default:
    return std::nullopt;
  }
}

namespace {
/// Elements of any type, one at a time.
struct Elements {
  DType dtype;
  const char *data;

  template <typename T> T load(size_t i) const {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    return value;
  }
  double at(size_t i) const {
    switch (dtype) {
    case DType::F32:
      return load<float>(i);
    case DType::F16:
      return halfToFloat(load<uint16_t>(i));
    case DType::BF16:
      return bfloatToFloat(load<uint16_t>(i));
    case DType::I8:
      return load<int8_t>(i);
    case DType::U8:
    case DType::Bool:
      return load<uint8_t>(i);
    case DType::I16:
      return load<int16_t>(i);
    case DType::U16:
      return load<uint16_t>(i);
    case DType::I32:
      return load<int32_t>(i);
    case DType::U32:
      return load<uint32_t>(i);
    case DType::I64:
      return double(load<int64_t>(i));
    case DType::F64:
      return load<double>(i);
    case DType::U64:
      return double(load<uint64_t>(i));
    }
    return 0;
  }
};
} // namespace

Difference conformance::compare(const TensorInfo &info,
                                compass::TensorBytesRef bytes,
                                const NpyView &reference,
                                const Tolerance &tolerance) {
  Difference d;
  d.total = info.numElements();
  auto type = dtypeOf(reference.type);
  if (reference.numElements != d.total || !type) {
    d.problem = "recorded as " + reference.str() + ", computed " +
                std::to_string(d.total) + " values";
    return d;
  }
  if (*type == info.dtype &&
      std::memcmp(bytes.data(), reference.data, bytes.size()) == 0)
    return d;
  Elements x{info.dtype, bytes.data()};
  Elements ref{*type, static_cast<const char *>(reference.data)};
  double most = 0;
  if (info.isFloat())
    for (size_t i = 0; i < d.total; ++i)
      if (std::isfinite(ref.at(i)))
        most = std::max(most, std::abs(ref.at(i)));
  for (size_t i = 0; i < d.total; ++i) {
    double a = x.at(i), b = ref.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double off = std::abs(a - b); // NaN if one is, infinite if one is
    double allowed = info.isFloat() ? tolerance.relative * std::abs(b) +
                                          tolerance.absolute * most
                                    : double(tolerance.integer);
    if (!(off <= d.largest))
      d.largest = off;
    if (!(off <= allowed) || !std::isfinite(b))
      ++d.count;
  }
  d.worstRatio = most > 0 ? d.largest / most : d.largest;
  return d;
}

std::vector<double> conformance::realValues(const TensorInfo &info,
                                            compass::TensorBytesRef bytes) {
  Elements elements{info.dtype, bytes.data()};
  std::vector<double> values(size_t(info.numElements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (elements.at(i) + info.zp) / info.scale;
  return values;
}

double conformance::cosine(const TensorInfo &a, compass::TensorBytesRef aBytes,
                           const TensorInfo &b, const NpyView &bValues) {
  auto type = dtypeOf(bValues.type);
  if (!type || int64_t(bValues.numElements) != a.numElements())
    return 0;
  Elements x{a.dtype, aBytes.data()};
  Elements y{*type, static_cast<const char *>(bValues.data)};
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < bValues.numElements; ++i) {
    double u = (x.at(i) + a.zp) / a.scale, v = (y.at(i) + b.zp) / b.scale;
    xy += u * v, xx += u * u, yy += v * v;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : xx == yy ? 1.0 : 0.0;
}

/// Whole numbers of one type as those of another; nullopt if one does not fit.
static std::optional<compass::TensorBytes> wholeNumbers(const TensorInfo &info,
                                                        const NpyView &npy) {
  auto [lo, hi] = compass::dtypeRange(info.dtype);
  compass::TensorBytes bytes(info.sizeBytes());
  std::size_t size =
      info.sizeBytes() / std::max<std::size_t>(npy.numElements, 1);
  for (auto [i, value] : llvm::enumerate(npy.toIntegers())) {
    if (value < lo || value > hi)
      return std::nullopt;
    std::memcpy(&bytes[i * size], &value, size); // little endian
  }
  return bytes;
}

std::optional<compass::TensorBytes>
conformance::inputBytes(const TensorInfo &info, const std::string &file,
                        bool quantize, DiagnosticEngine &diags) {
  auto npy = readNpy(file, diags);
  if (!npy)
    return std::nullopt;
  auto type = dtypeOf(npy->type);
  if (!type || int64_t(npy->numElements) != info.numElements()) {
    diags.report(diag::TensorMismatch, {file, 0, ""},
                 "the recorded input " + npy->str() + " does not fit");
    return std::nullopt;
  }
  if (*type == DType::U64) {
    auto bytes = wholeNumbers(info, *npy);
    if (!bytes)
      diags.report(diag::TensorMismatch, {file, 0, ""},
                   "the recorded input " + npy->str() +
                       " has values that do not fit");
    return bytes;
  }
  const char *data = static_cast<const char *>(npy->data);
  if (*type == info.dtype && !(quantize && info.isQuantized()))
    return compass::TensorBytes(data, data + npy->sizeBytes());
  compass::TensorBytes bytes(info.sizeBytes());
  std::vector<float> values = npy->toFloats();
  void *buffers[] = {values.data(), bytes.data()};
  if (info.isFloat() || info.dtype == DType::Bool || !quantize) {
    kernels::CastParams p;
    p.count = info.numElements();
    p.inType = DType::F32, p.outType = info.dtype;
    p.mode = kernels::CastMode::Float;
    p.lo = int32_t(std::max<int64_t>(info.lo, INT32_MIN));
    p.hi = int32_t(std::min<int64_t>(info.hi, INT32_MAX));
    kernels::lookupKernel("yk_cast")(&p, buffers, 0, 1);
  } else {
    kernels::QuantizeParams p;
    p.count = info.numElements();
    p.outType = info.dtype;
    p.scale = info.scale, p.zp = info.zp;
    p.lo = int32_t(std::max<int64_t>(info.lo, INT32_MIN));
    p.hi = int32_t(std::min<int64_t>(info.hi, INT32_MAX));
    kernels::lookupKernel("yk_quantize")(&p, buffers, 0, 1);
  }
  return bytes;
}

std::optional<std::vector<compass::TensorBytes>>
conformance::inputsOf(llvm::ArrayRef<mlir::Value> inputs, const Sample &sample,
                      DiagnosticEngine &diags) {
  // The parser has folded inputs without elements into a key.
  std::vector<std::string> files = sample.inputs;
  if (files.size() > inputs.size())
    std::erase_if(files, [&](const std::string &file) {
      auto npy = readNpy(file, diags);
      return npy && npy->numElements == 0;
    });
  if (inputs.size() != files.size()) {
    diags.report(diag::TensorMismatch, {},
                 std::to_string(files.size()) +
                     " recorded inputs for a network with " +
                     std::to_string(inputs.size()));
    return std::nullopt;
  }
  std::vector<compass::TensorBytes> result;
  for (auto [value, file] : llvm::zip(inputs, files)) {
    auto bytes = inputBytes(compass::describe(value), file,
                            sample.quantizeInputs, diags);
    if (!bytes)
      return std::nullopt;
    result.push_back(std::move(*bytes));
  }
  return result;
}
