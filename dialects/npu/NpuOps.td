//===- NpuOps.td - The machine's commands as ops --------------------------===//
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
include "mlir/Interfaces/SideEffectInterfaces.td"
include "isa/Descriptors.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::yarrow::npu";
  let summary = "A network as commands of the NPU's engines";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

// What planning, scheduling and emission ask of a command, whatever it is.
def Npu_CommandOpInterface : OpInterface<"CommandOpInterface"> {
  let cppNamespace = "::yarrow::npu";
  let description = "A command of an engine, or a kernel on the TECs.";
  let methods = [
    InterfaceMethod<"The unit that executes it, in order with the unit's other commands.", "::yarrow::isa::Unit", "getUnit">,
    InterfaceMethod<"All memory that it reads or writes, as bounding ranges.",
      "::llvm::SmallVector<Access>", "getAccesses">,
    InterfaceMethod<[{The descriptor that the engine executes, with the addresses of placed buffers
      added to the offsets. None for a kernel.}],
      "::std::optional<::yarrow::isa::AnyDescriptor>", "getDescriptor">
  ];
}

class Npu_Op<string mnemonic, list<Trait> traits = []> : Op<Npu_Dialect, mnemonic, !listconcat(traits, [
  DeclareOpInterfaceMethods<Npu_CommandOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

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

def Npu_KernelOp : Npu_Op<"kernel"> {
  let summary = "an operator's kernel on all TECs";
  let description = [{
    Calls `symbol` (kernels/registry/Kernels.def) with `params`. `roles` has one entry
    per kernel buffer: 0 null, 1 read, 2 written, 3 both. The operands are the
    buffers that are not null, in order; each starts at its entry of `offsets`, in bytes.
  }];
  let arguments = (ins Variadic<Npu_BufferType>:$buffers, StrAttr:$symbol,
    DenseI8ArrayAttr:$params, DenseI64ArrayAttr:$roles, DenseI64ArrayAttr:$offsets,
    DenseI64ArrayAttr:$sizes, OptionalAttr<DenseI64ArrayAttr>:$waits);
  let assemblyFormat = "$symbol `(` $buffers `)` attr-dict";
}

class Npu_Capital<Field f> {
  string name = !toupper(!substr(f.name, 0, 1)) # !substr(f.name, 1);
}
// An enumeration of isa/Types.h: #npu.element_type<int8>.
class Npu_Enum<string enumType, string word, string prefix = enumType> : AttrDef<Npu_Dialect, prefix> {
  defvar qualified = "::yarrow::isa::" # enumType;
  let mnemonic = word;
  let parameters = (ins AttrParameter<qualified, enumType>:$value);
  let assemblyFormat = "`<` custom<Enum>($value) `>`";
  let returnType = qualified;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::yarrow::npu::" # prefix # "Attr::get($_builder.getContext(), $0)";
}
def Npu_ElementType : Npu_Enum<"ElementType", "element_type">;
def Npu_Activation : Npu_Enum<"Activation", "activation">;
def Npu_SumOp : Npu_Enum<"SumOp", "sum_op">;
def Npu_PoolMethod : Npu_Enum<"PoolMethod", "pool_method">;
def Npu_WinogradMode : Npu_Enum<"WinogradMode", "winograd_mode">;
// mlir has a UnitAttr.
def Npu_Unit : Npu_Enum<"Unit", "unit", "CommandUnit">;
// A unit that executes copies.
def Npu_DmaQueue : ConfinedAttr<Npu_Unit, [AttrConstraint<CPred<
  "::yarrow::npu::isDmaQueue(::llvm::cast<::yarrow::npu::CommandUnitAttr>($_self).getValue())">, "a queue of the DMA">]>;

// A field's values are those that its bits hold.
class Npu_FieldAttr<Field f> {
  defvar isSigned = !eq(f.kind, "int");
  defvar lowest = !if(isSigned, !sub(0, !shl(1, !sub(f.width, 1))), 0);
  defvar highest = !sub(!shl(1, !if(isSigned, !sub(f.width, 1), f.width)), 1);
  Attr attr = !if(!eq(f.kind, "enum"),
    DefaultValuedOptionalAttr<!cast<Attr>("Npu_" # f.cppType), "::yarrow::isa::" # f.cppType # "{}">,
    DefaultValuedOptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<lowest>, IntMaxValue<highest>]>, "0">);
}
// The statement that makes an attribute of a descriptor's field; one that is 0
// has none.
class Npu_Setter<Field f> {
  string result = "if (d." # f.name # " != decltype(d." # f.name # "){}) attributes.append(\"" # f.name # "\", " #
    !if(!eq(f.kind, "enum"), f.cppType # "Attr::get(builder.getContext(), d." # f.name # ")",
        "builder.getI64IntegerAttr(d." # f.name # ")") # ");";
}
// The statement that fills a field of a descriptor from the op.
class Npu_Getter<Field f> {
  string value = "get" # Npu_Capital<f>.name # "()";
  string address = !if(!empty(f.uses), "", " + addressOf(get" # Npu_Capital<f>.name # "Buffer(), withAddresses)");
  string result = "d." # f.name # " = static_cast<decltype(d." # f.name # ")>(" # value # address # ");";
}

// An engine command. Each address field f has an operand fBuffer beside the
// attribute f, which is the offset in that buffer.
class Npu_CommandOp<Descriptor d, dag more = (ins)> : Npu_Op<d.mnemonic, [AttrSizedOperandSegments]> {
  defvar named = !filter(f, d.fields, !ne(f.name, "_"));
  defvar addresses = !filter(f, d.fields, !or(!eq(f.kind, "sram"), !eq(f.kind, "ddr")));
  let summary = d.summary;
  let description = d.description;
  let arguments = !con(
    !dag(ins, !foreach(f, addresses, Optional<Npu_BufferType>), !foreach(f, addresses, f.name # "Buffer")),
    !dag(ins, !foreach(f, named, Npu_FieldAttr<f>.attr), !foreach(f, named, f.name)),
    (ins OptionalAttr<DenseI64ArrayAttr>:$waits), more);
  let extraClassDeclaration = "using Descriptor = ::yarrow::isa::" # !cast<string>(d) # ";" # [{
    /// With the addresses of the buffers that have one, or with offsets in them.
    Descriptor describe(bool withAddresses);
    /// The buffer of one of Descriptor::kAddressFields, or null.
    ::mlir::Value bufferOf(unsigned field);
    /// The descriptor's fields as attributes.
    static ::mlir::NamedAttrList attributesOf(const Descriptor &d, ::mlir::Builder &builder);
  }];
  let extraClassDefinition = [{
    }] # "::yarrow::isa::" # !cast<string>(d) # [{ $cppClass::describe(bool withAddresses) {
      Descriptor d;
      }] # !interleave(!foreach(f, named, Npu_Getter<f>.result), "\n      ") # [{
      return d;
    }
    ::mlir::Value $cppClass::bufferOf(unsigned field) {
      auto [begin, size] = getODSOperandIndexAndLength(field);
      return size ? getOperation()->getOperand(begin) : ::mlir::Value();
    }
    ::mlir::NamedAttrList $cppClass::attributesOf(const Descriptor &d, ::mlir::Builder &builder) {
      ::mlir::NamedAttrList attributes;
      }] # !interleave(!foreach(f, named, Npu_Setter<f>.result), "\n      ") # [{
      return attributes;
    }
    ::llvm::SmallVector<::yarrow::npu::Access> $cppClass::getAccesses() { return accessesOfCommand(*this); }
    ::std::optional<::yarrow::isa::AnyDescriptor> $cppClass::getDescriptor() { return descriptorOfCommand(*this); }
    ::yarrow::isa::Unit $cppClass::getUnit() { return unitOfCommand(*this); }
    void $cppClass::getEffects(MemoryEffectList &effects) { addEffects(*this, effects); }
  }];
}
def Npu_CopyOp : Npu_CommandOp<Copy, (ins
  DefaultValuedOptionalAttr<Npu_DmaQueue, "::yarrow::isa::Unit::DmaLoad">:$queue)>;
