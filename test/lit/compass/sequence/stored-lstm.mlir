// What StoredLSTM does not take: parts that are no cell, and lengths that do not
// fit.
// RUN: yarrow-opt %s -split-input-file -verify-diagnostics

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>

func.func @gate(%x: tensor<2x3x!q>, %h: tensor<2x4x!q>, %c: tensor<2x4x!c>, %w: tensor<4x3x!q>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{the key parts does not name the operands that the layer needs}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %r, %b) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias"], gate_steps = array<f64: 0.1, 0.1, 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<2x3x!q>, tensor<2x4x!q>, tensor<2x4x!c>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>) -> (tensor<2x4x!q>, tensor<2x4x!c>)
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>

func.func @word(%x: tensor<2x3x!q>, %h: tensor<2x4x!q>, %c: tensor<2x4x!c>, %w: tensor<4x3x!q>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{8 names for 8 operands}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %r, %b, %w, %r) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias", "output_x", "output_h"], gate_steps = array<f64: 0.1, 0.1, 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<2x3x!q>, tensor<2x4x!q>, tensor<2x4x!c>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>) -> (tensor<2x4x!q>, tensor<2x4x!c>)
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>

func.func @shape(%x: tensor<2x3x!q>, %h: tensor<2x4x!q>, %c: tensor<2x4x!c>, %w: tensor<4x3x!q>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{the operand cell_h has a wrong shape}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %w, %b, %w, %r, %b) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias", "output_x", "output_h", "output_bias"], gate_steps = array<f64: 0.1, 0.1, 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<2x3x!q>, tensor<2x4x!q>, tensor<2x4x!c>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x3x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>) -> (tensor<2x4x!q>, tensor<2x4x!c>)
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>

func.func @steps(%x: tensor<2x3x!q>, %h: tensor<2x4x!q>, %c: tensor<2x4x!c>, %w: tensor<4x3x!q>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{the key gate_steps}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %r, %b, %w, %r, %b) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias", "output_x", "output_h", "output_bias"], gate_steps = array<f64: 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<2x3x!q>, tensor<2x4x!q>, tensor<2x4x!c>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>) -> (tensor<2x4x!q>, tensor<2x4x!c>)
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>

func.func @numbers(%x: tensor<2x3x!q>, %h: tensor<2x4x!q>, %c: tensor<2x4x!c>, %w: tensor<4x3x!q>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{found 1 : i64; expected a list of words}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %r, %b, %w, %r, %b) {parts = [1, 2, 3, 4, 5, 6, 7, 8, 9], gate_steps = array<f64: 0.1, 0.1, 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<2x3x!q>, tensor<2x4x!q>, tensor<2x4x!c>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>) -> (tensor<2x4x!q>, tensor<2x4x!c>)
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>
!z = !quant.uniform<i8:f32, 0.0078125:300>

func.func @zero(%x: tensor<2x3x!z>, %h: tensor<2x4x!q>, %c: tensor<2x4x!c>, %w: tensor<4x3x!q>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{found 300; expected -128 to 127}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %r, %b, %w, %r, %b) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias", "output_x", "output_h", "output_bias"], gate_steps = array<f64: 0.1, 0.1, 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<2x3x!z>, tensor<2x4x!q>, tensor<2x4x!c>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>) -> (tensor<2x4x!q>, tensor<2x4x!c>)
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>
!z = !quant.uniform<i8:f32, 0.0078125:5>

func.func @ignored(%x: tensor<2x3x!q>, %h: tensor<2x4x!q>, %c: tensor<2x4x!c>, %w: tensor<4x3x!z>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{found 5; expected 0}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %r, %b, %w, %r, %b) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias", "output_x", "output_h", "output_bias"], gate_steps = array<f64: 0.1, 0.1, 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<2x3x!q>, tensor<2x4x!q>, tensor<2x4x!c>, tensor<4x3x!z>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!z>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!z>, tensor<4x4x!q>, tensor<4xi32>) -> (tensor<2x4x!q>, tensor<2x4x!c>)
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.0078125>
!c = !quant.uniform<i16:f32, 0.000244140625>

func.func @batches(%x: tensor<1000000000x3x!q>, %h: tensor<1000000000x4x!q>, %c: tensor<1000000000x4x!c>, %w: tensor<4x3x!q>, %r: tensor<4x4x!q>, %b: tensor<4xi32>) {
  // expected-error @+1 {{a tensor has more elements than the layer can count}}
  %y:2 = compass.stored_lstm(%x, %h, %c, %w, %r, %b, %w, %r, %b, %w, %r, %b) {parts = ["forget_x", "forget_h", "forget_bias", "cell_x", "cell_h", "cell_bias", "output_x", "output_h", "output_bias"], gate_steps = array<f64: 0.1, 0.1, 0.1, 0.1>, hidden_step = 0.01 : f64, hidden_zp = 0 : i64} : (tensor<1000000000x3x!q>, tensor<1000000000x4x!q>, tensor<1000000000x4x!c>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>, tensor<4x3x!q>, tensor<4x4x!q>, tensor<4xi32>) -> (tensor<1000000000x4x!q>, tensor<1000000000x4x!c>)
  return
}
