//===- Runs.h - Values for runs of small models -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   CountingBackend backend;
//   ModelRunner runner(model, backend.share());
//   run(runner, {valueOf<float>({2}, {1, 2})});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_NNAPI_RUN_RUNS_H
#define YARROW_TEST_UNIT_NNAPI_RUN_RUNS_H

#include "api/nnapi/run/ModelRunner.h"
#include "test/unit/nnapi/NnModels.h"
#include <atomic>
#include <cstring>

namespace yarrow::test {

template <typename T>
nnapi::Value valueOf(Dims dims, const std::vector<T> &elements) {
  auto bytes = std::as_bytes(std::span(elements));
  return nnapi::Value::of(std::move(dims), {bytes.begin(), bytes.end()});
}

template <typename T> std::vector<T> elementsOf(const nnapi::Value &value) {
  std::vector<T> elements(value.bytes.size() / sizeof(T));
  if (!elements.empty())
    std::memcpy(elements.data(), value.bytes.data(), value.bytes.size());
  return elements;
}

/// The evaluator, with the number of parts that it was given.
class CountingBackend final : public nnapi::Backend {
public:
  std::string name() const override { return "counting"; }
  std::shared_ptr<nnapi::Program> compile(const nnapi::NnModel &part,
                                          DiagnosticEngine &diags) override {
    ++compiled;
    return evaluator->compile(part, diags);
  }
  std::atomic<int> compiled = 0;

private:
  std::shared_ptr<nnapi::Backend> evaluator = nnapi::evaluatorBackend();
};

struct RunResult {
  nnapi::RunStatus status;
  std::vector<nnapi::Value> outputs;
  nnapi::RunNumbers numbers;
  DiagnosticEngine diags;
};

inline void run(nnapi::ModelRunner &runner, std::vector<nnapi::Value> inputs,
                RunResult &result, const nnapi::RunOptions &options = {}) {
  result.status =
      runner.run(inputs, result.outputs, options, result.numbers, result.diags);
}

inline std::shared_ptr<const nnapi::NnModel> shared(nnapi::NnModel model) {
  return std::make_shared<const nnapi::NnModel>(std::move(model));
}

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_NNAPI_RUN_RUNS_H
