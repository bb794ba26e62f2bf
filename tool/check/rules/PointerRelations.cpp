// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons and differences of two pointers in a kernel. They give the same
// result on a device as on the host where both pointers are host addresses, or
// both are made of one pointer that a section names. Where one is translated
// and the other is not, there is an error:
//
//   inout(begin[0:end - begin])
//   for (; begin < end; ++begin)     'end' is a host address
//
// The order and the distance of two sections may differ on a device, so there
// is a warning about < and -. Whether two pointers are equal is the same on
// both.

#include "PointerSpelling.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
class RelationCheck {
  ParsedUnit &U;
  Task &T;
  PointsTo &P;
  std::set<const BinaryOperator *> Related;
  std::vector<std::pair<unsigned, const BinaryOperator *>> Apart;
  /// Statements in the heads of a `for` and of its collapsed loops: the host
  /// evaluates them.
  std::set<const Stmt *> OfHost;

  void evaluatedByHost(const Stmt *S) {
    if (!S)
      return;
    OfHost.insert(S);
    for (const Stmt *Child : S->children())
      evaluatedByHost(Child);
  }

  /// The kinds of addresses that pointer \p E may hold on a device.
  struct Addresses {
    bool Hosts = false, Devices = false; ///< all are host, device addresses
    std::set<unsigned> Regions;
  };
  Addresses addresses(unsigned Frame, const Expr *E) {
    Addresses Out;
    unsigned All = 0, Hosts = 0, Devices = 0;
    for (const Target &To : P.value(Frame, E)) {
      const PointsTo::Region &R = P.region(To.Region);
      ++All;
      Hosts += R.Kind == PointsTo::Region::Unknown
                   ? P.isLoaded(To.Region)
                   : R.Kind == PointsTo::Region::Host && !R.InSections;
      Devices += R.Kind == PointsTo::Region::Host && R.InSections;
      Out.Regions.insert(To.Region);
    }
    Out.Hosts = All && Hosts == All;
    Out.Devices = All && Devices == All;
    return Out;
  }

  MaybeText spelt(unsigned Frame, const Expr *E) {
    Speller S(U.Context, T, P);
    std::optional<Spelling> Text = S.pointer(Frame, E);
    if (!Text || S.Varies)
      return std::nullopt;
    if (Text->Object)
      return "&" + Text->Base;
    return Text->Index.empty() ? Text->Base
                               : "&" + Text->Base + "[" + Text->Index + "]";
  }

  /// Reports two pointers whose relation on a device may differ from that on
  /// the host.
  void relate(unsigned Frame, const BinaryOperator *B) {
    const Expr *L = B->getLHS(), *R = B->getRHS();
    Addresses Left = addresses(Frame, L), Right = addresses(Frame, R);
    auto nameOr = [&](const Expr *E, StringRef Else) {
      MaybeText Text = spelt(Frame, E);
      return Text ? "'" + *Text + "'" : Else.str();
    };
    if ((Left.Hosts && Right.Devices) || (Left.Devices && Right.Hosts)) {
      if (!Related.insert(B).second)
        return;
      T.Broken = true;
      const Expr *Host = Left.Hosts ? L : R, *Device = Left.Hosts ? R : L;
      U.Report.report(B->getOperatorLoc(), diag::device_relates_host)
          << nameOr(Host, "this pointer") << nameOr(Device, "the other one")
          << (B->isEqualityOp()          ? 2
              : B->getOpcode() == BO_Sub ? 1
                                         : 0)
          << Host->getSourceRange();
      noteCalls(U, T, P, Frame);
    } else if (Left.Devices && Right.Devices && !B->isEqualityOp() &&
               llvm::none_of(Left.Regions, [&](unsigned Region) {
                 return Right.Regions.count(Region);
               })) {
      Apart.push_back({Frame, B});
    }
  }

  void adviseRelations() {
    for (auto [Frame, B] : Apart) {
      if (!Related.insert(B).second)
        continue;
      U.Report.report(B->getOperatorLoc(), diag::device_relates_sections)
          << (B->getOpcode() == BO_Sub) << B->getSourceRange();
      noteCalls(U, T, P, Frame);
    }
  }

public:
  RelationCheck(ParsedUnit &U, Task &T, PointsTo &P) : U(U), T(T), P(P) {}

  void run() {
    if (T.From)
      for (size_t I = 0; I <= T.From->Inner->Nest.size(); ++I)
        if (const ForStmt *For = T.From->Inner->level(I).For) {
          evaluatedByHost(For->getInit());
          evaluatedByHost(For->getCond());
        }
    for (unsigned F : P.liveFrames())
      for (const BinaryOperator *B :
           P.facts(P.frames()[F].Function).Comparisons)
        if (!OfHost.count(B))
          relate(F, B);
    if (!T.Broken)
      adviseRelations();
  }
};
} // namespace

void checkPointerRelations(ParsedUnit &U, Task &T, PointsTo &P) {
  if (!T.ForOthers) // else it has no sections
    RelationCheck(U, T, P).run();
}

} // namespace agglom
