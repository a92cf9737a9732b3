//===- DriverProfile.cpp - What the units of the device did ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/driver/DriverProfile.h"

#include "support/AtomicFile.h"

using namespace yarrow;
using namespace yarrow::driver;

static constexpr const char kHeader[] =
    "job,core,unit,commands,busy_cycles,macs,ddr_read_bytes,"
    "ddr_written_bytes\n";

void DriverProfile::engineCommand(const sim::EngineEvent &event) {
  Work &w = work[{event.core, std::string(isa::name(event.queue))}];
  ++w.commands;
  w.busyCycles += event.endCycle - event.startCycle;
  w.macs += event.cost.macs;
  w.ddrReadBytes += event.cost.ddrReadBytes;
  w.ddrWrittenBytes += event.cost.ddrWrittenBytes;
}

void DriverProfile::tecStep(const sim::TecEvent &event) {
  Work &w = work[{event.core, "TEC " + std::to_string(event.tec)}];
  ++w.commands;
  w.busyCycles += event.endCycle - event.startCycle;
  w.ddrReadBytes += event.ddrReadBytes;
  w.ddrWrittenBytes += event.ddrWrittenBytes;
}

void DriverProfile::addRow(const std::string &place, const Work &row) {
  rows += std::to_string(numJobs) + "," + place;
  for (uint64_t number : {row.commands, row.busyCycles, row.macs,
                          row.ddrReadBytes, row.ddrWrittenBytes})
    rows += "," + std::to_string(number);
  rows += '\n';
}

void DriverProfile::jobEnded(uint64_t cycles) {
  ++numJobs;
  Work total;
  total.busyCycles = cycles;
  for (const auto &[place, w] : work) {
    addRow(std::to_string(place.first) + "," + place.second, w);
    total.commands += w.commands;
    total.macs += w.macs;
    total.ddrReadBytes += w.ddrReadBytes;
    total.ddrWrittenBytes += w.ddrWrittenBytes;
  }
  addRow(",all", total);
  work.clear();
}

bool DriverProfile::write(const std::string &path,
                          DiagnosticEngine &diags) const {
  return writeFile(path, kHeader + rows, diags);
}
