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
//   { AG_BARRIER();
//     const int ag_first = (0); const int ag_bound = (n);
//     const unsigned long long ag_n = <number of iterations>;
//     const double ag_before_s = s;
//     { double s = 0;
//       AG_EACH(ag_k, ag_n) { int i = (int)(ag_first + ag_k * 1);
//         s += x[i];
//       }
//       ag_result_s = ag_reduce_f_0(s); }
//     s = ag_before_s + ag_result_s;
//     AG_BARRIER(); }
//
// and the Host dialect the same with an ordinary loop over this part's share
// and no reduction: one thread adds in the serial order.

#include "Emit.h"

using namespace clang;

namespace agglom {

namespace {
std::string number(int64_t V) { return std::to_string(V) + "ULL"; }

class LoopWriter {
  Emission &E;
  const Task &T;
  const Loop &L;
  Dialect D;
  const CanonicalFor &C;

public:
  LoopWriter(Emission &E, const Task &T, const Loop &L, Dialect D)
      : E(E), T(T), L(L), D(D), C(L.Canonical) {}

  std::string iterations() const {
    bool Down = C.Down;
    std::string Step = number(C.StepValue < 0 ? -C.StepValue : C.StepValue);
    std::string From = "(unsigned long long)ag_from";
    std::string To = "(unsigned long long)ag_bound";
    std::string Distance = Down ? From + " - " + To : To + " - " + From;
    switch (C.Compare) {
    case BO_LT:
    case BO_GT:
      return std::string("ag_from ") + (Down ? ">" : "<") + " ag_bound ? (" +
             Distance + " - 1ULL) / " + Step + " + 1ULL : 0ULL";
    case BO_LE:
    case BO_GE:
      return std::string("ag_from ") + (Down ? ">=" : "<=") + " ag_bound ? (" +
             Distance + ") / " + Step + " + 1ULL : 0ULL";
    default: { // != with a step of one, which a narrow variable wraps to
      uint64_t Bits = E.U.Context.getTypeSize(C.Var->getType());
      return "(" + Distance + ") & " +
             std::to_string(Bits < 64 ? (1ULL << Bits) - 1 : ~0ULL) + "ULL";
    }
    }
  }

  std::string valueAt(StringRef Count) const {
    return ("(" + E.plainType(C.Var->getType()) +
            ")((unsigned long long)ag_first + " + Count + " * " +
            std::to_string(static_cast<uint64_t>(C.StepValue)) + "ULL)")
        .str();
  }

  std::string head() const {
    std::string Type = E.plainType(C.Var->getType());
    std::string Compare = E.plainType(C.CompareType);
    std::string S = "{ ";
    if (D == Dialect::Gpu && !T.Splittable)
      S += "AG_BARRIER(); ";
    S += "const " + Type + " ag_first = (" + Type + ")(" +
         E.Text.text(C.First) + "); ";
    S += "const " + Compare + " ag_from = (" + Compare + ")ag_first, " +
         "ag_bound = (" + Compare + ")(" + E.Text.text(C.Bound) + "); ";
    S += "const unsigned long long ag_n = " + iterations() + "; ";
    if (D == Dialect::Gpu) {
      for (size_t I = 0; I < L.Reductions.size(); ++I) {
        const VarDecl *V = L.Reductions[I].Var;
        std::string VT = E.plainType(V->getType());
        S += VT + " ag_before_" + std::to_string(I) + " = " +
             V->getNameAsString() + ", ag_result_" + std::to_string(I) + "; ";
      }
      S += "{ ";
      for (const Reduction &R : L.Reductions)
        S += E.plainType(R.Var->getType()) + " " + R.Var->getNameAsString() +
             " = " + identity(R) + "; ";
      S += "AG_EACH(ag_k, ag_n) { ";
    } else {
      S += "{ for (unsigned long long ag_k = ag_n * ag_part / ag_parts, "
           "ag_e = ag_n * (ag_part + 1ULL) / ag_parts; ag_k < ag_e; "
           "++ag_k) { ";
    }
    S += Type + " " + C.Var->getNameAsString() + " = " + valueAt("ag_k") + ";";
    return S;
  }

