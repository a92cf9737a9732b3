//===- Activation.h - One-operand elementwise kernels ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Stand-alone activations, sign changes, table look-ups and float functions.
// Integer forms: spec, integer semantics 4.3 (x = q + zp, then as fused), 4.6
// (tables) and 4.17. Work is split by elements.
//
// Kernels: Activation.def.
// UnaryFn.h evaluates one float function outside a kernel, to fill tables.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ACTIVATION_ACTIVATION_H
#define YARROW_KERNELS_ACTIVATION_ACTIVATION_H

#include "kernels/Signature.h"
#include "kernels/activation/ActivationParams.h"

namespace yarrow::kernels {

#define YARROW_KERNELS "kernels/activation/Activation.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ACTIVATION_ACTIVATION_H
