//===- Module.cpp - yarrow._native ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The functions that the package's Python files are made of. Not for users:
// docs/python.md says what is.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Program.h"
#include "isa/Machine.h"
#include "python/native/Executable.h"
#include "python/native/Interruptible.h"
#include "python/native/Model.h"
#include "python/native/Raise.h"
#include "python/native/TextGenerator.h"
#include "simulator/device/Device.h"
#include "support/ReadFiles.h"
#include "support/ThreadPool.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mutex>
#include <span>

namespace py = pybind11;
using namespace yarrow;
using namespace yarrow::python;

// Commands set what the program sets once, such as the number of threads.
static std::mutex commandMutex;
static unsigned threadCount = 0;

namespace {
/// What a command sets by --threads ends with it.
struct ThreadsOfCommand {
  ~ThreadsOfCommand() { setDefaultThreadCount(threadCount); }
};
} // namespace

/// (exit code, what it printed, diagnostics as JSON, and as text, of errors
/// alone if there are any)
static py::tuple runCommand(const std::vector<std::string> &arguments) {
  std::string output, json, text;
  int code = 0;
  {
    py::gil_scoped_release released;
    std::lock_guard lock(commandMutex);
    Driver driver;
    driver.capture = &output;
    forgetReadFiles();
    ThreadsOfCommand threads;
    code = interruptible([&] { return runCommandLine(arguments, driver); });
    json = jsonOf(driver.diags);
    text = textOf(driver.diags, driver.diags.hasErrors());
  }
  // A program that is simulated may print any bytes.
  return py::make_tuple(code, py::bytes(output), py::bytes(json),
                        py::bytes(text));
}

/// `python -m yarrow`: prints as the program does. The exit code.
static int runProgram(const std::vector<std::string> &arguments) {
  py::gil_scoped_release released;
  std::lock_guard lock(commandMutex);
  Driver driver;
  return runCommandLine(arguments, driver);
}

static void setThreads(unsigned threads) {
  std::lock_guard lock(commandMutex);
  threadCount = threads;
  setDefaultThreadCount(threads);
}

static std::string targetJson(const std::string &name) {
  DiagnosticEngine diags;
  auto machine = isa::findTarget(name, diags);
  raiseIf(!machine, diags);
  return machine->toJson();
}

using Settings = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

/// Texts by name as the fields of a step's settings. Throws Raised.
template <typename Fields>
static Fields fieldsOf(const Settings &settings,
                       bool (*set)(const std::string &, const std::string &,
                                   Fields &, DiagnosticEngine &)) {
  Fields fields;
  DiagnosticEngine diags;
  for (const auto &[key, value] : settings)
    if (!set(key, value, fields, diags))
      break;
  raiseIf(false, diags);
  return fields;
}
static session::QuantizeSettings quantizeSettings(const Settings &settings) {
  return fieldsOf(settings, session::setQuantize);
}
static session::CompileSettings compileSettings(const Settings &settings) {
  return fieldsOf(settings, session::setCompile);
}

static void addModel(py::module_ &module) {
  py::class_<Model, std::shared_ptr<Model>>(module, "Model")
      .def_static("load",
                  [](const std::string &path, const std::string &weights,
                     const Texts &shapes, const Texts &ranges,
                     const Texts &states, const std::string &rounding) {
                    session::ModelSource source{path, weights};
                    source.shapes = shapes;
                    source.shapeRanges = ranges;
                    source.states = states;
                    return Model::load(std::move(source), rounding);
                  })
      .def_static("load_bytes",
                  [](const std::string &content, const std::string &weights,
                     const Texts &shapes, const Texts &ranges,
                     const Texts &states, const std::string &rounding) {
                    session::ModelSource source{"model"};
                    source.bytes = std::as_bytes(std::span(content));
                    if (!weights.empty())
                      source.weightBytes = std::as_bytes(std::span(weights));
                    source.shapes = shapes;
                    source.shapeRanges = ranges;
                    source.states = states;
                    return Model::load(std::move(source), rounding);
                  })
      .def("quantize",
           [](const std::shared_ptr<Model> &model, const Settings &settings,
              const NamedArrays &data) {
             return Model::quantize(model, quantizeSettings(settings), data);
           })
      .def("compile",
           [](Model &model, const Settings &settings,
              const std::vector<std::string> &disabledPasses) {
             auto compile = compileSettings(settings);
             compile.disabledPasses = disabledPasses;
             return model.compile(compile);
           })
      .def("save", &Model::save)
      .def("evaluate", &Model::evaluate)
      .def("addresses_of", &Model::addressesOf)
      .def("mlir", &Model::mlir)
      .def("tensors_json", &Model::tensorsJson)
      .def_property_readonly("name", &Model::name)
      .def_property_readonly("path", &Model::path)
      .def_property_readonly("is_quantized", &Model::isQuantized)
      .def_readonly("report_json", &Model::reportJson)
      .def_readonly("diagnostics_json", &Model::diagnosticsJson);
}

