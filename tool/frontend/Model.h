// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pragmas of a unit say, tied to Clang's AST. Filled by the clause
// parser, judged by check/, written out by emit/. Pointers belong to the
// ASTContext of the parse.

#ifndef AGGLOM_FRONTEND_MODEL_H
#define AGGLOM_FRONTEND_MODEL_H

#include "PragmaTable.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <memory>
#include <string>
#include <vector>

namespace agglom {

/// The pointer that leads to a section's memory, which becomes a device address
/// on the device. Where it is kept decides how:
///
///   Argument  p[...], s.p[...]   a pointer among the task's arguments
///   Hidden    table[...]         the address of a file-scope object, or the
///                                value of a file-scope pointer; added to the
///                                arguments
///   Held      s->p[...]          a pointer in memory: translated in the
///                                device's copy of that memory
///   Host      a[...]             of a directive in host code: nothing to do
struct SectionPointer {
  enum KindTy { Argument, Hidden, Held, Host } Kind = Argument;
  const clang::ParmVarDecl *Param = nullptr; ///< Argument: pointer or structure
  const clang::VarDecl *Global = nullptr;    ///< Hidden
  std::string Text;                          ///< the user's expression: "s->p"
  const clang::Expr *E = nullptr;            ///< Argument and Held: the pointer
};

/// One pair of brackets.
struct SectionDim {
  std::string Lo = "0", Len = "1", Step = "1"; ///< the user's expressions
  const clang::Expr *LoExpr = nullptr;
  const clang::Expr *LenExpr = nullptr; ///< null when the length is 1
  const clang::Expr *StepExpr = nullptr;
  bool Strided = false;
  clang::QualType Element; ///< what one index step stands for
};

/// One item of a data clause.
struct Section {
  ClauseId Clause = ClauseId::In;
  std::string Op;   ///< of accumulate
  std::string Text; ///< "a[0:na]"
  std::string Base; ///< "a", "s->p": what is indexed
  clang::SourceLocation Loc;
  SectionPointer Pointer;
  const clang::Expr *BaseExpr = nullptr;
  /// The parameter, where the pointer is the parameter itself; else null.
  const clang::ParmVarDecl *Param = nullptr;
  clang::QualType Element; ///< of the innermost brackets
  /// Outermost first; at least one.
  std::vector<SectionDim> Dims;
  /// A gather x[idx[lo:len]]: Dims[0] belongs to the indexes.
  std::string Indexes;
  clang::QualType IndexType;
  bool Implicit = false;   ///< not written: *s, which s->p[0:n] needs
  bool Overwrites = false; ///< the body provably writes every element

