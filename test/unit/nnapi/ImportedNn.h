//===- ImportedNn.h - Small models of NNAPI imported for tests --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   ImportedNn net(builder.model);
//   EXPECT_THAT(net.layers(), ElementsAre("Convolution"));
//   net.run<float>({{1, 2, 3}});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_NNAPI_IMPORTEDNN_H
#define YARROW_TEST_UNIT_NNAPI_IMPORTEDNN_H

#include "dialects/compass/Compat.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/network/Evaluator.h"
#include "parser/nnapi/NnapiImport.h"
#include "quantizer/given/Given.h"
#include <cstring>
#include <gmock/gmock.h>

namespace yarrow::test {

/// A model as it is computed: in integers where its operands are.
struct ImportedNn {
  explicit ImportedNn(const nnapi::NnModel &model) {
    module = nnapi::importNnModel(context, model, {}, diags);
    if (module && compass::isCompat(*module) &&
        !convertGiven(*module, {}, diags))
      module = nullptr;
  }

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

  /// Output \p output, whose elements are as those of the inputs.
  template <typename T>
  std::vector<T> run(const std::vector<std::vector<T>> &inputs,
                     std::size_t output = 0) {
    return runAs<T, T>(inputs, output);
  }
  /// Output \p output, of the type \p To.
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

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  DiagnosticEngine diags;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_NNAPI_IMPORTEDNN_H
