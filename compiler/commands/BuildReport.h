//===- BuildReport.h - What a build leaves to be read ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The last lines of `yarrow build`, and its page.
//
//   driver.say(nextSteps(files, data, report));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDREPORT_H
#define YARROW_COMPILER_COMMANDS_BUILDREPORT_H

#include "compiler/commands/BuildData.h"
#include "compiler/commands/BuildFiles.h"
#include "compiler/page/PageData.h"
#include "compiler/session/Quantize.h"
#include "support/ReportDocument.h"

#include <optional>
#include <string>

namespace yarrow {

/// What there is now, and what to do with it.
std::string nextSteps(const BuildFiles &files, const BuildData &data,
                      const ReportDocument &report);

/// False after errors.
bool writeBuildPage(const std::string &path, const std::string &name,
                    const session::Quantized &made,
                    const ReportDocument &report,
                    std::optional<PagePicture> picture,
                    DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDREPORT_H
