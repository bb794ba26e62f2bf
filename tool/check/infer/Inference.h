// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections inferred from a body: for each pointer parameter the smallest range
// over the parameters that covers all accesses. One analysis for fix-its,
// warnings and --suggest.

#ifndef AGGLOM_CHECK_INFERENCE_H
#define AGGLOM_CHECK_INFERENCE_H

#include "Accesses.h"
#include "PragmaTable.h"

namespace agglom {

struct Task;

/// The bytes one access may touch, over the parameters.
struct Extent {
  Poly Lo, Hi; ///< from Lo to before Hi
  Poly Exact;  ///< Hi when the last of a loop's steps is computed exactly
};

struct InferredSection {
  const clang::ParmVarDecl *Param = nullptr; ///< of the body, or null
  Base In;
  clang::QualType Element;
  bool Reads = false;    ///< anything
  bool ReadsOld = false; ///< what it did not write itself before
  bool Writes = false;
  const clang::Expr *FirstRead = nullptr, *FirstWrite = nullptr;
  bool Known = false;     ///< Text is there
  bool Doubtful = false;  ///< and may be more memory than there is
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
  /// Of inferIteration(): whether each iteration touches all of \p S, as far
  /// from where it stands.
  bool isInEach(const InferredSection &S) const;
};

/// "in(x[i])".
std::string clauseOf(const InferredSection &S);

/// What can be said of one access; nullopt and \p Why when nothing. \p
/// Assumed: as for Facts.
std::optional<Extent> extentOf(BodyAccesses &Body, const Access &A,
                               std::string &Why,
                               std::vector<SymbolId> *Assumed = nullptr);

/// \p Names: the declaration whose parameter names the text uses.
Inference inferSections(clang::ASTContext &Context,
                        const clang::FunctionDecl *Body,
                        const clang::FunctionDecl *Names);
/// That of a variable at file scope in what \p I knows: of its elements, of
/// those behind it, or all of it.
InferredSection inferVariable(clang::ASTContext &Context, Inference &I,
                              const clang::VarDecl *V,
                              const clang::FunctionDecl *Names);
/// That of what is in or behind \p In, which clauses call \p Name, in elements
/// of that type.
InferredSection inferIn(clang::ASTContext &Context, Inference &I, Base In,
                        clang::QualType Element, llvm::StringRef Name,
                        const clang::FunctionDecl *Names);
/// Those of one iteration of \p L, the loop of a `for`.
Inference inferIteration(clang::ASTContext &Context,
                         const clang::FunctionDecl *Body, const Loop &L);

/// Of \p Body, the task's function or its variant, or of one iteration where
/// the task is a loop.
Inference inferTask(clang::ASTContext &Context, const Task &T,
                    const clang::FunctionDecl *Body);
/// Whether a clause may name \p S, which \p I knows of \p T, whatever the
/// arguments are and in each iteration.
bool isSure(const clang::ASTContext &Context, const Task &T, const Inference &I,
            const InferredSection &S);

} // namespace agglom

#endif // AGGLOM_CHECK_INFERENCE_H
