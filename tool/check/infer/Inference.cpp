// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inference.h"
#include "Model.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <iterator>

using namespace clang;

namespace agglom {

const InferredSection *Inference::of(unsigned Index) const {
  for (const InferredSection &S : Sections)
    if (S.Param->getFunctionScopeIndex() == Index)
      return &S;
  return nullptr;
}

std::string clauseOf(const InferredSection &S) {
  std::string Item = S.Text;
  size_t End = Item.find(']');
  if (StringRef(Item).take_front(End).ends_with(":1"))
    Item.erase(End - 2, 2);
  return (spellingOf(S.clause()) + "(" + Item + ")").str();
}

bool Inference::isInEach(const InferredSection &S) const {
  return S.Known && S.Assumption.empty() &&
         llvm::none_of(Body.All, [&](const Access &A) {
           return A.In == S.In && (A.Conditional || !Body.guards(A).empty());
         });
}

std::optional<Extent> extentOf(BodyAccesses &Body, const Access &A,
                               std::string &Why,
                               std::vector<SymbolId> *Assumed) {
  if (!A.Known) {
    Why = isa_and_nonnull<CallExpr>(A.Why)
              ? "a function gets the pointer whose accesses are not known"
              : "the position of an access is computed from values that are "
                "not known when the task is called";
    return std::nullopt;
  }
  if (A.Doubt) {
    Why = "an access depends on a condition on its position";
    return std::nullopt;
  }
  Facts F(Body.Names, A.Given, Assumed);
  std::optional<Poly> Lo = F.limit(A.From, false);
  std::optional<Poly> Hi = F.limit(A.From + A.Size, true);
  if (!Lo || !Hi) {
    Why = "a loop around an access has no bound that is made of the parameters";
    return std::nullopt;
  }
  F.Rough = false;
  std::optional<Poly> Exact = F.limit(A.From + A.Size, true);
  return Extent{*Lo, *Hi, Exact ? *Exact : *Hi};
}

/// Whether \p A takes place only for some values of the parameters.
static bool guarded(const Symbols &Names, const Access &A) {
  for (const Poly &Fact : A.Given)
    for (const auto &[M, C] : Fact.terms())
      for (SymbolId Id : M)
        if (!Names[Id].Bound && !Names[Id].Counter)
          return true;
  return false;
}

namespace {
/// The extents of one parameter's accesses become a section.
class Union {
  BodyAccesses &Body;
  InferredSection &S;
  const FunctionDecl *Names; ///< whose parameter names the text has
  struct Piece {
    Extent E;
    const Access *A;
  };
  std::vector<Piece> Pieces;
  bool Wide = false;
  bool LongEnough = false; ///< the non-constant end was assumed to be furthest
  int64_t AtLeast = 0;     ///< least end in bytes; 0: none
  std::vector<SymbolId> Assumed;

  /// The end of a piece that covers all pieces on one side. The facts of a
  /// piece hold whenever the piece is accessed.
  std::optional<Poly> cover(bool Upper, bool Exact = false) {
    auto End = [&](const Piece &P) {
      return !Upper ? P.E.Lo : Exact ? P.E.Exact : P.E.Hi;
    };
    auto Covers = [&](const Poly &Candidate, const Piece &P) {
      Poly Spare = Upper ? Candidate - End(P) : End(P) - Candidate;
      if (std::optional<int64_t> C = Spare.constant())
        return *C >= 0;
      return Facts(Body.Names, P.A->Given).nonNegative(Spare);
    };
    for (const Piece &Candidate : Pieces)
      if (llvm::all_of(Pieces, [&](const Piece &P) {
            return Covers(End(Candidate), P);
          }))
        return End(Candidate);
    // For x[0] and x[0:n], n is assumed to be at least 1. Where nothing
    // suggests that n reaches as far as a constant piece, x[9], the section
    // covers the longer one.
    for (const Piece &Candidate : Pieces) {
      int64_t Most = 0;
      bool Taken = false;
      if (!Upper || End(Candidate).constant())
        continue;
      if (llvm::all_of(Pieces, [&](const Piece &P) {
            std::optional<int64_t> C = End(P).constant();
            if (Covers(End(Candidate), P))
              return true;
            if (!C || Body.Names.hasRange(P.A->From))
              return false; // x[(unsigned char)i]: no such number is meant
            if (isMeant(*Candidate.A, *P.A, End(Candidate) - Poly(*C)))
              Taken = true;
            else
              Most = std::max(Most, *C);
            return true;
          })) {
        LongEnough |= Taken;
        AtLeast = Most;
        return End(Candidate);
      }
    }
    return std::nullopt;
  }

