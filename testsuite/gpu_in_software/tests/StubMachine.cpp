// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stub of ../machine.h: a few kernels, known by name, as callbacks.
#include "../machine.h"
#include <cstring>
#include <map>
using namespace gpu_in_software;
namespace {
struct StubModule : Module {
  std::vector<std::string> Names;
  KernelInfo Info;
  int kernel(const std::string &N) const override {
    for (size_t I = 0; I < Names.size(); ++I)
      if (Names[I] == N) return int(I);
    return -1;
  }
  const KernelInfo &info(int) const override { return Info; }
  bool global(const std::string &, Address &, size_t &) const override { return false; }
};
struct Stub : Machine {
  Options O;
  std::map<Address, std::vector<unsigned char>> Mem;
  Address Next = 0x7000000000000;
  size_t Used = 0;
  std::string Out;
  explicit Stub(const Options &O) : O(O) {}
  Address allocate(size_t B) override {
    if (B > O.MemoryBytes - Used) return 0;
    Address A = Next;
    Next += (B + 511) / 256 * 256;
    Mem[A].assign(B, 0xcd);
    Used += B;
    return A;
  }
  bool release(Address A) override {
    auto I = Mem.find(A);
    if (I == Mem.end()) return false;
    Used -= I->second.size();
    Mem.erase(I);
    return true;
  }
  size_t used() const override { return Used; }
  unsigned char *at(Address A, size_t N) const {
    auto I = Mem.upper_bound(A);
    if (I == Mem.begin()) return nullptr;
    --I;
    if (A - I->first + N > I->second.size()) return nullptr;
    return const_cast<unsigned char *>(I->second.data()) + (A - I->first);
  }
  bool inside(Address A, size_t N) const override { return at(A, N); }
  static Fault bad() { Fault F; F.Result = 700; F.Text = "kernel stub: bad address"; return F; }
  Fault read(void *To, Address A, size_t N) const override {
    if (!at(A, N)) return bad();
    memcpy(To, at(A, N), N); return {};
  }
  Fault write(Address A, const void *From, size_t N) override {
    if (!at(A, N)) return bad();
    memcpy(at(A, N), From, N); return {};
  }
  Fault move(Address A, Address B, size_t N) override {
    if (!at(A, N) || !at(B, N)) return bad();
    memmove(at(A, N), at(B, N), N); return {};
  }
  Fault fill(Address A, unsigned char C, size_t N) override {
    if (!at(A, N)) return bad();
    memset(at(A, N), C, N); return {};
  }
  std::unique_ptr<Module> load(const std::vector<std::string> &Texts, std::string &Log) override {
    auto M = std::make_unique<StubModule>();
    for (auto &T : Texts) {
      if (T.find("nonsense") != std::string::npos) { Log = "ptxas: line 3: nonsense\n"; return nullptr; }
      for (size_t P = 0; (P = T.find(".entry ", P)) != std::string::npos; ++P)
        M->Names.push_back(T.substr(P + 7, T.find('(', P) - P - 7));
    }
    M->Info.ParamBytes = 16; M->Info.ParamOffsets = {0, 8}; M->Info.ParamSizes = {8, 8};
    return M;
  }
  struct R : Run {
    Stub &S; std::string Name; uint64_t P[2]; unsigned Threads; uint64_t Left, Ran = 0; Fault F;
    explicit R(Stub &S) : S(S) {}
    bool step(uint64_t N) override {
      Ran += N;
      if (Left > N) { Left -= N; return false; }
      if (Name == "increment") {
        for (unsigned I = 0; I < Threads; ++I) {
          auto *W = reinterpret_cast<uint32_t *>(S.at(P[0] + 4 * I, 4));
          if (!W) { F = bad(); return true; }
          ++*W;
        }
      } else if (Name == "astray") F = bad();
      else if (Name == "say") for (uint64_t I = 0; I < P[1]; ++I) S.Out += "line " + std::to_string(I) + "\n";
      return true;
    }
    const Fault &fault() const override { return F; }
    uint64_t executed() const override { return Ran; }
  };
  std::unique_ptr<Run> launch(Module &M, int K, Dim3 G, Dim3 B, size_t, const void *Params, Fault &) override {
    auto Run_ = std::make_unique<R>(*this);
    Run_->Name = static_cast<StubModule &>(M).Names[size_t(K)];
    memcpy(Run_->P, Params, 16);
    Run_->Threads = G.X * B.X;
    Run_->Left = 1000 + 100 * Run_->P[1];
    return Run_;
  }
  std::string takeOutput() override { return std::move(Out); }
};
}
std::unique_ptr<Machine> Machine::create(const Options &O) { return std::make_unique<Stub>(O); }
