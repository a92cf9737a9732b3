//===- Effort.h - What executing a command costs the host -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A run has a budget, so that no program runs for ever: an executable may come
// from anywhere. Its unit is about 5 ns of the host, what an instruction of a
// TEC takes at most in the mean. A command of an engine can ask for hours, so
// its work is estimated from the descriptor and taken from the budget before
// it begins, after its addresses were checked:
//
//   Budget budget(kDefaultBudget);
//   if (Fault f = budget.take(effortOf(pool)))
//     return f;
//
// Estimates are for the host that simulates and say nothing of the machine's
// cycles (isa/Cost.h). They hold for awkward shapes too: a convolution
// of one channel, a window of one pixel.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_EFFORT_H
#define YARROW_SIMULATOR_ENGINE_EFFORT_H

#include "isa/Descriptors.h"
#include "simulator/engine/Fault.h"

namespace yarrow::sim {

/// A minute of one host core at 5 ns a unit. MobileNetV2 in floats, 0.3 G
/// multiplications and all of them on the TECs, executes 0.55 G instructions.
inline constexpr uint64_t kDefaultBudget = 12'000'000'000;

class Budget {
public:
  explicit Budget(uint64_t units) : units(units), all(units) {}

  /// A fault, and isExceeded(), if there are not as many left.
  Fault take(uint64_t wanted);
  /// Of what is done already, as far as there is something left.
  void spend(uint64_t done) { units -= done < units ? done : units; }

  uint64_t given() const { return all; }
  uint64_t left() const { return units; }
  uint64_t spent() const { return all - units; }
  bool isExceeded() const { return exceeded; }

private:
  uint64_t units, all;
  bool exceeded = false;
};

/// For any descriptor, also one that execution refuses.
uint64_t effortOf(const isa::Conv &conv);
uint64_t effortOf(const isa::MatMul &matmul);
uint64_t effortOf(const isa::Pool &pool);

/// Rounded up; sums and products in doubles do not overflow.
uint64_t effortUnits(double effort);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_EFFORT_H
