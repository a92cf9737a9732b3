//===- DriverLog.cpp - What happened, for an application's developer ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/driver/DriverLog.h"

#include <cstring>
#include <filesystem>
#include <iostream>

using namespace yarrow;
using namespace yarrow::driver;

static constexpr const char kFileName[] = "yarrow_simulator.log";

/// A member of the configuration, which may not end.
static std::string textOf(const char (&member)[YARROW_SIM_PATH_BYTES]) {
  return {member, strnlen(member, sizeof member)};
}

DriverLog::DriverLog(const yarrow_sim_config &config)
    : path(textOf(config.log_path)), level(config.log_level),
      isVerbose(config.log_verbose) {
  std::error_code error;
  if (path.empty() || path.back() == '/' ||
      std::filesystem::is_directory(path, error))
    path = (std::filesystem::path(path) / kFileName).string();
}

void DriverLog::notify(Level from, std::string_view line) {
  if (!reports(from))
    return;
  if (isVerbose)
    std::cerr << "yarrow: " << line << '\n' << std::flush;
  if (!file.is_open())
    file.open(path, std::ios::app);
  file << line << '\n' << std::flush;
}

void DriverLog::notify(const DiagnosticEngine &diags) {
  for (const Diagnostic &d : diags.all())
    notify(Faults, d.str());
}
