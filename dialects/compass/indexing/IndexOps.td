//===- IndexOps.td - Operators that read or write at indices --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Gathering and scattering, selection, and the operators whose result is an
// index, a count or a shape.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INDEXING_INDEXOPS_TD
#define YARROW_DIALECTS_COMPASS_INDEXING_INDEXOPS_TD

include "dialects/compass/CompassBase.td"

defvar OutOfBounds = Resolved<"the result for an index outside the tensor is not specified",
  "an error: for a constant index when the network is checked, for others at run time: by the evaluator, and as a fault of the device">;

def Compass_GatherOp : Compass_Op<"gather", "Gather", PassRule, [
  IntKey<"axis", "axis that is indexed; a negative number counts from the end">,
  IntKey<"batch_dims", "leading axes that X and the indices share", "0", [], [0, 7]>,
  OptWordKey<"negative_indices", "a key of Yarrow's own; FROM_END: they count from the end; REFUSED: they are out of bounds, as in the lookups of NNAPI and "
    "TFLite; absent: FROM_END", "Both", ["FROM_END", "REFUSED"]>], "inferGather"> {
  let kernels = ["yk_check_indices", "yk_gather", "yk_copy"];
  let resultTypes = "FromInput";
  let summary = "slices of a tensor at given indices along an axis";
  let formula = "y[b.., o.., k.., i..] = x[b.., o.., index[b.., k..], i..] with batch_dims axes b, then the axes o before axis";
  let source = "Compass IR 7.3, 4.3.1 Gather";
  let tensorsIn = [Tensor<"X", "...", "values to select from">, Tensor<"Indices", "...", "indices along axis; negative: from the end", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "X[:axis] + Indices[batch_dims:] + X[axis+1:]">];
  let resolved = [OutOfBounds,
    Resolved<"the shape of the result is not specified", "X's axes before axis, the indices' axes without batch axes, X's axes after axis">,
    Resolved<"axis is said to be -1 or more", "every axis from -rank to rank-1 is accepted, but none before batch_dims">];
}

def Compass_GatherElementsOp : Compass_Op<"gather_elements", "GatherElements", PassRule, [
  IntKey<"axis", "axis that is indexed; a negative number counts from the end">], "inferGatherElements"> {
  let kernels = ["yk_check_indices", "yk_gather_elements"];
  let resultTypes = "FromInput";
  let summary = "elements of a tensor, each at its own index along an axis";
  let formula = "y[i, j, k] = x[index[i, j, k], j, k] with axis = 0, and likewise for other axes";
  let source = "Compass IR 7.3, 4.3.1 GatherElements";
  let tensorsIn = [Tensor<"X", "...", "values to select from">,
                   Tensor<"Indices", "...", "as many axes as X, none but axis longer than X's; negative: from the end", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "shape of the indices">];
  let resolved = [OutOfBounds,
    Resolved<"axis has two defaults, 0 and -1", "0, as in ONNX; the reference tools always write it">,
    Resolved<"type and sign of indices are not specified", "any integer type; -k means length - k">];
}

def Compass_GatherNDOp : Compass_Op<"gather_nd", "GatherND", PassRule, [
  IntKey<"batch_dims", "leading axes that X and the indices share", "0", [], [0, 7]>], "inferGatherND"> {
  let kernels = ["yk_check_indices", "yk_gather_nd"];
  let resultTypes = "FromInput";
  let summary = "slices of a tensor at given places";
  let formula = "y[b.., q.., i..] = x[b.., index[b.., q.., 0], index[b.., q.., 1], ..., i..]";
  let source = "Compass IR 7.3, 4.3.1 GatherND";
  let tensorsIn = [Tensor<"X", "...", "values to select from">,
                   Tensor<"Indices", "...", "each row of the last axis is a place in X, with up to one index per axis; negative: from the end", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "Indices[:-1] + X[batch_dims + K:], where K is the last length of Indices">];
  let resolved = [OutOfBounds,
    Resolved<"the text compares indices[-1] + batch_dims with the rank", "the last length of the indices, plus batch_dims, is at most the rank of X">];
}

defvar ScatterKeys = [
  IntsKey<"scale_value", "multipliers of the integer form, in the order of the formula", "Int", "Required">,
  IntsKey<"shift_value", "right shifts of the integer form", "Int", "Required">];
