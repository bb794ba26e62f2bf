// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host text: the user's preprocessed text, where
//
//   #pragma agglom task ...     becomes  void __agglom_submit_f(<parameters>);
//   f(x, n);                    becomes  __agglom_submit_f(x, n);
//   #pragma agglom wait         becomes  agglom_wait();
//   #pragma agglom wait own     becomes  agglom_wait_own();
//   #pragma agglom wait on(...) becomes  a call of a function at the end
//
// on the same lines. At its end follow, for each task defined here: the
// argument structure, the batch function for the CPU, the chain function for
// the emulated device, the descriptor, and the function that submits. Line
// markers attribute the user's text to the user's file.

#include "AstVisitor.h"
#include "Emit.h"

using namespace clang;

namespace agglom {

/// The public structures, as declarations for generated code.
static const char AbiText[] =
#include "AbiText.inc"
    ;

/// Keywords of C23. Clang's headers do not define them as macros, and neither
/// all versions of gcc's -std=c2x nor an older Clang have all of them.
static const char KeywordsOfC23[] = "#if __STDC_VERSION__ <= 202000L\n"
                                    "#define bool _Bool\n"
                                    "#define true 1\n"
                                    "#define false 0\n"
                                    "#define nullptr ((void *)0)\n"
                                    "#define static_assert _Static_assert\n"
                                    "#define thread_local _Thread_local\n"
                                    "#define alignas _Alignas\n"
                                    "#define alignof _Alignof\n"
                                    "#define typeof __typeof__\n"
                                    "#endif\n";

namespace {
std::string submitName(const FunctionDecl *F) {
  return "__agglom_submit_" + F->getNameAsString();
}

/// Redirects calls to tasks in host code.
class CallWalk : public AstVisitor<CallWalk> {
  Emission &E;
  Edits &Ed;

public:
  CallWalk(Emission &E, Edits &Ed) : E(E), Ed(Ed) {}

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !E.U.M.find(F))
      return true;
    auto *Ref = dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
    if (Ref)
      Ed.replace(E.Text.extent(Ref->getSourceRange()), submitName(F));
    return true;
  }
  // An operand of sizeof is not evaluated, so a call in it is none.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) {
    return true;
  }
};

class HostWriter {
  Emission &E;
  Edits Ed;
  std::set<unsigned> PlainUpdates; ///< that there are functions for

  std::string linkage(const Task &T) const {
    const FunctionDecl *F = T.Definition ? T.Definition : T.Declared;
    if (F->getFormalLinkage() == Linkage::Internal)
      return "static __attribute__((unused)) ";
    // An inline function may be defined in several units: so is its wrapper.
    return F->isInlineSpecified() ? "__attribute__((weak)) " : "";
  }

  /// The head of the function that submits \p T, with \p F's parameter names.
  std::string submitHead(const Task &T, const FunctionDecl *F) {
    std::string Params = parameterList(E, F);
    return linkage(T) + "void " + submitName(F) + "(" +
           (Params.empty() ? "void" : Params) + ")";
  }

  void declareEarly(const Task &T) {
    const FunctionDecl *First = T.Declared->getFirstDecl();
    if (First == T.Declared || First->isImplicit() ||
        !First->getFunctionTypeLoc() || !carriedBy(*First).empty())
      return;
    Ed.insert(E.Text.offset(First->getBeginLoc()), submitHead(T, First) + "; ");
  }

  /// The text that replaces pragma \p D, which belongs to a task or to an
  /// earlier declaration of its function.
  std::string declaration(const Directive &D) {
    const unsigned Index = &D - E.U.Directives.data();
    std::string Heads;
    for (const auto &T : E.U.M.Tasks)
      for (const FunctionDecl *F : T->Declared->redecls())
        if (F == T->Declared ? T->Loc == D.Loc
                             : llvm::is_contained(carriedBy(*F), Index) &&
                                   F->getFunctionTypeLoc())
          Heads += submitHead(*T, F) + "; ";
    return Heads;
  }

