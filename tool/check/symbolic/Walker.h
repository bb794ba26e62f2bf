// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The implementation of accessesOf(): see Accesses.h. Walker.cpp executes
// statements, WalkerLoops.cpp loops, Evaluate.cpp evaluates expressions,
// WalkerCalls.cpp follows calls, WalkerMemory.cpp finds the places that
// expressions read and write, WalkerNames.cpp names values in memory,
// WalkerConditions.cpp derives facts from conditions.

#ifndef AGGLOM_CHECK_WALKER_H
#define AGGLOM_CHECK_WALKER_H

#include "Accesses.h"
#include "Model.h"
#include "Syntax.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace agglom {

/// An expression with more possible values than this is unknown.
constexpr size_t MostValues = 8;

/// Memory surely written on the way to a point of the program.
struct Cell {
  Base In;
  Poly From, Size;
  bool operator==(const Cell &O) const {
    return In == O.In && From == O.From && Size == O.Size;
  }
};

/// A number or a pointer in memory that was read by its name: \p Size bytes at
/// \p Offset of \p In.
struct NamedValue {
  Base In;
  int64_t Offset, Size;
  bool Pointer;
  bool operator<(const NamedValue &O) const {
    return std::tie(In, Offset, Size, Pointer) <
           std::tie(O.In, O.Offset, O.Size, O.Pointer);
  }
};

/// A condition that is not understood, and the symbols it is about.
struct OpaqueGuard {
  const clang::Expr *Condition;
  std::set<SymbolId> About;
};

struct WalkState {
  std::map<const clang::VarDecl *, Values> Vars;
  std::vector<Poly> Facts;
  std::vector<OpaqueGuard> Opaque;
  std::vector<Cell> Written;
  unsigned Guards = 0; ///< branches entered that might not have been
  bool Dead = false;   ///< behind a return, break or continue
};

/// A condition: the facts of each way it can be true, and false.
struct Condition {
  using Way = std::vector<Poly>;
  std::vector<Way> True, False;
  std::optional<Poly> NotZero; ///< true exactly when this is not 0
  bool Opaque = false;
};

class Walker {
public:
  /// \p Written: values in memory that are known to change.
  Walker(clang::ASTContext &Context, BodyAccesses &Out,
         const std::set<NamedValue> &Written)
      : Context(Context), Out(Out), Changing(Written) {}
  void run(const clang::FunctionDecl *Body, const clang::FunctionDecl *Names);
  /// One iteration of \p L, whose variable has a name like a parameter.
  void runIteration(const clang::FunctionDecl *Body, const Loop &L);
  /// Adds to \p Written the values that were read by name although an executed
  /// write may change them. \returns whether it added any: then the walk must
  /// be repeated.
  bool findChanging(std::set<NamedValue> &Written) const;

private:
  clang::ASTContext &Context;
  BodyAccesses &Out;
  WalkState S;
  bool Recording = true;
  unsigned MayStop = 0; ///< loops around this place that may end early
  /// Set by runIteration(): the symbol of the loop's variable. A condition on
  /// this symbol alone holds for some iterations.
  std::optional<SymbolId> Iteration;
  size_t Work = 0; ///< done so far
  const std::set<NamedValue> &Changing;
  std::set<NamedValue> Named; ///< what was read by its name
  /// The facts of the last question, with what follows from them.
  std::optional<Facts> Known;
  std::vector<Poly> KnownOf;

  /// The function being executed.
  struct Frame {
    const clang::FunctionDecl *Function;
    size_t Facts; ///< known at entry
    std::vector<WalkState> Returns;
    std::vector<Values> Results;
  };
  std::vector<Frame> Frames;
  /// A call in the innermost loop that is being executed.
  struct FinishedCall {
    const clang::FunctionDecl *Function;
    std::vector<Values> Args;
    WalkState Entry; ///< without variables
    bool Recorded;
    std::vector<Cell> Wrote;
    Values Result;
  };
  std::vector<FinishedCall> Finished;
  /// A loop or switch that break and continue leave.
  struct Target {
    bool IsSwitch;
    std::vector<WalkState> Breaks, Continues;
    WalkState Entry; ///< the state at each case of a switch
  };
  std::vector<Target> Targets;
  unsigned Skipped = 0; ///< 'continue' statements that no loop here takes
  std::set<const clang::VarDecl *> Untracked; ///< their address is taken
  const clang::FunctionDecl *Names = nullptr;

