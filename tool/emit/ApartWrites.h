// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations write elements apart, though the boxes around what
// some iterations write overlap: tiles of a matrix,
//
//   #pragma agglom for inout(A[8 * (t / m) : 8][8 * (t % m) : 8])
//
// The brackets tell it, but for the values of a few variables. So the generated
// code looks at those where the loop is reached.

#ifndef AGGLOM_EMIT_APARTWRITES_H
#define AGGLOM_EMIT_APARTWRITES_H

#include "Model.h"
#include "clang/AST/PrettyPrinter.h"

namespace agglom {

/// Whether \p E is linear in \p V and does not wrap, so that over a range of
/// \p V the extremes of \p E are at the ends of the range.
bool isEven(const clang::Expr *E, const clang::VarDecl *V);

/// How a bracket's first element depends on the loop's variable V.
enum class Motion {
  None,
  Linear,    ///< by as much from each iteration to the next
  Quotient,  ///< linear in V / m
  Remainder, ///< linear in V % m
  Other
};

/// \p Divisor: becomes m, of Quotient and Remainder.
Motion motionOf(const SectionDim &D, const CanonicalFor &C,
                const clang::ASTContext &Context,
                const clang::Expr **Divisor = nullptr);

/// Statements that return 0 unless no two iterations write the same element, if
/// that can be told from a few iterations; else "". They stand where the
/// variables of the sections are declared, and those of \see hulls().
/// \p VarType: of the loop's variable.
std::string writesApart(const Task &T, const CanonicalFor &C,
                        const clang::ASTContext &Context,
                        const clang::PrintingPolicy &Policy,
                        llvm::StringRef VarType);

/// What these statements call.
extern const char ApartDeclarations[];

} // namespace agglom

#endif // AGGLOM_EMIT_APARTWRITES_H
