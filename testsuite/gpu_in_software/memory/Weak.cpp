// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Weak.h"
#include <cstring>

namespace gpu_in_software::machine {

void Past::keep(Address At, const unsigned char *Bytes) {
  ++Now;
  if (Lines.size() >= MostLines)
    Lines.clear();
  std::vector<Version> &Of = Lines[At];
  if (Of.size() >= MostVersions)
    Of.erase(Of.begin());
  Of.push_back({Now, {}});
  memcpy(Of.back().Bytes.data(), Bytes, LineBytes);
}

const Line *Past::since(Address At, uint64_t Time, Random &Chance) const {
  auto It = Lines.find(At);
  if (It == Lines.end() || Chance.below(2))
    return nullptr;
  for (const Version &V : It->second)
    if (V.Until > Time)
      return &V.Bytes;
  return nullptr;
}

uint64_t WeakView::load(Memory &M, Random &Chance, Address At, unsigned Bytes) {
  uint64_t Value = 0;
  Address Of = At / LineBytes * LineBytes;
  auto It = Lines.find(Of);
  if (It == Lines.end()) {
    if (Lines.size() >= MostLines)
      forget();
    It = Lines.emplace(Of, Line()).first;
    auto Seen = Known.find(Of);
    const Line *Old =
        Before->since(Of, Seen != Known.end() ? Seen->second : Fenced, Chance);
    memcpy(It->second.data(),
           Old ? Old->data() : M.bytes(At, Bytes) - At % LineBytes, LineBytes);
  }
  memcpy(&Value, It->second.data() + At % LineBytes, Bytes);
  auto C = Where.find(At / 8 * 8);
  if (C != Where.end())
    for (unsigned I = 0; I < Bytes; ++I)
      if (Cells[C->second].Mask >> (At % 8 + I) & 1)
        memcpy(reinterpret_cast<unsigned char *>(&Value) + I,
               Cells[C->second].Bytes + At % 8 + I, 1);
  return Value;
}

void WeakView::store(Memory &M, Random &Chance, Address At, unsigned Bytes,
                     uint64_t Value, unsigned Thread) {
  if (Cells.size() >= MostCells)
    drift(M, Chance);
  auto C = Where.emplace(At / 8 * 8, Cells.size());
  if (C.second)
    Cells.push_back({At / 8 * 8, {}, 0, false, Thread, Epoch});
  Cell &To = Cells[C.first->second];
  memcpy(To.Bytes + At % 8, &Value, Bytes);
  To.Mask |= static_cast<uint8_t>(((1u << Bytes) - 1) << At % 8);
  To.Mixed |= To.Thread != Thread || To.Epoch < Epoch;
  To.Thread = Thread;
  To.Epoch = Epoch;
}

/// To memory, and to what is remembered of it.
void WeakView::send(Memory &M, size_t Index) {
  const Cell &C = Cells[Index];
  Address Of = C.At / LineBytes * LineBytes;
  auto Line = Lines.find(Of);
  if (const unsigned char *Old = M.bytes(C.At, 1)) {
    Before->keep(Of, Old - C.At % LineBytes);
    if (Known.size() >= MostKnown) {
      Known.clear();
      Fenced = Before->now();
    }
    Known[Of] = Before->now();
  }
  for (unsigned I = 0; I < 8; ++I) {
    if (!(C.Mask >> I & 1))
      continue;
    if (unsigned char *To = M.bytes(C.At + I, 1)) // not freed meanwhile
      *To = C.Bytes[I];
    if (Line != Lines.end())
      Line->second[C.At % LineBytes + I] = C.Bytes[I];
  }
  Where.erase(C.At);
  if (Index + 1 != Cells.size()) {
    Cells[Index] = Cells.back();
    Where[Cells[Index].At] = Index;
  }
  Cells.pop_back();
}

void WeakView::settle(Memory &M, Address At) {
  auto C = Where.find(At / 8 * 8);
  if (C != Where.end())
    send(M, C->second);
  Address Of = At / LineBytes * LineBytes;
  if (!Lines.empty())
    Lines.erase(Of);
  if (Before->holds(Of))
    Known[Of] = Before->now();
}

void WeakView::blockFence(unsigned Thread) {
  for (Cell &C : Cells)
    C.Mixed |= C.Thread == Thread;
}

void WeakView::forget() {
  Lines.clear();
  Known.clear();
  Fenced = Before->now();
}

void WeakView::fence(Memory &M, unsigned Thread) {
  for (size_t I = Cells.size(); I-- > 0;)
    if (Cells[I].Mixed || Cells[I].Thread == Thread || Cells[I].Epoch < Epoch)
      send(M, I);
  forget();
}

void WeakView::drift(Memory &M, Random &Chance) {
  if (!Cells.empty())
    send(M, Chance.below(Cells.size()));
}

void WeakView::drain(Memory &M) {
  while (!Cells.empty())
    send(M, Cells.size() - 1);
}

} // namespace gpu_in_software::machine
