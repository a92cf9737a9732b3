//===- FaultText.cpp - Why a job of the driver failed ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/driver/FaultText.h"

#include "runtime/Executable.h"
#include "runtime/FaultReport.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace yarrow;
using namespace yarrow::driver;
using runtime::Executable;

/// The executable whose text is at \p address, or null.
static std::shared_ptr<const Executable> findExecutable(sim::Device &device,
                                                        uint32_t address) {
  const char *paths = std::getenv("YARROW_EXECUTABLES");
  std::istringstream list(paths ? paths : "");
  for (std::string path; std::getline(list, path, ':');) {
    DiagnosticEngine unreadable; // then it is not the one
    std::shared_ptr<const Executable> model =
        path.empty() ? nullptr : Executable::open(path, unreadable);
    if (!model)
      continue;
    std::string_view text = model->text();
    const uint8_t *here = device.memory().at(address, text.size());
    if (here && std::memcmp(here, text.data(), text.size()) == 0)
      return model;
  }
  return nullptr;
}

void driver::reportJobFault(sim::Device &device, const std::string &job,
                            DiagnosticEngine &diags) {
  runtime::DeviceFault fault{*device.fault(), device.faultSite(),
                             device.deadlock()};
  uint32_t text = device.statistics().textAddress;
  if (std::shared_ptr<const Executable> model = findExecutable(device, text)) {
    runtime::reportFault(*model, fault, text, diags);
    return;
  }
  diags.report(runtime::faultCode(fault.site.cause), {job}, fault.text)
      .hint("set YARROW_EXECUTABLES=<paths of your executables> to see the "
            "layer");
}
