// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Array sections: base[lo:len], base[lo:len:stride], A[0:n][0:m], x[i[0:k]],
// *p, a plain object. The base is any chain of members, subscripts and
// dereferences from a parameter or a file-scope object (in host code from any
// variable), typed by Clang; only the colons are read here.

#include "Brackets.h"
#include "ClauseParser.h"
#include "Diagnostics.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace agglom {

static constexpr unsigned MostDims = 8; // as in the runtime

static bool opens(const Token &T) {
  return T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
}
static bool closes(const Token &T) {
  return T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
}

size_t findTop(ArrayRef<Token> Tokens, tok::TokenKind Kind, size_t From) {
  int Depth = 0;
  for (size_t I = From; I < Tokens.size(); ++I) {
    if (!Depth && Tokens[I].is(Kind))
      return I;
    if (opens(Tokens[I]))
      ++Depth;
    else if (closes(Tokens[I]))
      --Depth;
  }
  return Tokens.size();
}

/// The first colon outside all brackets that is not part of a ?: expression.
static size_t findColon(ArrayRef<Token> Tokens, size_t From = 0) {
  int Depth = 0, Conditional = 0;
  for (size_t I = From; I < Tokens.size(); ++I) {
    if (opens(Tokens[I]))
      ++Depth;
    else if (closes(Tokens[I]))
      --Depth;
    else if (!Depth && Tokens[I].is(tok::question))
      ++Conditional;
    else if (!Depth && Tokens[I].is(tok::colon)) {
      if (!Conditional)
        return I;
      --Conditional;
    }
  }
  return Tokens.size();
}

/// The element type of an array or pointer type \p T; else a null type.
static QualType elementOf(ASTContext &Context, QualType T) {
  if (T->isPointerType())
    return T->getPointeeType();
  if (const ArrayType *A = Context.getAsArrayType(T))
    return A->getElementType();
  return QualType();
}

/// The user's text of \p E, which was parsed from tokens of \p Item.
std::string ClauseParser::textOf(ArrayRef<Token> Item, const Expr *E) {
  size_t First = 0, Last = Item.size();
  for (size_t I = 0; I < Item.size(); ++I) {
    if (Item[I].getLocation() == E->getBeginLoc())
      First = I;
    if (Item[I].getLocation() == E->getEndLoc())
      Last = I + 1;
  }
  return First < Last ? text(Item.slice(First, Last - First)) : text(Item);
}

//===----------------------------------------------------------------------===//
// The base
//===----------------------------------------------------------------------===//

/// Whether \p E reaches its object without following a pointer. \p Root gets
/// the variable, \p Chosen a subscript on the way that is not constant.
static bool isDirect(const ASTContext &C, const Expr *E, const VarDecl *&Root,
                     const Expr *&Chosen) {
  E = E->IgnoreParenImpCasts();
  if (auto *M = dyn_cast<MemberExpr>(E))
    return !M->isArrow() && isDirect(C, M->getBase(), Root, Chosen);
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    if (Expr::EvalResult Value; !Sub->getIdx()->EvaluateAsInt(Value, C))
      Chosen = Sub->getIdx();
    return Sub->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() &&
           isDirect(C, Sub->getBase(), Root, Chosen);
  }
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    Root = dyn_cast<VarDecl>(Ref->getDecl());
    return Root;
  }
  return false;
}

/// The memory of \p Sec is reached through the value of pointer \p E.
bool ClauseParser::pointer(ArrayRef<Token> Item, const Expr *E, bool InHost,
                           Section &Sec, std::vector<Section> &Implicit) {
  E = E->IgnoreParenCasts();
  Sec.Pointer.Text = textOf(Item, E);
  Sec.Pointer.E = E;
  auto *Un = dyn_cast<UnaryOperator>(E);
  // &x[0:n] would be a section of the variable x, which nobody means. In host
  // code the pointer may be any other expression.
  if (Un ? Un->getOpcode() != UO_Deref
         : !InHost && !isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(E)) {
    Report.report(Sec.Loc, diag::section_base)
        << Sec.Text << Sec.Pointer.Text << E->getSourceRange();
    return false;
  }
  if (InHost) {
    Sec.Pointer.Kind = SectionPointer::Host;
    return true;
  }
  const VarDecl *Root = nullptr;
  const Expr *Chosen = nullptr;
  if (isDirect(S.Context, E, Root, Chosen) && isa<ParmVarDecl>(Root)) {
    if (Chosen) { // the launch translates a pointer at a fixed place
      Report.report(Sec.Loc, diag::section_chosen)
          << Sec.Text << Root << Chosen->getSourceRange();
      return false;
    }
    Sec.Pointer.Kind = SectionPointer::Argument;
    Sec.Pointer.Param = cast<ParmVarDecl>(Root);
    if (isa<DeclRefExpr>(E))
      Sec.Param = Sec.Pointer.Param;
    return true;
  }
  if (Root && Root->hasGlobalStorage() && isa<DeclRefExpr>(E)) {
    Sec.Pointer.Kind = SectionPointer::Hidden;
    Sec.Pointer.Global = Root->getCanonicalDecl();
    return true;
  }
  Sec.Pointer.Kind = SectionPointer::Held;
  return hold(Item, E, InHost, Sec, Implicit);
}

