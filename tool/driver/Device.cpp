// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device.h"
#include "Message.h"
#include "PTX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include <deque>
#include <memory>

using namespace llvm;

namespace agglom {

/// PTX is made for the oldest supported architecture; its version of PTX (6.3)
/// is read by every driver since 2018.
static constexpr unsigned BaseArch = 75;

static unsigned ptxArch(const CommandLine &CL) {
  unsigned Arch = BaseArch;
  for (unsigned A : CL.Own.Archs)
    Arch = std::min(Arch, A);
  return Arch;
}

static void put(std::vector<std::string> &To,
                std::initializer_list<std::string> Args) {
  To.insert(To.end(), Args);
}

/// Adds Clang's arguments for the device maths library. Returns false after a
/// message when there is none.
static bool addMaths(const DeviceJob &Job, std::vector<std::string> &Args) {
  const Toolchain &T = Job.Tools;
  if (T.Libdevice.empty() && T.Libclc.empty()) {
    error(Job.Source +
          ": a task uses <math.h>, and no maths library for the device was "
          "found; install libclc-" +
          std::to_string(LLVM_VERSION_MAJOR) +
          " (or set AGGLOMCC_LIBCLC to its nvptx64--.bc), or a CUDA toolkit "
          "(or set AGGLOMCC_CUDA_PATH to its folder)");
    return false;
  }
  bool UseLibdevice = !T.Libdevice.empty();
  put(Args, {UseLibdevice ? "-DAG_MATHS_LIBDEVICE" : "-DAG_MATHS_LIBCLC",
             "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
             UseLibdevice ? T.Libdevice : T.Libclc});
  return true;
}

/// The command that compiles text to PTX by Clang, in C mode, without CUDA.
static bool clangCommand(const DeviceJob &Job, const std::string &Output,
                         Command &C) {
  C.Program = Job.Tools.Clang;
  C.IsOwnClang = Job.Tools.ClangIsOwn;
  // Without --cuda-path Clang takes the PTX version from any toolkit it finds,
  // and only the newest drivers accept the newest version.
  put(C.Args, {"--target=nvptx64-nvidia-cuda",
               "-march=sm_" + std::to_string(ptxArch(Job.CL)), "-nogpulib",
               "--cuda-path=/dev/null", "-Xclang", "-target-feature", "-Xclang",
               "+ptx63", "-x", "c", "-ffreestanding", "-nostdlibinc", "-w",
               // The user's compilation has accepted these conversions.
               "-Wno-int-conversion", "-Wno-incompatible-pointer-types",
               "-Wno-incompatible-function-pointer-types", "-Qunused-arguments",
               "-fno-crash-diagnostics",
               // The output is a temporary file itself and needs no other.
               "-fno-temp-file",
               // PTX is part of the object and needs no comments.
               "-fno-verbose-asm",
               // Has no meaning for PTX; but without it Clang 19 makes tables
               // of distances that its own back end cannot write.
               "-mcmodel=large"});
  append_range(C.Args, Job.CL.deviceOptions());
  if (Job.CL.debugInfo())
    C.Args.push_back("-gline-tables-only");
  put(C.Args, {"-I", Job.Tools.IncludeDir});
  if (Job.NeedsMaths && !addMaths(Job, C.Args))
    return false;
  put(C.Args, {"-S", Job.Text, "-o", Output});
  return true;
}

static Command ptxasCommand(const DeviceJob &Job, const std::string &Arch,
                            const std::string &PTX, const std::string &Output) {
  Command C;
  C.Program = Job.Tools.Ptxas;
  put(C.Args, {"-arch=" + Arch, "-w"});
  if (Job.CL.debugInfo())
    C.Args.push_back("-lineinfo");
  put(C.Args, {PTX, "-o", Output});
  return C;
}

/// \param OldDrivers compress so that each driver can read it; what the
/// toolkits before 12.8 do, which do not know the option, is so always.
static Command fatbinaryCommand(const DeviceJob &Job, const std::string &Arch,
                                const std::string &Cubin,
                                const std::string &Output, bool OldDrivers) {
  Command C;
  C.Program = Job.Tools.Fatbinary;
  put(C.Args, {"--create=" + Output, "--64", "--compress-all"});
  if (OldDrivers)
    C.Args.push_back("--compress-mode=speed");
  put(C.Args, {"--image3=kind=elf,sm=" + StringRef(Arch).substr(3).str() +
               ",file=" + Cubin});
  return C;
}

/// Rewrites the file by portablePTX(). \returns whether that succeeded.
static bool makePortable(const std::string &Path) {
  std::string Text = readFile(Path), Out = portablePTX(Text);
  return Out == Text || writeFile(Path, Out);
}

namespace {
/// A running device compiler, whose messages are kept in a file.
class QuietRun {
  const DeviceJob &Job;
  Command C;
  std::unique_ptr<Running> Runs;

public:
  QuietRun(const DeviceJob &Job, Command Given)
      : Job(Job), C(std::move(Given)) {
    if (Job.CL.Verbose || Job.CL.DryRun)
      print(C);
    if (Job.CL.DryRun)
      return;
    // Where a file cannot be written, Clang 19 crashes, and symbolising the
    // crash leaves files in a full folder.
    setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*overwrite=*/0);
    C.StderrFile = Job.Temps.create("agglomcc", "txt");
    if (!C.StderrFile.empty())
      Runs = std::make_unique<Running>(C);
  }
  const Command &command() const { return C; }
  bool wait(std::string &Said) {
    if (!Runs)
      return Job.CL.DryRun;
    int Status = Runs->wait();
    Said = readFile(C.StderrFile);
    if (Status == 0 && Job.CL.Verbose)
      errs() << Said;
    return Status == 0;
  }
};

/// Machine code for one architecture, in the making.
struct CubinRun {
  unsigned Number;
  std::string Arch, File;
  std::unique_ptr<QuietRun> Run;
};
} // namespace

