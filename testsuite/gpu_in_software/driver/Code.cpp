// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules, links, functions and launches.

#include "Driver.h"
#include <algorithm>
#include <cstring>

using namespace gpu_in_software;
using namespace gpu_in_software::api;

/// What a linked image begins with; then the texts, each ended by a NUL, and
/// another one. It is good on its own: the link may go.
static const char LinkedMark[] = "\177linked PTX";

static void writeLog(unsigned N, const int *Options, void **Values,
                     const std::string &Log) {
  char *Buffer = nullptr;
  for (unsigned I = 0; I < N; ++I)
    if (Options[I] == AG_CU_JIT_ERROR_LOG_BUFFER)
      Buffer = static_cast<char *>(Values[I]);
  for (unsigned I = 0; I < N && Buffer; ++I)
    if (Options[I] == AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      auto Room = reinterpret_cast<uintptr_t>(Values[I]) & UINT32_MAX;
      size_t Size = Room ? std::min(Log.size(), Room - 1) : 0;
      if (Room) {
        std::memcpy(Buffer, Log.data(), Size);
        Buffer[Size] = '\0';
      }
      Values[I] = reinterpret_cast<void *>(Size);
    }
}

static bool isPtx(const char *Text) {
  return std::strstr(Text, ".version") != nullptr;
}

/// Compiles in the current context.
static std::unique_ptr<Module> compile(Call &C,
                                       const std::vector<std::string> &Texts,
                                       unsigned N, const int *Options,
                                       void **Values) {
  std::string Log;
  std::lock_guard<Turn> L(C.Here->Using);
  std::unique_ptr<Module> M = C.Here->Gpu->load(Texts, Log);
  writeLog(N, Options, Values, Log);
  if (!M)
    C.Result = InvalidPtx;
  return M;
}

ag_cu_result cuModuleLoadDataEx(ag_cu_module *Out, const void *Image,
                                unsigned N, int *Options, void **Values) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Out) || !C.stores(Image))
    return C.Result;
  C.Here->flush();
  const char *Text = static_cast<const char *>(Image);
  std::vector<std::string> Texts;
  if (!std::strncmp(Text, LinkedMark, sizeof LinkedMark))
    for (Text += sizeof LinkedMark; *Text; Text += std::strlen(Text) + 1)
      Texts.push_back(Text);
  else if (std::strncmp(Text, "\177ELF", 4) != 0 &&
           std::strncmp(Text, "\x50\xed\x55\xba", 4) != 0 && isPtx(Text))
    Texts.push_back(Text);
  if (Texts.empty()) // machine code, which is not what this device executes
    return C.Result = NoBinaryForGpu;
  auto M = std::make_shared<LoadedModule>();
  M->Of = C.Here;
  if ((M->Code = compile(C, Texts, N, Options, Values)))
    *Out = reinterpret_cast<ag_cu_module>(driver().Modules.add(M));
  return C.Result;
}

ag_cu_result cuModuleUnload(ag_cu_module Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<LoadedModule> M;
  if (C.failed() || !C.find(driver().Modules, Handle, M))
    return C.Result;
  Device &D = *M->Of;
  bool Used = false;
  for (const std::shared_ptr<Stream> &S : D.Streams)
    for (const OperationRef &O : S->Queue)
      Used |= O->runs(*M);
  if (Used)
    C.misuse(AG_CU_SUCCESS, "a kernel of the module still runs");
  driver().Modules.Live.erase(reinterpret_cast<uintptr_t>(Handle));
  for (const auto &F : M->Functions)
    driver().Functions.Live.erase(reinterpret_cast<uintptr_t>(F.second));
  D.drain(C.Held);
  D.flush();
  std::lock_guard<Turn> L(D.Using);
  M.reset();
  return C.Result = D.Dead;
}

// --- Links ------------------------------------------------------------------

ag_cu_result cuLinkCreate_v2(unsigned N, int *Options, void **Values,
                             ag_cu_link *Out) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Out))
    return C.Result;
  auto L = std::make_shared<Link>(Link{C.Here, {}, "", N, Options, Values});
  *Out = reinterpret_cast<ag_cu_link>(driver().Links.add(L));
  return C.Result;
}

ag_cu_result cuLinkAddData_v2(ag_cu_link Handle, int Kind, void *Data,
                              size_t Bytes, const char *Name, unsigned, int *,
                              void **) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Link> L;
  if (C.failed() || !C.find(driver().Links, Handle, L))
    return C.Result;
  const char *Text = static_cast<const char *>(Data);
  if (Kind != AG_CU_JIT_INPUT_PTX)
    return C.Result = NoBinaryForGpu;
  if (!L->Image.empty() || !Bytes || Text[Bytes - 1])
    return C.misuse(AG_CU_INVALID_VALUE,
                    format("%s is no text that ends with a NUL, or the link "
                           "is complete",
                           Name ? Name : "what is added"));
  if (!isPtx(Text))
    return C.Result = InvalidPtx;
  L->Texts.push_back(Text);
  return C.Result;
}

ag_cu_result cuLinkComplete(ag_cu_link Handle, void **Image, size_t *Bytes) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Link> L;
  if (C.failed() || !C.stores(Image) || !C.find(driver().Links, Handle, L))
    return C.Result;
  // Only to see whether it does: the image is what the texts were.
  std::unique_ptr<Module> M =
      compile(C, L->Texts, L->LogOptions, L->Options, L->Values);
  if (!M)
    return C.Result;
  L->Image.assign(LinkedMark, sizeof LinkedMark);
  for (const std::string &T : L->Texts)
    L->Image.append(T.c_str(), T.size() + 1);
  L->Image += '\0';
  *Image = &L->Image[0];
  if (Bytes)
    *Bytes = L->Image.size();
  std::lock_guard<Turn> Using(C.Here->Using);
  M.reset();
  return C.Result;
}

