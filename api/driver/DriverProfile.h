//===- DriverProfile.h - What the units of the device did -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A profile as the driver asks for it: a table of comma-separated values with a
// line for each unit of each core in each job. For reports by layer, with what
// bounds them, there is `yarrow run --profile`.
//
//   DriverProfile profile;
//   device.setObserver(&profile);
//   ...
//   profile.jobEnded(device.statistics().cycles);
//   profile.write("perf.csv", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_DRIVER_DRIVERPROFILE_H
#define YARROW_API_DRIVER_DRIVERPROFILE_H

#include "simulator/device/Observer.h"
#include "support/Diagnostics.h"

#include <map>
#include <string>
#include <utility>

namespace yarrow::driver {

class DriverProfile final : public sim::ExecutionObserver {
public:
  void engineCommand(const sim::EngineEvent &event) override;
  void tecStep(const sim::TecEvent &event) override;

  void jobEnded(uint64_t cycles);
  bool isEmpty() const { return rows.empty(); }
  /// All jobs so far. False after FileNotWritable.
  bool write(const std::string &path, DiagnosticEngine &diags) const;

private:
  struct Work {
    uint64_t commands = 0, busyCycles = 0, macs = 0;
    uint64_t ddrReadBytes = 0, ddrWrittenBytes = 0;
  };
  void addRow(const std::string &place, const Work &row);

  std::map<std::pair<uint32_t, std::string>, Work> work; ///< By core, unit.
  uint64_t numJobs = 0;
  std::string rows;
};

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_DRIVERPROFILE_H
