// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gcc.h"
#include "../support/Affix.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agglom {

using std::string_view;

/// The executable behind the name \p Compiler, links followed; "" if there is
/// none.
static std::string realFile(const std::string &Compiler) {
  auto Real = [](const std::string &Path) {
    char *Whole = access(Path.c_str(), X_OK) == 0
                      ? realpath(Path.c_str(), nullptr)
                      : nullptr;
    std::string Out = Whole ? Whole : "";
    free(Whole);
    return Out;
  };
  if (Compiler.find('/') != std::string::npos)
    return Real(Compiler);
  const char *Value = getenv("PATH");
  std::string Rest = Value ? Value : "";
  while (!Rest.empty()) {
    size_t End = std::min(Rest.find(':'), Rest.size());
    std::string Folder = End ? Rest.substr(0, End) : ".";
    Rest.erase(0, End + 1);
    std::string Found = Real(Folder + "/" + Compiler);
    if (!Found.empty())
      return Found;
  }
  return "";
}

namespace {
/// A file's text while this lives; empty where it cannot be read.
struct MappedFile {
  string_view Text;

  explicit MappedFile(const std::string &Path) {
    int FD = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat Status;
    if (FD >= 0 && !fstat(FD, &Status) && Status.st_size > 0) {
      void *At = mmap(nullptr, Status.st_size, PROT_READ, MAP_PRIVATE, FD, 0);
      if (At != MAP_FAILED)
        Text = {static_cast<const char *>(At),
                static_cast<size_t>(Status.st_size)};
    }
    close(FD);
  }
  ~MappedFile() { munmap(const_cast<char *>(Text.data()), Text.size()); }
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
};
} // namespace

/// The part of an executable from its constants on. Reading the code would take
/// time. All of the file where the constants are not found; nothing of a file
/// that is no executable.
static string_view constantsOf(string_view Program) {
  Elf64_Ehdr Head;
  if (Program.size() < sizeof Head || !startsWith(Program, ELFMAG))
    return "";
  memcpy(&Head, Program.data(), sizeof Head);
  if (Head.e_ident[EI_CLASS] != ELFCLASS64)
    return Program;
  bool IsBehindCode = false;
  for (size_t I = 0; I != Head.e_phnum; ++I) {
    Elf64_Phdr Part;
    size_t At = Head.e_phoff + I * sizeof Part;
    if (At > Program.size() || Program.size() - At < sizeof Part)
      break;
    memcpy(&Part, Program.data() + At, sizeof Part);
    if (Part.p_type != PT_LOAD)
      continue;
    if (IsBehindCode && Part.p_flags == PF_R && Part.p_offset < Program.size())
      return Program.substr(Part.p_offset);
    IsBehindCode |= Part.p_flags & PF_X;
  }
  return Program;
}

/// The value of \p Option in the configure command, up to the next blank.
static string_view valueOf(string_view Configured, string_view Option) {
  size_t At = Configured.find(Option);
  if (At == string_view::npos)
    return "";
  Configured = Configured.substr(At + Option.size());
  return Configured.substr(0, Configured.find_first_of(" '"));
}

/// Is the program gcc itself, with gcc's usual folders for headers? Scripts and
/// launchers around gcc may add options. The configure command, which 'gcc -v'
/// prints as "Configured with", stands in the executable; running 'gcc -v'
/// would take a tenth of a small file's compilation. \p Prefix becomes the
/// configured prefix.
static bool isPlainGcc(const std::string &Program, std::string &Prefix) {
  string_view Name = string_view(Program).substr(Program.rfind('/') + 1);
  if (Name.find("gcc") == string_view::npos)
    return false;
  MappedFile File(Program);
  string_view Constants = constantsOf(File.Text);
  if (Constants.find("COLLECT_GCC_OPTIONS") == string_view::npos)
    return false;
  size_t At = Constants.find("/configure ");
  if (At == string_view::npos)
    return false;
  string_view Configured = Constants.substr(At);
  Configured = Configured.substr(0, Configured.find('\0'));
  for (const char *Moves :
       {"sysroot", "--with-native-system-header-dir", "--with-local-prefix",
        "--with-specs", "--includedir", "--with-headers"})
    if (Configured.find(Moves) != string_view::npos)
      return false;
  Prefix = valueOf(Configured, "--prefix=");
  if (Prefix.empty())
    Prefix = "/usr/local";
  string_view Lib = valueOf(Configured, "--libdir=");
  return Lib.empty() || Lib == Prefix + "/lib" || Lib == Prefix + "/lib64";
}

/// The names in \p Folder, without hidden ones.
static std::vector<std::string> namesIn(const std::string &Folder) {
  std::vector<std::string> Names;
  DIR *D = opendir(Folder.c_str());
  while (const dirent *Entry = D ? readdir(D) : nullptr)
    if (Entry->d_name[0] != '.')
      Names.emplace_back(Entry->d_name);
  if (D)
    closedir(D);
  return Names;
}

/// Do options or the environment change where this compiler looks, or how it
/// reads?
static bool changesFolders(const std::vector<std::string> &Args,
                           const SimpleCommand &Simple) {
  for (const char *Name : {"GCC_EXEC_PREFIX", "COMPILER_PATH", "GCC_ROOT"})
    if (getenv(Name))
      return true;
  for (const std::string &Arg : Args) {
    for (const char *Option :
         {"-m32", "-mx32", "-m16", "-miamcu", "-mmusl", "-muclibc", "-mandroid",
          "-mbionic", "-isysroot", "-target", "-I-"})
      if (Arg == Option)
        return true;
    for (const char *Start : {"--sysroot", "--target", "-finput-charset"})
      if (startsWith(Arg, Start))
        return true;
  }
  for (const std::string &Folder : Simple.Folders)
    if (startsWith(Folder, "=") || startsWith(Folder, "$SYSROOT") ||
        Folder == "-")
      return true;
  return false;
}

bool addGccFolders(const std::string &Compiler,
                   const std::vector<std::string> &Args,
                   const SimpleCommand &Simple,
                   std::vector<std::string> &Folders) {
  if (changesFolders(Args, Simple))
    return false;
  std::string Program = realFile(Compiler), MadeFor;
  if (Program.empty() || !isPlainGcc(Program, MadeFor))
    return false;
  // gcc may have been moved from the prefix it was configured for.
  std::string IsIn = Program.substr(0, Program.rfind('/'));
  IsIn.erase(IsIn.rfind('/'));
  bool HasOwn = false;
  for (const std::string &Prefix : {IsIn, MadeFor}) {
    for (const char *Lib : {"/lib/gcc", "/lib64/gcc"})
      for (const std::string &Target : namesIn(Prefix + Lib)) {
        std::string Its = Prefix + Lib + "/" + Target + "/";
        // The folders of all versions: more folders than this gcc's do no harm.
        for (const std::string &Version : namesIn(Its)) {
          if (access((Its + Version + "/specs").c_str(), F_OK) == 0)
            return false;
          HasOwn |= access((Its + Version + "/include").c_str(), F_OK) == 0;
          Folders.push_back(Its + Version + "/include");
          Folders.push_back(Its + Version + "/include-fixed");
        }
        Folders.push_back(Prefix + "/" + Target + "/include");
      }
    Folders.push_back(Prefix + "/include");
    if (IsIn == MadeFor)
      break;
  }
  for (const char *Folder :
       {"/usr/local/include", "/usr/include/" AGGLOM_MULTIARCH, "/usr/include"})
    Folders.emplace_back(Folder);
  return HasOwn;
}

} // namespace agglom