/// The pointer \p E of \p Sec lies in memory. An implicit section names that
/// memory.
bool ClauseParser::hold(ArrayRef<Token> Item, const Expr *E, bool InHost,
                        Section &Sec, std::vector<Section> &Implicit) {
  Section Holder;
  Holder.Clause = ClauseId::In;
  Holder.Loc = Sec.Loc;
  Holder.Implicit = true;
  // O becomes the whole object that holds the pointer.
  const Expr *O = E;
  for (;;) {
    O = O->IgnoreParenImpCasts();
    auto *M = dyn_cast<MemberExpr>(O);
    auto *Sub = dyn_cast<ArraySubscriptExpr>(O);
    if (M && !M->isArrow())
      O = M->getBase();
    else if (Sub &&
             Sub->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      O = Sub->getBase();
    else
      break;
  }
  if (auto *M = dyn_cast<MemberExpr>(O)) { // an arrow: *base
    Holder.Text = "*" + textOf(Item, M->getBase());
    Holder.Base = textOf(Item, M->getBase());
    Holder.Element = M->getBase()->getType()->getPointeeType();
    Holder.Dims.emplace_back();
  } else {
    Holder.Text = textOf(Item, O);
    Holder.Base = "&(" + Holder.Text + ")";
    Holder.Element = O->getType();
    Holder.Dims.emplace_back();
  }
  Holder.Dims[0].Element = Holder.Element;
  if (!object(Item, O, InHost, Holder, Implicit))
    return false;
  // Several sections may name pointers in one structure.
  for (const Section &Earlier : Implicit)
    if (Earlier.Text == Holder.Text)
      return true;
  Implicit.push_back(std::move(Holder));
  return true;
}

/// The memory of \p Sec is the object \p E or a part of it.
bool ClauseParser::object(ArrayRef<Token> Item, const Expr *E, bool InHost,
                          Section &Sec, std::vector<Section> &Implicit) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        return pointer(Item, M->getBase(), InHost, Sec, Implicit);
      E = M->getBase();
      continue;
    }
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      if (!Sub->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        return pointer(Item, Sub->getBase(), InHost, Sec, Implicit);
      E = Sub->getBase();
      continue;
    }
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->getOpcode() == UO_Deref)
      return pointer(Item, Un->getSubExpr(), InHost, Sec, Implicit);
    break;
  }
  auto *Ref = dyn_cast<DeclRefExpr>(E);
  auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  bool Reachable =
      V && (InHost || isa<ParmVarDecl>(V) || V->hasGlobalStorage());
  if (!Reachable) {
    Report.report(Sec.Loc, diag::section_base)
        << Sec.Text << textOf(Item, E) << E->getSourceRange();
    return false;
  }
  Sec.Pointer.Text = textOf(Item, E);
  if (V->getStorageClass() == SC_Register) {
    Report.report(Sec.Loc, diag::section_register) << V << E->getSourceRange();
    return false;
  }
  if (InHost) {
    Sec.Pointer.Kind = SectionPointer::Host;
    return true;
  }
  if (isa<ParmVarDecl>(V)) {
    Report.report(Sec.Loc,
                  OfHostLoop ? diag::section_of_copy : diag::section_by_value)
        << Sec.Text << V << E->getSourceRange();
    return false;
  }
  Sec.Pointer.Kind = SectionPointer::Hidden;
  Sec.Pointer.Global = V->getCanonicalDecl();
  return true;
}

//===----------------------------------------------------------------------===//
// The brackets
//===----------------------------------------------------------------------===//

