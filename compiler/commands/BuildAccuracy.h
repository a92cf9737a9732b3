//===- BuildAccuracy.h - What a build measures at its end -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The accuracy of float network, integer network and NPU on the data of a
// configuration, by its metrics.
//
//   BuildAccuracy accuracy(config, driver);
//   if (!accuracy.readMetrics(folder)) ...         // before any work
//   if (accuracy.measure(model, &npu, 0, set)) report.accuracy =
//   accuracy.json();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDACCURACY_H
#define YARROW_COMPILER_COMMANDS_BUILDACCURACY_H

#include "compiler/commands/BuildGate.h"
#include "compiler/config/BuildConfig.h"
#include "compiler/data/DataSet.h"
#include "compiler/driver/Driver.h"
#include "compiler/session/Quantize.h"
#include "compiler/session/Runner.h"
#include "quantizer/metrics/Accuracy.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace yarrow {

class BuildAccuracy {
public:
  BuildAccuracy(const config::BuildConfig &config, Driver &driver)
      : config(config), driver(driver) {}

  /// Paths in metrics begin at \p folder. Reports metrics that are not valid
  /// before the build begins, which takes minutes.
  bool readMetrics(const std::string &folder);

  /// \p files are data and labels; \p npu may be null. True also where there is
  /// nothing to be measured.
  bool measure(const session::Quantized &made, session::Runner *npu,
               std::size_t maxSamples, const DataSetTask &files);

  /// record_debug_acc_info: what the file gives, and what came of it.
  bool record(const std::string &path) const;

  /// Null if nothing was measured.
  nlohmann::ordered_json json() const;
  bool isKnown() const { return accuracy.has_value(); }
  /// Of the network that runs in the end; none if none was compared.
  std::vector<OutputFigures> outputFigures() const;
  /// False if the NPU gave other bytes than the integer network.
  bool agrees() const { return !accuracy || accuracy->differingBytes == 0; }

private:
  void dropUnlabelled();

  const config::BuildConfig &config;
  Driver &driver;
  AccuracyTask task; ///< Its metrics are known from the beginning.
  std::optional<AccuracyResult> accuracy;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDACCURACY_H
