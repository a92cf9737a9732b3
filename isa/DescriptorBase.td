//===- DescriptorBase.td - How an engine command is described -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One record describes one engine command ("descriptor"). From it come the C++
// struct with encoder, decoder and printer that compiler and simulator share
// (isa/Descriptors.h), the op of the `npu` dialect (dialects/npu/NpuOps.td),
// and the manual (docs/isa.md). Fields are packed in order into 32-bit words
// from bit 0 up; a field never straddles two words.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_DESCRIPTORBASE_TD
#define YARROW_ISA_DESCRIPTORBASE_TD

// What a command does with the bytes at an address: reads or writes an extent, a
// C++ expression over the descriptor's fields in the words of isa/Extent.h, if a
// condition over them holds. The hazards that the compiler orders and the ranges
// that the simulator checks come from here.
class FieldUse<bit writes, string bytes, string condition> {
  bit isWrite = writes;
  string extent = bytes;
  string when = condition;
}
class Reads<string extent, string when = "true"> : FieldUse<0, extent, when>;
class Writes<string extent, string when = "true"> : FieldUse<1, extent, when>;

// A field of a descriptor. kind: "uint", "int" (two's complement), "flag",
// "enum" (cppType names an enum of isa/Types.h), "sram" (a byte offset in the
// core's SRAM; the npu op takes a buffer for it), or "ddr" (a byte offset in
// the region that another field names).
class Field<string fieldName, int fieldWidth, string fieldDoc, string fieldKind = "uint", string enumType = ""> {
  string name = fieldName;
  int width = fieldWidth;
  string doc = fieldDoc;
  string kind = fieldKind;
  string cppType = enumType;
  // An enumeration whose 0 means that the command makes no use of the feature:
  // the printer leaves it out, as it does a number.
  bit zeroIsUnused = 0;
  // Of an address: what happens there, and the field with its region.
  list<FieldUse> uses = [];
  string region = "";
}
class U32<string n, string d> : Field<n, 32, d>;
class S32<string n, string d> : Field<n, 32, d, "int">;
class U16<string n, string d> : Field<n, 16, d>;
class S16<string n, string d> : Field<n, 16, d, "int">;
class U8<string n, string d> : Field<n, 8, d>;
class S8<string n, string d> : Field<n, 8, d, "int">;
class Flag<string n, string d> : Field<n, 1, d, "flag">;
class Enum<string n, string t, int w, string d> : Field<n, w, d, "enum", t>;
class Mode<string n, string t, int w, string d> : Enum<n, t, w, d> { let zeroIsUnused = 1; }
class Sram<string n, string d, list<FieldUse> u> : Field<n, 32, d, "sram"> { let uses = u; }
class Ddr<string n, string regionField, string d, list<FieldUse> u> : Field<n, 32, d, "ddr"> {
  let uses = u;
  let region = regionField;
}
class Reserved<int w> : Field<"_", w, "reserved, zero">;

// Which engine executes a descriptor.
class Engine<string n> { string name = n; }
def TensorEngine : Engine<"TensorEngine">;
def DmaEngine : Engine<"Dma">;

class Descriptor<string mnem, int opc, Engine e, list<Field> f> {
  string mnemonic = mnem;
  int opcode = opc;
  Engine engine = e;
  list<Field> fields = f;
  // Last words that programs need not have: missing ones are zero, and the
  // encoder leaves them out if they are. So a new field costs commands that do
  // not use it nothing, and executables of before stay valid.
  int optionalWords = 0;
  string summary = ?;
  string description = "";
}

#endif // YARROW_ISA_DESCRIPTORBASE_TD