  // Walker.cpp
  void enter(const clang::FunctionDecl *Body, const clang::FunctionDecl *Names);
  void obstacle(const char *Text, clang::SourceLocation At);
  bool stopped() const { return !Out.Obstacle.empty(); }
  /// Counts work, and gives up beyond MostWork.
  void spend(size_t Units);
  void exec(const clang::Stmt *St);
  void declare(const clang::VarDecl *V);
  void branch(const clang::IfStmt *If);
  unsigned waysOut() const;
  void choose(const clang::SwitchStmt *Switch);
  void join(std::vector<WalkState> &Ways, const WalkState &Before);

  // WalkerLoops.cpp
  struct LoopParts {
    const clang::Stmt *Whole, *Body;
    const clang::Expr *Cond, *Inc;
    bool BodyFirst;
  };
  struct Gain;
  void loop(const LoopParts &L);
  void loopInOrder(const LoopParts &L);
  std::map<const clang::VarDecl *, Gain>
  gains(const LoopParts &L, const std::set<const clang::VarDecl *> &Changed);
  void runBody(const LoopParts &L);
  bool advancing(const Condition &C, SymbolId K, bool Shift,
                 std::vector<Condition::Way> &Ways);
  void leave(const LoopParts &L, const WalkState &Entry, SymbolId K,
             const std::map<const clang::VarDecl *, Gain> &Gains,
             const std::vector<Condition::Way> &Ways, bool Certain,
             WalkedLoop &Walked, const WalkState *End);

  // WalkerMemory.cpp
  struct Place {
    const clang::VarDecl *Var = nullptr; ///< a variable that is tracked
    Values At;                           ///< else memory
  };
  Place place(const clang::Expr *E);
  Values element(const clang::ArraySubscriptExpr *Sub);
  Values load(const Place &P, const clang::Expr *E);
  Poly bytesOf(const clang::Expr *E);
  void store(const Place &P, const clang::Expr *E, const Values &V);
  void access(const Values &At, const Poly &Size, bool Write,
              const clang::Expr *E);
  bool ownWrite(const Access &A);
  void written(Cell New);
  bool isOfCallee(const Base &In) const;

  // WalkerNames.cpp
  Values byName(const Place &P, const clang::Expr *E);
  std::string nameOf(const Base &In, const clang::Expr *E);
  bool isNameable(const Base &In) const;

  // WalkerConditions.cpp
  Condition condition(const clang::Expr *Whole);
  Condition compare(clang::BinaryOperatorKind Op, const Values &L,
                    const Values &R, int64_t Unit = 1);
  void mentioned(const clang::Stmt *St, std::set<SymbolId> &Out);
  void assume(const Condition::Way &Way, const Condition &C,
              const clang::Expr *E);
  bool selectsIterations(const Condition::Way &Way, const Condition &C) const;
  /// Whether the loop's variable alone decides if an expression has value \p V.
  bool selectsIterations(const Value &V) const;
  bool possible(const Condition::Way &Way);
  /// Whether one of \p Of is not negative where \p Given are not.
  bool anyNonNegative(const std::vector<Poly> &Given, llvm::ArrayRef<Poly> Of);

  // WalkerCalls.cpp
  Values call(const clang::CallExpr *E);
  void anything(const Values &Pointer, const clang::Expr *At, bool Write,
                const clang::CallExpr *E);
  bool libraryCall(const clang::FunctionDecl *F,
                   const std::vector<Values> &Args, const clang::CallExpr *E);
  Values called(const clang::FunctionDecl *F, std::vector<Values> Args,
                const clang::CallExpr *E);
  const FinishedCall *finished(const clang::FunctionDecl *F,
                               const std::vector<Values> &Args) const;
  Values inlined(const clang::FunctionDecl *F, std::vector<Values> Args,
                 const clang::CallExpr *E);

  // Evaluate.cpp
  Values eval(const clang::Expr *E);
  Values unary(const clang::UnaryOperator *E);
  Values binary(const clang::BinaryOperator *E);
  Values arithmetic(clang::BinaryOperatorKind Op, const Values &L,
                    const Values &R, const clang::Expr *E,
                    clang::QualType LType, clang::QualType RType);
  Value divide(const Value &L, const Value &R, bool Remainder,
               const clang::Expr *E);
  Values convert(const Values &V, clang::QualType From, clang::QualType To,
                 const clang::Expr *E);
  Values ofType(clang::QualType T, const clang::Expr *E);
  Values wrapped(Values V, clang::QualType T, const clang::Expr *E);
  /// Adds a fact about a new symbol that always holds.
  void define(SymbolId New, const Poly &Fact);
  Poly sizeOf(clang::QualType T);
  Values limited(Values V, const clang::Expr *E);
};

} // namespace agglom

#endif // AGGLOM_CHECK_WALKER_H
