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

void DriverProfile::jobEnded(uint64_t cycles) {
  std::string job = std::to_string(++numJobs);
  Work total;
  for (const auto &[place, w] : work) {
    lines.push_back(
        job + "," + std::to_string(place.first) + "," + place.second + "," +
        std::to_string(w.commands) + "," + std::to_string(w.busyCycles) + "," +
        std::to_string(w.macs) + "," + std::to_string(w.ddrReadBytes) + "," +
        std::to_string(w.ddrWrittenBytes) + "\n");
    total.commands += w.commands;
    total.macs += w.macs;
    total.ddrReadBytes += w.ddrReadBytes;
    total.ddrWrittenBytes += w.ddrWrittenBytes;
  }
  lines.push_back(job + ",,all," + std::to_string(total.commands) + "," +
                  std::to_string(cycles) + "," + std::to_string(total.macs) +
                  "," + std::to_string(total.ddrReadBytes) + "," +
                  std::to_string(total.ddrWrittenBytes) + "\n");
  work.clear();
}

bool DriverProfile::write(const std::string &path,
                          DiagnosticEngine &diags) const {
  std::string text = kHeader;
  for (const std::string &line : lines)
    text += line;
  return writeFile(path, text, diags);
}
