// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParseAction.h"
#include "AstVisitor.h"
#include "ClauseParser.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace agglom {

std::unique_ptr<ASTConsumer> ParseAction::CreateASTConsumer(CompilerInstance &,
                                                            StringRef) {
  return std::make_unique<ASTConsumer>();
}

void ParseAction::beginGroup(Parser &P) {
  GroupBegins = P.getCurToken().getLocation();
  BeforeGroup = Directives.size();
}

void ParseAction::ExecuteAction() {
  CompilerInstance &CI = getCompilerInstance();
  Preprocessor &PP = CI.getPreprocessor();
  Reporter R(CI.getDiagnostics(), WarningFlags);
  Collector = new PragmaCollector(R, Directives); // owned by PP
  PP.AddPragmaHandler(Collector);
  PP.AddPragmaHandler(new MisspeltHandler(&R));
  if (!CI.hasSema())
    CI.createSema(getTranslationUnitKind(), nullptr);
  Sema &S = CI.getSema();
  PP.setTokenWatcher([&](const Token &T) {
    Collector->sawToken(T);
    useParameters(S);
    useVariables(S);
  });
  Parser P(PP, S, /*SkipFunctionBodies=*/false);
  PP.EnterMainSourceFile();
  P.Initialize();

  Parser::DeclGroupPtrTy Group;
  Sema::ModuleImportState ImportState;
  beginGroup(P);
  for (bool AtEof = P.ParseFirstTopLevelDecl(Group, ImportState); !AtEof;
       AtEof = P.ParseTopLevelDecl(Group, ImportState)) {
    if (Group) {
      DeclGroupRef Decls = Group.get();
      Groups.emplace_back(Decls.begin(), Decls.end());
      for (Decl *D : Decls)
        attach(P, S, R, D);
    }
    Collector->stopRecording();
    beginGroup(P);
  }
  S.getASTConsumer().HandleTranslationUnit(S.getASTContext());
  PP.setTokenWatcher(nullptr);

  // Errors of agglomcc's own do not end the run, so that one compile shows them
  // all. A syntax error does, for it may drop the statement under a pragma.
  if (CI.getDiagnostics().hasErrorOccurred() &&
      CI.getDiagnostics().getNumErrors() > R.errors())
    return;
  if (!Failure.Said.empty())
    return;
  findVariants(S.getASTContext());
  finish(R);
  ParsedUnit U{CI, S.getASTContext(), M, R, Directives, Groups};
  Done(U);
}

/// A parameter that only a clause uses is used: without this, Clang would warn
/// at the end of the body, before the clauses are parsed.
void ParseAction::useParameters(Sema &S) {
  const FunctionDecl *F = S.getCurFunctionDecl();
  if (!F || F == UsesMarked)
    return;
  UsesMarked = F;
  for (unsigned Index : carriedBy(*F))
    if (Index < Directives.size())
      for (const Token &T : Directives[Index].Tokens)
        if (T.is(tok::identifier))
          for (ParmVarDecl *P : F->parameters())
            if (P->getIdentifier() == T.getIdentifierInfo())
              P->setReferenced();
}

/// As useParameters(), for local variables that a directive in host code names.
void ParseAction::useVariables(Sema &S) {
  for (; LookedAt < Directives.size(); ++LookedAt) {
    const Directive &D = Directives[LookedAt];
    if (D.Info->Id != DirectiveId::Wait && D.Info->Id != DirectiveId::Data &&
        D.Info->Id != DirectiveId::Update && D.Info->Id != DirectiveId::For)
      continue;
    bool Member = false;
    for (const Token &T : D.Tokens) {
      if (T.is(tok::identifier) && !Member) {
        auto Found = S.IdResolver.begin(T.getIdentifierInfo());
        auto *V =
            Found == S.IdResolver.end() ? nullptr : dyn_cast<VarDecl>(*Found);
        if (V) {
          V->markUsed(S.Context);
          V->setReferenced();
          ++S.RefsMinusAssignments[V];
        }
      }
      Member = T.isOneOf(tok::period, tok::arrow);
    }
  }
}

