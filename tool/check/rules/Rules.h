// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a Model before anything is emitted, and adds facts that emission
// needs. Run on the user's own file, where errors are reported, and again on
// the preprocessed text, where only the facts are needed.

#ifndef AGGLOM_CHECK_RULES_H
#define AGGLOM_CHECK_RULES_H

#include "DeviceClosure.h"
#include "ParseAction.h"
#include "Syntax.h"
#include "Updates.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <set>

namespace agglom {

class PointsTo;

struct CheckedUnit {
  std::map<const Task *, DeviceClosure> Closures; ///< tasks with a kernel
  /// Tasks whose units neither submit others nor wait for another thread on a
  /// CPU, nor are cancelled there, as far as can be seen.
  std::set<const Task *> Leaves;
  std::vector<Update> Updates; ///< made atomic; each statement once
  std::set<const clang::FunctionDecl *> RecursionSaid; ///< not for each task

  void add(const Update &Up) {
    for (Update &Other : Updates)
      if (Other.Whole == Up.Whole) {
        Other.Accumulates &= Up.Accumulates;
        return;
      }
    Updates.push_back(Up);
  }
};

/// The statements under '#pragma agglom atomic'. (Updates.cpp)
void checkAtomics(ParsedUnit &U, CheckedUnit &C);
/// Whether an update can be made atomic; reports when not. (Updates.cpp)
bool checkUpdate(ParsedUnit &U, const Update &Up);

/// The task's return type, parameters and place. (TaskForm.cpp)
void checkTaskForm(ParsedUnit &U, Task &T);
/// Checks that no address of a task is taken. (TaskAddress.cpp)
void checkTaskAddresses(ParsedUnit &U);
/// Checks that blocks under `data` are entered at their beginning.
/// (DataBlocks.cpp)
void checkDataBlocks(ParsedUnit &U);
/// The functions and objects under `declare`. (Declared.cpp)
void checkDeclared(ParsedUnit &U, CheckedUnit &Result);
/// The functions, constants and constructs that \p Body needs. \p Body is the
/// task's definition or its variant. (Closure.cpp)
void checkClosure(ParsedUnit &U, Task &T, const clang::FunctionDecl *Body,
                  DeviceClosure &C);
/// Functions of \p C that call themselves. (Recursion.cpp)
void checkRecursion(ParsedUnit &U, CheckedUnit &Result, Task &T,
                    DeviceClosure &C);
/// The function of clause variant, as the task's kernel. (Variant.cpp)
void checkVariant(ParsedUnit &U, Task &T);
/// Whether \p F is a function of <agglom/device.h>. (Variant.cpp)
bool isTeamFunction(const clang::ASTContext &C, const clang::FunctionDecl *F);
/// The block-shared memory of a kernel. (Variant.cpp)
void checkSharedSize(ParsedUnit &U, Task &T, const DeviceClosure &C);
/// A call of printf whose format is argument \p Format. (Formats.cpp)
/// \returns false after an error.
bool checkFormat(ParsedUnit &U, const clang::CallExpr *Call, unsigned Format,
                 DeviceClosure &C);
/// Compares the memory that the body of \p C accesses with the sections.
/// (Pointers.cpp)
void checkPointers(ParsedUnit &U, Task &T, const DeviceClosure &C);
/// Accesses through pointers that are host addresses. (HostAddresses.cpp)
/// \returns false after an error.
bool checkHostAddresses(ParsedUnit &U, Task &T, PointsTo &P);
/// Pointers that are compared or subtracted. (PointerRelations.cpp)
void checkPointerRelations(ParsedUnit &U, Task &T, PointsTo &P);
/// Checks that each use of accumulated memory is an update. (Accumulate.cpp)
void checkAccumulate(ParsedUnit &U, CheckedUnit &C, Task &T);
/// The type of the numbers in an accumulate section.
clang::QualType accumulatedType(const Section &Sec, const clang::ASTContext &C);
/// Loops: canonical form, shared variables. (Loops.cpp)
void checkLoops(ParsedUnit &U, Task &T);
/// The rules that a '#pragma agglom for' adds for its task. (HostLoops.cpp)
void checkHostLoop(ParsedUnit &U, Task &T);
/// Checks that device code contains no '#pragma agglom for'. (HostLoops.cpp)
void checkNoHostLoop(ParsedUnit &U, Task &T, const DeviceClosure &C);
/// Loops that certainly carry a dependence. (Dependences.cpp)
void warnDependences(ParsedUnit &U, const Task &T);
/// Which mapping the body allows. (Shape.cpp)
void chooseMapping(ParsedUnit &U, const CheckedUnit &Checked, Task &T);

/// Warnings about code that is legal and surely not meant. (Advice.cpp)
void advise(ParsedUnit &U, Task &T);

/// Which `out` sections need not be sent. (Overwrites.cpp)
void findOverwrites(ParsedUnit &U, Task &T);

/// The note that shows where \p T is written.
inline diag::Id notePlace(const Task &T) {
  return T.From ? diag::note_loop_here : diag::note_pragma_here;
}

/// Fills \p C.Leaves. (Leaves.cpp)
void findLeaves(const ParsedUnit &U, CheckedUnit &C);

/// Whether \p F writes to standard output, itself or in functions that it
/// calls. (Formats.cpp)
bool prints(const clang::FunctionDecl *F);

} // namespace agglom

#endif // AGGLOM_CHECK_RULES_H
