//===- ConstantCheck.cpp - Constants of a whole weights file --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/ConstantCheck.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "support/Digest.h"
#include "support/Format.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Ir.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

void compass::checkOverlap(std::vector<ConstantRange> ranges,
                           const std::string &fileName,
                           yarrow::DiagnosticEngine &diags) {
  llvm::erase_if(ranges, [](const ConstantRange &r) { return !r.sizeBytes; });
  llvm::stable_sort(ranges, [](const ConstantRange &a, const ConstantRange &b) {
    return std::tie(a.offsetBytes, a.sizeBytes) <
           std::tie(b.offsetBytes, b.sizeBytes);
  });
  auto text = [](const ConstantRange &r) {
    return std::to_string(r.offsetBytes) + " to " +
           std::to_string(r.offsetBytes + r.sizeBytes) + " (" + r.name +
           " of layer " + r.layer->layerName() + ", line " +
           std::to_string(r.line) + ")";
  };
  // The range that reaches farthest so far is the one a later range may touch.
  const ConstantRange *farthest = nullptr;
  for (const ConstantRange &r : ranges) {
    if (farthest &&
        r.offsetBytes < farthest->offsetBytes + farthest->sizeBytes &&
        (r.offsetBytes != farthest->offsetBytes ||
         r.sizeBytes != farthest->sizeBytes))
      diags
          .report(diag::IrOverlap, {fileName, r.line, r.layer->layerName()},
                  "the constant " + r.name + " overlaps " + farthest->name +
                      " of layer " + farthest->layer->layerName())
          .found("bytes " + text(r) + " and " + text(*farthest))
          .expected("ranges that do not overlap, or equal ranges of a shared "
                    "constant")
          .hint("check the offsets, and that text and weights file come from "
                "the same run");
    if (!farthest || r.offsetBytes + r.sizeBytes >
                         farthest->offsetBytes + farthest->sizeBytes)
      farthest = &r;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
/// Which of them a constant may hold.
struct Infinities {
  bool negative = false, positive = false;
};

/// A constant of floats, or of an aligned type, and where its first bad element
/// is.
struct ScannedConstant {
  Operation *op;
  std::string name;
  ConstantView view;
  Infinities allowed;
  int64_t firstBad = -1;
};

/// A part of a constant that one thread looks at.
struct Part {
  size_t constant;
  int64_t begin, end; ///< Elements.
  int64_t firstBad = -1;
};
} // namespace

/// Index of the first element in [begin, end) whose bits without the sign reach
/// \p infinity and are not an infinity that is \p allowed, or -1: the exponent
/// alone set is an infinity, anything above it NaN. In blocks without a branch,
/// which the compiler vectorizes: it runs over all weights of a model.
template <typename Bits>
static int64_t firstNotFinite(const char *bytes, int64_t begin, int64_t end,
                              Bits infinity, Infinities allowed) {
  constexpr int64_t kBlock = 4096;
  constexpr Bits kMagnitude = Bits(~Bits(0)) >> 1;
  // Without permission, what can never be: a value that is no infinity.
  const Bits negative =
      allowed.negative ? Bits(Bits(~kMagnitude) | infinity) : Bits(0);
  const Bits positive = allowed.positive ? infinity : Bits(0);
  auto isBad = [&](int64_t i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * int64_t(sizeof(Bits)), sizeof(Bits));
    return (Bits(bits & kMagnitude) >= infinity) & (bits != negative) &
           (bits != positive);
  };
  for (; begin < end; begin += kBlock) {
    int64_t blockEnd = std::min(end, begin + kBlock);
    bool found = false;
    for (int64_t i = begin; i < blockEnd; ++i)
      found |= isBad(i);
    for (int64_t i = begin; found && i < blockEnd; ++i)
      if (isBad(i))
        return i;
  }
  return -1;
}

