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

/// 12, 0x1F, 017, each with U or not; 0f3F800000, 0d3FF0000000000000; 1.5,
/// which is a double.
Token Lexer::number(Token T) {
  size_t Begin = Pos;
  while (isLetter(at(Pos)) || at(Pos) == '.')
    ++Pos;
  std::string Text = Source.substr(Begin, Pos - Begin);
  char Second = static_cast<char>(tolower(Text[Text.size() > 1]));
  char *End = &Text[0];
  T.Is = Token::Integer;
  if (Second == 'f' || Second == 'd') {
    T.Is = Token::Float;
    T.Width = Second == 'f' ? 32 : 64;
    if (Text.size() == 2 + T.Width / 4)
      T.Bits = strtoull(&Text[2], &End, 16);
  } else if (Text.find('.') != std::string::npos) {
    T.Is = Token::Float;
    T.Width = 64;
    double Value = strtod(&Text[0], &End);
    memcpy(&T.Bits, &Value, 8);
  } else {
    T.Bits = strtoull(&Text[0], &End, 0);
    if (*End == 'U')
      ++End;
  }
  if (*End)
    throw SyntaxError{Line, "'" + Text + "' is not a number"};
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
