//===- DriverLog.h - What happened, for an application's developer --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The driver's interface cannot report why a job failed, so this log does: in a
// file, whose name or folder the driver gives, and on standard error if the
// driver asks for that. The file is created with the first message.
//
//   DriverLog log(config);
//   log.tell(DriverLog::Jobs, "job 3: 12.5 ms");
//   log.tell(diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_DRIVER_DRIVERLOG_H
#define YARROW_API_DRIVER_DRIVERLOG_H

#include "isa/SimulatorApi.h"
#include "support/Diagnostics.h"

#include <fstream>
#include <string>
#include <string_view>

namespace yarrow::driver {

class DriverLog {
public:
  /// The configuration's level from which on an event is logged.
  enum Level : int32_t {
    Faults = 0,
    Jobs = 2,      ///< A line for each.
    Registers = 3, ///< Every access.
  };

  explicit DriverLog(const yarrow_sim_config &config);

  bool reports(Level from) const { return level >= from; }
  void notify(Level from, std::string_view line);
  /// Logs all of them at every level.
  void notify(const DiagnosticEngine &diags);

private:
  std::string path;
  int32_t level;
  bool isVerbose;
  std::ofstream file;
};

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_DRIVERLOG_H
