// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diff.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include <vector>

using namespace llvm;

namespace agglom {

/// Lines with their ends, so that a missing last newline is a difference.
static std::vector<StringRef> linesOf(StringRef Text) {
  std::vector<StringRef> Lines;
  while (!Text.empty()) {
    size_t Length = std::min(Text.find('\n'), Text.size() - 1) + 1;
    Lines.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Lines;
}

namespace {
struct Change {
  char Kind; ///< ' ', '-' or '+'
  StringRef Line;
};
} // namespace

/// Myers' greedy algorithm: the shortest script of deletions and insertions.
static std::vector<Change> script(ArrayRef<StringRef> A,
                                  ArrayRef<StringRef> B) {
  std::vector<Change> Out;
  size_t Same = 0;
  while (Same < A.size() && Same < B.size() && A[Same] == B[Same])
    Out.push_back({' ', A[Same++]});
  size_t Tail = 0;
  while (Tail < A.size() - Same && Tail < B.size() - Same &&
         A[A.size() - 1 - Tail] == B[B.size() - 1 - Tail])
    ++Tail;
  ArrayRef<StringRef> End = A.take_back(Tail);
  A = A.slice(Same, A.size() - Same - Tail);
  B = B.slice(Same, B.size() - Same - Tail);

  int N = A.size(), M = B.size(), Most = N + M;
  std::vector<std::vector<int>> Trace;
  std::vector<int> V(2 * Most + 2, 0);
  auto At = [&](std::vector<int> &Of, int K) -> int & { return Of[K + Most]; };
  for (int D = 0; D <= Most; ++D) {
    Trace.push_back(V);
    bool Done = false;
    for (int K = -D; K <= D && !Done; K += 2) {
      bool Down = K == -D || (K != D && At(V, K - 1) < At(V, K + 1));
      int X = Down ? (D ? At(V, K + 1) : 0) : At(V, K - 1) + 1;
      while (X < N && X - K < M && A[X] == B[X - K])
        ++X;
      At(V, K) = X;
      Done = X >= N && X - K >= M;
    }
    if (Done)
      break;
  }
  std::vector<Change> Back;
  int X = N, Y = M;
  for (int D = Trace.size() - 1; D >= 0; --D) {
    std::vector<int> &Of = Trace[D];
    int K = X - Y;
    bool Down = K == -D || (K != D && At(Of, K - 1) < At(Of, K + 1));
    int FromK = Down ? K + 1 : K - 1;
    int FromX = D ? At(Of, FromK) : 0, FromY = D ? FromX - FromK : 0;
    while (X > FromX && Y > FromY && (D || X > 0)) {
      Back.push_back({' ', A[--X]});
      --Y;
    }
    if (!D)
      break;
    if (Down)
      Back.push_back({'+', B[--Y]});
    else
      Back.push_back({'-', A[--X]});
  }
  Out.insert(Out.end(), Back.rbegin(), Back.rend());
  for (StringRef Line : End)
    Out.push_back({' ', Line});
  return Out;
}

std::string unifiedDiff(StringRef Name, StringRef Old, StringRef New) {
  if (Old == New)
    return "";
  static const size_t Context = 3;
  std::vector<StringRef> A = linesOf(Old), B = linesOf(New);
  std::vector<Change> All = script(A, B);
  std::string Out = (Twine("--- ") + Name + "\n+++ " + Name + "\n").str();
  size_t OldLine = 1, NewLine = 1;
  for (size_t I = 0; I < All.size();) {
    // A hunk begins three lines before a change and ends before six equal
    // lines.
    size_t First = I;
    while (First < All.size() && All[First].Kind == ' ')
      ++First;
    if (First == All.size())
      break;
    size_t Begin = First > I + Context ? First - Context : I;
    OldLine += Begin - I;
    NewLine += Begin - I;
    size_t End = First, Last = First;
    for (; End < All.size() && End - Last <= 2 * Context; ++End)
      if (All[End].Kind != ' ')
        Last = End;
    End = std::min(All.size(), Last + Context + 1);
    size_t OldCount = 0, NewCount = 0;
    std::string Body;
    for (size_t J = Begin; J < End; ++J) {
      OldCount += All[J].Kind != '+';
      NewCount += All[J].Kind != '-';
      Body += All[J].Kind;
      Body += All[J].Line;
      if (!All[J].Line.ends_with("\n"))
        Body += "\n\\ No newline at end of file\n";
    }
    auto Range = [](size_t Line, size_t Count) {
      return std::to_string(Count ? Line : Line - 1) +
             (Count == 1 ? "" : "," + std::to_string(Count));
    };
    Out += "@@ -" + Range(OldLine, OldCount) + " +" + Range(NewLine, NewCount) +
           " @@\n" + Body;
    OldLine += OldCount;
    NewLine += NewCount;
    I = End;
  }
  return Out;
}

} // namespace agglom
