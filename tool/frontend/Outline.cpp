// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// '#pragma agglom for': the loop is parsed a second time, as the body of a
// function whose parameters are the variables it uses. For
//
//   void scale(int n, double *x) {
//     double f = 2;
//     #pragma agglom for inout(x[i])
//     for (int i = 0; i < n; ++i)
//       x[i] *= f;
//   }
//
// the parser is given, once scale() is complete, the tokens of
//
//   static void scale__for_3(int n, double *x, double f) {
//     for (int i = 0; i < n; ++i)
//       x[i] *= f;
//   }
//
// with the source locations of the user's text. So the checks of tasks and of
// their loops apply to the loop as well, and their carets are under the user's
// text.

#include "AstVisitor.h"
#include "ClauseParser.h"
#include "CompatClang.h"
#include "Faults.h"
#include "ParseAction.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace agglom {

namespace {
/// The names that a loop declares, and the declarations that it refers to.
class LoopNames : public AstVisitor<LoopNames> {
  llvm::SmallPtrSet<const IdentifierInfo *, 8> Declared;
  llvm::SmallPtrSet<const Decl *, 16> Named;

public:
  bool VisitNamedDecl(NamedDecl *D) {
    if (!isa<FieldDecl, IndirectFieldDecl>(D))
      Declared.insert(D->getIdentifier());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Named.insert(E->getDecl()->getCanonicalDecl());
    return true;
  }
  bool VisitTypeLoc(TypeLoc T) {
    if (auto Typedef = T.getAs<TypedefTypeLoc>())
      Named.insert(compat::typedefOf(Typedef)->getCanonicalDecl());
    if (const TagDecl *Tag = compat::tagOf(T))
      Named.insert(Tag->getCanonicalDecl());
    return true;
  }
  /// Whether the loop redeclares the name of \p D and never refers to \p D.
  bool hide(const NamedDecl *D) const {
    return Declared.count(D->getIdentifier()) &&
           !Named.count(D->getCanonicalDecl());
  }
};

class Outliner {
  Parser &P;
  Sema &S;
  Reporter &R;
  const Directive &Dir;
  HostLoop &H;
  FunctionDecl *In;
  Fault &Failure;
  llvm::SmallPtrSet<const VarDecl *, 8> Inside, Used;
  std::vector<NamedDecl *> All; ///< of In, visible at the loop
  LoopNames Names;
  bool Ok = true;

  ASTContext &context() { return S.Context; }

  void fail(diag::Id D, const NamedDecl *What, StringRef Kind = "") {
    R.report(H.Loc, D) << What << Kind;
    R.report(What->getLocation(), diag::note_declared) << What;
    Ok = false;
  }

  /// A return with a value: the function made of the loop has none.
  const ReturnStmt *returned(const Stmt *In) const {
    if (auto *Return = dyn_cast<ReturnStmt>(In))
      return Return->getRetValue() ? Return : nullptr;
    for (const Stmt *Child : In->children())
      if (const ReturnStmt *Return = Child ? returned(Child) : nullptr)
        return Return;
    return nullptr;
  }

  void declaredInside(const Stmt *Body) {
    if (auto *D = dyn_cast<DeclStmt>(Body))
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          Inside.insert(V);
    for (const Stmt *Child : Body->children())
      if (Child)
        declaredInside(Child);
  }

  /// Whether all declarations of \p V up to here are extern ones in functions.
  static bool isLocalExtern(const VarDecl *V) {
    for (const VarDecl *Each = V; Each; Each = Each->getPreviousDecl())
      if (!Each->isLocalExternDecl())
        return false;
    return true;
  }

