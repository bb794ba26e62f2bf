// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// '#pragma agglom for' in terms of tasks. From
//
//   void scale(int n, double *x, double f) {
//     #pragma agglom for inout(x[i])
//     for (int i = 0; i < n; ++i)
//       x[i] *= f;
//   }
//
// comes a text of the same unit without it:
//
//   #pragma agglom task inout(x[agglom_lo_0_0 : agglom_len_0_0]) name(...)
//   static void scale_for_2(int agglom_first, int agglom_bound, ...,
//                           int n, double *x, double f) {
//     #pragma agglom loop
//     for (int i = agglom_first; i < agglom_bound; ++i)
//       x[i] *= f;
//   }
//   scale_for_2_chunk()    submits the unit for some of the iterations; a
//                          section becomes the hull of theirs
//   scale_for_2_combine()  adds the reductions of a chunk
//   scale_for_2_run()      hands the loop to agglom_for()
//
//   void scale(int n, double *x, double f) {
//     { if (!scale_for_2_run((0), (n), n, x, f))
//     for (int i = 0; i < n; ++i)
//       x[i] *= f; }
//   }
//
// which is translated like any other. The loop that stays runs where the
// runtime cannot take it.

#include "Emit.h"

using namespace clang;

namespace agglom {

namespace {
/// Whether \p E grows evenly with \p V, so that its extremes over a range of V
/// are at the ends of it.
bool isEven(const Expr *E, const VarDecl *V) {
  if (!E || !mentions(E, V))
    return true;
  E = E->IgnoreParens();
  if (auto *Cast = dyn_cast<ImplicitCastExpr>(E)) {
    const Expr *Sub = Cast->getSubExpr();
    // Narrower or unsigned types wrap.
    return (Cast->getCastKind() == CK_LValueToRValue ||
            Cast->getCastKind() == CK_NoOp ||
            (Cast->getCastKind() == CK_IntegralCast &&
             Cast->getType()->isSignedIntegerType() &&
             Sub->getType()->isSignedIntegerType())) &&
           isEven(Sub, V);
  }
  if (isa<DeclRefExpr>(E))
    return true;
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || !B->getType()->isSignedIntegerType())
    return false;
  if (B->isAdditiveOp())
    return isEven(B->getLHS(), V) && isEven(B->getRHS(), V);
  return B->getOpcode() == BO_Mul &&
         (!mentions(B->getLHS(), V) || !mentions(B->getRHS(), V)) &&
         isEven(B->getLHS(), V) && isEven(B->getRHS(), V);
}

class LoopText {
  Emission &E;
  const HostLoop &H;
  const Task &T;
  const Loop &L;
  const CanonicalFor &C;
  std::string Name, VarType, BoundType;

  /// A pair of brackets that is not the same for all iterations.
  struct Hull {
    std::string Lo, Len; ///< variables
    const SectionDim *Dim;
    bool Even;
  };
  std::vector<Hull> Hulls;

  std::string step() const {
    return std::to_string(static_cast<uint64_t>(C.StepValue)) + "ULL";
  }
  std::string valueAt(const std::string &First, const std::string &K) const {
    return "(" + VarType + ")((unsigned long long)" + First + " + " + K +
           " * " + step() + ")";
  }
  bool varies(const SectionDim &D) const {
    return mentions(D.LoExpr, C.Var) || mentions(D.LenExpr, C.Var) ||
           mentions(D.StepExpr, C.Var);
  }

  QualType type(const VarDecl *V) const { return capturedType(E.U.Context, V); }
  std::string declared(const VarDecl *V) const {
    return E.declare(type(V), V->getName());
  }
  /// "int n, double *x"
  std::string parameters() const {
    std::string S;
    for (const VarDecl *V : H.Captured)
      S += ", " + declared(V);
    return S;
  }
  std::string names() const {
    std::string S;
    for (const VarDecl *V : H.Captured)
      S += ", " + V->getNameAsString();
    return S;
  }