static void addExecutable(py::module_ &module) {
  using yarrow::python::Executable;
  py::class_<Executable, std::shared_ptr<Executable>>(module, "Executable",
                                                      py::buffer_protocol())
      .def_static("open", &Executable::open)
      .def_static("make",
                  [](const py::bytes &bytes, const std::string &name) {
                    return Executable::make(bytes, name);
                  })
      .def("save", &Executable::save)
      .def("json", &Executable::json)
      .def_readonly("summary_json", &Executable::summaryJson)
      .def_readonly("diagnostics_json", &Executable::diagnosticsJson)
      .def_buffer([](Executable &executable) {
        std::string_view bytes = executable.bytes();
        return py::buffer_info(reinterpret_cast<const uint8_t *>(bytes.data()),
                               py::ssize_t(bytes.size()));
      });
}

static void addSession(py::module_ &module) {
  using yarrow::python::Executable;
  using yarrow::python::Session;
  py::class_<Session, std::shared_ptr<Session>>(module, "Session")
      .def(py::init<std::shared_ptr<Executable>, const std::string &,
                    uint64_t>())
      .def("run",
           [](Session &session, const NamedArrays &data, bool isReal,
              bool isTimed, bool isView,
              const std::map<std::string, std::string> &pictures,
              std::size_t resetEvery) {
             Run run = session.run(
                 data, {isReal, isTimed, isView, pictures, resetEvery});
             return py::make_tuple(run.outputs, py::bytes(run.reportJson));
           })
      .def("states", &Session::states)
      .def("set_states", &Session::setStates)
      .def("reset_states", &Session::resetStates);
  module.attr("DEFAULT_BUDGET") = sim::kDefaultBudget;
}

static void addTextGenerator(py::module_ &module) {
  using yarrow::python::Executable;
  py::class_<TextGenerator>(module, "TextGenerator")
      .def(py::init<const std::string &, const std::shared_ptr<Model> &,
                    const std::shared_ptr<Executable> &, std::size_t,
                    uint64_t>())
      .def("begin",
           [](TextGenerator &texts, const std::string &prompt,
              const std::vector<std::int32_t> &tokens, bool isTokens,
              std::size_t count, double temperature, std::size_t topK,
              uint64_t seed) {
             return texts.begin(prompt, tokens, isTokens,
                                {count, {temperature, topK, seed}});
           })
      .def("next", &TextGenerator::next)
      .def("encode", &TextGenerator::encode)
      .def("text_of",
           [](const TextGenerator &texts, std::int32_t token) {
             return py::bytes(texts.textOf(token));
           })
      .def("costs_json", &TextGenerator::costsJson)
      .def("diagnostics_json", &TextGenerator::diagnosticsJson);
}

PYBIND11_MODULE(_native, module) {
  registerErrors();
  addModel(module);
  addExecutable(module);
  addSession(module);
  addTextGenerator(module);
  module.def("run_command", &runCommand);
  module.def("run_program", &runProgram);
  module.def("options_of", &optionsOfCommand);
  module.def("set_threads", &setThreads);
  module.def("targets", &isa::builtinTargetNames);
  module.def("target_json", &targetJson);
}
