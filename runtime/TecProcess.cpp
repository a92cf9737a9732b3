//===- TecProcess.cpp - A program on a TEC of its own ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TecProcess.h"

#include "isa/TecInsts.h"
#include "support/diagnostics/Executables.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Simulator.h"
#include <algorithm>
#include <cassert>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;
using namespace yarrow::sim;

namespace {
// Linux for RISC-V: numbers of calls (asm-generic/unistd.h) and errors.
constexpr uint32_t kCallWrite = 64, kCallExit = 93, kCallExitGroup = 94,
                   kCallClock = 113, kCallClock64 = 403;
constexpr uint32_t kBadStream = uint32_t(-9), kBadAddress = uint32_t(-14),
                   kBadArgument = uint32_t(-22), kInputOutput = uint32_t(-5);
constexpr uint32_t kClocks = 12; ///< CLOCK_REALTIME to CLOCK_TAI.
constexpr uint32_t kAuxEnd = 0, kAuxPageBytes = 6, kAuxEntry = 9;

constexpr unsigned kSp = 2, kA0 = 10, kA1 = 11, kA2 = 12, kA7 = 17;
constexpr uint64_t kDefaultMemoryBytes = 256 << 20;
constexpr uint64_t kPageBytes = 4096;

uint64_t alignUp(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}
} // namespace

std::unique_ptr<TecProcess> TecProcess::create(const TecImage &image,
                                               TecProcessOptions options,
                                               DiagnosticEngine &diags) {
  std::unique_ptr<TecProcess> process(
      new TecProcess(image, std::move(options)));
  return process->load(diags) ? std::move(process) : nullptr;
}

bool TecProcess::load(DiagnosticEngine &diags) {
  if (image.segments.size() >= AddressMap::kMaxWindows) {
    diags
        .report(diag::ProgramForeign, place(),
                "this is not a program that a TEC can run")
        .found(std::to_string(image.segments.size()) + " segments")
        .expected("at most " + std::to_string(AddressMap::kMaxWindows - 1));
    return false;
  }
  uint64_t end = 0;
  for (const TecSegment &s : image.segments)
    end = std::max(end, alignUp(s.end(), kPageBytes));
  uint64_t bytes = options.memoryBytes;
  if (!bytes)
    bytes = std::max(kDefaultMemoryBytes, end + 2 * kStackBytes);
  bytes = bytes / kPageBytes * kPageBytes;
  // One page between the program and the stack stays free.
  if (bytes > Memory::kMaxDdrBytes || end + kPageBytes + kStackBytes > bytes) {
    diags
        .report(diag::ProgramForeign, place(),
                "the program does not fit into the device's memory")
        .found("it ends at " + hex(uint32_t(end)) + " and has a stack of 8 MB")
        .expected("all within " + hex(uint32_t(std::min<uint64_t>(
                                      bytes, Memory::kMaxDdrBytes))))
        .hint("link it lower (-Wl,--image-base=0x10000) or give it more "
              "memory (--memory-mb)");
    return false;
  }
  options.memoryBytes = bytes;
  ddr = Memory::create(0);
  if (!ddr || !ddr->growDdr(bytes)) {
    diags
        .report(diag::ResourcesExhausted, place(),
                "the system does not have enough memory or threads")
        .found("no address space for a device's memory")
        .expected("4 GiB of it; only what is used is memory")
        .hint("remove a limit of the shell with `ulimit -v unlimited`");
    return false;
  }
  for (const TecSegment &s : image.segments)
    ddr->write(s.address, s.contents.data(), s.contents.size());
  start();
  return true;
}

void TecProcess::start() {
  core = std::make_unique<Tec>(*ddr, port,
                               TecOptions{.timed = options.timed,
                                          .timing = options.timing,
                                          .anyHost = options.anyHost,
                                          .hasSystemCalls = true,
                                          .hasEngines = false});
  core->reset(image.entry);
  map = makeMap();
  core->setMap(map);
  makeStack();
}

/// In pages, as Linux has it: what shares a page shares permissions.
std::shared_ptr<const AddressMap> TecProcess::makeMap() const {
  auto map = std::make_shared<AddressMap>();
  for (const TecSegment &s : image.segments) {
    MemoryArea area;
    area.begin = uint32_t(s.address / kPageBytes * kPageBytes);
    area.end = alignUp(s.end(), kPageBytes);
    area.permissions =
        uint8_t((s.canWrite ? MemoryArea::kWrite : MemoryArea::kRead) |
                (s.canExecute ? MemoryArea::kExecute : MemoryArea::kRead));
    area.name = s.canExecute ? "the program's text"
                : s.canWrite ? "the program's data"
                             : "the program's constants";
    map->add(std::move(area));
  }
  map->add({uint32_t(options.memoryBytes - kStackBytes), options.memoryBytes,
            MemoryArea::kWrite, "the stack"});
  return map;
}

