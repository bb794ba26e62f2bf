// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --suggest: pragmas for functions that have none. A function is proposed as a
// task when it returns nothing, is called in a loop, and all memory it touches
// has inferred sections; a loop in it when its iterations provably touch
// different memory (as long as different parameters point to different memory)
// and share no variable but those of a reduction. Whether the result compiles
// is not judged here but tried (see steps/Suggestions.cpp).

#include "Suggest.h"
#include "AstVisitor.h"
#include "Inference.h"
#include "SharedVariables.h"
#include "Syntax.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace agglom {

namespace {
/// The calls of functions, and the functions whose address is taken.
class Uses : public AstVisitor<Uses> {
  const FunctionDecl *In = nullptr;
  unsigned Loops = 0;

public:
  std::map<const FunctionDecl *, std::set<const FunctionDecl *>> Callers;
  std::set<const FunctionDecl *> CalledInLoop, AddressTaken;

  bool TraverseFunctionDecl(FunctionDecl *F) {
    In = F->getCanonicalDecl();
    bool Ok = AstVisitor<Uses>::TraverseFunctionDecl(F);
    In = nullptr;
    return Ok;
  }
  template <typename Fn> bool inLoop(Fn Inside) {
    ++Loops;
    bool Ok = Inside();
    --Loops;
    return Ok;
  }
  bool TraverseForStmt(ForStmt *S) {
    return inLoop([&] { return AstVisitor<Uses>::TraverseForStmt(S); });
  }
  bool TraverseWhileStmt(WhileStmt *S) {
    return inLoop([&] { return AstVisitor<Uses>::TraverseWhileStmt(S); });
  }
  bool TraverseDoStmt(DoStmt *S) {
    return inLoop([&] { return AstVisitor<Uses>::TraverseDoStmt(S); });
  }
  bool TraverseCallExpr(CallExpr *C) {
    if (const FunctionDecl *F = C->getDirectCallee()) {
      F = F->getCanonicalDecl();
      Callers[F].insert(In);
      if (Loops)
        CalledInLoop.insert(F);
    } else if (!TraverseStmt(C->getCallee())) {
      return false;
    }
    for (Expr *A : C->arguments())
      TraverseStmt(A);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
      AddressTaken.insert(F->getCanonicalDecl());
    return true;
  }
};
} // namespace

namespace {
class LoopJudge {
  BodyAccesses &Body;