  bool reads() const { return Clause != ClauseId::Out; }
  bool writes() const { return Clause != ClauseId::In; }
  bool gathers() const { return !Indexes.empty(); }
  /// Whether the brackets index a parameter: x[0:n], not s->x[0:n].
  bool ofParameter() const {
    auto *Ref = llvm::dyn_cast_or_null<clang::DeclRefExpr>(
        BaseExpr ? BaseExpr->IgnoreParenCasts() : nullptr);
    return Param && Ref && Ref->getDecl() == Param;
  }
  /// Contiguous elements behind an argument, which need no struct agglom_shape.
  bool plain() const {
    return Dims.size() == 1 && !Dims[0].Strided && !gathers() &&
           Pointer.Kind != SectionPointer::Held &&
           !Element->isVariablyModifiedType();
  }
};

struct Reduction {
  std::string Op; ///< "+", "*", "min", "max", "&", "|", "^", "&&", "||"
  const clang::VarDecl *Var = nullptr;
};

/// A canonical for loop, taken apart.
struct CanonicalFor {
  const clang::ForStmt *For = nullptr;
  const clang::VarDecl *Var = nullptr;
  bool DeclaredHere = false; ///< for (int i = ...): else i lives outside
  const clang::Expr *First = nullptr;
  const clang::Expr *Bound = nullptr;
  clang::QualType CompareType; ///< type in which variable and bound compare
  clang::BinaryOperatorKind Compare = clang::BO_LT; ///< variable on the left
  bool Down = false;                                ///< the step is negative
  const clang::Expr *Step = nullptr;                ///< null: 1
  int64_t StepValue = 1; ///< its value, negative when Down
};

/// Whether the variable may wrap around: for (unsigned char i = 250; i != 3;
/// ++i). Its values in iterations between two others need not lie between their
/// values.
inline bool mayGoRound(const CanonicalFor &C,
                       const clang::ASTContext &Context) {
  clang::QualType Type = C.Var->getType();
  return C.Compare == clang::BO_NE &&
         (!Type->isSignedIntegerType() ||
          Context.getTypeSize(Type) < Context.getTypeSize(Context.IntTy));
}

/// The `for` that \p S consists of, braces aside. Else null, and \p Obstacle
/// becomes the statement that is in the way.
inline const clang::ForStmt *
loopDirectlyIn(const clang::Stmt *S, const clang::Stmt **Obstacle = nullptr) {
  while (auto *C = clang::dyn_cast<clang::CompoundStmt>(S)) {
    if (C->size() != 1 && Obstacle) {
      *Obstacle = S;
      for (const clang::Stmt *Child : C->body())
        if (!clang::isa<clang::ForStmt>(Child))
          *Obstacle = Child;
    }
    if (C->size() != 1)
      return nullptr;
    S = C->body_front();
  }
  if (Obstacle)
    *Obstacle = S;
  return clang::dyn_cast<clang::ForStmt>(S);
}

/// The variable that the head of a loop sets, and to what.
struct LoopStart {
  const clang::VarDecl *Var = nullptr;
  const clang::Expr *First = nullptr;
  bool Declared = false; ///< in the head
};
inline LoopStart startOf(const clang::ForStmt *For) {
  if (auto *D = clang::dyn_cast_or_null<clang::DeclStmt>(For->getInit())) {
    auto *V = D->isSingleDecl()
                  ? clang::dyn_cast<clang::VarDecl>(D->getSingleDecl())
                  : nullptr;
    return {V, V ? V->getInit() : nullptr, V != nullptr};
  }
  auto *B = clang::dyn_cast_or_null<clang::BinaryOperator>(For->getInit());
  auto *Ref =
      B && B->getOpcode() == clang::BO_Assign
          ? clang::dyn_cast<clang::DeclRefExpr>(B->getLHS()->IgnoreParens())
          : nullptr;
  auto *V = Ref ? clang::dyn_cast<clang::VarDecl>(Ref->getDecl()) : nullptr;
  return {V, V ? B->getRHS() : nullptr, false};
}

/// Whether \p V is named in \p S, which may be null.
inline bool mentions(const clang::Stmt *S, const clang::VarDecl *V) {
  if (!S)
    return false;
  if (auto *Ref = clang::dyn_cast<clang::DeclRefExpr>(S);
      Ref && Ref->getDecl() == V)
    return true;
  for (const clang::Stmt *Child : S->children())
    if (mentions(Child, V))
      return true;
  return false;
}

enum class MapChoice { Auto, Thread, Warp, Block };

struct Loop {
  clang::SourceLocation Loc; ///< of the pragma
  const clang::AttributedStmt *Attributed = nullptr;
  const clang::ForStmt *For = nullptr;
  const clang::FunctionDecl *In = nullptr;
  std::vector<Reduction> Reductions;
  std::vector<const clang::VarDecl *> Private;
  unsigned Collapse = 1; ///< how many loops, this one included
  const clang::Expr *SortKey = nullptr;
  std::string SortText; ///< the user's expression
  MapChoice Map = MapChoice::Auto;
  clang::SourceLocation MapLoc;
  CanonicalFor Canonical;
  std::vector<CanonicalFor> Nest; ///< loops collapsed into it, outermost first
  bool Inner = false; ///< inside another parallel loop: runs in one thread
  bool Broken = false;

  const CanonicalFor &level(size_t I) const {
    return I ? Nest[I - 1] : Canonical;
  }
  /// The body of an iteration.
  const clang::Stmt *body() const {
    return (Nest.empty() ? For : Nest.back().For)->getBody();
  }
  bool reduces(const clang::VarDecl *V) const {
    for (const Reduction &R : Reductions)
      if (R.Var == V)
        return true;
    return false;
  }
  bool counts(const clang::VarDecl *V) const {
    for (size_t I = 0; I <= Nest.size(); ++I)
      if (level(I).Var == V)
        return true;
    return false;
  }
  /// Whether each iteration has its own copy of \p V.
  bool owns(const clang::VarDecl *V) const {
    for (const clang::VarDecl *P : Private)
      if (P == V)
        return true;
    return reduces(V) || counts(V);
  }
};

/// Each '#pragma agglom wait', with sections or without.
struct Wait {
  clang::SourceLocation Loc;
  bool Own = false; ///< for the waiting thread's own units alone
};

/// `wait on`, `data` and `update`: host code that names sections.
struct SectionDirective {
  const DirectiveInfo *Info = nullptr;
  clang::SourceLocation Loc; ///< of the pragma
  const clang::FunctionDecl *In = nullptr;
  const clang::AttributedStmt *Attributed = nullptr;
  std::vector<Section> Sections;
  bool Broken = false;
  bool Own = false; ///< `wait own`

