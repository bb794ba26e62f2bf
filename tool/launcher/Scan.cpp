// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scan.h"
#include "../support/Misspelt.h"
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_set>

namespace agglom {

using std::string_view;

static bool isBlank(char C) {
  return C == ' ' || C == '\t' || C == '\v' || C == '\f' || C == '\r';
}

static bool isSpace(char C) { return isBlank(C) || C == '\n'; }

/// Does a continued line end at \p At: a backslash or its trigraph, blanks
/// (Clang allows them), a newline? \returns the length of all that, or 0.
static size_t spliceAt(string_view Text, size_t At) {
  size_t I = At;
  if (Text[I] == '\\')
    I += 1;
  else if (Text.substr(I, 3) == "?\?/")
    I += 3;
  else
    return 0;
  while (I != Text.size() && isBlank(Text[I]))
    ++I;
  return I != Text.size() && Text[I] == '\n' ? I + 1 - At : 0;
}

/// Joins continued lines. \p Storage holds the result where there are any.
static string_view withoutSplices(string_view Text, std::string &Storage) {
  size_t Copied = 0;
  for (char Mark : {'\\', '?'}) {
    if (Mark == '?' && Text.find("?\?/") == string_view::npos)
      break;
    if (Mark == '?' && Copied) {
      // Both kinds in one file: the joined text is searched again.
      Storage.append(Text.substr(Copied));
      std::string Joined = std::move(Storage), Rest;
      Storage = std::string(withoutSplices(Joined, Rest));
      return Storage;
    }
    for (size_t I = Text.find(Mark); I != string_view::npos;
         I = Text.find(Mark, I + 1)) {
      size_t Length = spliceAt(Text, I);
      if (!Length)
        continue;
      if (!Copied)
        Storage.reserve(Text.size());
      Storage.append(Text.substr(Copied, I - Copied));
      Copied = I + Length;
      I = Copied - 1;
    }
  }
  if (!Copied)
    return Text;
  Storage.append(Text.substr(Copied));
  return Storage;
}

/// \p Text begins behind '_Pragma': is its operand a string literal?
static bool takesLiteral(string_view Text) {
  size_t I = 0;
  auto Skip = [&](auto Is) {
    while (I != Text.size() && Is(Text[I]))
      ++I;
  };
  Skip(isSpace);
  if (I == Text.size() || Text[I] != '(')
    return false;
  ++I;
  Skip(isSpace);
  Skip([](char C) { return C == 'L' || C == 'u' || C == 'U' || C == '8'; });
  return I != Text.size() && Text[I] == '"';
}

static constexpr string_view Word = "agglom";

/// The places where \p Identifier is a part of "agglom": bit 6 * I + N - 1
/// stands for its N letters from number I on.
static unsigned long long pieceBits(string_view Identifier) {
  unsigned long long Bits = 0;
  for (size_t I = Word.find(Identifier); I != string_view::npos;
       I = Word.find(Identifier, I + 1))
    Bits |= 1ULL << (6 * I + Identifier.size() - 1);
  return Bits;
}

static bool isOfIdentifier(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
         (C >= '0' && C <= '9') || C == '_' || C == '$' || (C & 0x80);
}

/// The pieceBits() of the identifier that begins at \p Begin, if one does.
static unsigned long long pieceAt(string_view Text, size_t Begin) {
  if (Begin && isOfIdentifier(Text[Begin - 1]))
    return 0;
  size_t End = std::min(Text.find_first_not_of(Word, Begin), Text.size());
  if (End - Begin >= Word.size() ||
      (End != Text.size() && isOfIdentifier(Text[End])))
    return 0;
  return pieceBits(Text.substr(Begin, End - Begin));
}

namespace {
/// 16 characters in a register; in comparisons -1 is true.
typedef signed char Block __attribute__((vector_size(16)));
typedef uint64_t Halves __attribute__((vector_size(16)));
} // namespace

/// Marks, among the characters at \p At, those where "gg" of "agglom" may be,
/// or where "_Pragma" or a piece of two letters or more may begin. The
/// characters before and behind are read, too. Each byte of each header is read
/// here, which takes most of the launcher's time.
static Halves landmarks(const char *At) {
  Block Before, C, Behind;
  memcpy(&Before, At - 1, sizeof Before);
  memcpy(&C, At, sizeof C);
  memcpy(&Behind, At + 1, sizeof Behind);
  // Small letters become the 26 largest numbers there are.
  Block IsWithin = Before + (127 - 'z') > 127 - 26;
  Block Word = (C == 'g') & (Behind == 'g');
  Block Piece = Word | ((C == 'a') & (Behind == 'g')) |
                ((C == 'g') & (Behind == 'l')) |
                ((C == 'l') & (Behind == 'o')) | ((C == 'o') & (Behind == 'm'));
  return reinterpret_cast<Halves>(Word | (Piece & ~IsWithin) |
                                  ((C == '_') & (Behind == 'P')));
}

void Finding::add(const Finding &Other) {
  Unreadable |= Other.Unreadable;
  Word |= Other.Word;
  Misspelt |= Other.Misspelt;
  MadePragma |= Other.MadePragma;
  Pieces |= Other.Pieces;
}

bool Finding::mayHoldPragma() const {
  if (Unreadable || Word || Misspelt)
    return true;
  if (!MadePragma)
    return false;
  // The least number of pieces that make up each beginning of "agglom"; single
  // letters are taken to exist.
  unsigned Count[7] = {0, 9, 9, 9, 9, 9, 9};
  for (size_t I = 0; I != 6; ++I)
    for (size_t Length = 1; I + Length <= 6; ++Length)
      if (Length == 1 || (Pieces >> (6 * I + Length - 1) & 1))
        Count[I + Length] = std::min(Count[I + Length], Count[I] + 1);
  return Count[6] <= 4;
}

/// \p Text begins behind 'pragma' or '_Pragma'.
static bool beginsMisspelt(string_view Text) {
  size_t I = 0;
  while (I != Text.size() &&
         (isSpace(Text[I]) || Text[I] == '(' || Text[I] == '"'))
    ++I;
  size_t Begin = I;
  while (I != Text.size() && I - Begin < 9 &&
         (isalnum(static_cast<unsigned char>(Text[I])) || Text[I] == '_'))
    ++I;
  return isMisspeltAgglom(Text.substr(Begin, I - Begin));
}

static Finding scanJoined(string_view Text) {
  Finding F;
  auto Look = [&](size_t I) {
    F.Word |= I && Text.substr(I - 1, Word.size()) == Word;
    F.Pieces |= pieceAt(Text, I);
    if (Text.substr(I, strlen("_Pragma")) != "_Pragma")
      return;
    string_view Operand = Text.substr(I + strlen("_Pragma"));
    F.MadePragma |= !takesLiteral(Operand);
    F.Misspelt |= beginsMisspelt(Operand);
  };
  auto LookAll = [&](Halves Marks, size_t Begin) {
    signed char Each[sizeof Marks];
    memcpy(Each, &Marks, sizeof Marks);
    for (size_t K = 0; K != sizeof Marks; ++K)
      if (Each[K])
        Look(Begin + K);
  };
  // At both ends of the text the characters outside of it count as zeros.
  auto Edge = [&](size_t I) {
    char Copy[sizeof(Block) + 2] = {};
    for (size_t K = !I; K != sizeof Copy && I + K <= Text.size(); ++K)
      Copy[K] = Text[I + K - 1];
    LookAll(landmarks(Copy + 1), I);
  };
  size_t I = 0;
  if (!Text.empty())
    Edge(0);
  for (I = sizeof(Block); I + sizeof(Block) < Text.size(); I += sizeof(Block)) {
    Halves Marks = landmarks(Text.data() + I);
    if (Marks[0] | Marks[1])
      LookAll(Marks, I);
  }
  if (I < Text.size())
    Edge(I);
  return F;
}

Finding scan(string_view Text) {
  std::string Storage;
  return scanJoined(withoutSplices(Text, Storage));
}

/// The end of the blanks and comments from \p At on.
static size_t behindBlanks(string_view Text, size_t At) {
  for (;;) {
    while (At != Text.size() && isBlank(Text[At]))
      ++At;
    if (Text.substr(At, 2) != "/*")
      return At;
    At = std::min(Text.find("*/", At + 2), Text.size() - 2) + 2;
  }
}

/// Are there only blanks and comments before \p At on its line? Elsewhere
/// '#include' is prose.
static bool beginsLine(string_view Text, size_t At) {
  while (At && isBlank(Text[At - 1]))
    --At;
  return !At || Text[At - 1] == '\n' ||
         (At > 1 && Text.substr(At - 2, 2) == "*/");
}

/// Collects the names in #include lines, and checks the #pragma lines.
void Scanner::takeDirectives(Looked &File, string_view Text) {
  auto Directive = [&](size_t Mark, size_t At) {
    At = behindBlanks(Text, At);
    if (At == Text.size() || (Text[At] != 'i' && Text[At] != 'p'))
      return; // most directives
    if (Text.substr(At, 6) == "pragma")
      File.What.Misspelt |= beginsMisspelt(Text.substr(At + 6));
    size_t Begin = At;
    while (At != Text.size() &&
           (isalnum(static_cast<unsigned char>(Text[At])) || Text[At] == '_'))
      ++At;
    string_view Keyword = Text.substr(Begin, At - Begin);
    if (Keyword != "include" && Keyword != "include_next" &&
        Keyword != "import")
      return;
    At = behindBlanks(Text, At);
    bool Quoted = At != Text.size() && Text[At] == '"';
    size_t End = string_view::npos;
    if (Quoted || (At != Text.size() && Text[At] == '<'))
      End = Text.find(Quoted ? '"' : '>', At + 1);
    string_view Name;
    if (End != string_view::npos && End - At < 1000)
      Name = Text.substr(At + 1, End - At - 1);
    if (!Name.empty() && Name.find("?\?") == string_view::npos)
      File.Included.emplace_back(Name, Quoted);
    else
      File.Computes |= beginsLine(Text, Mark);
  };
  for (string_view Mark : {"#", "%:", "?\?="})
    for (size_t I = Text.find(Mark); I != string_view::npos;
         I = Text.find(Mark, I + 1))
      Directive(I, I + Mark.size());
}

/// Reads a regular file whose \p Size is known. Behind it \p Text keeps older
/// characters.
static bool readInto(const std::string &Path, size_t Size, std::string &Text) {
  int FD = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return false;
  if (Text.size() <= Size)
    Text.resize(Size + 1); // one more, to see that the file ends there
  size_t Got = 0;
  ssize_t N;
  do {
    N = read(FD, &Text[Got], Size + 1 - Got);
    Got += N > 0 ? N : 0;
  } while (N > 0 && Got < Size);
  close(FD);
  return N >= 0 && Got == Size;
}

bool readWhole(const std::string &Path, std::string &Text) {
  struct stat Status;
  // A pipe must not be opened: whoever writes it would notice.
  if (stat(Path.c_str(), &Status) || !S_ISREG(Status.st_mode) ||
      !readInto(Path, Status.st_size, Text))
    return false;
  Text.resize(Status.st_size);
  return true;
}

void Scanner::scanInto(Looked &File, string_view Text) {
  std::string Storage;
  string_view Joined = withoutSplices(Text, Storage);
  // Without -trigraphs a compiler joins fewer lines than Joined has.
  File.Computes = Text.find("?\?/") != string_view::npos;
  File.What = scanJoined(Joined);
  takeDirectives(File, Joined);
}

void Scanner::setText(const std::string &Path, string_view Text) {
  scanInto(Files[Path], Text);
}

void Scanner::lookAt(const std::string &Path, size_t Size) {
  auto [Found, IsNew] = Files.try_emplace(Path);
  if (!IsNew)
    return;
  if (readInto(Path, Size, Buffer))
    scanInto(Found->second, string_view(Buffer).substr(0, Size));
  else
    Found->second.What.Unreadable = true;
}

Scanner::Looked &Scanner::look(const std::string &Path) {
  struct stat Status;
  auto Found = Files.find(Path);
  if (Found != Files.end())
    return Found->second;
  // A pipe must not be opened: whoever writes it would notice.
  if (!stat(Path.c_str(), &Status) && S_ISREG(Status.st_mode))
    lookAt(Path, Status.st_size);
  else
    Files[Path].What.Unreadable = true;
  return Files[Path];
}

/// Is the word in the header \p Name? Names in quotes are looked up in the
/// folder \p Beside first, which ends in a slash.
bool Scanner::wordFound(const std::string &Name, const std::string &Beside,
                        bool Quoted) {
  std::vector<std::string> Candidates;
  if (!Name.empty() && Name[0] == '/') {
    Candidates.push_back(Name);
  } else {
    if (Quoted)
      Candidates.push_back(Beside + Name);
    for (const std::string &Folder : Folders)
      Candidates.push_back(Folder + "/" + Name);
  }
  for (const std::string &Candidate : Candidates)
    if (access(Candidate.c_str(), R_OK) == 0)
      return wordIncluded(Candidate);
  return false;
}

bool Scanner::wordIncluded(const std::string &Path) {
  Looked &File = look(Path);
  if (File.What.Word || File.What.Misspelt || File.Followed)
    return File.What.Word || File.What.Misspelt;
  File.Followed = true;
  std::vector<std::pair<std::string, bool>> Included = File.Included;
  std::string Beside = Path.substr(0, Path.rfind('/') + 1);
  for (const auto &[Name, Quoted] : Included)
    if (wordFound(Name, Beside, Quoted))
      return true;
  return false;
}

namespace {
/// The folders in which files may be, by the part of their names before the
/// last slash.
class FoldersOf {
public:
  explicit FoldersOf(const std::vector<std::string> &Folders) {
    for (const std::string &Folder : Folders)
      if (std::find(All.begin(), All.end(), Folder) == All.end())
        All.push_back(Folder);
  }
  /// The folders that contain the part of \p Name before its last slash.
  const std::vector<std::string> &having(const std::string &Name) {
    size_t Slash = Name.rfind('/');
    std::string Sub = Slash == std::string::npos ? "" : Name.substr(0, Slash);
    auto [Found, IsNew] = There.try_emplace(Sub);
    if (IsNew)
      for (const std::string &Folder : Sub.empty() ? All : having(""))
        if (access((Folder + "/" + Sub).c_str(), F_OK) == 0)
          Found->second.push_back(Folder);
    return Found->second;
  }

private:
  std::vector<std::string> All;
  std::map<std::string, std::vector<std::string>> There;
};
} // namespace

Closure Scanner::closure(const std::vector<std::string> &Sources,
                         const std::vector<std::string> &Included) {
  Closure All;
  FoldersOf Searched(Folders);
  std::vector<std::string> Paths = Sources;
  std::unordered_set<std::string> Seen(Sources.begin(), Sources.end()), Named;
  auto Candidate = [&](const std::string &Path, bool MayBePrecompiled) {
    struct stat Status;
    if (MayBePrecompiled && access((Path + ".gch").c_str(), F_OK) == 0)
      All.IsKnown = false;
    if (stat(Path.c_str(), &Status) || S_ISDIR(Status.st_mode))
      return; // a compiler looks on in the next folder
    if (!Seen.insert(Path).second)
      return;
    Paths.push_back(Path);
    if (S_ISREG(Status.st_mode))
      lookAt(Path, Status.st_size);
  };
  auto Include = [&](const std::string &Name, bool Quoted,
                     const std::string &Beside) {
    All.NamesOurs |= Name.find(Word) != string_view::npos;
    if (Name[0] == '/')
      return Candidate(Name, true);
    if (Quoted)
      Candidate(Beside + Name, true);
    if (!Named.insert(Name).second)
      return;
    for (const std::string &Folder : Searched.having(Name))
      Candidate(Folder + "/" + Name, Folder.compare(0, 5, "/usr/") != 0);
  };
  for (const std::string &Name : Included)
    if (!Name.empty())
      Include(Name, true, "");
  for (size_t I = 0; I != Paths.size() && All.IsKnown; ++I) {
    const Looked &File = look(Paths[I]);
    All.What.add(File.What);
    All.IsKnown &= !File.Computes;
    std::string Beside = Paths[I].substr(0, Paths[I].rfind('/') + 1);
    for (const auto &[Name, Quoted] : File.Included)
      Include(Name, Quoted, Beside);
  }
  All.IsKnown &= !All.What.Unreadable;
  return All;
}

} // namespace agglom
