//===- TecRounding.cpp - Rounding shifts as one instruction ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecRounding.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsRISCV.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace yarrow;

namespace {

/// vxrm: to nearest, ties to even.
constexpr uint64_t kNearestEven = 1;

/// RNE(x / 2^shift): `shift` is one word, or a vector as x with the shift of
/// each lane.
struct RoundingShift {
  Value *x, *shift;
};

/// The operands of a sum of two or three.
SmallVector<Value *, 4> termsOf(Value *sum) {
  SmallVector<Value *, 4> terms;
  Value *a, *b, *c, *d;
  if (!match(sum, m_Add(m_Value(a), m_Value(b))))
    return terms;
  for (Value *term : {a, b}) {
    if (terms.size() < 3 && match(term, m_Add(m_Value(c), m_Value(d))))
      terms.append({c, d});
    else
      terms.push_back(term);
  }
  return terms;
}

/// Whether \p value is 2^shift - 1 of each lane.
bool isRest(Value *value, Value *shift) {
  return match(value, m_Not(m_Shl(m_AllOnes(), m_Specific(shift))));
}

/// Whether \p value is (x >> shift) & (2^shift - 1) & 1, in any order.
bool isOddBit(Value *value, Value *x, Value *shift) {
  SmallVector<Value *, 4> terms;
  Value *a, *b, *c, *d;
  if (!match(value, m_And(m_Value(a), m_Value(b))))
    return false;
  for (Value *term : {a, b}) {
    if (match(term, m_And(m_Value(c), m_Value(d))))
      terms.append({c, d});
    else
      terms.push_back(term);
  }
  auto isShifted = [&](Value *term) {
    return match(term, m_Shr(m_Specific(x), m_Specific(shift)));
  };
  auto isOne = [](Value *term) { return match(term, m_One()); };
  return terms.size() == 3 && any_of(terms, isShifted) &&
         any_of(terms, isOne) &&
         any_of(terms, [&](Value *term) { return isRest(term, shift); });
}

/// (x + ((2^shift - 1) >> 1) + ((x >> shift) & (2^shift - 1) & 1)) >> shift
/// with a shift for each lane, which may be 0; the terms in any order.
std::optional<RoundingShift> matchRoundingOfEach(Value *value) {
  Value *sum, *shift, *rest;
  if (!match(value, m_AShr(m_Value(sum), m_Value(shift))))
    return std::nullopt;
  SmallVector<Value *, 4> terms = termsOf(sum);
  if (terms.size() != 3)
    return std::nullopt;
  auto isBias = [&](Value *term) {
    return match(term, m_Shr(m_Value(rest), m_One())) && isRest(rest, shift);
  };
  for (Value *x : terms) {
    auto isOdd = [&](Value *term) { return isOddBit(term, x, shift); };
    if (any_of(terms, isBias) && any_of(terms, isOdd) && !isBias(x))
      return RoundingShift{x, shift};
  }
  return std::nullopt;
}

/// (x + (2^(shift - 1) - 1) + ((x >> shift) & 1)) >> shift, the terms in any
/// order; for a shift of 1 the constant is 0, and gone.
std::optional<RoundingShift> matchRounding(Value *value) {
  Value *sum;
  const APInt *shift;
  if (!match(value, m_AShr(m_Value(sum), m_APInt(shift))))
    return matchRoundingOfEach(value);
  if (shift->isZero())
    return std::nullopt;
  APInt bias = APInt::getOneBitSet(shift->getBitWidth(),
                                   unsigned(shift->getZExtValue()) - 1) -
               1;
  Value *x = nullptr, *odd = nullptr;
  bool hasBias = bias.isZero();
  for (Value *term : termsOf(sum)) {
    const APInt *constant;
    if (match(term, m_APInt(constant)) && *constant == bias && !hasBias)
      hasBias = true;
    else if (!odd && match(term, m_And(m_Shr(m_Value(), m_SpecificInt(*shift)),
                                       m_One())))
      odd = term;
    else if (!x)
      x = term;
    else
      return std::nullopt;
  }
  if (!x || !odd || !hasBias ||
      !match(odd, m_And(m_Shr(m_Specific(x), m_SpecificInt(*shift)), m_One())))
    return std::nullopt;
  return RoundingShift{x, ConstantInt::get(Type::getInt32Ty(x->getContext()),
                                           shift->getZExtValue())};
}

/// A value within limits, before it is narrowed.
struct Limited {
  Value *value;
  std::optional<APInt> low, high;
};

Limited limitsOf(Value *value) {
  Limited found{value, {}, {}};
  const APInt *limit;
  for (Value *inner;; found.value = inner) {
    if (!found.low &&
        match(found.value, m_SMax(m_Value(inner), m_APInt(limit))))
      found.low = *limit;
    else if (!found.high &&
             match(found.value, m_SMin(m_Value(inner), m_APInt(limit))))
      found.high = *limit;
    else
      return found;
  }
}

class Rewriter {
public:
  Rewriter(Function &function, unsigned vectorBits)
      : function(function), vectorBits(vectorBits) {}