/// Whether device code can spell the type of the file-scope object that \p Sec
/// names.
bool ClauseParser::hasName(const Section &Sec, SourceLocation At) {
  const VarDecl *G = Sec.Pointer.Global;
  if (!G)
    return true;
  QualType T = S.Context.getBaseElementType(G->getType());
  if (T->isPointerType())
    T = S.Context.getBaseElementType(T->getPointeeType());
  std::string Kind = unnamedKind(T);
  if (!Kind.empty())
    Report.report(At, diag::section_unnamed_type) << G << Kind;
  return Kind.empty();
}

/// x[idx[lo:len]]: \p Inside is "idx[lo:len]", whose '[' is at \p Open.
bool ClauseParser::gather(const Clause &C, ArrayRef<Token> Inside, size_t Open,
                          Section &Sec) {
  ArrayRef<Token> Base = Inside.take_front(Open);
  if (Base.empty() || Sec.Dims.size() != 1) {
    Report.report(Inside[Open].getLocation(), diag::section_form)
        << "such gather" << "x[indexes[lo:len]]";
    return false;
  }
  Expr *Indexes =
      expression(Base, Inside[Open].getLocation(), C.Info->Spelling);
  if (!Indexes)
    return false;
  QualType T = elementOf(S.Context, Indexes->IgnoreParenImpCasts()->getType());
  if (T.isNull() || !T->isIntegerType() || T->isBooleanType()) {
    Report.report(Base.front().getLocation(), diag::section_indexes)
        << text(Base) << Indexes->IgnoreParenImpCasts()->getType()
        << Indexes->getSourceRange();
    return false;
  }
  Sec.Indexes = text(Base);
  Sec.IndexType = T;
  return brackets(C, Inside.drop_front(Open), Sec.Text, Sec.Dims[0]);
}

/// One '[...]'.
bool ClauseParser::brackets(const Clause &C, ArrayRef<Token> Group,
                            StringRef Whole, SectionDim &D) {
  ArrayRef<Token> Inside = Group.drop_front().drop_back();
  SourceLocation Close = Group.back().getLocation();
  auto bound = [&](ArrayRef<Token> Tokens, SourceLocation End,
                   unsigned What) -> Expr * {
    size_t Comma = findTop(Tokens, tok::comma);
    if (Comma != Tokens.size()) {
      Report.report(Tokens[Comma].getLocation(), diag::section_comma) << Whole;
      return nullptr;
    }
    Expr *E = expression(Tokens, End, C.Info->Spelling);
    if (E && !E->getType()->isIntegerType()) {
      Report.report(E->getExprLoc(), diag::section_bound_not_integer)
          << What << E->getType() << E->getSourceRange();
      return nullptr;
    }
    return E;
  };
  auto constantBelow = [&](const Expr *E, int64_t Least, diag::Id Id) {
    Expr::EvalResult Value;
    if (!E->EvaluateAsInt(Value, S.Context) || Value.Val.getInt() >= Least)
      return false;
    Report.report(E->getExprLoc(), Id)
        << llvm::toString(Value.Val.getInt(), 10) << E->getSourceRange();
    return true;
  };
  size_t Colon = findColon(Inside);
  ArrayRef<Token> Lo = Inside.take_front(Colon);
  if (!Lo.empty()) {
    D.LoExpr = bound(
        Lo, Colon == Inside.size() ? Close : Inside[Colon].getLocation(), 0);
    if (!D.LoExpr)
      return false;
    D.Lo = text(Lo);
  }
  if (Colon == Inside.size()) { // p[i]
    if (Lo.empty())
      Report.report(Close, diag::section_no_length) << Whole;
    return !Lo.empty();
  }
  ArrayRef<Token> Len = Inside.drop_front(Colon + 1), Step;
  size_t Second = findColon(Len);
  SourceLocation LenEnd = Close;
  if (Second != Len.size()) {
    LenEnd = Len[Second].getLocation();
    Step = Len.drop_front(Second + 1);
    Len = Len.take_front(Second);
    D.Strided = true;
  }
  if (Len.empty()) {
    Report.report(LenEnd, diag::section_no_length) << Whole;
    return false;
  }
  D.LenExpr = bound(Len, LenEnd, 1);
  if (!D.LenExpr || constantBelow(D.LenExpr, 0, diag::section_negative_length))
    return false;
  D.Len = text(Len);
  if (!D.Strided)
    return true;
  if (Step.empty()) {
    Report.report(Close, diag::section_no_length) << Whole;
    return false;
  }
  Expr *StepExpr = bound(Step, Close, 2);
  if (!StepExpr || constantBelow(StepExpr, 1, diag::section_stride))
    return false;
  D.StepExpr = StepExpr;
  D.Step = text(Step);
  return true;
}

