//===- Executable.cpp - A compiled network, for Python --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "python/native/Executable.h"
#include "python/native/Raise.h"
#include "support/AtomicFile.h"

#include <nlohmann/json.hpp>

namespace py = pybind11;
using namespace yarrow;
using namespace yarrow::python;
using Json = nlohmann::ordered_json;

std::shared_ptr<Executable>
yarrow::python::Executable::open(const std::string &path) {
  py::gil_scoped_release released;
  DiagnosticEngine diags;
  auto opened = session::Executable::open(path, diags);
  raiseIf(!opened, diags);
  auto executable = std::make_shared<Executable>(std::move(opened));
  executable->diagnosticsJson = jsonOf(diags);
  return executable;
}

std::shared_ptr<Executable>
yarrow::python::Executable::make(std::string_view bytes,
                                 const std::string &name) {
  DiagnosticEngine diags;
  auto parsed = session::Executable::make(bytes, name, diags);
  raiseIf(!parsed, diags);
  return std::make_shared<Executable>(std::move(parsed));
}

void yarrow::python::Executable::save(const std::string &path) const {
  py::gil_scoped_release released;
  const std::string &weights = program()->provenance().weightFile.name;
  if (!weights.empty())
    raiseUsage("the executable's constants are in a separate file, " + weights,
               "copy both files");
  DiagnosticEngine diags;
  raiseIf(!writeFile(path, bytes(), diags), diags);
}

static Json tensorsJson(const std::vector<IoDescription> &tensors) {
  Json list = Json::array();
  for (const IoDescription &t : tensors) {
    bool isFloat = t.type == isa::DataF32 || t.type == isa::DataF16;
    list.push_back({{"name", t.name},
                    {"shape", t.shape},
                    {"dtype", npyTypeName(yarrow::npyTypeOf(t.type))},
                    {"scale", isFloat ? Json() : Json(t.scale)},
                    {"zero_point", isFloat ? Json() : Json(t.zeroPoint)}});
  }
  return list;
}

std::string yarrow::python::Executable::json() const {
  const runtime::Provenance &origin = program()->provenance();
  Json layers = Json::array();
  for (std::size_t i = 0; i < origin.layers.size(); ++i)
    if (const auto &layer = origin.layers[i]; program()->hasLayer(i))
      layers.push_back({{"name", layer.name},
                        {"type", layer.type},
                        {"file", layer.file},
                        {"line", layer.line},
                        {"macs", layer.macs}});
  Json all = {{"model", origin.model},
              {"target", origin.target},
              {"inputs", tensorsJson(program()->inputs())},
              {"outputs", tensorsJson(program()->outputs())},
              {"states", tensorsJson(program()->states())},
              {"layers", std::move(layers)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}
