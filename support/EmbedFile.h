//===- EmbedFile.h - Bytes of a file in the program -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file of the tree as bytes between two symbols, read by the assembler; the
// build has to name it among what the source depends on.
//
//   YARROW_EMBED_FILE(yarrow_demo_network, YARROW_DEMO_FOLDER "/digits.txt")
//   std::string_view text(yarrow_demo_network, yarrow_demo_network_end);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_EMBEDFILE_H
#define YARROW_SUPPORT_EMBEDFILE_H

#define YARROW_EMBED_FILE(SYMBOL, PATH)                                        \
  asm(".section .rodata\n.balign 16\n"                                         \
      ".globl " #SYMBOL "\n" #SYMBOL ":\n"                                     \
      ".incbin \"" PATH "\"\n"                                                 \
      ".globl " #SYMBOL "_end\n" #SYMBOL "_end:\n"                             \
      ".previous\n");                                                          \
  extern "C" const char SYMBOL[], SYMBOL##_end[];

#endif // YARROW_SUPPORT_EMBEDFILE_H