  /// Whether it may be assumed that \p Furthest reaches beyond \p Other by \p
  /// Spare: when it does so in a loop with an iteration, or in any case.
  bool isMeant(const Access &Furthest, const Access &Other,
               const Poly &Spare) const {
    return !guarded(Body.Names, Other) &&
           (!guarded(Body.Names, Furthest) ||
            Facts(Body.Names, Furthest.Given).nonNegative(Spare));
  }

public:
  Union(BodyAccesses &Body, InferredSection &S, const FunctionDecl *Names)
      : Body(Body), S(S), Names(Names) {}

  bool add(const Access &A) {
    std::optional<Extent> E = extentOf(Body, A, S.Why, &Assumed);
    if (!E) {
      S.WhyAt = A.At;
      return false;
    }
    Pieces.push_back({*E, &A});
    Wide |= A.Wide;
    return true;
  }

  bool finish(ASTContext &Context, StringRef Name) {
    QualType Element = S.Element;
    std::string Rest; // the brackets of an array of variable size
    Poly Row;
    if (Element->isVariablyModifiedType())
      Row = rowOf(Context, Element, Rest);
    if ((Element->isVariablyModifiedType() && !Row.valid()) ||
        Element->isIncompleteType() || Element->isVoidType() ||
        Element->isFunctionType()) {
      S.Why = "the size of its elements is not a constant";
      return false;
    }
    std::optional<Poly> Lo = cover(false), Hi = cover(true);
    // The exact end avoids x[0:n + 1] where the loop's own bound gives x[0:n].
    if (!Hi || Hi->constantTerm())
      if (std::optional<Poly> Exact = cover(true, true))
        Hi = Exact;
    if (!Lo || !Hi) {
      S.Why = "which of several accesses reaches furthest is not known";
      return false;
    }
    if (AtLeast && (!Rest.empty() || !Lo->constant())) {
      S.Why = "which of several accesses reaches furthest is not known";
      return false;
    }
    if (!Rest.empty()) {
      std::optional<Poly> First = rows(*Lo, Row, /*Up=*/false),
                          End = rows(*Hi, Row, /*Up=*/true);
      if (!First || !End) {
        S.Why = "which rows of the array are accessed is not known";
        return false;
      }
      return write(*First, *End - *First, Name, Rest);
    }
    int64_t Size = Context.getTypeSizeInChars(Element).getQuantity();
    if (!Size || !Lo->divisible(Size, true) || !Hi->divisible(Size, true)) {
      S.Why = "it is accessed in other units than its elements";
      return false;
    }
    Poly First = Lo->divided(Size, false);
    int64_t Least =
        AtLeast ? (AtLeast + Size - 1) / Size - First.constantTerm() : 0;
    return write(First, Hi->divided(Size, true) - First, Name, "", Least);
  }

private:
  /// The size in bytes of a \p T whose bounds are parameters and constants. \p
  /// Text gets the brackets that name all of it: [0:m].
  Poly rowOf(const ASTContext &Context, QualType T, std::string &Text) {
    if (!T->isVariablyModifiedType()) {
      if (T->isIncompleteType() || T->isFunctionType())
        return Poly::invalid();
      int64_t Size = Context.getTypeSizeInChars(T).getQuantity();
      while (const ConstantArrayType *A = Context.getAsConstantArrayType(T)) {
        Text += "[0:" + std::to_string(A->getSize().getZExtValue()) + "]";
        T = A->getElementType();
      }
      return Size;
    }
    const ArrayType *A = Context.getAsArrayType(T);
    if (!A)
      return Poly::invalid();
    if (auto *C = dyn_cast<ConstantArrayType>(A)) {
      int64_t N = C->getSize().getZExtValue();
      Text += "[0:" + std::to_string(N) + "]";
      return Poly(N) * rowOf(Context, A->getElementType(), Text);
    }
    auto *V = dyn_cast<VariableArrayType>(A);
    auto *Ref = V && V->getSizeExpr()
                    ? dyn_cast<DeclRefExpr>(V->getSizeExpr()->IgnoreImpCasts())
                    : nullptr;
    auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    if (!P || !P->getType()->isIntegerType())
      return Poly::invalid();
    StringRef Name = Names->getParamDecl(P->getFunctionScopeIndex())->getName();
    if (Name.empty())
      return Poly::invalid();
    Text += ("[0:" + Name + "]").str();
    Poly Count = Poly::symbol(Body.Names.named(
        Name.str(), P->getType()->isUnsignedIntegerOrEnumerationType(),
        Context.getTypeSize(P->getType()) <= 32));
    return Count * rowOf(Context, A->getElementType(), Text);
  }

