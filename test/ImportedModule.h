//===- ImportedModule.h - A small imported model in a test ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What tests of all formats ask of a module: which layers it has, and what they
// compute. A format's own struct fills \ref module.
//
//   struct Imported : ImportedModule {
//     explicit Imported(...) { module = importModel(context, ..., diags); }
//   };
//   EXPECT_THAT(Imported(...).layers(), ElementsAre("Convolution"));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_IMPORTEDMODULE_H
#define YARROW_TEST_IMPORTEDMODULE_H

#include "dialects/compass/Records.h"
#include "dialects/compass/network/Evaluator.h"
#include <cstring>

namespace yarrow::test {

struct ImportedModule {
  /// Types of all layers but inputs and constants.
  std::vector<std::string> layers() {
    std::vector<std::string> types;
    if (module)
      module->walk([&](mlir::Operation *op) {
        const compass::OperatorRecord *record = compass::recordOf(op);
        if (record && record->layerType != "Input" &&
            record->layerType != "Constant")
          types.push_back(record->layerType.str());
      });
    return types;
  }

  /// Output \p output, of the type \p To; empty after errors.
  template <typename To, typename From>
  std::vector<To> runAs(const std::vector<std::vector<From>> &inputs,
                        std::size_t output = 0) {
    auto evaluator =
        module ? compass::Evaluator::create(*module, diags) : nullptr;
    if (!evaluator)
      return {};
    std::vector<compass::TensorBytesRef> data;
    for (const std::vector<From> &input : inputs)
      data.emplace_back(reinterpret_cast<const char *>(input.data()),
                        input.size() * sizeof(From));
    std::vector<compass::TensorBytes> outputs;
    evaluator->run(data, outputs);
    std::vector<To> values(outputs[output].size() / sizeof(To));
    std::memcpy(values.data(), outputs[output].data(), outputs[output].size());
    return values;
  }
  /// The same of the inputs' type.
  template <typename T>
  std::vector<T> run(const std::vector<std::vector<T>> &inputs,
                     std::size_t output = 0) {
    return runAs<T, T>(inputs, output);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  DiagnosticEngine diags;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace yarrow::test

#endif // YARROW_TEST_IMPORTEDMODULE_H
