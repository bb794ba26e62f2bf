// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units that different threads of OpenMP submit have no order, whatever
// OpenMP's directives say of their calls.

#ifndef AGGLOM_CHECK_HOSTTEAMS_H
#define AGGLOM_CHECK_HOSTTEAMS_H

#include "HostPlaces.h"

namespace clang {
class OMPExecutableDirective;
} // namespace clang

namespace agglom {
struct ParsedUnit;

/// The threads of OpenMP that execute a place.
struct Team {
  enum Kind {
    First,  ///< the one that was there before; no region, or `master`
    All,    ///< each of the team
    Shared, ///< the iterations of a loop are dealt out to them
    One,    ///< some thread: `single`, `section`, `task`
    Unknown
  } Who = First;
  /// The directive that says so.
  const clang::OMPExecutableDirective *Directive = nullptr;
  unsigned Id = 0;       ///< of this execution of it
  size_t Conditions = 0; ///< around it
  bool IsTask = false;   ///< another thread in each iteration around
  bool Inside = false;   ///< a parallel region is around
  bool HasOrder = false; ///< of a task: others depend on its end
  const clang::Stmt *Body = nullptr; ///< of the loop that is dealt out
  std::optional<int64_t> Chunk;      ///< `static`; 0: one for each thread
  /// Variables of which each thread has another.
  std::set<const clang::VarDecl *> Own;
  std::set<const clang::VarDecl *> Copies; ///< those that a clause names
};

/// The places of a section, one for each iteration of a loop whose iterations
/// are dealt out.
struct Turns {
  Linear Begin;             ///< in the first iteration
  int64_t Step = 0;         ///< from one iteration to the next, in bytes
  int64_t Length = 1;       ///< at least
  MaybeLinear First, Bound; ///< of the loop; Bound: of a step of 1

  /// How many there are at least; two where that is not known.
  int64_t number() const {
    MaybeLinear N =
        Bound && First ? MaybeLinear(Bound->plus(*First, -1)) : std::nullopt;
    return N ? N->constant().value_or(2) : 2;
  }
};

/// Warns of waits in OpenMP's regions within a device(cpu) task that may be for
/// the task itself.
void warnWaitsInTeams(ParsedUnit &U);

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTTEAMS_H