  /// \p Bytes as a number of rows. Terms that are no whole rows must be a
  /// constant that the rounding covers: not positive for \p Up, else not
  /// negative.
  static std::optional<Poly> rows(const Poly &Bytes, const Poly &Row, bool Up) {
    if (Row.terms().size() != 1)
      return std::nullopt;
    const auto &[Factors, Size] = *Row.terms().begin();
    Poly Rows, Part = Bytes;
    for (const auto &[M, C] : Bytes.terms()) {
      if (C % Size)
        continue;
      Poly::Monomial Others;
      std::set_difference(M.begin(), M.end(), Factors.begin(), Factors.end(),
                          std::back_inserter(Others));
      if (Others.size() + Factors.size() != M.size())
        continue;
      Poly Quotient = C / Size;
      for (SymbolId Id : Others)
        Quotient = Quotient * Poly::symbol(Id);
      Rows = Rows + Quotient;
      Part = Part - Quotient * Row;
    }
    std::optional<int64_t> C = Part.constant();
    if (!C || (Up ? *C > 0 : *C < 0))
      return std::nullopt;
    return Rows;
  }

  /// Writes the section. \p Least: the least number of elements, whatever \p
  /// Len is.
  bool write(Poly Lo, Poly Len, StringRef Name, StringRef Rest,
             int64_t Least = 0) {
    S.Lo = std::move(Lo);
    S.Len = std::move(Len);
    std::string LoText = Body.Names.text(S.Lo, Wide);
    std::string LenText = length(Least);
    if (Name.empty() || StringRef(LoText + LenText).contains('<')) {
      S.Why = "a parameter has no name";
      return false;
    }
    for (SymbolId Id : Assumed)
      S.Assumption += (S.Assumption.empty() ? "" : " and ") +
                      Body.Names[Id].Text + " is not negative";
    if (LongEnough)
      S.Assumption += (S.Assumption.empty() ? "" : " and ") +
                      Body.Names.text(S.Lo + S.Len, Wide) +
                      " elements are there even when a loop has no iteration";
    S.Text = Name.str() + "[" + LoText + ":" + LenText + "]" + Rest.str();
    return true;
  }