  bool run() {
    // Narrowing first: it takes the shift in.
    SmallVector<Instruction *> all;
    for (Instruction &inst : instructions(function))
      if (llvm::isa<VectorType>(inst.getType()))
        all.push_back(&inst);
    for (Instruction *inst : all)
      if (llvm::isa<TruncInst>(inst))
        narrow(*inst);
    for (Instruction *inst : all)
      if (inst->getOpcode() == Instruction::AShr)
        shift(*inst);
    // What the replaced values were made of.
    for (WeakTrackingVH &dead : replaced)
      if (dead)
        RecursivelyDeleteTriviallyDeadInstructions(dead);
    return !replaced.empty();
  }

private:
  Function &function;
  unsigned vectorBits;
  SmallVector<WeakTrackingVH> replaced;

  /// The scalable type that holds \p type in the fewest registers, which are
  /// of vectorBits; scalable types count 64 bits.
  Type *scalableOf(Type *type) const {
    auto *vector = cast<VectorType>(type);
    if (llvm::isa<ScalableVectorType>(vector))
      return vector;
    unsigned blocks = vectorBits / 64;
    unsigned lanes = vector->getElementCount().getFixedValue();
    return ScalableVectorType::get(vector->getElementType(),
                                   std::max(1u, lanes / blocks));
  }

  /// The intrinsic \p id of RNE(x / 2^shift) as a \p type, of all lanes.
  Value *roundedBy(Intrinsic::ID id, Instruction &at, Type *type, bool narrows,
                   const RoundingShift &r) {
    IRBuilder<> builder(&at);
    Type *to = scalableOf(type), *from = scalableOf(r.x->getType());
    Type *word = builder.getInt32Ty();
    bool isFixed = to != type;
    auto whole = [&](Value *fixed) {
      Type *scalable = scalableOf(fixed->getType());
      return isFixed ? builder.CreateInsertVector(scalable,
                                                  PoisonValue::get(scalable),
                                                  fixed, uint64_t(0))
                     : fixed;
    };
    Value *x = whole(r.x), *amount = r.shift;
    if (amount->getType()->isVectorTy())
      amount = whole(narrows ? builder.CreateTrunc(amount, type) : amount);
    SmallVector<Type *, 4> types = {to};
    if (narrows)
      types.push_back(from);
    types.append({amount->getType(), word});
    Value *lanes = builder.getInt32(~0u);
    if (isFixed)
      lanes = builder.getInt32(
          cast<VectorType>(type)->getElementCount().getFixedValue());
    Value *y = builder.CreateIntrinsic(id, types,
                                       {PoisonValue::get(to), x, amount,
                                        builder.getInt32(kNearestEven), lanes});
    return isFixed ? builder.CreateExtractVector(type, y, uint64_t(0)) : y;
  }

  /// Whether an instruction takes a vector of \p type: whole registers, or
  /// parts that scalable types have.
  bool hasInstruction(Type *type) const {
    auto *vector = cast<VectorType>(type);
    if (llvm::isa<ScalableVectorType>(vector))
      return true;
    unsigned lanes = vector->getElementCount().getFixedValue();
    uint64_t bits = uint64_t(lanes) * vector->getScalarSizeInBits();
    return isPowerOf2_32(lanes) && lanes >= vectorBits / 64 &&
           bits <= 8 * vectorBits;
  }

  void replace(Instruction &inst, Value *by) {
    inst.replaceAllUsesWith(by);
    replaced.push_back(&inst);
  }

  void shift(Instruction &inst) {
    std::optional<RoundingShift> r = matchRounding(&inst);
    if (!r || inst.use_empty() || !hasInstruction(inst.getType()))
      return;
    replace(inst, roundedBy(Intrinsic::riscv_vssra, inst, inst.getType(),
                            /*narrows=*/false, *r));
  }

  /// Rounded, limited and cut into half of the bits or less: vnclip limits to
  /// what half of them hold, so that the other limits follow in that type.
  void narrow(Instruction &inst) {
    Value *wide = inst.getOperand(0);
    Type *from = wide->getType();
    unsigned bits = from->getScalarSizeInBits() / 2;
    if (inst.getType()->getScalarSizeInBits() > bits || bits < 8)
      return;
    Type *type = cast<VectorType>(from)->getWithNewBitWidth(bits);
    Limited limited = limitsOf(wide);
    std::optional<RoundingShift> r = matchRounding(limited.value);
    // Without both limits, bits would be cut off, not limited.
    if (!r || !limited.low || !limited.high ||
        !limited.low->isSignedIntN(bits) || !limited.high->isSignedIntN(bits))
      return;
    if (!hasInstruction(type) || !hasInstruction(from))
      return;
    Value *narrowed = roundedBy(Intrinsic::riscv_vnclip, inst, type,
                                /*narrows=*/true, *r);
    IRBuilder<> builder(&inst);
    auto limit = [&](Intrinsic::ID id, const APInt &bound) {
      narrowed = builder.CreateBinaryIntrinsic(
          id, narrowed, ConstantInt::get(type, bound.trunc(bits)));
    };
    limit(Intrinsic::smax, *limited.low);
    limit(Intrinsic::smin, *limited.high);
    replace(inst, builder.CreateTrunc(narrowed, inst.getType()));
  }
};

} // namespace

PreservedAnalyses TecRoundingPass::run(Function &function,
                                       FunctionAnalysisManager &) {
  return Rewriter(function, vectorBits).run() ? PreservedAnalyses::none()
                                              : PreservedAnalyses::all();
}