  void editDirectives() {
    for (const Directive &D : E.U.Directives) {
      Extent Line = E.Text.line(D.Loc);
      if (D.Info->Id == DirectiveId::Wait || D.Info->Id == DirectiveId::Data ||
          D.Info->Id == DirectiveId::Update) {
        editHostDirective(D, Line);
        E.Common.replace(Line, ""); // tasks run plainly in a unit's body
      } else if (D.Info->Id == DirectiveId::Loop ||
                 D.Info->Id == DirectiveId::Atomic) {
        Ed.replace(Line, "");
        E.Common.replace(Line, "");
      } else {
        Ed.replace(Line, declaration(D));
        // Calls may stand before the pragma, after a plain declaration.
        for (const auto &T : E.U.M.Tasks)
          if (T->Loc == D.Loc)
            declareEarly(*T);
      }
    }
  }

  void editHostDirective(const Directive &D, Extent Line) {
    const auto &All = E.U.M.SectionDirectives;
    auto It = llvm::find_if(
        All, [&](const SectionDirective &H) { return H.Loc == D.Loc; });
    if (It == All.end()) {
      bool Own = llvm::any_of(
          E.U.M.Waits, [&](const Wait &W) { return W.Loc == D.Loc && W.Own; });
      Ed.replace(Line,
                 Own ? "(void)agglom_wait_own();" : "(void)agglom_wait();");
      return;
    }
    std::string Use = directiveUse(E, It - All.begin());
    Ed.replace(Line, D.Info->Id == DirectiveId::Data ? "" : Use);
    if (D.Info->Id == DirectiveId::Data)
      Ed.insert(E.Text.extent(It->block()->getLBracLoc()).End, Use);
  }

  /// Copies of a body stand in functions of other names. __func__ and the like
  /// are replaced by the user's name.
  void editFunctionNames() {
    llvm::MapVector<const PredefinedExpr *, const FunctionDecl *> All;
    for (const auto &[T, C] : E.Checked.Closures)
      for (const auto &Each : C.FunctionNames)
        All.insert(Each);
    for (const auto &[Name, F] : All)
      E.Common.replace(E.Text.extent(Name->getSourceRange()),
                       E.functionName(*Name, *F));
  }

  void editCalls() {
    CallWalk Walk(E, Ed);
    for (const DeclGroup &Group : E.U.Groups)
      for (Decl *D : Group) {
        auto *F = dyn_cast<FunctionDecl>(D);
        if (!F || !F->doesThisDeclarationHaveABody())
          continue;
        const Task *T = E.U.M.find(F);
        if (T && T->onDevice())
          continue; // calls between bodies of units are plain calls
        Walk.TraverseStmt(F->getBody());
      }
  }

  /// The main file as the first line marker names it, in quotes, after
  /// -ffile-prefix-map.
  std::string mainFile() const {
    StringRef Line =
        E.Text.buffer().take_until([](char C) { return C == '\n'; });
    size_t From = Line.find('"'), To = Line.rfind('"');
    llvm::SmallString<256> Name;
    if (From < To)
      Name = Line.slice(From + 1, To);
    E.U.Context.getLangOpts().remapPathPrefix(Name);
    return ("\"" + Name + "\"").str();
  }

  bool definesAbi() const {
    IdentifierInfo &II = E.U.Context.Idents.get("agglom_task");
    for (NamedDecl *D :
         E.U.Context.getTranslationUnitDecl()->lookup(DeclarationName(&II)))
      if (auto *R = dyn_cast<RecordDecl>(D); R && R->getDefinition())
        return true;
    return false;
  }

  /// \p Call runs one unit. \p First: what to do before the first one. Mostly
  /// there is one unit, and each task has this loop: it is kept small.
  std::string cpuBatch(const Task &T, StringRef What, const std::string &Call,
                       const std::string &First = "") {
    std::string S = "static void " + generated(T, What) +
                    "(const void *const *ag_units, unsigned long ag_n) {\n" +
                    First +
                    "#pragma clang loop unroll(disable)\n"
                    "  for (unsigned long ag_k = 0; ag_k < ag_n; ++ag_k) {\n";
    if (Call.find("ag_u->") != std::string::npos)
      S += "    const struct " + generated(T, "args") +
           " *ag_u = (const struct " + generated(T, "args") +
           " *)ag_units[ag_k];\n";
    S += "    " + Call + ";\n  }\n}\n";
    return S;
  }

