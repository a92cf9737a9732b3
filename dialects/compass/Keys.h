//===- Keys.h - The keys of layers, as names that compile -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every key of the operators' records has a name in C++ (yarrow-tblgen
// -gen-keys), which knows the kinds of value that records give it. What reads
// a key takes the kind that it reads: a misspelt key does not compile, nor does
// a word that is read as a number.
//
//   int64_t step = intKey(op, keys::stride_x);
//   auto axisOf = [&](IntKey key) { return intKey(op, key); };
//   op->setAttr(keys::method, b.getStringAttr("MAX"));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_KEYS_H
#define YARROW_DIALECTS_COMPASS_KEYS_H

#include "dialects/compass/Records.h"
#include "llvm/ADT/Twine.h"

namespace yarrow::compass {

/// The name of a key, as IR text and attributes spell it.
class KeyName {
public:
  constexpr llvm::StringRef str() const { return text; }
  constexpr operator llvm::StringRef() const { return text; }
  friend constexpr bool operator==(const KeyName &a, const KeyName &b) {
    return a.text == b.text;
  }

  friend llvm::Twine operator+(const char *left, const KeyName &right) {
    return llvm::Twine(left, right.text);
  }
  friend llvm::Twine operator+(const KeyName &left, const char *right) {
    return llvm::Twine(left.text, right);
  }
  friend llvm::Twine operator+(const llvm::Twine &left, const KeyName &right) {
    return left.concat(right.text);
  }

protected:
  explicit constexpr KeyName(llvm::StringRef text) : text(text) {}

private:
  llvm::StringRef text;
};

/// A key of the records, and the kinds that they give it.
template <KeyKind... Kinds> class Key : public KeyName {
public:
  /// For what yarrow-tblgen writes.
  explicit consteval Key(const char *text) : KeyName(text) {}
};

/// What reads a key of one of the kinds takes this.
template <KeyKind... Kinds> class KeyOf : public KeyName {
  static constexpr bool isTaken(KeyKind kind) {
    return ((kind == Kinds) || ...);
  }

public:
  template <KeyKind... Has>
    requires(isTaken(Has) || ...)
  constexpr KeyOf(const Key<Has...> &key) : KeyName(key) {}
  template <KeyKind... Has>
    requires(isTaken(Has) && ...)
  constexpr KeyOf(const KeyOf<Has...> &key) : KeyName(key) {}
  /// A key of a plugin's operator, which is known when the program runs.
  explicit KeyOf(const KeyRecord &record) : KeyName(record.name) {
    assert(isTaken(record.kind) && "the key is of another kind");
  }
  /// A name that a record holds, such as one of axisKeys.
  static constexpr KeyOf ofRecord(llvm::StringRef name) { return KeyOf(name); }

private:
  explicit constexpr KeyOf(llvm::StringRef name) : KeyName(name) {}
};

using IntKey = KeyOf<KeyKind::Int>;
using FloatKey = KeyOf<KeyKind::Float>;
using BoolKey = KeyOf<KeyKind::Bool>;
using WordKey = KeyOf<KeyKind::Word>;
using NumberKey = KeyOf<KeyKind::Number>;
/// One number, whatever its form.
using NumericKey = KeyOf<KeyKind::Int, KeyKind::Float, KeyKind::Number>;
/// One integer or several.
using IntsKey = KeyOf<KeyKind::Int, KeyKind::Ints, KeyKind::IntList>;
using NestedKey = KeyOf<KeyKind::Nested>;
using WordsKey = KeyOf<KeyKind::Words, KeyKind::WordList>;
using TensorKey = KeyOf<KeyKind::Tensor>;

namespace keys {
#include "dialects/compass/Keys.h.inc"
} // namespace keys

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_KEYS_H
