//===- Diagnose.h - What quantization loses, and what gains it back -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   DiagnoseTask task{"auto", {}, "calibration.npy"};
//   auto diagnosis = session::diagnose(network, task, call);
//   if (diagnosis)
//     print(diagnosisText(*diagnosis, false, width));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_DIAGNOSE_H
#define YARROW_COMPILER_SESSION_DIAGNOSE_H

#include "compiler/config/CallSettings.h"
#include "compiler/diagnose/Remedies.h"
#include "compiler/session/Network.h"
#include "isa/Machine.h"

#include <memory>
#include <optional>
#include <string>

namespace yarrow::session {

struct DiagnoseTask {
  std::string recipe;      ///< Of config::recipes().
  config::KeyTexts keys;   ///< Those that are given.
  std::string calibration; ///< Files of samples.
  std::string data = {};   ///< To measure with; "": those of the calibration.
  isa::Machine machine = {};
  /// From this SQNR on, in dB, nothing is proposed that costs cycles.
  double enoughDb = 30;
  double seconds = 0; ///< After which no remedy is begun; 0: all are tried.
  /// How findings name settings.
  SettingStyle style = SettingStyle::Option;
};

/// Findings are told, and in the result. Nullopt after errors.
std::optional<Diagnosis> diagnose(std::shared_ptr<const Network> network,
                                  const DiagnoseTask &task, const Call &call);

} // namespace yarrow::session

#endif // YARROW_COMPILER_SESSION_DIAGNOSE_H