  /// "in(x[agglom_lo_0_0 : agglom_len_0_0])"
  std::string section(size_t I) {
    const Section &S = T.Sections[I];
    std::string Text = S.Text;
    bool Varies =
        llvm::any_of(S.Dims, [&](const SectionDim &D) { return varies(D); });
    if (Varies) {
      Text = S.Base;
      for (size_t J = 0; J < S.Dims.size(); ++J) {
        const SectionDim &D = S.Dims[J];
        std::string Inside = D.Lo + " : " + D.Len;
        if (varies(D)) {
          std::string At = std::to_string(I) + "_" + std::to_string(J);
          Hulls.push_back({"agglom_lo_" + At, "agglom_len_" + At, &D,
                           !D.Strided && isEven(D.LoExpr, C.Var) &&
                               isEven(D.LenExpr, C.Var)});
          Inside = Hulls.back().Lo + " : " + Hulls.back().Len;
        } else if (D.Strided) {
          Inside += " : " + D.Step;
        }
        Text += S.gathers() ? "[" + S.Indexes + "[" + Inside + "]]"
                            : "[" + Inside + "]";
      }
    }
    std::string Op = S.Op.empty() ? "" : S.Op + ": ";
    return " " + spellingOf(S.Clause).str() + "(" + Op + Text + ")";
  }

  std::string reduced(const Reduction &R) const {
    return E.plainType(R.Var->getType());
  }
  static std::string identity(const Reduction &R) {
    if (R.Op == "+" || R.Op == "|" || R.Op == "^" || R.Op == "||")
      return "0";
    if (R.Op == "*" || R.Op == "&&")
      return "1";
    if (R.Op == "&")
      return "~0";
    // min and max: the value before the loop takes part anyway.
    return R.Var->getNameAsString();
  }

  std::string taskPragma() {
    std::string S = "#pragma agglom task";
    for (size_t I = 0; I < T.Sections.size(); ++I)
      if (!T.Sections[I].Implicit)
        S += section(I);
    for (const Reduction &R : L.Reductions)
      S += " out(agglom_out_" + R.Var->getNameAsString() + "[0:1])";
    S += " name(" + T.Name + ")";
    if (T.Device != DeviceKind::Any)
      S += T.Device == DeviceKind::Cpu ? " device(cpu)" : " device(gpu)";
    if (!H.Cost.empty())
      S += " cost(agglom_cost)";
    return S + "\n";
  }

  std::string loopPragma() const {
    if (!T.onDevice())
      return "";
    std::string S = "#pragma agglom loop";
    for (const Reduction &R : L.Reductions)
      S += " reduction(" + R.Op + ": " + R.Var->getNameAsString() + ")";
    for (const VarDecl *V : L.Private)
      S += " private(" + V->getNameAsString() + ")";
    if (L.Collapse > 1)
      S += " collapse(" + std::to_string(L.Collapse) + ")";
    return S + "\n";
  }

  /// The user's name of the function, not that of ours.
  void keepFunctionName(const Stmt *S, Edits &Ed) const {
    if (auto *P = dyn_cast<PredefinedExpr>(S))
      Ed.replace(E.Text.extent(P->getSourceRange()),
                 stringLiteral(H.In->getName()));
    for (const Stmt *Child : S->children())
      if (Child)
        keepFunctionName(Child, Ed);
  }

  /// The loop, from the pragma on, with the chunk's first value and bound.
  std::string loop() const {
    Extent At = {E.Text.line(H.Loc).End, E.Text.endOf(H.For)};
    Edits Ed;
    Ed.replace(E.Text.extent(C.First->getSourceRange()), "agglom_first");
    Ed.replace(E.Text.extent(C.Bound->getSourceRange()), "agglom_bound");
    keepFunctionName(H.For, Ed);
    return E.edited(Ed, At);
  }