//===----------------------------------------------------------------------===//
// A section
//===----------------------------------------------------------------------===//

bool ClauseParser::section(const Clause &C, ArrayRef<Token> Item,
                           SourceLocation End, bool InHost,
                           std::vector<Section> &Out) {
  Section Sec;
  Sec.Clause = C.Info->Id;
  Sec.Text = text(Item);
  if (Item.empty()) {
    Report.report(End, diag::clause_empty)
        << C.Info->Spelling << "write the memory it names, p[lo:len]";
    return false;
  }
  Sec.Loc = Item.front().getLocation();

  // *p is p[0:1].
  bool Star = Item.front().is(tok::star);
  ArrayRef<Token> Base = Star ? Item.drop_front() : Item;
  // Groups are the pairs of brackets at the end of the item; earlier pairs are
  // part of the base.
  SmallVector<ArrayRef<Token>, 4> Groups;
  if (!Star) {
    size_t From = 0, EndOfBase = 0;
    while (From < Item.size()) {
      if (Item[From].is(tok::l_square)) {
        size_t Close = findTop(Item, tok::r_square, From + 1);
        if (Close == Item.size()) {
          Report.report(Item[From].getLocation(), diag::section_unclosed)
              << Sec.Text << missingBracket(P.getPreprocessor(), *Current);
          return false;
        }
        if (Groups.empty())
          EndOfBase = From;
        Groups.push_back(Item.slice(From, Close - From + 1));
        From = Close + 1;
        continue;
      }
      for (const ArrayRef<Token> &Group : Groups)
        if (findColon(Group.drop_front().drop_back()) != Group.size() - 2) {
          if (Item[From].isOneOf(tok::period, tok::arrow))
            Report.report(Group.front().getLocation(), diag::section_form)
                << "sections of a member of many structures"
                << "s[i].member[lo:len] with one index i";
          else
            Report.report(Item[From].getLocation(), diag::clause_extra_token)
                << P.getPreprocessor().getSpelling(Item[From])
                << C.Info->Spelling;
          return false;
        }
      Groups.clear();
      if (opens(Item[From])) { // parentheses: past their end
        tok::TokenKind Kind =
            Item[From].is(tok::l_paren) ? tok::r_paren : tok::r_brace;
        From = findTop(Item, Kind, From + 1);
        if (From == Item.size())
          break;
      }
      ++From;
    }
    Base = Groups.empty() ? Item : Item.take_front(EndOfBase);
  }
  if (Base.empty()) {
    Report.report(Sec.Loc, diag::section_expected) << Sec.Text;
    return false;
  }

  auto parseBase = [&]() -> const Expr * {
    SourceLocation BaseEnd =
        Groups.empty() ? End : Groups.front().front().getLocation();
    Expr *E = expression(Base, BaseEnd, C.Info->Spelling);
    return E ? E->IgnoreParenImpCasts() : nullptr;
  };
  const Expr *BaseExpr = parseBase();
  if (!BaseExpr)
    return false;
  // pp[2][0:n]: the pointer is pp[2].
  while (Groups.size() > 1) {
    QualType Next = elementOf(S.Context, BaseExpr->getType());
    if (Next.isNull() || !Next->isPointerType())
      break;
    ArrayRef<Token> First = Groups.front();
    if (findColon(First.drop_front().drop_back()) != First.size() - 2) {
      Report.report(First.front().getLocation(), diag::section_form)
          << "sections of many pointers"
          << "p[i][lo:len] with one index i, or keep the rows in one array and "
             "name that";
      return false;
    }
    Base = ArrayRef<Token>(Base.begin(), First.end());
    Groups.erase(Groups.begin());
    BaseExpr = parseBase();
    if (!BaseExpr)
      return false;
  }
  QualType Type = BaseExpr->getType();
  Sec.Base = text(Base);
  Sec.BaseExpr = BaseExpr;

  std::vector<Section> Implicit;
  if (Groups.empty() && !Star) { // a plain object
    if (Type->isPointerType()) {
      Report.report(Sec.Loc, diag::section_expected) << Sec.Text;
      return false;
    }
    if (!BaseExpr->isLValue()) {
      Report.report(Sec.Loc, diag::section_base)
          << Sec.Text << Sec.Text << BaseExpr->getSourceRange();
      return false;
    }
    if (BaseExpr->refersToBitField()) {
      Report.report(Sec.Loc, diag::section_bit_field)
          << Sec.Text << BaseExpr->getSourceRange();
      return false;
    }
    if (Type->isIncompleteType()) {
      Report.report(Sec.Loc, diag::section_incomplete)
          << Sec.Text << Type << BaseExpr->getSourceRange();
      return false;
    }
    Sec.Base = "&(" + Sec.Base + ")";
    Sec.Element = Type;
    Sec.Dims.emplace_back();
    Sec.Dims[0].Element = Type;
    if (!object(Item, BaseExpr, InHost, Sec, Implicit))
      return false;
  } else {
    if (elementOf(S.Context, Type).isNull()) {
      Report.report(Sec.Loc, diag::section_not_pointer)
          << text(Base) << Type << BaseExpr->getSourceRange();
      return false;
    }
    bool Ok = Type->isPointerType()
                  ? pointer(Item, BaseExpr, InHost, Sec, Implicit)
                  : object(Item, BaseExpr, InHost, Sec, Implicit);
    if (!Ok)
      return false;
    QualType Element = elementOf(S.Context, Type);
    if (Element->isFunctionType()) {
      Report.report(Sec.Loc, diag::section_element_function) << text(Base);
      return false;
    }
    if (Element->isIncompleteType() || Element->isVoidType()) {
      Report.report(Sec.Loc, diag::section_element_incomplete)
          << text(Base) << Element;
      return false;
    }
    if (Star) {
      Sec.Dims.emplace_back();
      Sec.Dims[0].Element = Element;
    }
    for (const ArrayRef<Token> &Group : Groups) {
      if (!Sec.Dims.empty())
        Element = Sec.Dims.back().Element->isArrayType()
                      ? elementOf(S.Context, Sec.Dims.back().Element)
                      : QualType();
      if (Element.isNull() || Sec.Dims.size() == MostDims) {
        Report.report(Group.front().getLocation(), diag::section_brackets)
            << Sec.Text << text(Base);
        return false;
      }
      Sec.Dims.emplace_back();
      Sec.Dims.back().Element = Element;
      ArrayRef<Token> Inside = Group.drop_front().drop_back();
      size_t Inner = findTop(Inside, tok::l_square);
      size_t InnerEnd = Inner < Inside.size()
                            ? findTop(Inside, tok::r_square, Inner + 1)
                            : Inside.size();
      bool Gathers = InnerEnd + 1 == Inside.size() &&
                     findColon(Inside.slice(Inner + 1, InnerEnd - Inner - 1)) !=
                         InnerEnd - Inner - 1;
      if (Gathers) {
        if (Groups.size() != 1) {
          Report.report(Group.front().getLocation(), diag::section_form)
              << "gathers in several dimensions" << "x[indexes[lo:len]]";
          return false;
        }
        if (!gather(C, Inside, Inner, Sec))
          return false;
        if (Sec.Dims[0].Strided) {
          Report.report(Inside[Inner].getLocation(), diag::section_form)
              << "strided gathers" << "x[indexes[lo:len]]";
          return false;
        }
      } else if (!brackets(C, Group, Sec.Text, Sec.Dims.back())) {
        return false;
      }
    }
    Sec.Element = Sec.Dims.back().Element;
  }
  for (const Section &Each : Implicit)
    if (!hasName(Each, Sec.Loc))
      return false;
  if (!hasName(Sec, Sec.Loc))
    return false;
  if (!InHost && Sec.writes() &&
      S.Context.getBaseElementType(Sec.Element).isConstQualified()) {
    Report.report(Sec.Loc, diag::section_const_written)
        << text(Base) << C.Info->Spelling;
    return false;
  }
  for (Section &I : Implicit)
    if (!llvm::any_of(Out, [&](const Section &Earlier) {
          return Earlier.Implicit && Earlier.Text == I.Text;
        }))
      Out.push_back(std::move(I));
  Out.push_back(std::move(Sec));
  return true;
}

bool ClauseParser::sections(const Clause &C, ArrayRef<Token> List, bool InHost,
                            std::vector<Section> &Out) {
  bool Ok = true;
  for (bool More = true; More;) {
    size_t Comma = findTop(List, tok::comma);
    More = Comma != List.size();
    Ok &= section(C, List.take_front(Comma),
                  More ? List[Comma].getLocation() : C.Close, InHost, Out);
    if (More)
      List = List.drop_front(Comma + 1);
  }
  return Ok;
}

} // namespace agglom
