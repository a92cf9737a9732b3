//===- Tec.cpp - yarrow tec -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "isa/Machine.h"
#include "runtime/TecProcess.h"
#include "runtime/TecProfile.h"
#include "runtime/TecTrace.h"
#include "simulator/device/TecTimingOf.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/MappedFile.h"

#include <CLI/CLI.hpp>

#include <csignal>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
struct TecFlags {
  std::string program, machine = "X2_1204";
  std::vector<std::string> arguments;
  std::string trace, registers; ///< A file, "-", or nothing.
  uint64_t maxInstructions = TecProcessOptions().maxInstructions;
  uint64_t memoryMb = 0;
  bool timed = false, profile = false, anyHost = false;
};

/// The standard output, which the program and what is told about it share, and
/// the stream of messages. The order of all that is written remains.
class Streams {
public:
  explicit Streams(Driver &driver) : driver(driver) {}

  void append(std::string_view text) {
    pending += text;
    if (pending.size() >= kBufferBytes)
      flush();
  }
  bool flush() {
    bool isWritten = driver.print(pending);
    pending.clear();
    return isWritten;
  }
  /// What the program itself writes.
  bool write(int stream, std::string_view bytes) {
    bool isWritten = flush();
    return stream == 1 ? isWritten && driver.print(bytes)
                       : writeDescriptor(2, bytes);
  }

private:
  static constexpr std::size_t kBufferBytes = 1 << 16;

  Driver &driver;
  std::string pending;
};

/// A file, or the standard output behind what the program has written.
class Output {
public:
  Output(const std::string &path, Streams &streams, DiagnosticEngine &diags)
      : streams(streams) {
    if (path != "-")
      file.emplace(path, diags);
  }
  void append(std::string_view text) {
    if (file)
      file->append(text);
    else
      streams.append(text);
  }
  bool commit() { return file ? file->commit() : streams.flush(); }

private:
  Streams &streams;
  std::optional<AtomicFile> file;
};

/// Both of two watchers, of which either may be null.
class Watchers final : public sim::TecWatcher {
public:
  TecTrace *trace = nullptr;
  TecProfile *profile = nullptr;

  bool before(uint32_t pc, sim::Cost cost) override {
    if (trace)
      trace->before(pc, cost);
    if (profile)
      profile->before(pc, cost);
    return false;
  }
};
} // namespace

/// As a shell reports a program that a signal has ended.
static int exitCodeOf(const TecExit &end) {
  switch (end.reason) {
  case TecExit::Exited:
  case TecExit::Watched:
    return int(end.status);
  case TecExit::Illegal:
    return 128 + SIGILL;
  case TecExit::BadAccess:
    return 128 + SIGSEGV;
  case TecExit::Breakpoint:
    return 128 + SIGTRAP;
  case TecExit::BadCall:
    return 128 + SIGSYS;
  case TecExit::OutOfBudget:
    return 128 + SIGXCPU;
  }
  return 0;
}

static std::string cycleReport(const sim::Tec &tec, const isa::Machine &m) {
  const sim::TecTraffic &t = tec.traffic();
  double instructions = double(tec.retired()), cycles = double(tec.cycles());
  return formatCount(tec.retired()) + " instructions, " +
         formatCount(tec.cycles()) + " cycles (" +
         formatFixed(cycles ? instructions / cycles : 0, 2) +
         " instructions per cycle), " +
         formatFixed(cycles / (m.clockMhz * 1000.0), 3) + " ms at " +
         std::to_string(m.clockMhz) + " MHz, " + formatCount(t.ddrReadBytes) +
         " bytes read, " + formatCount(t.ddrWrittenBytes) + " written\n";
}

