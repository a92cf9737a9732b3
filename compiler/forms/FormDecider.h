//===- FormDecider.h - Chooses the form of every layer --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Knows the layers of a network, the forms each may have, and what each form
// costs its result; searches the fastest harmless choice; and fills in the
// table why.
//
//   FormDecider decider(forms, /*isInteger=*/false, search, decision);
//   decider.addRows(network, isWanted);
//   decider.setLosses(form, losses); ...
//   auto chosen = decider.choose({direct, inForm1}, compareOutputs);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_FORMDECIDER_H
#define YARROW_COMPILER_FORMS_FORMDECIDER_H

#include "compiler/forms/FormSearch.h"
#include "compiler/forms/FormSearchTask.h"

namespace yarrow {

class FormDecider {
public:
  /// Of \p thought those are used that the machine has, and \p decision gets
  /// their names, from 1 on. \p isInteger: the network came so.
  FormDecider(std::vector<const LayerForm *> thought, bool isInteger,
              const FormSearchTask &search, FormDecision &decision);

  /// Forms, by their number less 1.
  const std::vector<const LayerForm *> &forms() const { return used; }
  /// All layers that forms are for, in an order that quantization keeps.
  std::vector<mlir::Operation *> layersOf(mlir::ModuleOp module) const;

  using IsWanted =
      std::function<bool(const LayerForm &, mlir::Operation *layer)>;
  /// The layers of \p network, and which forms they may have.
  void addRows(mlir::ModuleOp network, const IsWanted &isWanted);
  /// May any layer be changed?
  bool hasCandidates() const;
  bool isAllowed(std::size_t layer, uint8_t form) const;
  /// Forbids \p form to the layers that \p network has direct all the same.
  void forbidDirect(mlir::ModuleOp network, uint8_t form);
  /// What layers lose in \p form; of an exact form, nothing.
  void setLosses(uint8_t form, const std::vector<FormLoss> &losses);

  /// Compares the outputs of a choice with those of the direct network.
  using CompareOutputs =
      std::function<std::optional<std::vector<FormOutput>>(mlir::ModuleOp)>;

  /// The network of the best choice. \p networks has each form in all its
  /// layers; the first is direct. \p compare is null if the outputs stay as
  /// they are. Null after errors.
  mlir::OwningOpRef<mlir::ModuleOp>
  choose(const std::vector<mlir::ModuleOp> &networks,
         const CompareOutputs &compare);

private:
  std::string obstacle(const LayerForm &form, mlir::Operation *layer,
                       const IsWanted &isWanted) const;
  void count(mlir::Operation *layer);
  void forbid(std::size_t layer, uint8_t form, const std::string &reason);
  double lossOf(std::size_t layer, uint8_t form) const;
  double outputLossDb() const;
  void forbidHarmful();
  void forbidMostHarmful(const FormChoice &choice);
  /// One form wherever it is allowed; 0 is none.
  FormChoice everywhere(uint8_t form) const;
  mlir::OwningOpRef<mlir::ModuleOp>
  mixed(const std::vector<mlir::ModuleOp> &networks,
        const FormChoice &choice) const;
  bool fillFigures(const std::vector<mlir::ModuleOp> &networks,
                   FormSearch &search);
  std::optional<NetworkCycles> measure(mlir::ModuleOp network) const;
  std::optional<FormChoice> find(FormSearch &search) const;
  bool explain(const FormChoice &chosen, FormSearch &search);
  bool giveReason(std::size_t layer, const FormChoice &chosen,
                  FormSearch &search);

  /// Those of the network's kind, and those among them that the machine has.
  const std::vector<const LayerForm *> thought;
  std::vector<const LayerForm *> used;
  bool isInteger;
  const FormSearchTask &task;
  FormDecision &decision;
  FormSearch::Allowed allowed;
};

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_FORMDECIDER_H
