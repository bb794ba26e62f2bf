// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a checked unit to text.
//
//   host text    the user's preprocessed text with calls to tasks redirected,
//                then what is generated for each task        (Host.cpp)
//   kernel text  the device closure and one kernel a task    (Kernel.cpp)
//   unit bodies  a task's body with its loops dealt out,
//                for both                                     (UnitBody.cpp)

#ifndef AGGLOM_EMIT_EMIT_H
#define AGGLOM_EMIT_EMIT_H

#include "Rules.h"
#include "SourceText.h"
#include "Unit.h"

namespace agglom {

enum class Dialect {
  Gpu, ///< the macros of agglom/kernel.h; for Clang's NVPTX target
  Host ///< plain C: one call runs one chain on the emulated device
};

/// What every emitter works on.
struct Emission {
  ParsedUnit &U;
  const CheckedUnit &Checked;
  SourceText Text;
  clang::PrintingPolicy Policy;
  Edits Common; ///< pragma lines of loops removed: for every copy of a body
  Edits Gpu;    ///< for the kernel text alone
  Edits Device; ///< the edits that DeviceEdits.h describes
  Edits Names;  ///< what the emulated body at hand calls variables
  /// What a kernel body writes for a variable, by function: \see
  /// findByAddress()
  std::map<const clang::FunctionDecl *,
           std::map<const clang::VarDecl *, std::string>>
      ByAddress;
  std::optional<unsigned> Overlap; ///< where edits collided
  /// One for each kind of update: function number i is made from entry i.
  std::vector<Update> UpdateFunctions;

  Emission(ParsedUnit &U, const CheckedUnit &Checked)
      : U(U), Checked(Checked), Text(U.Context),
        Policy(U.Context.getLangOpts()) {}

