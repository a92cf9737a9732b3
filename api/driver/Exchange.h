//===- Exchange.h - What a driver and a device said to each other -*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A recorded exchange is a text file: every access to a register, and the
// driver's memory as far as the device read it. It can be replayed without the
// driver (test/unit/driver/Replay.h), which turns a run of an application into
// a report of a fault, or into a test. The lines have hexadecimal numbers:
//
//   create CODE                  the configuration's target
//   buffer BASE BYTES            a zeroed buffer, replacing those it overlaps
//   data ADDRESS BYTES...        data that the driver has written there
//   read REGISTER VALUE          with the answer
//   write REGISTER VALUE         after the buffers and data that it needs
//   expect ADDRESS BYTES...      data that the device wrote there
//   event NUMBER VALUE           passed to the handler
//
// Unchanged memory is recorded only once.
//
//   ExchangeRecorder recorder(memory, path, code);   // is a memory, too
//   recorder.readRegister(0x14, 0x10000);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_DRIVER_EXCHANGE_H
#define YARROW_API_DRIVER_EXCHANGE_H

#include "simulator/device/HostMemory.h"

#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace yarrow::driver {

class ExchangeRecorder final : public sim::HostMemory {
public:
  /// Records accesses to \p memory, which outlives this, to \p path.
  ExchangeRecorder(sim::HostMemory &memory, const std::string &path,
                   int32_t code);

  bool read(uint64_t address, void *to, uint64_t sizeBytes) override;
  bool write(uint64_t address, const void *from, uint64_t sizeBytes) override;
  std::optional<Buffer> bufferAt(uint64_t address) override;

  void readRegister(uint32_t address, uint32_t value);
  /// Comes after the device's reads and writes in between.
  void writeRegister(uint32_t address, uint32_t value);
  void event(uint32_t number, uint64_t value);

private:
  /// The differences to the known contents at \p address, as lines of \p kind.
  void note(const char *kind, uint64_t address, const std::byte *bytes,
            uint64_t sizeBytes, std::string &lines);
  std::byte *known(uint64_t address);
  void forget(const Buffer &buffer);

  sim::HostMemory &memory;
  std::ofstream file;
  /// The known contents of the driver's buffers, by their first address.
  std::map<uint64_t, std::vector<std::byte>> buffers;
  /// For the current access: lines before and after it.
  std::string before, after;
};

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_EXCHANGE_H
