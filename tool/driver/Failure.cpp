// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Failure.h"
#include "Message.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace agglom {

/// The command and the failure as one C comment.
static std::string story(const CommandLine &CL, StringRef Said) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "agglomcc " AGGLOM_VERSION " (LLVM " LLVM_VERSION_STRING ")\nagglomcc";
  for (const std::string &A : CL.Given) {
    OS << ' ';
    sys::printArg(OS, A, /*Quote=*/false);
  }
  OS << '\n' << Said << '\n';
  std::string Out = "/*\n";
  for (char C : OS.str()) {
    if (C == '/' && Out.back() == '*')
      Out += ' ';
    Out += C;
  }
  return Out + "*/\n";
}

/// \returns the file's name, or "" with the reason in \p EC.
static std::string keep(StringRef Name, StringRef Text, StringRef Story,
                        std::error_code &EC) {
  SmallString<128> Path;
  int FD;
  EC = sys::fs::createTemporaryFile(Name == "-" ? "stdin"
                                                : sys::path::stem(Name),
                                    "agglom-report.i", FD, Path);
  if (EC)
    return "";
  raw_fd_ostream OS(FD, /*shouldClose=*/true);
  // Behind the text: the text's first line names the user's file.
  OS << Text << '\n' << Story;
  OS.close();
  EC = OS.error();
  OS.clear_error();
  if (!EC)
    return Path.str().str();
  sys::fs::remove(Path);
  return "";
}

void reportFault(const CommandLine &CL, StringRef Name, const Fault &F,
                 StringRef Text) {
  std::string Place = F.File.empty() ? Name.str() : F.File;
  if (F.Line)
    Place += ":" + std::to_string(F.Line);
  std::string Said = F.Said.empty() ? "no reason is known" : F.Said;
  WithColor::error(errs(), Place)
      << "agglomcc cannot translate this, which is a fault of agglomcc and not "
         "of the program: "
      << Said << '\n';
  std::error_code EC;
  std::string File = keep(Name, Text, story(CL, Place + ": " + Said), EC);
  if (EC)
    WithColor::note(errs(), "agglomcc")
        << "please report it with the source and the command; they could not "
           "be kept in a temporary file: "
        << EC.message() << '\n';
  else
    WithColor::note(errs(), "agglomcc")
        << "please report it with the file '" << File
        << "', which holds the preprocessed source and the command\n";
}

} // namespace agglom
