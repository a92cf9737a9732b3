//===- WinogradDecider.h - Chooses the form of every convolution ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Knows the convolutions of a network, the forms each may have, and what each
// form costs its result; searches the fastest harmless choice; and fills in the
// table why.
//
//   WinogradDecider decider(machine, options, driver, decision);
//   for (mlir::Operation *conv : convolutionsOf(network))
//     decider.addRow(conv, isSuitable(conv), "");
//   decider.setLoss(form, loss); ...
//   auto chosen = decider.choose({direct, inForm1}, compareOutputs);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_WINOGRADDECIDER_H
#define YARROW_COMPILER_DRIVER_WINOGRADDECIDER_H

#include "compiler/driver/WinogradDecision.h"
#include "compiler/driver/WinogradSearch.h"
#include "quantizer/WinogradLoss.h"

namespace yarrow {

/// All convolutions, in an order that quantization keeps.
std::vector<mlir::Operation *> convolutionsOf(mlir::ModuleOp module);

class WinogradDecider {
public:
  /// \p decision has its target, settings and forms.
  WinogradDecider(const isa::Machine &machine, const CompileOptions &options,
                  Driver &driver, WinogradDecision &decision)
      : machine(machine), options(options), driver(driver), decision(decision) {
  }

  /// Adds \p conv. If it has the window and there is no \p obstacle it may have
  /// every form.
  void addRow(mlir::Operation *conv, bool isSuitable, std::string obstacle);
  /// May any layer be changed?
  bool hasCandidates() const;
  bool isCandidate(std::size_t layer) const { return !allowed[layer].empty(); }
  /// Forbids \p form to the layers that \p network has direct all the same.
  void forbidDirect(mlir::ModuleOp network, uint8_t form);
  void setLoss(uint8_t form, const WinogradLoss &loss);
  /// \p form gives the bytes of the direct one.
  void setExact(uint8_t form);

  /// Compares the outputs of a choice with those of the direct network.
  using CompareOutputs =
      std::function<std::optional<std::vector<WinogradOutput>>(mlir::ModuleOp)>;

  /// The network of the best choice. \p networks has each form in all its
  /// layers; the first is direct. \p compare is null if the outputs stay as
  /// they are. Null after errors.
  mlir::OwningOpRef<mlir::ModuleOp>
  choose(const std::vector<mlir::ModuleOp> &networks,
         const CompareOutputs &compare);

private:
  void forbid(std::size_t layer, uint8_t form, const std::string &reason);
  double lossOf(std::size_t layer, uint8_t form) const;
  double outputLossDb() const;
  void forbidHarmful();
  void forbidMostHarmful(const FormChoice &choice);
  /// One form wherever it is allowed; 0 is none.
  FormChoice everywhere(uint8_t form) const;
  bool fillFigures(const std::vector<mlir::ModuleOp> &networks,
                   WinogradSearch &search);
  std::optional<NetworkCycles> measure(mlir::ModuleOp network) const;
  std::optional<FormChoice> search(WinogradSearch &search);
  bool explain(const FormChoice &chosen, WinogradSearch &search);
  bool giveReason(std::size_t layer, const FormChoice &chosen,
                  WinogradSearch &search);

  const isa::Machine &machine;
  const CompileOptions &options;
  Driver &driver;
  WinogradDecision &decision;
  WinogradSearch::Allowed allowed;
};

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_WINOGRADDECIDER_H
