//===- Plan.h - How a model is run, and what is kept for it -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The steps of a model and of the models that it refers to, with the programs
// that were compiled for them. Shared by all runs of a compilation.
//
//   Plans plans(backend);
//   Plan &plan = plans.of(model);
//   plans.prepare(diags);
//   plan.parts[0].step; plan.parts[0].programs->find(inputs, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_PLAN_H
#define YARROW_API_NNAPI_RUN_PLAN_H

#include "api/nnapi/run/PartPrograms.h"
#include "api/nnapi/run/Parts.h"

namespace yarrow::nnapi {

class Plans;

class Plan {
public:
  struct Part {
    NnStep step;
    std::unique_ptr<PartPrograms> programs; ///< Null of control flow.
    /// The same of each operation alone, made when a run has tensors without
    /// elements.
    std::vector<Part> alone = {};
  };

  /// Those of the models that it refers to are in \p plans.
  Plan(std::shared_ptr<const NnModel> model, std::shared_ptr<Backend> backend,
       Plans &plans);

  /// Compiles the parts whose inputs' lengths the model states and whose
  /// layers need no value of a run. False after errors.
  bool prepare(DiagnosticEngine &diags);

  const NnModel &model() const { return *nn; }
  /// Of a referenced model.
  Plan &inner(std::uint32_t modelIndex) { return *inners[modelIndex]; }
  /// The operations of \p part, each a part.
  std::vector<Part> &aloneOf(Part &part);

  std::vector<Part> parts;

private:
  Part make(NnStep step) const;

  std::shared_ptr<const NnModel> nn;
  std::shared_ptr<Backend> backend;
  std::vector<Plan *> inners;
  std::mutex mutex; ///< Of Part::alone.
};

/// Of a model and all that it refers to: each has one, however many operations
/// share it.
class Plans {
public:
  explicit Plans(std::shared_ptr<Backend> backend)
      : backend(std::move(backend)) {}

  /// Made with those of the models that it refers to.
  Plan &of(const std::shared_ptr<const NnModel> &model);
  /// Prepares all; false after errors.
  bool prepare(DiagnosticEngine &diags);

private:
  std::shared_ptr<Backend> backend;
  std::map<const NnModel *, std::size_t> places; ///< In the list.
  std::vector<std::unique_ptr<Plan>> list; ///< What refers to one before it.
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_PLAN_H
