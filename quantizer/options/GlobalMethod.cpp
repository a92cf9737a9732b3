//===- GlobalMethod.cpp - Methods of global_calibration -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/options/GlobalMethod.h"

#include "quantizer/options/GlobalMethodKind.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

using namespace yarrow;

std::span<const GlobalMethod::Record> GlobalMethod::records() {
  static constexpr Record kRecords[] = {
#define METHOD(KIND, NAME, STAGE, PARAMETERS, DOC)                             \
  {GlobalMethodKind::KIND, NAME, Stage::STAGE, PARAMETERS, DOC},
#include "quantizer/options/GlobalMethods.def"
  };
  return kRecords;
}

std::vector<GlobalMethod::Parameter>
GlobalMethod::Record::listParameters() const {
  std::vector<Parameter> list;
  std::string_view rest = parameters;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    std::size_t equals = one.find('=');
    std::string number(one.substr(equals + 1));
    list.push_back({std::string(one.substr(0, equals)),
                    std::strtod(number.c_str(), nullptr)});
  }
  return list;
}

const GlobalMethod::Record *GlobalMethod::find(std::string_view name) {
  for (const Record &record : records())
    if (record.name == name)
      return &record;
  return nullptr;
}

std::string GlobalMethod::names() {
  std::string text;
  for (const Record &record : records())
    text += (text.empty() ? "" : ", ") + std::string(record.name);
  return text;
}

std::optional<GlobalMethod>
GlobalMethod::create(std::string_view name, std::span<const double> values) {
  GlobalMethod method;
  method.record = find(name);
  if (!method.record)
    return std::nullopt;
  for (const Parameter &parameter : method.record->listParameters())
    method.values.push_back(parameter.byDefault);
  if (values.size() > method.values.size())
    return std::nullopt;
  std::copy(values.begin(), values.end(), method.values.begin());
  return method;
}

double GlobalMethod::value(std::string_view parameter) const {
  std::vector<Parameter> list = record->listParameters();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == parameter)
      return values[i];
  assert(false && "the method has no such parameter");
  return 0;
}
