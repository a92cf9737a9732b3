//===- TecProfile.h - Where a TEC's cycles go -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Counts instructions and cycles of every pc, and sums them up by whatever a
// caller knows about addresses: functions, layers.
//
//   TecProfile profile;
//   profile.attach(tec);
//   ...give it to the TEC as its watcher, and run...
//   profile.finish();
//   std::string table = profileText("function", profile.by(nameOf));
//
// A TEC issues one instruction per cycle at most; each further cycle of an
// instruction is a stall: it waits for memory (loads, stores, atomics), for a
// counter (npu.wait, with what other units take of the DDR bus), or for a
// result that takes more than a cycle.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TECPROFILE_H
#define YARROW_RUNTIME_TECPROFILE_H

#include "runtime/TecImage.h"
#include "simulator/tec/Tec.h"
#include <array>
#include <functional>
#include <map>
#include <memory>

namespace yarrow::runtime {

struct TecCounts {
  uint64_t instructions = 0, cycles = 0;
  uint64_t memoryStalls = 0, waitStalls = 0, resultStalls = 0;

  TecCounts &operator+=(const TecCounts &other);
};

struct TecProfileRow {
  std::string name;
  TecCounts counts;
};

class TecProfile final : public sim::TecWatcher {
public:
  /// It must be timed and outlive the profile, or be detached.
  void attach(const sim::Tec &core);
  /// From now on; null for nothing.
  void countAlsoInto(TecCounts *counts) { also = counts; }
  bool before(uint32_t pc, sim::Cost cost) override;
  /// Charges the last instruction. More may follow after another attach().
  void finish();

  /// Sums over all pcs with the same name, the most cycles first.
  std::vector<TecProfileRow>
  by(const std::function<std::string(uint32_t pc)> &nameOf) const;

private:
  static constexpr uint32_t kPageBytes = 4096;
  using Page = std::array<TecCounts, kPageBytes / 4>;

  TecCounts &at(uint32_t pc);

  const sim::Tec *tec = nullptr;
  std::map<uint32_t, std::unique_ptr<Page>> pages; ///< By pc / kPageBytes.
  uint32_t lastNumber = 0;
  Page *lastPage = nullptr;
  TecCounts *pending = nullptr;
  sim::Cost pendingCost = sim::Cost::Alu;
  uint32_t pendingPc = 0;
  uint64_t cycleBefore = 0;
  TecCounts *also = nullptr;
};

/// The most first; equals as they were.
void sortByCycles(std::vector<TecProfileRow> &rows);

/// Of rows, with their sum, as a table no wider than \p width. \p what heads
/// the names.
std::string profileText(const std::string &what,
                        const std::vector<TecProfileRow> &rows, size_t width);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TECPROFILE_H