static void leaveOutOpenMP(ASTContext &Context, Model &M, Stmt *Under) {
  for (Stmt *&Child : Under->children()) {
    llvm::SmallVector<const OMPExecutableDirective *, 2> On;
    while (auto *D = dyn_cast_or_null<OMPExecutableDirective>(Child)) {
      On.push_back(D);
      Child = D->hasAssociatedStmt() ? D->getRawStmt()
                                     : new (Context) NullStmt(D->getEndLoc());
    }
    if (!On.empty())
      M.OpenMP[Child] = On;
    if (Child)
      leaveOutOpenMP(Context, M, Child);
  }
}

/// Replaces each OpenMP directive by the statement under it. All later walks
/// see the function as it is without -fopenmp: device code ignores those
/// directives, and no walk has to know their clauses and the functions that
/// Clang makes of them.
static void leaveOutOpenMP(Model &M, const FunctionDecl &F) {
  ASTContext &Context = F.getASTContext();
  if (Context.getLangOpts().OpenMP)
    leaveOutOpenMP(Context, M, F.getBody());
}

void ParseAction::attach(Parser &P, Sema &S, Reporter &R, Decl *D) {
  for (unsigned Index : carriedBy(*D))
    if (Index < Directives.size()) {
      if (Directives[Index].Info->Id == DirectiveId::Declare)
        attachDeclare(P, S, R, D, Directives[Index]);
      else
        attachTask(P, S, R, D, Directives[Index]);
    }
  if (auto *F = dyn_cast<FunctionDecl>(D)) {
    useVariant(S, F);
    if (F->doesThisDeclarationHaveABody()) {
      if (Directives.size() > BeforeGroup)
        attachStatements(P, S, R, F);
      else
        leaveOutOpenMP(M, *F);
    }
  }
}

/// A function that only a clause names is used: Clang would warn at the end of
/// the unit.
void ParseAction::useVariant(Sema &S, const NamedDecl *D) {
  for (const auto &T : M.Tasks)
    if (D->getIdentifier() && D->getName() == T->VariantName)
      const_cast<NamedDecl *>(D)->markUsed(S.Context);
}

/// Looks up the functions that tasks name in 'variant'; they may stand before
/// or after the tasks.
void ParseAction::findVariants(const ASTContext &Context) {
  for (const auto &T : M.Tasks) {
    if (T->VariantName.empty())
      continue;
    IdentifierInfo &II = Context.Idents.get(T->VariantName);
    for (NamedDecl *D :
         Context.getTranslationUnitDecl()->lookup(DeclarationName(&II)))
      if (auto *F = dyn_cast<FunctionDecl>(D))
        F->hasBody(T->Variant);
  }
}

void ParseAction::attachDeclare(Parser &P, Sema &S, Reporter &R, Decl *D,
                                Directive &Dir) {
  Dir.Attached = true;
  if (!ClauseParser(P, S, R).parseNoClauses(Dir))
    return;
  if (auto *V = dyn_cast<VarDecl>(D)) {
    M.DeclaredObjects.push_back({Dir.Loc, V});
    return;
  }
  auto *F = dyn_cast<FunctionDecl>(D);
  if (!F) {
    R.report(Dir.Loc, diag::misplaced_function_directive) << Dir.Info->Spelling;
    return;
  }
  if (M.findDeclared(F))
    return; // on the declaration and on the definition: the usual thing
  auto New = std::make_unique<Task>();
  New->Loc = Dir.Loc;
  New->Declared = F;
  New->Name = F->getNameAsString();
  New->ForOthers = true;
  M.DeclaredFunctions.push_back(std::move(New));
}

/// Whether the directive at \p Other has the same name and tokens as \p Dir.
bool ParseAction::readsAs(const Preprocessor &PP, const Directive &Dir,
                          SourceLocation Other) const {
  auto It = llvm::find_if(Directives,
                          [&](const Directive &D) { return D.Loc == Other; });
  return It != Directives.end() && It->Info == Dir.Info &&
         llvm::equal(It->Tokens, Dir.Tokens,
                     [&](const Token &A, const Token &B) {
                       return A.is(B.getKind()) &&
                              (A.isAnnotation() ||
                               PP.getSpelling(A) == PP.getSpelling(B));
                     });
}

