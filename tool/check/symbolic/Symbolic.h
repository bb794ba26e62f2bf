// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers as polynomials over symbols, and facts about them. A symbol is
// either a value that a data clause can name (a parameter's value at entry to
// the function, g->n) or bound: a loop's counter, the remainder of a division,
// a small integer read from memory. About bound symbols only facts are known:
// polynomials that are not negative. With these facts bound symbols are
// eliminated:
//
//   8 * i + 8,  i >= 0,  n - 1 - i >= 0     at most  8 * n
//
// Arithmetic is that of the mathematical integers: overflow in the program is
// its own error, overflow here makes a polynomial invalid.

#ifndef AGGLOM_CHECK_SYMBOLIC_H
#define AGGLOM_CHECK_SYMBOLIC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agglom {

using SymbolId = unsigned;

class Poly {
public:
  using Monomial = llvm::SmallVector<SymbolId, 2>; ///< sorted, may repeat
  using Term = std::pair<Monomial, int64_t>;

  Poly(int64_t Constant = 0) {
    if (Constant)
      Terms.emplace_back(Monomial(), Constant);
  }
  static Poly symbol(SymbolId S) {
    Poly P;
    P.Terms.emplace_back(Monomial{S}, 1);
    return P;
  }
  static Poly invalid() {
    Poly P;
    P.Valid = false;
    return P;
  }

  bool valid() const { return Valid; }
  bool isZero() const { return Valid && Terms.empty(); }
  std::optional<int64_t> constant() const;
  int64_t constantTerm() const;
  bool mentions(SymbolId S) const;
  const std::vector<Term> &terms() const { return Terms; }
  /// The coefficient of \p M.
  int64_t coefficient(const Monomial &M) const;

  Poly operator+(const Poly &O) const { return sum(O, /*Negated=*/false); }
  Poly operator-(const Poly &O) const { return sum(O, /*Negated=*/true); }
  Poly operator*(const Poly &O) const;
  Poly operator-() const { return Poly(0) - *this; }
  bool operator==(const Poly &O) const {
    return Valid && O.Valid && Terms == O.Terms;
  }
  bool operator!=(const Poly &O) const { return !(*this == O); }

  /// This as Factor * S + Rest, when S occurs in no higher power.
  bool split(SymbolId S, Poly &Factor, Poly &Rest) const;
  /// All coefficients, or all but the constant one, divisible by \p D.
  bool divisible(int64_t D, bool ButConstant = false) const;
  /// Divided by \p D; the constant term is rounded down or up.
  Poly divided(int64_t D, bool Up = false) const;

private:
  std::vector<Term> Terms; ///< by monomial; no zero coefficients
  bool Valid = true;

  Poly sum(const Poly &O, bool Negated) const;
  /// Sorts the terms and adds up those of one monomial.
  void tidy();
};

struct Symbol {
  std::string Text;   ///< in a clause; empty for a bound symbol
  bool Bound = false; ///< to be eliminated
  bool NonNegative = false;
  bool Compound = false; ///< its text is an expression with operators
  bool Narrow = false;   ///< of a type no wider than int
  bool Counter = false;  ///< of a loop's iterations
  bool Derived = false;  ///< a part of another value, such as i % 2
  /// Facts that hold by the meaning of the symbol, as r < 2 for i % 2. They are
  /// no conditions.
  std::vector<Poly> Definition;
};

class Symbols {
  std::vector<Symbol> All;

public:
  SymbolId add(Symbol S) {
    All.push_back(std::move(S));
    return All.size() - 1;
  }
  /// The symbol with that text; it is created when there is none.
  SymbolId named(const std::string &Text, bool NonNegative, bool Narrow,
                 bool Compound = false);
  SymbolId counter() {
    SymbolId S = bound(/*NonNegative=*/true);
    All[S].Counter = true;
    return S;
  }
  SymbolId bound(bool NonNegative = false, bool Derived = false) {
    Symbol S;
    S.Bound = true;
    S.Derived = Derived;
    S.NonNegative = NonNegative;
    return add(S);
  }
  const Symbol &operator[](SymbolId S) const { return All[S]; }
  void setNonNegative(SymbolId S) { All[S].NonNegative = true; }
  void define(SymbolId S, const Poly &Fact) {
    All[S].Definition.push_back(Fact);
  }
  /// Whether \p Fact is part of the definition of a symbol.
  bool isDefinition(const Poly &Fact) const;
  size_t size() const { return All.size(); }

  bool hasBound(const Poly &P) const;
  bool hasDerived(const Poly &P) const;
  bool hasCounter(const Poly &P) const;
  /// Whether all bound symbols in \p P are counters.
  bool isOfLoops(const Poly &P) const;
  /// Whether for a symbol in \p P nothing but a range is known.
  bool hasRange(const Poly &P) const;
  /// \p P as a C expression. \p Wide: products are computed in long.
  std::string text(const Poly &P, bool Wide) const;
};

/// Polynomials that are not negative.
class Facts {
  Symbols &S;
  std::vector<Poly> Known;
  std::vector<SymbolId> *Assumed;

public:
  /// A counter that goes below n in steps of 2 is taken as at most n - 1, the
  /// end a programmer would write, not as the last it really reaches.
  bool Rough = true;

  /// \p Assumed: gets symbols that limit() had to take as not negative; null
  /// when it must not.
  Facts(Symbols &S, llvm::ArrayRef<Poly> Given,
        std::vector<SymbolId> *Assumed = nullptr);

  bool nonNegative(const Poly &P) const;
  /// The least bound of \p P from above (or from below) without bound symbols
  /// for which \p Keep does not hold; nullopt when there is none.
  std::optional<Poly> limit(const Poly &P, bool Upper,
                            SymbolId KeepBelow = 0) const;

  /// Begins a new question: limit() may take all its steps again.
  void again() { Steps = 0; }
  /// How many times facts have been looked at so far.
  size_t work() const { return Work; }

private:
  mutable size_t Work = 0;
  /// limit() tries all combinations of facts, so the number of its steps is
  /// limited.
  mutable unsigned Steps = 0;
  static constexpr unsigned MostSteps = 1000;

  const Poly::Term *doubtful(const Poly &P) const;
  bool obvious(const Poly &P) const;
  bool assumeSign(const Poly &Factor) const;
  std::optional<Poly> limit(const Poly &P, bool Upper, SymbolId KeepBelow,
                            unsigned Depth) const;
};

} // namespace agglom

#endif // AGGLOM_CHECK_SYMBOLIC_H
