// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lexer.h"
#include <cctype>
#include <cstring>

namespace gpu_in_software::machine {

static bool isLetter(char C) {
  return isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '$' ||
         C == '%';
}

void Lexer::skipBlanks() {
  for (;;) {
    char C = at(Pos);
    if (C == '\n')
      ++Line, ++Pos;
    else if (C && isspace(static_cast<unsigned char>(C)))
      ++Pos;
    else if (C == '/' && at(Pos + 1) == '/')
      while (Pos < Source.size() && Source[Pos] != '\n')
        ++Pos;
    else if (C == '/' && at(Pos + 1) == '*') {
      unsigned Begin = Line;
      size_t Close = Source.find("*/", Pos + 2);
      if (Close == std::string::npos)
        throw SyntaxError{Begin, "a comment has no end"};
      for (; Pos < Close + 2; ++Pos)
        Line += Source[Pos] == '\n';
    } else
      return;
  }
}

/// 12, 0x1F, 017, 0b11, each with U or not; 0f3F800000, 0d3FF0000000000000;
/// 1.5e3, which is a double.
Token Lexer::number(Token T) {
  size_t Begin = Pos;
  auto wrong = [&]() {
    throw SyntaxError{Line, "'" + Source.substr(Begin, Pos - Begin) +
                                "' is not a number"};
  };
  char Second = static_cast<char>(tolower(at(Pos + 1)));
  if (at(Pos) == '0' && (Second == 'f' || Second == 'd')) {
    T.Is = Token::Float;
    T.Width = Second == 'f' ? 32 : 64;
    for (Pos += 2; isxdigit(static_cast<unsigned char>(at(Pos))); ++Pos)
      T.Bits = T.Bits << 4 | std::stoul(std::string(1, at(Pos)), nullptr, 16);
    if (Pos - Begin - 2 != T.Width / 4)
      wrong();
    return T;
  }
  T.Is = Token::Integer;
  unsigned Base = 10;
  if (at(Pos) == '0' && (Second == 'x' || Second == 'b'))
    Base = Second == 'x' ? 16 : 2, Pos += 2;
  else if (at(Pos) == '0' && isdigit(static_cast<unsigned char>(at(Pos + 1))))
    Base = 8;
  bool Point = false;
  for (; isalnum(static_cast<unsigned char>(at(Pos))) || at(Pos) == '.' ||
         ((at(Pos) == '-' || at(Pos) == '+') && Point &&
          tolower(at(Pos - 1)) == 'e');
       ++Pos) {
    char C = static_cast<char>(tolower(at(Pos)));
    if (Base == 10 && (C == '.' || C == 'e')) {
      Point = true;
      continue;
    }
    if (Point && isdigit(static_cast<unsigned char>(C)))
      continue;
    if (C == 'u' && !isalnum(static_cast<unsigned char>(at(Pos + 1)))) {
      ++Pos;
      return T;
    }
    unsigned Digit = isdigit(static_cast<unsigned char>(C)) ? C - '0'
                     : C >= 'a' && C <= 'f'                 ? C - 'a' + 10
                                                            : 99;
    if (Digit >= Base)
      wrong();
    T.Bits = T.Bits * Base + Digit;
  }
  if (Point) {
    T.Is = Token::Float;
    T.Width = 64;
    double Value = strtod(Source.substr(Begin, Pos - Begin).c_str(), nullptr);
    memcpy(&T.Bits, &Value, 8);
  }
  return T;
}

Token Lexer::next() {
  skipBlanks();
  Token T;
  T.Line = Line;
  if (Pos >= Source.size())
    return T;
  char C = Source[Pos];
  size_t Begin = Pos;
  if (isdigit(static_cast<unsigned char>(C)))
    return number(T);
  if (C == '"') {
    T.Is = Token::String;
    for (++Pos; at(Pos) != '"'; ++Pos)
      if (!at(Pos) || at(Pos) == '\n')
        throw SyntaxError{Line, "a string has no end"};
    T.Text = Source.substr(Begin + 1, Pos++ - Begin - 1);
    return T;
  }
  if (isLetter(C) || (C == '.' && isLetter(at(Pos + 1)))) {
    T.Is = C == '.' ? Token::Directive : Token::Word;
    // A dot goes on with an instruction, two colons with a modifier of it.
    for (++Pos;; ++Pos) {
      if (isLetter(at(Pos)) ||
          (T.Is == Token::Word && at(Pos) == '.' && isLetter(at(Pos + 1))))
        continue;
      if (at(Pos) == ':' && at(Pos + 1) == ':') {
        ++Pos;
        continue;
      }
      break;
    }
    T.Text = Source.substr(Begin, Pos - Begin);
    return T;
  }
  T.Is = Token::Mark;
  T.Text = std::string(1, C);
  ++Pos;
  return T;
}

} // namespace gpu_in_software::machine
