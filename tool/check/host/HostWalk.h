// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code, statement by statement, for what the calls of tasks leave behind.
// A call starts units that may read and write its sections until something
// waits; memory that the host surely uses before that is reported. Nothing is
// guessed: an access counts when it surely meets the section,
//
//   f(n, x); y = x[0];              the first element of x[0:n]
//   f(&s[r]); y = s[r];             the same element, r unchanged
//   for (r...) f(&s[r]); y = s[0];  that of the loop's first iteration
//   f(10, a); y = a[k];             a[10] as a whole
//
// and a call whose body is not known, or may wait, ends it all. Functions of
// the file are looked at once, for what they do to memory behind their
// parameters and at file scope, and what they leave behind.
//
// Where waits are to be proposed (ParsedUnit::Cautious) it is the other way
// round: all that may meet a unit counts, on any way through the function.

#ifndef AGGLOM_CHECK_HOSTWALK_H
#define AGGLOM_CHECK_HOSTWALK_H

#include "HostPlaces.h"
#include "Rules.h"

namespace agglom {

enum class HostUse { Read, Write, Free };

/// What a function that cannot wait surely does to memory behind a parameter,
/// or to what is at file scope. Offsets are over its parameters.
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

/// What units that may still run do to some memory.
struct UnitUse : Spot {
  const Task *T = nullptr;
  const Section *Sec = nullptr;
  clang::SourceLocation At; ///< of the call, or of the pragma of a loop
  MaybeLinear Length;       ///< in bytes; one that is not constant is taken as
                            ///< positive
  bool Written = false;
};

/// What is known of a function from looking at it once.
struct HostSummary {
  std::vector<ParameterUse> Uses;
  std::vector<GlobalUse> Globals;
  /// Of units that it has surely submitted and not waited for when it returns:
  /// memory behind a parameter, or objects of the file. Over its parameters.
  std::vector<UnitUse> Left;
};

/// What is known of the functions that host code calls.
class HostFunctions {
  ParsedUnit &U;
  std::map<const clang::FunctionDecl *, bool> Waiting, Submitting;
  std::map<const clang::FunctionDecl *, HostSummary> Summaries;

public:
  explicit HostFunctions(ParsedUnit &U) : U(U) {}
  /// Whether a statement is one of ours that may wait.
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
/// Empty where nothing is known of it.
llvm::SmallVector<LibraryUse, 2> libraryUses(llvm::StringRef Name);
/// Whether it is of threads: another one may wait, and tell this one.
bool mayTellThread(llvm::StringRef Name);
/// Whether a loop with this body is left by a jump to behind it.
bool isLeft(const clang::Stmt *Body);

/// Reports what the body of \p F does too early; or, when there is \p Summary,
/// collects what it surely does to memory of its callers.
void walkHost(ParsedUnit &U, HostFunctions &Functions,
              const clang::FunctionDecl *F, HostSummary *Summary);

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTWALK_H
