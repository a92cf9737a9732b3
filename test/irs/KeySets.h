//===- KeySets.h - Whether an IR has the keys of another one ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An IR that we write must have every key that the reference tools write for
// such a layer, with a value of the same kind, since their reader takes many
// keys as given. What the values are is another question: the two were not
// calibrated alike.
//
//   auto missing = missingKeys(reference, written);
//   for (const MissingKey &m : missing)
//     std::cout << m.layerType << ": " << m.key << " " << m.what << "\n";
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_IRS_KEYSETS_H
#define YARROW_TEST_IRS_KEYSETS_H

#include "parser/compass/IrDocument.h"

#include <string>
#include <vector>

namespace yarrow::testing {

struct MissingKey {
  std::string layerType; ///< with the method, "Reduce/MEAN"; "" of a header
  std::string layer, key;
  std::string what; ///< "is missing", "is int, not list of int"
};

/// "int", "list of word" and so on.
std::string kindOf(const compass::IrValue &value);

/// What layers are, "Reduce/MEAN": type and method.
std::string typeOf(const compass::IrSection &layer);

/// Keys of \p theirs that \p ours lacks or has with a value of another kind.
/// Layers are matched by type, method and name; a layer of a name that we do
/// not have is compared with the nearest of its type and method. One whose type
/// and method we do not have at all was merged into another and is left out.
std::vector<MissingKey> missingKeys(const compass::IrDocument &theirs,
                                    const compass::IrDocument &ours);

} // namespace yarrow::testing

#endif // YARROW_TEST_IRS_KEYSETS_H
