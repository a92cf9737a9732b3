//===- Convert.h - Numbers of ONNX Runtime and of the NPU -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tensors at the border of a part: those of ONNX Runtime have the model's
// types, those of an executable what it stores. Where both are the same, bytes
// are copied; a real number that is stored as an integer is rounded half to
// even, as QuantizeLinear does it.
//
//   if (!isSame(kFloat32, input))
//     toStored({data, kFloat32, count}, input, bytes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_CONVERT_H
#define YARROW_API_ONNXRUNTIME_CONVERT_H

#include "api/onnxruntime/Abi.h"
#include "runtime/Executable.h"

#include <cstddef>
#include <span>
#include <vector>

namespace yarrow::ort {

/// Bytes of an element; 0 of a type that no part has.
std::size_t bytesOf(int element);

/// Whether the bytes of a tensor of that type are what \p stored stores.
bool isSame(int element, const runtime::IoDescription &stored);

/// Elements of a type of ONNX.
struct Elements {
  const void *data;
  int type;
  std::size_t count;
};
/// To as many elements of type \p type. False if the types cannot be converted.
bool convertElements(const Elements &from, int type, void *to);
/// False if the types cannot be converted.
bool toStored(const Elements &from, const runtime::IoDescription &to,
              std::vector<std::byte> &bytes);
/// The same back, to \p count elements of type \p type.
bool fromStored(std::span<const std::byte> from,
                const runtime::IoDescription &stored, void *to, int type,
                std::size_t count);

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_CONVERT_H