void ParseAction::attachTask(Parser &P, Sema &S, Reporter &R, Decl *D,
                             Directive &Dir) {
  Dir.Attached = true;
  auto *F = dyn_cast<FunctionDecl>(D);
  if (!F) {
    R.report(Dir.Loc, diag::misplaced_function_directive) << Dir.Info->Spelling;
    return;
  }
  auto New = std::make_unique<Task>();
  New->Loc = Dir.Loc;
  New->Declared = F;
  New->Name = F->getNameAsString();
  if (Task *First = M.find(F)) {
    // The same pragma on a declaration and on the definition is common: the one
    // on the definition counts, and both must parse. A header that is included
    // twice repeats the pragma word for word, which changes nothing.
    if (First->Declared != F && !F->doesThisDeclarationHaveABody() &&
        readsAs(S.getPreprocessor(), Dir, First->Loc))
      return;
    if (First->Declared == F ||
        First->Declared->doesThisDeclarationHaveABody() ||
        !F->doesThisDeclarationHaveABody()) {
      R.report(Dir.Loc, diag::second_task_directive) << F;
      R.report(First->Loc, diag::first_directive_here);
      return;
    }
    ClauseParser(P, S, R).parseTask(Dir, *New);
    *First = std::move(*New);
  } else {
    New->Broken = !ClauseParser(P, S, R).parseTask(Dir, *New);
    M.Tasks.push_back(std::move(New));
  }
  if (const std::string &Name = M.find(F)->VariantName; !Name.empty())
    for (NamedDecl *Known : S.Context.getTranslationUnitDecl()->lookup(
             DeclarationName(&S.Context.Idents.get(Name))))
      useVariant(S, Known);
}

namespace {
/// Finds the statements that carry directives, each with the local variables
/// that are visible there.
class CarrierFinder : public AstVisitor<CarrierFinder> {
public:
  struct Found {
    unsigned Index;
    AttributedStmt *Stmt;
    std::vector<NamedDecl *> Visible;
    bool Alone; ///< the whole body of an if, a loop, ...
    OpenMPOfLoop OpenMP;
  };
  std::vector<Found> All;

  bool TraverseCompoundStmt(CompoundStmt *C) {
    return scoped([&] {
      for (Stmt *Child : C->body()) {
        Stmt *Labelled = Child;
        for (;;)
          if (auto *L = dyn_cast<LabelStmt>(Labelled))
            Labelled = L->getSubStmt();
          else if (auto *Case = dyn_cast<SwitchCase>(Labelled))
            Labelled = Case->getSubStmt();
          else
            break;
        InBlock.insert(Labelled);
        TraverseStmt(Child);
      }
    });
  }
  bool TraverseForStmt(ForStmt *F) {
    return scoped([&] {
      for (Stmt *Child : F->children())
        if (Child)
          TraverseStmt(Child);
    });
  }
  /// Variables, types, enumerators and functions declared in a block.
  bool VisitNamedDecl(NamedDecl *D) {
    if (!isa<ParmVarDecl, FieldDecl, IndirectFieldDecl, LabelDecl>(D))
      Scopes.push_back(D);
    return true;
  }
  bool TraverseAttributedStmt(AttributedStmt *A) {
    for (unsigned Index : carriedBy(*A)) {
      Found F{Index, A, Scopes, !InBlock.count(A), OpenMP.lookup(A)};
      if (Index < Directives.size() &&
          Directives[Index].Info->Id == DirectiveId::For) {
        All.push_back(F);
        return true; // directives inside belong to the made function
      }
      // A clause of a loop may name the variables of the loop, and those of the
      // loops directly inside it, which may be collapsed into it.
      std::vector<VarDecl *> Counters;
      addLoopVariables(dyn_cast<ForStmt>(A->getSubStmt()), Counters);
      F.Visible.insert(F.Visible.end(), Counters.begin(), Counters.end());
      All.push_back(F);
    }
    return TraverseStmt(A->getSubStmt());
  }