/// Integers of 4 or 12 bits in elements that could hold more.
static int64_t firstOutOfType(const ConstantView &view, int64_t begin,
                              int64_t end) {
  auto [least, most] = dtypeRange(view.storedType());
  for (int64_t i = begin; i < end; ++i)
    if (int64_t value = view.intAt(i); value < least || value > most)
      return i;
  return -1;
}

static int64_t firstBadOf(const ScannedConstant &c, int64_t begin,
                          int64_t end) {
  if (c.view.alignedBits)
    return firstOutOfType(c.view, begin, end);
  const char *bytes = c.view.bytes.data();
  auto scan = [&](auto infinity) {
    return firstNotFinite(bytes, begin, end, infinity, c.allowed);
  };
  switch (c.view.dtype) {
  case DType::F16:
    return scan(uint16_t(0x7c00));
  case DType::BF16:
    return scan(uint16_t(0x7f80));
  case DType::F64:
    return scan(uint64_t(0x7ff0000000000000));
  default:
    return scan(uint32_t(0x7f800000));
  }
}

static bool isOneOf(Operation *op, ArrayRef<StringRef> layerTypes) {
  const OperatorRecord *record = recordOf(op);
  return record && llvm::is_contained(layerTypes, record->layerType);
}

static bool hasMethod(Operation *op, ArrayRef<StringRef> methods) {
  auto method = op->getAttrOfType<StringAttr>("method");
  return method && llvm::is_contained(methods, method.getValue().upper());
}

/// What those who read \p value, moved or not, do with an infinity: a product
/// with 0 is NaN, a sum of both signs too, and who only chooses takes any.
static Infinities allowedBy(Value value) {
  Infinities allowed{true, true};
  for (Operation *user : value.getUsers()) {
    if (isOneOf(user, {"Reshape", "Transpose", "Tile", "Slice", "Cast"})) {
      Infinities after = allowedBy(user->getResult(0));
      allowed.negative &= after.negative;
      allowed.positive &= after.positive;
      continue;
    }
    bool isEltwise = isOneOf(user, {"Eltwise"});
    if (isOneOf(user, {"MatMul", "Div"}) ||
        (isEltwise && hasMethod(user, {"MUL"})))
      allowed.negative = false;
    if (!isOneOf(user, {"Where", "Logical"}) &&
        !(isEltwise && hasMethod(user, {"MIN", "MAX"})))
      allowed.positive = false;
  }
  return allowed;
}

static std::vector<ScannedConstant> scannedConstants(ModuleOp module) {
  std::vector<ScannedConstant> constants;
  module.walk([&](CompassOp layer) {
    Operation *op = layer;
    auto add = [&](NamedAttribute named) {
      auto attr = dyn_cast<ElementsAttr>(named.getValue());
      auto view = attr ? viewConstant(attr) : std::nullopt;
      if (!view || !(dtypeIsFloat(view->dtype) || view->alignedBits))
        return;
      StringRef name = named.getName().strref();
      bool isData = isa<ConstantOp>(op) && name == "weights";
      constants.push_back(
          {op, name.str(), std::move(*view),
           isData ? allowedBy(op->getResult(0)) : Infinities()});
    };
    llvm::for_each(op->getAttrs(), add);
    if (auto extra = op->getAttrOfType<DictionaryAttr>(kExtraConstantsAttr))
      llvm::for_each(extra, add);
  });
  return constants;
}

/// Fills firstBad of every constant.
static void scan(std::vector<ScannedConstant> &constants) {
  constexpr int64_t kPartElements = int64_t(1) << 18; // 1 MB of float32
  std::vector<Part> parts;
  for (size_t i = 0; i < constants.size(); ++i)
    for (int64_t begin = 0, count = constants[i].view.numElements();
         begin < count; begin += kPartElements)
      parts.push_back({i, begin, std::min(count, begin + kPartElements)});
  parallelFor(parts.size(), [&](size_t i) {
    Part &part = parts[i];
    part.firstBad = firstBadOf(constants[part.constant], part.begin, part.end);
  });
  for (const Part &part : parts)
    if (ScannedConstant &c = constants[part.constant]; c.firstBad < 0)
      c.firstBad = part.firstBad;
}

