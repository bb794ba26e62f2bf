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
// comes a text of the same unit that has a task in the place of the pragma:
//
//   #pragma agglom task inout(x[__agglom_lo_0_0 : __agglom_len_0_0]) name(...)
//   static void scale__for_2(int __agglom_first, int __agglom_bound, ...,
//                           int n, double *x, double f) {
//     #pragma agglom loop
//     for (int i = __agglom_first; i < __agglom_bound; ++i)
//       x[i] *= f;
//   }
//   scale__for_2_chunk()    submits the unit for a chunk of iterations; each
//                          section becomes its hull over the chunk
//   scale__for_2_combine()  adds the reductions of a chunk
//   scale__for_2_run()     hands the loop to agglom_for()
//
//   void scale(int n, double *x, double f) {
//     { const int ... = (agglom_for_begin(), (0)); const int ... = (n);
//       if (!scale__for_2_run(...))
//     for (int i = 0; i < n; ++i)
//       x[i] *= f; }
//   }
//
// which is translated like any other. The original loop runs where agglom_for()
// does not take the loop.

#include "ApartWrites.h"
#include "Emit.h"
#include "clang/AST/StmtOpenMP.h"

using namespace clang;

namespace agglom {

namespace {
class LoopText {
  Emission &E;
  const HostLoop &H;
  const Task &T;
  const Loop &L;
  const CanonicalFor &C;
  std::string Name, VarType, BoundType;

  /// Brackets of a section that differ between iterations.
  struct Hull {
    std::string Lo, Len; ///< variables
    const SectionDim *Dim;
    enum Kind { Even, Read, Written } K;
  };
  const std::vector<Hull> Hulls;
  const std::string Apartness;

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

  Hull::Kind kindOf(const Section &S, const SectionDim &D) const {
    if (!mayGoRound(C, E.U.Context) && isEven(D.LoExpr, C.Var) &&
        !mentions(D.StepExpr, C.Var) && !mentions(D.LenExpr, C.Var))
      return Hull::Even;
    return S.Clause == ClauseId::In ? Hull::Read : Hull::Written;
  }

  /// Whether what iterations write moves on by as much from each to the next.
  bool writesEvenly() const {
    return llvm::all_of(T.Sections, [&](const Section &S) {
      return !S.writes() || S.Clause == ClauseId::Accumulate || S.Implicit ||
             (!S.gathers() && !mentions(S.BaseExpr, C.Var) &&
              llvm::all_of(S.Dims, [&](const SectionDim &D) {
                return !varies(D) || kindOf(S, D) == Hull::Even;
              }));
    });
  }

  /// Statements for loops where the boxes around what two iterations write may
  /// overlap although the elements do not. Only chunks that wait for one
  /// another need to know.
  std::string apartness() const {
    bool Boxes = llvm::any_of(T.Sections, [&](const Section &S) {
      return S.writes() && S.Dims.size() > 1 && !varies(S.Dims[0]);
    });
    if (H.NoWait || !T.onDevice() || (writesEvenly() && !Boxes))
      return "";
    return writesApart(T, C, E.U.Context, E.Policy, VarType);
  }

  /// The hulls of all brackets that vary, in their order.
  std::vector<Hull> hullsOfSections() const {
    std::vector<Hull> Out;
    for (size_t I = 0; I < T.Sections.size(); ++I) {
      const Section &S = T.Sections[I];
      if (S.Implicit)
        continue;
      for (size_t J = 0; J < S.Dims.size(); ++J) {
        if (!varies(S.Dims[J]))
          continue;
        std::string At = std::to_string(I) + "_" + std::to_string(J);
        Out.push_back({"__agglom_lo_" + At, "__agglom_len_" + At, &S.Dims[J],
                       kindOf(S, S.Dims[J])});
      }
    }
    return Out;
  }

