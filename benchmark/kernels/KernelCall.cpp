//===- KernelCall.cpp - A representative call of a kernel -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

#include "kernels/OrderKeys.h"
#include "test/Random.h"

using namespace yarrow;
using namespace yarrow::benchmark;

CallBuffer benchmark::in(DType type, uint32_t count) {
  switch (type) {
  case DType::I8:
    return in(type, count, -128, 127);
  case DType::U8:
    return in(type, count, 0, 255);
  case DType::I16:
    return in(type, count, -32768, 32767);
  case DType::U16:
    return in(type, count, 0, 65535);
  case DType::Bool:
    return in(type, count, 0, 1);
  case DType::I32:
  case DType::U32:
  case DType::I64:
    return in(type, count, 0, 1 << 20);
  default:
    return in(type, count, -1, 1);
  }
}

static void store(double value, DType type, uint8_t *to) {
  if (kernels::isFloatType(type)) {
    float f = float(value);
    return kernels::storeF32(type, to, 0, 1, &f);
  }
  // Little-endian, as hosts and TECs are.
  int64_t whole = int64_t(value);
  std::memcpy(to, &whole, kernels::dtypeBytes(type));
}

std::vector<uint8_t> benchmark::bytesOf(const CallBuffer &buffer,
                                        uint64_t seed) {
  testing::Random random(seed);
  std::vector<uint8_t> bytes(buffer.sizeBytes());
  uint32_t elemBytes = kernels::dtypeBytes(buffer.type);
  bool isFloat = kernels::isFloatType(buffer.type);
  double range = buffer.high - buffer.low + (isFloat ? 0 : 1);
  for (uint32_t i = 0; i < buffer.count; ++i) {
    double fraction = double(random.next() >> 11) * 0x1p-53;
    double value = buffer.values.empty() ? buffer.low + range * fraction
                                         : buffer.values[i];
    if (!isFloat)
      value = __builtin_floor(value);
    store(value, buffer.type, bytes.data() + size_t(i) * elemBytes);
  }
  return bytes;
}

std::vector<KernelCall> benchmark::allKernelCalls() {
  KernelCalls calls;
  calls.addBoxes();
  calls.addDetections();
  calls.addElementwise();
  calls.addImageBoxes();
  calls.addMovement();
  calls.addNormalizations();
  calls.addProducts();
  calls.addReductions();
  calls.addRegions();
  calls.addSelections();
  calls.addWindows();
  return calls.calls;
}
