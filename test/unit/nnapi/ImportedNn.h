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
#include "parser/nnapi/NnapiImport.h"
#include "quantizer/prequantized/Prequantized.h"
#include "support/diagnostics/Import.h"
#include "test/ImportedModule.h"
#include <gmock/gmock.h>

namespace yarrow::test {

/// A model as it is computed: in integers where its operands are.
struct ImportedNn : ImportedModule {
  explicit ImportedNn(const nnapi::NnModel &model) {
    module = nnapi::importNnModel(context, model, {}, diags);
    if (module && compass::isCompat(*module) &&
        !convertPrequantized(*module, {}, diags))
      module = nullptr;
  }
};

/// Whether the import says that there is no such operation.
inline bool isBad(const nnapi::NnModel &model) {
  ImportedNn net(model);
  const auto &all = net.diags.all();
  return !net.module && !all.empty() && all.front().id == diag::ImportBadNode;
}

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_NNAPI_IMPORTEDNN_H
