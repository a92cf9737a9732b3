//===- ConstantCheck.h - Constants of a whole weights file ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks that need all constants of a model, or their values: constants that
// overlap, numbers that are not finite or outside their type, weights that were
// not written with their text.
//
//   if (!checkDigest(doc.header, bin->bytes(), binPath, doc.fileName, diags))
//     return nullptr;
//   checkOverlap(ranges, doc.fileName, diags);
//   checkValues(*module);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_CONSTANTCHECK_H
#define YARROW_PARSER_COMPASS_CONSTANTCHECK_H

#include "mlir/IR/BuiltinOps.h"
#include "parser/compass/CompassLayerReader.h"
#include <span>

namespace yarrow::compass {

/// Reports constants that share a part of their bytes. To share all of them is
/// to share the constant, which is allowed.
void checkOverlap(std::vector<ConstantRange> ranges,
                  const std::string &fileName, DiagnosticEngine &diags);

/// Reports the layers of \p module with a float constant that holds NaN or an
/// infinity, or one of an aligned type with a value of more bits
/// (LayerError.h), at its first such element. Reads all bytes of all these
/// constants, on all cores.
///
/// An infinity is legal in one place: the data of a Constant layer. -inf where
/// they are added, selected or compared, as attention masks are; +inf where
/// they are selected or compared alone. What a layer multiplies by (weights,
/// biases, slopes, scales, tables) must be finite, or the first zero that meets
/// it makes NaN. NaN is legal nowhere. \p isImported: constants are those of a
/// model of another format, whose names they have.
void checkValues(mlir::ModuleOp module, bool isImported = false);

/// The header key with the digest of the weights file (support/Digest.h) that
/// was written with the text.
inline constexpr llvm::StringLiteral kDigestKey = "weights_digest";

/// Compares the digest of \p header, if it has one, with that of \p weights.
/// \p binPath may be "", if the network has no weights file.
bool checkDigest(const IrSection &header, std::span<const std::byte> weights,
                 const std::string &binPath, const std::string &fileName,
                 DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_CONSTANTCHECK_H