  static bool hasLoop(const Stmt *S) {
    return S && (isa<ForStmt, WhileStmt, DoStmt>(S) ||
                 llvm::any_of(S->children(), hasLoop));
  }

  /// Runs units by the user's function. One of other units stays a function
  /// by itself; inlined here, its loops would be compiled twice, a third of
  /// all that the host compiler does. gcc cannot be told so of a call, but it
  /// does not inline what assembly text may have changed.
  std::string cpu(const Task &T) {
    std::string Name = T.Declared->getNameAsString(), First;
    bool Apart = T.Definition->isExternallyVisible() &&
                 !T.Definition->isInlined() && hasLoop(T.Definition->getBody());
    if (Apart && E.U.M.ForeignHost) {
      First = "  __typeof__(" + Name + ") *__agglom_run = " + Name +
              ";\n  __asm__(\"\" : \"+r\"(__agglom_run));\n";
      Name = "__agglom_run";
    } else if (Apart) {
      Name = "[[clang::noinline]] " + Name;
    }
    return cpuBatch(T, "cpu", Name + "(" + argumentValues(T, "ag_u->") + ")",
                    First);
  }

  /// A copy of the body for memory of its own, and what calls it.
  std::string cpuPrivate(const Task &T) {
    const Stmt *Body = T.Definition->getBody();
    Extent Whole = E.Text.extent(Body->getSourceRange());
    Edits Mine;
    Mine.addFrom(E.Common, Whole);
    Mine.addInner(hostNames(E, T), Whole);
    std::string Functions;
    std::string Text =
        withPlainUpdates(E, E.edited(Mine, Whole), PlainUpdates, Functions);
    std::string Params =
        listOf({parameterList(E, T.Definition), hiddenParameters(E, T)});
    std::string Values =
        listOf({argumentValues(T, "ag_u->"), hiddenValues(T, "ag_u->")});
    return Functions +
           underItsPragmas(
               T.Definition,
               "static void " + generated(T, "plainly") + "(" + Params + ")\n" +
                   E.Text.lineMarker(Body->getBeginLoc()) + Text + "\n") +
           SelfMarker +
           cpuBatch(T, "cpu_private",
                    generated(T, "plainly") + "(" + Values + ")");
  }

  /// Whether \p T calls a C99 'inline' function that has no external definition
  /// in this unit. A cold function would call it, where the user's code has it
  /// inlined.
  bool callsInlineOnly(const Task &T) const {
    auto It = E.Checked.Closures.find(&T);
    return It != E.Checked.Closures.end() &&
           llvm::any_of(It->second.Functions, [](const FunctionDecl *F) {
             return F->isInlined() && F->isExternallyVisible() &&
                    !F->isInlineDefinitionExternallyVisible();
           });
  }

  std::string emulated(const Task &T) {
    bool Waits = T.byTeam() || T.waitsByThread();
    std::string Params =
        listOf({parameterList(E, T.Definition), hiddenParameters(E, T),
                "unsigned ag_part, unsigned ag_parts"});
    std::string Values =
        listOf({argumentValues(T, "ag_u->"), hiddenValues(T, "ag_u->"),
                "ag_launch->part[ag_c], ag_launch->parts[ag_c]"});
    // Cold: code for the emulated device is not worth an optimiser's time.
    const std::string Head = callsInlineOnly(T)
                                 ? "static __attribute__((flatten)) void "
                                 : "static __attribute__((cold)) void ";
    std::string S =
        underItsPragmas(
            T.Definition,
            Head + generated(T, "unit") + "(" + Params + ")\n" +
                E.Text.lineMarker(T.Definition->getBody()->getBeginLoc()) +
                unitBody(E, T, Dialect::Host) + "\n") +
        SelfMarker;
    S += Head + generated(T, "emulated") +
         "(const struct agglom_launch *ag_launch, unsigned ag_c) {\n"
         "  for (unsigned ag_k = ag_launch->start[ag_c]; ag_k < "
         "ag_launch->end[ag_c]; ++ag_k) {\n"
         "    const struct " +
         generated(T, "args") + " *ag_u = (const struct " +
         generated(T, "args") + " *)ag_launch->units + ag_k;\n";
    if (!T.Definition->getNumParams() && T.globals().empty())
      S += "    (void)ag_u;\n";
    if (Waits)
      S += "    agglom_emulated_begin(ag_launch, ag_k);\n";
    S += "    " + generated(T, "unit") + "(" + Values + ");\n";
    if (Waits)
      S += "    agglom_emulated_end(ag_launch, ag_k);\n";
    return S + "  }\n}\n";
  }

