// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's body with its parallel loops dealt out. For
//
//   #pragma agglom loop reduction(+: s)
//   for (int i = 0; i < n; i++)
//     s += x[i];
//
// the Gpu dialect is
//
//   { AG_TEAM_BARRIER();
//     const int ag_first = (0); const int ag_bound = (n);
//     const unsigned long long ag_n = <number of iterations>;
//     double ag_before_0 = s, ag_result_0;
//     { double s = -0.0;
//       AG_EACH(ag_k, ag_n) { int i = (int)(ag_first + ag_k * 1);
//         s += x[i];
//       }
//       ag_result_0 = f__agglom_reduce_0_0(ag_team, s); }
//     s = (double)(ag_before_0 + ag_result_0);
//     AG_TEAM_BARRIER(); }
//
// and the Host dialect has an ordinary loop over the iterations of this part,
// and no reduction: one thread adds in the serial order. In a collapsed nest
// ag_k counts through the iterations of all loops, and each loop's variable is
// computed from ag_k.

#include "Emit.h"

using namespace clang;

namespace agglom {

namespace {
std::string number(int64_t V) { return std::to_string(V) + "ULL"; }

} // namespace

std::string iterationCount(Emission &E, const CanonicalFor &C,
                           const std::string &First, const std::string &Bound) {
  bool Down = C.Down;
  std::string Step = number(C.StepValue < 0 ? -C.StepValue : C.StepValue);
  std::string From = "(unsigned long long)" + First;
  std::string To = "(unsigned long long)" + Bound;
  std::string Distance = Down ? From + " - " + To : To + " - " + From;
  switch (C.Compare) {
  case BO_LT:
  case BO_GT:
    return First + (Down ? " > " : " < ") + Bound + " ? (" + Distance +
           " - 1ULL) / " + Step + " + 1ULL : 0ULL";
  case BO_LE:
  case BO_GE:
    return First + (Down ? " >= " : " <= ") + Bound + " ? (" + Distance +
           ") / " + Step + " + 1ULL : 0ULL";
  default: { // != with a step of one, which a narrow variable wraps to
    uint64_t Bits = E.U.Context.getTypeSize(C.Var->getType());
    return "(" + Distance + ") & " +
           std::to_string(Bits < 64 ? (1ULL << Bits) - 1 : ~0ULL) + "ULL";
  }
  }
}

std::string combined(StringRef Op, const std::string &A, const std::string &B) {
  if (Op == "min")
    return B + " < " + A + " ? " + B + " : " + A;
  if (Op == "max")
    return B + " > " + A + " ? " + B + " : " + A;
  // && and || yield 0 or 1, but a variable that no iteration updates must keep
  // its value, for instance 7.
  if (Op == "&&" || Op == "||")
    return A + " == " + B + " ? " + A + " : (" + A + " " + Op.str() + " " + B +
           ")";
  return A + " " + Op.str() + " " + B;
}

std::string identity(StringRef Op, QualType T, const std::string &Start) {
  if (Op == "min" || Op == "max" || Op == "&&" || Op == "||")
    return Start;
  if (Op == "+" && T->isFloatingType())
    return "-0.0"; // 0.0 would turn a sum of -0.0 into 0.0
  if (Op == "*")
    return "1";
  return Op == "&" ? "~0" : "0";
}

namespace {
class LoopWriter {
  Emission &E;
  const Task &T;
  const Loop &L;
  Dialect D;
  const CanonicalFor &C;

public:
  LoopWriter(Emission &E, const Task &T, const Loop &L, Dialect D)
      : E(E), T(T), L(L), D(D), C(L.Canonical) {}

  std::string suffix(size_t Level) const {
    return L.Nest.empty() ? "" : "_" + std::to_string(Level);
  }

  std::string valueAt(size_t Level, StringRef Count) const {
    const CanonicalFor &C = L.level(Level);
    return ("(" + E.plainType(C.Var->getType()) +
            ")((unsigned long long)ag_first" + suffix(Level) + " + " + Count +
            " * " + std::to_string(static_cast<uint64_t>(C.StepValue)) + "ULL)")
        .str();
  }