  void use(const VarDecl *V) {
    bool LocalExtern = isLocalExtern(V);
    if (Inside.count(V) ||
        (!LocalExtern && !V->getDeclContext()->isFunctionOrMethod()) ||
        !Used.insert(V).second)
      return;
    if (LocalExtern || !V->hasLocalStorage()) {
      fail(diag::for_static, V);
      return;
    }
    // double (*A)[n] needs n.
    QualType T = V->getType();
    for (;;) {
      if (auto *A = context().getAsVariableArrayType(T)) {
        uses(A->getSizeExpr());
        ofFile(A->getSizeExpr());
      }
      if (const ArrayType *A = context().getAsArrayType(T))
        T = A->getElementType();
      else if (T->isPointerType())
        T = T->getPointeeType();
      else
        break;
    }
    if (T->isConstantMatrixType())
      return fail(diag::for_matrix, V);
    const TagDecl *Tag = T->getAsTagDecl();
    if (Tag && Tag->getDeclContext()->isFunctionOrMethod())
      fail(diag::for_local_name, V);
    else if (std::string Kind = unnamedKind(T); !Kind.empty() && !Tag->isEnum())
      fail(diag::section_unnamed_type, V, Kind);
  }

  /// Reports a size that is a variable of the file. The rows of double (*A)[w]
  /// keep their size when w changes, but those of a parameter would not.
  void ofFile(const Stmt *Size) {
    if (!Size)
      return;
    if (auto *Ref = dyn_cast<DeclRefExpr>(Size))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl());
          V && Ok && V->isFileVarDecl() && !V->getType().isConstQualified())
        fail(diag::for_row_size, V);
    for (const Stmt *Child : Size->children())
      ofFile(Child);
  }

  void uses(const Stmt *Of) {
    if (!Of)
      return;
    if (auto *Ref = dyn_cast<DeclRefExpr>(Of))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        use(V);
    for (const Stmt *Child : Of->children())
      uses(Child);
  }

  /// The innermost declaration among \p Visible that a token of the loop or of
  /// a clause can refer to; else null.
  static NamedDecl *meant(const Token &T, ArrayRef<NamedDecl *> Visible) {
    if (T.is(tok::identifier))
      for (NamedDecl *D : llvm::reverse(Visible))
        if (D->getIdentifier() == T.getIdentifierInfo())
          return D;
    return nullptr;
  }

  /// Calls \p Found for the identifiers in the arguments of clauses, except
  /// members and the loop's own variables. \p Found gets the token, its clause
  /// (null for an unknown one), and whether the token is in the base of a
  /// section, outside all square brackets.
  template <typename Fn> void eachClauseName(Fn Found) const {
    std::vector<VarDecl *> Counters;
    addLoopVariables(H.For, Counters);
    int Round = 0, Square = 0;
    bool Member = false;
    const ClauseInfo *Clause = nullptr;
    for (const Token &T : Dir.Tokens) {
      if (!Round && T.isNot(tok::l_paren))
        Clause =
            T.is(tok::identifier)
                ? findClause(DirectiveId::For, T.getIdentifierInfo()->getName())
                : nullptr;
      if (T.is(tok::identifier) && Round && !Member &&
          llvm::none_of(Counters, [&](const VarDecl *V) {
            return V->getIdentifier() == T.getIdentifierInfo();
          }))
        Found(T, Clause,
              Clause && !Square &&
                  (Clause->Argument == ArgumentForm::Sections ||
                   Clause->Argument == ArgumentForm::OpSections));
      Member = T.isOneOf(tok::period, tok::arrow);
      Round += T.is(tok::l_paren) - T.is(tok::r_paren);
      Square += T.is(tok::l_square) - T.is(tok::r_square);
    }
  }

  /// Whether private(...) names \p V.
  bool isPrivate(const VarDecl *V) const {
    bool Named = false;
    eachClauseName([&](const Token &T, const ClauseInfo *Clause, bool) {
      Named |= Clause && Clause->Id == ClauseId::Private &&
               T.getIdentifierInfo() == V->getIdentifier();
    });
    return Named;
  }

  /// Captures variables that a clause names and the loop does not.
  void usesOfClauses(ArrayRef<NamedDecl *> Visible) {
    eachClauseName([&](const Token &T, const ClauseInfo *, bool) {
      if (auto *V = dyn_cast_or_null<VarDecl>(meant(T, Visible)))
        use(V);
    });
  }

  /// Captures numbers at file scope that the loop names, unless a section is
  /// named after them.
  void fileScope(const Stmt *Of) {
    if (auto *Ref = dyn_cast<DeclRefExpr>(Of))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl());
          V && V->isFileVarDecl() && V->getType()->isArithmeticType() &&
          !V->getType().isConstQualified() &&
          !V->getType().isVolatileQualified() && !V->getTLSKind()) {
        bool Section = false;
        eachClauseName([&](const Token &T, const ClauseInfo *, bool Base) {
          Section |= Base && T.getIdentifierInfo() == V->getIdentifier();
        });
        if (!Section && Used.insert(V).second)
          H.Captured.push_back(V);
      }
    for (const Stmt *Child : Of->children())
      if (Child)
        fileScope(Child);
  }

  /// Enumerators of the function are declared again for the loop; local types
  /// and functions cannot be.
  void localNames(ArrayRef<Token> Tokens) {
    auto name = [&](const Token &T, bool InLoop) {
      NamedDecl *N = meant(T, All);
      if (N && InLoop && Names.hide(N))
        return;
      auto *K = dyn_cast_or_null<EnumConstantDecl>(N);
      if (K && K->getInitVal().isRepresentableByInt64() &&
          llvm::isInt<32>(K->getInitVal().getExtValue())) {
        if (!llvm::is_contained(H.Constants, K))
          H.Constants.push_back(K);
      } else if (Ok && N && !isa<VarDecl>(N)) {
        fail(diag::for_local_name, N);
      }
    };
    bool Member = false;
    for (const Token &T : Tokens) {
      if (!Member)
        name(T, true);
      Member = T.isOneOf(tok::period, tok::arrow);
    }
    eachClauseName(
        [&](const Token &T, const ClauseInfo *, bool) { name(T, false); });
  }

  /// Reports sizeof and the like of a captured array: the loop has a pointer.
  void measures(ArrayRef<Token> Tokens) {
    for (size_t I = 0; I + 1 < Tokens.size(); ++I) {
      if (!Tokens[I].isOneOf(tok::kw_sizeof, tok::kw_typeof, tok::kw_alignof,
                             tok::kw__Alignof))
        continue;
      size_t At = I + 1;
      while (At < Tokens.size() && Tokens[At].is(tok::l_paren))
        ++At;
      auto *V = At < Tokens.size()
                    ? dyn_cast_or_null<VarDecl>(meant(Tokens[At], All))
                    : nullptr;
      if (V && V->getType()->isArrayType() &&
          llvm::is_contained(H.Captured, V) && !Names.hide(V) &&
          !(At + 1 < Tokens.size() && Tokens[At + 1].is(tok::l_square))) {
        R.report(Tokens[At].getLocation(), diag::for_sizeof) << V;
        R.report(H.Loc, diag::note_loop_here);
        Ok = false;
      }
    }
  }

  /// Reports that the size \p V of a captured array may change. The rows of
  /// double a[n][m] keep their size when m changes; those of a parameter would
  /// not.
  void changes(const Stmt *Of, const VarDecl *V) {
    auto isV = [&](const Expr *E) {
      auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
      return Ref && Ref->getDecl() == V;
    };
    auto *B = dyn_cast<BinaryOperator>(Of);
    auto *Un = dyn_cast<UnaryOperator>(Of);
    if (Ok &&
        ((B && B->isAssignmentOp() && isV(B->getLHS())) ||
         (Un &&
          (Un->isIncrementDecrementOp() || Un->getOpcode() == UO_AddrOf) &&
          isV(Un->getSubExpr()))))
      fail(diag::for_size_changes, V);
    for (const Stmt *Child : Of->children())
      if (Child)
        changes(Child, V);
  }
  void sizesStay() {
    for (const VarDecl *V : H.Captured) {
      QualType T = capturedType(context(), V);
      while (T->isPointerType() || T->isArrayType()) {
        if (auto *A = context().getAsVariableArrayType(T))
          sizesIn(A->getSizeExpr());
        T = T->isPointerType() ? T->getPointeeType()
                               : context().getAsArrayType(T)->getElementType();
      }
    }
  }
  void sizesIn(const Stmt *Size) {
    if (!Size)
      return;
    if (auto *Ref = dyn_cast<DeclRefExpr>(Size))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        changes(In->getBody(), V);
    for (const Stmt *Child : Size->children())
      sizesIn(Child);
  }

  /// The tokens from `for` to the end of the statement.
  ArrayRef<Token> loopTokens(ArrayRef<Token> Recorded) {
    ArrayRef<Token> From = Recorded.drop_front(Dir.Recorded);
    while (!From.empty() && From.front().getLocation() != H.For->getForLoc())
      From = From.drop_front();
    for (size_t I = From.size(); I-- > 0;) {
      if (From[I].getLocation() != H.For->getEndLoc())
        continue;
      if (!From[I].isOneOf(tok::r_brace, tok::semi) && I + 1 < From.size() &&
          From[I + 1].is(tok::semi))
        ++I;
      return From.take_front(I + 1);
    }
    return {};
  }

  /// A function name that nothing else at file scope has.
  std::string name() {
    PresumedLoc At = S.getSourceManager().getPresumedLoc(H.Loc);
    std::string Name = In->getNameAsString() + "__for_" +
                       std::to_string(At.isValid() ? At.getLine() : 0);
    while (!context()
                .getTranslationUnitDecl()
                ->lookup(&context().Idents.get(Name))
                .empty())
      Name += '_';
    return Name;
  }

  std::string head(StringRef Name, unsigned LoopIndex) {
    PrintingPolicy Policy(S.getLangOpts());
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    OS << "static __attribute__((unused)) void " << Name << "(";
    for (const VarDecl *V : H.Captured) {
      if (V != H.Captured.front())
        OS << ", ";
      capturedType(context(), V).print(OS, Policy, V->getName());
    }
    if (H.Captured.empty())
      OS << "void";
    OS << ") { " << localConstants(H) << privateVariables(H)
       << "__attribute__((suppress(\"agglom:" << LoopIndex << "\")))";
    return OS.str();
  }

  /// The tokens of \p Text, all with the pragma's location.
  void lex(const std::string &Text, SmallVectorImpl<Token> &Out) {
    SourceManager &SM = S.getSourceManager();
    FileID File =
        SM.createFileID(llvm::MemoryBuffer::getMemBufferCopy(Text, "<for>"));
    Lexer Lex(File, SM.getBufferOrFake(File), SM, S.getLangOpts());
    Token T;
    for (Lex.LexFromRawLexer(T); T.isNot(tok::eof); Lex.LexFromRawLexer(T)) {
      if (T.is(tok::raw_identifier))
        P.getPreprocessor().LookUpIdentifierInfo(T);
      T.setLocation(H.Loc);
      Out.push_back(T);
    }
  }