  std::string sections(const Task &T) {
    if (T.Sections.empty())
      return "";
    std::string S = "static const struct agglom_section " +
                    generated(T, "sections") + "[] = {\n";
    S = accumulateFunctions(E, T) + S;
    for (size_t I = 0; I < T.Sections.size(); ++I)
      S += "  " + sectionEntry(E, T, I) + ",\n";
    return S + "};\n";
  }

  static std::string mapping(const Task &T) {
    switch (T.Map) {
    case Mapping::Block:
      return "AGGLOM_MAP_BLOCK";
    case Mapping::Warp:
      return "AGGLOM_MAP_WARP";
    case Mapping::BlockOrWarp:
      return "AGGLOM_MAP_BLOCK_OR_WARP";
    case Mapping::Thread:
      break;
    }
    return "AGGLOM_MAP_THREAD";
  }

  std::string descriptor(const Task &T) {
    std::string Flags;
    auto flag = [&](bool On, StringRef Name) {
      if (On)
        Flags += (Flags.empty() ? "" : " | ") + Name.str();
    };
    flag(T.Independent, "AGGLOM_TASK_INDEPENDENT");
    flag(T.Device == DeviceKind::Cpu, "AGGLOM_TASK_CPU_ONLY");
    flag(E.Checked.Leaves.count(&T), "AGGLOM_TASK_LEAF");
    flag(T.Device == DeviceKind::Gpu, "AGGLOM_TASK_GPU");
    flag(T.Splittable, "AGGLOM_TASK_SPLITTABLE");
    flag(T.Prints, "AGGLOM_TASK_PRINTS");
    flag(!T.LoopOf.empty(), "AGGLOM_TASK_LOOP");
    if (auto It = E.Checked.Closures.find(&T); It != E.Checked.Closures.end())
      flag(!It->second.Recursive.empty(), "AGGLOM_TASK_RECURSES");
    flag(T.waitsByThread(), "AGGLOM_TASK_WAITS");
    flag(T.PriorityVaries && T.onDevice(), "AGGLOM_TASK_PRIORITIES");
    PresumedLoc P = E.U.Context.getSourceManager().getPresumedLoc(
        T.Declared->getLocation());
    std::string Args = "struct " + generated(T, "args");
    std::string S =
        "static struct agglom_task " + generated(T, "task") + " = {\n";
    auto field = [&](StringRef Name, const std::string &Value) {
      S += ("  ." + Name + " = " + Value + ",\n").str();
    };
    field("name", quoted(T.LoopOf.empty() ? T.Name : T.LoopOf));
    field("file", quoted(E.fileName(P)));
    field("line", std::to_string(P.isValid() ? P.getLine() : 0));
    field("flags", Flags.empty() ? "0" : Flags);
    field("map", mapping(T));
    field("max_units", std::to_string(T.MaxUnits));
    field("args_size", "sizeof(" + Args + ")");
    field("args_align", "_Alignof(" + Args + ")");
    field("n_sections", std::to_string(T.Sections.size()));
    field("sections", T.Sections.empty() ? "0" : generated(T, "sections"));
    field("cpu", generated(T, "cpu"));
    field("cpu_private",
          updatesPrivately(E, T) ? generated(T, "cpu_private") : "0");
    field("emulated", T.onDevice() ? generated(T, "emulated") : "0");
    field("kernel", T.onDevice() ? quoted(generated(T, "kernel")) : "0");
    field("module", "&__agglom_module");
    return S + "};\n";
  }

