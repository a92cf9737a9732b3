//===- TecProcess.h - A program on a TEC of its own -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs a RISC-V program on one TEC with memory and nothing else, as a process
// of Linux would run: it starts with a stack, writes to two streams, reads the
// clock and exits. docs/tec.md lists the system calls.
//
//   TecProcess process = ...create(image, options, diags);
//   TecExit end = process->run(diags);
//   if (end.reason == TecExit::Exited)
//     return end.status;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TECPROCESS_H
#define YARROW_RUNTIME_TECPROCESS_H

#include "runtime/TecImage.h"
#include "simulator/Memory.h"
#include "simulator/tec/Tec.h"
#include <functional>
#include <memory>

namespace yarrow::runtime {

struct TecProcessOptions {
  bool timed = false;
  sim::TecTiming timing;
  uint32_t clockMhz = 1000; ///< What clock_gettime divides by.
  /// More is an error, so that no program runs forever.
  uint64_t maxInstructions = uint64_t(1) << 40;
  /// Memory is [0, memoryBytes), the stack at its top. 0: 256 MiB, or more if
  /// the program lies higher.
  uint64_t memoryBytes = 0;
  /// argv, with the program's name first; may be empty.
  std::vector<std::string> arguments;
  /// Takes what the program writes to stream 1 or 2. False: it failed.
  std::function<bool(int stream, std::string_view bytes)> write;
  /// Use the vector handlers that run on any host.
  bool anyHost = false;
};

/// How a run ended.
struct TecExit {
  enum Reason : uint8_t {
    Exited,
    Illegal,     ///< An instruction that there is not.
    BadAccess,   ///< Of memory.
    Breakpoint,  ///< ebreak.
    BadCall,     ///< A system call that there is not.
    OutOfBudget, ///< maxInstructions.
    Watched,     ///< The watcher stopped it.
  };
  Reason reason = Exited;
  uint32_t status = 0; ///< Of exit, the lowest 8 bits.
};

class TecProcess {
public:
  static constexpr uint64_t kStackBytes = 8 << 20;

  /// Null if the program does not fit (ProgramForeign) or the host refuses the
  /// memory. \p image must outlive the process.
  static std::unique_ptr<TecProcess> create(const TecImage &image,
                                            TecProcessOptions options,
                                            DiagnosticEngine &diags);

  /// To the end of the program. All but Exited and Watched is reported
  /// (SimulatorFault, MemoryFault, SystemCallUnknown, InstructionLimit). After
  /// Watched it may be called again.
  TecExit run(DiagnosticEngine &diags);
  /// It must outlive the process.
  void setWatcher(sim::TecWatcher *watcher) { core->setWatcher(watcher); }

  const sim::Tec &tec() const { return *core; }
  const sim::Memory &memory() const { return *ddr; }

private:
  TecProcess(const TecImage &image, TecProcessOptions options)
      : image(image), options(std::move(options)) {}
  bool load(DiagnosticEngine &diags);
  void start();
  std::shared_ptr<const sim::AddressMap> makeMap() const;
  void makeStack();
  bool call(TecExit &end, DiagnosticEngine &diags);
  uint32_t callWrite() const;
  uint32_t callClock(bool isWide);
  Place place() const { return {image.name}; }
  /// "pc 0x00010094 (main+0x4)"
  std::string where(uint32_t pc) const;
  TecExit reportFault(DiagnosticEngine &diags) const;

  /// There are no engines, and no instruction that would call this.
  struct NoEngines final : sim::TecPort {
    void submit(uint32_t, uint32_t, uint32_t) override {}
    void setBase(uint32_t, uint32_t) override {}
    void setOrigin(uint32_t, uint32_t) override {}
    bool wait(uint32_t, uint32_t) override { return false; }
    void signal() override {}
  };

  const TecImage &image;
  TecProcessOptions options;
  std::unique_ptr<sim::Memory> ddr;
  std::shared_ptr<const sim::AddressMap> map;
  NoEngines port;
  std::unique_ptr<sim::Tec> core;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TECPROCESS_H
