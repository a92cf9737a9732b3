//===- PartPrograms.cpp - Programs of a part, by lengths and values -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/PartPrograms.h"
#include "parser/nnapi/CheckModel.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

/// Of an optional input that is left out, and of a tensor without elements,
/// which CONCATENATION leaves out.
static bool hasNoBytes(const Value &value) { return value.bytes.empty(); }

std::string PartPrograms::keyOf(std::span<const Value> inputs) const {
  std::string key;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value &value = inputs[i];
    key += hasNoBytes(value) ? '-' : frozen.contains(i) ? '=' : '+';
    for (std::uint32_t length : value.dims)
      key += std::to_string(length) + ",";
    key += ';';
    if (frozen.contains(i))
      key.append(reinterpret_cast<const char *>(value.bytes.data()),
                 value.bytes.size());
  }
  return key;
}

NnModel PartPrograms::bind(std::span<const Value> inputs,
                           std::vector<std::size_t> &kept) const {
  NnModel bound = part;
  bound.inputs.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Operand &operand = bound.operands[part.inputs[i]];
    if (operand.isTensor())
      operand.dims = inputs[i].dims;
    if (hasNoBytes(inputs[i])) {
      operand.lifetime = Lifetime::None;
    } else if (frozen.contains(i)) {
      setValue(operand, inputs[i].bytes);
    } else {
      kept.push_back(i);
      bound.inputs.push_back(part.inputs[i]);
    }
  }
  return bound;
}

std::shared_ptr<const PartProgram>
PartPrograms::compile(std::span<const Value> inputs) {
  auto result = std::make_shared<PartProgram>();
  DiagnosticEngine own;
  NnModel bound = bind(inputs, result->inputs);
  if (checkBoundPart(bound, own))
    result->program = backend->compile(bound, own);
  result->problems.assign(own.all().begin(), own.all().end());
  return result;
}

std::shared_ptr<const PartProgram>
PartPrograms::find(std::span<const Value> inputs, DiagnosticEngine &diags) {
  std::string key = keyOf(inputs);
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex);
    auto it =
        std::ranges::find(entries, key, [](const auto &e) { return e->key; });
    if (it != entries.end()) {
      entries.splice(entries.begin(), entries, it);
    } else {
      entries.push_front(std::make_shared<Entry>());
      entries.front()->key = std::move(key);
      if (entries.size() > kMost)
        entries.pop_back();
    }
    entry = entries.front();
  }
  std::call_once(entry->once, [&] { entry->program = compile(inputs); });
  if (!entry->program->program)
    for (const Diagnostic &problem : entry->program->problems)
      diags.add(problem);
  return entry->program->program ? entry->program : nullptr;
}
