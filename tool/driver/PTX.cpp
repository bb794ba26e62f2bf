// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PTX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <set>
#include <vector>

using namespace llvm;

namespace agglom {

/// Takes the first line off \p Text, its end included.
static StringRef takeLine(StringRef &Text) {
  size_t End = Text.find('\n');
  StringRef Line = Text.take_front(End == Text.npos ? End : End + 1);
  Text = Text.drop_front(Line.size());
  return Line;
}

/// \p Line in ASCII. \p HasEscapes: a backslash escapes a character that PTX
/// does not allow.
static std::string inASCII(StringRef Line, bool HasEscapes) {
  if (!HasEscapes && all_of(Line, [](char C) { return isASCII(C); }))
    return Line.str(); // nearly always
  std::string Out;
  for (size_t I = 0; I != Line.size(); ++I) {
    char C = Line[I];
    bool IsEscape = HasEscapes && C == '\\' && I + 1 != Line.size();
    if (IsEscape)
      C = Line[++I];
    if (isASCII(C) && !IsEscape)
      Out += C;
    else
      Out += "$" + toHex(StringRef(&C, 1), /*LowerCase=*/true);
  }
  return Out;
}

/// A line of debug info: .file 1 "axpy.c"
static std::string portableFile(StringRef Line) {
  std::string Out = inASCII(Line, /*HasEscapes=*/true);
  if (size_t Quote = Out.rfind('"'); Quote != Out.npos)
    Out.replace(Quote + 1, Out.npos, ", 1, 1\n");
  return Out;
}

/// Whether \p Line is the whole of a variable of the module:
///   .visible .global .align 8 .u64 table[2] = {generic(first), 0};
static bool isVariable(StringRef Line) {
  for (StringRef Linkage : {".visible ", ".weak ", ".extern ", ".common "})
    Line.consume_front(Linkage);
  return (Line.starts_with(".global ") || Line.starts_with(".const ")) &&
         Line.ends_with(";\n");
}

static bool isNameChar(char C) { return isAlnum(C) || C == '_' || C == '$'; }

/// The names in \p Text, directives and numbers left out.
static std::vector<StringRef> namesIn(StringRef Text) {
  std::vector<StringRef> Out;
  for (size_t I = 0; I != Text.size();) {
    size_t Begin = I;
    while (I != Text.size() && isNameChar(Text[I]))
      ++I;
    bool IsDirective = Begin && Text[Begin - 1] == '.';
    if (I == Begin)
      ++I;
    else if (!isDigit(Text[Begin]) && !IsDirective)
      Out.push_back(Text.slice(Begin, I));
  }
  return Out;
}

/// Appends the variables sorted by name, but each behind the variables that its
/// initialiser names.
static void putInOrder(ArrayRef<StringRef> Variables, std::string &Out) {
  StringMap<size_t> ByName;
  std::vector<StringRef> Names;
  for (size_t I = 0; I != Variables.size(); ++I) {
    std::vector<StringRef> Declared = namesIn(Variables[I].split('=').first);
    Names.push_back(Declared.empty() ? StringRef() : Declared.back());
    ByName[Names.back()] = I;
  }
  std::vector<std::vector<size_t>> NamedBy(Variables.size());
  std::vector<size_t> Waiting(Variables.size()); // how many each names
  for (size_t I = 0; I != Variables.size(); ++I) {
    std::set<size_t> Named;
    for (StringRef Name : namesIn(Variables[I].split('=').second))
      if (auto It = ByName.find(Name); It != ByName.end() && It->second != I)
        Named.insert(It->second);
    Waiting[I] = Named.size();
    for (size_t Other : Named)
      NamedBy[Other].push_back(I);
  }
  std::set<std::pair<StringRef, size_t>> Ready;
  for (size_t I = 0; I != Variables.size(); ++I)
    if (!Waiting[I])
      Ready.insert({Names[I], I});
  size_t Put = 0;
  std::string Text;
  for (; !Ready.empty(); ++Put) {
    size_t I = Ready.begin()->second;
    Ready.erase(Ready.begin());
    Text += Variables[I];
    for (size_t Other : NamedBy[I])
      if (!--Waiting[Other])
        Ready.insert({Names[Other], Other});
  }
  if (Put == Variables.size())
    Out += Text;
  else // a cycle: in Clang's order
    for (StringRef Line : Variables)
      Out += Line;
}

std::string portablePTX(StringRef Text) {
  std::string Out;
  std::vector<StringRef> Variables; // of the lines before this one
  while (!Text.empty()) {
    StringRef Line = takeLine(Text);
    if (isVariable(Line)) {
      Variables.push_back(Line);
      continue;
    }
    putInOrder(Variables, Out);
    Variables.clear();
    Out += Line.ltrim().starts_with(".file\t")
               ? portableFile(Line)
               : inASCII(Line, /*HasEscapes=*/false);
  }
  putInOrder(Variables, Out);
  return Out;
}

} // namespace agglom
