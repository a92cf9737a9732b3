//===- Convert.cpp - Numbers of ONNX Runtime and of the NPU ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Convert.h"
#include "isa/ElfLayout.h"
#include "support/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

using namespace yarrow;
using namespace yarrow::ort;

namespace {

/// Two bytes that are a number by a function.
struct Half {
  std::uint16_t bits;
  operator float() const { return halfToFloat(bits); }
  static Half of(float value) { return {floatToHalf(value)}; }
};
struct Bfloat {
  std::uint16_t bits;
  operator float() const { return bfloatToFloat(bits); }
  static Bfloat of(float value) { return {floatToBfloat(value)}; }
};

template <typename T>
constexpr bool isReal = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat> ||
                        std::is_floating_point_v<T>;

/// Calls \p body with a value of the element type; false of an unknown one.
template <typename Body> bool withType(int element, Body body) {
  switch (element) {
  case kFloat32:
    return body(float()), true;
  case kUInt8:
  case kBool:
    return body(std::uint8_t()), true;
  case kInt8:
    return body(std::int8_t()), true;
  case kUInt16:
    return body(std::uint16_t()), true;
  case kInt16:
    return body(std::int16_t()), true;
  case kInt32:
    return body(std::int32_t()), true;
  case kInt64:
    return body(std::int64_t()), true;
  case kFloat16:
    return body(Half()), true;
  case kFloat64:
    return body(double()), true;
  case kUInt32:
    return body(std::uint32_t()), true;
  case kUInt64:
    return body(std::uint64_t()), true;
  case kBFloat16:
    return body(Bfloat()), true;
  default:
    return false;
  }
}

int elementOf(isa::DataType type) {
  switch (type) {
  case isa::DataBool:
    return kBool;
  case isa::DataU8:
    return kUInt8;
  case isa::DataS8:
    return kInt8;
  case isa::DataU16:
    return kUInt16;
  case isa::DataS16:
    return kInt16;
  case isa::DataU32:
    return kUInt32;
  case isa::DataS32:
    return kInt32;
  case isa::DataU64:
    return kUInt64;
  case isa::DataS64:
    return kInt64;
  case isa::DataF16:
    return kFloat16;
  case isa::DataF32:
    return kFloat32;
  }
  return 0;
}

/// A whole number within \p To; reals are rounded half to even.
template <typename To, typename From> To wholeNumber(From value) {
  if constexpr (isReal<From>) {
    double rounded = std::nearbyint(double(value));
    if (std::isnan(rounded))
      return 0;
    if (rounded <= double(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (rounded >= double(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return To(rounded);
  } else {
    using Wide = __int128;
    return To(std::clamp(Wide(value), Wide(std::numeric_limits<To>::min()),
                         Wide(std::numeric_limits<To>::max())));
  }
}

/// The nearest integer, half to even, as nearbyint computes it with a call of
/// the C library for each element: a sum that has no room for a fraction.
/// Larger values come as they are.
inline float nearest(float value) {
  constexpr float kNoFraction = 0x1.8p23f;
  return std::fabs(value) < 0x1p22f ? (value + kNoFraction) - kNoFraction
                                    : value;
}

/// Floats that become integers of 8 or 16 bits: what most inputs are. No zero
/// point brings a value that is too large for nearest() back into their range.
template <typename To>
void quantizeAll(const float *from, std::size_t count, float scale,
                 float zeroPoint, To *to) {
  constexpr float kLeast = std::numeric_limits<To>::min();
  constexpr float kMost = std::numeric_limits<To>::max();
  for (std::size_t i = 0; i < count; ++i) {
    float steps = nearest(from[i] / scale) - zeroPoint;
    // NaN becomes 0.
    to[i] = To(steps < kLeast   ? kLeast
               : steps > kMost  ? kMost
               : steps == steps ? steps
                                : 0);
  }
}

template <typename To, typename From> To convert(From value) {
  if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, Bfloat>)
    return To::of(float(value));
  else if constexpr (std::is_floating_point_v<To>)
    return To(value);
  else
    return wholeNumber<To>(value);
}

template <typename T> T elementAt(const void *data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + i * sizeof(T),
              sizeof(T));
  return value;
}
template <typename T> void storeAt(void *data, std::size_t i, T value) {
  std::memcpy(static_cast<char *>(data) + i * sizeof(T), &value, sizeof(T));
}

} // namespace

std::size_t yarrow::ort::bytesOf(int element) {
  std::size_t size = 0;
  withType(element, [&](auto value) { size = sizeof value; });
  return size;
}

bool yarrow::ort::isSame(int element, const runtime::IoDescription &stored) {
  return element == elementOf(stored.type);
}

bool yarrow::ort::convertElements(const Elements &from, int type, void *to) {
  bool isKnown = false;
  withType(from.type, [&](auto source) {
    isKnown = withType(type, [&](auto target) {
      for (std::size_t i = 0; i < from.count; ++i)
        storeAt(to, i,
                convert<decltype(target)>(
                    elementAt<decltype(source)>(from.data, i)));
    });
  });
  return isKnown;
}

bool yarrow::ort::toStored(const Elements &from,
                           const runtime::IoDescription &to,
                           std::vector<std::byte> &bytes) {
  bytes.resize(to.sizeBytes);
  return withType(from.type, [&](auto source) {
    using From = decltype(source);
    withType(elementOf(to.type), [&](auto target) {
      using To = decltype(target);
      std::size_t count = std::min(from.count, bytes.size() / sizeof(To));
      bool isScaled = to.isQuantized && isReal<From> && !isReal<To>;
      // The model's scale is what the executable's is the reciprocal of.
      float scale = float(1.0 / double(to.scale));
      if constexpr (std::is_same_v<From, float> && !isReal<To> &&
                    sizeof(To) <= 2)
        if (isScaled)
          return quantizeAll(static_cast<const float *>(from.data), count,
                             scale, float(to.zeroPoint),
                             reinterpret_cast<To *>(bytes.data()));
      for (std::size_t i = 0; i < count; ++i) {
        From value = elementAt<From>(from.data, i);
        if constexpr (isReal<From> && !isReal<To>) {
          if (isScaled) {
            float steps = std::nearbyint(float(value) / scale);
            storeAt(bytes.data(), i,
                    wholeNumber<To>(steps - float(to.zeroPoint)));
            continue;
          }
        }
        storeAt(bytes.data(), i, convert<To>(value));
      }
    });
  });
}

bool yarrow::ort::fromStored(std::span<const std::byte> from,
                             const runtime::IoDescription &stored, void *to,
                             int type, std::size_t count) {
  return withType(type, [&](auto target) {
    using To = decltype(target);
    withType(elementOf(stored.type), [&](auto source) {
      using From = decltype(source);
      count = std::min(count, from.size() / sizeof(From));
      bool isScaled = stored.isQuantized && isReal<To> && !isReal<From>;
      float scale = float(1.0 / double(stored.scale));
      for (std::size_t i = 0; i < count; ++i) {
        From value = elementAt<From>(from.data(), i);
        if constexpr (isReal<To> && !isReal<From>) {
          if (isScaled) {
            float real = float(std::int64_t(value) + stored.zeroPoint) * scale;
            storeAt(to, i, convert<To>(real));
            continue;
          }
        }
        storeAt(to, i, convert<To>(value));
      }
    });
  });
}
