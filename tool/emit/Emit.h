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
  Edits Device; ///< what device code has otherwise, see DeviceEdits.h
  Edits Names;  ///< what the emulated body at hand calls variables
  /// The same for kernel bodies: \see findByAddress()
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
  /// The file of \p P as the program is to name it: -ffile-prefix-map counts.
  std::string fileName(const clang::PresumedLoc &P) const;
  /// The text of \p E with edits applied.
  std::string edited(const Edits &Ed, Extent E);
  /// The number of the function that makes \p Up.
  unsigned updateFunction(const Update &Up);
  /// \p S on one line, as it reads in \p D.
  std::string source(const clang::Stmt *S, Dialect D);
};

/// What \p Ty is derived from: what it points to, its element, what a function
/// returns; null: nothing. \p Parameter is told the types of parameters.
clang::QualType
derivedFrom(const clang::Type *Ty,
            llvm::function_ref<void(clang::QualType)> Parameter);

/// \p T with enumerations as the integers they are: they need no name, and may
/// be local to a function.
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
/// What the unit under \p E defines for others.
std::vector<const clang::ValueDecl *> exportsOf(const Emission &E);
/// What its device code uses of others.
std::vector<const clang::ValueDecl *> importsOf(const Emission &E);
/// The argument structure.
std::string argumentStruct(Emission &E, const Task &T);
/// Its member for parameter \p I.
std::string argumentField(const Task &T, unsigned I);
/// "ag_u->a, ag_u->na"
std::string argumentValues(const Task &T, llvm::StringRef Prefix);

/// File-scope objects that sections name reach the body as hidden arguments:
/// their declarations, and their values out of an argument structure.
std::string hiddenName(const clang::VarDecl *G);
std::string hiddenParameter(Emission &E, const clang::VarDecl *G);
std::string hiddenParameters(Emission &E, const Task &T);
std::string hiddenValues(const Task &T, llvm::StringRef Prefix);
/// Those that are not empty, separated by commas.
std::string listOf(std::initializer_list<std::string> Items);

/// How an argument structure keeps a parameter: a pointer to an array of
/// variable size as one to its elements.
clang::QualType storedType(Emission &E, const clang::ParmVarDecl *P);
/// Device code has no arrays of variable size; see VariableArrays.cpp.
bool hasVariableArrays(const clang::FunctionDecl *F);
void flattenArrays(Emission &E, const clang::FunctionDecl *F, Edits &Ed);
std::string flatParameterList(Emission &E, const clang::FunctionDecl *F);

/// Fills E.ByAddress for the body of \p T. (ByAddress.cpp)
void findByAddress(Emission &E, const Task &T);
/// The same for the body's text on the emulated device.
Edits hostNames(Emission &E, const Task &T);
/// What a copy of \p F must declare first: one that runs the units of \p T, or,
/// when that is null, one that is called.
std::string byAddressEntry(Emission &E, const clang::FunctionDecl *F,
                           const Task *T);
/// The parameters of the function that runs a unit in a kernel, and the values
/// they get.
std::string unitParameterList(Emission &E, const clang::FunctionDecl *F);
std::string unitValues(const Task &T, llvm::StringRef Prefix);

/// Turns atomic updates into calls, in \p Ed and in E.Common.
void editUpdates(Emission &E, Edits &Ed);
/// The functions they call; \p Only names their numbers, null is all of them.
std::string updateFunctions(Emission &E, Dialect D,
                            const std::set<unsigned> *Only);

/// What the runtime does with partial results of \p T's accumulate sections:
/// functions, and how the entry of section \p I names them.
std::string accumulateFunctions(Emission &E, const Task &T);
std::string accumulateEntry(const Task &T, size_t I);
/// "AGGLOM_ACCUMULATE | 0x1300": equal ones commute.
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
/// Directives of host code that name sections (Directives.cpp): what stands in
/// the place of number \p I (under `data`, at the beginning of the block), and
/// the declaration and the definition of the function that it calls.
std::string directiveUse(Emission &E, size_t I);
std::string directiveDeclarations(const Emission &E);
std::string directiveFunctions(Emission &E);
/// What Clang's own headers declare becomes what another host compiler
/// understands; what nothing uses goes. (ClangHeaders.cpp)
void adaptClangHeaders(Emission &E, Edits &Ed);
/// In bytes; of an array of variable size, the size of what it is made of.
uint64_t elementSize(Emission &E, clang::QualType T);
/// A C string literal.
std::string quoted(llvm::StringRef S);

/// The number of iterations of a loop from \p First to \p Bound, variables of
/// its CompareType, as an expression. (UnitBody.cpp)
std::string iterationCount(Emission &E, const CanonicalFor &C,
                           const std::string &First, const std::string &Bound);
/// The value that a reduction's operator makes of two.
std::string combined(llvm::StringRef Op, const std::string &A,
                     const std::string &B);

/// The value of type \p T that changes nothing as an operand of \p Op. For min
/// and max it is \p Start: a value that takes part anyway, or the extreme of
/// the type.
std::string identity(llvm::StringRef Op, clang::QualType T,
                     const std::string &Start);

/// What the text without '#pragma agglom for' cannot say of a loop's task.
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

/// Replaces each line that is only the marker by one that says where that line
/// itself stands in \p FileName.
extern const char SelfMarker[];
std::string resolveSelfMarkers(llvm::StringRef Text, llvm::StringRef FileName);

} // namespace agglom

#endif // AGGLOM_EMIT_EMIT_H