  /// "unsigned int", spelled without typedefs.
  std::string plainType(clang::QualType T) const;
  /// "const struct pt *a": T declared as \p Name, top-level qualifiers off.
  std::string declare(clang::QualType T, llvm::StringRef Name) const;
  /// The string literal that the host compiler has for \p Name, which is
  /// __func__ or the like, in function \p F.
  std::string functionName(const clang::PredefinedExpr &Name,
                           const clang::FunctionDecl &F) const;
  /// The file of \p P as the program is to name it: -ffile-prefix-map counts.
  std::string fileName(const clang::PresumedLoc &P) const;
  /// The text of \p E with edits applied.
  std::string edited(const Edits &Ed, Extent E);
  /// The number of the generated function that performs \p Up.
  unsigned updateFunction(const Update &Up);
  /// \p S on one line, as it reads in \p D.
  std::string source(const clang::Stmt *S, Dialect D,
                     const Edits *More = nullptr);
};

/// The pointee, element or return type that \p Ty is derived from; null when
/// there is none. \p Parameter is called with each parameter type.
clang::QualType
derivedFrom(const clang::Type *Ty,
            llvm::function_ref<void(clang::QualType)> Parameter);

/// \p T with each enumeration replaced by its integer type. An enumeration may
/// be unnamed, or local to a function.
clang::QualType withoutEnums(clang::ASTContext &Ctx, clang::QualType T);

/// The text of a copy of \p F under the pragmas about floating point that stand
/// before \p F in the source.
std::string underItsPragmas(const clang::FunctionDecl *F, std::string Text);

/// The task's parameter list, without the parentheses; "" when it has none.
std::string parameterList(Emission &E, const clang::FunctionDecl *F,
                          Dialect D = Dialect::Host);
/// "interact__agglom_args" and the like.
std::string generated(const Task &T, llvm::StringRef What);
/// \p Bytes as a C string literal on one line.
std::string stringLiteral(llvm::StringRef Bytes);
/// The name that all units have for a function or object under `declare`. It
/// holds a hash of the type, so that units that disagree do not link.
/// (Declared.cpp)
std::string declaredSymbol(Emission &E, const clang::ValueDecl *D);
/// The functions and objects under `declare` that the unit defines.
std::vector<const clang::ValueDecl *> exportsOf(const Emission &E);
/// The functions and objects of other units that the unit's device code uses.
std::vector<const clang::ValueDecl *> importsOf(const Emission &E);
/// The argument structure.
std::string argumentStruct(Emission &E, const Task &T);
/// The member of the argument structure for parameter \p I.
std::string argumentField(const Task &T, unsigned I);
/// "ag_u->a, ag_u->na"
std::string argumentValues(const Task &T, llvm::StringRef Prefix);

/// File-scope objects that sections name reach the body as hidden arguments:
/// their declarations, and their values out of an argument structure.
std::string hiddenName(const clang::VarDecl *G);
std::string hiddenParameter(Emission &E, const clang::VarDecl *G);
std::string hiddenParameters(Emission &E, const Task &T);
std::string hiddenValues(const Task &T, llvm::StringRef Prefix);
/// The items that are not empty, separated by commas.
std::string listOf(std::initializer_list<std::string> Items);

/// The type of a parameter in the argument structure: a pointer to an array of
/// variable size becomes a pointer to its innermost elements.
clang::QualType storedType(Emission &E, const clang::ParmVarDecl *P);
/// Device code has no arrays of variable size: edits \p In, the body of \p F
/// or an expression with its parameters. (VariableArrays.cpp)
bool hasVariableArrays(const clang::FunctionDecl *F);
void flattenArrays(Emission &E, const clang::FunctionDecl *F,
                   const clang::Stmt *In, Edits &Ed);
std::string flatParameterList(Emission &E, const clang::FunctionDecl *F);

/// Fills E.ByAddress for the body of \p T. (ByAddress.cpp)
void findByAddress(Emission &E, const Task &T);
/// The edits that do the same for the text of the body on the emulated device.
Edits hostNames(Emission &E, const Task &T);
/// The declarations at the beginning of a copy of \p F. The copy runs the units
/// of \p T; where \p T is null, other device code calls the copy.
std::string byAddressEntry(Emission &E, const clang::FunctionDecl *F,
                           const Task *T);
/// The parameters of the function that runs a unit in a kernel, and the
/// arguments it is called with.
std::string unitParameterList(Emission &E, const clang::FunctionDecl *F);
std::string unitValues(const Task &T, llvm::StringRef Prefix);

/// Turns atomic updates into calls, in \p Ed and in E.Common.
void editUpdates(Emission &E, Edits &Ed);
/// The functions that those calls name. \p Only holds the numbers of the
/// functions wanted; null means all.
std::string updateFunctions(Emission &E, Dialect D,
                            const std::set<unsigned> *Only);

/// The functions with which the runtime sets and combines partial results of \p
/// T's accumulate sections, and their names in the entry of section \p I.
std::string accumulateFunctions(Emission &E, const Task &T);
std::string accumulateEntry(const Task &T, size_t I);
/// Whether a copy of \p T's body may update plainly what it accumulates, where
/// the runtime gives it memory of its own in the place of each such section.
bool updatesPrivately(const Emission &E, const Task &T);
/// The text of an edited body with plain updates, and the functions for it that
/// \p Done does not name.
std::string withPlainUpdates(Emission &E, const std::string &Body,
                             std::set<unsigned> &Done, std::string &Functions);
/// "AGGLOM_ACCUMULATE | 386 << AGGLOM_OPERATION_SHIFT" for + on double: the
/// operator, the size and the kind of the type. Sections of equal mode commute.
std::string accumulateMode(Emission &E, const Section &Sec);

/// Definitions of reductions used by a body in the Gpu dialect.
std::string reductionDefinitions(Emission &E, const Task &T);
/// The body of \p T, from '{' to '}', with its loops in \p D.
std::string unitBody(Emission &E, const Task &T, Dialect D);

/// The entry of section \p I in the task's table, and the values of sections at
/// a call: the array \p Name of struct agglom_range. (Ranges.cpp)
std::string sectionEntry(Emission &E, const Task &T, size_t I);
std::string sectionRanges(Emission &E, const std::vector<Section> &Sections,
                          llvm::StringRef Name);
/// Directives of host code that name sections (Directives.cpp): the text that
/// replaces directive number \p I (for `data`, the text at the beginning of the
/// block), and declarations and definitions of the functions that it calls.
std::string directiveUse(Emission &E, size_t I);
std::string directiveDeclarations(const Emission &E);
std::string directiveFunctions(Emission &E);
/// Changes the declarations of Clang's own headers so that another host
/// compiler understands them, and removes the unused ones. (ClangHeaders.cpp)
void adaptClangHeaders(Emission &E, Edits &Ed);
/// The size of \p T in bytes; of an array of variable size, the size of its
/// innermost element.
uint64_t elementSize(Emission &E, clang::QualType T);
/// A C string literal.
std::string quoted(llvm::StringRef S);

/// The number of iterations of a loop from \p First to \p Bound, variables of
/// its CompareType, as an expression. (UnitBody.cpp)
std::string iterationCount(Emission &E, const CanonicalFor &C,
                           const std::string &First, const std::string &Bound);
/// The expression that applies a reduction's operator to \p A and \p B.
std::string combined(llvm::StringRef Op, const std::string &A,
                     const std::string &B);

/// The value of type \p T that changes nothing as an operand of \p Op. For min,
/// max, && and || it is \p Start: a value that takes part in the reduction
/// anyway, or the extreme of the type.
std::string identity(llvm::StringRef Op, clang::QualType T,
                     const std::string &Start);

/// What the lowered text, without '#pragma agglom for', cannot say of the task
/// that a loop has become.
struct LoweredTask {
  struct Item {
    std::string Text; ///< as the user wrote it
    bool Overwrites;
  };
  std::vector<Item> Sections; ///< in order, implicit ones not counted
  std::string LoopOf;         ///< as in Task
};
using LoweredTasks = std::map<std::string, LoweredTask>; ///< by function name

/// The unit's text with tasks in the place of '#pragma agglom for'.
/// (HostLoops.cpp)
std::string lowerHostLoops(Emission &E, LoweredTasks &Tasks);
void restoreLoops(ParsedUnit &U, const LoweredTasks &Tasks);

std::string kernelText(Emission &E, bool &NeedsMaths);
std::string hostText(Emission &E);

/// Replaces each line that consists of SelfMarker by a line marker with that
/// line's own place in \p FileName.
extern const char SelfMarker[];
std::string resolveSelfMarkers(llvm::StringRef Text, llvm::StringRef FileName);

} // namespace agglom

#endif // AGGLOM_EMIT_EMIT_H
