//===- MadeUpWeights.cpp - Values for tensors that have none --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Weights.h"
#include "support/Digest.h"
#include "support/Half.h"
#include "support/diagnostics/Import.h"
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

/// The numbers that one name gives, of which each depends on its position
/// alone.
class Numbers {
public:
  explicit Numbers(std::string_view name) : state(digestOf(name)) {}

  /// Below \p end, which is not 0.
  std::uint64_t below(std::uint64_t end) { return (next() >> 32) % end; }
  /// From -1 to 1.
  double real() {
    return double(std::int64_t(next() >> 11) - (std::int64_t(1) << 52)) /
           double(std::int64_t(1) << 52);
  }

private:
  std::uint64_t next() {
    // SplitMix64.
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state;
};

/// How many products a sum has, as far as the shape tells: filters have their
/// outputs last, matrices their inputs.
double fanIn(const QnnTensor &tensor) {
  const std::vector<std::int64_t> &dims = tensor.dims;
  if (dims.size() < 2 || dims.back() == 0)
    return 100; // one for each channel: small
  return dims.size() == 2 ? double(dims.back())
                          : double(tensor.numElements() / dims.back());
}

class Maker {
public:
  explicit Maker(const QnnTensor &tensor)
      : tensor(tensor), numbers(tensor.name),
        limit(std::sqrt(3 / std::max(fanIn(tensor), 1.0))) {}

  std::vector<std::byte> make();

private:
  template <typename Value> void put(std::byte *to, Value value) {
    std::memcpy(to, &value, sizeof value);
  }
  void putElement(std::byte *to);

  const QnnTensor &tensor;
  Numbers numbers;
  double limit; ///< Of floats: sums stay as large as what goes in.
};

} // namespace

void Maker::putElement(std::byte *to) {
  const DataTypeEntry &type = tensor.entry();
  bool isFixed = type.isFixed();
  unsigned bits = type.numBits();
  if (isFixed && tensor.encoding.bitWidth != 0)
    bits = std::min(bits, tensor.encoding.bitWidth);
  // Wide ones are added to sums, which must not overflow.
  bits = std::min(bits, 13U);
  std::int64_t range = std::int64_t(1) << bits,
               value = isFixed
                           ? std::int64_t(numbers.below(std::uint64_t(range)))
                           : 0,
               centred = isFixed ? value - range / 2 : 0;
  switch (type.element) {
  case ElementType::F16:
    return put(to, floatToHalf(float(numbers.real() * limit)));
  case ElementType::F32:
    return put(to, float(numbers.real() * limit));
  case ElementType::F64:
    return put(to, numbers.real() * limit);
  case ElementType::Bool:
    return put(to, std::uint8_t(numbers.below(2)));
  case ElementType::I8:
    return put(to, std::int8_t(centred));
  case ElementType::I16:
    return put(to, std::int16_t(centred));
  case ElementType::I32:
    return put(to, std::int32_t(centred));
  case ElementType::U8:
    return put(to, std::uint8_t(value));
  case ElementType::U16:
    return put(to, std::uint16_t(value));
  case ElementType::U32:
    return put(to, std::uint32_t(value));
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::BF16:
    // Plain integers name positions and lengths: 0 is one.
    return put(to, std::uint64_t(0));
  }
}

std::vector<std::byte> Maker::make() {
  std::size_t size = elementBytes(tensor.entry().element);
  std::vector<std::byte> bytes(std::size_t(tensor.sizeBytes()));
  for (std::size_t at = 0; at < bytes.size(); at += size)
    putElement(bytes.data() + at);
  return bytes;
}

/// More are no network, but a slip in its lengths.
static constexpr std::int64_t kMaxBytes = std::int64_t(1) << 36;

static void makeUp(QnnModel &model, std::size_t &count, std::int64_t &numBytes,
                   DiagnosticEngine &diags) {
  for (QnnTensor &tensor : model.tensors) {
    if (tensor.kind != TensorKind::Static || tensor.hasValue)
      continue;
    if (tensor.sizeBytes() > kMaxBytes - numBytes) {
      diags
          .report(diag::QnnWeights, tensor.place,
                  "tensor " + tensor.name + " is too large for random values")
          .found(std::to_string(tensor.sizeBytes()) + " bytes, after " +
                 std::to_string(numBytes))
          .expected("at most " + std::to_string(kMaxBytes) + " in all");
      continue;
    }
    numBytes += tensor.sizeBytes();
    setValue(tensor, Maker(tensor).make());
    ++count;
  }
  for (auto &[name, graph] : model.graphs)
    makeUp(*graph, count, numBytes, diags);
}

void qnn::makeUpWeights(QnnModel &model, DiagnosticEngine &diags) {
  std::size_t count = 0;
  std::int64_t numBytes = 0;
  makeUp(model, count, numBytes, diags);
  if (count != 0)
    diags.report(diag::QnnRandomWeights, {model.file},
                 std::to_string(count) + " tensors, " +
                     std::to_string(numBytes) + " bytes, have random values");
}