  std::string unit() {
    std::string Pragma = taskPragma();
    std::string Here = E.Text.lineMarker(H.Loc);
    std::string S = Here + Pragma + Here;
    S += "static void " + Name + "(" + VarType + " agglom_first, " + BoundType +
         " agglom_bound";
    for (const Hull &Each : Hulls)
      S += ", long long " + Each.Lo + ", long long " + Each.Len;
    if (!H.Cost.empty())
      S += ", unsigned long long agglom_cost";
    S += parameters();
    for (const Reduction &R : L.Reductions)
      S += ", " + reduced(R) + " *agglom_out_" + R.Var->getNameAsString();
    // The pragma, before the function, needs the enumerators as well.
    for (const EnumConstantDecl *K : H.Constants)
      S += ", int " + K->getNameAsString();
    S += ") {\n";
    std::string Locals = localConstants(H) + privateVariables(H);
    if (!Locals.empty())
      S += "{ " + Locals + "\n";
    S += Here + loopPragma();
    // As the line after the pragma, which the text begins with.
    S += Here + loop() + "\n";
    if (!Locals.empty())
      S += "}\n";
    for (const Reduction &R : L.Reductions)
      S += "*agglom_out_" + R.Var->getNameAsString() + " = " +
           R.Var->getNameAsString() + ";\n";
    return S + "}\n";
  }

  std::string environment() const {
    std::string S = "struct " + Name + "_env {\n  " + VarType +
                    " agglom_first;\n  " + BoundType +
                    " agglom_bound;\n  unsigned long long agglom_n;\n";
    for (const VarDecl *V : H.Captured)
      S += type(V)->isVariablyModifiedType()
               ? "  void *" + V->getNameAsString() + ";\n"
               : "  " + declared(V) + ";\n";
    S += "};\n";
    if (L.Reductions.empty())
      return S;
    S += "struct " + Name + "_slot {\n";
    for (const Reduction &R : L.Reductions)
      S += "  " + reduced(R) + " " + R.Var->getNameAsString() + ";\n";
    return S + "};\n";
  }

  /// The hulls that \p Even says, over the chunk's iterations or their ends.
  std::string hulls(bool Even) const {
    std::string Inside;
    for (const Hull &Each : Hulls)
      if (Each.Even == Even)
        Inside += "    agglom_for_hull(&" + Each.Lo + ", &" + Each.Len +
                  ", (long long)(" + Each.Dim->Lo + "), (long long)(" +
                  Each.Dim->Len + ") * (long long)(" + Each.Dim->Step + "));\n";
    if (!Even && H.CostOfIteration)
      Inside += "    agglom_cost += (unsigned long long)(" + H.Cost + ");\n";
    if (Inside.empty())
      return "";
    return "  for (unsigned long long agglom_k = agglom_from;; agglom_k = " +
           std::string(Even ? "agglom_to - 1" : "agglom_k + 1") + ") {\n    " +
           VarType + " " + C.Var->getNameAsString() + " = " +
           valueAt("agglom_e->agglom_first", "agglom_k") + ";\n    (void)" +
           C.Var->getNameAsString() + ";\n" + Inside +
           "    if (agglom_k == agglom_to - 1)\n      break;\n  }\n";
  }