  /// The block under `data`.
  const clang::CompoundStmt *block() const {
    return clang::dyn_cast<clang::CompoundStmt>(Attributed->getSubStmt());
  }
};

/// '#pragma agglom atomic' and the statement under it.
struct Atomic {
  clang::SourceLocation Loc;
  const clang::AttributedStmt *Attributed = nullptr;
  const clang::FunctionDecl *In = nullptr;
};

enum class DeviceKind { Any, Cpu, Gpu };
enum class Mapping {
  Thread,
  Block,
  Warp,
  BlockOrWarp ///< the runtime chooses for each launch
};

struct HostLoop;
struct Model;

struct Task {
  clang::SourceLocation Loc; ///< of the pragma
  /// The loop whose chunks are the task's units; null for a task written as a
  /// function.
  const HostLoop *From = nullptr;
  /// The declaration under the pragma; clauses use its parameter names.
  const clang::FunctionDecl *Declared = nullptr;
  /// The definition in this unit, or null.
  const clang::FunctionDecl *Definition = nullptr;
  std::string Name;
  /// The function that holds the loop, for a task in the lowered text, where
  /// From is null; "" when the user gave the loop a name.
  std::string LoopOf;
  bool IsLoop = false; ///< made of '#pragma agglom for', in the lowered text
  DeviceKind Device = DeviceKind::Any;
  bool Independent = false;
  std::vector<Section> Sections;
  std::string Priority, Cost;  ///< the user's expressions, or empty
  bool PriorityVaries = false; ///< from call to call: it is no constant
  unsigned MaxUnits = 0;
  std::vector<Loop *> Loops; ///< in the definition's body, source order
  /// For clause variant: the function's name, the place of the name, and the
  /// function's definition in this unit, which may be missing.
  std::string VariantName;
  clang::SourceLocation VariantLoc;
  const clang::FunctionDecl *Variant = nullptr;
  bool Broken = false; ///< its clauses had errors: no further checks

  /// Whether the first value and the bound of \p For are the host's to
  /// evaluate, before there are units: it is the loop that they are made of.
  inline bool isGivenItsEnds(const clang::ForStmt *For) const;

  // Found by check/.
  Mapping Map = Mapping::Thread;
  bool Splittable = false;
  std::string MapReason;
  bool Prints = false; ///< units write to standard output
  /// Block mapping: statements outside loops that write memory.
  std::vector<const clang::Stmt *> Once;
  /// File-scope objects that the sections name; they are passed as hidden
  /// arguments.
  std::vector<const clang::VarDecl *> globals() const {
    std::vector<const clang::VarDecl *> Out;
    for (const Section &S : Sections)
      if (S.Pointer.Kind == SectionPointer::Hidden &&
          !llvm::is_contained(Out, S.Pointer.Global))
        Out.push_back(S.Pointer.Global);
    return Out;
  }

  bool names(const clang::VarDecl *Global) const {
    return llvm::is_contained(globals(), Global->getCanonicalDecl());
  }

  /// The function whose body becomes the kernel.
  const clang::FunctionDecl *kernelBody() const {
    return Variant ? Variant : Definition;
  }
  /// A block or a warp runs a unit together.
  bool byTeam() const { return Map != Mapping::Thread; }
  /// Whether single threads run the units, and units may have to wait for
  /// others.
  bool waitsByThread() const { return !byTeam() && !Independent; }
  /// Not a task but a function under `declare`. It is checked as if its body
  /// were that of a task whose pointers all come from callers.
  bool ForOthers = false;

