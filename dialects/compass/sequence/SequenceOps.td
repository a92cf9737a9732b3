//===- SequenceOps.td - Recurrent layers and embeddings -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCEOPS_TD
#define YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCEOPS_TD

include "dialects/compass/CompassBase.td"

defvar LstmActivations = ["RELU", "TANH", "SIGMOID", "LEAKYRELU", "THRESHOLDEDRELU", "HARDSIGMOID", "ELU", "SOFTSIGN", "SOFTPLUS"];
defvar GruActivations = !listconcat(LstmActivations, ["AFFINE", "CLIP"]);
defvar StepSizes = [
  OptIntKey<"time_steps", "length of the sequence", "Both", [], "Required", [1, 0x7fffffff]>,
  OptIntKey<"input_size", "length of an input vector", "Both", [], "Required", [1, 0x7fffffff]>,
  OptIntKey<"cell_size", "length of a state vector", "Both", [], "Required", [1, 0x7fffffff]>];
defvar RecurrentKeys = [
  WordKey<"direction", "order of the steps", "forward", ["forward", "reverse"]>,
  FloatListKey<"activation_alpha", "first parameter of each activation that has one", "Optional">,
  FloatListKey<"activation_beta", "second parameter of each activation that has one", "Optional">,
  OptFloatKey<"threshold", "arguments of activations are clipped to -threshold..threshold">,
  NumberKey<"clip_min", "CLIP: lower bound">, NumberKey<"clip_max", "CLIP: upper bound">];

def Compass_BasicLSTMOp : Compass_Op<"basic_lstm", "BasicLSTM", LstmRule, !listconcat(Weights, [
  TableKey<"lut_it", "2^n entries: activation of the input gate">, TableKey<"lut_ft", "2^n entries: activation of the forget gate">,
  TableKey<"lut_ot", "2^n entries: activation of the output gate">, TableKey<"lut_ct", "2^n entries: activation of the cell gate">,
  TableKey<"lut_h", "2^n entries: activation of the cell state">,
  TableKey<"scale", "multipliers: 5 + 2 * time_steps, or 3 + 5 * cell_size + 2 * time_steps with weights per channel">,
  TableKey<"shift", "right shifts, one for each multiplier">,
  TensorKey<"diff_shifts", "shifts by which the steps of the cell state differ", "Int">],
  StepSizes, [
  WordListKey<"activations", "f of the gates, g of the cell gate, h of the cell state; absent: SIGMOID, TANH, TANH", "Expected", LstmActivations>],
  RecurrentKeys, [
  WordListKey<"out_sequence", "results, in this order: Y (all states), H (last state), C (last cell state)", "Required", ["Y", "H", "C"]>,
  NumberKey<"cell_clip", "the cell state is clipped to -cell_clip..cell_clip">,
  OptIntKey<"lut_shift_value", "right shift of the tables' arguments", "Int", [], "Required", ShiftBounds>]), "inferLSTM"> {
  let resultTypes = "Declared";
  let summary = "long short-term memory";
  let formula = "i = f(Wi x + Ri h + bi); fg = f(Wf x + Rf h + bf); g = g(Wc x + Rc h + bc); c = fg * c + i * g; o = f(Wo x + Ro h + bo); h = o * h(c)";
  let source = "Compass IR 7.3, 4.3.1 BasicLSTM";
  let floatKernels = ["yk_fully_connected_float", "yk_eltwise_float", "yk_unary_float", "yk_copy"];
  let intKernels = ["yk_fully_connected_int", "yk_lstm_cell", "yk_eltwise_int", "yk_gate_sums_int", "yk_activation_int", "yk_lut", "yk_copy"];
  let tensorsIn = [Tensor<"x", "N,Steps,Inputs", "the sequence">, OptTensor<"h0", "N,Cells", "initial state; absent: zeros">,
                   OptTensor<"c0", "N,Cells", "initial cell state; absent: zeros">];
  let tensorsOut = [ManyTensors<"states", "...", "as in out_sequence: Y [N, Steps, Cells], H [N, Cells], C [N, Cells]">];
  let keyVariants = [KeyVariant<"lut_shuft_value", "lut_shift_value">, KeyVariant<"lut_shuft_type", "lut_shift_type">];
  let resolved = [
    Resolved<"the order of the 5 + 2t scales and shifts is not specified",
      "[0] state to gate, [1] input, forget and output gates to their tables, [2] cell gate to its table, [3] cell state to its table, [4] result, [5 + 2t] forget * cell state, [6 + 2t] cell state of step t. With weights per channel: [0], then cell_size values each for input gate, an unused block, forget gate, output gate and cell gate, then [3], [4] and the 2t. Results equal the packs bit for bit">,
    Resolved<"weights are described unit by unit, biases gate by gate", "both are stored gate by gate: [4H, I + H] in the order i, c, f, o, each row [W | R]">,
    Resolved<"out_sequence has ( ) in the text, but [ ] in the example", "a list of words in [ ], in the order Y, H, C; one result per word">,
    Resolved<"direction is Forward or Reverse in the text, but in lower case in the example", "case is ignored; lower case is written">,
    Resolved<"a key is once spelled lut_shuft_type", "lut_shift_type is written, both are read">,
    Resolved<"inputs of the initial states can be empty", "an absent initial state is zero; the reference tools always write all three inputs">];
}

