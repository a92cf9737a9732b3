//===- Verify.cpp - A layer against its operator's record -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Verify.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WideRequant.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Whether the layer computes with quantized tensors and so has integer
/// parameters. Float IR may hold integers too, such as indices.
bool isQuantizedLayer(Operation *op) {
  return op->getNumResults() != 0 && isIntegerLayer(op) &&
         llvm::any_of(llvm::concat<Value>(op->getOperands(), op->getResults()),
                      [](Value v) { return describe(v).isQuantized(); });
}

/// What of an op is known, and so is checked.
struct Known {
  bool operands = true, results = true;
  /// Keys of which it is known that they are there, if not with which value.
  llvm::function_ref<bool(StringRef)> isUnread = nullptr;

  bool lacks(StringRef key) const { return !isUnread || !isUnread(key); }
};

/// Checks one op; problems are emitted as they are found.
class RecordVerifier {
public:
  RecordVerifier(Operation *op, const OperatorRecord &record, Known known = {})
      : op(op), record(record), known(known), integer(isQuantizedLayer(op)) {}

  LogicalResult verify() {
    // Without results in the record nothing is said about tensors.
    if (!record.outputs.empty()) {
      if (known.operands)
        checkCount(record.inputs, op->getNumOperands(), "inputs",
                   "layer_bottom");
      if (known.results)
        checkCount(record.outputs, op->getNumResults(), "outputs", "layer_top");
      if (ok) {
        if (known.operands)
          checkTensors(record.inputs, op->getOperands(), "layer_bottom_shape",
                       "layer_bottom_type");
        if (known.results)
          checkTensors(record.outputs, op->getResults(), "layer_top_shape",
                       "layer_top_type");
      }
    }
    for (const KeyRecord &key : record.keys)
      checkKey(key);
    if (integer) {
      checkIntegerNeeds();
      checkMultipliers();
    }
    return success(ok);
  }

private:
  LayerError problem(DiagId id, StringRef key, const Twine &message) {
    ok = false;
    return LayerError(op, id, key, message);
  }
  void checkCount(ArrayRef<TensorRecord> tensors, unsigned found,
                  StringRef what, StringRef key);
  void checkTensors(ArrayRef<TensorRecord> tensors, ValueRange values,
                    StringRef shapeKey, StringRef typeKey);
  void checkAxes(const TensorRecord &tensor, ArrayRef<int64_t> shape,
                 StringRef shapeKey);
  void checkKey(const KeyRecord &key);
  void checkWord(const KeyRecord &key, StringRef word);
  void checkItems(const KeyRecord &key, ArrayAttr list);
  void checkIntegerNeeds();
  void checkMultipliers();

  Operation *op;
  const OperatorRecord &record;
  Known known;
  bool integer;
  bool ok = true;
  /// Lengths of the axes that the record gives a name.
  llvm::StringMap<std::pair<int64_t, StringRef>> axes;
};

void RecordVerifier::checkCount(ArrayRef<TensorRecord> tensors, unsigned found,
                                StringRef what, StringRef key) {
  unsigned least = 0;
  for (const TensorRecord &t : tensors)
    least += !t.optional;
  bool many = !tensors.empty() && tensors.back().variadic;
  if (found >= least && (many || found <= tensors.size()))
    return;
  std::string names, count = std::to_string(least);
  for (const TensorRecord &t : tensors)
    names += (names.empty() ? "" : ", ") + t.name.str() +
             (t.variadic   ? " ..."
              : t.optional ? " (optional)"
                           : "");
  if (many)
    count += " or more";
  else if (least < tensors.size())
    count += " to " + std::to_string(tensors.size());
  problem(diag::OpArity, key, "the layer has a wrong number of " + what)
      .found(Twine(found))
      .expected(count + (names.empty() ? "" : ": " + names));
}

