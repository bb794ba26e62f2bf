// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of links are read as bytes. Objects with tasks are 64-bit
// little-endian ELF, bitcode, or gcc's intermediate code; files of other kinds
// refer to nothing.

#include "LinkInputs.h"
#include "Affix.h"
#include "HeaderNames.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <set>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef AGGLOM_MULTIARCH
#error "define AGGLOM_MULTIARCH as Debian's name for this machine, or empty"
#endif

// The ELF header of this executable, defined by the linker: it has the machine
// that agglom was built for.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's name
extern "C" const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

namespace agglom {

using std::string_view;

/// The prefix of all functions of the runtime.
static constexpr string_view Prefix = "agglom_";
/// A function that only the runtime defines.
static constexpr string_view Registration = "agglom_register";

static bool contains(string_view Text, string_view What) {
  return memmem(Text.data(), Text.size(), What.data(), What.size());
}

/// \returns nothing where \p Text is too short.
static string_view slice(string_view Text, uint64_t At, uint64_t Size) {
  if (At > Text.size() || Size > Text.size() - At)
    return {};
  return Text.substr(At, Size);
}

static string_view stringAt(string_view Text, uint64_t At) {
  string_view Rest = At < Text.size() ? Text.substr(At) : string_view();
  return Rest.substr(0, Rest.find('\0'));
}

/// Reads a structure that may lie anywhere.
template <class T> static bool get(string_view Text, uint64_t At, T &Out) {
  string_view Bytes = slice(Text, At, sizeof(T));
  if (Bytes.empty())
    return false;
  memcpy(&Out, Bytes.data(), sizeof(T));
  return true;
}

namespace {
/// The runtime's names in one file.
struct Names {
  std::set<std::string, std::less<>> Undefined, Defined;
  bool OtherMachine = false; ///< undefined names are another machine's
};

/// A file's bytes.
class Mapped {
  void *Start = MAP_FAILED;
  size_t Size = 0;

public:
  explicit Mapped(const std::string &Path) {
    struct stat Status;
    // A pipe must not be opened: whoever writes it would notice.
    if (stat(Path.c_str(), &Status) || !S_ISREG(Status.st_mode) ||
        !Status.st_size)
      return;
    int FD = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    if (FD < 0)
      return;
    Size = Status.st_size;
    Start = mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, FD, 0);
    close(FD);
  }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  ~Mapped() {
    if (Start != MAP_FAILED)
      munmap(Start, Size);
  }
  string_view text() const {
    if (Start == MAP_FAILED)
      return {};
    return {static_cast<const char *>(Start), Size};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// gcc's symbol table for its linker plugin: for each symbol two strings, the
/// kind and 13 more bytes.
static void readGccTable(string_view Table, Names &Out) {
  for (size_t At = 0; At < Table.size();) {
    string_view Name = stringAt(Table, At);
    At += Name.size() + 1;
    At += stringAt(Table, At).size() + 1;
    if (At < Table.size() && startsWith(Name, Prefix))
      (Table[At] == 2 ? Out.Undefined : Out.Defined).emplace(Name);
    At += 14;
  }
}

static void readSymbols(string_view Table, string_view Strings, Names &Out) {
  if (!contains(Strings, Prefix))
    return; // nearly always
  Elf64_Sym S;
  for (uint64_t At = 0; get(Table, At, S); At += sizeof S) {
    string_view Name = stringAt(Strings, S.st_name);
    if (!startsWith(Name, Prefix) || ELF64_ST_BIND(S.st_info) == STB_LOCAL)
      continue;
    if (S.st_shndx != SHN_UNDEF)
      Out.Defined.emplace(Name);
    else if (ELF64_ST_BIND(S.st_info) != STB_WEAK)
      Out.Undefined.emplace(Name);
  }
}

static bool asksForRuntime(string_view Dynamic, string_view Strings) {
  Elf64_Dyn D;
  for (uint64_t At = 0; get(Dynamic, At, D) && D.d_tag; At += sizeof D)
    if (D.d_tag == DT_NEEDED &&
        startsWith(stringAt(Strings, D.d_un.d_val), "libagglomrt.so"))
      return true;
  return false;
}

static void readElf(string_view Text, Names &Out) {
  Elf64_Ehdr Head;
  if (!get(Text, 0, Head) || Head.e_ident[EI_CLASS] != ELFCLASS64 ||
      Head.e_ident[EI_DATA] != ELFDATA2LSB ||
      (Head.e_type != ET_REL && Head.e_type != ET_DYN) ||
      Head.e_shentsize != sizeof(Elf64_Shdr))
    return;
  auto Section = [&](uint64_t I, Elf64_Shdr &S) {
    return Head.e_shoff && get(Text, Head.e_shoff + I * sizeof S, S);
  };
  auto Bytes = [&](const Elf64_Shdr &S) {
    return slice(Text, S.sh_offset, S.sh_size);
  };
  Elf64_Shdr S, Linked;
  // Counts that do not fit are in the first section's header.
  uint64_t Count = Head.e_shnum, NamesAt = Head.e_shstrndx;
  if (Section(0, S)) {
    if (!Count)
      Count = S.sh_size;
    if (NamesAt == SHN_XINDEX)
      NamesAt = S.sh_link;
  }
  string_view SectionNames;
  if (Section(NamesAt, S))
    SectionNames = Bytes(S);
  bool HasGcc = contains(SectionNames, ".gnu.lto_.symtab");
  bool IsObject = Head.e_type == ET_REL, AsksForRuntime = false;
  Names Found;
  for (uint64_t I = 1; I < Count && Section(I, S); ++I) {
    if (S.sh_type == (IsObject ? SHT_SYMTAB : SHT_DYNSYM) &&
        Section(S.sh_link, Linked))
      readSymbols(Bytes(S), Bytes(Linked), Found);
    else if (S.sh_type == SHT_DYNAMIC && Section(S.sh_link, Linked))
      AsksForRuntime |= asksForRuntime(Bytes(S), Bytes(Linked));
    else if (HasGcc &&
             startsWith(stringAt(SectionNames, S.sh_name), ".gnu.lto_.symtab"))
      readGccTable(Bytes(S), Found);
  }
  Out.Defined.merge(Found.Defined);
  if (AsksForRuntime || Found.Undefined.empty())
    return;
  if (Head.e_machine != __ehdr_start.e_machine)
    Out.OtherMachine = true;
  else
    Out.Undefined.merge(Found.Undefined);
}

static void readText(const std::string &Path, string_view Text, Names &Out);

/// Reads the members of an archive; those of a thin archive are files.
static void readArchive(const std::string &Path, string_view Text, bool IsThin,
                        Names &Out) {
  string_view LongNames;
  for (uint64_t At = 8; slice(Text, At, 60).size() == 60;) {
    string_view Name = Text.substr(At, 16), Digits = Text.substr(At + 48, 10);
    uint64_t Size = strtoull(std::string(Digits).c_str(), nullptr, 10);
    uint64_t Content = At + 60;
    bool IsTable = startsWith(Name, "/ ") || startsWith(Name, "/SYM64/ ");
    bool IsNames = startsWith(Name, "// ");
    if (IsNames)
      LongNames = slice(Text, Content, Size);
    if (IsThin && !IsTable && !IsNames) {
      string_view Member = Name;
      if (Name[0] == '/')
        Member = stringAt(LongNames, strtoull(Name.data() + 1, nullptr, 10));
      Member = Member.substr(0, Member.find('\n'));
      Member = Member.substr(0, Member.rfind('/'));
      std::string File(Member);
      if (File.empty() || File[0] != '/')
        File = Path.substr(0, Path.rfind('/') + 1) + File;
      Mapped Bytes(File);
      readText(File, Bytes.text(), Out);
      Size = 0; // the member is not in the archive
    } else if (!IsTable && !IsNames) {
      readText("", slice(Text, Content, Size), Out);
    }
    At = Content + Size + (Size & 1);
  }
}

/// What \p Text refers to; linker scripts are not for here.
static void readText(const std::string &Path, string_view Text, Names &Out) {
  if (startsWith(Text, ELFMAG))
    readElf(Text, Out);
  else if (startsWith(Text, "!<arch>\n") || startsWith(Text, "!<thin>\n"))
    readArchive(Path, Text, Text[2] == 't', Out);
  else if (startsWith(Text, "BC\xC0\xDE") ||
           startsWith(Text, "\xDE\xC0\x17\x0B")) {
    // Bitcode has all names in one piece.
    if (contains(Text, Prefix))
      Out.Undefined.emplace(Prefix);
  } else if (contains(Text, "agglom")) {
    Out.Undefined.emplace(Prefix); // perhaps: C++ or assembly source
  }
}

//===----------------------------------------------------------------------===//
// Command lines
//===----------------------------------------------------------------------===//

namespace {
class Link {
public:
  explicit Link(const std::vector<std::string> &Args) { readArgs(Args); }
  LinkNeeds needs();

private:
  void readArgs(const std::vector<std::string> &Args);
  void readLinkerArg(string_view Arg);
  void readListed(const std::string &Path);
  void takeFile(const std::string &Path);
  void takeLibrary(const std::string &Name);
  void takeScript(const std::string &Path, string_view Text);

  std::vector<std::string> Files, Libraries, Folders;
  std::string Pending;    ///< a linker option that needs the next argument
  bool OfHeaders = false; ///< the next inputs are headers
  bool IsStatic = false, HasRuntime = false;
  std::set<std::string> Taken;
  std::set<std::string, std::less<>> Undefined, Defined;
  LinkNeeds Result;
};
} // namespace

/// The words of a linker script, or of a file of arguments.
static std::vector<std::string> wordsOf(string_view Text) {
  std::vector<std::string> Words;
  auto IsEnd = [](char C) {
    return C == '(' || C == ')' || C == ',' || C == '"' || C == '\'' ||
           static_cast<unsigned char>(C) <= ' ';
  };
  for (size_t At = 0; At != Text.size();) {
    size_t Begin = At;
    while (At != Text.size() && !IsEnd(Text[At]))
      ++At;
    if (At != Begin)
      Words.emplace_back(Text.substr(Begin, At - Begin));
    else
      ++At;
  }
  return Words;
}

static bool isFile(const std::string &Path) {
  struct stat Status;
  return !stat(Path.c_str(), &Status) && S_ISREG(Status.st_mode);
}

/// Reads an argument that clang or ld gets: '-Lfoo', 'foo.o'.
void Link::readLinkerArg(string_view Arg) {
  if (!Pending.empty()) {
    if (Pending == "-L" || Pending == "--library-path")
      Folders.emplace_back(Arg);
    else if (Pending == "-l" || Pending == "--library")
      Libraries.emplace_back(Arg);
    Pending.clear();
    return;
  }
  for (const char *Option :
       {"-L", "-l", "-o", "--library", "--library-path", "-rpath",
        "-rpath-link", "-soname", "-h", "-z", "-Map", "--dependency-file"})
    if (Arg == Option) {
      Pending = Option;
      return;
    }
  auto Joined = [&](string_view Option, std::vector<std::string> &To) {
    if (!startsWith(Arg, Option))
      return false;
    To.emplace_back(Arg.substr(Option.size()));
    return true;
  };
  if (Joined("-L", Folders) || Joined("--library-path=", Folders) ||
      Joined("-l", Libraries) || Joined("--library=", Libraries))
    return;
  if (Arg == "-static" || Arg == "-Bstatic" || Arg == "-dn" ||
      Arg == "-non_shared" || Arg == "-static-pie")
    IsStatic = true;
  else if (!Arg.empty() && Arg[0] == '@')
    readListed(std::string(Arg.substr(1)));
  else if (!Arg.empty() && Arg[0] != '-' && !OfHeaders && !isHeader(Arg))
    Files.emplace_back(Arg);
}

/// Reads the linker arguments in a file.
void Link::readListed(const std::string &Path) {
  if (!Taken.insert("@" + Path).second)
    return;
  Mapped Bytes(Path);
  for (const std::string &Word : wordsOf(Bytes.text()))
    readLinkerArg(Word);
}

void Link::readArgs(const std::vector<std::string> &Args) {
  // The argument of -Wl,-L may be in the next compiler option.
  for (size_t I = 0; I != Args.size(); ++I) {
    string_view Arg = Args[I];
    if (startsWith(Arg, "-Wl,")) {
      for (size_t At = 4; At <= Arg.size();) {
        size_t End = std::min(Arg.find(',', At), Arg.size());
        readLinkerArg(Arg.substr(At, End - At));
        At = End + 1;
      }
    } else if (Arg == "-Xlinker" && I + 1 != Args.size()) {
      readLinkerArg(Args[++I]);
    } else if (startsWith(Arg, "-x")) {
      if (Arg == "-x" && I + 1 != Args.size())
        Arg = Args[++I];
      OfHeaders = endsWith(Arg, "-header");
    } else {
      readLinkerArg(Arg);
    }
  }
}

void Link::takeFile(const std::string &Path) {
  if (!Taken.insert(Path).second)
    return;
  Mapped Bytes(Path);
  string_view Text = Bytes.text();
  bool IsScript = !Text.empty() && Text.size() < 65536 &&
                  Text.find('\0') == string_view::npos &&
                  !contains(Text, "#include") &&
                  (contains(Text, "INPUT") || contains(Text, "GROUP"));
  if (IsScript) {
    takeScript(Path, Text);
    return;
  }
  Names Found;
  readText(Path, Text, Found);
  // References in the runtime library itself do not count.
  if (Found.Defined.count(Registration)) {
    HasRuntime = true;
    return;
  }
  if (Found.OtherMachine)
    Result.OtherMachine = Path;
  Undefined.merge(Found.Undefined);
  Defined.merge(Found.Defined);
}

/// Takes the files that a linker script names, in INPUT(...) and the like:
/// relative to the current folder, to the script, or in a folder for libraries.
/// A word that is no file is a keyword of the script.
void Link::takeScript(const std::string &Path, string_view Text) {
  const std::string Beside = Path.substr(0, Path.rfind('/') + 1);
  std::vector<std::string> Words = wordsOf(Text);
  for (size_t I = 0; I != Words.size(); ++I) {
    const std::string &Word = Words[I];
    if (Word == "SEARCH_DIR" && I + 1 != Words.size())
      Folders.push_back(Words[++I]);
    else if (startsWith(Word, "-l"))
      takeLibrary(Word.substr(2));
    else if (isFile(Word))
      takeFile(Word);
    else if (Word[0] != '/' && isFile(Beside + Word))
      takeFile(Beside + Word);
    else if (Word[0] != '/')
      takeLibrary(":" + Word);
  }
}

void Link::takeLibrary(const std::string &Name) {
  for (const std::string &Folder : Folders) {
    std::vector<std::string> Candidates;
    if (startsWith(Name, ":")) {
      Candidates = {Folder + "/" + Name.substr(1)};
    } else {
      std::string Base = Folder + "/lib" + Name;
      Candidates = {Base + ".so", Base + ".a"};
    }
    bool Found = false;
    for (const std::string &File : Candidates) {
      if (access(File.c_str(), R_OK) != 0)
        continue;
      takeFile(File);
      Found = true;
      if (!IsStatic)
        break;
    }
    if (Found)
      return;
  }
}

LinkNeeds Link::needs() {
  if (const char *Path = getenv("LIBRARY_PATH")) {
    std::string Rest = Path;
    while (!Rest.empty()) {
      size_t End = std::min(Rest.find(':'), Rest.size());
      if (End)
        Folders.push_back(Rest.substr(0, End));
      Rest = Rest.substr(std::min(End + 1, Rest.size()));
    }
  }
  for (const char *Folder :
       {"/usr/local/lib/" AGGLOM_MULTIARCH, "/usr/local/lib",
        "/usr/lib/" AGGLOM_MULTIARCH, "/lib/" AGGLOM_MULTIARCH, "/usr/lib64",
        "/usr/lib", "/lib"})
    Folders.emplace_back(Folder);
  for (const std::string &File : Files)
    takeFile(File);
  for (const std::string &Library : Libraries)
    takeLibrary(Library);
  for (const std::string &Name : Undefined)
    Result.Runtime |= !Defined.count(Name);
  if (HasRuntime)
    Result.OtherMachine.clear();
  return Result;
}

LinkNeeds linkNeeds(const std::vector<std::string> &Args) {
  return Link(Args).needs();
}

void warnOtherMachine(const LinkNeeds &Needs) {
  if (!Needs.OtherMachine.empty())
    fprintf(stderr,
            "agglomcc: warning: '%s' has tasks and is for another machine than "
            "the runtime library of this installation, which is not linked; "
            "name that machine's libagglomrt.a in the command\n",
            Needs.OtherMachine.c_str());
}

} // namespace agglom
