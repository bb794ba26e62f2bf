// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the pointers of a kernel may point to. Memory is divided into regions:
//
//   Own       a variable, a literal or a result of the unit: its content
//             was stored by the unit
//   Constant  constants of the file, whose addresses are the device's own
//   Host      memory of a parameter or a section; a pointer in it is the
//             device's where a section names its pointee
//   Unknown   the pointee of a host address: nothing may be read there
//   Elsewhere the pointee of a pointer that may or may not be one that a
//             section names: no error is reported
//
//   in(s->rows[0:4])     s --> Host { rows --> Host { all else: Unknown } }
//   s->rows[1][1]        loads a pointer from behind s->rows: Unknown
//
// A pointer is described by its region, by the member that it points to, and,
// where known, by the element: s[i + 1].p is at the offset of p, displaced by i
// + 1 structures. The order of statements plays no part except for local
// pointers. A function is analysed once for each set of arguments, up to a
// limit.

#ifndef AGGLOM_CHECK_POINTSTO_H
#define AGGLOM_CHECK_POINTSTO_H

#include "DeviceClosure.h"
#include "ParseAction.h"
#include "PointerFacts.h"
#include "Syntax.h"
#include <limits>

namespace agglom {

/// A constant plus parameters of the task with factors.
struct Displacement {
  int64_t Constant = 0;
  std::map<unsigned, int64_t> Of; ///< by index; no zero factors

  Displacement plus(const Displacement &O, int64_t Factor) const;
  bool isZero() const { return !Constant && Of.empty(); }
  bool operator==(const Displacement &O) const {
    return Constant == O.Constant && Of == O.Of;
  }
  bool operator<(const Displacement &O) const {
    return std::tie(Constant, Of) < std::tie(O.Constant, O.Of);
  }
};
using MaybeDisplacement = std::optional<Displacement>;
MaybeDisplacement plus(const MaybeDisplacement &L, const MaybeDisplacement &R,
                       int64_t Factor = 1);

/// A place in a region.
struct Target {
  static constexpr int64_t Anywhere = std::numeric_limits<int64_t>::min();
  unsigned Region = 0;
  int64_t Offset = 0; ///< of the member in an element, in bytes
  /// Distance from the first element in bytes; nullopt when unknown.
  MaybeDisplacement At = Displacement();

  bool operator<(const Target &O) const {
    return std::tie(Region, Offset, At) < std::tie(O.Region, O.Offset, O.At);
  }
  /// Whether this may be the same place as \p O, which is in the same region.
  bool mayBe(const Target &O) const;
};

/// A sorted set of targets. For one region and offset it holds one target; its
/// At is unknown when there are several elements.
class Targets {
  std::vector<Target> All;

public:
  Targets() = default;
  Targets(std::initializer_list<Target> Of) : All(Of) {} ///< at most one
  /// \returns whether the set has grown.
  bool insert(const Target &P);
  bool insert(const Targets &Others);
  auto begin() const { return All.begin(); }
  auto end() const { return All.end(); }
  bool empty() const { return All.empty(); }
  bool operator<(const Targets &O) const { return All < O.All; }
};

class PointsTo {
public:
  struct Region {
    enum KindTy { Own, Constant, Host, Unknown, Elsewhere } Kind = Own;
    /// Own: the values stored, by place.
    std::map<std::pair<int64_t, MaybeDisplacement>, Targets> Stored;
    /// Own: copies of memory with pointers into this region: its offset here,
    /// its size (< 0: unknown), region and offset of the source.
    struct Copy {
      MaybeDisplacement To, From;
    };
    using CopyPlaces = std::tuple<int64_t, int64_t, unsigned, int64_t>;
    std::map<CopyPlaces, Copy> Copies;
    bool Received = false; ///< Own: a parameter of the task's function
    /// Host: a section names the region, so pointers into it are the device's.
    bool InSections = false;
    /// Host, and Own where the host filled it: the regions behind pointers that
    /// sections name, by offset, and the elements that hold these pointers.
    struct Named {
      unsigned Region;
      std::vector<MaybeDisplacement> At;
    };
    std::map<int64_t, Named> Behind;
    std::set<int64_t> Offsets; ///< offsets of pointers seen so far
    /// Unknown: the expression that loaded the pointer, its frame, and the
    /// place that the pointer was loaded from.
    const clang::Expr *Loaded = nullptr;
    unsigned Frame = 0, Holder = 0;
    int64_t HolderOffset = 0;
    bool ByElement = false; ///< Unknown: a section names it in other elements
  };

