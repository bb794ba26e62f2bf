// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Symbolic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <set>

namespace agglom {

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

std::optional<int64_t> Poly::constant() const {
  if (!Valid || Terms.size() > 1)
    return std::nullopt;
  if (Terms.empty())
    return 0;
  if (!Terms.begin()->first.empty())
    return std::nullopt;
  return Terms.begin()->second;
}

int64_t Poly::constantTerm() const {
  return Terms.empty() || !Terms.front().first.empty() ? 0
                                                       : Terms.front().second;
}

int64_t Poly::coefficient(const Monomial &M) const {
  for (const auto &[N, C] : Terms)
    if (N == M)
      return C;
  return 0;
}

bool Poly::mentions(SymbolId S) const {
  for (const auto &[M, C] : Terms)
    if (llvm::is_contained(M, S))
      return true;
  return false;
}

Poly Poly::sum(const Poly &O, bool Negated) const {
  if (!Valid || !O.Valid)
    return invalid();
  Poly R;
  R.Terms.reserve(Terms.size() + O.Terms.size());
  auto A = Terms.begin(), AEnd = Terms.end();
  auto B = O.Terms.begin(), BEnd = O.Terms.end();
  while (A != AEnd || B != BEnd) {
    if (B == BEnd || (A != AEnd && A->first < B->first)) {
      R.Terms.push_back(*A++);
      continue;
    }
    int64_t Mine = 0;
    if (A != AEnd && A->first == B->first)
      Mine = A++->second;
    if (Negated ? llvm::SubOverflow(Mine, B->second, Mine)
                : llvm::AddOverflow(Mine, B->second, Mine))
      return invalid();
    if (Mine)
      R.Terms.emplace_back(B->first, Mine);
    ++B;
  }
  return R;
}

void Poly::tidy() {
  if (Terms.size() < 2)
    return;
  llvm::sort(Terms, llvm::less_first());
  auto Last = Terms.begin();
  for (auto It = std::next(Last); It != Terms.end(); ++It) {
    if (It->first != Last->first) {
      if (Last->second)
        ++Last;
      if (Last != It)
        *Last = std::move(*It);
    } else if (llvm::AddOverflow(Last->second, It->second, Last->second)) {
      *this = invalid();
      return;
    }
  }
  if (Last->second)
    ++Last;
  Terms.erase(Last, Terms.end());
}

Poly Poly::operator*(const Poly &O) const {
  if (!Valid || !O.Valid || Terms.size() * O.Terms.size() > 256)
    return invalid();
  Poly R;
  R.Terms.reserve(Terms.size() * O.Terms.size());
  for (const auto &[M, C] : Terms)
    for (const auto &[N, D] : O.Terms) {
      Monomial Both = M;
      Both.append(N.begin(), N.end());
      llvm::sort(Both);
      int64_t Product;
      if (llvm::MulOverflow(C, D, Product) || Both.size() > 8)
        return invalid();
      R.Terms.emplace_back(std::move(Both), Product);
    }
  R.tidy();
  return R;
}

bool Poly::split(SymbolId S, Poly &Factor, Poly &Rest) const {
  Factor = Rest = Poly();
  if (!Valid)
    return false;
  for (const auto &[M, C] : Terms) {
    size_t Power = std::count(M.begin(), M.end(), S);
    if (Power > 1)
      return false;
    if (!Power) {
      Rest.Terms.emplace_back(M, C);
      continue;
    }
    Monomial Without = M;
    Without.erase(llvm::find(Without, S));
    Factor.Terms.emplace_back(std::move(Without), C);
  }
  Factor.tidy();
  return true;
}

bool Poly::divisible(int64_t D, bool ButConstant) const {
  for (const auto &[M, C] : Terms)
    if (C % D && !(ButConstant && M.empty()))
      return false;
  return Valid;
}

Poly Poly::divided(int64_t D, bool Up) const {
  Poly R;
  R.Valid = Valid;
  for (const auto &[M, C] : Terms) {
    int64_t Q = C / D, Remainder = C % D;
    if (Remainder && (Remainder > 0) == Up)
      Q += Up ? 1 : -1;
    if (Q)
      R.Terms.emplace_back(M, Q);
  }
  return R;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

SymbolId Symbols::named(const std::string &Text, bool NonNegative, bool Narrow,
                        bool Compound) {
  for (SymbolId I = 0; I < All.size(); ++I)
    if (All[I].Text == Text)
      return I;
  Symbol S;
  S.Text = Text;
  S.NonNegative = NonNegative;
  S.Narrow = Narrow;
  S.Compound = Compound;
  return add(S);
}

bool Symbols::hasCounter(const Poly &P) const {
  return llvm::any_of(P.terms(), [&](const Poly::Term &Term) {
    return llvm::any_of(Term.first, [&](SymbolId S) { return All[S].Counter; });
  });
}

bool Symbols::isOfLoops(const Poly &P) const {
  return llvm::all_of(P.terms(), [&](const Poly::Term &Term) {
    return llvm::all_of(Term.first, [&](SymbolId S) {
      return !All[S].Bound || All[S].Counter;
    });
  });
}

bool Symbols::hasRange(const Poly &P) const {
  return llvm::any_of(P.terms(), [&](const Poly::Term &Term) {
    return llvm::any_of(Term.first, [&](SymbolId S) {
      return !All[S].Definition.empty() && !All[S].Derived;
    });
  });
}

bool Symbols::isDefinition(const Poly &Fact) const {
  return llvm::any_of(Fact.terms(), [&](const Poly::Term &Term) {
    return llvm::any_of(Term.first, [&](SymbolId S) {
      return llvm::is_contained(All[S].Definition, Fact);
    });
  });
}

bool Symbols::hasBound(const Poly &P) const {
  for (const auto &[M, C] : P.terms())
    for (SymbolId Each : M)
      if (All[Each].Bound)
        return true;
  return false;
}

bool Symbols::hasDerived(const Poly &P) const {
  for (const auto &[M, C] : P.terms())
    for (SymbolId Each : M)
      if (All[Each].Derived)
        return true;
  return false;
}

std::string Symbols::text(const Poly &P, bool Wide) const {
  // Positive terms first, the constant last.
  std::vector<std::pair<const Poly::Monomial *, int64_t>> Order;
  for (bool Negative : {false, true})
    for (const auto &[M, C] : P.terms())
      if (!M.empty() && (C < 0) == Negative)
        Order.emplace_back(&M, C);
  static const Poly::Monomial One;
  if (int64_t C = P.constantTerm())
    Order.emplace_back(&One, C);
  if (Order.empty())
    return "0";
  std::string Out;
  for (const auto &[M, C] : Order) {
    bool Negative = C < 0;
    if (Out.empty())
      Out += Negative ? "-" : "";
    else
      Out += Negative ? " - " : " + ";
    std::string Number = std::to_string(C);
    if (Negative)
      Number.erase(0, 1);
    if (M->empty()) {
      Out += Number;
      continue;
    }
    // A quotient goes first: (n + 1) / 2 * m.
    std::vector<SymbolId> Factors;
    for (bool Compound : {true, false})
      for (SymbolId Each : *M)
        if (All[Each].Compound == Compound)
          Factors.push_back(Each);
    bool IsProduct = Factors.size() > 1 || Number != "1";
    std::string Term;
    bool Narrow =
        llvm::all_of(Factors, [&](SymbolId S) { return All[S].Narrow; });
    bool Widen = Wide && Narrow && IsProduct;
    bool NumberFirst = Number != "1" && !All[Factors.front()].Compound;
    if (NumberFirst)
      Term = Number + (Widen ? "L" : "");
    for (SymbolId S : Factors) {
      bool First = Term.empty();
      if (!First)
        Term += " * ";
      if (First && Widen)
        Term += "(long)";
      bool Parenthesise = All[S].Compound && (!First || Widen || Negative);
      Term += Parenthesise ? "(" + All[S].Text + ")" : All[S].Text;
    }
    if (Number != "1" && !NumberFirst)
      Term += " * " + Number;
    Out += Term;
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The newest bound symbol of \p P that is to be eliminated: not below \p
/// KeepBelow.
static std::optional<SymbolId> newest(const Symbols &S, const Poly &P,
                                      SymbolId KeepBelow) {
  std::optional<SymbolId> Found;
  for (const auto &[M, C] : P.terms())
    for (SymbolId Each : M)
      if (S[Each].Bound && Each >= KeepBelow && (!Found || Each > *Found))
        Found = Each;
  return Found;
}

Facts::Facts(Symbols &S, llvm::ArrayRef<Poly> Given,
             std::vector<SymbolId> *Assumed)
    : S(S), Assumed(Assumed) {
  auto Add = [&](Poly P) {
    // In integers, 8 * n - 8 * k - 1 >= 0 is n - k - 1 >= 0.
    int64_t Common = 0;
    for (const auto &[M, C] : P.terms())
      if (!M.empty() && C != INT64_MIN)
        Common = std::gcd(Common, C);
    if (Common > 1)
      P = P.divided(Common);
    if (P.valid() && !P.constant() && !llvm::is_contained(Known, P) &&
        Known.size() < 96)
      Known.push_back(P);
  };
  for (const Poly &P : Given)
    Add(P);
  for (const Poly &P : Given)
    for (const auto &[M, C] : P.terms())
      for (SymbolId Each : M)
        if (S[Each].Bound && S[Each].NonNegative)
          Add(Poly::symbol(Each));
  // Adds the facts that follow when a bound symbol is eliminated: from n - 1 -
  // i >= 0 and i >= 0 follows n - 1 >= 0.
  std::set<SymbolId, std::greater<>> Bound; // the newest first
  for (const Poly &P : Known)
    for (const auto &[M, C] : P.terms())
      for (SymbolId Each : M)
        if (S[Each].Bound)
          Bound.insert(Each);
  for (SymbolId Id : Bound) {
    std::vector<std::pair<int64_t, Poly>> Over, Under;
    Work += Known.size();
    for (const Poly &P : Known) {
      Poly Factor, Rest;
      if (!P.mentions(Id) || !P.split(Id, Factor, Rest))
        continue;
      std::optional<int64_t> C = Factor.constant();
      if (C && *C < 0)
        Over.emplace_back(-*C, Rest);
      else if (C && *C > 0)
        Under.emplace_back(*C, Rest);
    }
    Work += Over.size() * Under.size() * 4;
    for (const auto &[C, R] : Over)
      for (const auto &[D, Q] : Under)
        Add(R * Poly(D) + Q * Poly(C));
  }
}

/// The first term that may be negative; null when there is none.
const Poly::Term *Facts::doubtful(const Poly &P) const {
  for (const Poly::Term &Term : P.terms()) {
    const Poly::Monomial &M = Term.first;
    if (Term.second < 0)
      return &Term;
    bool Square = M.size() == 2 && M[0] == M[1];
    if (!Square)
      for (SymbolId Each : M)
        if (!S[Each].NonNegative)
          return &Term;
  }
  return nullptr;
}

bool Facts::obvious(const Poly &P) const { return P.valid() && !doubtful(P); }

/// Whether subtracting \p F moves the coefficient of \p Term towards 0.
static bool helps(const Poly &F, const Poly::Term &Term) {
  int64_t C = F.coefficient(Term.first);
  return C && (C < 0) == (Term.second < 0);
}

bool Facts::nonNegative(const Poly &P) const {
  if (!P.valid())
    return false;
  const Poly::Term *Doubt = doubtful(P);
  if (!Doubt)
    return true;
  Work += Known.size();
  // P must be a sum of facts, multiples of facts, and an obvious rest. One of
  // the facts has the doubtful term.
  for (const Poly &F : Known)
    if (helps(F, *Doubt) && obvious(P - F))
      return true;
  for (const Poly &F : Known) {
    if (!helps(F, *Doubt))
      continue;
    // A common multiple: 8 * n - 8 from n - 1.
    const auto &[M, C] = F.terms().back();
    int64_t Of = P.coefficient(M);
    if (Of % C == 0 && Of / C > 1 && obvious(P - F * Poly(Of / C)))
      return true;
    const Poly Left = P - F;
    if (const Poly::Term *Next = Left.valid() ? doubtful(Left) : nullptr)
      for (const Poly &G : Known)
        if (helps(G, *Next) && obvious(Left - G))
          return true;
  }
  if (S.hasBound(P)) {
    std::optional<Poly> Least = limit(P, /*Upper=*/false);
    return Least && *Least != P && nonNegative(*Least);
  }
  // A product of factors that are not negative: n * m - n from m - 1 and n.
  for (const auto &[M, C] : P.terms())
    for (SymbolId Each : M) {
      Poly Factor, Rest;
      if (M.size() < 2 || !P.split(Each, Factor, Rest) || !Rest.isZero())
        continue;
      return nonNegative(Poly::symbol(Each)) && nonNegative(Factor);
    }
  return false;
}

/// Assumes that the stride of a matrix, as ld in i * ld + j, is not negative.
bool Facts::assumeSign(const Poly &Factor) const {
  if (Factor.terms().size() != 1 || S.hasBound(Factor))
    return false;
  const auto &[M, C] = *Factor.terms().begin();
  if (C < 0 || M.size() != 1)
    return false;
  if (!llvm::is_contained(*Assumed, M[0]))
    Assumed->push_back(M[0]);
  return true;
}

std::optional<Poly> Facts::limit(const Poly &P, bool Upper,
                                 SymbolId KeepBelow) const {
  return limit(P, Upper, KeepBelow, 0);
}

std::optional<Poly> Facts::limit(const Poly &P, bool Upper, SymbolId KeepBelow,
                                 unsigned Depth) const {
  if (!P.valid() || Depth > 12 || ++Steps > MostSteps)
    return std::nullopt;
  std::optional<SymbolId> Id = newest(S, P, KeepBelow);
  if (!Id)
    return P;
  Poly Factor, Rest;
  if (!P.split(*Id, Factor, Rest))
    return std::nullopt;
  bool Up = Upper;
  if (!nonNegative(Factor)) {
    if (nonNegative(-Factor))
      Up = !Up;
    else if (!Assumed || !assumeSign(Factor))
      return std::nullopt;
  }
  Work += Known.size();
  // Each fact C * Id + R >= 0 limits the symbol from one side.
  std::vector<Poly> Limits;
  for (const Poly &F : Known) {
    Poly FactFactor, R;
    if (!F.mentions(*Id) || !F.split(*Id, FactFactor, R))
      continue;
    std::optional<int64_t> C = FactFactor.constant();
    std::optional<SymbolId> Newer = newest(S, R, KeepBelow);
    if (!C || !*C || (*C < 0) != Up || (Newer && *Newer > *Id))
      continue;
    int64_t D = *C < 0 ? -*C : *C;
    if (*C > 0)
      R = -R; // Id >= -R / D
    std::optional<Poly> Limit;
    if (Factor.divisible(D) && (Rough || R.divisible(D))) {
      Limit = limit(Rest + Factor.divided(D) * R, Upper, KeepBelow, Depth + 1);
    } else if (std::optional<Poly> Whole = limit(R, Up, KeepBelow, Depth + 1)) {
      Poly Quotient;
      if (Whole->divisible(D, /*ButConstant=*/true)) {
        Quotient = Whole->divided(D, /*Up=*/!Up);
      } else if (Up && !S.hasBound(*Whole)) {
        // C rounds towards 0. Written as (W + D) / D - 1 the quotient is also
        // right for the W of a loop without iterations, which is -1.
        Poly Sum = *Whole + Poly(D);
        std::string Text = S.text(Sum, false);
        if (Sum.terms().size() > 1 || Sum.terms().begin()->second != 1)
          Text = "(" + Text + ")";
        Quotient = Poly::symbol(S.named(Text + " / " + std::to_string(D), true,
                                        true, /*Compound=*/true)) -
                   Poly(1);
      } else {
        continue;
      }
      Limit = limit(Rest + Factor * Quotient, Upper, KeepBelow, Depth + 1);
    }
    if (Limit)
      Limits.push_back(*Limit);
  }
  if (Limits.empty())
    return std::nullopt;
  // The tightest limit; among limits that cannot be compared, the first or the
  // one with the fewest terms.
  Poly Best = Limits.front();
  for (const Poly &L : Limits)
    if (!S.hasBound(L) && (nonNegative(Upper ? Best - L : L - Best) ||
                           (L.terms().size() < Best.terms().size() &&
                            !nonNegative(Upper ? L - Best : Best - L))))
      Best = L;
  return Best;
}

} // namespace agglom
