//===- FuzzExecutable.cpp - Broken executables ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash and no hang in the ELF reader, the loader and
// the disassembler; an executable exactly if there is no error; and one that is
// accepted can be loaded into a device or is refused with an error. The bytes
// get checksums that fit, or hardly anything would come further than these;
// FuzzRun runs what is accepted.
//
//===----------------------------------------------------------------------===//
#include "codegen/Disassembler.h"
#include "runtime/SimulatedDevice.h"
#include "test/Seal.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>
#include <sstream>

using namespace yarrow;
using namespace yarrow::runtime;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  std::string file = sealed({reinterpret_cast<const char *>(data), size});
  // A block of its own size, so that a read beyond it is seen.
  size = file.size();
  std::unique_ptr<char[]> block(new char[size]);
  std::memcpy(block.get(), file.data(), size);
  DiagnosticEngine diags;
  std::shared_ptr<const Executable> executable =
      Executable::parse(std::string_view(block.get(), size), "fuzz.bin", diags);
  for (const Diagnostic &diag : diags.all())
    diag.str();
  require((executable != nullptr) == !diags.hasErrors(),
          "an executable exactly if there is no error", &diags);
  if (!executable)
    return 0;
  ++fuzz::numAccepted;
  std::ostringstream os;
  disassembleDescriptors(os, executable->descriptors(), {});
  disassembleTec(os, executable->text(), executable->tecElf(), {});

  std::unique_ptr<Session> session = simulatedSession(executable, {}, diags);
  require((session != nullptr) == !diags.hasErrors(),
          "a session exactly if there is no error", &diags);
  if (!session)
    return 0;
  // The tensors themselves may be as large as the device's memory.
  constexpr std::uint64_t mostBytes = 1 << 16;
  for (std::size_t i = 0; i < executable->inputs().size(); ++i) {
    std::uint64_t sizeBytes = executable->inputs()[i].sizeBytes;
    if (sizeBytes > mostBytes)
      continue;
    std::vector<std::byte> input(sizeBytes, std::byte(i));
    require(session->setInput(i, input, diags), "an input has a place", &diags);
  }
  for (std::size_t i = 0; i < executable->outputs().size(); ++i)
    require(session->output(i).size() == executable->outputs()[i].sizeBytes,
            "an output has a place");
  return 0;
}
