// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that Clang's table does not have: agglomcc's own.

#include "CommandLine.h"
#include "Message.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace agglom {

std::vector<std::string> warningGroups() {
  std::vector<std::string> Groups;
#define DIAG(Id, Severity, Group, Text)                                        \
  if (*Group && !is_contained(Groups, std::string("agglom-") + Group))         \
    Groups.push_back(std::string("agglom-") + Group);
#include "diagnostics.def"
  return Groups;
}

static std::string nearest(StringRef Word, ArrayRef<StringRef> Words) {
  unsigned Best = Word.size() / 3 + 1;
  std::string Found;
  for (StringRef W : Words) {
    unsigned Distance = Word.edit_distance(W, true, Best);
    if (Distance <= Best && (Found.empty() || Distance < Best)) {
      Best = Distance;
      Found = W.str();
    }
  }
  return Found;
}

static bool unknownOption(StringRef Arg) {
  static const StringRef Names[] = {
      "arch=",
      "host-compiler=",
      "report",
      "runtime=",
  };
  // Options are compared without the part that is spelt right.
  StringRef Name = Arg.take_front(Arg.find('=') + 1);
  if (Name.empty())
    Name = Arg;
  for (StringRef Prefix : {"--fagglom-", "-fagglom-", "-fno-agglom-"})
    if (Name.consume_front(Prefix))
      break;
  std::string Near = nearest(Name, Names);
  if (Near.empty())
    Near = nearest((Name + "=").str(), Names);
  if (!Near.empty())
    Near = "-fagglom-" + Near;
  error("unknown option '" + Arg + "'" +
        (Near.empty() ? "; agglomcc --help lists those that exist"
                      : "; did you mean '" + Near + "'?"));
  return false;
}

static bool parseArchs(StringRef Arg, StringRef Value,
                       std::vector<unsigned> &Archs) {
  Archs.clear();
  SmallVector<StringRef, 4> Parts;
  Value.split(Parts, ',');
  for (StringRef Part : Parts) {
    unsigned Number;
    StringRef Digits = Part;
    if (!Digits.consume_front("sm_") || Digits.getAsInteger(10, Number) ||
        Number < 50 || Number > 999) {
      error("'" + Part + "' in '" + Arg +
            "' is not a GPU architecture; write for example "
            "-fagglom-arch=sm_80,sm_90");
      return false;
    }
    if (!is_contained(Archs, Number))
      Archs.push_back(Number);
  }
  llvm::sort(Archs);
  return true;
}

/// \returns the part behind "-W...agglom", or nullopt for another option.
static std::optional<StringRef> warningName(StringRef Arg) {
  if (!Arg.consume_front("-W"))
    return std::nullopt;
  Arg.consume_front("no-");
  Arg.consume_front("error=");
  if (Arg == "agglom" || Arg.starts_with("agglom-"))
    return Arg;
  return std::nullopt;
}

bool CommandLine::takeOwn(StringRef Arg, bool &IsOwn) {
  IsOwn = true;
  if (std::optional<StringRef> Name = warningName(Arg)) {
    Own.Warnings.Flags.push_back(Arg.str());
    std::vector<std::string> Groups = warningGroups();
    if (*Name == "agglom" || is_contained(Groups, Name->str()))
      return true;
    std::vector<StringRef> Names(Groups.begin(), Groups.end());
    std::string Near = nearest(*Name, Names);
    warning("unknown warning option '" + Arg + "'" +
            (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
    return true;
  }

  StringRef Value = Arg;
  auto OneOf = [&](StringRef First, StringRef Second, bool &IsSecond) {
    IsSecond = Value == Second;
    if (Value == First || IsSecond)
      return true;
    error("'" + Arg + "': the value must be '" + First + "' or '" + Second +
          "'");
    return false;
  };
  auto Emit = [&](Stage S) {
    if (Own.Emit != Stage::None && Own.Emit != S) {
      error("give only one of --emit-c, --emit-cuda and --emit-ptx");
      return false;
    }
    Own.Emit = S;
    return true;
  };

  auto Edit = [&](bool Suggest, EditMode Mode) {
    if (Own.Edit != EditMode::None && Own.Suggest != Suggest) {
      error("give --fix or --suggest, not both: one after the other");
      return false;
    }
    Own.Edit = Mode;
    Own.Suggest = Suggest;
    return true;
  };

  if (Arg == "-fagglom" || Arg == "-fno-agglom")
    Own.Enabled = Arg == "-fagglom";
  else if (Arg == "-fagglom-report")
    Own.Report = true;
  else if (Value.consume_front("-fagglom-arch="))
    return parseArchs(Arg, Value, Own.Archs);
  else if (Value.consume_front("-fagglom-runtime=")) {
    bool Shared;
    if (!OneOf("static", "shared", Shared))
      return false;
    Own.SharedRuntime = Shared;
  } else if (Value.consume_front("-fagglom-host-compiler=")) {
    Own.HostCompiler = Value.str();
    if (Value.empty()) {
      error("'" + Arg + "' needs the name or path of a C compiler");
      return false;
    }
  } else if (Arg == "--emit-c")
    return Emit(Stage::C);
  else if (Arg == "--emit-cuda")
    return Emit(Stage::Cuda);
  else if (Arg == "--emit-ptx")
    return Emit(Stage::PTX);
  else if (Arg == "--fix" || Arg == "--fix=print")
    return Edit(false, Arg == "--fix" ? EditMode::Apply : EditMode::Print);
  else if (Arg == "--suggest" || Arg == "--suggest=apply")
    return Edit(true, Arg == "--suggest" ? EditMode::Print : EditMode::Apply);
  else if (Arg == "--help-pragmas")
    Own.HelpPragmas = true;
  else if (Arg == "--agglom-version")
    Own.OwnVersion = true;
  else if (Arg == "-showme:compile" || Arg == "--showme:compile")
    Own.ShowCompile = true;
  else if (Arg == "-showme:link" || Arg == "--showme:link")
    Own.ShowLink = true;
  else if (Arg.starts_with("-fagglom") || Arg.starts_with("-fno-agglom") ||
           Arg.starts_with("--fagglom"))
    return unknownOption(Arg);
  else
    IsOwn = false;
  return true;
}

} // namespace agglom
