//===- KernelCall.h - A representative call of a kernel ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What bench_kernels measures: one call of each kernel, of a size and of
// parameters that networks have, with inputs that are the same everywhere.
//
//   KernelCalls calls;
//   calls.add<kernels::Lut>("int8", {.count = kElements},
//                           {in(DType::I8, kElements), in(DType::I8, 256),
//                            out(DType::I8, kElements)});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_BENCHMARK_KERNELS_KERNELCALL_H
#define YARROW_BENCHMARK_KERNELS_KERNELCALL_H

#include "kernels/registry/AllParams.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace yarrow::benchmark {

using kernels::DType;

/// Elements of a tensor that is neither tiny nor larger than a share of SRAM.
constexpr uint32_t kElements = 1 << 16;

/// A buffer of a call. Inputs are random from `low` to `high`, both included,
/// or `values`.
struct CallBuffer {
  DType type = DType::I8;
  uint32_t count = 0;
  double low = 0, high = 0;
  std::vector<double> values = {};
  bool isOutput = false, isNull = false;

  uint32_t sizeBytes() const { return count * kernels::dtypeBytes(type); }
};

/// Any integer of the type; floats from -1 to 1.
CallBuffer in(DType type, uint32_t count);
inline CallBuffer in(DType type, uint32_t count, double low, double high) {
  return {.type = type, .count = count, .low = low, .high = high};
}
inline CallBuffer valuesIn(DType type, std::vector<double> values) {
  uint32_t count = uint32_t(values.size());
  return {.type = type, .count = count, .values = std::move(values)};
}
inline CallBuffer out(DType type, uint32_t count) {
  return {.type = type, .count = count, .isOutput = true};
}
inline CallBuffer none() { return {.isNull = true}; }

struct KernelCall {
  std::string symbol;
  const char *what; ///< Shape and types, for the table.
  std::vector<char> params;
  std::vector<CallBuffer> buffers;
  uint64_t units; ///< Of the kernel's record in kernels/registry/Work.def.
  bool isCommon;  ///< Networks are full of it, so that its limit is tighter.
};

enum class Use { Common, Other };

class KernelCalls {
public:
  std::vector<KernelCall> calls;

  template <typename Kernel>
  void add(Use use, const char *what, const typename Kernel::Params &params,
           std::vector<CallBuffer> buffers, uint64_t units = kElements) {
    KernelCall &call = calls.emplace_back();
    call.symbol = Kernel::kSymbol;
    call.what = what;
    call.params.resize(sizeof params);
    std::memcpy(call.params.data(), &params, sizeof params);
    call.buffers = std::move(buffers);
    call.units = units;
    call.isCommon = use == Use::Common;
  }

  // Groups of families, each in a file of its own.
  void addBoxes();
  void addDetections();
  void addElementwise();
  void addFloatProducts();
  void addImageBoxes();
  void addMovement();
  void addNormalizations();
  void addProducts();
  void addReductions();
  void addRegions();
  void addSelections();
  void addWindows();
};

/// Every call there is.
std::vector<KernelCall> allKernelCalls();

/// The bytes of an input, the same on every host. \p seed is another one for
/// each buffer.
std::vector<uint8_t> bytesOf(const CallBuffer &buffer, uint64_t seed);

/// 8 bits to 8 bits, by about a half.
inline kernels::Requant byteRequant() {
  return {.outType = DType::I8, .scale = 145, .shift = 8, .zp = 3};
}
/// Sums of about \p log2Sum bits to 8 bits.
inline kernels::Requant sumRequant(int32_t log2Sum) {
  return {.outType = DType::I8, .scale = 20000, .shift = 15 + log2Sum - 7};
}

} // namespace yarrow::benchmark

#endif // YARROW_BENCHMARK_KERNELS_KERNELCALL_H
