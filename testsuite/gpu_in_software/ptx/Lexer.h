// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of PTX.
#ifndef GPU_IN_SOFTWARE_PTX_LEXER_H
#define GPU_IN_SOFTWARE_PTX_LEXER_H

#include "Syntax.h"

namespace gpu_in_software::machine {

struct Token {
  enum Kind {
    End,
    Word,      // a name or an instruction: add.s32, %tid.x, $L__BB0_1
    Directive, // .reg
    Integer,
    Float,
    String,
    Mark // one character
  } Is = End;
  unsigned Line = 1;
  unsigned Width = 0; // of a Float, in bits
  uint64_t Bits = 0;
  std::string Text;
  bool is(char C) const { return Is == Mark && Text[0] == C; }
};

class Lexer {
public:
  explicit Lexer(const std::string &Source) : Source(Source) {}
  Token next();

private:
  void skipBlanks();
  Token number(Token T);
  char at(size_t I) const { return I < Source.size() ? Source[I] : 0; }

  const std::string &Source;
  size_t Pos = 0;
  unsigned Line = 1;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_PTX_LEXER_H