  /// First value, bound and number of iterations of each level.
  std::string bounds() const {
    std::string S, Reached; // condition under which C evaluates the bounds
    for (size_t I = 0; I <= L.Nest.size(); ++I) {
      const CanonicalFor &C = L.level(I);
      std::string X = suffix(I);
      std::string Type = E.plainType(C.Var->getType());
      std::string Compare = E.plainType(C.CompareType);
      auto guarded = [&](const std::string &T, const Expr *Value) {
        std::string V = "(" + T + ")(" + E.source(Value, D) + ")";
        return Reached.empty() ? V : Reached + " ? " + V + " : (" + T + ")0";
      };
      S += "const " + Type + " ag_first" + X + " = " + guarded(Type, C.First) +
           "; const " + Compare + " ag_from" + X + " = (" + Compare +
           ")ag_first" + X + ", ag_bound" + X + " = " +
           guarded(Compare, C.Bound) + "; const unsigned long long ag_n" + X +
           " = " + iterationCount(E, C, "ag_from" + X, "ag_bound" + X) + "; ";
      Reached += (I ? " && ag_n" : "ag_n") + X;
    }
    if (L.Nest.empty())
      return S;
    // The product saturates: so many iterations cannot be run anyway.
    std::string Product = "ag_n_0";
    for (size_t I = 1; I <= L.Nest.size(); ++I) {
      std::string P = "ag_p" + suffix(I), N = "ag_n" + suffix(I);
      S += "const unsigned long long " + P + " = " + Product + " && " + N +
           " > ~0ULL / " + Product + " ? ~0ULL : " + Product + " * " + N + "; ";
      Product = P;
    }
    return S + "const unsigned long long ag_n = " + Product + "; ";
  }

  /// The declarations of the loop variables at the beginning of iteration ag_k.
  std::string variables() const {
    std::string S;
    if (L.Nest.empty()) {
      S += E.plainType(C.Var->getType()) + " " + C.Var->getNameAsString() +
           " = " + valueAt(0, "ag_k") + ";";
      return S;
    }
    std::string Rest = "ag_k";
    for (size_t I = L.Nest.size() + 1; I-- > 0;) {
      std::string Index = "ag_i" + suffix(I), N = "ag_n" + suffix(I);
      S += "const unsigned long long " + Index + " = " +
           (I ? "(" + Rest + ") % " + N : Rest) + "; ";
      Rest = Rest + " / " + N;
    }
    for (size_t I = 0; I <= L.Nest.size(); ++I) {
      const VarDecl *V = L.level(I).Var;
      S += E.plainType(V->getType()) + " " + V->getNameAsString() + " = " +
           valueAt(I, "ag_i" + suffix(I)) + "; ";
    }
    return S;
  }

  std::string copies() const {
    std::string S;
    for (const VarDecl *V : L.Private)
      S += " __typeof__(" + V->getNameAsString() + ") " + V->getNameAsString() +
           ";";
    return S;
  }

  bool sorted() const { return L.SortKey && D == Dialect::Gpu; }

  /// The key as an unsigned number that keeps the order of the keys.
  std::string key() const {
    bool Signed = L.SortKey->getType()->isSignedIntegerOrEnumerationType();
    Edits Flat;
    flattenArrays(E, T.kernelBody(), L.SortKey, Flat);
    return "(unsigned long long)(" + E.source(L.SortKey, D, &Flat) + ")" +
           (Signed ? " ^ 1ULL << 63" : "");
  }

