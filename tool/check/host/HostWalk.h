// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks host code statement by statement, to find memory that it uses too
// early. A call of a task starts a unit that may access its sections until
// something waits. Memory that the host surely uses before that is reported.
// Nothing is guessed: an access counts when it surely meets the section,
//
//   f(n, x); y = x[0];              the first element of x[0:n]
//   f(&s[r]); y = s[r];             the same element, r unchanged
//   for (r...) f(&s[r]); y = s[0];  the element of the first iteration
//   f(10, a); y = a[k];             a[10] as a whole
//
// and a call of a function that is not known, or may wait, ends all units.
// Functions of the file are walked once, for their uses of memory behind
// parameters and at file scope, and for the units that they leave behind.
//
// Where waits are to be proposed (ParsedUnit::Cautious), each access counts
// that may meet a unit, on any path through the function.

#ifndef AGGLOM_CHECK_HOSTWALK_H
#define AGGLOM_CHECK_HOSTWALK_H

#include "HostPlaces.h"
#include "Rules.h"

namespace agglom {

enum class HostUse { Read, Write, Free };

/// A sure use, by a function that cannot wait, of memory behind a parameter, or
/// of memory at file scope. Offsets are in terms of the function's parameters.
struct ParameterUse {
  unsigned Index;
  MaybeLinear Offset; ///< in bytes
  int64_t Size;
  HostUse Use;
};
struct GlobalUse {
  Spot At;
  HostUse Use;
};

/// A use of some memory by a unit that may still run.
struct UnitUse : Spot {
  const Task *T = nullptr;
  const Section *Sec = nullptr;
  clang::SourceLocation At; ///< the call, or a loop's pragma
  MaybeLinear Length;       ///< in bytes; one that is not constant is taken as
                            ///< positive
  bool Written = false;
};

/// The facts about a function from one walk.
struct HostSummary {
  std::vector<ParameterUse> Uses;
  std::vector<GlobalUse> Globals;
  /// Uses by units that it has surely submitted and not waited for when it
  /// returns, of memory behind a parameter or at file scope, in terms of its
  /// parameters.
  std::vector<UnitUse> Left;
};

/// Facts about the functions that host code calls.
class HostFunctions {
  ParsedUnit &U;
  std::map<const clang::FunctionDecl *, bool> Waiting, Submitting;
  std::map<const clang::FunctionDecl *, HostSummary> Summaries;

public:
  explicit HostFunctions(ParsedUnit &U) : U(U) {}
  /// Whether a statement carries an agglom directive that waits.
  static bool isWait(const ParsedUnit &U, const clang::AttributedStmt &S);
  bool isLibrary(const clang::FunctionDecl *F) const;
  /// Whether a call of \p F may wait for units.
  bool mayWait(const clang::FunctionDecl *F);
  bool mayWait(const clang::Stmt *S);
  /// Whether \p F, or what it calls in this file, calls tasks.
  bool maySubmit(const clang::FunctionDecl *F);
  bool maySubmit(const clang::Stmt *S);
  const HostSummary &summaryOf(const clang::FunctionDecl *F);
};

/// What a function of the C library does to memory behind an argument.
struct LibraryUse {
  unsigned Argument;
  HostUse Use;
};
/// The uses of memory by the function \p Name; empty when it is not known.
llvm::SmallVector<LibraryUse, 2> libraryUses(llvm::StringRef Name);
/// Whether \p Name is a function of threads: another thread may wait for units,
/// and signal this one.
bool mayTellThread(llvm::StringRef Name);
/// Whether a jump in this body leaves the loop.
bool isLeft(const clang::Stmt *Body);

/// Reports uses in the body of \p F that come too early. When \p Summary is not
/// null, collects the sure uses of memory of its callers instead.
void walkHost(ParsedUnit &U, HostFunctions &Functions,
              const clang::FunctionDecl *F, HostSummary *Summary);

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTWALK_H
