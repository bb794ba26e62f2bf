// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process.h"
#include "Message.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include <optional>

using namespace llvm;

namespace agglom {

void print(const Command &C) {
  errs() << ' ';
  sys::printArg(errs(), C.Program, /*Quote=*/true);
  for (const std::string &A : C.Args) {
    errs() << ' ';
    sys::printArg(errs(), A, /*Quote=*/true);
  }
  errs() << '\n';
}

/// One argument as a GNU response file spells it.
static void quoteForFile(raw_ostream &OS, StringRef Arg) {
  OS << '"';
  for (char C : Arg) {
    if (C == '"' || C == '\\')
      OS << '\\';
    OS << C;
  }
  OS << "\"\n";
}

int run(const Command &C, bool *Finished) {
  if (Finished)
    *Finished = false;
  TempFiles Temps(false);
  std::vector<StringRef> Args = {C.Program};
  Args.insert(Args.end(), C.Args.begin(), C.Args.end());

  // @files were expanded; a line that is now too long goes back into one.
  std::string ResponseArg;
  if (!sys::commandLineFitsWithinSystemLimits(C.Program, Args)) {
    std::string Text, File = Temps.create("agglomcc", "rsp");
    raw_string_ostream OS(Text);
    for (const std::string &A : C.Args)
      quoteForFile(OS, A);
    if (File.empty() || !writeFile(File, OS.str()))
      return 1;
    ResponseArg = "@" + File;
    Args = {C.Program, ResponseArg};
  }

  std::optional<StringRef> Redirects[3];
  if (!C.StdinFile.empty())
    Redirects[0] = C.StdinFile;
  if (!C.StderrFile.empty())
    Redirects[2] = C.StderrFile;
  std::string Message;
  bool NotStarted = false;
  errs().flush();
  outs().flush();
  int Status = sys::ExecuteAndWait(C.Program, Args, std::nullopt, Redirects, 0,
                                   0, &Message, &NotStarted);
  if (NotStarted || Status == -1) {
    error("cannot run '" + C.Program + "': " + Message);
    return 1;
  }
  // The reader of a pipe had enough, as in 'agglomcc -S x.c -o - | head': that
  // is no crash, and Clang does not speak of it either.
  if (Status < 0 && StringRef(Message).starts_with("Broken pipe"))
    return 1;
  if (Status < 0) {
    error("'" + C.Program + "' was ended by a signal (" + Message +
          "); its messages stand above, and 'agglomcc -v' shows the command");
    return 1;
  }
  if (Finished)
    *Finished = true;
  return Status;
}

std::string readFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

static bool writeTo(StringRef Path, StringRef Text, std::error_code &EC) {
  raw_fd_ostream OS(Path, EC, sys::fs::OF_None);
  if (EC)
    return false;
  OS << Text;
  OS.close();
  EC = OS.error();
  OS.clear_error();
  return !EC;
}

bool writeFile(StringRef Path, StringRef Text) {
  std::error_code EC;
  if (Path == "-") {
    outs() << Text;
    outs().flush();
    return true;
  }
  sys::fs::file_status Status;
  bool Exists = !sys::fs::status(Path, Status) && sys::fs::exists(Status);
  if (Exists && !sys::fs::is_regular_file(Status)) {
    if (!writeTo(Path, Text, EC)) // a device, a pipe
      error("cannot write '" + Path + "': " + EC.message());
    return !EC;
  }

  SmallString<128> Temp;
  int FD;
  EC = sys::fs::createUniqueFile(Path + ".%%%%%%", FD, Temp, sys::fs::OF_None,
                                 sys::fs::all_read | sys::fs::all_write);
  if (!EC) {
    sys::RemoveFileOnSignal(Temp);
    raw_fd_ostream OS(FD, /*shouldClose=*/true);
    OS << Text;
    OS.close();
    EC = OS.error();
    OS.clear_error();
    if (!EC)
      EC = sys::fs::rename(Temp, Path);
    if (EC)
      sys::fs::remove(Temp);
    sys::DontRemoveFileOnSignal(Temp);
  }
  if (EC)
    error("cannot write '" + Path + "': " + EC.message());
  return !EC;
}

bool replaceFile(StringRef Path, StringRef Text) {
  SmallString<128> Real;
  if (sys::fs::real_path(Path, Real))
    Real = Path;
  auto Permissions = sys::fs::getPermissions(Real);
  if (!writeFile(Real, Text))
    return false;
  return !Permissions || !sys::fs::setPermissions(Real, *Permissions);
}

void removeOutput(StringRef Path) {
  if (!Path.empty() && sys::fs::is_regular_file(Path))
    sys::fs::remove(Path);
}

TempFiles::~TempFiles() {
  for (const std::string &Path : Paths) {
    sys::fs::remove(Path);
    sys::DontRemoveFileOnSignal(Path);
  }
}

std::string TempFiles::create(StringRef Stem, StringRef Extension) {
  SmallString<128> Path;
  if (DryRun) {
    sys::fs::getPotentiallyUniqueTempFileName(Stem, Extension, Path);
    return Path.str().str();
  }
  if (std::error_code EC =
          sys::fs::createTemporaryFile(Stem, Extension, Path)) {
    error("cannot create a temporary file: " + EC.message() +
          "; set TMPDIR to a folder that can be written");
    return "";
  }
  sys::RemoveFileOnSignal(Path);
  Paths.push_back(Path.str().str());
  return Paths.back();
}

} // namespace agglom