  /// "in(x[__agglom_lo_0_0 : __agglom_len_0_0])"
  std::string section(const Section &S) const {
    std::string Text = S.Text;
    if (llvm::any_of(S.Dims, [&](const SectionDim &D) { return varies(D); })) {
      Text = S.Base;
      for (const SectionDim &D : S.Dims) {
        auto Of =
            llvm::find_if(Hulls, [&](const Hull &H) { return H.Dim == &D; });
        std::string Inside = D.Lo + " : " + D.Len;
        if (Of != Hulls.end())
          Inside = Of->Lo + " : " + Of->Len;
        else if (D.Strided)
          Inside += " : " + D.Step;
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

  std::string taskPragma() const {
    std::string S = "#pragma agglom task";
    for (const Section &Each : T.Sections)
      if (!Each.Implicit)
        S += section(Each);
    for (const Reduction &R : L.Reductions)
      S += " out(__agglom_out_" + R.Var->getNameAsString() + "[0:1])";
    S += " name(" + T.Name + ")";
    if (T.Device != DeviceKind::Any)
      S += T.Device == DeviceKind::Cpu ? " device(cpu)" : " device(gpu)";
    if (H.Cost)
      S += " cost(__agglom_cost)";
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

  /// Replaces __func__ and the like by the name of the user's function.
  void keepFunctionName(const Stmt *S, Edits &Ed) const {
    if (auto *P = dyn_cast<PredefinedExpr>(S))
      Ed.replace(E.Text.extent(P->getSourceRange()), E.functionName(*P, *H.In));
    for (const Stmt *Child : S->children())
      if (Child)
        keepFunctionName(Child, Ed);
  }

  /// The loop, from the pragma on, with the chunk's first value and bound.
  std::string loop() const {
    Extent At = {E.Text.line(H.Loc).End, E.Text.endOf(H.For)};
    Edits Ed;
    Ed.replace(E.Text.extent(C.First->getSourceRange()), "__agglom_first");
    Ed.replace(E.Text.extent(C.Bound->getSourceRange()), "__agglom_bound");
    keepFunctionName(H.For, Ed);
    dropOpenMP(Ed, At);
    return E.edited(Ed, At);
  }

  std::string unit() const {
    std::string Here = E.Text.lineMarker(H.Loc);
    std::string S = Here + taskPragma() + Here;
    S += "static void " + Name + "(" + VarType + " __agglom_first, " +
         BoundType + " __agglom_bound";
    for (const Hull &Each : Hulls)
      S += ", long long " + Each.Lo + ", long long " + Each.Len;
    if (H.Cost)
      S += ", unsigned long long __agglom_cost";
    S += parameters();
    for (const Reduction &R : L.Reductions)
      S += ", " + reduced(R) + " *__agglom_out_" + R.Var->getNameAsString();
    // The pragma before the function needs the enumerators as well.
    for (const EnumConstantDecl *K : H.Constants)
      S += ", int " + K->getNameAsString();
    S += ") {\n";
    std::string Locals = localConstants(H) + privateVariables(H);
    if (!Locals.empty())
      S += "{ " + Locals + "\n";
    S += Here + loopPragma();
    // The text of loop() begins with the line break after the pragma.
    S += Here + loop() + "\n";
    if (!Locals.empty())
      S += "}\n";
    for (const Reduction &R : L.Reductions)
      S += "*__agglom_out_" + R.Var->getNameAsString() + " = " +
           R.Var->getNameAsString() + ";\n";
    return S + "}\n";
  }

  std::string environment() const {
    std::string S = "struct " + Name + "_env {\n  " + VarType +
                    " __agglom_first;\n  " + BoundType +
                    " __agglom_bound;\n  unsigned long long __agglom_n;\n";
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

  /// The loop that computes the hulls of one kind. Linear brackets have their
  /// extremes at the ends of the chunk, others at any iteration. Where only
  /// CPUs run the loop, the ends suffice for sections that are only read.
  std::string hulls(Hull::Kind K) const {
    std::string Inside;
    for (const Hull &Each : Hulls)
      if (Each.K == K)
        Inside += "    agglom_for_hull(&" + Each.Lo + ", &" + Each.Len +
                  ", (long long)(" + Each.Dim->Lo + "), agglom_for_span(" +
                  Each.Dim->Len + ", " + Each.Dim->Step + "));\n";
    if (K == Hull::Read && mentions(H.Cost, C.Var))
      Inside +=
          "    __agglom_cost += (unsigned long long)(" + H.CostText + ");\n";
    if (Inside.empty())
      return "";
    const char *Next =
        K == Hull::Even ? "__agglom_to - 1"
        : K == Hull::Written
            ? "__agglom_k + 1"
            : "__agglom_exactly ? __agglom_k + 1 : __agglom_to - 1";
    return std::string(K == Hull::Read ? "  const int __agglom_exactly = "
                                         "agglom_for_exactly();\n"
                                       : "") +
           // C89 has no declaration in a 'for'. In that mode Clang 22 crashes
           // over a declaration in the body of a 'for (;;)'.
           "  {\n  unsigned long long __agglom_k = __agglom_from, "
           "__agglom_last;\n  do {\n    " +
           VarType + " " + C.Var->getNameAsString() + " = " +
           valueAt("__agglom_e->__agglom_first", "__agglom_k") +
           ";\n    (void)" + C.Var->getNameAsString() + ";\n" + Inside +
           "    __agglom_last = __agglom_k;\n    __agglom_k = " + Next +
           ";\n"
           "  } while (__agglom_last != __agglom_to - 1);\n  }\n";
  }

  /// The variables of the sections, from the environment.
  std::string variables() const {
    std::string S = "  " + localConstants(H) + "\n";
    for (const VarDecl *V : H.Captured)
      S += "  " + declared(V) + " = __agglom_e->" + V->getNameAsString() +
           "; (void)" + V->getNameAsString() + ";\n";
    return S;
  }

  std::string apart() const {
    if (Apartness.empty())
      return "";
    return "static unsigned " + Name + "_apart(const struct " + Name +
           "_env *__agglom_e) {\n  const unsigned long long __agglom_n = "
           "__agglom_e->__agglom_n;\n  long long __agglom_a, __agglom_b, "
           "__agglom_m = 0;\n  int __agglom_ok;\n" +
           variables() +
           "  (void)__agglom_m;\n  if (__agglom_n < 2)\n    return 8;\n" +
           Apartness + "  return 8;\n}\n";
  }

  std::string chunk() const {
    std::string S = "static void " + Name +
                    "_chunk(const void *__agglom_env, unsigned long long "
                    "__agglom_from, unsigned long long __agglom_to, void "
                    "*__agglom_slot) {\n  const struct " +
                    Name + "_env *__agglom_e = (const struct " + Name +
                    "_env *)__agglom_env;\n" + variables();
    S += "  const " + VarType + " __agglom_first = " +
         valueAt("__agglom_e->__agglom_first", "__agglom_from") + ";\n";
    bool Last = C.Compare == BO_LE || C.Compare == BO_GE;
    S += "  const " + BoundType +
         " __agglom_bound = __agglom_to == __agglom_e->__agglom_n ? "
         "__agglom_e->__agglom_bound : (" +
         BoundType + ")" +
         valueAt("__agglom_e->__agglom_first",
                 Last ? "(__agglom_to - 1)" : "__agglom_to") +
         ";\n";
    for (const Hull &Each : Hulls)
      S += "  long long " + Each.Lo + " = 0, " + Each.Len + " = 0;\n";
    if (H.Cost)
      S += "  unsigned long long __agglom_cost = " +
           (mentions(H.Cost, C.Var) ? "0"
                                    : "(unsigned long long)(" + H.CostText +
                                          ") * (__agglom_to - __agglom_from)") +
           ";\n";
    S += hulls(Hull::Even) + hulls(Hull::Read) + hulls(Hull::Written);
    if (!L.Reductions.empty())
      S += "  struct " + Name + "_slot *__agglom_s = (struct " + Name +
           "_slot *)__agglom_slot;\n";
    else
      S += "  (void)__agglom_slot;\n";
    for (const Reduction &R : L.Reductions) {
      std::string V = R.Var->getNameAsString();
      S += "  __agglom_s->" + V + " = " + V + " = " +
           identity(R.Op, R.Var->getType(), V) + ";\n";
    }
    S += "  " + Name + "(__agglom_first, __agglom_bound";
    for (const Hull &Each : Hulls)
      S += ", " + Each.Lo + ", " + Each.Len;
    S += (H.Cost ? ", __agglom_cost" : "") + names();
    for (const Reduction &R : L.Reductions)
      S += ", &__agglom_s->" + R.Var->getNameAsString();
    for (const EnumConstantDecl *K : H.Constants)
      S += ", " + K->getNameAsString();
    return S + ");\n}\n";
  }

  std::string combine() const {
    if (L.Reductions.empty())
      return "";
    std::string S =
        "static void " + Name +
        "_combine(void *__agglom_env, const void *__agglom_slot) {\n"
        "  struct " +
        Name + "_env *__agglom_e = (struct " + Name +
        "_env *)__agglom_env;\n  const struct " + Name +
        "_slot *__agglom_s = (const struct " + Name +
        "_slot *)__agglom_slot;\n";
    for (const Reduction &R : L.Reductions) {
      std::string A = "__agglom_e->" + R.Var->getNameAsString();
      std::string B = "__agglom_s->" + R.Var->getNameAsString();
      S +=
          "  " + A + " = (" + reduced(R) + ")(" + combined(R.Op, A, B) + ");\n";
    }
    return S + "}\n";
  }

  /// Whether the user's function passes the value of a captured variable: an
  /// array, or a pointer to an array of variable size. Of all others it passes
  /// the address, for they may have no value yet.
  bool byValue(const VarDecl *V) const {
    return V->getType()->isArrayType() || type(V)->isVariablyModifiedType();
  }
  std::string handedOver(const VarDecl *V) const {
    std::string N = V->getNameAsString();
    if (byValue(V))
      return "(const void *)" + N;
    if (V->getStorageClass() == SC_Register)
      return "(const void *)&(__typeof__(" + N + ")){" + N + "}";
    return "(const void *)&" + N;
  }

  std::string head() const {
    return VarType + " __agglom_first, " + BoundType + " __agglom_bound";
  }
  std::string lastHead() const {
    return "static " + VarType + " " + Name + "_last(" + head() + ")";
  }
  std::string runHead() const {
    std::string S = "static int " + Name + "_run(" + head() +
                    ", long long __agglom_chunk, double __agglom_ratio";
    for (const VarDecl *V : H.Captured)
      S += ", const void *__agglom_p_" + V->getNameAsString();
    for (const Reduction &R : L.Reductions)
      S += ", void *__agglom_out_" + R.Var->getNameAsString();
    return S + ")";
  }

  std::string run() const {
    const std::string Count = Name + "_count(__agglom_first, __agglom_bound)";
    std::string S = "static unsigned long long " + Name + "_count(" + head() +
                    ") {\n  const " + BoundType + " __agglom_begin = (" +
                    BoundType + ")__agglom_first;\n  return " +
                    iterationCount(E, C, "__agglom_begin", "__agglom_bound") +
                    ";\n}\n";
    if (!C.DeclaredHere)
      S += lastHead() + " {\n  return " + valueAt("__agglom_first", Count) +
           ";\n}\n";
    S += runHead() + " {\n  struct " + Name +
         "_env __agglom_e;\n  __agglom_e.__agglom_first = __agglom_first;\n"
         "  __agglom_e.__agglom_bound = __agglom_bound;\n"
         "  __agglom_e.__agglom_n = " +
         Count + ";\n  if (!__agglom_e.__agglom_n)\n    return 1;\n";
    for (const VarDecl *V : H.Captured) {
      std::string N = V->getNameAsString();
      S += byValue(V)
               ? "  __agglom_e." + N + " = (void *)__agglom_p_" + N + ";\n"
               : "  __builtin_memcpy(&__agglom_e." + N + ", __agglom_p_" + N +
                     ", sizeof __agglom_e." + N + ");\n";
    }
    bool Reduces = !L.Reductions.empty();
    S += "  if (agglom_for(" + Name + "_chunk, " +
         (Reduces ? Name + "_combine" : "0") +
         ", &__agglom_e, sizeof __agglom_e, " +
         (Reduces ? "sizeof(struct " + Name + "_slot)" : "0") +
         ", __agglom_e.__agglom_n, " + std::to_string(H.Schedule) +
         ", __agglom_chunk, __agglom_ratio, " +
         std::to_string(H.NoWait + 2 * !T.onDevice() + 4 * writesEvenly()) +
         (Apartness.empty() ? "" : " + " + Name + "_apart(&__agglom_e)") +
         ") > 0)\n    return 0;\n";
    for (const Reduction &R : L.Reductions) {
      std::string N = R.Var->getNameAsString();
      S += "  __builtin_memcpy(__agglom_out_" + N + ", &__agglom_e." + N +
           ", sizeof __agglom_e." + N + ");\n";
    }
    return S + "  return 1;\n}\n";
  }

public:
  LoopText(Emission &E, const HostLoop &H)
      : E(E), H(H), T(*H.Unit), L(*H.Inner), C(L.Canonical),
        Name(T.Declared->getNameAsString()),
        VarType(E.plainType(C.Var->getType())),
        BoundType(E.plainType(C.CompareType)), Hulls(hullsOfSections()),
        Apartness(apartness()) {}

  /// Blanks the lines of OpenMP's directives on the loop.
  void dropOpenMP(Edits &Ed, Extent Within) const {
    for (const OMPExecutableDirective *D : H.OpenMP)
      if (Extent Line = E.Text.line(D->getBeginLoc());
          Within.contains(Line.Begin))
        Ed.replace(Line, "");
  }

  /// The declarations before the function that holds the loop.
  std::string declarations() const {
    return (C.DeclaredHere ? "" : lastHead() + ";\n") + runHead() + ";\n";
  }

  /// The definitions behind that function. They stand there because the loop
  /// may call it.
  std::string definitions() const {
    return unit() + "# 1 \"<agglom>\" 3\n" + environment() + chunk() + apart() +
           combine() + run();
  }

  /// The text that replaces the pragma. The bounds are evaluated once.
  std::string call() const {
    std::string First = "__agglom_first_" + Name;
    std::string Bound = "__agglom_bound_" + Name;
    std::string Call = Name + "_run(" + First + ", " + Bound + ", " +
                       (H.ChunkSize.empty() ? "0" : H.ChunkSize) + ", " +
                       (H.ScheduleRatio.empty() ? "-1" : H.ScheduleRatio);
    for (const VarDecl *V : H.Captured)
      Call += ", " + handedOver(V);
    for (const Reduction &R : L.Reductions)
      Call += ", &" + R.Var->getNameAsString();
    Call += ")";
    // Units in flight may still write the values that the loop captures.
    std::string S = "{ const " + VarType + " " + First + " = (" +
                    (H.NoWait ? "" : "agglom_for_begin(), ") + "(" +
                    E.Text.text(C.First) + ")); const " + BoundType + " " +
                    Bound + " = (" + E.Text.text(C.Bound) + "); ";
    if (C.DeclaredHere)
      return S + "if (!" + Call + ")";
    return S + "if (" + Call + ") " + C.Var->getNameAsString() + " = " + Name +
           "_last(" + First + ", " + Bound + "); else";
  }

  LoweredTask lowered() const {
    LoweredTask Out;
    if (T.Name == Name)
      Out.LoopOf = H.In->getNameAsString();
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
    "unsigned long long n, unsigned schedule, long long chunk, double ratio, "
    "unsigned flags);\n"
    "void agglom_for_begin(void);\n"
    "int agglom_for_exactly(void);\n"
    "static __inline__ __attribute__((unused)) long long agglom_for_span(long "
    "long len, long long step) {\n"
    "  return len > 0 ? (len - 1) * step + 1 : len;\n}\n"
    "static __inline__ __attribute__((unused)) void agglom_for_hull(long long "
    "*lo, "
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
    const std::string Ours = "\n# 1 \"<agglom>\" 3\n";
    Ed.insert(E.Text.offset(H->Before),
              Ours +
                  (First ? std::string(Declarations) + ApartDeclarations : "") +
                  Text.declarations() + E.Text.lineMarker(H->Before));
    const Stmt *Body = H->In->getBody();
    Ed.insert(E.Text.endOf(Body),
              Ours + Text.definitions() + E.Text.lineMarker(Body->getEndLoc()));
    First = false;
    Ed.replace(E.Text.line(H->Loc), Text.call());
    Text.dropOpenMP(Ed, {0, unsigned(E.Text.buffer().size())});
    // The original loop stays, as a serial loop.
    Extent Stays = {E.Text.line(H->Loc).End, E.Text.endOf(H->For)};
    for (const Directive &D : E.U.Directives)
      if (!D.Made && Stays.contains(E.Text.offset(D.Loc)))
        Ed.replace(E.Text.line(D.Loc), "");
    Ed.insert(E.Text.endOf(H->For), " }");
    Tasks[H->Unit->Declared->getNameAsString()] = Text.lowered();
  }
  return E.edited(Ed, {0, unsigned(E.Text.buffer().size())});
}

void restoreLoops(ParsedUnit &U, const LoweredTasks &Tasks) {
  for (const auto &T : U.M.Tasks) {
    auto It = Tasks.find(T->Declared->getNameAsString());
    if (It == Tasks.end())
      continue;
    T->LoopOf = It->second.LoopOf;
    T->IsLoop = true;
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