  /// A function with the targets of its parameters.
  struct Frame {
    const clang::FunctionDecl *Function = nullptr;
    /// The call for which the frame was made; several calls may share a frame.
    /// Null for the kernel.
    const clang::CallExpr *Call = nullptr;
    unsigned Caller = 0;
    bool Merged = false;
    /// The known values of integer arguments.
    std::vector<MaybeDisplacement> Integers;
    Targets Result;
    std::optional<unsigned> ResultRegion; ///< of a structure
    llvm::DenseMap<const clang::VarDecl *, unsigned> Variables;
    /// Regions of compound literals, and of the values of followed pointers.
    llvm::DenseMap<const clang::Expr *, unsigned> Literals;
  };

  /// Analyses the kernel of \p T; the analysis is complete when this returns.
  PointsTo(ParsedUnit &U, const Task &T, const DeviceClosure &C);

  const std::vector<Frame> &frames() const { return Frames; }
  const Region &region(unsigned R) const { return Regions[R]; }
  const PointerFacts &facts(const clang::FunctionDecl *F) const {
    return Facts.find(F)->second;
  }
  /// What pointer \p E of \p Frame may point to.
  Targets value(unsigned Frame, const clang::Expr *E);
  /// The object that lvalue \p E of \p Frame denotes, or that the structure \p
  /// E is a copy of.
  Targets place(unsigned Frame, const clang::Expr *E);
  /// The frames that are called, the kernel's first. Other frames were made for
  /// sets of arguments that have grown since.
  std::vector<unsigned> liveFrames() const;
  /// Whether the Unknown region \p R is still loaded, now that the analysis is
  /// complete.
  bool isLoaded(unsigned R);

private:
  ParsedUnit &U;
  const Task &T;
  const DeviceClosure &C;
  clang::ASTContext &Context;
  std::vector<Region> Regions;
  std::vector<Frame> Frames;
  std::map<const clang::FunctionDecl *, PointerFacts> Facts;
  using Arguments = std::vector<Targets>;
  std::map<std::tuple<const clang::FunctionDecl *, Arguments,
                      std::vector<MaybeDisplacement>>,
           unsigned>
      Known;
  std::map<const clang::FunctionDecl *, unsigned> MergedFrames;
  /// How many frames functions may have.
  struct Budget {
    unsigned Each, InAll; ///< InAll: what is left
    std::map<const clang::FunctionDecl *, unsigned> Taken = {};

    bool take(const clang::FunctionDecl *F) {
      unsigned &N = Taken[F];
      if (N >= Each || !InAll)
        return false;
      ++N;
      --InAll;
      return true;
    }
  };
  /// A function with more sets of arguments is analysed with their union, as
  /// are all functions once the kernel has more sets in all.
  Budget OwnFrames = {8, 64};
  /// Beyond these, elements are not told apart in called functions.
  Budget ElementFrames = {8, 32};
  /// Functions that index pointers, themselves or in calls.
  std::set<const clang::FunctionDecl *> ChoosesElements;
  std::map<const clang::VarDecl *, unsigned> FileObjects;
  std::map<std::tuple<unsigned, const clang::Expr *, unsigned, int64_t>,
           unsigned>
      Unknowns;
  std::map<std::pair<unsigned, const clang::CallExpr *>, unsigned> FrameIds;
  unsigned Constants = 0, Others = 0; ///< Constant, Elsewhere
  bool AsIntegers = false;            ///< addresses are kept in integers
  bool Changed = false;

