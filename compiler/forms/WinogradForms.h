//===- WinogradForms.h - Convolutions by Winograd's algorithm -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Forms of a 3x3 convolution with fewer multiplications. Two have requantized
// weights, which the quantizer makes from float ones (quantizer/rules/
// Winograd.h). The exact one gives the bytes of the direct layer, but needs
// multipliers of 12 bits (passes/winograd/ExactForm.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_WINOGRADFORMS_H
#define YARROW_COMPILER_FORMS_WINOGRADFORMS_H

#include "compiler/forms/Form.h"

namespace yarrow {

const LayerForm &winogradRows();   ///< F(2,3) along the width.
const LayerForm &winogradSquare(); ///< F(2x2,3x3).
const LayerForm &winogradExact();  ///< F(2x2,3x3) without rounding.

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_WINOGRADFORMS_H