def Npu_ConvOp : Npu_CommandOp<Conv>;
def Npu_MatMulOp : Npu_CommandOp<MatMul>;
def Npu_PoolOp : Npu_CommandOp<Pool>;

// Control flow of the device. Between control ops, commands run as a block: the
// TECs wait for all of it before they decide, and its waits count from where the
// counters are when it begins. So a block can be executed any number of times.
class Npu_ControlOp<string mnemonic> : Op<Npu_Dialect, mnemonic, [NoTerminator, SingleBlock]> {
  let arguments = (ins Npu_BufferType:$flag, DefaultValuedOptionalAttr<I64Attr, "0">:$offset,
    DefaultValuedOptionalAttr<I64Attr, "1">:$size_bytes);
  let extraClassDeclaration = [{
    /// What every TEC reads to decide.
    Access getFlagAccess() {
      return {getFlag(), uint64_t(getOffset()), uint64_t(getSizeBytes()), false};
    }
  }];
}

def Npu_IfOp : Npu_ControlOp<"if"> {
  let summary = "one of two blocks";
  let description = [{
    Executes `then` if the integer of `size_bytes` bytes at `offset` of `flag` is
    not 0, otherwise `otherwise`.

      npu.if %flag {offset = 4 : i64, size_bytes = 4 : i64} then {
        npu.kernel ...
      } otherwise {
      }
  }];
  let regions = (region SizedRegion<1>:$then, SizedRegion<1>:$otherwise);
  let assemblyFormat = "$flag attr-dict `then` $then `otherwise` $otherwise";
}

def Npu_WhileOp : Npu_ControlOp<"while"> {
  let summary = "a block that is repeated";
  let description = [{
    Executes `body` while the integer of `size_bytes` bytes at `offset` of `flag`
    is not 0; it is read before each iteration.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$flag attr-dict `do` $body";
}

def Npu_CoresOp : Op<Npu_Dialect, "cores", [NoTerminator, SingleBlock]> {
  let summary = "blocks that cores execute in parallel";
  let description = [{
    Each part runs on its own core. The parts start when all commands before the op
    are complete, and later commands start when all parts are. Parts are
    independent: each has only its own data in SRAM, and writes no DDR that
    another part reads or writes. One core executes the commands between two of
    these ops. Blocks of commands, parts included, are the cores' in turn, and
    the SRAM of a core keeps what it holds from one of its blocks to the next.

      npu.cores {
        npu.conv ...
      }, {
        npu.conv ...
      }
  }];
  let regions = (region VariadicRegion<SizedRegion<1>>:$parts);
  let assemblyFormat = "$parts attr-dict";
}

#endif // YARROW_DIALECTS_NPU_NPUOPS_TD