  /// The trip counts of the loops, when they depend on parameters alone.
  std::string defaultCost(const Task &T) {
    if (T.Declared != T.Definition)
      return "0";
    std::string S;
    for (const Loop *L : T.Loops) {
      if (L->Inner)
        continue;
      std::string Product;
      for (size_t I = 0; I <= L->Nest.size(); ++I) {
        const CanonicalFor &C = L->level(I);
        if (!isSimple(C.First) || !isSimple(C.Bound))
          return "0";
        std::string First = "(long long)(" + E.Text.text(C.First) + ")";
        std::string Bound = "(long long)(" + E.Text.text(C.Bound) + ")";
        std::string Low = C.Down ? Bound : First, High = C.Down ? First : Bound;
        uint64_t Step = C.StepValue < 0 ? -C.StepValue : C.StepValue;
        bool WithBound = C.Compare == BO_LE || C.Compare == BO_GE;
        // The last iteration may be nearer to the bound than a step.
        Product += (I ? " * " : "") + std::string("(") + High +
                   (WithBound ? " >= " : " > ") + Low +
                   " ? (unsigned long long)(" + High + " - " + Low +
                   (WithBound ? ")" : " - 1)") + " / " + std::to_string(Step) +
                   "ULL + 1ULL : 0ULL)";
      }
      S += (S.empty() ? "" : " + ") + Product;
    }
    return S.empty() ? "0" : S;
  }

  /// Whether \p S can be evaluated in the submitting function: parameters,
  /// enumerators of file scope, and operators that cannot fail.
  static bool isSimple(const Stmt *S) {
    if (auto *Ref = dyn_cast<DeclRefExpr>(S)) {
      if (auto *K = dyn_cast<EnumConstantDecl>(Ref->getDecl()))
        return cast<EnumDecl>(K->getDeclContext())
            ->getDeclContext()
            ->isTranslationUnit();
      return isa<ParmVarDecl>(Ref->getDecl());
    }
    if (auto *B = dyn_cast<BinaryOperator>(S)) {
      if (!B->isAdditiveOp() && B->getOpcode() != BO_Mul)
        return false;
    } else if (auto *Un = dyn_cast<UnaryOperator>(S)) {
      if (Un->getOpcode() != UO_Plus && Un->getOpcode() != UO_Minus)
        return false;
    } else if (!isa<IntegerLiteral, CharacterLiteral, ParenExpr,
                    ImplicitCastExpr, ConstantExpr>(S)) {
      return false;
    }
    for (const Stmt *Child : S->children())
      if (!isSimple(Child))
        return false;
    return true;
  }

  std::string submit(const Task &T) {
    std::string Names;
    for (const ParmVarDecl *P : T.Declared->parameters())
      Names += (Names.empty() ? "" : ", ") +
               std::string(P->getType()->isVariablyModifiedType() ? "(void *)"
                                                                  : "") +
               P->getNameAsString();
    for (const VarDecl *G : T.globals())
      Names += (Names.empty() ? "" : ", ") +
               std::string(G->getType()->isPointerType() ? "" : "&") +
               G->getNameAsString();
    // The text does not name the task's own function: a parameter may have its
    // name.
    std::string S = submitHead(T, T.Declared) + " {\n";
    S += "  struct " + generated(T, "args") + " ag_args = {" +
         (Names.empty() ? "0" : Names) + "};\n";
    S += "  if (__builtin_expect(__agglom_module.refused, 0)) {\n"
         "    const void *ag_unit = &ag_args;\n"
         "    (void)agglom_wait();\n    " +
         // By way of memory, so that it is not inlined where it is never run.
         generated(T, "task") + ".cpu(&ag_unit, 1);\n    return;\n  }\n";
    S += sectionRanges(E, T.Sections, "ag_ranges");
    std::string Priority = !T.Priority.empty() ? "(" + T.Priority + ")"
                           : T.Device == DeviceKind::Cpu ? "1"
                                                         : "0";
    std::string Cost = !T.Cost.empty() ? "(" + T.Cost + ")" : defaultCost(T);
    S += "  (void)agglom_submit(&" + generated(T, "task") + ", &ag_args, " +
         (T.Sections.empty() ? "0" : "ag_ranges") + ", " + Priority + ", " +
         Cost + ");\n}\n";
    return S;
  }