void RecordVerifier::checkTensors(ArrayRef<TensorRecord> tensors,
                                  ValueRange values, StringRef shapeKey,
                                  StringRef typeKey) {
  for (auto [i, value] : llvm::enumerate(values)) {
    const TensorRecord &tensor =
        i < tensors.size() ? tensors[i] : tensors.back();
    TensorInfo info = describe(value);
    if (tensor.type != TensorClass::Any &&
        (tensor.type == TensorClass::Float) != info.isFloat())
      problem(diag::OpElementType, typeKey,
              "tensor " + tensor.name + " has an element type that " +
                  record.layerType + " does not support")
          .found(dtypeName(info.storedType()))
          .expected(tensor.type == TensorClass::Float ? "a float type"
                                                      : "an integer type");
    // Of a variadic list each tensor may be different.
    if (!tensor.variadic)
      checkAxes(tensor, info.shape, shapeKey);
  }
}

void RecordVerifier::checkAxes(const TensorRecord &tensor,
                               ArrayRef<int64_t> shape, StringRef shapeKey) {
  if (tensor.shape.contains("..."))
    return;
  SmallVector<StringRef> names;
  StringRef(tensor.shape).split(names, ',');
  auto wrongShape = [&](const Twine &message) {
    problem(diag::OpShape, shapeKey, message)
        .found(shapeText(shape))
        .expected("[" + tensor.shape + "]")
        .token(shapeText(shape));
  };
  if (names.size() != shape.size())
    return wrongShape("tensor " + tensor.name + " has a wrong number of axes");
  for (auto [name, length] : llvm::zip(names, shape)) {
    name = name.trim();
    int64_t literal = 0;
    if (!name.getAsInteger(10, literal)) {
      if (literal != length)
        wrongShape("an axis of tensor " + tensor.name + " has a wrong length");
      continue;
    }
    if (name.empty() || !llvm::isUpper(name.front()) ||
        !llvm::all_of(name, llvm::isAlnum))
      continue;
    auto [it, isNew] = axes.try_emplace(name, length, tensor.name);
    if (!isNew && it->second.first != length)
      problem(diag::OpShape, shapeKey,
              "tensors " + it->second.second + " and " + tensor.name +
                  " differ in the axis " + name)
          .found(Twine(it->second.first) + " and " + Twine(length))
          .expected("equal lengths")
          .token(shapeText(shape));
  }
}

/// What the selector of a key (method, with_activation ...) says; absent, its
/// default.
std::string selectedWord(const KeyRecord &key, const OperatorRecord &record,
                         Operation *op) {
  const KeyRecord *selector = record.findKey(key.selector);
  return wordKey(op, WordKey::ofRecord(key.selector),
                 selector ? StringRef(selector->defaultText) : StringRef());
}

/// Whether the selector says a word with which the key applies.
bool applies(const KeyRecord &key, const OperatorRecord &record,
             Operation *op) {
  return key.of.empty() ||
         llvm::is_contained(key.of, selectedWord(key, record, op));
}

/// Whether it matters that an op of integer or float IR lacks the key.
bool matters(const KeyRecord &key, bool integer) {
  return key.ir == IrKind::Both || (key.ir == IrKind::Int) == integer;
}

void RecordVerifier::checkWord(const KeyRecord &key, StringRef word) {
  SmallVector<StringRef> allowed(key.words.begin(), key.words.end());
  if (key.choosesMethod)
    for (const MethodRecord &m : record.methods)
      allowed.push_back(m.name);
  if (allowed.empty() || llvm::any_of(allowed, [&](StringRef w) {
        return w.equals_insensitive(word);
      }))
    return;
  std::vector<std::string> candidates;
  for (StringRef w : allowed)
    candidates.push_back(w.str());
  LayerError error = problem(diag::OpBadAttribute, key.name,
                             "the key " + key.name + " has a value that " +
                                 record.layerType + " does not support");
  error.found(word).expected(llvm::join(allowed, ", ")).token(word);
  error.hint(didYouMean(nearestName(word.upper(), candidates)));
}

/// MLIR text may have any attribute in a list; who asks for words takes them
/// for words.
void RecordVerifier::checkItems(const KeyRecord &key, ArrayAttr list) {
  bool holdsWords = key.kind == KeyKind::Words || key.kind == KeyKind::WordList;
  for (Attribute item : list) {
    auto word = dyn_cast<StringAttr>(item);
    if (word) {
      checkWord(key, word.getValue());
    } else if (holdsWords) {
      std::string text;
      llvm::raw_string_ostream(text) << item;
      problem(diag::OpBadAttribute, key.name,
              "the key " + key.name + " has a value that is not a word")
          .found(text)
          .expected("a list of words");
      return;
    }
  }
}

