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
//   static void scale_for_3(int n, double *x, double f) {
//     for (int i = 0; i < n; ++i)
//       x[i] *= f;
//   }
//
// with the places the user wrote them at. So the checks of tasks and of their
// loops hold for it as well, and their carets are under the user's text.

#include "ClauseParser.h"
#include "ParseAction.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace agglom {

namespace {
class Outliner {
  Parser &P;
  Sema &S;
  Reporter &R;
  const Directive &Dir;
  HostLoop &H;
  FunctionDecl *In;
  llvm::SmallPtrSet<const VarDecl *, 8> Inside, Used;
  std::vector<const VarDecl *> Order; ///< variables of In, as declared
  bool Ok = true;

  ASTContext &context() { return S.Context; }

  void fail(diag::Id D, const NamedDecl *What) {
    R.report(H.Loc, D) << What;
    R.report(What->getLocation(), diag::note_declared) << What;
    Ok = false;
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

  void use(const VarDecl *V) {
    if (Inside.count(V) || !V->getDeclContext()->isFunctionOrMethod() ||
        !Used.insert(V).second)
      return;
    if (!V->hasLocalStorage()) {
      fail(diag::for_static, V);
      return;
    }
    // double (*A)[n] needs n.
    QualType T = V->getType();
    for (;;) {
      if (auto *A = context().getAsVariableArrayType(T))
        uses(A->getSizeExpr());
      if (const ArrayType *A = context().getAsArrayType(T))
        T = A->getElementType();
      else if (T->isPointerType())
        T = T->getPointeeType();
      else
        break;
    }
    const TagDecl *Tag = T->getAsTagDecl();
    if (Tag && Tag->getDeclContext()->isFunctionOrMethod())
      fail(diag::for_local_name, V);
    else if (Tag && !Tag->getIdentifier() && !Tag->getTypedefNameForAnonDecl())
      fail(diag::section_unnamed_type, V);
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

  /// A clause may name what the loop itself does not.
  void usesOfClauses(ArrayRef<NamedDecl *> Visible) {
    std::vector<VarDecl *> Counters;
    addLoopVariables(H.For, Counters);
    for (const Token &T : Dir.Tokens) {
      if (T.isNot(tok::identifier) ||
          llvm::any_of(Counters, [&](const VarDecl *V) {
            return V->getIdentifier() == T.getIdentifierInfo();
          }))
        continue;
      for (size_t I = Visible.size(); I-- > 0;)
        if (Visible[I]->getIdentifier() == T.getIdentifierInfo()) {
          if (auto *V = dyn_cast<VarDecl>(Visible[I]))
            use(V);
          break;
        }
    }
  }

  /// Whether \p N, declared in the function, is named in the loop or in a
  /// clause but not declared there.
  bool isNamed(const NamedDecl *N, ArrayRef<Token> Tokens) const {
    auto names = [&](const Token &T) {
      return T.is(tok::identifier) &&
             T.getIdentifierInfo() == N->getIdentifier();
    };
    return (llvm::any_of(Tokens, names) || llvm::any_of(Dir.Tokens, names)) &&
           llvm::none_of(Tokens, [&](const Token &T) {
             return T.getLocation() == N->getLocation();
           });
  }

  /// Types, constants and functions declared in the function.
  void localNames(ArrayRef<Token> Tokens) {
    for (const Decl *D : In->decls()) {
      if (auto *Enum = dyn_cast<EnumDecl>(D))
        for (const EnumConstantDecl *K : Enum->enumerators())
          if (isNamed(K, Tokens)) {
            if (!K->getInitVal().isRepresentableByInt64() ||
                !llvm::isInt<32>(K->getInitVal().getExtValue()))
              return fail(diag::for_local_name, K);
            H.Constants.push_back(K);
          }
      auto *N = dyn_cast<NamedDecl>(D);
      if (N && !isa<VarDecl, LabelDecl>(N) && N->getIdentifier() &&
          isNamed(N, Tokens))
        return fail(diag::for_local_name, N);
    }
  }

  /// From `for` to the end of the statement.
  ArrayRef<Token> loopTokens(ArrayRef<Token> Recorded) {
    ArrayRef<Token> From = Recorded.drop_front(Dir.Recorded);
    while (!From.empty() && From.front().isNot(tok::kw_for))
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

  /// A name that nothing else has.
  std::string name() {
    PresumedLoc At = S.getSourceManager().getPresumedLoc(H.Loc);
    std::string Name = In->getNameAsString() + "_for_" +
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

  /// \p Text as tokens that stand at the pragma.
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
  Outliner(Parser &P, Sema &S, Reporter &R, const Directive &Dir, HostLoop &H,
           FunctionDecl *In)
      : P(P), S(S), R(R), Dir(Dir), H(H), In(In) {}

  /// The names in private(...).
  bool isPrivate(const VarDecl *V) const {
    ArrayRef<Token> Tokens = Dir.Tokens;
    for (size_t I = 0; I + 1 < Tokens.size(); ++I) {
      if (Tokens[I].isNot(tok::identifier) ||
          Tokens[I].getIdentifierInfo()->getName() != "private")
        continue;
      for (I += 2; I < Tokens.size() && Tokens[I].isNot(tok::r_paren); ++I)
        if (Tokens[I].is(tok::identifier) &&
            Tokens[I].getIdentifierInfo() == V->getIdentifier())
          return true;
    }
    return false;
  }

  /// The variables the loop needs. \p Visible are those of In at the loop.
  bool capture(ArrayRef<NamedDecl *> Visible) {
    declaredInside(H.For);
    uses(H.For);
    usesOfClauses(Visible);
    for (const NamedDecl *D : Visible)
      if (auto *V = dyn_cast<VarDecl>(D); V && Used.count(V))
        (isPrivate(V) && !V->getType()->isVariablyModifiedType() ? H.Private
                                                                 : H.Captured)
            .push_back(V);
    for (const VarDecl *V : H.Captured)
      for (const VarDecl *Other : H.Captured)
        if (Ok && V != Other && V->getIdentifier() == Other->getIdentifier())
          fail(diag::for_shadowed, V);
    return Ok;
  }

  /// The function, or null after an error. \p LoopIndex is the number of a
  /// directive that is to stand at its loop.
  FunctionDecl *parse(ArrayRef<Token> Recorded, unsigned LoopIndex) {
    ArrayRef<Token> Body = loopTokens(Recorded);
    localNames(Body);
    if (!Ok)
      return nullptr;
    std::string Name = name();
    SmallVector<Token, 64> Tokens;
    lex(head(Name, LoopIndex), Tokens);
    Tokens.append(Body.begin(), Body.end());
    lex("}", Tokens);
    Tokens.push_back(P.getCurToken()); // to be found again
    auto Owned = std::make_unique<Token[]>(Tokens.size());
    std::copy(Tokens.begin(), Tokens.end(), Owned.get());
    // What there is to say about the text was said the first time.
    DiagnosticsEngine &Diags = S.getDiagnostics();
    bool Before = Diags.getSuppressAllDiagnostics();
    Diags.setSuppressAllDiagnostics(true);
    P.getPreprocessor().EnterTokenStream(std::move(Owned), Tokens.size(),
                                         /*DisableMacroExpansion=*/true,
                                         /*IsReinject=*/true);
    P.ConsumeAnyToken(/*ConsumeCodeCompletionTok=*/true);
    Parser::DeclGroupPtrTy Group;
    Sema::ModuleImportState ImportState =
        Sema::ModuleImportState::NotACXX20Module;
    P.ParseTopLevelDecl(Group, ImportState);
    Diags.setSuppressAllDiagnostics(Before);
    auto *F = Group && Group.get().isSingleDecl()
                  ? dyn_cast<FunctionDecl>(Group.get().getSingleDecl())
                  : nullptr;
    if (!F || F->isInvalidDecl() || !F->hasBody() || F->getName() != Name) {
      R.report(H.Loc, diag::for_outline) << In;
      return nullptr;
    }
    return F;
  }
};

/// Another `for` in the loop.
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

std::string localConstants(const HostLoop &H) {
  std::string S;
  for (const EnumConstantDecl *K : H.Constants)
    S += (S.empty() ? "" : ", ") + K->getNameAsString() + " = " +
         llvm::toString(K->getInitVal(), 10);
  return S.empty() ? S : "enum { " + S + " }; ";
}

std::string privateVariables(const HostLoop &H) {
  std::string S;
  llvm::raw_string_ostream OS(S);
  for (const VarDecl *V : H.Private) {
    const ASTContext &C = V->getASTContext();
    V->getType().getCanonicalType().getUnqualifiedType().print(
        OS, PrintingPolicy(C.getLangOpts()), V->getName());
    OS << "; ";
  }
  return OS.str();
}

QualType capturedType(ASTContext &C, const VarDecl *V) {
  QualType T = V->getType();
  if (T->isArrayType())
    T = C.getArrayDecayedType(T);
  if (!T->isVariablyModifiedType())
    T = T.getCanonicalType();
  return T.getUnqualifiedType();
}

void ParseAction::attachHostLoop(Parser &P, Sema &S, Reporter &R,
                                 FunctionDecl *F, unsigned Index,
                                 AttributedStmt *A,
                                 ArrayRef<NamedDecl *> Visible) {
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
  {
    Outliner O(P, S, R, Directives[Index], H, F);
    if (O.capture(Variables))
      Function = O.parse(Collector->recorded(), LoopIndex);
  }
  if (!Function)
    return;

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
    R.report(H.Loc, diag::for_outline) << F;
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