  /// Variables declared inside a statement.
  static void declared(const Stmt *S, std::set<const VarDecl *> &Out) {
    if (!S)
      return;
    if (auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          Out.insert(V);
    for (const Stmt *Child : S->children())
      declared(Child, Out);
  }
  static void assigned(const Stmt *S, std::set<const VarDecl *> &Out) {
    if (!S)
      return;
    const Expr *Target = nullptr;
    if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
      Target = B->getLHS();
    if (auto *Un = dyn_cast<UnaryOperator>(S);
        Un && (Un->isIncrementDecrementOp() || Un->getOpcode() == UO_AddrOf))
      Target = Un->getSubExpr();
    if (Target)
      if (const VarDecl *V = variableOf(Target))
        Out.insert(V);
    for (const Stmt *Child : S->children())
      assigned(Child, Out);
  }
  static bool leaves(const Stmt *S, bool Inner) {
    if (!S)
      return false;
    if (isa<ReturnStmt, GotoStmt, LabelStmt>(S) ||
        (isa<BreakStmt>(S) && !Inner))
      return true;
    Inner |= isa<ForStmt, WhileStmt, DoStmt, SwitchStmt>(S);
    for (const Stmt *Child : S->children())
      if (leaves(Child, Inner))
        return true;
    return false;
  }

  /// Whether \p In is a scalar that the loop uses by its name alone. It is
  /// judged as a variable, not as memory.
  bool onlyByName(const WalkedLoop &L, const Base &In) {
    if (In.Behind || !In.Path.empty() || !In.Var->getType()->isScalarType())
      return false;
    for (size_t I = L.Begin; I < L.End; ++I)
      if (Body.All[I].In == In && variableOf(Body.All[I].At) != In.Var)
        return false;
    return true;
  }

  /// Whether different iterations access different bytes of \p In.
  bool apart(const WalkedLoop &L, const Base &In) {
    struct Range {
      Poly Lo, Hi;
      const Access *A;
    };
    std::vector<Range> Ranges;
    Poly Stride;
    for (size_t I = L.Begin; I < L.End; ++I) {
      const Access &A = Body.All[I];
      if (!(A.In == In))
        continue;
      if (!A.Known)
        return false;
      Poly Factor, Rest, End;
      if (!A.From.split(L.Counter, Factor, Rest) || A.Size.mentions(L.Counter))
        return false;
      Facts F(Body.Names, A.Given);
      std::optional<Poly> Lo = F.limit(Rest, false, L.Counter + 1);
      std::optional<Poly> Hi = F.limit(Rest + A.Size, true, L.Counter + 1);
      if (!Lo || !Hi || Lo->mentions(L.Counter) || Hi->mentions(L.Counter) ||
          (!Ranges.empty() && Factor != Stride))
        return false;
      Stride = Factor;
      Ranges.push_back({*Lo, *Hi, &A});
    }
    for (const Range &A : Ranges)
      for (const Range &B : Ranges) {
        std::vector<Poly> Given = A.A->Given;
        Given.insert(Given.end(), B.A->Given.begin(), B.A->Given.end());
        Facts F(Body.Names, Given);
        Poly Reach = A.Hi - B.Lo;
        if (!F.nonNegative(Stride - Reach) && !F.nonNegative(-Stride - Reach))
          return false;
      }
    return !Stride.isZero();
  }

public:
  explicit LoopJudge(BodyAccesses &Body) : Body(Body) {}

  /// The loop's pragma, or "".
  std::string pragma(const WalkedLoop &L) {
    const ForStmt *For = L.For;
    if (!For->getCond() || !For->getInc() || !For->getInit() ||
        leaves(For->getBody(), false))
      return "";
    if (L.Iterations && L.Iterations->constant() &&
        *L.Iterations->constant() < 8)
      return ""; // too few iterations
    std::set<const VarDecl *> Inside, Changed, Counter;
    declared(For, Inside);
    assigned(For->getBody(), Changed);
    assigned(For->getInc(), Counter);
    std::set<Base> Written;
    for (size_t I = L.Begin; I < L.End; ++I)
      if (Body.All[I].Write)
        Written.insert(Body.All[I].In);
    for (const Base &B : Written)
      if (!(B.Var && !B.Behind && B.Path.empty() && Inside.count(B.Var)) &&
          !(Changed.count(B.Var) && onlyByName(L, B)) && !apart(L, B))
        return "";
    std::map<std::string, std::string> Reductions;
    for (const VarDecl *V : Changed) {
      if (Inside.count(V) && !Counter.count(V))
        continue;
      std::string Op = Counter.count(V) ? "" : reductionOf(For->getBody(), V);
      if (Op.empty())
        return "";
      std::string &List = Reductions[Op];
      List += (List.empty() ? "" : ", ") + V->getNameAsString();
    }
    std::string Text = "#pragma agglom loop";
    for (const auto &[Op, List] : Reductions)
      Text += " reduction(" + Op + ": " + List + ")";
    return Text;
  }
};

class Suggester {
  ParsedUnit &U;
  SourceManager &SM;
  Uses Calls;

  /// Adds an edit that inserts \p Line before the line of \p At.
  bool lineBefore(SourceLocation At, const std::string &Line, Suggestion &Out) {
    if (At.isMacroID())
      return false;
    auto File = SM.getFileEntryRefForID(SM.getFileID(At));
    if (!File)
      return false;
    unsigned Offset = SM.getFileOffset(At);
    StringRef Text = SM.getBufferData(SM.getFileID(At));
    unsigned Begin = Offset;
    while (Begin && (Text[Begin - 1] == ' ' || Text[Begin - 1] == '\t'))
      --Begin;
    bool OwnLine = !Begin || Text[Begin - 1] == '\n';
    Out.Edits.push_back({File->getName().str(), OwnLine ? Begin : Offset,
                         OwnLine ? Line + "\n" : "\n" + Line + "\n"});
    return true;
  }

  std::string whyNot(const FunctionDecl *F) {
    const FunctionDecl *C = F->getCanonicalDecl();
    if (!F->getReturnType()->isVoidType())
      return "it returns a value";
    if (F->isVariadic() || !F->hasPrototype())
      return "it has no fixed parameters";
    bool Pointers = false;
    for (const ParmVarDecl *P : F->parameters()) {
      Pointers |= P->getType()->isPointerType();
      if (P->getName().empty())
        return "a parameter has no name";
    }
    if (!Pointers)
      return "it has no parameter that points to memory";
    if (Calls.AddressTaken.count(C))
      return "its address is taken";
    if (!Calls.CalledInLoop.count(C))
      return "no call of it in this file stands in a loop";
    return "";
  }

public:
  explicit Suggester(ParsedUnit &U) : U(U), SM(U.Context.getSourceManager()) {}