  std::string task(const Task &T) {
    PresumedLoc P = E.U.Context.getSourceManager().getPresumedLoc(
        T.Declared->getLocation());
    std::string S =
        "\n/* task '" + T.Name + "', " +
        (P.isValid() ? E.fileName(P) + ":" + std::to_string(P.getLine()) : "") +
        " */\n";
    S += argumentStruct(E, T) + cpu(T);
    if (updatesPrivately(E, T))
      S += cpuPrivate(T);
    if (T.onDevice())
      S += emulated(T);
    S += sections(T) + descriptor(T) + submit(T);
    return S;
  }

  /// The objects by which the linker connects units. The linker reports one as
  /// missing when no unit defines the function for device code, or when the
  /// definition has another type.
  std::string linked(const std::vector<const ValueDecl *> &Exports,
                     const std::vector<const ValueDecl *> &Imports) {
    std::string S, Table;
    for (const ValueDecl *D : Exports)
      S += "__attribute__((visibility(\"default\"))) const struct "
           "agglom_export __agglom_declare_" +
           declaredSymbol(E, D) + " = {" + quoted(D->getName()) +
           ", &__agglom_module};\n";
    for (const ValueDecl *D : Imports) {
      std::string Name = "__agglom_declare_" + declaredSymbol(E, D);
      S += "extern const struct agglom_export " + Name + ";\n";
      Table += "&" + Name + ", ";
    }
    return S +
           "static const struct agglom_export *const __agglom_imports[] = {" +
           Table + "0};\n";
  }

public:
  explicit HostWriter(Emission &E) : E(E) {}

  std::string text() {
    editDirectives();
    editFunctionNames();
    editCalls();
    editUpdates(E, Ed);
    if (E.U.M.ForeignHost)
      adaptClangHeaders(E, Ed);
    std::string S;
    if (E.U.M.ForeignHost && E.U.Context.getLangOpts().C23)
      S += KeywordsOfC23;
    // Functions that the edited lines of the user's text call.
    bool Own = llvm::any_of(E.U.M.Waits, [](const Wait &W) { return W.Own; });
    S += "int agglom_wait(void);\n" +
         std::string(Own ? "int agglom_wait_own(void);\n" : "") +
         directiveDeclarations(E);
    // Marked as a system header's, so that no warnings are about it.
    if (!E.UpdateFunctions.empty())
      S += "# 3 \"agglom.c\" 3\n" + updateFunctions(E, Dialect::Host, nullptr);
    S += E.edited(Ed, {0, unsigned(E.Text.buffer().size())});
    if (S.back() != '\n')
      S += "\n";
    std::string Tasks, Table;
    unsigned N = 0;
    for (const auto &T : E.U.M.Tasks) {
      if (!T->Definition)
        continue;
      Tasks += task(*T);
      Table += "&" + generated(*T, "task") + ", ";
      ++N;
    }
    std::vector<const ValueDecl *> Exports = exportsOf(E);
    std::vector<const ValueDecl *> Imports = importsOf(E);
    if (!N && Exports.empty() && E.U.M.SectionDirectives.empty())
      return S;
    S += SelfMarker;
    S += "/* ---- generated by agglomcc: what follows is not in the source "
         "---- */\n";
    // The user's last pragma about contraction must not govern the generated
    // text.
    if (E.Text.buffer().contains("FP_CONTRACT") ||
        E.Text.buffer().contains("contract("))
      S += "#pragma STDC FP_CONTRACT DEFAULT\n";
    if (!definesAbi())
      S += AbiText;
    S += "static struct agglom_module __agglom_module;\n"
         "static const char __agglom_file[] = " +
         mainFile() + ";\n";
    S += Tasks + directiveFunctions(E);
    S += "\nstatic struct agglom_task *const __agglom_tasks[] = {" + Table +
         "0};\n";
    S += linked(Exports, Imports);
    S += "enum { __agglom_n_tasks = " + std::to_string(N) +
         ", __agglom_n_imports = " + std::to_string(Imports.size()) + " };\n";
    return S;
  }
};
} // namespace

std::string hostText(Emission &E) { return HostWriter(E).text(); }

} // namespace agglom
