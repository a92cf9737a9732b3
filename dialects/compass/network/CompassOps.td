//===- CompassOps.td - All operators --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For the generators that need every record; the C++ of each family comes from
// the family's own file.
//
//===----------------------------------------------------------------------===//
include "dialects/compass/graph/GraphOps.td"
include "dialects/compass/conv/ConvOps.td"
include "dialects/compass/pool/PoolOps.td"
include "dialects/compass/eltwise/EltwiseOps.td"
include "dialects/compass/activation/ActivationOps.td"
include "dialects/compass/norm/NormOps.td"
include "dialects/compass/movement/MovementOps.td"
include "dialects/compass/indexing/IndexOps.td"
include "dialects/compass/rearrange/RearrangeOps.td"
include "dialects/compass/reduce/ReduceOps.td"
include "dialects/compass/convert/ConvertOps.td"
include "dialects/compass/logic/LogicOps.td"
include "dialects/compass/statistics/StatisticsOps.td"
include "dialects/compass/detect/DetectOps.td"
include "dialects/compass/select/SelectOps.td"
include "dialects/compass/image/ImageOps.td"
include "dialects/compass/sequence/SequenceOps.td"
include "dialects/compass/control/ControlOps.td"
