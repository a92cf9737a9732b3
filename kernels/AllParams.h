//===- AllParams.h - Every parameter struct -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For code that goes over Kernels.def and needs the structs it names, for
// example sizeof(Conv2DIntParams) in a table of all kernels.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ALLPARAMS_H
#define YARROW_KERNELS_ALLPARAMS_H

#include "kernels/Activation.h"
#include "kernels/Conv.h"
#include "kernels/Convert.h"
#include "kernels/DataMovement.h"
#include "kernels/Eltwise.h"
#include "kernels/Gemm.h"
#include "kernels/Norm.h"
#include "kernels/Pool.h"
#include "kernels/Reduce.h"
#include "kernels/Resize.h"
#include "kernels/Softmax.h"

#endif // YARROW_KERNELS_ALLPARAMS_H
