//===- ModelSteps.cpp - Quantization and compilation, for Python ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/ReportJson.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Quantize.h"
#include "python/native/Interruptible.h"
#include "python/native/Model.h"
#include "python/native/Raise.h"

#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::python;
using Json = nlohmann::ordered_json;

static std::string reportOf(const session::Quantized &result,
                            const DiagnosticEngine &diags) {
  ReportDocument report = quantizeReport(result.config, result.model);
  report.diagnostics = Json::parse(jsonOf(diags));
  return report.text();
}

std::shared_ptr<Model>
Model::quantize(const std::shared_ptr<Model> &model,
                const session::QuantizeSettings &settings,
                const NamedArrays &data) {
  session::Data given = dataOf(data);
  pybind11::gil_scoped_release released;
  DiagnosticEngine diags;
  auto result = interruptible([&] {
    return session::quantize(model->network, given, settings, {diags});
  });
  raiseIf(!result, diags);
  std::shared_ptr<Model> quantized(new Model(result->network));
  quantized->reportJson = reportOf(*result, diags);
  quantized->diagnosticsJson = jsonOf(diags);
  return quantized;
}

std::shared_ptr<Executable>
Model::compile(const session::CompileSettings &settings) {
  pybind11::gil_scoped_release released;
  DiagnosticEngine diags;
  auto result = interruptible(
      [&] { return session::compile(*network, settings, {diags}); });
  raiseIf(!result, diags);
  const CompileResult &numbers = *result->summary();
  Json summary = {{"commands", numbers.count.commands},
                  {"kernels", numbers.count.kernels},
                  {"weight_bytes", numbers.memory.weightBytes},
                  {"workspace_bytes", numbers.memory.workspaceBytes},
                  {"sram_bytes", numbers.memory.sramBytes}};
  auto executable = std::make_shared<Executable>(std::move(result));
  executable->summaryJson = summary.dump();
  executable->diagnosticsJson = jsonOf(diags);
  return executable;
}