// Of each gate: weights of input and state, bias, and perhaps weights of the
// cell and of the norm.
defvar StoredLstmParts = !listconcat(
  !foldl([]<string>, ["input", "forget", "cell", "output"], all, gate, !listconcat(all,
    [gate # "_x", gate # "_h", gate # "_bias", gate # "_peephole", gate # "_norm"])),
  ["projection", "projection_bias"]);

def Compass_StoredLSTMOp : Compass_Op<"stored_lstm", "StoredLSTM", StoredLstmRule, [
  WordListKey<"parts", "names of the operands after the third, in their order", "Required", StoredLstmParts>,
  FloatListKey<"gate_steps", "steps of the sums that are normalised: input, forget, cell and output gate", "Required">,
  OptFloatKey<"hidden_step", "step of the projection's input", "Both", [], "Required">,
  OptIntKey<"hidden_zp", "the integer for 0 in the projection's input", "Both", [], "Required", [-128, 127]>,
  FloatKey<"cell_clip", "the cell is clipped to -cell_clip..cell_clip; 0: no clipping">,
  FloatKey<"projection_clip", "the projection is clipped to -projection_clip..projection_clip; 0: no clipping">], "inferStoredLSTM"> {
  let resultTypes = "Declared";
  let computedIn = "Int";
  let summary = "one step of a long short-term memory, from a quantized model";
  let formula = "as BasicLSTM, with peepholes, norms and a projection; gates of 16 bits with 3 integer bits, functions in 16-bit fixed point";
  let source = "NNAPI, QUANTIZED_LSTM";
  let extension = "nnapi_layers";
  let intKernels = ["yk_stored_lstm_gate", "yk_stored_lstm_cell", "yk_stored_lstm_hidden", "yk_stored_lstm_projection"];
  let tensorsIn = [Tensor<"x", "N,Inputs", "the input, int8">, Tensor<"h0", "N,Outputs", "the previous output, int8">,
                   Tensor<"c0", "N,Units", "the previous cell, int16, with a power of 2 as its step">,
                   ManyTensors<"weights", "...", "in the order of parts: int8 for input, state and projection, int32 for biases, int16 for others">];
  let tensorsOut = [Tensor<"h", "N,Outputs", "the output">, Tensor<"c", "N,Units", "the cell">];
  let resolved = [
    Resolved<"the coupled gate is not specified", "without input_x the input gate is 32767 - forget gate">,
    Resolved<"rounding is not specified", "every multiplier rounds twice (DOUBLE); a gate's sums saturate to 16 bits after each addend, as in NNAPI's recorded results">,
    Resolved<"the scale of a bias is not specified", "the scale of the products; with a norm, the step of its weights / 2^10">,
    Resolved<"the result without a projection is not specified", "the stored integers with hidden_step and hidden_zp, whatever the result's scale">];
}

class Compass_GRUOp<string mnemonic, string layerType, Rule r, list<IrKey> more> :
    Compass_Record<mnemonic, layerType, r, !listconcat(Weights, [
  TableKey<"lut_rt", "2^n entries: activation of the reset gate">, TableKey<"lut_zt", "2^n entries: activation of the update gate">,
  TableKey<"lut_ht", "2^n entries: activation of the hidden gate">],
  StepSizes, [
  WordListKey<"activations", "f of the reset and update gates, g of the hidden gate; absent: SIGMOID, TANH", "Expected", GruActivations>],
  RecurrentKeys, [
  WordListKey<"out_sequence", "results, in this order: H (all states), Hn (last state)", "Required", ["H", "Hn"]>],
  more, [
  ShiftsKey<"shift_value", "right shifts, one for each multiplier">,
  ScalesKey<"scale_value", "multipliers: state to gates, gates to their tables, state to hidden gate, hidden gate to its table, (1 - z) * h, result">]),
  "inferGRU", [DeclareOpInterfaceMethods<Compass_OpInterface, ["buildProgram"]>]> {
  let resultTypes = "Declared";
  let floatKernels = ["yk_fully_connected_float", "yk_eltwise_float", "yk_unary_float", "yk_copy"];
  let intKernels = ["yk_fully_connected_int", "yk_gru_cell", "yk_eltwise_int", "yk_activation_int", "yk_lut", "yk_copy"];
  let tensorsIn = [Tensor<"x", "N,Steps,Inputs", "the sequence">, OptTensor<"h0", "N,Cells", "initial state; absent: zeros">];
  let tensorsOut = [ManyTensors<"states", "...", "as in out_sequence: H [N, Steps, Cells], Hn [N, Cells]">];
}
defvar GruResolved = [
  Resolved<"the example has five scale types for six values", "six values have six types">,
  Resolved<"activations are described as (f, g) for the update, reset and hidden gates", "f is for the reset and update gates, g for the hidden gate">,
  Resolved<"the initial state, and how W x and R h are brought to one scale, are not specified",
    "h0 is the initial state; R h is requantized to the scale of W x, then both are added">];

def Compass_GRUv1Op : Compass_GRUOp<"gru_v1", "GRUv1", ResettingAfterRule, [
  OptIntKey<"hidden_shift_value", "right shift of reset gate times hidden part", "Int", [], "Expected", ShiftBounds>,
  OptIntKey<"hidden_scale_value", "multiplier of reset gate times hidden part", "Int", [], "Expected", MultiplierBounds>]> {
  let summary = "gated recurrent unit, reset after the product";
  let formula = "r = f(Wr x + Rr h + br); z = f(Wz x + Rz h + bz); c = g(Wc x + bc + r * (Rc h + bn)); h = z * h + (1 - z) * c";
  let source = "Compass IR 7.3, 4.3.1 GRUv1";
  let resolved = !listconcat(GruResolved, [
    Resolved<"weights are described unit by unit, biases gate by gate", "both are stored gate by gate: weights [3H, I + H] in the order r, z, c, each row [W | R]">,
    Resolved<"the definition does not rescale the product of reset gate and hidden part", "the reference does, with hidden_scale_value and hidden_shift_value; without these keys, as in the example, the scale is unchanged">,
    Resolved<"the order of the biases is garbled (r, z, ?, n)", "[4H]: r, z, c, then the bias of the hidden part">,
    Resolved<"sigmoid is printed as 1 / (1 + e^-2x)", "1 / (1 + e^-x)">]);
}
def Compass_GRUv3Op : Compass_GRUOp<"gru_v3", "GRUv3", ResettingBeforeRule, []> {
  let summary = "gated recurrent unit, reset before the product";
  let formula = "r = f(Wr x + Rr h + br); z = f(Wz x + Rz h + bz); c = g(Wc x + Rc (r * h) + bc); h = z * h + (1 - z) * c";
  let source = "Compass IR 7.3, 4.3.1 GRUv3";
  let intKernels = ["yk_fully_connected_int", "yk_gru_reset", "yk_gru_cell", "yk_eltwise_int", "yk_activation_int", "yk_lut", "yk_copy"];
  let resolved = !listconcat(GruResolved, [
    Resolved<"weights are described unit by unit, biases gate by gate",
      "both are stored gate by gate: weights [3H, I + H] in the order r, z, c, each row [W | R]; biases [3H]">]);
}

def Compass_EmbeddingLookupSparseOp : Compass_Op<"embedding_lookup_sparse", "EmbeddingLookupSparse", EmbeddingRule, [
  TensorKey<"lut", "SQRTN: 193 entries of the inverse square root, int16", "Int", "Required", ["SQRTN"], "combiner">,
  MethodKey<"MEAN", "how the rows for an output row are combined", "combiner", "Expected">,
  WordKey<"max_norm", "rows are scaled down to this length; NONE: any length", "NONE">,
  ShiftsKey<"shift_value", "right shift of the result; with SQRTN right shifts of sum and quotient">,
  ScalesKey<"scale_value", "multiplier of the result; with SQRTN multipliers of sum and quotient">,
  OptIntKey<"reciprocal_shift_value", "right shift of the reciprocal", "Int", [], "Optional", ShiftBounds>], "inferEmbeddingLookupSparse"> {
  let floatKernels = ["yk_check_indices", "yk_embedding_float"];
  let intKernels = ["yk_check_indices", "yk_embedding_sums", "yk_embedding_combine"];
  let resultTypes = "Declared";
  let summary = "weighted sums of rows of a table";
  let formula = "row i = sum over entries e with ids[e] = i of params[values[e]] * weights[e], divided as combiner says";
  let source = "Compass IR 7.3, 4.3.1 EmbeddingLookupSparse";
  let spellings = ["EmbeddingLookupSpare"];
  let methods = [Method<"MEAN", "divided by the sum of the weights">, Method<"SUM", "not divided">,
                 Method<"SQRTN", "divided by the square root of the sum of the squared weights">];
  let tensorsIn = [Tensor<"params", "...", "[rows, ...]">, Tensor<"ids", "Entries", "output row of each entry", "Integer">,
                   Tensor<"values", "Entries", "row of params for each entry", "Integer">, Tensor<"weights", "Entries", "weight of each entry">];
  let tensorsOut = [Tensor<"y", "...", "[output rows, ...], as declared">];
  let resolved = [
    Resolved<"the layer_type is EmbeddingLookupSpare in the text, but EmbeddingLookupSparse in the example", "EmbeddingLookupSparse is written, both are read">,
    Resolved<"the text speaks of several partitions of params", "params is one tensor">,
    Resolved<"the example has 50 output rows, but 53 ids", "the declared shape gives the number of rows; rows without ids are zero, stored as -zp. SQRTN in integers: t = round_even(sum * m0 / 2^s0), y = round_even(t * isqrt(sum of w^2) * m1 / 2^(31 + s1)), which equals the packs">,
    Resolved<"the example has max_norm=NONE", "NONE means no limit; otherwise a positive number">];
}

def Compass_QueryRebatchOp : Compass_Op<"query_rebatch", "QueryRebatch", PassRule, [], "inferQueryRebatch"> {
  let resultTypes = "Declared";
  let summary = "the queries that each camera sees, packed";
  let formula = "y[n, c, i] = queries[n, indices_c[i]]; zeros after the last index";
  let kernels = ["yk_check_indices", "yk_gather_nd", "yk_copy"];
  let resolved = [
    Resolved<"indices out of range, and the fill value, are not specified", "a negative index counts from the end, an index beyond an end means the end; the fill value is 0, in integers the stored integer 0, as in the reference">];
  let source = "reference parser";
  let tensorsIn = [Tensor<"queries", "N,queries,C", "queries of all cameras">, ManyTensors<"indices", "...", "one tensor per camera: indices of its queries", "Integer">];
  let tensorsOut = [Tensor<"y", "N,cameras,length,C", "as long as the longest indices, or as declared">];
}

def Compass_RotaryEmbeddingOp : Compass_Op<"rotary_embedding", "RotaryEmbedding", RotaryRule, [
  IntKey<"num_heads", "number of heads in the last axis, for an input of three axes", "0", [], [0, 65535], "Optional">,
  IntKey<"interleaved", "1: pairs are neighbours; 0: the first half pairs with the second", "0", [], [0, 1]>,
  IntKey<"rotary_embedding_dim", "number of values of a head that are rotated; 0: all", "0", [], NotNegative, "Optional">,
  FloatListKey<"rotate_rescale_cos", "factor of cosine products, one value", "Required", "Int">,
  FloatListKey<"rotate_rescale_sin", "factor of sine products, one value", "Required", "Int">,
  FloatListKey<"not_rotate_rescale", "factor of values that are not rotated, one value", "Required", "Int">], "inferRotaryEmbedding"> {
  let floatKernels = ["yk_rotary_float"];
  let intKernels = ["yk_rotary_int"];
  let resolved = [
    Resolved<"the result for a position without a row in the caches is not specified", "a negative position counts from the end; without a row, cosine and sine are 0">,
    Resolved<"the integer form is not specified", "no zero points; products are float32, rounded half to even, as in the reference">];
  let summary = "rotary position embedding";
  let formula = "each pair (a, b) of the rotated values becomes (a * cos - b * sin, a * sin + b * cos); the other values are kept";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "[N, heads, steps, size] or [N, steps, heads * size]">, Tensor<"cos", "...", "[positions, size / 2] or [N, steps, size / 2]">,
                   Tensor<"sin", "...", "as cos">, OptTensor<"positions", "...", "[N, steps], for caches of two axes", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "as x">];
}

#endif // YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCEOPS_TD