  bool VisitOMPExecutableDirective(OMPExecutableDirective *D) {
    if (!D->hasAssociatedStmt())
      return true;
    const Stmt *On = D->getRawStmt();
    OpenMPOfLoop Of = OpenMP.lookup(D);
    OpenMPDirectiveKind Kind = D->getDirectiveKind();
    if (isa<OMPLoopBasedDirective>(D) || isOpenMPTeamsDirective(Kind) ||
        isOpenMPTargetExecutionDirective(Kind))
      Of.On.push_back(D); // others (single, ...) are around it as a block is
    OpenMP[On] = Of;
    auto *Based = dyn_cast<OMPLoopBasedDirective>(D);
    for (unsigned I = 1; Based && I < Based->getLoopsNumber(); ++I) {
      if (auto *A = dyn_cast<AttributedStmt>(On))
        On = A->getSubStmt();
      auto *For = dyn_cast<ForStmt>(On);
      if (!For)
        break;
      On = For->getBody();
      if (auto *Block = dyn_cast<CompoundStmt>(On); Block && Block->size() == 1)
        On = Block->body_front();
      OpenMP[On].Around = D;
    }
    return true;
  }

  explicit CarrierFinder(ArrayRef<Directive> Directives)
      : Directives(Directives) {}

private:
  std::vector<NamedDecl *> Scopes;
  ArrayRef<Directive> Directives;
  llvm::SmallPtrSet<const Stmt *, 16> InBlock;
  llvm::DenseMap<const Stmt *, OpenMPOfLoop> OpenMP;
  template <typename Fn> bool scoped(Fn Body) {
    size_t Size = Scopes.size();
    Body();
    Scopes.resize(Size);
    return true;
  }
};
} // namespace

bool contains(const Stmt *S, const Stmt *Part) {
  return S && (S == Part || llvm::any_of(S->children(), [&](const Stmt *C) {
                 return contains(C, Part);
               }));
}

/// The statement that follows the one with \p Part in it, in the innermost
/// block around \p Part; null at the end of the block.
static const Stmt *nextAfter(const Stmt *Part, const Stmt *In) {
  const CompoundStmt *Block = nullptr;
  for (const Stmt *Next = In; Next && Next != Part;) {
    if (auto *C = dyn_cast<CompoundStmt>(Next))
      Block = C;
    auto It = llvm::find_if(Next->children(), [&](const Stmt *Child) {
      return contains(Child, Part);
    });
    Next = It == Next->child_end() ? nullptr : *It;
  }
  if (!Block)
    return nullptr;
  bool Behind = false;
  for (const Stmt *Child : Block->body()) {
    if (Behind)
      return Child;
    Behind = contains(Child, Part);
  }
  return nullptr;
}

/// Reports a pragma that is a whole body. A compiler that ignores the pragma
/// takes the next statement for the body. The fix-it puts braces around both,
/// which changes nothing for such a compiler.
static void reportLonely(const ASTContext &Context, Reporter &R,
                         const Directive &Dir, const Stmt *Next) {
  const SourceManager &SM = Context.getSourceManager();
  auto Report = R.report(Dir.Loc, diag::wait_alone);
  Report << Dir.Info->Spelling;
  if (!Next || isa<LabelStmt, SwitchCase, DeclStmt>(Next) ||
      Dir.Loc.isMacroID() || Next->getBeginLoc().isMacroID() ||
      Next->getEndLoc().isMacroID() ||
      !SM.isWrittenInSameFile(Dir.Loc, Next->getEndLoc()) ||
      SM.getCharacterData(Dir.Loc)[0] != '#')
    return; // _Pragma
  SourceLocation End = Lexer::findLocationAfterToken(
      Next->getEndLoc(), tok::semi, SM, Context.getLangOpts(),
      /*SkipTrailingWhitespaceAndNewLine=*/false);
  if (End.isInvalid())
    End = Lexer::getLocForEndOfToken(Next->getEndLoc(), 0, SM,
                                     Context.getLangOpts());
  Report << FixItHint::CreateInsertion(Dir.Loc, "{\n")
         << FixItHint::CreateInsertion(End, "\n}");
}

