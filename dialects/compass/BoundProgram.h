//===- BoundProgram.h - A layer's program on the host -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer's program with the host's functions of its kernels, and constants
// aligned for their element types. It can run any number of times, also on
// several threads at once.
//
//   auto bound = BoundProgram::create(op);
//   bound->run({x.data()}, {y.data()});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_BOUNDPROGRAM_H
#define YARROW_DIALECTS_COMPASS_BOUNDPROGRAM_H

#include "dialects/compass/Compass.h"
#include <functional>
#include <memory>

namespace yarrow::compass {

/// A tensor's elements, dense, row-major, little-endian; 64-byte aligned.
using TensorBytesRef = llvm::ArrayRef<char>;

/// A buffer aligned for vector loads.
class AlignedBuffer {
public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t sizeBytes);
  static AlignedBuffer copyOf(llvm::ArrayRef<char> bytes);

  char *data() const { return bytes.get(); }
  TensorBytesRef ref() const { return {bytes.get(), size}; }

private:
  struct Free {
    void operator()(char *p) const;
  };
  std::unique_ptr<char, Free> bytes;
  size_t size = 0;
};

/// An index that was read from data and is none of an axis of this length; of
/// length 0, none was found (kernels::CheckIndices).
struct IndexFault {
  int32_t index = 0, length = 0;
};

class BoundProgram {
public:
  /// A loop of more trips counts as one without an end: the host has no clock
  /// that would give the same result each time.
  static constexpr uint32_t kMaxTrips = 1 << 20;
  using OnIntermediate =
      std::function<void(const Intermediate &, TensorBytesRef)>;
  using RunGraph =
      std::function<bool(const GraphCall &, llvm::ArrayRef<const char *> inputs,
                         llvm::ArrayRef<char *> outputs)>;

  BoundProgram() = default;
  BoundProgram(BoundProgram &&) noexcept = default;
  BoundProgram &operator=(BoundProgram &&) noexcept = default;

  /// Fails, with an error on \p op, if nothing computes it.
  static mlir::FailureOr<BoundProgram> create(mlir::Operation *op);

  const LayerProgram &getProgram() const { return program; }

  /// Computes results from operands, both in order. \p onIntermediate sees
  /// every intermediate when nothing reads it any more; \p runGraph computes
  /// sub-graphs and may be absent if the program has none. Ends early, and says
  /// false, after kMaxTrips of a loop, where \p runGraph says false, or at an
  /// index that is out of bounds, which \p fault then tells.
  bool run(llvm::ArrayRef<const char *> operands,
           llvm::ArrayRef<char *> results,
           const OnIntermediate &onIntermediate = {},
           const RunGraph &runGraph = {}, IndexFault *fault = nullptr) const;

private:
  class Run;
  struct BoundCall {
    kernels::KernelFn function = nullptr;
    bool checksIndices = false; ///< Its buffer "fault" tells how it went.
    /// One per buffer of the call; null where it is not a constant.
    std::vector<const char *> constants;
  };

  /// The intermediates that an item of the program is the first to use, and
  /// those that it is the last to use: memory is held for no longer.
  struct Lives {
    std::vector<unsigned> begin, end;
  };
  void findLives();

  LayerProgram program;
  std::vector<BoundCall> calls;
  std::vector<Lives> lives;          ///< by item
  std::vector<AlignedBuffer> copies; ///< Of constants that were misaligned.
};

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_BOUNDPROGRAM_H
