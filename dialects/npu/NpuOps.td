//===- NpuOps.td - The machine's commands as ops ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A network lowered to one NPU: memory buffers, engine commands (one op per
// descriptor of isa/Descriptors.td, with the same fields), and kernels on the
// TECs, in the order in which a single engine would execute them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_NPUOPS_TD
#define YARROW_DIALECTS_NPU_NPUOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "isa/Descriptors.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::yarrow::npu";
  let summary = "A network as commands of the NPU's engines";
  let useDefaultTypePrinterParser = 1;
}

def Npu_BufferType : TypeDef<Npu_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of bytes in SRAM or DDR";
}

def Npu_BufferOp : Op<Npu_Dialect, "buffer"> {
  let summary = "memory that commands read and write";
  let description = [{
    `region` is 0 for SRAM, otherwise a region of DDR (isa/ElfLayout.h). The
    planner sets `address`, a byte offset in the region. A buffer of the weight
    region holds `data`.

      %w = npu.buffer {region = 1, size_bytes = 432, data = dense_resource<...>}
  }];
  let arguments = (ins I64Attr:$region, I64Attr:$size_bytes,
    OptionalAttr<StrAttr>:$buffer_name, OptionalAttr<ElementsAttr>:$data,
    OptionalAttr<I64Attr>:$address);
  let results = (outs Npu_BufferType:$buffer);
  let assemblyFormat = "attr-dict";
}

def Npu_KernelOp : Op<Npu_Dialect, "kernel"> {
  let summary = "an operator kernel on all TECs";
  let description = [{
    Calls `symbol` (kernels/Kernels.def) with `params`. `roles` has one entry
    per kernel buffer: 0 null, 1 read, 2 written, 3 both; the operands are the
    buffers that are not null, in order, each `offsets` bytes in.
  }];
  let arguments = (ins Variadic<Npu_BufferType>:$buffers, StrAttr:$symbol,
    DenseI8ArrayAttr:$params, DenseI64ArrayAttr:$roles, DenseI64ArrayAttr:$offsets,
    DenseI64ArrayAttr:$sizes, OptionalAttr<DenseI64ArrayAttr>:$waits);
  let assemblyFormat = "$symbol `(` $buffers `)` attr-dict";
}

// An engine command. Each address field f has an operand fBuffer beside the
// attribute f, which is the offset in that buffer.
class Npu_CommandOp<Descriptor d, dag more = (ins)> : Op<Npu_Dialect, d.mnemonic, [AttrSizedOperandSegments]> {
  defvar named = !filter(f, d.fields, !ne(f.name, "_"));
  defvar addresses = !filter(f, d.fields, !or(!eq(f.kind, "sram"), !eq(f.kind, "ddr")));
  let summary = d.summary;
  let description = d.description;
  let arguments = !con(
    !dag(ins, !foreach(f, addresses, Optional<Npu_BufferType>), !foreach(f, addresses, f.name # "Buffer")),
    !dag(ins, !foreach(f, named, DefaultValuedOptionalAttr<I64Attr, "0">), !foreach(f, named, f.name)),
    (ins OptionalAttr<DenseI64ArrayAttr>:$waits), more);
}
def Npu_CopyOp : Npu_CommandOp<Copy, (ins DefaultValuedOptionalAttr<I64Attr, "1">:$queue)>;
def Npu_ConvOp : Npu_CommandOp<Conv>;
def Npu_MatMulOp : Npu_CommandOp<MatMul>;
def Npu_PoolOp : Npu_CommandOp<Pool>;

#endif // YARROW_DIALECTS_NPU_NPUOPS_TD