  std::string tail(unsigned LoopIndex) const {
    std::string S = " } ";
    if (D == Dialect::Gpu)
      for (size_t I = 0; I < L.Reductions.size(); ++I)
        S += "ag_result_" + std::to_string(I) + " = " +
             reducer(T, LoopIndex, I) + "(" +
             L.Reductions[I].Var->getNameAsString() + "); ";
    S += "} ";
    if (D == Dialect::Gpu)
      for (size_t I = 0; I < L.Reductions.size(); ++I) {
        const Reduction &R = L.Reductions[I];
        std::string VT = E.plainType(R.Var->getType());
        S += R.Var->getNameAsString() + " = (" + VT + ")(" +
             combine(R.Op, "ag_before_" + std::to_string(I),
                     "ag_result_" + std::to_string(I)) +
             "); ";
      }
    // A variable from outside the loop ends where the serial loop leaves it.
    if (!C.DeclaredHere)
      S += C.Var->getNameAsString() + " = " + valueAt("ag_n") + "; ";
    if (D == Dialect::Gpu && !T.Splittable)
      S += "AG_BARRIER(); ";
    return S + "}";
  }

  static std::string combine(StringRef Op, const std::string &A,
                             const std::string &B) {
    if (Op == "min")
      return B + " < " + A + " ? " + B + " : " + A;
    if (Op == "max")
      return B + " > " + A + " ? " + B + " : " + A;
    return A + " " + Op.str() + " " + B;
  }

  static std::string reducer(const Task &T, unsigned LoopIndex, size_t I) {
    return generated(T, "reduce_" + std::to_string(LoopIndex) + "_" +
                            std::to_string(I));
  }

  std::string identity(const Reduction &R) const {
    if (R.Op == "+" || R.Op == "|" || R.Op == "^" || R.Op == "||")
      return "0";
    if (R.Op == "*" || R.Op == "&&")
      return "1";
    if (R.Op == "&")
      return "~0";
    // min and max start from the variable's own value: it takes part anyway.
    return "ag_before_" + std::to_string(&R - L.Reductions.data());
  }
};
} // namespace

std::string reductionDefinitions(Emission &E, const Task &T) {
  std::string S;
  if (T.Map != Mapping::Block)
    return S;
  for (size_t I = 0; I < T.Loops.size(); ++I) {
    if (T.Loops[I]->Inner)
      continue;
    for (size_t J = 0; J < T.Loops[I]->Reductions.size(); ++J) {
      const Reduction &R = T.Loops[I]->Reductions[J];
      S += "AG_DEFINE_REDUCTION(" + LoopWriter::reducer(T, I, J) + ", " +
           E.plainType(R.Var->getType()) + ", " +
           LoopWriter::combine(R.Op, "a", "b") + ")\n";
    }
  }
  return S;
}

std::string unitBody(Emission &E, const Task &T, Dialect D) {
  const Stmt *Body = T.Definition->getBody();
  Extent Whole = E.Text.extent(Body->getSourceRange());
  Edits Ed;
  Ed.addFrom(E.Common, Whole);
  if (T.Map == Mapping::Block) {
    for (size_t I = 0; I < T.Loops.size(); ++I) {
      const Loop &L = *T.Loops[I];
      if (L.Inner)
        continue;
      LoopWriter W(E, T, L, D);
      const Stmt *Inner = L.For->getBody();
      Ed.replace({E.Text.offset(L.For->getForLoc()),
                  E.Text.offset(Inner->getBeginLoc())},
                 W.head() + "\n" + E.Text.lineMarker(Inner->getBeginLoc()));
      Ed.insert(E.Text.endOf(L.For), W.tail(I));
    }
    if (D == Dialect::Gpu)
      for (const Stmt *S : T.Once) {
        Extent At = E.Text.extent(S->getSourceRange());
        auto *If = dyn_cast<IfStmt>(S);
        Ed.insert(At.Begin, "AG_ONCE(");
        // After '}' there is no ';' that could end it.
        Ed.insert(At.End, If && isa<CompoundStmt>(If->getThen()) ? ");" : ")");
      }
  }
  return E.edited(Ed, Whole);
}

} // namespace agglom