  /// The text of the length, which is not negative even where nothing is
  /// accessed.
  std::string length(int64_t Least) {
    Poly Plus, Minus;
    for (const auto &[M, C] : S.Len.terms()) {
      Poly Term = C;
      for (SymbolId Id : M)
        Term = Term * Poly::symbol(Id);
      if (C > 0)
        Plus = Plus + Term;
      else
        Minus = Minus - Term;
    }
    std::string Text = Body.Names.text(S.Len, Wide);
    if (Least) {
      std::string Number = std::to_string(Least);
      return "(" + Text + " > " + Number + " ? " + Text + " : " + Number + ")";
    }
    if (Minus.isZero())
      return Text;
    if (S.Len.constant())
      return "0";
    return "(" + Body.Names.text(Plus, Wide) + " > " +
           Body.Names.text(Minus, Wide) + " ? " + Text + " : 0)";
  }
};
} // namespace

/// Infers section \p S from the accesses of \p Body. \p Name: the name of its
/// base in clauses.
static void inferOne(BodyAccesses &Body, ASTContext &Context,
                     InferredSection &S, StringRef Name,
                     const FunctionDecl *Names) {
  bool Known = true, Guarded = false, Ranged = false, MayStop = false,
       Chosen = false;
  Union All(Body, S, Names);
  for (const Access &A : Body.All) {
    if (!(A.In == S.In))
      continue;
    (A.Write ? S.Writes : S.Reads) = true;
    S.ReadsOld |= !A.Write && !A.OfOwnWrite;
    if (!A.Write && !S.FirstRead)
      S.FirstRead = A.At;
    if (A.Write && !S.FirstWrite)
      S.FirstWrite = A.At;
    Guarded |= guarded(Body.Names, A);
    Ranged |= A.Known && Body.Names.hasRange(A.From);
    MayStop |= A.MayStop;
    Chosen |= A.Conditional && guarded(Body.Names, A);
    Known = Known && All.add(A);
  }
  if (!S.Reads && !S.Writes)
    return;
  if (!Body.Obstacle.empty()) {
    Known = false;
    S.Why = Body.Obstacle;
  } else if (Body.Stray) {
    Known = false;
    S.Why = "a pointer is used whose origin is not known";
    S.WhyAt = Body.Stray;
  }
  S.Known = Known && All.finish(Context, Name);
  if (!S.Known || !S.Len.constant())
    return;
  // t[(short)i]: negative indexes are not meant.
  if (std::optional<int64_t> Lo = S.Lo.constant(); Ranged && Lo && *Lo < 0) {
    S.Known = false;
    S.Why = "the position of an access is computed from values that are not "
            "known when the task is called";
    return;
  }
  S.Doubtful = MayStop || Ranged || (Chosen && !Body.Iteration);
  // Only a guard such as i < n may limit the accesses to existing memory, to
  // valid indexes, or to the end of a loop.
  if (S.Doubtful || (Guarded && !Body.Iteration))
    S.Assumption += (S.Assumption.empty() ? "" : " and ") +
                    std::string("the elements ") + S.Text +
                    " are there even when a condition spares them";
  if (S.Doubtful)
    S.Why = "which of its elements are used depends on arguments, or on what "
            "memory holds";
}

/// The sections of \p Out.Body.
static void infer(Inference &Out, ASTContext &Context, const FunctionDecl *F,
                  const FunctionDecl *Names) {
  for (const ParmVarDecl *P : F->parameters()) {
    if (!P->getType()->isPointerType())
      continue;
    InferredSection S;
    S.Param = P;
    S.In = {P, true};
    S.Element = P->getType()->getPointeeType();
    inferOne(Out.Body, Context, S,
             Names->getParamDecl(P->getFunctionScopeIndex())->getName(), Names);
    if (S.Reads || S.Writes)
      Out.Sections.push_back(std::move(S));
  }
}

InferredSection inferIn(ASTContext &Context, Inference &I, Base In,
                        QualType Element, StringRef Name,
                        const FunctionDecl *Names) {
  InferredSection S;
  S.In = std::move(In);
  S.Element = Element;
  inferOne(I.Body, Context, S, Name, Names);
  return S;
}

InferredSection inferVariable(ASTContext &Context, Inference &I,
                              const VarDecl *V, const FunctionDecl *Names) {
  QualType T = V->getType();
  const ArrayType *Array = Context.getAsArrayType(T);
  InferredSection S =
      inferIn(Context, I, {V->getCanonicalDecl(), T->isPointerType()},
              T->isPointerType() ? T->getPointeeType()
              : Array            ? Array->getElementType()
                                 : T,
              V->getName(), Names);
  if (!T->isPointerType() && !Array) { // an object is always named as a whole
    S.Known = (S.Reads || S.Writes) && I.Body.Obstacle.empty();
    S.Text = V->getName().str();
    S.Assumption = "";
  }
  return S;
}

Inference inferSections(ASTContext &Context, const FunctionDecl *F,
                        const FunctionDecl *Names) {
  Inference Out;
  Out.Body = accessesOf(Context, F, Names);
  infer(Out, Context, F, Names);
  return Out;
}

Inference inferIteration(ASTContext &Context, const FunctionDecl *F,
                         const Loop &L) {
  Inference Out;
  Out.Body = accessesOfIteration(Context, F, L);
  infer(Out, Context, F, F);
  return Out;
}

Inference inferTask(ASTContext &Context, const Task &T,
                    const FunctionDecl *Body) {
  return T.From ? inferIteration(Context, T.Definition, *T.From->Inner)
                : inferSections(Context, Body, T.Declared);
}

bool isSure(const ASTContext &Context, const Task &T, const Inference &I,
            const InferredSection &S) {
  return T.From
             ? I.isInEach(S) && !mayGoRound(T.From->Inner->Canonical, Context)
             : S.Known && S.Assumption.empty();
}

} // namespace agglom
