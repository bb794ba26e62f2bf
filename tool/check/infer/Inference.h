// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections inferred from a body: for each pointer parameter the smallest range,
// in terms of the parameters, that covers all accesses. One analysis serves
// fix-its, warnings and --suggest.

#ifndef AGGLOM_CHECK_INFERENCE_H
#define AGGLOM_CHECK_INFERENCE_H

#include "Accesses.h"
#include "PragmaTable.h"

namespace agglom {

struct Task;

/// The bytes that one access may touch, in terms of the parameters.
struct Extent {
  Poly Lo, Hi; ///< from Lo to before Hi
  Poly Exact;  ///< Hi with the last step of each loop computed exactly
};

struct InferredSection {
  const clang::ParmVarDecl *Param = nullptr; ///< parameter of the body, or null
  Base In;
  clang::QualType Element;
  bool Reads = false;    ///< reads memory of the section
  bool ReadsOld = false; ///< reads memory not written by it before
  bool Writes = false;
  const clang::Expr *FirstRead = nullptr, *FirstWrite = nullptr;
  bool Known = false;     ///< Text is valid
  bool Doubtful = false;  ///< Text may exceed the existing memory
  Poly Lo, Len;           ///< in elements
  std::string Text;       ///< "x[0:n]"
  std::string Assumption; ///< "n >= 1", or empty
  std::string Why; ///< why it is not known for sure, as the end of a sentence
  const clang::Expr *WhyAt = nullptr;

  ClauseId clause() const {
    return !Writes ? ClauseId::In : ReadsOld ? ClauseId::InOut : ClauseId::Out;
  }
};

struct Inference {
  BodyAccesses Body;
  std::vector<InferredSection> Sections; ///< of parameters dereferenced, in
                                         ///< their order

  const InferredSection *of(unsigned ParameterIndex) const;
  /// For inferIteration(): whether each iteration accesses all of \p S,
  /// relative to the iteration.
  bool isInEach(const InferredSection &S) const;
};

/// "in(x[i])".
std::string clauseOf(const InferredSection &S);

/// The extent of one access; nullopt, with the reason in \p Why, when it is not
/// known. \p Assumed: as for Facts.
std::optional<Extent> extentOf(BodyAccesses &Body, const Access &A,
                               std::string &Why,
                               std::vector<SymbolId> *Assumed = nullptr);

/// \p Names: the declaration whose parameter names the text uses.
Inference inferSections(clang::ASTContext &Context,
                        const clang::FunctionDecl *Body,
                        const clang::FunctionDecl *Names);
/// The section of a file-scope variable among the accesses of \p I: elements of
/// the array, elements behind the pointer, or the whole variable.
InferredSection inferVariable(clang::ASTContext &Context, Inference &I,
                              const clang::VarDecl *V,
                              const clang::FunctionDecl *Names);
/// The section in base \p In, which clauses call \p Name, in elements of type
/// \p Element.
InferredSection inferIn(clang::ASTContext &Context, Inference &I, Base In,
                        clang::QualType Element, llvm::StringRef Name,
                        const clang::FunctionDecl *Names);
/// The sections of one iteration of \p L, the loop of a `for`.
Inference inferIteration(clang::ASTContext &Context,
                         const clang::FunctionDecl *Body, const Loop &L);

/// The sections of \p Body, the task's function or its variant; where the task
/// was made of a `for`, the sections of one iteration.
Inference inferTask(clang::ASTContext &Context, const Task &T,
                    const clang::FunctionDecl *Body);
/// Whether a clause of \p T may name section \p S of \p I, whatever the
/// arguments are and in each iteration.
bool isSure(const clang::ASTContext &Context, const Task &T, const Inference &I,
            const InferredSection &S);

} // namespace agglom

#endif // AGGLOM_CHECK_INFERENCE_H
