//===- Activation.h - One-operand elementwise kernels ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Stand-alone activations, sign changes, table look-ups and float functions.
// Integer forms: docs/operators/activation.md, with x = q + zp. Work is split
// by elements.
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