defvar ScatterReductions = [
  Method<"NONE", "the update replaces the value; the last one in row-major order counts">,
  Method<"ADD", "the updates are added to the value, in row-major order">,
  Method<"MUL", "the value is multiplied by the updates, in row-major order">,
  Method<"MAX", "the greatest of value and updates">,
  Method<"MIN", "the least of value and updates">];
defvar ScatterResolved = [OutOfBounds,
  Resolved<"the definition lists NONE, ADD and MUL; the reference tools also write MAX and MIN", "all five are supported">,
  Resolved<"the result of several updates at one place is not specified", "NONE: the last in row-major order counts; the other reductions accumulate in this order">];

def Compass_ScatterElementsOp : Compass_Op<"scatter_elements", "ScatterElements", ScatterElementsRule, !listconcat([
  IntKey<"axis", "axis that is indexed; a negative number counts from the end">,
  MethodKey<"NONE", "how an update changes the value", "reduction", "Expected">], ScatterKeys), "inferScatterElements"> {
  let floatKernels = ["yk_check_indices", "yk_scatter_float"];
  let intKernels = ["yk_check_indices", "yk_scatter_int"];
  let multipliers = "ResultFirst";
  let summary = "a tensor with some elements replaced, each at its own index along an axis";
  let formula = "y = data; then y[index[i, j, k], j, k] = updates[i, j, k] with axis = 0, and likewise for other axes; integer: "
                "scale_value = [s0, s1, s2] with one shift: every value becomes clip(round_half_even((data + zp) * s1 * s0 / 2^shift) - zp_y), "
                "updates with s2; MUL: [s0, s1] with two shifts";
  let source = "Compass IR 7.3, 4.3.1 ScatterElements";
  let tensorsIn = [Tensor<"Data", "...", "values to change">, Tensor<"Indices", "...", "as many axes as Data; negative: from the end", "Integer">,
                   Tensor<"Updates", "...", "shape of the indices">];
  let tensorsOut = [Tensor<"Y", "...", "shape of Data">];
  let methods = ScatterReductions;
  let resolved = !listconcat(ScatterResolved, [
    Resolved<"the printed index has an axis k, but the example has two axes", "one index; all other axes are those of the update">,
    Resolved<"the example of MUL has three scales and three shifts, but the reference tools write two of each",
      "both are accepted; with two, the product is halved until it fits 16 bits, then scaled and shifted down, and the zero point of the "
      "result is left out, as in the reference packs">,
    Resolved<"the width of values before the result is scaled is not specified",
      "the bits of data plus those of updates; values saturate there, as in the reference packs, but sums are exact">]);
}

def Compass_ScatterNDOp : Compass_Op<"scatter_nd", "ScatterND", ScatterNDRule, !listconcat([
  MethodKey<"NONE", "how an update changes the value", "reduction", "Expected">], ScatterKeys), "inferScatterND"> {
  let floatKernels = ["yk_check_indices", "yk_scatter_float"];
  let intKernels = ["yk_check_indices", "yk_scatter_int"];
  let multipliers = "ResultFirst";
  let summary = "a tensor with some slices replaced at given places";
  let formula = "y = data; then y[index[q..]] = updates[q..]; integer: scale_value = [s0, s1, s2] with one shift: every value becomes "
                "clip(round_half_even((data + zp) * s1 * s0 / 2^shift) - zp_y), updates with s2; MUL: three shifts";
  let source = "Compass IR 7.3, 4.3.1 ScatterND";
  let tensorsIn = [Tensor<"Data", "...", "values to change">,
                   Tensor<"Indices", "...", "each row of the last axis is a place in Data; negative: from the end", "Integer">,
                   Tensor<"Updates", "...", "Indices[:-1] + Data[K:], where K is the last length of Indices">];
  let tensorsOut = [Tensor<"Y", "...", "shape of Data">];
  let methods = ScatterReductions;
  let resolved = !listconcat(ScatterResolved, [
    Resolved<"the text has two scales, the example three", "three, for output, data and updates, with one shift; MUL has three shifts">,
    Resolved<"how values are limited and rounded is not specified", "every step saturates to 32 bits, signed or unsigned as the result; results of more than 8 bits are rounded down, as in the reference">]);
}

