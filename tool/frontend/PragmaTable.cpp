// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PragmaTable.h"
#include "Unit.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace agglom {

static const DirectiveInfo DirectiveTable[] = {
#define AGGLOM_DIRECTIVE(Id, Spelling, Where, Help)                            \
  {DirectiveId::Id, Spelling, Place::Where, Help},
#include "directives.def"
};

static const ClauseInfo ClauseTable[] = {
#define AGGLOM_CLAUSE(Directive, Id, Spelling, Argument, Help)                 \
  {DirectiveId::Directive, ClauseId::Id, Spelling, ArgumentForm::Argument,     \
   Help},
#include "directives.def"
};

ArrayRef<DirectiveInfo> directives() { return DirectiveTable; }
ArrayRef<ClauseInfo> clauses() { return ClauseTable; }

const DirectiveInfo *findDirective(StringRef Spelling) {
  for (const DirectiveInfo &D : DirectiveTable)
    if (D.Spelling == Spelling)
      return &D;
  return nullptr;
}

const ClauseInfo *findClause(DirectiveId D, StringRef Spelling) {
  for (const ClauseInfo &C : ClauseTable)
    if (C.Directive == D && C.Spelling == Spelling)
      return &C;
  return nullptr;
}

const ClauseInfo *findClauseAnywhere(StringRef Spelling) {
  for (const ClauseInfo &C : ClauseTable)
    if (C.Spelling == Spelling)
      return &C;
  return nullptr;
}

StringRef spellingOf(DirectiveId Id) {
  for (const DirectiveInfo &D : DirectiveTable)
    if (D.Id == Id)
      return D.Spelling;
  return "";
}

StringRef spellingOf(ClauseId Id) {
  for (const ClauseInfo &C : ClauseTable)
    if (C.Id == Id)
      return C.Spelling;
  return "";
}

namespace {
/// Keeps the candidate nearest to a misspelt word.
class Nearest {
  StringRef Word;
  StringRef Best;
  unsigned BestDistance;

public:
  explicit Nearest(StringRef Word)
      : Word(Word),
        BestDistance(
            Word.size() < 4 ? 2 : std::max<size_t>(2, Word.size() / 3) + 1) {}
  void offer(StringRef Candidate) {
    unsigned Distance = Word.edit_distance(Candidate, true, BestDistance);
    if (Distance < BestDistance) {
      Best = Candidate;
      BestDistance = Distance;
    }
  }
  StringRef best() const { return Best; }
};
} // namespace

StringRef suggestDirective(StringRef Word) {
  Nearest N(Word);
  for (const DirectiveInfo &D : DirectiveTable)
    N.offer(D.Spelling);
  return N.best();
}

StringRef suggestClause(DirectiveId D, StringRef Word) {
  Nearest N(Word);
  for (const ClauseInfo &C : ClauseTable)
    if (C.Directive == D)
      N.offer(C.Spelling);
  return N.best();
}

static StringRef argumentPattern(ArgumentForm A) {
  switch (A) {
  case ArgumentForm::None:
    return "";
  case ArgumentForm::Sections:
    return "(p[lo:len], ...)";
  case ArgumentForm::Expr:
    return "(expression)";
  case ArgumentForm::Name:
    return "(identifier)";
  case ArgumentForm::Choice:
    return "(word)";
  case ArgumentForm::Vars:
    return "(variables)";
  case ArgumentForm::OpVars:
    return "(operator: variables)";
  case ArgumentForm::OpSections:
    return "(operator: p[lo:len], ...)";
  case ArgumentForm::KindFunction:
    return "(kind: function)";
  case ArgumentForm::Schedule:
    return "(kind[, size])";
  }
  return "";
}

std::string pragmaHelp() {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "#pragma agglom directive [clause[, ]]...\n";
  for (const DirectiveInfo &D : DirectiveTable) {
    OS << '\n' << D.Spelling << '\n' << "    " << D.Help << '\n';
    for (const ClauseInfo &C : ClauseTable) {
      if (C.Directive != D.Id)
        continue;
      OS << "  " << C.Spelling << argumentPattern(C.Argument) << '\n'
         << "      " << C.Help << '\n';
    }
  }
  return OS.str();
}

} // namespace agglom
