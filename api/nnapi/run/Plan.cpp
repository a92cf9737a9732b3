//===- Plan.cpp - How a model is run, and what is kept for it -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Plan.h"
#include "parser/nnapi/CheckModel.h"
#include <algorithm>
#include <cassert>

using namespace yarrow;
using namespace yarrow::nnapi;

Plan::Plan(std::shared_ptr<const NnModel> model,
           std::shared_ptr<Backend> backend, Plans &plans)
    : nn(std::move(model)), backend(std::move(backend)) {
  auto order = orderOf(*nn);
  assert(order && "a model without cycles");
  for (NnStep &step : stepsOf(*nn, *order))
    parts.push_back(make(std::move(step)));
  for (const auto &referenced : nn->referenced)
    inners.push_back(&plans.of(referenced));
}

Plan::Part Plan::make(NnStep step) const {
  Part part{std::move(step), nullptr};
  if (part.step.kind == NnStep::Kind::If ||
      part.step.kind == NnStep::Kind::While)
    return part;
  std::set<std::size_t> frozen;
  for (std::size_t i = 0; i < part.step.inputs.size(); ++i)
    if (part.step.frozen.contains(part.step.inputs[i]))
      frozen.insert(i);
  part.programs = std::make_unique<PartPrograms>(partOf(*nn, part.step),
                                                 std::move(frozen), backend);
  return part;
}

std::vector<Plan::Part> &Plan::aloneOf(Part &part) {
  std::lock_guard lock(mutex);
  if (part.alone.empty())
    for (std::size_t operation : part.step.operations)
      part.alone.push_back(make(stepOf(*nn, operation)));
  return part.alone;
}

bool Plan::prepare(DiagnosticEngine &diags) {
  bool ok = true;
  for (Part &part : parts) {
    auto isKnown = [&](std::uint32_t input) {
      return nn->operands[input].isStatic();
    };
    if (!part.programs || !part.step.frozen.empty() ||
        !std::ranges::all_of(part.step.inputs, isKnown))
      continue;
    std::vector<Value> inputs;
    // Programs ask for lengths and whether there are bytes, not for values.
    static const std::byte any[1] = {};
    for (std::uint32_t input : part.step.inputs)
      inputs.push_back({nn->operands[input].dims, any});
    ok &= part.programs->find(inputs, diags) != nullptr;
  }
  return ok;
}

Plan &Plans::of(const std::shared_ptr<const NnModel> &model) {
  auto [place, isNew] = places.try_emplace(model.get(), list.size());
  if (isNew) {
    list.emplace_back(); // its own come behind it
    list[place->second] = std::make_unique<Plan>(model, backend, *this);
  }
  return *list[place->second];
}

bool Plans::prepare(DiagnosticEngine &diags) {
  bool ok = true;
  for (const std::unique_ptr<Plan> &plan : list)
    ok &= plan->prepare(diags);
  return ok;
}
