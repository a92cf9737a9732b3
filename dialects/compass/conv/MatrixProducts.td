//===- MatrixProducts.td - Products of matrices ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_MATRIXPRODUCTS_TD
#define YARROW_DIALECTS_COMPASS_CONV_MATRIXPRODUCTS_TD

include "dialects/compass/conv/ConvKeys.td"

def Compass_FullyConnectedOp : Compass_Op<"fully_connected", "FullyConnected", MacRule, !listconcat(
  Weights, [NumOutput], WideRequant, FusedActivation)> {
  let facts = [LinearLayer, ActivatedLayer];
  let summary = "fully connected layer, weights [output, input]";
  let formula = "acc[n, o] = sum over i of x[n, i] * (w[o, i] + weights_zp) + bias[o]; then as Convolution";
  let source = "Compass IR 7.3, 4.3.1 FullyConnected";
  let tensorsIn = [Tensor<"X", "...", "rows, one value per input of the weights">];
  let tensorsOut = [Tensor<"Y", "...", "[rows, outputs]">];
  let floatKernels = ["yk_fully_connected_float", "yk_gemm_float"];
  let intKernels = ["yk_fully_connected_int"];
  let resolved = !listconcat(ConvResolved, [
    Resolved<"the output is called 1-D, but the example's is 2-D",
      "[rows, outputs]; an input of more axes keeps its leading ones if the last has the weights' length">,
    Resolved<"the bias is said to have one value per output, but the reference parser keeps other shapes that broadcast",
      "one value, or a shape whose last axis has one value per output, is accepted; integer layers need one value per output">,
    Resolved<"a scale per channel is not mentioned here", "accepted as for Convolution; the reference tools write it">]);
}

def Compass_MatMulOp : Compass_Op<"matmul", "MatMul", MatMulRule, !listconcat([
  BoolKey<"trans_a", "A is stored transposed">, BoolKey<"trans_b", "B is stored transposed">,
  OptFloatKey<"fused_multiplier", "constant factor of the product, folded into the scale of integer IR">,
  OptIntKey<"remain_shift", "16-bit inputs: right shift of the second rounding", "Int">], WideRequant), "inferMatMul"> {
  let summary = "batched matrix product of two activations";
  let formula = "y = A @ B over the last two axes, the others broadcast; integer: "
                "clip(round_half_even(((A + zp_a) @ (B + zp_b)) * scale / 2^shift) - zp_y)";
  let source = "Compass IR 7.3, 4.3.1 MatMul";
  let keyVariants = [KeyVariant<"adj_x", "trans_a">, KeyVariant<"adj_y", "trans_b">, KeyVariant<"tans_b", "trans_b">];
  let tensorsIn = [Tensor<"A", "...", "[..., M, K], or [..., K, M] with trans_a">,
                   Tensor<"B", "...", "[..., K, N], or [..., N, K] with trans_b">];
  let tensorsOut = [Tensor<"Y", "...", "[..., M, N]">];
  let floatKernels = ["yk_matmul_float"];
  let intKernels = ["yk_matmul_int"];
  let resolved = [
    Resolved<"the example prints adj_x and adj_y, the text tans_b", "all are read; trans_a and trans_b are written">,
    Resolved<"how zero points enter is not specified", "they are added to both inputs when the layer runs">];
}

def Compass_MatMulIntegerOp : Compass_Op<"matmul_integer", "MatMulInteger", IntegerProductRule, [
  IntKey<"a_zero_point", "subtracted from A">, IntKey<"b_zero_point", "subtracted from B">], "inferMatMul"> {
  let resultTypes = "Given";
  let summary = "matrix product of plain integers with 32-bit sums";
  let computedIn = "Int";
  let intKernels = ["yk_matmul_int"];
  let formula = "y = (A - a_zero_point) @ (B - b_zero_point) over the last two axes, the others broadcast; int32";
  let source = "reference parser";
  let tensorsIn = [Tensor<"A", "...", "[..., M, K], 8-bit", "Integer">, Tensor<"B", "...", "[..., K, N], 8-bit", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "[..., M, N], int32", "Integer">];
  let resolved = [
    Resolved<"the definition does not have this layer",
      "keys and shape are those of the reference parser, the arithmetic is that of ONNX's MatMulInteger; zero points are "
      "subtracted here, unlike in other layers of Compass IR, which add them">];
}

def Compass_GemmOp : Compass_Op<"gemm", "Gemm", GemmRule, [
    BoolKey<"trans_a", "A is stored transposed">, BoolKey<"trans_b", "B is stored transposed">,
    FloatKey<"alpha", "factor of the product", "1.0">, FloatKey<"beta", "factor of C", "1.0">,
    ShiftsKey<"shift_value", "right shift of the result">,
    IntsKey<"scale_value", "multipliers of the result, A*B and C; without C only that of the result", "Int", "Required">], "inferGemm"> {
  let summary = "matrix product with an addend";
  let floatKernels = ["yk_gemm_float"];
  let intKernels = ["yk_matmul_int", "yk_eltwise_int", "yk_activation_int", "yk_gemm_int"];
  let formula = "y = alpha * A * B + beta * C; in integers y = RQ((A + zpA) * (B + zpB) * scale[1] + (C + zpC) * scale[2], scale[0], shift), alpha and beta inside the scales";
  let source = "Compass IR 7.3, 4.3.1 Gemm";
  let tensorsIn = [Tensor<"a", "rows, inner", "[M,K], or [K,M] with trans_a">, Tensor<"b", "inner, columns", "[K,N], or [N,K] with trans_b">,
                   OptTensor<"c", "...", "broadcast to [M,N]">];
  let tensorsOut = [Tensor<"y", "rows, columns", "[M,N]">];
  let keyVariants = [KeyVariant<"heta", "beta">];
  let resolved = [
    Resolved<"the text has two scales and two shifts, the example three scales and one shift", "scale_value = [out, A*B, C] and one shift; without C one scale">,
    Resolved<"the example has 177 as an int8", "a value must fit its type, except in Gemm, where the reference writes multipliers beyond uint16">,
    Resolved<"the defaults of alpha, beta and the transpositions are not specified", "1, 1, false, false">,
    Resolved<"beta is once printed heta", "beta is written, both are read">];
}

#endif // YARROW_DIALECTS_COMPASS_CONV_MATRIXPRODUCTS_TD
