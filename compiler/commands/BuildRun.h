//===- BuildRun.h - The run at the end of a build ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The executable on the simulated machine: its cycles in the report, its
// outputs in files, and for a page the picture of what each unit did.
//
//   BuildRun run(flags, config, data, files, driver);
//   bool ok = run.open() && run.readInputs(model) && run.run(report);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDRUN_H
#define YARROW_COMPILER_COMMANDS_BUILDRUN_H

#include "compiler/commands/BuildData.h"
#include "compiler/commands/BuildFiles.h"
#include "compiler/driver/Driver.h"
#include "compiler/page/PageData.h"
#include "compiler/session/Runner.h"
#include "support/ReportDocument.h"

#include <memory>
#include <optional>

namespace yarrow {

class BuildRun {
public:
  BuildRun(const BuildFlags &flags, const config::BuildConfig &config,
           const BuildData &data, const BuildFiles &files, Driver &driver)
      : flags(flags), config(config), data(data), files(files), driver(driver) {
  }

  // Each is false after errors.
  bool open();
  bool readInputs(const session::Quantized &made);
  /// Of the first sample.
  bool run(ReportDocument &report);
  /// A page shows cycles also of what is only built: those of zeros.
  bool countForPage(ReportDocument &report);

  /// Null if nothing was opened.
  session::Runner *runner() const { return npu.get(); }
  /// If there is to be a page.
  std::optional<PagePicture> takePicture() { return std::move(picture); }

private:
  void take(const runtime::Executable &executable, const Profile &profile,
            ReportDocument &report);
  bool writeOutputs(const IoBytes &outputs, ReportDocument &report);

  const BuildFlags &flags;
  const config::BuildConfig &config;
  const BuildData &data;
  const BuildFiles &files;
  Driver &driver;
  std::unique_ptr<session::Runner> npu;
  std::optional<SampleArrays> inputs;
  std::optional<PagePicture> picture;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDRUN_H