public:
  /// \p Failure gets errors that are the tool's, not the loop's.
  Outliner(Parser &P, Sema &S, Reporter &R, const Directive &Dir, HostLoop &H,
           FunctionDecl *In, Fault &Failure)
      : P(P), S(S), R(R), Dir(Dir), H(H), In(In), Failure(Failure) {}

  /// The variables the loop needs. \p Visible are those of In at the loop.
  bool capture(ArrayRef<NamedDecl *> Visible) {
    if (const ReturnStmt *Return = returned(H.For)) {
      R.report(Return->getReturnLoc(), diag::loop_leaves) << 1;
      R.report(H.Loc, diag::note_loop_here);
      return Ok = false;
    }
    All.assign(Visible.begin(), Visible.end());
    Names.TraverseStmt(const_cast<ForStmt *>(H.For));
    declaredInside(H.For);
    uses(H.For);
    usesOfClauses(Visible);
    fileScope(H.For);
    for (const NamedDecl *D : Visible)
      if (auto *V = dyn_cast<VarDecl>(D); V && Used.count(V))
        (isPrivate(V) && !V->getType()->isVariablyModifiedType() ? H.Private
                                                                 : H.Captured)
            .push_back(V);
    for (const VarDecl *V : H.Captured)
      for (const VarDecl *Other : H.Captured)
        if (Ok && V != Other && V->getIdentifier() == Other->getIdentifier())
          fail(diag::for_shadowed, V);
    sizesStay();
    return Ok;
  }

  /// The made function, or null after an error. \p LoopIndex is the number of
  /// the directive that stands at its loop, \p Nested are the numbers of the
  /// directives in the loop's body.
  FunctionDecl *parse(ArrayRef<Token> Recorded, unsigned LoopIndex,
                      ArrayRef<Directive> Directives,
                      ArrayRef<unsigned> Nested) {
    ArrayRef<Token> Body = loopTokens(Recorded);
    localNames(Body);
    measures(Body);
    measures(Dir.Tokens);
    for (unsigned Index : Nested)
      measures(Directives[Index].Tokens);
    if (!Ok)
      return nullptr;
    std::string Name = name();
    SmallVector<Token, 64> Tokens;
    lex(head(Name, LoopIndex), Tokens);
    Tokens.append(Body.begin(), Body.end());
    lex("}", Tokens);
    Tokens.push_back(P.getCurToken()); // the parser reads it again afterwards
    auto Owned = std::make_unique<Token[]>(Tokens.size());
    std::copy(Tokens.begin(), Tokens.end(), Owned.get());
    // Warnings about the text were printed when it was parsed the first time.
    DiagnosticsEngine &Diags = S.getDiagnostics();
    auto Silent = std::make_unique<Silence>(Diags);
    P.getPreprocessor().EnterTokenStream(std::move(Owned), Tokens.size(),
                                         /*DisableMacroExpansion=*/true,
                                         /*IsReinject=*/true);
    P.ConsumeAnyToken(/*ConsumeCodeCompletionTok=*/true);
    Parser::DeclGroupPtrTy Group;
    Sema::ModuleImportState ImportState =
        Sema::ModuleImportState::NotACXX20Module;
    P.ParseTopLevelDecl(Group, ImportState);
    auto *F = Group && Group.get().isSingleDecl()
                  ? dyn_cast<FunctionDecl>(Group.get().getSingleDecl())
                  : nullptr;
    bool Failed = Silent->failed();
    SourceLocation Loc = Silent->where();
    std::string Said = Silent->said();
    Silent.reset();
    if (F && !Failed && !F->isInvalidDecl() && F->hasBody() &&
        F->getName() == Name)
      return F;
    // Generated text around the loop has the pragma's location: an error
    // elsewhere is in the user's text.
    if (Failed && Loc.isValid() && Loc != H.Loc) {
      R.report(H.Loc, diag::for_outline) << In;
      R.report(Loc, diag::note_outline) << Said;
    } else {
      noteFault(S.getSourceManager(), H.Loc,
                Failed ? "of the function made of the loop Clang says: " + Said
                       : "no function came of the loop",
                Failure);
    }
    return nullptr;
  }
};