  std::string chunk() const {
    std::string S = "static void " + Name +
                    "_chunk(const void *agglom_env, unsigned long long "
                    "agglom_from, unsigned long long agglom_to, void "
                    "*agglom_slot) {\n  const struct " +
                    Name + "_env *agglom_e = (const struct " + Name +
                    "_env *)agglom_env;\n  " + localConstants(H) + "\n";
    for (const VarDecl *V : H.Captured)
      S += "  " + declared(V) + " = agglom_e->" + V->getNameAsString() +
           "; (void)" + V->getNameAsString() + ";\n";
    S += "  const " + VarType +
         " agglom_first = " + valueAt("agglom_e->agglom_first", "agglom_from") +
         ";\n";
    bool Last = C.Compare == BO_LE || C.Compare == BO_GE;
    S += "  const " + BoundType +
         " agglom_bound = agglom_to == agglom_e->agglom_n ? "
         "agglom_e->agglom_bound : (" +
         BoundType + ")" +
         valueAt("agglom_e->agglom_first",
                 Last ? "(agglom_to - 1)" : "agglom_to") +
         ";\n";
    for (const Hull &Each : Hulls)
      S += "  long long " + Each.Lo + " = 0, " + Each.Len + " = 0;\n";
    if (!H.Cost.empty())
      S += "  unsigned long long agglom_cost = " +
           (H.CostOfIteration ? "0"
                              : "(unsigned long long)(" + H.Cost +
                                    ") * (agglom_to - agglom_from)") +
           ";\n";
    S += hulls(/*Even=*/true) + hulls(/*Even=*/false);
    if (!L.Reductions.empty())
      S += "  struct " + Name + "_slot *agglom_s = (struct " + Name +
           "_slot *)agglom_slot;\n";
    else
      S += "  (void)agglom_slot;\n";
    for (const Reduction &R : L.Reductions) {
      std::string V = R.Var->getNameAsString();
      S += "  agglom_s->" + V + " = " + V + " = " + identity(R) + ";\n";
    }
    S += "  " + Name + "(agglom_first, agglom_bound";
    for (const Hull &Each : Hulls)
      S += ", " + Each.Lo + ", " + Each.Len;
    S += (H.Cost.empty() ? "" : ", agglom_cost") + names();
    for (const Reduction &R : L.Reductions)
      S += ", &agglom_s->" + R.Var->getNameAsString();
    for (const EnumConstantDecl *K : H.Constants)
      S += ", " + K->getNameAsString();
    return S + ");\n}\n";
  }

  std::string combine() const {
    if (L.Reductions.empty())
      return "";
    std::string S = "static void " + Name +
                    "_combine(void *agglom_env, const void *agglom_slot) {\n"
                    "  struct " +
                    Name + "_env *agglom_e = (struct " + Name +
                    "_env *)agglom_env;\n  const struct " + Name +
                    "_slot *agglom_s = (const struct " + Name +
                    "_slot *)agglom_slot;\n";
    for (const Reduction &R : L.Reductions) {
      std::string A = "agglom_e->" + R.Var->getNameAsString();
      std::string B = "agglom_s->" + R.Var->getNameAsString();
      S +=
          "  " + A + " = (" + reduced(R) + ")(" + combined(R.Op, A, B) + ");\n";
    }
    return S + "}\n";
  }

  std::string run() const {
    std::string Head =
        VarType + " agglom_first, " + BoundType + " agglom_bound";
    std::string S = "static unsigned long long " + Name + "_count(" + Head +
                    ") {\n  const " + BoundType + " agglom_begin = (" +
                    BoundType + ")agglom_first;\n  return " +
                    iterationCount(E, C, "agglom_begin", "agglom_bound") +
                    ";\n}\n";
    if (!C.DeclaredHere)
      S +=
          "static " + VarType + " " + Name + "_last(" + Head +
          ") {\n  return " +
          valueAt("agglom_first", Name + "_count(agglom_first, agglom_bound)") +
          ";\n}\n";
    S += "static int " + Name + "_run(" + Head + parameters();
    for (const Reduction &R : L.Reductions)
      S += ", " + reduced(R) + " *agglom_out_" + R.Var->getNameAsString();
    S += ") {\n  " + localConstants(H) + "\n  struct " + Name +
         "_env agglom_e = {agglom_first, agglom_bound, " + Name +
         "_count(agglom_first, agglom_bound)" + names() +
         "};\n  if (!agglom_e.agglom_n)\n    return 1;\n  if (agglom_for(" +
         Name + "_chunk, " +
         (L.Reductions.empty() ? "0, &agglom_e, sizeof agglom_e, 0"
                               : Name +
                                     "_combine, &agglom_e, sizeof agglom_e, "
                                     "sizeof(struct " +
                                     Name + "_slot)") +
         ", agglom_e.agglom_n, " + std::to_string(unsigned(H.Schedule)) + ", " +
         (H.ChunkSize.empty() ? "0" : "(long long)(" + H.ChunkSize + ")") +
         ", " + std::to_string(H.NoWait + 2 * !T.onDevice()) + ") > 0)\n    return 0;\n";
    for (const Reduction &R : L.Reductions)
      S += "  *agglom_out_" + R.Var->getNameAsString() + " = agglom_e." +
           R.Var->getNameAsString() + ";\n";
    return S + "  return 1;\n}\n";
  }

public:
  LoopText(Emission &E, const HostLoop &H)
      : E(E), H(H), T(*H.Unit), L(*H.Inner), C(L.Canonical),
        Name(T.Declared->getNameAsString()),
        VarType(E.plainType(C.Var->getType())),
        BoundType(E.plainType(C.CompareType)) {}