  /// The text from the beginning of the loop to the body of an iteration.
  std::string opening() const {
    if (D == Dialect::Host)
      return "for (unsigned long long ag_k = ag_n * ag_part / ag_parts, "
             "ag_e = ag_n * (ag_part + 1ULL) / ag_parts; ag_k < ag_e; "
             "++ag_k) { " +
             variables() + copies();
    if (!sorted())
      return "AG_EACH(ag_k, ag_n) { " + variables() + copies();
    return "AG_SORT_TILES(ag_tile, ag_m, ag_n) { "
           "AG_SORT_EACH(ag_j, ag_m) { "
           "const unsigned long long ag_k = ag_tile + ag_j; " +
           variables() + " ag_sort_put(ag_team, ag_j, " + key() +
           "); } ag_sort(ag_team, ag_m); AG_SORT_EACH(ag_j, ag_m) { "
           "const unsigned long long ag_k = "
           "ag_tile + ag_sort_at(ag_team, ag_j); " +
           variables() + copies();
  }

  std::string head() const {
    std::string S = "{ ";
    if (D == Dialect::Gpu && !T.Splittable)
      S += "AG_TEAM_BARRIER(); ";
    S += bounds();
    if (D == Dialect::Gpu)
      for (size_t I = 0; I < L.Reductions.size(); ++I) {
        const VarDecl *V = L.Reductions[I].Var;
        std::string VT = E.plainType(V->getType());
        S += VT + " ag_before_" + std::to_string(I) + " = " +
             V->getNameAsString() + ", ag_result_" + std::to_string(I) + "; ";
      }
    S += "{ ";
    if (D == Dialect::Gpu)
      for (const Reduction &R : L.Reductions)
        S += E.plainType(R.Var->getType()) + " " + R.Var->getNameAsString() +
             " = " +
             identity(R.Op, R.Var->getType(),
                      "ag_before_" + std::to_string(&R - L.Reductions.data())) +
             "; ";
    return S + opening();
  }

  std::string tail(unsigned LoopIndex) const {
    std::string S = sorted() ? " } } " : " } ";
    if (D == Dialect::Gpu)
      for (size_t I = 0; I < L.Reductions.size(); ++I)
        S += "ag_result_" + std::to_string(I) + " = " +
             reducer(T, LoopIndex, I) + "(ag_team, " +
             L.Reductions[I].Var->getNameAsString() + "); ";
    S += "} ";
    if (D == Dialect::Gpu)
      for (size_t I = 0; I < L.Reductions.size(); ++I) {
        const Reduction &R = L.Reductions[I];
        std::string VT = E.plainType(R.Var->getType());
        S += R.Var->getNameAsString() + " = (" + VT + ")(" +
             combined(R.Op, "ag_before_" + std::to_string(I),
                      "ag_result_" + std::to_string(I)) +
             "); ";
      }
    S += last();
    if (D == Dialect::Gpu && !T.Splittable)
      S += "AG_TEAM_BARRIER(); ";
    return S + "}";
  }

  /// Assigns to loop variables that are declared outside the loop the values
  /// they have after the serial loop.
  std::string last() const {
    std::string S, Reached;
    for (size_t I = 0; I <= L.Nest.size(); ++I) {
      const CanonicalFor &C = L.level(I);
      std::string N = "ag_n" + suffix(I);
      if (!C.DeclaredHere)
        S += (Reached.empty() ? "" : "if (" + Reached + ") ") +
             C.Var->getNameAsString() + " = " + valueAt(I, N) + "; ";
      Reached += (I ? " && " : "") + N;
    }
    return S;
  }