ag_cu_result cuLinkDestroy(ag_cu_link Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Link> L;
  if (C.failed() || !C.find(driver().Links, Handle, L))
    return C.Result;
  driver().Links.Live.erase(reinterpret_cast<uintptr_t>(Handle));
  // What was linked must be loaded by now.
  std::fill(L->Image.begin(), L->Image.end(), '?');
  return C.Result;
}

// --- Functions --------------------------------------------------------------

ag_cu_result cuModuleGetFunction(ag_cu_function *Out, ag_cu_module Handle,
                                 const char *Name) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<LoadedModule> M;
  if (C.failed() || !C.stores(Out) || !C.stores(Name) ||
      !C.find(driver().Modules, Handle, M))
    return C.Result;
  int Index = M->Code->kernel(Name);
  if (Index < 0)
    return C.Result = NotFound;
  ag_cu_function &Known = M->Functions[Index];
  if (!Known)
    Known = reinterpret_cast<ag_cu_function>(driver().Functions.add(
        std::make_shared<Function>(Function{M->Of, M, Index})));
  *Out = Known;
  return C.Result;
}

ag_cu_result cuFuncGetAttribute(int *Value, int Attribute,
                                ag_cu_function Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Function> F;
  if (C.failed() || !C.stores(Value) || !C.find(driver().Functions, Handle, F))
    return C.Result;
  const KernelInfo &Info = F->In->Code->info(F->Index);
  if (Attribute == AG_CU_FUNC_MAX_THREADS_PER_BLOCK)
    *Value = static_cast<int>(Info.MaxThreads);
  else if (Attribute == AG_CU_FUNC_LOCAL_SIZE_BYTES)
    *Value = static_cast<int>(Info.LocalBytes);
  else
    C.misuse(AG_CU_INVALID_VALUE, format("no attribute %d", Attribute));
  return C.Result;
}

/// Never more than the machine really has resident: blocks may wait for each
/// other.
ag_cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks,
                                                         ag_cu_function Handle,
                                                         int Threads,
                                                         size_t SharedBytes) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Function> F;
  if (C.failed() || !C.stores(Blocks) || !C.find(driver().Functions, Handle, F))
    return C.Result;
  if (Threads <= 0)
    return C.misuse(AG_CU_INVALID_VALUE, "no threads");
  const Options &O = driver().Wanted.Device;
  const KernelInfo &Info = F->In->Code->info(F->Index);
  size_t Shared = Info.SharedBytes + SharedBytes;
  size_t Most = std::min<size_t>(O.BlocksAtOnce / O.Multiprocessors,
                                 2048 / ((unsigned(Threads) + 31) / 32 * 32));
  if (Shared)
    Most = std::min(Most, (size_t(100) << 10) / Shared);
  *Blocks = unsigned(Threads) > Info.MaxThreads ? 0 : static_cast<int>(Most);
  return C.Result;
}

ag_cu_result cuLaunchKernel(ag_cu_function Handle, unsigned GridX,
                            unsigned GridY, unsigned GridZ, unsigned BlockX,
                            unsigned BlockY, unsigned BlockZ,
                            unsigned SharedBytes, ag_cu_stream Where,
                            void **Params, void **Extra) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Function> F;
  std::shared_ptr<Stream> S;
  if (C.failed() || !C.find(driver().Functions, Handle, F) || !C.find(Where, S))
    return C.Result;
  if (F->Of != S->Of || S->Of != C.Here)
    return C.misuse(InvalidHandle, "function, stream and current context do "
                                   "not belong together");
  C.Here->flush();
  const KernelInfo &Info = F->In->Code->info(F->Index);
  uint64_t Threads = uint64_t(BlockX) * BlockY * BlockZ;
  if (!Threads || !GridX || !GridY || !GridZ || GridX > INT32_MAX ||
      GridY > 65535 || GridZ > 65535 || BlockX > 1024 || BlockY > 1024 ||
      BlockZ > 64 || Threads > 1024)
    return C.misuse(AG_CU_INVALID_VALUE,
                    format("no device has a grid of %ux%ux%u blocks of "
                           "%ux%ux%u threads",
                           GridX, GridY, GridZ, BlockX, BlockY, BlockZ));
  if (Threads > Info.MaxThreads || Info.SharedBytes + SharedBytes > 48 << 10)
    return C.misuse(AG_CU_LAUNCH_OUT_OF_RESOURCES,
                    format("%llu threads or %zu bytes of shared memory are "
                           "more than the kernel may have",
                           (unsigned long long)Threads,
                           Info.SharedBytes + SharedBytes));
  if (Extra || (!Params && !Info.ParamSizes.empty()))
    return C.misuse(AG_CU_INVALID_VALUE, "parameters in no form known here");
  driver().Seen.blocks = GridX * GridY * GridZ;
  driver().Seen.threads = static_cast<unsigned>(Threads);
  auto K = std::make_unique<Kernel>();
  K->In = F->In;
  K->Index = F->Index;
  K->Grid = {GridX, GridY, GridZ};
  K->Block = {BlockX, BlockY, BlockZ};
  K->Shared = SharedBytes;
  K->Params.resize(Info.ParamBytes);
  for (size_t I = 0; I < Info.ParamSizes.size(); ++I)
    std::memcpy(&K->Params[Info.ParamOffsets[I]], Params[I],
                Info.ParamSizes[I]);
  S->Of->enqueue(*S, std::move(K));
  return C.Result;
}
