//===- TecTrace.h - Every instruction of a TEC as text --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes a line for each instruction that a TEC executes: where it is, its
// word, what it is, and the registers that it changed.
//
//   TecTrace trace(fetch, append);
//   trace.attach(tec);
//   ...give it to the TEC as its watcher, and run...
//   trace.finish();
//
//   main:
//   00010094 00b50533  add a0, a0, a1      a0=0x0000002a
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TECTRACE_H
#define YARROW_RUNTIME_TECTRACE_H

#include "runtime/TecImage.h"
#include "runtime/TecRegisters.h"
#include "simulator/Memory.h"
#include <functional>
#include <string_view>
#include <unordered_map>

namespace yarrow::runtime {

class TecTrace final : public sim::TecWatcher {
public:
  using AppendFn = std::function<void(std::string_view text)>;
  /// The instruction at an address.
  using FetchFn = std::function<uint32_t(uint32_t pc)>;

  /// Every line starts with \p prefix.
  /// With \p symbols (null for none), their names come before what is there.
  TecTrace(FetchFn fetch, AppendFn append, std::string prefix = "",
           const TecSymbols *symbols = nullptr)
      : fetch(std::move(fetch)), append(std::move(append)),
        prefix(std::move(prefix)), symbols(symbols) {}

  /// It must outlive the trace.
  void attach(const sim::Tec &core);
  bool before(uint32_t pc, sim::Cost cost) override;
  /// Writes the last instruction, whose results are known now; or, if it has
  /// faulted, does not.
  void finish(bool hasFaulted = false);

private:
  const std::string &lineOf(uint32_t pc);

  FetchFn fetch;
  AppendFn append;
  std::string prefix;
  const TecSymbols *symbols;
  const sim::Tec *tec = nullptr;
  bool hasPending = false;
  uint32_t pendingPc = 0;
  TecRegisters registers;
  std::unordered_map<uint32_t, std::string> lines; ///< By pc.
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TECTRACE_H