def Compass_SlotUpdateOp : Compass_Op<"slot_update", "SlotUpdate", RequantRule, [
  IntsKey<"scale_value", "multiplier of the sums", "Int", "Required">,
  IntsKey<"shift_value", "right shift of the sums", "Int", "Required">], "inferSlotUpdate"> {
  let kernels = ["yk_check_indices", "yk_slot_update"];
  let summary = "sums of the queries of several cameras, slot by slot";
  let formula = "y = 0; y[n, index_i[k], :] += x[n, i, k, :] for each camera i and each k; integer: "
                "clip(round_half_even(sum(x + zp_x) * scale / 2^shift) - zp_y)";
  let source = "reference parser";
  let tensorsIn = [Tensor<"Queries", "N,cameras,Slots,C", "queries of each camera">,
                   ManyTensors<"Indices", "queries", "slot of each query, one tensor per camera", "Integer">];
  let tensorsOut = [Tensor<"Y", "N,Slots,C", "sums">];
  let resolved = [OutOfBounds,
    Resolved<"the definition does not have this layer", "inputs, shape and arithmetic are those of the reference parser and Optimizer">];
}

def Compass_CompressOp : Compass_Op<"compress", "Compress", PassRule, [
  OptIntKey<"axis", "axis along which slices are kept; absent: X is flattened">], "inferCompress"> {
  let kernels = ["yk_compress"];
  let resultTypes = "Declared";
  let summary = "the slices of a tensor whose condition is true";
  let formula = "y = the slices x[i] along axis with condition[i] != 0, in order";
  let source = "Compass IR 7.3, 4.3.1 Compress";
  let tensorsIn = [Tensor<"X", "...", "values to select from">, Tensor<"Condition", "length", "at most as long as the axis", "Any">];
  let tensorsOut = [Tensor<"Y", "...", "X, shorter along axis">];
  let resolved = [
    Resolved<"the length of the result depends on data",
      "the declared length is its capacity: kept slices come first, a real 0 (-zp) fills the rest, and slices beyond the capacity are lost">,
    Resolved<"a condition shorter than the axis is not addressed", "missing values count as 0">];
}

def Compass_UniqueOp : Compass_Op<"unique", "Unique", PassRule, [
  OptIntKey<"axis", "axis whose slices are compared; absent: single elements">,
  BoolKey<"sorted", "true: rising order; false: order of first occurrence", "true">], "inferUnique"> {
  let kernels = ["yk_unique"];
  let resultTypes = "Declared";
  let summary = "the distinct elements of a tensor, their places and counts";
  let formula = "x[i] = y[inverse[i]]; y[j] = x[indices[j]], the first occurrence; counts[j] = number of i with inverse[i] = j";
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "...", "any">];
  let tensorsOut = [Tensor<"Y", "...", "distinct elements, or slices">,
                    Tensor<"Indices", "Distinct", "first occurrence of each", "Integer">,
                    Tensor<"Inverse", "elements", "index in Y of each element of X", "Integer">,
                    Tensor<"Counts", "Distinct", "occurrences of each", "Integer">];
  let resolved = [
    Resolved<"the definition does not have this layer", "keys and results are those of the reference parser, the meaning is that of ONNX's Unique">,
    Resolved<"the number of distinct elements depends on data", "the declared lengths are capacities, at most the number of elements: the first results are kept, and a real 0 (-zp) and counts of 0 fill the rest">];
}

def Compass_NonZeroOp : Compass_Op<"non_zero", "NonZero", NonZeroRule, [], "inferNonZero"> {
  let kernels = ["yk_non_zero"];
  let resultTypes = "Declared";
  let summary = "the places of the elements that are not zero";
  let formula = "y[:, k] = indices of the k-th element that is not 0, in row-major order; count = number of such elements";
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "...", "any">];
  let tensorsOut = [Counted<"Y", "rank,capacity", "one row per axis of X", "Count", "Integer">, Tensor<"Count", "1", "columns that hold a place", "Integer">];
  let resolved = [
    Resolved<"the definition does not have this layer", "results are those of the reference parser, which adds the count">,
    Resolved<"the number of places depends on data", "the declared length is a capacity, at most the number of elements; zeros follow the places">,
    Resolved<"whether integers have a zero point here is not specified", "stored integers are compared with 0, as in the reference; Yarrow's quantizer removes the zero point first">];
}