/// argc, argv, an empty environment and the auxiliary vector, as Linux leaves
/// them; the strings lie above.
void TecProcess::makeStack() {
  uint64_t top = options.memoryBytes;
  std::vector<uint32_t> words = {uint32_t(options.arguments.size())};
  for (const std::string &argument : options.arguments) {
    top -= argument.size() + 1;
    ddr->write(uint32_t(top), argument.c_str(), argument.size() + 1);
    words.push_back(uint32_t(top));
  }
  for (uint32_t word : {0u, 0u, kAuxPageBytes, uint32_t(kPageBytes), kAuxEntry,
                        image.entry, kAuxEnd, 0u})
    words.push_back(word);
  uint64_t sp = (top - words.size() * 4) / 16 * 16;
  ddr->write(uint32_t(sp), words.data(), words.size() * 4);
  core->setX(kSp, uint32_t(sp));
}

std::string TecProcess::where(uint32_t pc) const {
  std::string symbol = image.symbols.describe(pc);
  return "pc " + hex(pc) + (symbol.empty() ? "" : " (" + symbol + ")");
}

uint32_t TecProcess::callWrite() const {
  uint32_t stream = core->x(kA0), address = core->x(kA1), bytes = core->x(kA2);
  if (stream != 1 && stream != 2)
    return kBadStream;
  if (!map->allows(Access::Read, address, bytes))
    return kBadAddress;
  const uint8_t *host = ddr->at(address, bytes);
  std::string_view text(reinterpret_cast<const char *>(host), bytes);
  if (options.write && !options.write(int(stream), text))
    return kInputOutput;
  return bytes;
}

/// struct timespec of two longs, or with 64-bit seconds.
uint32_t TecProcess::callClock(bool isWide) {
  if (core->x(kA0) >= kClocks)
    return kBadArgument;
  uint64_t cycles = options.timed ? core->cycles() : core->retired();
  uint64_t hertz = uint64_t(options.clockMhz) * 1000000;
  uint64_t seconds = cycles / hertz;
  // The remainder is below 2^32 * 10^6, so this stays below 2^62.
  uint64_t nanoseconds = cycles % hertz * 1000 / options.clockMhz;
  uint64_t wide[] = {seconds, nanoseconds};
  uint32_t narrow[] = {uint32_t(seconds), uint32_t(nanoseconds)};
  uint32_t address = core->x(kA1);
  if (!map->allows(Access::Write, address,
                   isWide ? sizeof wide : sizeof narrow))
    return kBadAddress;
  if (isWide)
    ddr->write(address, wide, sizeof wide);
  else
    ddr->write(address, narrow, sizeof narrow);
  return 0;
}

/// Does the call at the pc before; false if the program has ended.
bool TecProcess::call(TecExit &end, DiagnosticEngine &diags) {
  uint32_t number = core->x(kA7);
  switch (number) {
  case kCallExit:
  case kCallExitGroup:
    end = {TecExit::Exited, core->x(kA0) & 0xff};
    return false;
  case kCallWrite:
    core->setX(kA0, callWrite());
    return true;
  case kCallClock:
  case kCallClock64:
    core->setX(kA0, callClock(number == kCallClock64));
    return true;
  default:
    diags
        .report(diag::SystemCallUnknown, place(),
                "system call " + std::to_string(number) + " at " +
                    where(core->pc() - 4))
        .expected("64 write, 93 exit, 94 exit_group, 113 or 403 clock_gettime")
        .hint("the number is in a7");
    end = {TecExit::BadCall};
    return false;
  }
}

TecExit TecProcess::reportFault(DiagnosticEngine &diags) const {
  const TecFault &fault = core->fault();
  bool isMemory = fault.kind == TecFault::BadAccess;
  std::string symbol = image.symbols.describe(fault.address);
  diags
      .report(isMemory ? diag::MemoryFault : diag::SimulatorFault, place(),
              fault.reason +
                  (isMemory && !symbol.empty() ? " (" + symbol + ")"
                                               : std::string()) +
                  " at " + where(fault.pc))
      .found("instruction " + hex(fault.word) + ", " +
             isa::tec::disassemble(fault.word, fault.pc));
  switch (fault.kind) {
  case TecFault::Breakpoint:
    return {TecExit::Breakpoint};
  case TecFault::BadAccess:
    return {TecExit::BadAccess};
  default:
    return {TecExit::Illegal};
  }
}

TecExit TecProcess::run(DiagnosticEngine &diags) {
  for (;;) {
    uint64_t retired = core->retired();
    if (retired >= options.maxInstructions) {
      diags
          .report(diag::InstructionLimit, place(),
                  "the program has not ended at " + where(core->pc()))
          .found(std::to_string(retired) + " instructions")
          .expected("an exit within " + std::to_string(options.maxInstructions))
          .hint("allow more with --max-instructions");
      return {TecExit::OutOfBudget};
    }
    TecExit end;
    switch (core->run(options.maxInstructions - retired)) {
    case TecStop::Call:
      if (!call(end, diags))
        return end;
      break;
    case TecStop::Budget:
      break;
    case TecStop::Watch:
      return {TecExit::Watched};
    case TecStop::Fault:
      return reportFault(diags);
    case TecStop::Waiting:
    case TecStop::Signaled:
    case TecStop::Ended:
      assert(false && "npu instructions are illegal here");
      return {TecExit::Illegal};
    }
  }
}