/// The numbers of the directives in the loop.
void carriedIn(const Stmt *S, SmallVectorImpl<unsigned> &Out) {
  if (auto *A = dyn_cast<AttributedStmt>(S))
    llvm::append_range(Out, carriedBy(*A));
  for (const Stmt *Child : S->children())
    if (Child)
      carriedIn(Child, Out);
}

/// Another '#pragma agglom for' in the loop; null when there is none.
const AttributedStmt *inner(const Stmt *Of, ArrayRef<Directive> Directives) {
  if (auto *A = dyn_cast<AttributedStmt>(Of))
    for (unsigned Index : carriedBy(*A))
      if (Index < Directives.size() &&
          Directives[Index].Info->Id == DirectiveId::For)
        return A;
  for (const Stmt *Child : Of->children())
    if (Child)
      if (const AttributedStmt *A = inner(Child, Directives))
        return A;
  return nullptr;
}
} // namespace

/// Whether OpenMP's directives on the loop can be left out: those that only
/// change how the loop is run, for agglom runs the loop.
static bool acceptsOpenMP(Reporter &R, SourceLocation Loop,
                          const OpenMPOfLoop &OpenMP) {
  if (OpenMP.Around) {
    R.report(Loop, diag::for_openmp_inner);
    R.report(OpenMP.Around->getBeginLoc(), diag::note_openmp_here);
    return false;
  }
  for (const OMPExecutableDirective *D : OpenMP.On) {
    switch (D->getDirectiveKind()) {
    case llvm::omp::OMPD_parallel_for:
    case llvm::omp::OMPD_parallel_for_simd:
    case llvm::omp::OMPD_parallel_loop:
    case llvm::omp::OMPD_simd:
    case llvm::omp::OMPD_tile:
    case llvm::omp::OMPD_unroll:
      break;
    default:
      R.report(D->getBeginLoc(), diag::for_openmp);
      R.report(Loop, diag::note_loop_here);
      return false;
    }
  }
  return true;
}