/// The exit code, or none after errors before the program has started or in
/// writing a file.
static std::optional<int> runProgram(const TecFlags &flags, Driver &driver) {
  driver.files.reads(flags.program);
  for (const std::string &path : {flags.trace, flags.registers})
    driver.files.writes(path == "-" ? "" : path);
  if (!driver.files.check(driver.diags))
    return std::nullopt;
  std::optional<isa::Machine> machine =
      isa::findTarget(flags.machine, driver.diags);
  auto file = MappedFile::open(flags.program, driver.diags);
  if (!machine || !file)
    return std::nullopt;
  std::optional<TecImage> image =
      TecImage::parse(file->text(), flags.program, driver.diags);
  if (!image)
    return std::nullopt;
  TecProcessOptions options;
  options.timed = flags.timed || flags.profile;
  options.timing = sim::tecTimingOf(*machine);
  options.clockMhz = machine->clockMhz;
  options.maxInstructions = flags.maxInstructions;
  options.memoryBytes = flags.memoryMb << 20;
  options.arguments = {flags.program};
  options.arguments.insert(options.arguments.end(), flags.arguments.begin(),
                           flags.arguments.end());
  Streams streams(driver);
  options.write = [&](int stream, std::string_view bytes) {
    return streams.write(stream, bytes);
  };
  options.anyHost = flags.anyHost;
  auto process = TecProcess::create(*image, std::move(options), driver.diags);
  if (!process)
    return std::nullopt;

  std::optional<Output> traceFile;
  std::optional<TecTrace> trace;
  TecProfile profile;
  Watchers watchers;
  if (!flags.trace.empty()) {
    traceFile.emplace(flags.trace, streams, driver.diags);
    trace.emplace(
        [&](uint32_t pc) {
          uint32_t word = 0;
          process->memory().read(pc, &word, sizeof word);
          return word;
        },
        [&](std::string_view text) { traceFile->append(text); }, "",
        &image->symbols);
    watchers.trace = &*trace;
  }
  if (flags.profile)
    watchers.profile = &profile;
  if (watchers.trace || watchers.profile)
    process->setWatcher(&watchers);
  if (trace)
    trace->attach(process->tec());
  profile.attach(process->tec());

  TecExit end = process->run(driver.diags);

  bool ok = true;
  if (trace) {
    trace->finish(end.reason == TecExit::Illegal ||
                  end.reason == TecExit::BadAccess ||
                  end.reason == TecExit::Breakpoint);
    ok &= traceFile->commit();
  }
  profile.finish();
  // Reports go to the stream of messages, the other is the program's.
  if (flags.timed || flags.profile)
    streams.write(2, cycleReport(process->tec(), *machine));
  if (flags.profile) {
    auto nameOf = [&](uint32_t pc) {
      const TecSymbol *symbol = image->symbols.find(pc);
      return symbol ? symbol->name : std::string("(no symbol)");
    };
    streams.write(
        2, profileText("function", profile.by(nameOf), driver.tableWidth()));
  }
  if (!flags.registers.empty()) {
    Output output(flags.registers, streams, driver.diags);
    output.append(TecRegisters::of(process->tec()).str());
    ok &= output.commit();
  }
  return ok ? std::optional(exitCodeOf(end)) : std::nullopt;
}

void yarrow::addTecCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<TecFlags>();
  CLI::App *command = app.add_subcommand(
      "tec", "Run a RISC-V program on the simulated vector core");
  command
      ->add_option("program", flags->program,
                   "A static ELF executable for rv32imafdv")
      ->required();
  command->add_option("arguments", flags->arguments,
                      "argv[1] and so on, after --");
  command->add_option("--max-instructions", flags->maxInstructions,
                      "Stop with an error after this many instructions");
  command->add_flag("--trace{-}", flags->trace,
                    "Print every instruction with the registers that it "
                    "changes, or write them to --trace=FILE");
  command->add_flag("--profile", flags->profile,
                    "Count cycles and print them per function");
  command->add_flag("--timed", flags->timed, "Count cycles and print them");
  command->add_flag("--dump-registers{-}", flags->registers,
                    "Print all registers at the end, or write them to "
                    "--dump-registers=FILE");
  command
      ->add_option("--memory-mb", flags->memoryMb,
                   "Set the size of memory from address 0 on, in MB (default: "
                   "256, or what the program needs)")
      ->check(CLI::Range(1, 3584));
  command
      ->add_option("--machine", flags->machine,
                   "Use the costs and the clock of this machine's TEC")
      ->capture_default_str();
  command->add_flag(
      "--portable", flags->anyHost,
      "Simulate vectors without the host's vector instructions (same results)");
  command->footer(
      "Example:\n"
      "  clang-22 --target=riscv32 -march=rv32imafdv_zvl256b -mabi=ilp32d \\\n"
      "    -nostdlib -static -fuse-ld=lld -o a.elf a.S\n"
      "  yarrow tec a.elf --profile\n\n"
      "The exit code is the program's. A program that is stopped gets the "
      "exit\ncode of a signal: 132 illegal instruction, 133 ebreak,\n"
      "139 access to memory, 152 too many instructions, 159 unknown system\n"
      "call. 1 and 2 also mean that a file or the command line is wrong.");
  command->callback([flags, &driver] {
    std::optional<int> code = runProgram(*flags, driver);
    driver.finish();
    if (code && !driver.hasOutputFailed())
      driver.exitCode = *code;
  });
}