  std::vector<Suggestion> run() {
    Calls.TraverseDecl(U.Context.getTranslationUnitDecl());
    std::vector<Suggestion> All;
    for (const DeclGroup &Group : U.Groups)
      for (const Decl *D : Group)
        if (auto *F = dyn_cast<FunctionDecl>(D);
            F && F->doesThisDeclarationHaveABody() && !F->isMain() &&
            SM.isInMainFile(SM.getExpansionLoc(F->getLocation())) &&
            !U.M.find(F))
          All.push_back(of(F));
    return All;
  }

private:
  Suggestion of(const FunctionDecl *F) {
    Suggestion S;
    S.Function = F->getNameAsString();
    S.Line = SM.getExpansionLineNumber(F->getLocation());
    for (const FunctionDecl *Caller : Calls.Callers[F->getCanonicalDecl()])
      if (Caller)
        S.Callers.push_back(Caller->getNameAsString());
    S.WhyNot = whyNot(F);
    if (!S.WhyNot.empty())
      return S;
    // The pragma belongs to the first declaration: in a header, all callers
    // see it there.
    const FunctionDecl *At = F->getFirstDecl();
    if (SM.isInSystemHeader(SM.getExpansionLoc(At->getLocation())))
      At = F;
    for (const ParmVarDecl *P : At->parameters())
      if (P->getName().empty())
        At = F;
    Inference I = inferSections(U.Context, F, At);
    if (!I.Body.Obstacle.empty() || I.Body.Stray) {
      S.WhyNot = I.Body.Stray ? "it uses a pointer whose origin is not known"
                              : I.Body.Obstacle;
      return S;
    }
    std::map<ClauseId, std::string> Clauses;
    for (const InferredSection &Sec : I.Sections) {
      if (!Sec.Known) {
        S.WhyNot = "the section of '" + Sec.Param->getNameAsString() +
                   "' cannot be inferred: " + Sec.Why;
        return S;
      }
      std::string &List = Clauses[Sec.clause()];
      List += (List.empty() ? "" : ", ") + Sec.Text;
      if (!Sec.Assumption.empty())
        S.Assumptions.push_back(Sec.Assumption);
    }
    if (I.Sections.empty()) {
      S.WhyNot = "it touches no memory behind its parameters";
      return S;
    }
    for (const Access &A : I.Body.All)
      if (!A.In.Path.empty()) {
        S.WhyNot = "it uses a pointer that is in memory";
        return S;
      } else if (A.In.isGlobal() && !A.In.Var->getType().isConstQualified() &&
                 !U.Context.getBaseElementType(A.In.Var->getType())
                      .isConstQualified()) {
        S.WhyNot = "it uses the variable '" + A.In.Var->getNameAsString() +
                   "', which is not a parameter";
        return S;
      }
    std::string Pragma = "#pragma agglom task";
    for (ClauseId Id : {ClauseId::In, ClauseId::Out, ClauseId::InOut})
      if (Clauses.count(Id))
        Pragma += (" " + spellingOf(Id) + "(" + Clauses[Id] + ")").str();
    if (!lineBefore(At->getBeginLoc(), Pragma, S)) {
      S.WhyNot = "its text comes out of a macro";
      return S;
    }
    S.TaskEdits = S.Edits.size();
    loops(F, I, S);
    return S;
  }

  void loops(const FunctionDecl *F, Inference &I, Suggestion &S) {
    LoopJudge Judge(I.Body);
    // All walks of a loop must give the same pragma.
    std::vector<const ForStmt *> Order;
    std::map<const ForStmt *, std::string> Pragmas;
    for (auto It = I.Body.Loops.rbegin(); It != I.Body.Loops.rend(); ++It) {
      if (It->InCallee || !contains(F->getBody(), It->For))
        continue;
      std::string Text = Judge.pragma(*It);
      auto [At, New] = Pragmas.try_emplace(It->For, Text);
      if (New)
        Order.push_back(It->For);
      else if (At->second != Text)
        At->second.clear();
    }
    std::vector<const ForStmt *> Chosen;
    for (const ForStmt *For : Order) {
      if (Pragmas[For].empty())
        continue;
      bool Inside = false;
      for (const ForStmt *Outer : Order)
        Inside |= Outer != For && !Pragmas[Outer].empty() &&
                  contains(Outer->getBody(), For);
      if (!Inside)
        lineBefore(For->getForLoc(), Pragmas[For], S);
    }
  }
};
} // namespace

std::vector<Suggestion> suggestPragmas(ParsedUnit &U) {
  return Suggester(U).run();
}

} // namespace agglom