  bool onDevice() const { return Device != DeviceKind::Cpu; }
};

/// For messages: "'f'", or of the function made of a loop "a loop of 'f'".
std::string spokenName(const Model &M, const clang::FunctionDecl *F);
/// "task 'f'", or "the loop".
std::string spokenName(const Task &T);

/// '#pragma agglom for'. The loop becomes the body of a function of its own,
/// whose parameters are the variables it uses: a task, each unit of which runs
/// a chunk of the iterations.
struct HostLoop {
  /// OpenMP directives on the same loop, under -fopenmp; they are left out.
  std::vector<const clang::OMPExecutableDirective *> OpenMP;
  clang::SourceLocation Loc; ///< of the pragma
  const clang::AttributedStmt *Attributed = nullptr;
  const clang::ForStmt *For = nullptr; ///< where the user wrote it
  const clang::FunctionDecl *In = nullptr;
  /// Begin of the top-level declaration that holds the loop.
  clang::SourceLocation Before;
  /// Variables of In that the loop uses, in the order of their declarations.
  /// They become the parameters of the made function.
  std::vector<const clang::VarDecl *> Captured;
  /// Variables that `private` names; they become locals of the made function.
  std::vector<const clang::VarDecl *> Private;
  /// Enumerators declared in In that the loop names.
  std::vector<const clang::EnumConstantDecl *> Constants;
  Task *Unit = nullptr;                        ///< the task made of it
  Loop *Inner = nullptr;                       ///< the loop in Unit
  unsigned Schedule = 0;                       ///< of enum agglom_schedule
  std::string ChunkSize, ScheduleRatio;        ///< the user's expression; or ""
  const clang::Expr *ScheduleNumber = nullptr; ///< either of these, parsed
  const clang::Expr *Cost = nullptr; ///< of an iteration; null when not given
  std::string CostText;              ///< the user's expression
  bool NoWait = false;
};

inline bool Task::isGivenItsEnds(const clang::ForStmt *For) const {
  return From && From->Inner && From->Inner->For == For;
}

/// "enum { N = 8 };" for the enumerators that the loop needs, or "".
/// (Outline.cpp)
std::string localConstants(const HostLoop &H);
/// "double t[3];" for the variables that `private` names.
std::string privateVariables(const HostLoop &H);
/// The type of the parameter that a captured variable becomes. (Outline.cpp)
clang::QualType capturedType(clang::ASTContext &C, const clang::VarDecl *V);

/// "structure", "union" or "enumeration", where \p T is one that has neither a
/// tag nor a typedef name; else "".
std::string unnamedKind(clang::QualType T);

/// A const object under `declare`.
struct DeclaredObject {
  clang::SourceLocation Loc; ///< of the pragma
  const clang::VarDecl *Var;
};

struct Model {
  bool ForeignHost =
      false;            ///< another compiler than this Clang gets the host text
  bool GccHost = false; ///< no Clang gets it
  std::vector<std::unique_ptr<Task>> Tasks;
  std::vector<std::unique_ptr<Loop>> Loops;
  std::vector<std::unique_ptr<HostLoop>> HostLoops;
  std::vector<Wait> Waits;
  std::vector<SectionDirective> SectionDirectives;
  std::vector<Atomic> Atomics;
  std::vector<std::unique_ptr<Task>> DeclaredFunctions; ///< ForOthers
  std::vector<DeclaredObject> DeclaredObjects;
  /// OpenMP's directives that were taken out of functions, outermost first, by
  /// the statement that they stood on.
  llvm::DenseMap<const clang::Stmt *,
                 llvm::SmallVector<const clang::OMPExecutableDirective *, 2>>
      OpenMP;

  Task *find(const clang::FunctionDecl *F) const {
    for (const auto &T : Tasks)
      if (T->Declared->getCanonicalDecl() == F->getCanonicalDecl())
        return T.get();
    return nullptr;
  }
  Task *findDeclared(const clang::FunctionDecl *F) const {
    for (const auto &T : DeclaredFunctions)
      if (T->Declared->getCanonicalDecl() == F->getCanonicalDecl())
        return T.get();
    return nullptr;
  }
  bool isDeclared(const clang::VarDecl *V) const {
    for (const DeclaredObject &O : DeclaredObjects)
      if (O.Var->getCanonicalDecl() == V->getCanonicalDecl())
        return true;
    return false;
  }
};

} // namespace agglom

#endif // AGGLOM_FRONTEND_MODEL_H
