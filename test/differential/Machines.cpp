//===- Machines.cpp - Where random programs run ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Machines.h"
#include "simulator/Memory.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace yarrow;
using namespace yarrow::differential;

namespace {
/// Programs do not talk to engines.
struct NoEngines : sim::TecPort {
  void submit(uint32_t, uint32_t, uint32_t) override {}
  void setBase(uint32_t, uint32_t) override {}
  void setOrigin(uint32_t, uint32_t) override {}
  bool wait(uint32_t, uint32_t) override { return true; }
  void signal() override {}
};
} // namespace

static void split(const Program &program, const uint8_t *log,
                  const uint8_t *state, Outcome &outcome) {
  outcome.log.assign(log,
                     log + program.iterations * program.logBytesPerIteration());
  outcome.state.assign(state, state + kStateBytes);
  outcome.scratch.assign(state + kStateBytes,
                         state + kStateBytes + kScratchBytes);
}

Outcome differential::runOnTec(const Program &program,
                               sim::TecOptions options) {
  Outcome outcome;
  NoEngines port;
  auto memory = sim::Memory::create(/*sramBytes=*/4096);
  if (!memory || !memory->growDdr(kDataEnd) ||
      !memory->write(kTextAddress, program.text.data(),
                     program.text.size() * 4) ||
      !memory->write(kPoolAddress, program.pool.data(), program.pool.size())) {
    outcome.failure = "no memory";
    return outcome;
  }
  sim::Tec tec(*memory, port, options);
  tec.reset(kTextAddress);
  // More than any program has; each runs once through at most 100 words a step.
  sim::TecStop stop = tec.run(10'000'000);
  // The first system call is the one that writes the log: everything is in
  // memory then.
  if (stop != sim::TecStop::Fault || tec.fault().word != 0x73) {
    outcome.failure =
        stop == sim::TecStop::Fault ? tec.fault().str() : "does not end";
    outcome.failurePc = tec.pc();
    return outcome;
  }
  split(program, memory->at(kLogAddress, kLogBytes),
        memory->at(kStateAddress, kStateBytes + kScratchBytes), outcome);
  return outcome;
}

Outcome differential::runOnProgram(const Program &program,
                                   const std::string &command) {
  Outcome outcome;
  std::string path =
      (std::filesystem::temp_directory_path() /
       ("yarrow-differential-" + std::to_string(getpid()) + ".elf"))
          .string();
  std::vector<uint8_t> elf = program.elf();
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(elf.data()),
               std::streamsize(elf.size()));
  }
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  std::vector<uint8_t> out;
  FILE *pipe = popen((command + " " + path + " 2>&1").c_str(), "r");
  if (!pipe) {
    outcome.failure = "cannot run " + command;
    return outcome;
  }
  uint8_t buffer[1 << 16];
  while (size_t got = fread(buffer, 1, sizeof buffer, pipe))
    out.insert(out.end(), buffer, buffer + got);
  int status = pclose(pipe);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  size_t logBytes = size_t(program.iterations) * program.logBytesPerIteration();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
      out.size() != logBytes + kStateBytes + kScratchBytes) {
    outcome.failure =
        "status " + std::to_string(status) + ", " + std::to_string(out.size()) +
        " bytes: " +
        std::string(out.begin(),
                    out.begin() + std::min<size_t>(out.size(), 200));
    return outcome;
  }
  split(program, out.data(), out.data() + logBytes, outcome);
  return outcome;
}

std::string differential::qemuCommand(const std::string &qemu) {
  return qemu + " -cpu rv32,v=true,vlen=256,elen=64,vext_spec=v1.0";
}

std::optional<std::string> differential::findProgram(const std::string &name) {
  if (name.find('/') != name.npos)
    return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  const char *path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    size_t end = rest.find(':');
    std::string candidate = rest.substr(0, end) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  return std::nullopt;
}
