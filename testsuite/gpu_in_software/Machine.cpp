// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Thread.h"
#include <cstring>

namespace gpu_in_software::machine {

namespace {

class Device : public Machine {
public:
  explicit Device(const Options &O)
      : O(O), M(O.MemoryBytes, O.Uninitialised > 0), Chance(O.Seed) {}

  Address allocate(size_t Bytes) override { return M.allocate(Bytes); }
  bool release(Address At) override { return M.release(At); }
  size_t used() const override { return M.used(); }
  bool inside(Address At, size_t Bytes) const override {
    return M.inside(At, Bytes);
  }
  Fault read(void *To, Address From, size_t Bytes) const override;
  Fault write(Address To, const void *From, size_t Bytes) override;
  Fault move(Address To, Address From, size_t Bytes) override;
  Fault fill(Address To, unsigned char Byte, size_t Bytes) override;
  std::unique_ptr<Module> load(const std::vector<std::string> &Texts,
                               std::string &Log) override;
  std::unique_ptr<Run> launch(Module &Mod, int Kernel, Dim3 Grid, Dim3 Block,
                              size_t DynamicShared, const void *Params,
                              Fault &F) override;
  std::string takeOutput() override {
    std::string Text;
    Text.swap(Printed.Text);
    return Text;
  }

private:
  Fault outside(const char *What, Address At, size_t Bytes) const {
    return {InvalidValue, std::string("the host ") + What + " " +
                              std::to_string(Bytes) +
                              " bytes: " + M.describe(At)};
  }
  void written(const unsigned char *At, size_t Bytes) {
    if (unsigned char *W = M.written(At))
      memset(W, 1, Bytes);
  }

  const Options O;
  Memory M;
  Random Chance; // of each launch's own seed
  Output Printed;
};

Fault Device::read(void *To, Address From, size_t Bytes) const {
  const unsigned char *At = Bytes ? M.bytes(From, Bytes) : nullptr;
  if (Bytes && !At)
    return outside("reads", From, Bytes);
  if (Bytes)
    memcpy(To, At, Bytes);
  return {};
}

Fault Device::write(Address To, const void *From, size_t Bytes) {
  unsigned char *At = Bytes ? M.bytes(To, Bytes) : nullptr;
  if (Bytes && !At)
    return outside("writes", To, Bytes);
  if (Bytes) {
    memcpy(At, From, Bytes);
    written(At, Bytes);
  }
  return {};
}

Fault Device::move(Address To, Address From, size_t Bytes) {
  if (!Bytes)
    return {};
  unsigned char *Target = M.bytes(To, Bytes), *Source = M.bytes(From, Bytes);
  if (!Target || !Source)
    return Target ? outside("copies from", From, Bytes)
                  : outside("copies to", To, Bytes);
  memmove(Target, Source, Bytes);
  if (unsigned char *W = M.written(Target))
    memmove(W, M.written(Source), Bytes);
  return {};
}

Fault Device::fill(Address To, unsigned char Byte, size_t Bytes) {
  unsigned char *At = Bytes ? M.bytes(To, Bytes) : nullptr;
  if (Bytes && !At)
    return outside("fills", To, Bytes);
  if (Bytes) {
    memset(At, Byte, Bytes);
    written(At, Bytes);
  }
  return {};
}

std::unique_ptr<Module> Device::load(const std::vector<std::string> &Texts,
                                     std::string &Log) {
  try {
    return link(M, Texts);
  } catch (const SyntaxError &E) {
    Log = "line " + std::to_string(E.Line) + ": error: " + E.Text;
  } catch (const std::bad_alloc &) {
    Log = "error: the text takes more memory than the host has";
  }
  return nullptr;
}

std::unique_ptr<Run> Device::launch(Module &Mod, int Index, Dim3 Grid,
                                    Dim3 Block, size_t DynamicShared,
                                    const void *Params, Fault &F) {
  Image &In = static_cast<Image &>(Mod);
  if (Index < 0 || static_cast<size_t>(Index) >= In.Kernels.size()) {
    F = {InvalidValue, "there is no such kernel"};
    return nullptr;
  }
  const Kernel &K = In.Kernels[static_cast<size_t>(Index)];
  auto refuse = [&](int Result, const std::string &Why) {
    F = {Result, "launch of kernel '" + K.Entry->Name + "': " + Why};
    return nullptr;
  };
  uint64_t Threads = uint64_t(Block.X) * Block.Y * Block.Z;
  if (!Grid.X || !Grid.Y || !Grid.Z || !Threads)
    return refuse(InvalidValue, "a dimension is 0");
  if (Block.X > 1024 || Block.Y > 1024 || Block.Z > 64 || Threads > 1024)
    return refuse(InvalidValue,
                  "a block of " + std::to_string(Threads) + " threads");
  if (Grid.X > 0x7FFFFFFF || Grid.Y > 65535 || Grid.Z > 65535)
    return refuse(InvalidValue, "the grid is too large");
  if (Threads > K.Info.MaxThreads)
    return refuse(InvalidValue, "a block of " + std::to_string(Threads) +
                                    " threads, but the kernel's .maxntid is " +
                                    std::to_string(K.Info.MaxThreads));
  if (K.Required[0] && (K.Required[0] != Block.X || K.Required[1] != Block.Y ||
                        K.Required[2] != Block.Z))
    return refuse(InvalidValue, "the block is not that of .reqntid");
  if (DynamicShared > MostShared ||
      K.Info.SharedBytes + DynamicShared > MostShared)
    return refuse(InvalidValue,
                  std::to_string(K.Info.SharedBytes + DynamicShared) +
                      " bytes of shared memory");
  Options Own = O;
  Own.Seed = Chance.next();
  Printed.Limit = PrintfBytes;
  return std::make_unique<Launch>(M, In, K, Own, Grid, Block, DynamicShared,
                                  StackBytes, Params, Printed);
}

} // namespace

} // namespace gpu_in_software::machine

std::unique_ptr<gpu_in_software::Machine>
gpu_in_software::Machine::create(const Options &O) {
  return std::make_unique<machine::Device>(O);
}
