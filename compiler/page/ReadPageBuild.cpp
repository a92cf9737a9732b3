//===- ReadPageBuild.cpp - A build from its files -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/DiagnosticPrinter.h"
#include "compiler/page/Page.h"
#include "compiler/report/ReportJson.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Runner.h"
#include "support/FileKind.h"
#include "support/JsonFile.h"
#include "support/MappedFile.h"

#include <filesystem>

using namespace yarrow;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

PageBuild yarrow::pageBuildOf(std::string label, ReportDocument report,
                              std::optional<PagePicture> picture,
                              yarrow::DiagnosticEngine &diags,
                              std::vector<LayerFacts> facts) {
  report.diagnostics = diagnosticsJson(diags);
  return {std::move(label), Json::parse(report.text()), std::move(picture),
          std::move(facts)};
}

static std::optional<PageBuild> runExecutable(const std::string &path,
                                              yarrow::DiagnosticEngine &diags) {
  auto opened = session::Executable::open(path, diags);
  auto model = opened ? opened->program() : nullptr;
  auto profile = model ? session::profileOnZeros(model, {diags}) : std::nullopt;
  if (!profile)
    return std::nullopt;
  ReportDocument report("run");
  report.model = model->provenance().model;
  report.read["executable"] = path;
  addPerformance(report, profile->report);
  return pageBuildOf(path, std::move(report),
                     makePicture(*model, model->machine(), *profile), diags,
                     factsOf(*model));
}

/// Of the executable that a build wrote beside its report; "" if it is gone.
static std::string executableOf(const Json &report, const std::string &path) {
  for (const char *kind :
       {"/files/written/executable", "/files/read/executable"}) {
    Json::json_pointer pointer(kind);
    if (!report.contains(pointer) || !report[pointer].is_string())
      continue;
    fs::path named(report[pointer].get<std::string>());
    for (const fs::path &place :
         {named, fs::path(path).parent_path() / named.filename()})
      if (std::error_code error; fs::is_regular_file(place, error))
        return place.string();
  }
  return "";
}

std::optional<PageBuild>
yarrow::readPageBuild(const std::string &path,
                      yarrow::DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  if (fileKindOf(file->bytes()) != FileKind::Json)
    return runExecutable(path, diags);
  std::optional<nlohmann::json> json = readJsonFile(path, diags);
  if (!json)
    return std::nullopt;
  PageBuild build{path, Json(*json), std::nullopt};
  if (std::string executable = executableOf(build.report, path);
      !executable.empty()) {
    std::optional<PageBuild> run = runExecutable(executable, diags);
    if (!run)
      return std::nullopt;
    build.picture = std::move(run->picture);
    build.facts = std::move(run->facts);
  }
  return build;
}
