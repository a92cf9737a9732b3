//===- BuildReport.cpp - What a build leaves to be read -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildReport.h"
#include "compiler/page/Page.h"
#include "support/AtomicFile.h"
#include "support/Format.h"

using namespace yarrow;

std::string yarrow::nextSteps(const BuildFiles &files, const BuildData &data,
                              const ReportDocument &report) {
  std::string reported = "report: " + files.report() + "\n";
  if (!report.written.contains("executable"))
    return reported;
  std::string run =
      "yarrow run " + shellWord(files.executable()) +
      (data.hasFiles() ? " -i " + shellWord(data.files()) +
                             data.pictureOptionsText(/*isOfRun=*/true)
                       : "") +
      " -o " + shellWord(files.inFolder("outputs.npz"));
  return "executable: " + files.executable() + "\nnext: " + run + "\n" +
         reported;
}

bool yarrow::writeBuildPage(const std::string &path, const std::string &name,
                            const session::Quantized &made,
                            const ReportDocument &report,
                            std::optional<PagePicture> picture,
                            DiagnosticEngine &diags) {
  std::vector<LayerFacts> facts = factsOf(made.network->module());
  addMetrics(made.model.layers, facts);
  PageBuild build[] = {
      pageBuildOf(name, report, std::move(picture), diags, std::move(facts))};
  return writeFile(path, pageHtml(build), diags);
}
