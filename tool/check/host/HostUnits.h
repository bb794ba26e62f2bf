// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The units that may still run at a place in host code, the memory that they
// use, and whether host code accesses it there. The paths to that place are
// followed by the walk (HostWalk.cpp).

#ifndef AGGLOM_CHECK_HOSTUNITS_H
#define AGGLOM_CHECK_HOSTUNITS_H

#include "HostTeams.h"
#include "HostWalk.h"

namespace agglom {

/// A UnitUse, with the place where the walk has met it.
struct Pending : UnitUse {
  unsigned Id = 0;
  bool Whole = false; ///< all of the variable
  /// The depth of blocks, loops and conditions that it is at. When the walk
  /// leaves one of them, the depth decreases; after a condition, it is only
  /// perhaps pending.
  size_t Blocks = 0, Loops = 0, Conditions = 0;
  bool Perhaps = false;
  const clang::Stmt *In =
      nullptr; ///< the statement of that block that submitted it
  std::shared_ptr<const Team> By; ///< who submits it
  MaybeLinear Somewhere;          ///< an offset that some iteration has
  std::optional<Turns> Dealt;     ///< when an OpenMP loop was left
  bool Unsure = false;            ///< under a condition in OpenMP's region
};

/// A sure write of the host to resident memory that no `update` may have named
/// since.
struct HostWrite {
  Spot At;
  const clang::Expr *E = nullptr;
};

class HostUnits : protected HostPlaces {
protected:
  ParsedUnit &U;
  HostSummary *Summary; ///< not null: filled, and nothing reported

  std::map<const clang::VarDecl *, size_t> Level; ///< loops around
  std::vector<Pending> Live;
  std::set<unsigned> Killed;
  std::vector<const clang::Stmt *> Blocks; ///< the current statement of each
  unsigned Ids = 0, Waits = 0;
  unsigned Jumps = 0;
  bool Ended = false; ///< behind a jump
  bool Moved = false; ///< pointers at file scope may point elsewhere
  /// The body of the loop whose second iteration is walked; the first iteration
  /// has added the units it submits. Else null.
  const clang::Stmt *SecondBody = nullptr;
  const bool Cautious; ///< possible uses count
  /// The depth of the outermost block in which a wait was proposed.
  size_t WaitAt = SIZE_MAX;
  std::set<const clang::VarDecl *> Resident; ///< of the `data` around
  std::vector<Pending> ResidentMemory;       ///< what is known of its sections
  std::vector<HostWrite> HostWrites;
  unsigned Updates = 0;

  std::shared_ptr<const Team> Here = std::make_shared<Team>(); ///< who walks
  /// Units that the second iteration of a loop submits, which is walked for the
  /// sake of those of the first.
  std::vector<Pending> OfSecond;

  HostUnits(ParsedUnit &U, HostSummary *Summary)
      : HostPlaces(U.Context), U(U), Summary(Summary), Cautious(U.Cautious) {}

  // HostTeams.cpp

  /// Enters the region of OpenMP's directive \p D, which stands on \p S.
  void enter(const clang::OMPExecutableDirective &D, const clang::Stmt *S);
  /// Looks at the units from number \p First on that the region \p Here has
  /// submitted, which is left now.
  void leaveRegion(unsigned First);
  /// The same for a loop \p L with this body whose iterations the threads
  /// share, if they do.
  void leaveDealt(const OpenLoop &L, const clang::Stmt *Body, unsigned First);

  void submitted(const Task &T, const clang::CallExpr *Call);
  /// A use by units that a called function of this file has left behind.
  void submitted(const UnitUse &Left, const clang::CallExpr *Call);
  /// At the end of a function: fills the summary with the units that it leaves
  /// behind.
  void leaveBehind();
  /// \p L, which is in terms of the callee's parameters, in terms of the caller
  /// at \p Call.
  MaybeLinear atCall(const MaybeLinear &L, const clang::CallExpr *Call);
  /// The chunks of a loop that nobody waits for.
  void submitted(const HostLoop &H);
  /// A loop that is waited for, and so ends all units.
  void repeated(const HostLoop &H);
  /// The lifetime of the variables for which \p Which holds ends at \p At. For
  /// a jump a wait goes before the statement of the block around it.
  void end(llvm::function_ref<bool(const clang::VarDecl *)> Which,
           clang::SourceLocation At, bool Jump);
  /// Makes the memory that a section of `data` names resident.
  void resides(const Section &Sec);
  /// An `update` may have named the memory of the host's writes.
  void updated();
  /// The loop \p L, in which the host made the write \p W, was left.
  void leaves(HostWrite &W, const OpenLoop &L) const;
  /// Forgets all units: they are complete, or their memory is not known any
  /// more.
  void waited();
  /// The pointers for which \p Which holds may point elsewhere from here on.
  void forget(llvm::function_ref<bool(const clang::VarDecl *)> Which);
  /// Pointers in memory may point elsewhere from here on.
  void forgetPaths();
  /// Reports an access that meets a unit, or adds it to the summary.
  void access(Spot S, HostUse Use, const clang::Expr *E);
  /// The pointer \p V is given the value of \p E.
  void points(const clang::VarDecl *V, const clang::Expr *E);
  /// Adapts \p P to the end of loop \p L: to the memory of the unit of the
  /// first iteration, or of the units of all iterations. False when there is no
  /// such memory.
  bool leaves(Pending &P, const OpenLoop &L);
  /// Whether the variable is declared outside of the loop that was left.
  bool outlives(const clang::VarDecl *V) const;

private:
  std::map<const clang::VarDecl *, Spot> Aliases; ///< pointees of pointers
  std::set<clang::SourceLocation> Proposed;       ///< Cautious: places of waits
  std::set<const clang::Expr *> Told;             ///< reported writes

  Spot begins(const clang::Expr *E,
              llvm::function_ref<Spot(unsigned)> OfParam) const;
  Spot begins(const Section &Sec,
              llvm::function_ref<Spot(unsigned)> OfParam) const;
  Spot original(Spot S) const;
  void add(const Task &T, const Section &Sec, Spot At, const MaybeLinear &From,
           MaybeLinear Length, clang::SourceLocation Place,
           const Spot &Somewhere = {});
  void put(Pending P);
  void againstOthers(const Pending &Unit, bool Within);
  void sayUnordered(const Pending &Unit, const Pending &Other, bool Within);
  std::set<clang::SourceLocation> Unordered; ///< said at these calls
  Pending pending(const Task &T, const Section &Sec,
                  clang::SourceLocation Place);
  void addPointer(const Task &T, const Section &Sec,
                  clang::SourceLocation Place);
  void note(const Pending &P);
  void useOfWritten(const Pending &P);
  MaybeLinear inHost(const MaybeLinear &L, const HostLoop &H) const;
  bool isWhole(const Pending &P) const;
  bool meets(const Pending &P, const Spot &S, HostUse Use) const;
  /// \returns whether a wait before this use was proposed.
  bool report(const Pending &P, HostUse Use, const clang::Expr *E);
  /// Whether all variables in \p L are declared outside of the loop that was
  /// left.
  bool outlives(const Linear &L) const;
};

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTUNITS_H