  // Pointers that sections name. (PointsToSections.cpp)
  static constexpr unsigned InClause = ~0u; ///< as a frame
  void nameSections();
  unsigned behind(Target Holder);
  unsigned clauseBehind(const clang::Expr *E);
  Target clausePointer(const clang::Expr *E);
  Target clausePlace(const clang::Expr *E);
  MaybeDisplacement scaled(unsigned Frame, const clang::Expr *Index,
                           clang::QualType Element);
  MaybeDisplacement sizeOf(clang::QualType Type) const;
  MaybeDisplacement linear(unsigned Frame, const clang::Expr *E);

  unsigned newRegion(Region::KindTy Kind);
  unsigned resultOf(unsigned Frame); ///< region of the returned structure
  unsigned variable(unsigned Frame, const clang::VarDecl *V);
  unsigned literal(unsigned Frame, const clang::Expr *E);
  unsigned unknown(unsigned Frame, const clang::Expr *E, const Target &From,
                   bool ByElement);
  /// \p P moved by \p By bytes to another member; Anywhere: by an unknown
  /// distance.
  Target at(Target P, int64_t By);
  /// \p P displaced by \p By bytes to another element.
  static Target moved(Target P, const MaybeDisplacement &By, int64_t Sign = 1);
  static Targets moved(const Targets &Of, const MaybeDisplacement &By,
                       int64_t Sign = 1);
  Targets anywhere(const Targets &Of); ///< at any offset in their regions

  Targets pointerSum(unsigned Frame, const clang::BinaryOperator *B);
  /// The value that the assignment \p E stores; for p++ the incremented
  /// pointer.
  Targets assigned(unsigned Frame, const clang::Expr *E);
  Targets stepped(unsigned Frame, const clang::UnaryOperator *Un);
  Targets integerValue(unsigned Frame, const clang::BinaryOperator *B);
  Targets integerResult(const clang::BinaryOperator *B, Targets L,
                        const Targets &R);
  /// The pointers that are loaded from lvalue \p E, which is at \p From.
  Targets load(unsigned Frame, const clang::Expr *E, const Targets &From);
  void load(unsigned Frame, const clang::Expr *E, Target From, Targets &Seen,
            Targets &Out);
  void loadCopies(unsigned Frame, const clang::Expr *E, const Target &From,
                  Targets &Seen, Targets &Out);
  void fromHost(unsigned Frame, const clang::Expr *E, const Target &From,
                Targets &Out);

  void store(const Targets &To, const Targets &What);
  void copy(const Targets &To, const Targets &From, int64_t Size);
  void assign(unsigned Frame, const Targets &To, const clang::Expr *From);
  void initialise(unsigned Frame, const Target &To, const clang::Expr *Init);

  // Functions. (PointsToCalls.cpp)
  void findChoosers();
  Targets result(unsigned Frame, const clang::CallExpr *Call);
  Targets libraryResult(unsigned Frame, const clang::CallExpr *Call);
  unsigned frameOf(unsigned Frame, const clang::CallExpr *Call,
                   const clang::FunctionDecl *F);
  std::optional<unsigned> elementFrame(unsigned Frame,
                                       const clang::CallExpr *Call,
                                       const clang::FunctionDecl *F,
                                       const Arguments &Args);
  bool leadsOn(const Target &P) const;
  unsigned newFrame(const clang::FunctionDecl *F);
  unsigned newFrame(unsigned Frame, const clang::CallExpr *Call,
                    const clang::FunctionDecl *F);
  void give(unsigned Frame, const Arguments &Args);
  void apply(unsigned Frame);
  void applyAtomic(unsigned Frame, const clang::AtomicExpr *A);
};

} // namespace agglom

#endif // AGGLOM_CHECK_POINTSTO_H
