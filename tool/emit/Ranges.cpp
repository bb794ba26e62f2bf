// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How sections are passed to the runtime. A contiguous run of elements behind
// an argument is
//
//   in(a[lo:n])       {a, (lo), (n)}
//
// and every other section has a shape:
//
//   in(A[0:n][2:m])   const struct agglom_dim ag_ranges_dims_1[] = {
//                       {0, n, 1, sizeof((A)[0])}, {2, m, 1, ...}};
//                     const struct agglom_shape ag_ranges_shape_1 = {A, ...};
//                     {&ag_ranges_shape_1, 0, 0}

#include "Emit.h"

using namespace clang;

namespace agglom {

/// Sections with the same key share a base pointer.
static std::string keyOf(const SectionPointer &P) {
  switch (P.Kind) {
  case SectionPointer::Argument:
    return "a" + std::to_string(P.Param->getFunctionScopeIndex()) + P.Text;
  case SectionPointer::Hidden:
    return "g" + P.Global->getNameAsString();
  case SectionPointer::Held:
  case SectionPointer::Host:
    break;
  }
  return "h" + P.Text;
}

static size_t groupOf(const Task &T, size_t I) {
  std::string Key = keyOf(T.Sections[I].Pointer);
  size_t First = 0;
  while (keyOf(T.Sections[First].Pointer) != Key)
    ++First;
  return First;
}

/// The members between a structure passed by value and the pointer in it.
static std::string pathTo(Emission &E, const Expr *P) {
  P = P->IgnoreParenImpCasts();
  if (auto *M = dyn_cast<MemberExpr>(P)) {
    std::string Name = M->getMemberDecl()->getNameAsString();
    return pathTo(E, M->getBase()) + (Name.empty() ? "" : "." + Name);
  }
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(P))
    return pathTo(E, Sub->getBase()) + "[" + E.Text.text(Sub->getIdx()) + "]";
  return "";
}

/// The field of the argument structure that holds the section's pointer.
static std::string argumentField(Emission &E, const Task &T, const Section &S) {
  const SectionPointer &P = S.Pointer;
  if (P.Kind == SectionPointer::Hidden)
    return hiddenName(P.Global);
  if (P.Kind != SectionPointer::Argument)
    return "";
  unsigned I = P.Param->getFunctionScopeIndex();
  return T.Definition->getParamDecl(I)->getNameAsString() + pathTo(E, P.E);
}

uint64_t elementSize(Emission &E, QualType T) {
  ASTContext &C = E.U.Context;
  return C
      .getTypeSizeInChars(T->isVariablyModifiedType() ? C.getBaseElementType(T)
                                                      : T)
      .getQuantity();
}

std::string sectionEntry(Emission &E, const Task &T, size_t I) {
  const Section &S = T.Sections[I];
  std::string Mode = S.Clause == ClauseId::In    ? "AGGLOM_IN"
                     : S.Clause == ClauseId::Out ? "AGGLOM_OUT"
                                                 : "AGGLOM_INOUT";
  if (S.Clause == ClauseId::Accumulate)
    Mode = accumulateMode(E, S);
  if (S.Overwrites)
    Mode += " | AGGLOM_OVERWRITES";
  if (!S.plain())
    Mode += " | AGGLOM_SHAPED";
  PresumedLoc P = E.U.Context.getSourceManager().getPresumedLoc(S.Loc);
  std::string Args = "struct " + generated(T, "args");
  std::string Field = argumentField(E, T, S);
  bool ByField =
      S.Param && S.plain() &&
      E.U.Context.hasSameType(S.Param->getType()->getPointeeType(), S.Element);
  std::string Size = ByField ? "sizeof *((" + Args + " *)0)->" + Field
                             : std::to_string(elementSize(E, S.Element));
  std::string Op = S.Op.empty() ? "" : S.Op + ": ";
  return "{" + quoted((spellingOf(S.Clause) + "(" + Op + S.Text + ")").str()) +
         ", " + std::to_string(P.isValid() ? P.getLine() : 0) + ", " + Mode +
         ", " + Size + ", " +
         (Field.empty() ? "0"
                        : "__builtin_offsetof(" + Args + ", " + Field + ")") +
         ", " + std::to_string(groupOf(T, I)) + ", " + accumulateEntry(T, I) +
         "}";
}

/// The declarations of a section's dimensions and shape, before its range.
static std::string shape(Emission &E, const Section &S, const std::string &Name,
                         const std::string &DimsName) {
  std::string Out, Dims = "0", Indexes = "0";
  unsigned N = 0;
  int IndexBytes = 0;
  std::string Block = "sizeof(*(" + S.Base + "))";
  if (S.gathers()) {
    Indexes = "(" + S.Indexes + ")";
    IndexBytes = int(elementSize(E, S.IndexType));
    if (S.IndexType->isSignedIntegerOrEnumerationType())
      IndexBytes = -IndexBytes;
  } else if (S.Dims.size() > 1 || S.Dims[0].Strided ||
             S.Element->isVariablyModifiedType()) {
    Out += "  const struct agglom_dim " + DimsName + "[] = {";
    std::string Element = "(" + S.Base + ")";
    for (const SectionDim &D : S.Dims) {
      Element += "[0]";
      Out += "{(" + D.Lo + "), (" + D.Len + "), (" + D.Step + "), sizeof(" +
             Element + ")}, ";
    }
    Out += "};\n";
    Dims = DimsName;
    N = S.Dims.size();
    Block = "sizeof(" + Element + ")";
  }
  std::string Holder = S.Pointer.Kind == SectionPointer::Held
                           ? "&(" + S.Pointer.Text + ")"
                           : "0";
  return Out + "  const struct agglom_shape " + Name + " = {(" + S.Base +
         "), " + Dims + ", " + std::to_string(N) + ", " +
         std::to_string(IndexBytes) + ", " + Block + ", " + Indexes + ", " +
         Holder + "};\n";
}

std::string sectionRanges(Emission &E, const std::vector<Section> &Sections,
                          StringRef Name) {
  if (Sections.empty())
    return "";
  std::string Shapes, Ranges;
  for (size_t I = 0; I < Sections.size(); ++I) {
    const Section &S = Sections[I];
    std::string Base = S.Base;
    if (!S.plain()) {
      std::string Number = std::to_string(I);
      std::string ShapeName = (Name + "_shape_" + Number).str();
      Shapes += shape(E, S, ShapeName, (Name + "_dims_" + Number).str());
      Base = "&" + ShapeName;
    }
    bool Own = S.plain() || S.gathers() || S.Dims.size() == 1;
    Ranges += "    {" + Base + ", (" + (Own ? S.Dims[0].Lo : "0") + "), (" +
              (Own ? S.Dims[0].Len : "0") + ")},\n";
  }
  return Shapes + "  const struct agglom_range " + Name.str() + "[] = {\n" +
         Ranges + "  };\n";
}

} // namespace agglom