void ParseAction::attachHostLoop(Parser &P, Sema &S, Reporter &R,
                                 FunctionDecl *F, unsigned Index,
                                 AttributedStmt *A,
                                 ArrayRef<NamedDecl *> Visible,
                                 const OpenMPOfLoop &OpenMP) {
  auto New = std::make_unique<HostLoop>();
  HostLoop &H = *New;
  H.Loc = Directives[Index].Loc;
  H.Attributed = A;
  H.For = dyn_cast<ForStmt>(A->getSubStmt());
  H.In = F;
  H.Before = GroupBegins;
  if (!H.For) {
    R.report(H.Loc, diag::loop_not_for) << Directives[Index].Info->Spelling;
    return;
  }
  if (!acceptsOpenMP(R, H.Loc, OpenMP))
    return;
  H.OpenMP = OpenMP.On;
  if (const Task *T = M.find(F); T && T->onDevice()) {
    R.report(H.Loc, diag::for_in_task) << F;
    return;
  }
  if (const AttributedStmt *Other = inner(H.For, Directives)) {
    R.report(Other->getBeginLoc(), diag::for_in_for);
    R.report(H.Loc, diag::note_loop_here);
    for (unsigned I : carriedBy(*Other))
      Directives[I].Attached = true;
    return;
  }
  std::vector<NamedDecl *> Variables(F->param_begin(), F->param_end());
  Variables.insert(Variables.end(), Visible.begin(), Visible.end());

  Directive Made;
  Made.Info = findDirective("loop");
  Made.Loc = H.Loc;
  Made.Made = Made.Attached = true;
  unsigned LoopIndex = Directives.size();
  Directives.push_back(Made);
  FunctionDecl *Function = nullptr;
  SmallVector<unsigned, 4> Nested;
  carriedIn(H.For, Nested);
  {
    Outliner O(P, S, R, Directives[Index], H, F, Failure);
    if (O.capture(Variables))
      Function = O.parse(Collector->recorded(), LoopIndex, Directives, Nested);
  }
  if (!Function) {
    for (unsigned I : Nested)
      Directives[I].Attached = true; // no further error about them
    return;
  }

  auto T = std::make_unique<Task>();
  T->Loc = H.Loc;
  T->From = &H;
  T->Declared = Function;
  T->Name = Function->getNameAsString();
  H.Unit = T.get();
  M.Tasks.push_back(std::move(T));
  auto L = std::make_unique<Loop>();
  L->Loc = H.Loc;
  L->In = Function;
  for (const Stmt *Child : Function->getBody()->children())
    if (auto *Under = dyn_cast<AttributedStmt>(Child)) {
      L->Attributed = Under;
      L->For = dyn_cast<ForStmt>(Under->getSubStmt());
    }
  if (!L->For) {
    noteFault(S.getSourceManager(), H.Loc,
              "the function made of the loop does not hold it", Failure);
    M.Tasks.pop_back();
    return;
  }
  H.Inner = L.get();
  std::vector<VarDecl *> Counters;
  addLoopVariables(L->For, Counters);
  H.Unit->Broken = L->Broken =
      !ClauseParser(P, S, R).parseFor(Directives[Index], H, Function, Counters);
  M.Loops.push_back(std::move(L));
  M.HostLoops.push_back(std::move(New));
  attachStatements(P, S, R, Function);
}

} // namespace agglom
