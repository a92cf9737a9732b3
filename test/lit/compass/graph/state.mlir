// States: what is printed and read again, and what the verifier says of others.
// RUN: yarrow-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: compass.input() {input_index = 1 : i64, state_initial = dense<{{.*}}> : tensor<1x2xf32>, state_output = 1 : i64}
func.func @main() -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %x = compass.input() {input_index = 0 : i64} : () -> tensor<1x2xf32>
  %h = compass.input() {input_index = 1 : i64, state_output = 1 : i64, state_initial = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %y = compass.eltwise(%x, %h) {method = "ADD"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y, %x : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

func.func @main() -> tensor<1x3xf32> {
  %x = compass.input() {input_index = 0 : i64} : () -> tensor<1x3xf32>
  // expected-error @+1 {{differ in type}}
  %h = compass.input() {input_index = 1 : i64, state_output = 0 : i64} : () -> tensor<1x2xf32>
  return %x : tensor<1x3xf32>
}

// -----

!a = tensor<1x2x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x2x!quant.uniform<i8:f32, 0.25>>
func.func @main() -> !b {
  %x = compass.input() {input_index = 0 : i64} : () -> !b
  // expected-error @+1 {{found int8[1,2], scale 2.000000, zp 0; expected int8[1,2], scale 4.000000, zp 0}}
  %h = compass.input() {input_index = 1 : i64, state_output = 0 : i64} : () -> !a
  return %x : !b
}

// -----

func.func @main() -> tensor<1x2xf32> {
  // expected-error @+1 {{the initial value of the state does not have the state's type}}
  %h = compass.input() {input_index = 0 : i64, state_output = 0 : i64, state_initial = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<1x2xf32>
  return %h : tensor<1x2xf32>
}

// -----

func.func @main() -> tensor<1x2xf32> {
  // expected-error @+1 {{found data of another size; expected float32[1,2]}}
  %h = compass.input() {input_index = 0 : i64, state_output = 0 : i64, state_initial = dense<1.0> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  return %h : tensor<1x2xf32>
}

// -----

func.func @main() -> tensor<1x2xf32> {
  // expected-error @+1 {{the input has initial values, but is not a state}}
  %h = compass.input() {input_index = 0 : i64, state_initial = dense<1.0> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  return %h : tensor<1x2xf32>
}

// -----

func.func @main() -> tensor<1x2xf32> {
  // expected-error @+1 {{two states have the same output as their next value}}
  %h = compass.input() {input_index = 0 : i64, state_output = 0 : i64} : () -> tensor<1x2xf32>
  %c = compass.input() {input_index = 1 : i64, state_output = 0 : i64} : () -> tensor<1x2xf32>
  return %h : tensor<1x2xf32>
}

// -----

func.func @part() -> tensor<1x2xf32> {
  // expected-error @+1 {{an input of a sub-graph cannot be a state}}
  %h = compass.input() {input_index = 0 : i64, state_output = 0 : i64} : () -> tensor<1x2xf32>
  return %h : tensor<1x2xf32>
}
