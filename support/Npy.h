//===- Npy.h - NumPy array files ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads .npy files (format versions 1 to 3) as views into the mapped file and
// writes them. Little endian and C order only, since nothing here would be
// faster than numpy.ascontiguousarray; everything else is diagnosed. A file
// that is read is exactly its header and its elements: one byte too many is
// as wrong as one too few.
//
//   if (std::optional<NpyView> labels = readNpy("label.npy", diags))
//     if (labels->type == NpyType::Int32)
//       for (int32_t label : labels->elements<int32_t>())
//         count(label);
//   writeNpy("out.npy", NpyType::Float32, {1, 10}, logits.data(), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_NPY_H
#define YARROW_SUPPORT_NPY_H

#include "support/Diagnostics.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yarrow {

enum class NpyType : uint8_t {
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float16,
  Float32,
  Float64,
};

std::size_t npyTypeBytes(NpyType type);
/// The smallest and the largest value of a type of integers, as far as int64
/// holds them.
std::pair<int64_t, int64_t> npyTypeRange(NpyType type);
/// NumPy's name, for example "float32".
std::string_view npyTypeName(NpyType type);

/// An array that lies in `owner`, which the view keeps alive.
struct NpyView {
  NpyType type = NpyType::UInt8;
  std::vector<int64_t> shape; ///< Empty for a scalar, which has one element.
  std::size_t numElements = 0;
  const void *data = nullptr; ///< Aligned for `type`.
  std::shared_ptr<const void> owner;
  std::string name = {}; ///< What diagnostics call it: mostly its path.
  bool isMapped = false; ///< The elements lie in a mapped file.
  /// Runs of a network with state that follow one another, from its first state
  /// on; 0: all of them.
  std::size_t sequenceRuns = 0;

  std::size_t sizeBytes() const { return numElements * npyTypeBytes(type); }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte *>(data), sizeBytes()};
  }
  /// The elements as T, whose size must be that of `type` (bool and half have
  /// no C++ type that may alias them: read uint8_t and uint16_t).
  template <typename T> std::span<const T> elements() const {
    assert(sizeof(T) == npyTypeBytes(type) && "element of another size");
    return {static_cast<const T *>(data), numElements};
  }
  /// \p count elements from \p first on, as an array of one axis.
  NpyView part(std::size_t first, std::size_t count) const;
  /// The elements \p first to \p first + \p count are not needed soon: those
  /// of a mapped file leave the memory, and come back when they are read.
  void release(std::size_t first, std::size_t count) const;
  bool isFloat() const {
    return type == NpyType::Float16 || type == NpyType::Float32 ||
           type == NpyType::Float64;
  }
  /// A copy converted to float: the nearest float to each element.
  std::vector<float> toFloats() const;
  /// A copy of elements that are integers. Beyond int64 they are its largest
  /// value, which no input of another type holds.
  std::vector<int64_t> toIntegers() const;
  /// "float32[1,3,224,224]"
  std::string str() const;
};

std::optional<NpyView> readNpy(const std::string &path,
                               DiagnosticEngine &diags);

/// The same for bytes in memory. \p owner keeps them alive; \p name stands in
/// for the path in diagnostics.
std::optional<NpyView> parseNpy(std::span<const std::byte> bytes,
                                std::shared_ptr<const void> owner,
                                const std::string &name,
                                DiagnosticEngine &diags);

/// The header alone, for writers that stream the elements after it.
std::string npyHeader(NpyType type, std::span<const int64_t> shape);

bool writeNpy(const std::string &path, NpyType type,
              const std::vector<int64_t> &shape, const void *data,
              DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_SUPPORT_NPY_H