  static std::string reducer(const Task &T, unsigned LoopIndex, size_t I) {
    return generated(T, "reduce_" + std::to_string(LoopIndex) + "_" +
                            std::to_string(I));
  }
};
} // namespace

std::string reductionDefinitions(Emission &E, const Task &T) {
  std::string S;
  if (!T.byTeam() || T.Variant)
    return S;
  for (size_t I = 0; I < T.Loops.size(); ++I) {
    if (T.Loops[I]->Inner)
      continue;
    for (size_t J = 0; J < T.Loops[I]->Reductions.size(); ++J) {
      const Reduction &R = T.Loops[I]->Reductions[J];
      S += "AG_DEFINE_REDUCTION(" + LoopWriter::reducer(T, I, J) + ", " +
           E.plainType(R.Var->getType()) + ", " + combined(R.Op, "a", "b") +
           ")\n";
    }
  }
  return S;
}

/// Removes the other pragmas of the `for`, which the generated loop replaces.
static void dropHints(Emission &E, const Loop &L, Edits &Ed) {
  StringRef Text = E.Text.buffer();
  Extent Line = E.Text.line(L.Loc);
  unsigned For = E.Text.offset(L.For->getForLoc());
  auto lineAt = [&](unsigned Begin) {
    return Extent{Begin,
                  unsigned(std::min(Text.find('\n', Begin), Text.size()))};
  };
  for (Extent At = lineAt(Line.End + 1); At.End < For; At = lineAt(At.End + 1))
    if (E.Text.text(At).ltrim().starts_with("#pragma"))
      Ed.replace(At, "");
  for (Extent At = Line; At.Begin > 0;) {
    size_t Break = Text.rfind('\n', At.Begin - 1);
    At = {Break == StringRef::npos ? 0 : unsigned(Break + 1), At.Begin - 1};
    StringRef Row = E.Text.text(At).trim();
    static const char *const Hints[] = {"clang loop", "GCC ivdep", "GCC unroll",
                                        "unroll",     "nounroll",  "omp",
                                        "ivdep"};
    bool Marker = Row.starts_with("# ");
    if (Row.consume_front("#pragma") &&
        llvm::any_of(Hints, [&](const char *Hint) {
          return Row.ltrim().starts_with(Hint);
        }))
      Ed.replace(At, "");
    else if (!Row.empty() && !Marker)
      break;
  }
}

std::string unitBody(Emission &E, const Task &T, Dialect D) {
  // On the emulated device the body of a task with a variant runs as it is.
  const FunctionDecl *F = D == Dialect::Gpu ? T.kernelBody() : T.Definition;
  const Stmt *Body = F->getBody();
  Extent Whole = E.Text.extent(Body->getSourceRange());
  Edits Ed;
  Ed.addFrom(E.Common, Whole);
  if (D == Dialect::Gpu)
    Ed.addFrom(E.Gpu, Whole);
  if (D == Dialect::Gpu) {
    Ed.insert(Whole.Begin + 1, byAddressEntry(E, F, &T));
    flattenArrays(E, F, Body, Ed);
  } else {
    E.Names = hostNames(E, T);
  }
  if (T.byTeam() && !T.Variant) {
    for (size_t I = 0; I < T.Loops.size(); ++I) {
      const Loop &L = *T.Loops[I];
      if (L.Inner)
        continue;
      LoopWriter W(E, T, L, D);
      dropHints(E, L, Ed);
      const Stmt *Inner = L.body();
      Ed.replace({E.Text.offset(L.For->getForLoc()),
                  E.Text.offset(Inner->getBeginLoc())},
                 W.head() + "\n" + E.Text.lineMarker(Inner->getBeginLoc()));
      // Braces around collapsed loops go; line breaks stay.
      Extent Rest = {E.Text.endOf(Inner), E.Text.endOf(L.For)};
      Ed.replace(Rest,
                 W.tail(I) + std::string(E.Text.text(Rest).count('\n'), '\n'));
    }
    if (D == Dialect::Gpu)
      for (const Stmt *S : T.Once) {
        Extent At = E.Text.extent(S->getSourceRange());
        auto *If = dyn_cast<IfStmt>(S);
        Ed.insert(At.Begin, "AG_ONCE(");
        // A block has no ';' behind it that could end AG_ONCE(...).
        Ed.insert(At.End, If && isa<CompoundStmt>(If->getThen()) ? ");" : ")");
      }
  }
  Ed.addInner(D == Dialect::Gpu ? E.Device : E.Names, Whole);
  E.Names = Edits();
  return E.edited(Ed, Whole);
}

} // namespace agglom
