// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The units that may still run at a place in host code, what they do to which
// memory, and whether host code meets them there. Which place that is, and on
// which ways it is reached, is the walk's business (HostWalk.cpp).

#ifndef AGGLOM_CHECK_HOSTUNITS_H
#define AGGLOM_CHECK_HOSTUNITS_H

#include "HostWalk.h"

namespace agglom {

/// The same, and where the walk has met it.
struct Pending : UnitUse {
  unsigned Id = 0;
  bool Whole = false; ///< all of the variable
  /// How deep in blocks, loops and conditions it is now. Leaving one takes it
  /// along: behind a condition it is only perhaps there.
  size_t Blocks = 0, Loops = 0, Conditions = 0;
  bool Perhaps = false;
  const clang::Stmt *In =
      nullptr; ///< the statement of that block that submitted it
};

/// What the host has surely written of resident memory, and no `update` may
/// have named since.
struct HostWrite {
  Spot At;
  const clang::Expr *E = nullptr;
};

class HostUnits : protected HostPlaces {
protected:
  ParsedUnit &U;
  HostSummary *Summary; ///< filled instead of reporting

  std::map<const clang::VarDecl *, size_t> Level; ///< loops around it
  std::vector<Pending> Live;
  std::set<unsigned> Killed;
  std::vector<const clang::Stmt *> Blocks; ///< the current statement of each
  unsigned Ids = 0, Waits = 0;
  unsigned Jumps = 0;
  bool Ended = false; ///< behind a jump
  bool Moved = false; ///< pointers at file scope may point elsewhere
  /// Of a loop of which this is the second iteration: what it submits has been
  /// seen; else null.
  const clang::Stmt *SecondBody = nullptr;
  const bool Cautious; ///< what may meet units counts
  /// The outermost block in which a wait was proposed: how deep it is.
  size_t WaitAt = SIZE_MAX;
  std::set<const clang::VarDecl *> Resident; ///< of the `data` around
  std::vector<Pending> ResidentMemory;       ///< what is known of its sections
  std::vector<HostWrite> HostWrites;
  unsigned Updates = 0;

  HostUnits(ParsedUnit &U, HostSummary *Summary)
      : HostPlaces(U.Context), U(U), Summary(Summary), Cautious(U.Cautious) {}

  void submitted(const Task &T, const clang::CallExpr *Call);
  /// What a function of the file has left behind.
  void submitted(const UnitUse &Left, const clang::CallExpr *Call);
  /// The function ends here: fills the summary with what it leaves behind.
  void leaveBehind();
  /// \p L, which is over the callee's parameters, at \p Call.
  MaybeLinear atCall(const MaybeLinear &L, const clang::CallExpr *Call);
  /// The chunks of a loop that nobody waits for.
  void submitted(const HostLoop &H);
  /// The variables that \p Which picks end at \p At: of a jump, where a wait
  /// goes before the statement of the block around it.
  void end(llvm::function_ref<bool(const clang::VarDecl *)> Which,
           clang::SourceLocation At, bool Jump);
  /// What a section of `data` names becomes resident.
  void resides(const Section &Sec);
  /// The host's writes may have been named by an `update`.
  void updated();
  /// The loop \p L was left, in which the host wrote this.
  void leaves(HostWrite &W, const OpenLoop &L) const;
  /// What units do is known to be complete, or what they do it to is not known
  /// any more.
  void waited();
  /// The pointers that \p Which picks may point elsewhere from here on.
  void forget(llvm::function_ref<bool(const clang::VarDecl *)> Which);
  /// So may the pointers in memory.
  void forgetPaths();
  /// Reports what meets a unit, or notes it in the summary.
  void access(Spot S, HostUse Use, const clang::Expr *E);
  /// The pointer \p V is given the value of \p E.
  void points(const clang::VarDecl *V, const clang::Expr *E);
  /// Takes \p P out of the loop \p L, which was left: to what its first
  /// iteration submitted, or all of them together. False when that is nothing.
  bool leaves(Pending &P, const OpenLoop &L);
  /// Whether the variable is there outside of the loop that was left.
  bool outlives(const clang::VarDecl *V) const;

private:
  std::map<const clang::VarDecl *, Spot>
      Aliases;                              ///< Cautious: what it points to
  std::set<clang::SourceLocation> Proposed; ///< Cautious: places of waits
  std::set<const clang::Expr *> Told;       ///< writes that were reported

  Spot begins(const clang::Expr *E,
              llvm::function_ref<Spot(unsigned)> OfParam) const;
  Spot begins(const Section &Sec,
              llvm::function_ref<Spot(unsigned)> OfParam) const;
  Spot original(Spot S) const;
  void add(const Task &T, const Section &Sec, Spot At, const MaybeLinear &From,
           MaybeLinear Length, clang::SourceLocation Place);
  Pending pending(const Task &T, const Section &Sec,
                  clang::SourceLocation Place);
  void addPointer(const Task &T, const Section &Sec,
                  clang::SourceLocation Place);
  void note(const Pending &P);
  void useOfWritten(const Pending &P);
  MaybeLinear inHost(const MaybeLinear &L, const HostLoop &H) const;
  bool isWhole(const Pending &P) const;
  bool meets(const Pending &P, const Spot &S, HostUse Use) const;
  /// \returns whether a wait is proposed that goes before this use.
  bool report(const Pending &P, HostUse Use, const clang::Expr *E);
  /// Whether the variables in it are there outside of the loop that was left.
  bool outlives(const Linear &L) const;
};

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTUNITS_H
