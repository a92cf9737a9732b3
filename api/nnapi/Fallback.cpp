//===- Fallback.cpp - The evaluator where the NPU refuses -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Fallback.h"
#include "api/nnapi/Log.h"

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {
class FallbackBackend final : public Backend {
public:
  FallbackBackend(std::shared_ptr<Backend> first,
                  std::shared_ptr<Backend> second)
      : first(std::move(first)), second(std::move(second)) {}

  std::string name() const override { return first->name(); }

  std::shared_ptr<Program> compile(const NnModel &part,
                                   DiagnosticEngine &diags) override {
    DiagnosticEngine refusals;
    if (std::shared_ptr<Program> program = first->compile(part, refusals))
      return program;
    notify(first->name(), refusals);
    notify(first->name(), "this part is computed by " + second->name());
    return second->compile(part, diags);
  }

private:
  std::shared_ptr<Backend> first, second;
};
} // namespace

std::shared_ptr<Backend> nnapi::withFallback(std::shared_ptr<Backend> first,
                                             std::shared_ptr<Backend> second) {
  return std::make_shared<FallbackBackend>(std::move(first), std::move(second));
}
