// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges a Model before anything is emitted, and adds what emission needs to
// know. Run on the user's own file, where its findings are reported, and again
// on the preprocessed text, where they are only needed.

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
  std::vector<Update> Updates; ///< to be made atomic, each statement once
  std::set<const clang::FunctionDecl *> RecursionSaid; ///< once, not by task

  void add(const Update &Up) {
    for (const Update &Other : Updates)
      if (Other.Whole == Up.Whole)
        return;
    Updates.push_back(Up);
  }
};

/// The statements under '#pragma agglom atomic'. (Updates.cpp)
void checkAtomics(ParsedUnit &U, CheckedUnit &C);
/// Whether an update can be made atomic; reports when not. (Updates.cpp)
bool checkUpdate(ParsedUnit &U, const Update &Up);

/// The task's return type, parameters and place. (TaskForm.cpp)
void checkTaskForm(ParsedUnit &U, Task &T);
/// Nobody takes the address of a task. (TaskAddress.cpp)
void checkTaskAddresses(ParsedUnit &U);
/// The blocks under `data` are entered at their beginning. (DataBlocks.cpp)
void checkDataBlocks(ParsedUnit &U);
/// What stands under `declare`. (Declared.cpp)
void checkDeclared(ParsedUnit &U, CheckedUnit &Result);
/// Functions, constants and constructs of \p Body, which is the task's or that
/// of its variant. (Closure.cpp)
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
/// Memory the body of \p C touches against the sections. (Pointers.cpp)
void checkPointers(ParsedUnit &U, Task &T, const DeviceClosure &C);
/// Pointers that are host addresses, and are followed. (HostAddresses.cpp)
/// \returns false after an error.
bool checkHostAddresses(ParsedUnit &U, Task &T, PointsTo &P);
/// Pointers that are compared or subtracted. (PointerRelations.cpp)
void checkPointerRelations(ParsedUnit &U, Task &T, PointsTo &P);
/// The uses of accumulated memory, each an update. (Accumulate.cpp)
void checkAccumulate(ParsedUnit &U, CheckedUnit &C, Task &T);
/// What an accumulate section is made of: numbers of this type.
clang::QualType accumulatedType(const Section &Sec, const clang::ASTContext &C);
/// Loops: canonical form, shared variables. (Loops.cpp)
void checkLoops(ParsedUnit &U, Task &T);
/// What a '#pragma agglom for' adds, for its task. (HostLoops.cpp)
void checkHostLoop(ParsedUnit &U, Task &T);
/// There is none in what becomes device code. (HostLoops.cpp)
void checkNoHostLoop(ParsedUnit &U, Task &T, const DeviceClosure &C);
/// Loops that certainly carry a dependence. (Dependences.cpp)
void warnDependences(ParsedUnit &U, const Task &T);
/// Which mapping the body allows. (Shape.cpp)
void chooseMapping(ParsedUnit &U, const CheckedUnit &Checked, Task &T);

/// Warnings about what is legal and surely not meant. (Advice.cpp)
void advise(ParsedUnit &U, Task &T);

/// Which `out` sections need not be sent. (Overwrites.cpp)
void findOverwrites(ParsedUnit &U, Task &T);

/// The note that shows where \p T is written.
inline diag::Id notePlace(const Task &T) {
  return T.From ? diag::note_loop_here : diag::note_pragma_here;
}

/// Whether \p F writes to standard output, itself or through what it calls.
/// (Formats.cpp)
bool prints(const clang::FunctionDecl *F);

} // namespace agglom

#endif // AGGLOM_CHECK_RULES_H
