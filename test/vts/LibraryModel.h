//===- LibraryModel.h - A model by the functions of the library -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   LibraryModel model;
//   int code = model.build(*recorded.model);   // the first that is no 0
//   use(model.get());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_LIBRARYMODEL_H
#define YARROW_TEST_VTS_LIBRARYMODEL_H

#include "api/nnapi/include/yarrow/NeuralNetworks.h"
#include "parser/nnapi/NnModel.h"

namespace yarrow::vts {

class LibraryModel {
public:
  LibraryModel() = default;
  ~LibraryModel() { ANeuralNetworksModel_free(model); }
  LibraryModel(const LibraryModel &) = delete;
  LibraryModel &operator=(const LibraryModel &) = delete;

  /// The code of the first call that failed; \ref call names it.
  int build(const nnapi::NnModel &nn);
  ANeuralNetworksModel *get() const { return model; }

  const char *call = "";

private:
  int addOperand(const nnapi::NnModel &nn, std::uint32_t i);
  int setValue(const nnapi::NnModel &nn, std::uint32_t i);

  ANeuralNetworksModel *model = nullptr;
  std::vector<std::unique_ptr<LibraryModel>> referenced;
};

/// The type of an operand as the library takes it; valid as long as \p dims.
ANeuralNetworksOperandType typeOf(const nnapi::Operand &operand,
                                  const std::vector<std::uint32_t> &dims);

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_LIBRARYMODEL_H
