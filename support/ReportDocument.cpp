//===- ReportDocument.cpp - The JSON document of every command ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/ReportDocument.h"

using namespace yarrow;

std::string ReportDocument::text() const {
  auto nameOrNull = [](const std::string &name) {
    return name.empty() ? Json() : Json(name);
  };
  Json root{{"schema", "yarrow-report"},
            {"schema_version", kVersion},
            {"yarrow_version", YARROW_VERSION},
            {"command", command},
            {"model", nameOrNull(model)},
            {"target", nameOrNull(target)},
            {"files", {{"read", read}, {"written", written}}},
            {"pictures", pictures},
            {"quantization", quantization},
            {"diagnosis", diagnosis},
            {"search", search},
            {"sweep", sweep},
            {"winograd", winograd},
            {"performance", performance},
            {"accuracy", accuracy},
            {"gates", gates},
            {"comparison", comparison},
            {"bisection", bisection},
            {"entries_in_use", entriesInUse},
            {"diagnostics", diagnostics}};
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