static void reportOutOfType(const ScannedConstant &c) {
  auto [least, most] = dtypeRange(c.view.storedType());
  layerError(c.op, diag::IrOutOfType, c.name + "_offset",
             "the constant " + c.name +
                 " holds a value outside the range of its type")
      .found(Twine(c.view.intAt(c.firstBad)) + " at index " +
             Twine(c.firstBad) + " of " + dtypeName(c.view.storedType()))
      .expected(Twine(least) + " to " + Twine(most));
}

/// The name that the constant has in the model that it was imported from.
static std::string sourceNameOf(const ScannedConstant &c) {
  auto attr =
      dyn_cast_or_null<DenseResourceElementsAttr>(c.op->getAttr(c.name));
  return attr ? attr.getRawHandle().getKey().str() : "";
}

void compass::checkValues(ModuleOp module, bool isImported) {
  std::vector<ScannedConstant> constants = scannedConstants(module);
  scan(constants);
  for (const ScannedConstant &c : constants) {
    if (c.firstBad < 0)
      continue;
    if (c.view.alignedBits) {
      reportOutOfType(c);
      continue;
    }
    double value = c.view.floatAt(c.firstBad);
    std::string source = isImported ? sourceNameOf(c) : "";
    bool isNamed = !source.empty() && source != c.name;
    layerError(c.op, diag::IrNotANumber, c.name + "_offset",
               "the constant " + (isNamed ? source + ", " : "") + c.name +
                   (isNamed ? " of the layer, holds " : " holds ") +
                   (std::isnan(value) ? "NaN" : "an infinity"))
        .found(nonFiniteText(value) + " at index " + Twine(c.firstBad) +
               " of " + Twine(c.view.numElements()) + ", element " +
               indexText(uint64_t(c.firstBad), c.view.shape))
        .expected(c.allowed.negative ? "finite numbers, or -inf in a mask"
                                     : "finite numbers")
        .hint(isImported ? "check that training did not diverge, and that the "
                           "weights fit the type that they were exported in"
                         : "check that training did not diverge, and that the "
                           "weights file belongs to the text");
  }
}

//===----------------------------------------------------------------------===//
// Digest
//===----------------------------------------------------------------------===//

static bool isDigest(StringRef text) {
  return text.consume_front("xxh3:") && text.size() == 16 &&
         text.find_first_not_of("0123456789abcdef") == StringRef::npos;
}

bool compass::checkDigest(const IrSection &header,
                          std::span<const std::byte> weights,
                          const std::string &binPath,
                          const std::string &fileName,
                          yarrow::DiagnosticEngine &diags) {
  const IrEntry *entry = header.find(kDigestKey);
  if (!entry)
    return true;
  std::string stated = entry->value.str();
  Place place{fileName, entry->line};
  if (!isDigest(stated)) {
    diags
        .report(diag::IrBadValue, place,
                "the key weights_digest has a wrong value")
        .found(stated)
        .expected("xxh3: and 16 hexadecimal digits, or no key weights_digest");
    return false;
  }
  std::string_view bytes(reinterpret_cast<const char *>(weights.data()),
                         weights.size());
  std::string found = digestText(digestOf(bytes));
  if (found == stated)
    return true;
  diags
      .report(
          diag::IrDigestMismatch, place,
          binPath.empty()
              ? "the weights file that was written with this text is missing"
              : "the weights in " + binPath +
                    " were not written with this text")
      .found(found + " of " + std::to_string(weights.size()) + " bytes")
      .expected(stated)
      .hint("use both files of one run; if you changed the weights on purpose, "
            "remove the line weights_digest");
  return false;
}