  /// What stands before the function that holds the loop.
  std::string definitions() {
    return unit() + "# 1 \"<agglom>\" 3\n" + environment() + chunk() +
           combine() + run();
  }

  /// What takes the place of the pragma.
  std::string call() const {
    std::string Bounds =
        "(" + E.Text.text(C.First) + "), (" + E.Text.text(C.Bound) + ")";
    std::string Call = Name + "_run(" + Bounds + names();
    for (const Reduction &R : L.Reductions)
      Call += ", &" + R.Var->getNameAsString();
    Call += ")";
    if (C.DeclaredHere)
      return "{ if (!" + Call + ")";
    return "{ if (" + Call + ") " + C.Var->getNameAsString() + " = " + Name +
           "_last(" + Bounds + "); else";
  }

  LoweredTask lowered() const {
    LoweredTask Out;
    for (const Section &S : T.Sections)
      if (!S.Implicit)
        Out.Sections.push_back({S.Text, S.Overwrites});
    for (const Reduction &R : L.Reductions)
      Out.Sections.push_back({R.Op + ": " + R.Var->getNameAsString(), true});
    return Out;
  }
};
} // namespace

static const char Declarations[] =
    "int agglom_for(void (*submit)(const void *env, unsigned long long from, "
    "unsigned long long to, void *slot), void (*combine)(void *env, const void "
    "*slot), void *env, unsigned long env_size, unsigned long slot_size, "
    "unsigned long long n, unsigned schedule, long long chunk, unsigned "
    "flags);\n"
    "static inline __attribute__((unused)) void agglom_for_hull(long long *lo, "
    "long long *len, long long from, long long n) {\n"
    "  if (*len < 0 || !n)\n    return;\n"
    "  if (n < 0 || !*len) {\n    *lo = from;\n    *len = n;\n    return;\n  "
    "}\n"
    "  long long end = *lo + *len > from + n ? *lo + *len : from + n;\n"
    "  *lo = *lo < from ? *lo : from;\n"
    "  *len = end - *lo;\n}\n";

std::string lowerHostLoops(Emission &E, LoweredTasks &Tasks) {
  Edits Ed;
  bool First = true;
  for (const auto &H : E.U.M.HostLoops) {
    LoopText Text(E, *H);
    unsigned At = E.Text.offset(H->Before);
    Ed.insert(At, "\n# 1 \"<agglom>\" 3\n" +
                      std::string(First ? Declarations : "") +
                      Text.definitions() + E.Text.lineMarker(H->Before));
    First = false;
    Ed.replace(E.Text.line(H->Loc), Text.call());
    // The loop that stays is serial.
    Extent Stays = {E.Text.line(H->Loc).End, E.Text.endOf(H->For)};
    for (const Directive &D : E.U.Directives)
      if (!D.Made && Stays.contains(E.Text.offset(D.Loc)))
        Ed.replace(E.Text.line(D.Loc), "");
    Ed.insert(E.Text.endOf(H->For), " }");
    Tasks[H->Unit->Declared->getNameAsString()] = Text.lowered();
  }
  return E.edited(Ed, {0, unsigned(E.Text.buffer().size())});
}

void restoreSections(ParsedUnit &U, const LoweredTasks &Tasks) {
  for (const auto &T : U.M.Tasks) {
    auto It = Tasks.find(T->Declared->getNameAsString());
    if (It == Tasks.end())
      continue;
    size_t I = 0;
    for (Section &S : T->Sections)
      if (!S.Implicit && I < It->second.Sections.size()) {
        S.Text = It->second.Sections[I].Text;
        S.Overwrites |= It->second.Sections[I].Overwrites;
        ++I;
      }
  }
}

} // namespace agglom
