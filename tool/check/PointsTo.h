// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the pointers of a kernel may point to. Memory is divided into regions:
//
//   Own       a variable, a literal or a result of the unit: what is in it,
//             the unit put there
//   Constant  constants of the file, whose addresses are the device's own
//   Host      what a parameter or a section names; a pointer in it is the
//             device's where a section names what it points to
//   Unknown   what a host address points to: nothing may be read there
//
//   in(s->rows[0:4])     s --> Host { rows --> Host { all else: Unknown } }
//   s->rows[1][1]        loads a pointer from behind s->rows: Unknown
//
// A pointer is known by its region and the offset in it, in bytes; elements of
// arrays are not told apart. The order of statements plays no part but for
// local pointers. Functions are looked at once for each set of arguments, up to
// a limit.

#ifndef AGGLOM_CHECK_POINTSTO_H
#define AGGLOM_CHECK_POINTSTO_H

#include "Check.h"
#include "PointerFacts.h"
#include <limits>

namespace agglom {

/// A place in a region.
struct Target {
  static constexpr int64_t Anywhere = std::numeric_limits<int64_t>::min();
  unsigned Region = 0;
  int64_t Offset = 0;
  bool Moved = false; ///< perhaps not at the first element

  bool operator<(const Target &O) const {
    return std::tie(Region, Offset, Moved) <
           std::tie(O.Region, O.Offset, O.Moved);
  }
};
using Targets = std::set<Target>;

/// A constant plus parameters of the task with factors.
struct Displacement {
  int64_t Constant = 0;
  std::map<unsigned, int64_t> Of; ///< by index; no zero factors

  Displacement plus(const Displacement &O, int64_t Factor) const;
};
using MaybeDisplacement = std::optional<Displacement>;

class PointsTo {
public:
  struct Region {
    enum KindTy { Own, Constant, Host, Unknown } Kind = Own;
    std::map<int64_t, Targets> Stored; ///< Own: by offset
    struct Copy {
      int64_t Offset, Size; ///< Size < 0: not known
      Target From;
      bool operator<(const Copy &O) const {
        return std::tie(Offset, Size, From) <
               std::tie(O.Offset, O.Size, O.From);
      }
    };
    std::set<Copy> Copies; ///< Own: what was copied there, pointers and all
    bool Received = false; ///< Own: an argument of the task
    /// Host, and Own where the host put something into it: what is behind the
    /// pointers that sections name, and which elements they are.
    struct Named {
      unsigned Region;
      std::vector<MaybeDisplacement> At;
    };
    std::map<int64_t, Named> Behind;
    std::set<int64_t> Offsets; ///< that pointers were seen at
    /// Unknown: the pointer that was loaded, in which frame, from where.
    const clang::Expr *Loaded = nullptr;
    unsigned Frame = 0, Holder = 0;
    int64_t HolderOffset = 0;
  };

  /// A function with what its parameters are.
  struct Frame {
    const clang::FunctionDecl *Function = nullptr;
    /// Who made it; several calls may share it. Null for the kernel.
    const clang::CallExpr *Call = nullptr;
    unsigned Caller = 0;
    bool Merged = false;
    Targets Result;
    std::optional<unsigned> ResultRegion; ///< of a structure
    llvm::DenseMap<const clang::VarDecl *, unsigned> Variables;
    /// Of compound literals, and the values of pointers that are followed.
    llvm::DenseMap<const clang::Expr *, unsigned> Literals;
  };

  /// \p T's kernel. Everything is found when this returns.
  PointsTo(ParsedUnit &U, const Task &T, const DeviceClosure &C);

  const std::vector<Frame> &frames() const { return Frames; }
  const Region &region(unsigned R) const { return Regions[R]; }
  const PointerFacts &facts(const clang::FunctionDecl *F) const {
    return Facts.find(F)->second;
  }
  /// What pointer \p E of \p Frame may point to.
  Targets value(unsigned Frame, const clang::Expr *E);

private:
  ParsedUnit &U;
  const Task &T;
  const DeviceClosure &C;
  clang::ASTContext &Context;
  std::vector<Region> Regions;
  std::vector<Frame> Frames;
  std::map<const clang::FunctionDecl *, PointerFacts> Facts;
  using Arguments = std::vector<Targets>;
  std::map<std::pair<const clang::FunctionDecl *, Arguments>, unsigned> Known;
  std::map<const clang::FunctionDecl *, unsigned> MergedFrames, FrameCount;
  std::map<const clang::VarDecl *, unsigned> FileObjects;
  std::map<std::tuple<unsigned, const clang::Expr *, unsigned, int64_t>,
           unsigned>
      Unknowns;
  std::map<std::pair<unsigned, const clang::CallExpr *>, unsigned> FrameIds;
  unsigned Constants = 0;
  bool Integers = false; ///< addresses are kept in integers
  bool Changed = false;

  // What sections name. (PointsToSections.cpp)
  static constexpr unsigned InClause = ~0u; ///< as a frame
  void nameSections();
  unsigned behind(Target Holder, MaybeDisplacement At);
  unsigned clauseBehind(const clang::Expr *E);
  Target clausePlace(const clang::Expr *E);
  MaybeDisplacement displacement(unsigned Frame, const clang::Expr *E);
  MaybeDisplacement pointerDisplacement(unsigned Frame, const clang::Expr *E);
  MaybeDisplacement scaled(unsigned Frame, const clang::Expr *Index,
                           clang::QualType Element);
  MaybeDisplacement linear(unsigned Frame, const clang::Expr *E);
  /// Whether lvalue \p E is another element than those that sections name.
  bool surelyAnother(unsigned Frame, const clang::Expr *E,
                     const Region::Named &Known);

  unsigned newRegion(Region::KindTy Kind);
  unsigned resultOf(unsigned Frame); ///< where the structure it returns is
  unsigned variable(unsigned Frame, const clang::VarDecl *V);
  unsigned literal(unsigned Frame, const clang::Expr *E);
  unsigned unknown(unsigned Frame, const clang::Expr *E, Target From);
  /// \p By bytes further on; Anywhere: nobody knows how many.
  Target at(Target P, int64_t By);
  Targets moved(const Targets &Of, int64_t By);

  Targets place(unsigned Frame, const clang::Expr *E);
  Targets pointerSum(unsigned Frame, const clang::BinaryOperator *B);
  Targets integerValue(unsigned Frame, const clang::BinaryOperator *B);
  /// The pointer that is read out of lvalue \p E.
  Targets load(unsigned Frame, const clang::Expr *E, const Targets &From);
  struct Loading {
    unsigned Frame;
    const clang::Expr *E;
    bool Direct; ///< E is where the pointer lies, not a copy of that memory
  };
  void load(Loading How, Target From,
            std::set<std::pair<unsigned, int64_t>> &Seen, Targets &Out);
  void fromHost(const Loading &How, Target From, Targets &Out);

  void store(const Targets &To, const Targets &What);
  void copy(const Targets &To, const Targets &From, int64_t Size);
  void assign(unsigned Frame, const Targets &To, const clang::Expr *From);
  void initialise(unsigned Frame, Target To, const clang::Expr *Init);

  Targets result(unsigned Frame, const clang::CallExpr *Call);
  Targets libraryResult(unsigned Frame, const clang::CallExpr *Call);
  unsigned frameOf(unsigned Frame, const clang::CallExpr *Call,
                   const clang::FunctionDecl *F);
  unsigned newFrame(const clang::FunctionDecl *F);
  void give(unsigned Frame, const Arguments &Args);
  void apply(unsigned Frame);
};

} // namespace agglom

#endif // AGGLOM_CHECK_POINTSTO_H
