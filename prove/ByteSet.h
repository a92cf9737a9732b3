//===- ByteSet.h - The bytes that a command touches -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs of bytes along axes with strides: exactly these bytes, without the gaps
// between them. A proof with bounding ranges would find false races between
// channels of two interleaved tensors.
//
//   ByteSet rows{.region = 0, .first = 4096, .runBytes = 48};
//   rows.addAxis(/*count=*/56, /*strideBytes=*/64);
//   rows.forEachRun([](int64_t begin, int64_t end) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_BYTESET_H
#define YARROW_PROVE_BYTESET_H

#include <array>
#include <cstdint>

namespace yarrow::prove {

struct ByteSet {
  struct Axis {
    int64_t count = 1, strideBytes = 0;
  };
  static constexpr unsigned kMaxAxes = 5;

  uint32_t region = 0;
  int64_t first = 0; ///< Where the run of all indices 0 begins.
  int64_t runBytes = 0;
  std::array<Axis, kMaxAxes> axes = {};
  unsigned numAxes = 0;

  /// None or one along it is no axis.
  void addAxis(int64_t count, int64_t strideBytes);
  /// The same bytes in as few and as long runs as strides alone tell.
  void normalise();

  /// [begin, end) of all.
  int64_t begin() const;
  int64_t end() const;
  /// Of all axes; at most 2^62.
  int64_t numRuns() const;

  /// visit(begin, end) of each run; runs may overlap.
  template <typename Visit> void forEachRun(const Visit &visit) const {
    visitAxis(numAxes, first, visit);
  }

private:
  template <typename Visit>
  void visitAxis(unsigned axis, int64_t at, const Visit &visit) const {
    if (axis == 0)
      return visit(at, at + runBytes);
    const Axis &a = axes[axis - 1];
    for (int64_t i = 0; i < a.count; ++i, at += a.strideBytes)
      visitAxis(axis - 1, at, visit);
  }
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_BYTESET_H