void RecordVerifier::checkKey(const KeyRecord &key) {
  Attribute attr = op->getAttr(key.name);
  if (!attr) {
    if (key.need == Need::Required && known.lacks(key.name) &&
        (key.of.empty() || known.lacks(key.selector)) &&
        matters(key, integer) && applies(key, record, op)) {
      std::string of = key.of.empty() ? ""
                                      : " with " + key.selector.str() + "=" +
                                            selectedWord(key, record, op);
      problem(diag::IrMissingKey, "",
              "the layer has no key " + key.name + ", which " +
                  record.layerType + of + " needs")
          .expected(key.name + ": " + key.doc);
    }
    return;
  }
  if (auto word = dyn_cast<StringAttr>(attr))
    checkWord(key, word.getValue());
  if (auto list = dyn_cast<ArrayAttr>(attr))
    checkItems(key, list);
  SmallVector<int64_t> values = intsKey(op, IntsKey::ofRecord(key.name));
  for (int64_t value : values)
    if (value < key.least || value > key.most) {
      problem(diag::OpBadAttribute, key.name,
              "the key " + key.name + " is out of range")
          .found(Twine(value))
          .expected(Twine(key.least) + " to " + Twine(key.most))
          .token(Twine(value));
      break;
    }
}

void RecordVerifier::checkIntegerNeeds() {
  for (StringRef need : record.integerNeeds) {
    SmallVector<StringRef> either;
    need.split(either, '|');
    if (llvm::any_of(either, [&](StringRef key) {
          return op->hasAttr(key) || !known.lacks(key);
        }))
      continue;
    problem(diag::OpIntegerParameters, "",
            "an integer " + record.layerType + " needs " +
                llvm::join(either, " or "))
        .hint("if this is a float layer, give its tensors float types");
  }
}

/// A result whose multiplier is 0 is the same for every input, which no
/// quantizer means. Where operands are aligned first, the factor of one that is
/// small beside the other may well be 0.
void RecordVerifier::checkMultipliers() {
  SmallVector<int64_t> values = intsKey(op, keys::scale_value);
  if (record.multipliers == Multipliers::Operands)
    return;
  if (record.multipliers == Multipliers::ResultFirst)
    values.truncate(std::min<size_t>(values.size(), 1));
  if (llvm::is_contained(values, 0))
    problem(diag::OpIntegerParameters, keys::scale_value,
            "a multiplier of the result is 0")
        .found("0")
        .expected("1 to " + Twine(mostMultiplier(op)))
        .token("0");
}

} // namespace

static LogicalResult verifyKnown(Operation *op, const Known &known) {
  const OperatorRecord *record = recordOf(op);
  return record ? RecordVerifier(op, *record, known).verify() : success();
}

LogicalResult compass::verifyRecord(Operation *op) {
  return verifyKnown(op, {});
}

LogicalResult compass::verifyOperandsAndKeys(Operation *op) {
  return verifyKnown(op, {.results = false});
}

LogicalResult
compass::verifyReadNetwork(Operation *op,
                           llvm::function_ref<bool(StringRef)> isUnread) {
  return verifyKnown(op, {.operands = op->getNumOperands() != 0,
                          .results = op->getNumResults() != 0,
                          .isUnread = isUnread});
}

SmallVector<const KeyRecord *> compass::missingExpectedKeys(Operation *op) {
  SmallVector<const KeyRecord *> missing;
  const OperatorRecord *record = recordOf(op);
  if (!record)
    return missing;
  bool integer = isQuantizedLayer(op);
  for (const KeyRecord &key : record->keys)
    if (key.need == Need::Expected && !op->hasAttr(key.name) &&
        matters(key, integer) && applies(key, *record, op))
      missing.push_back(&key);
  return missing;
}

bool compass::keyApplies(const KeyRecord &key, Operation *op) {
  const OperatorRecord *record = recordOf(op);
  return record && (key.ir != IrKind::Int || isQuantizedLayer(op)) &&
         applies(key, *record, op);
}
