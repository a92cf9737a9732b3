//===- Form.h - Another way to compute a layer ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer of an integer network can be computed directly or in other forms, as
// a convolution with Winograd's transformed weights. A form says which layers
// can have it, makes the network in which given layers have it, and measures
// what that costs their results. What it costs in cycles is a question to whole
// networks with any mixture of forms: FormCost. The search (ChooseForms.h)
// knows forms by this interface alone, and Forms.cpp lists them.
//
//   class Int4Weights : public LayerForm {
//     std::string name() const override { return "int4"; }
//     bool isCandidate(mlir::Operation *op) const override { ... }
//     mlir::OwningOpRef<mlir::ModuleOp> apply(...) const override { ... }
//     ...
//   };
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_FORM_H
#define YARROW_COMPILER_FORMS_FORM_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quantizer/Quantizer.h"
#include "quantizer/metrics/FormLoss.h"
#include "runtime/Report.h"
#include "support/Npy.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

/// Forms of one idea, as people know it.
struct FormFamily {
  const char *name;   ///< "Winograd"
  const char *layers; ///< What it is for: "convolutions".
  // Why a layer stays as it is:
  const char *unsuitable; ///< By what it computes.
  const char *unwanted;   ///< By the configuration.
  const char *given;      ///< The IR has it in such a form.
  const char *direct;     ///< apply() left it.
  /// Of the unsuitable ones together: "have another window than 3x3".
  const char *others;
};

/// The float network that an integer one was made of.
struct FloatOrigin {
  mlir::ModuleOp network; ///< Cleaned, with layer ids.
  const Calibration &calibration;
  const QuantizerOptions &options;
  const std::vector<NpyView> &samples;
};

/// The network whose layers get a form.
struct FormInput {
  mlir::ModuleOp direct;     ///< In integers, every layer direct.
  const FloatOrigin *origin; ///< Null if it came in integers.
};

/// A layer in both.
struct FormLayer {
  mlir::Operation *direct;
  mlir::Operation *floating; ///< Null if it came in integers.
};

class LayerForm {
public:
  virtual ~LayerForm() = default;

  virtual std::string name() const = 0;
  virtual const FormFamily &family() const = 0;
  /// It gives the direct form's bytes, and can be made of integers alone.
  virtual bool isExact() const { return false; }

  /// Does \p machine compute it any better than the direct form?
  virtual bool isOn(const isa::Machine &machine) const = 0;
  /// If not: why. Weights may be integers already.
  virtual std::string whyNotOn(const isa::Machine &machine,
                               bool isInteger) const = 0;

  /// Is \p layer of the kind that the family is for?
  virtual bool concerns(mlir::Operation *layer) const = 0;
  /// Can \p layer, of a float network or of an integer one, have the form?
  virtual bool isCandidate(mlir::Operation *layer) const = 0;
  /// Is \p layer in a form of the family?
  virtual bool isIn(mlir::Operation *layer) const = 0;

  /// A network with \p layers in this form and all others direct; those for
  /// which it turns out not to be possible stay direct. Layers keep their order
  /// and the types of their results. Null after errors.
  virtual mlir::OwningOpRef<mlir::ModuleOp>
  apply(const FormInput &input, const std::vector<FormLayer> &layers,
        DiagnosticEngine &diags) const = 0;

  /// What the layers that \p changed has in this form lose of their results;
  /// nothing if it is exact. The default compares with the float layers on
  /// calibration samples. Nullopt after errors.
  virtual std::optional<std::vector<FormLoss>>
  loss(const FormInput &input, mlir::ModuleOp changed,
       DiagnosticEngine &diags) const;
};

/// The cycles of an integer network, whatever the forms of its layers. Nullopt
/// after errors.
using FormCost =
    std::function<std::optional<runtime::Report>(mlir::ModuleOp network)>;

/// All forms, the better ones of a family last.
std::span<const LayerForm *const> layerForms();

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_FORM_H
