//===- Raise.cpp - Diagnostics as an exception of Python ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "python/native/Raise.h"
#include "compiler/driver/DiagnosticPrinter.h"
#include "support/diagnostics/Settings.h"

#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>

namespace py = pybind11;
using namespace yarrow;

std::string yarrow::python::jsonOf(const DiagnosticEngine &diags) {
  using Json = nlohmann::ordered_json;
  return diagnosticsJson(diags).dump(-1, ' ', false,
                                     Json::error_handler_t::replace);
}

std::string yarrow::python::textOf(const DiagnosticEngine &diags,
                                   bool errorsOnly) {
  DiagnosticPrinter printer({.useColor = false, .columns = 100});
  std::string text;
  for (const Diagnostic &diagnostic : diags.all())
    if (!errorsOnly || diagnostic.isError())
      text += (text.empty() ? "" : "\n") + printer.text(diagnostic);
  return text;
}

python::Raised::Raised(const DiagnosticEngine &diags)
    : json(jsonOf(diags)), text(textOf(diags, /*errorsOnly=*/true)) {}

void yarrow::python::raiseIf(bool isFailed, const DiagnosticEngine &diags) {
  if (isFailed || diags.hasErrors())
    throw Raised(diags);
}

void yarrow::python::raiseUsage(std::string message, std::string hint) {
  DiagnosticEngine diags;
  diags.report(diag::UsageInvalid, {}, std::move(message))
      .hint(std::move(hint));
  throw Raised(diags);
}

/// Names of files may be anything.
static py::str asText(const std::string &bytes) {
  return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
      bytes.data(), Py_ssize_t(bytes.size()), "backslashreplace"));
}

void yarrow::python::registerErrors() {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      std::rethrow_exception(std::move(pointer));
    } catch (const Raised &raised) {
      py::object error =
          py::module_::import("yarrow._errors")
              .attr("error_of")(raised.json, asText(raised.text));
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                      error.ptr());
    }
  });
}
