// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block under `data` may be entered only at its beginning, and left in any
// way that the compiler can see: the residence that begins there ends on each
// way out.

#include "Rules.h"

using namespace clang;

namespace agglom {

namespace {
/// One function with `data` in it. Inside[S]: the innermost data block around
/// the label, jump or case S.
class JumpWalk {
  ParsedUnit &U;
  llvm::DenseMap<const Stmt *, const SectionDirective *> Blocks;
  /// The data block around each data block.
  llvm::DenseMap<const SectionDirective *, const SectionDirective *> Outer;
  const SectionDirective *Innermost = nullptr;
  llvm::SmallVector<const SectionDirective *, 4> Switches; ///< around each one

  struct Jump {
    const Stmt *S;
    const LabelDecl *To; ///< null: a computed goto
    const SectionDirective *From;
    bool ByAddress;
  };
  std::vector<Jump> Jumps;
  llvm::DenseMap<const LabelDecl *, const SectionDirective *> Labels;
  llvm::SmallPtrSet<const SectionDirective *, 4> Reported;

  bool isWithin(const SectionDirective *D, const SectionDirective *Around) {
    while (D && D != Around)
      D = Outer.lookup(D);
    return D == Around;
  }

  /// The outermost block around \p To that is not around \p From.
  const SectionDirective *entered(const SectionDirective *From,
                                  const SectionDirective *To) {
    const SectionDirective *Found = nullptr;
    for (; To; To = Outer.lookup(To))
      if (!isWithin(From, To))
        Found = To;
    return Found;
  }

  void report(const SectionDirective *At, diag::Id Id, int Kind,
              const Stmt *Jump) {
    if (!Reported.insert(At).second)
      return;
    if (Id == diag::data_jump_in)
      U.Report.report(At->Loc, Id) << Kind;
    else
      U.Report.report(At->Loc, Id);
    U.Report.report(Jump->getBeginLoc(), diag::note_jump_here);
  }

  void visit(const Stmt *S) {
    if (!S)
      return;
    const SectionDirective *Before = Innermost;
    if (auto *D = Blocks.lookup(S)) {
      // One of two directives on a block stands for both.
      Outer[D] = Innermost;
      Innermost = D;
    }
    bool IsSwitch = isa<SwitchStmt>(S);
    if (IsSwitch)
      Switches.push_back(Innermost);
    if (auto *L = dyn_cast<LabelStmt>(S))
      Labels[L->getDecl()] = Innermost;
    else if (auto *Case = dyn_cast<SwitchCase>(S); Case && !Switches.empty()) {
      if (auto *D = entered(Switches.back(), Innermost))
        report(D, diag::data_jump_in, 1, Case);
    } else if (auto *G = dyn_cast<GotoStmt>(S))
      Jumps.push_back({S, G->getLabel(), Innermost, false});
    else if (isa<IndirectGotoStmt>(S))
      Jumps.push_back({S, nullptr, Innermost, true});
    else if (auto *A = dyn_cast<AddrLabelExpr>(S))
      Jumps.push_back({S, A->getLabel(), Innermost, true});
    else if (auto *Asm = dyn_cast<GCCAsmStmt>(S))
      for (unsigned I = 0; I < Asm->getNumLabels(); ++I)
        Jumps.push_back({S, Asm->getLabelExpr(I)->getLabel(), Innermost, true});
    for (const Stmt *Child : S->children())
      visit(Child);
    if (IsSwitch)
      Switches.pop_back();
    Innermost = Before;
  }

public:
  JumpWalk(ParsedUnit &U, const FunctionDecl *F) : U(U) {
    for (const SectionDirective &D : U.M.SectionDirectives)
      if (D.In == F && D.Info->Id == DirectiveId::Data)
        Blocks[D.block()] = &D;
  }

  void run(const Stmt *Body) {
    visit(Body);
    const SectionDirective *Computed = nullptr; ///< around computed gotos
    const Stmt *First = nullptr;
    for (const Jump &J : Jumps) {
      if (J.To && !J.ByAddress) {
        if (auto *D = entered(J.From, Labels.lookup(J.To)))
          report(D, diag::data_jump_in, 0, J.S);
        continue;
      }
      // A computed goto may jump to any label whose address is taken: all these
      // labels and all computed gotos must be in the same block.
      const SectionDirective *Ends[] = {J.From,
                                        J.To ? Labels.lookup(J.To) : J.From};
      for (const SectionDirective *End : Ends) {
        if (!First) {
          First = J.S;
          Computed = End;
        } else if (End != Computed) {
          report(entered(Computed, End) ? entered(Computed, End) : Computed,
                 diag::data_computed_goto, 0, J.S);
        }
      }
    }
  }
};
} // namespace

void checkDataBlocks(ParsedUnit &U) {
  llvm::SmallPtrSet<const FunctionDecl *, 4> Done;
  for (const SectionDirective &D : U.M.SectionDirectives)
    if (D.Info->Id == DirectiveId::Data && Done.insert(D.In).second)
      JumpWalk(U, D.In).run(D.In->getBody());
}

} // namespace agglom