def Compass_OneHotOp : Compass_Op<"one_hot", "OneHot", OneHotRule, [
  IntKey<"axis", "place of the new axis in the result; a negative number counts from the end", "-1">,
  NumberListKey<"values", "[off, on]; absent: [0, 1]; quantized in integer IR", "Expected">,
  OptIntKey<"depth", "length of the new axis", "Both", [], "Required", AtLeastOne>], "inferOneHot"> {
  let kernels = ["yk_one_hot"];
  let resultTypes = "Given";
  let summary = "a new axis with the on value at the index and the off value at other places";
  let formula = "y[i.., d, j..] = on if indices[i.., j..] = d, else off";
  let source = "Compass IR 7.3, 4.3.1 OneHot";
  let tensorsIn = [Tensor<"Indices", "...", "integers, of any type">];
  let tensorsOut = [Tensor<"Y", "...", "depth inserted at axis">];
  let resolved = [
    Resolved<"indices from -depth are said to be valid, but the example's -1 gives zeros",
      "indices from 0 to depth-1 select; every other index gives off values">,
    Resolved<"whether values are quantized in integer IR is not specified", "they are the stored values of the output">];
}

def Compass_ShapeOp : Compass_Op<"shape", "Shape", ShapeRule, [
  IntKey<"start", "first axis; a negative number counts from the end">,
  OptIntKey<"end", "axis after the last; a negative number counts from the end; absent: all axes", "Both", [], "Optional">], "inferShape"> {
  let kernels = ["yk_copy"];
  let resultTypes = "Given";
  let summary = "the shape of a tensor as a tensor";
  let formula = "y = lengths of axes start .. end-1 of x";
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "...", "any">];
  let tensorsOut = [Tensor<"Y", "axes", "lengths", "Integer">];
  let resolved = [Resolved<"the definition does not have this layer", "keys are those of the reference parser, the meaning is that of ONNX's Shape">];
}

def Compass_ConstantOfShapeOp : Compass_Op<"constant_of_shape", "ConstantOfShape", ConstantOfShapeRule, [
  NumberKey<"value", "value of every element, as the output stores it", [], "Required">], "inferConstantOfShape"> {
  let kernels = ["yk_copy"];
  let resultTypes = "Declared";
  let summary = "a tensor of one value";
  let formula = "y = value everywhere";
  let source = "reference parser";
  let tensorsIn = [Tensor<"Shape", "axes", "lengths of the result's axes", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "shape of the input's values">];
  let resolved = [
    Resolved<"the definition does not have this layer", "keys are those of the reference parser, the meaning is that of ONNX's ConstantOfShape">,
    Resolved<"the shape is an input", "a constant must give the declared shape; otherwise only the number of axes is checked">];
}

def Compass_LshProjectionOp : Compass_Op<"lsh_projection", "LshProjection", DetectionRule, [
  MethodKey<"DENSE", "form of the result">], "inferLshProjection"> {
  let facts = [DecidingLayer];
  let computedIn = "Float";
  let floatKernels = ["yk_projection"];
  let resultTypes = "Declared";
  let summary = "hash bits that are similar for similar inputs";
  let formula = "bit b of function f = 1 if the sum of weights[i] * h over the items i is greater than 0, where h is the 64-bit fingerprint (FarmHash), as a signed integer, of the bytes of hashes[f, b] in float32 followed by those of item i; sums are double";
  let source = "NNAPI, LSH_PROJECTION";
  let extension = "nnapi_layers";
  let methods = [
    Method<"DENSE", "one integer for each bit">,
    Method<"SIGNATURES", "the bits of a function as one integer, the first bit the highest">,
    Method<"APART_SIGNATURES", "SIGNATURES, with f * 2^bits added for function f">];
  let tensorsIn = [Tensor<"hashes", "Functions,bits", "seeds of the hash functions">,
                   Tensor<"items", "...", "items along axis 0; of any type, whose stored bytes are hashed">,
                   OptTensor<"weights", "n", "weight of each item; absent: 1">];
  let tensorsOut = [Tensor<"projection", "n", "bits or integers, function by function", "Integer">];
  let resolved = [
    Resolved<"the hash function is not specified", "FarmHash's Fingerprint64 of the seed's bytes followed by the item's bytes, which gives the recorded results of NNAPI's tests">];
}

#endif // YARROW_DIALECTS_COMPASS_INDEXING_INDEXOPS_TD