/// Machine code is mostly the same for each kernel, and compresses to a tenth.
/// \returns the path of the compressed file; that of the machine code itself
/// where the toolkit cannot do it.
static std::string compress(const DeviceJob &Job, const CubinRun &R) {
  std::string Said, File;
  if (!Job.Tools.Fatbinary.empty())
    File = Job.FileFor(R.Arch + ".fatbin");
  if (File.empty())
    return R.File;
  for (bool OldDrivers : {true, false})
    if (QuietRun(Job, fatbinaryCommand(Job, R.Arch, R.File, File, OldDrivers))
            .wait(Said))
      return File;
  removeOutput(File);
  return R.File;
}

/// The number of compilations to machine code that run at a time.
constexpr size_t MostCubinRuns = 4;

static bool failed(const DeviceJob &Job, const Command &C, StringRef Said) {
  if (tempFolderIsFull())
    return false;
  error(Job.Source +
        ": the device code of its tasks could not be compiled by " + C.Program +
        ":");
  errs() << Said;
  return false;
}

/// Stores in \p F the first error in \p Said. Generated text has line markers,
/// so the error is at a line of the user's. All of \p Said is printed.
static bool refused(const Command &C, StringRef Said, Fault &F) {
  if (tempFolderIsFull())
    return false;
  errs() << Said;
  F.Said =
      "'" + C.Program + "' cannot compile the device code that was made of it";
  for (StringRef Rest = Said; !Rest.empty();) {
    auto [Row, Behind] = Rest.split('\n');
    Rest = Behind;
    auto [Place, Text] = Row.split(": error: ");
    if (Text.empty())
      continue;
    F.Said += ": " + Text.str();
    unsigned Line;
    auto [Before, Column] = Place.rsplit(':');
    auto [File, Number] = Before.rsplit(':');
    if (!Number.getAsInteger(10, Line)) {
      F.File = File.str();
      F.Line = Line;
    }
    break;
  }
  return false;
}

static bool isUnknownArch(StringRef Said) {
  return Said.contains("is not defined for option 'gpu-name'") ||
         Said.contains("Unsupported gpu architecture");
}

bool compileDevice(const DeviceJob &Job, std::vector<Image> &Images,
                   std::vector<Resources> &Used, Fault &Failure) {
  const CommandLine &CL = Job.CL;
  std::string PTX = Job.FileFor("ptx"), Said;
  if (PTX.empty())
    return false;
  Command C;
  if (!clangCommand(Job, PTX, C))
    return false;
  if (!QuietRun(Job, C).wait(Said))
    return refused(C, Said, Failure);
  if (!CL.DryRun) {
    if (!makePortable(PTX))
      return false;
    Images.push_back({Image::PTX, ptxArch(CL), readFile(PTX)});
  }

  bool NoPtxas = Job.Tools.Ptxas.empty();
  // The runtime lets the driver link PTX; machine code could not be linked with
  // it.
  if (Job.PTXOnly || Job.Linked || NoPtxas) {
    for (unsigned Number : CL.Own.Archs)
      Used.push_back(Resources::unknown("sm_" + std::to_string(Number),
                                        NoPtxas ? "no ptxas"
                                        : Job.Linked
                                            ? "linked when it is loaded"
                                            : "only PTX was asked for"));
    return true;
  }
  std::deque<CubinRun> Runs;
  auto finishOne = [&] {
    CubinRun R = std::move(Runs.front());
    Runs.pop_front();
    if (R.Run->wait(Said)) {
      if (CL.Own.Report)
        append_range(Used, parseResources(Said, R.Arch));
      std::string File = compress(Job, R);
      if (!CL.DryRun)
        Images.push_back({Image::Cubin, R.Number, readFile(File)});
      return true;
    }
    if (!isUnknownArch(Said))
      return failed(Job, R.Run->command(), Said);
    removeOutput(R.File);
    Used.push_back(Resources::unknown(
        R.Arch, "this ptxas does not know the architecture"));
    if (CL.Verbose)
      errs() << "agglomcc: note: " << R.Run->command().Program
             << " does not know " << R.Arch
             << "; the object carries PTX for it\n";
    return true;
  };
  for (unsigned Number : CL.Own.Archs) {
    if (Runs.size() == MostCubinRuns && !finishOne())
      return false;
    CubinRun R{Number, "sm_" + std::to_string(Number), "", nullptr};
    R.File = Job.FileFor(R.Arch + ".cubin");
    if (R.File.empty())
      return false;
    C = ptxasCommand(Job, R.Arch, PTX, R.File);
    if (CL.Own.Report)
      C.Args.insert(C.Args.begin(), "-v");
    R.Run = std::make_unique<QuietRun>(Job, C);
    Runs.push_back(std::move(R));
  }
  while (!Runs.empty())
    if (!finishOne())
      return false;
  return true;
}

} // namespace agglom
