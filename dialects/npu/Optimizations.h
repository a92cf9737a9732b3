//===- Optimizations.h - What can be left out -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every optimisation of the compiler by name, so that each can be switched off
// to see its effect, or whether it causes a defect.
//
//   std::optional<npu::Optimization> one = npu::findOptimization("prefetch");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_OPTIMIZATIONS_H
#define YARROW_DIALECTS_NPU_OPTIMIZATIONS_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace yarrow::npu {

enum class Optimization : uint8_t {
#define OPTIMIZATION(ID, NAME, DOC) ID,
#include "dialects/npu/Optimizations.def"
};

struct OptimizationRecord {
  Optimization id;
  std::string_view name, doc;
};

inline constexpr OptimizationRecord kOptimizations[] = {
#define OPTIMIZATION(ID, NAME, DOC) {Optimization::ID, NAME, DOC},
#include "dialects/npu/Optimizations.def"
};

inline std::optional<Optimization> findOptimization(std::string_view name) {
  for (const OptimizationRecord &record : kOptimizations)
    if (record.name == name)
      return record.id;
  return std::nullopt;
}

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_OPTIMIZATIONS_H