void ParseAction::attachStatements(Parser &P, Sema &S, Reporter &R,
                                   FunctionDecl *F) {
  CarrierFinder Finder(Directives);
  Finder.TraverseStmt(F->getBody());
  leaveOutOpenMP(M, *F);
  ClauseParser Clauses(P, S, R);
  for (CarrierFinder::Found &Found : Finder.All) {
    if (Found.Index >= Directives.size())
      continue;
    if (Directives[Found.Index].Info->Id == DirectiveId::For) {
      Directives[Found.Index].Attached = true;
      attachHostLoop(P, S, R, F, Found.Index, Found.Stmt, Found.Visible,
                     Found.OpenMP);
      continue;
    }
    Directive &Dir = Directives[Found.Index];
    if (Dir.Made)
      continue;
    Dir.Attached = true;
    // A compiler that ignores the pragma would take the next statement for the
    // body.
    if (Dir.Info->Where == Place::Statement && Found.Alone)
      reportLonely(S.Context, R, Dir, nextAfter(Found.Stmt, F->getBody()));
    if (Dir.Info->Id == DirectiveId::Wait ||
        Dir.Info->Id == DirectiveId::Data ||
        Dir.Info->Id == DirectiveId::Update) {
      SectionDirective H;
      H.Info = Dir.Info;
      H.Loc = Dir.Loc;
      H.In = F;
      H.Attributed = Found.Stmt;
      if (Dir.Info->Id == DirectiveId::Data && !H.block()) {
        R.report(Dir.Loc, diag::misplaced_block_directive)
            << Dir.Info->Spelling;
        continue;
      }
      H.Broken = !Clauses.parseHost(Dir, H, Found.Visible);
      if (Dir.Info->Id == DirectiveId::Wait)
        M.Waits.push_back({Dir.Loc, H.Own});
      if (!H.Sections.empty() || H.Broken)
        M.SectionDirectives.push_back(std::move(H));
      continue;
    }
    if (Dir.Info->Id == DirectiveId::Atomic) {
      if (Clauses.parseNoClauses(Dir))
        M.Atomics.push_back({Dir.Loc, Found.Stmt, F});
      continue;
    }
    if (llvm::any_of(M.Loops, [&](const std::unique_ptr<Loop> &L) {
          return L->Attributed == Found.Stmt;
        })) {
      R.report(Dir.Loc, diag::loop_twice);
      continue;
    }
    auto New = std::make_unique<Loop>();
    New->Loc = Dir.Loc;
    New->Attributed = Found.Stmt;
    New->In = F;
    New->For = dyn_cast<ForStmt>(Found.Stmt->getSubStmt());
    if (!New->For) {
      R.report(Dir.Loc, diag::loop_not_for) << Dir.Info->Spelling;
      continue;
    }
    New->Broken = !Clauses.parseLoop(Dir, *New, F, Found.Visible);
    M.Loops.push_back(std::move(New));
  }
}

/// A loop that stands in no task.
void ParseAction::reportLoop(Reporter &R, const Loop &L) {
  for (const auto &T : M.Tasks)
    if (T->Variant == L.In) {
      R.report(L.Loc, diag::variant_loop) << L.In << T->Declared;
      return;
    }
  R.report(L.Loc, diag::loop_outside_task) << L.In;
}

void ParseAction::finish(Reporter &R) {
  for (const Directive &D : Directives) {
    if (D.Attached)
      continue;
    switch (D.Info->Where) {
    case Place::Function:
      R.report(D.Loc, diag::misplaced_function_directive) << D.Info->Spelling;
      break;
    case Place::Loop:
      R.report(D.Loc, diag::misplaced_loop_directive) << D.Info->Spelling;
      break;
    case Place::Block:
      R.report(D.Loc, diag::misplaced_block_directive) << D.Info->Spelling;
      break;
    case Place::Update:
      R.report(D.Loc, diag::misplaced_update_directive) << D.Info->Spelling;
      break;
    case Place::Statement:
      R.report(D.Loc, diag::misplaced_statement_directive) << D.Info->Spelling;
      break;
    }
  }
  for (const auto &T : M.Tasks)
    T->Declared->hasBody(T->Definition);
  for (const auto &T : M.DeclaredFunctions)
    T->Declared->hasBody(T->Definition);
  for (const auto &L : M.Loops) {
    Task *T = M.find(L->In);
    if (!T) {
      reportLoop(R, *L);
      L->Broken = true;
    } else if (!T->onDevice() && !(T->From && T->From->Inner == L.get())) {
      R.report(L->Loc, diag::loop_in_cpu_task) << L->In;
      L->Broken = true;
    } else {
      T->Loops.push_back(L.get());
    }
  }
}

} // namespace agglom
