// One wrong layer per family: the verifier says what it found and expected.
// RUN: yarrow-opt %s -split-input-file -verify-diagnostics

func.func @conv(%x: tensor<1x4x4x2xf32>) {
  // expected-error @+1 {{the layer has no key weights}}
  %y = compass.convolution(%x) {kernel_x = 3 : i64, kernel_y = 3 : i64, num_output = 2 : i64, biases = dense<0.0> : tensor<2xf32>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @shape(%x: tensor<1x4x4x2xf32>) {
  // expected-error @+1 {{found [1,3,3,2]; expected [1,2,2,2]}}
  %y = compass.pooling(%x) {kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  return
}

// -----

func.func @movement(%x: tensor<1x4x4x2xf32>) {
  // expected-error @+1 {{perm is not a permutation of the axes}}
  %y = compass.transpose(%x) {perm = array<i64: 0, 1, 1, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  return
}

// -----

func.func @concat(%x: tensor<1x4xf32>, %y: tensor<1x4x1xf32>) {
  // expected-error @+1 {{input 1 does not fit the others}}
  %z = compass.concat(%x, %y) {axis = 1 : i64} : (tensor<1x4xf32>, tensor<1x4x1xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @static(%x: tensor<1x?xf32>) {
  // expected-error @+1 {{needs tensors of static shape}}
  %y = compass.softmax(%x) {axis = 1 : i64} : (tensor<1x?xf32>) -> tensor<1x?xf32>
  return
}

// -----

func.func @graph() {
  // expected-error @+1 {{the layer has no key weights}}
  %y = compass.constant() : () -> tensor<4xf32>
  return
}
