//===- AllParams.h - Every parameter struct -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For code that goes over Kernels.def and needs the structs it names, for
// example sizeof(Conv2DIntParams) in a table of all kernels.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REGISTRY_ALLPARAMS_H
#define YARROW_KERNELS_REGISTRY_ALLPARAMS_H

#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/control/Loop.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"
#include "kernels/conv/Morphology.h"
#include "kernels/convert/Convert.h"
#include "kernels/detection/BoxGroups.h"
#include "kernels/detection/BoxTransform.h"
#include "kernels/detection/Choose.h"
#include "kernels/detection/Decode.h"
#include "kernels/detection/Keypoint.h"
#include "kernels/detection/Nms.h"
#include "kernels/detection/Rank.h"
#include "kernels/detection/Region.h"
#include "kernels/detection/Take.h"
#include "kernels/image/Colours.h"
#include "kernels/image/GridSample.h"
#include "kernels/image/Resize.h"
#include "kernels/indexing/Indexing.h"
#include "kernels/indexing/Projection.h"
#include "kernels/indexing/Scatter.h"
#include "kernels/movement/DataMovement.h"
#include "kernels/norm/LayerNorm.h"
#include "kernels/norm/LocalResponse.h"
#include "kernels/norm/LpNorm.h"
#include "kernels/norm/Moments.h"
#include "kernels/norm/Norm.h"
#include "kernels/norm/Softmax.h"
#include "kernels/pool/Pool.h"
#include "kernels/pool/PoolMore.h"
#include "kernels/rearrange/Fold.h"
#include "kernels/rearrange/Sequences.h"
#include "kernels/reduce/Count.h"
#include "kernels/reduce/Cumulate.h"
#include "kernels/reduce/Reduce.h"
#include "kernels/region/PyramidRoiAlign.h"
#include "kernels/region/Region.h"
#include "kernels/segment/Segment.h"
#include "kernels/select/Multinomial.h"
#include "kernels/select/Select.h"
#include "kernels/sequence/GateSums.h"
#include "kernels/sequence/RecurrentCells.h"
#include "kernels/sequence/Rotary.h"
#include "kernels/sequence/StoredLstm.h"

#endif // YARROW_KERNELS_REGISTRY_ALLPARAMS_H
