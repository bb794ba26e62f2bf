// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Can a text hold '#pragma agglom', or a part of one? Bytes are scanned, not
// tokens. The answer may be yes where there is none, but not no where there is
// one, except for words made of many pieces (Finding).

#ifndef AGGLOM_LAUNCHER_SCAN_H
#define AGGLOM_LAUNCHER_SCAN_H

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace agglom {

/// The parts of a pragma that a text, or all texts of a unit together, may
/// hold.
///
/// The word of a #pragma is not macro-expanded: it stands there in full. The
/// operand of _Pragma is a string literal, which holds the word in full, or a
/// macro makes it, by the '#' operator. Then the word may also be put together
/// of identifiers: by '##', or because two macros expand to neighbours. Up to
/// four pieces are reckoned with: six variables a, g, g, l, o, m are in many a
/// program that has no such plans.
struct Finding {
  bool Unreadable = false;
  bool Word = false;             ///< "agglom"
  bool Misspelt = false;         ///< a pragma with a word like "agglom"
  bool MadePragma = false;       ///< _Pragma with an operand that is no literal
  unsigned long long Pieces = 0; ///< identifiers that are parts of "agglom"

  void add(const Finding &Other);
  /// False only if there is no '#pragma agglom', with the limit of pieces
  /// above.
  bool mayHoldPragma() const;
};

Finding scan(std::string_view Text);

/// The findings in all files that a unit may include.
struct Closure {
  Finding What;
  bool IsKnown = true;    ///< false where that cannot be told
  bool NamesOurs = false; ///< an #include line names a header of agglom's
};

/// Reads a regular file. \returns false when it is none or cannot be read.
bool readWhole(const std::string &Path, std::string &Text);

/// The files that were scanned, by the name they were opened under.
class Scanner {
public:
  /// \p Folders are those of -I and the like, for wordIncluded.
  explicit Scanner(std::vector<std::string> Folders)
      : Folders(std::move(Folders)) {}

  /// Sets the content of \p Path, which is no regular file.
  void setText(const std::string &Path, std::string_view Text);

  const Finding &scanFile(const std::string &Path) { return look(Path).What; }

  /// Is the word "agglom" in the file or in files that it includes? Without
  /// preprocessing this is a guess, which only saves time.
  bool wordIncluded(const std::string &Path);
  /// The same for the file that '-include Name' reads.
  bool wordIn(const std::string &Name) { return wordFound(Name, ""); }

  /// No guess: scans every file that an #include line may name, in each folder,
  /// and under any condition. That is more than the compiler reads, and never
  /// less if \p Folders of the constructor are all of its folders. \p Included:
  /// files of -include and the like.
  Closure closure(const std::vector<std::string> &Sources,
                  const std::vector<std::string> &Included);

private:
  struct Looked {
    Finding What;
    bool Followed = false; ///< its #include lines have been taken
    bool Computes = false; ///< #include with a macro
    std::vector<std::pair<std::string, bool>> Included; ///< name, in quotes
  };
  static void scanInto(Looked &File, std::string_view Text);
  static void takeDirectives(Looked &File, std::string_view Text);
  Looked &look(const std::string &Path);
  /// As look(), for a regular file whose \p Size is known.
  void lookAt(const std::string &Path, size_t Size);
  bool wordFound(const std::string &Name, const std::string &Beside,
                 bool Quoted = true);

  std::vector<std::string> Folders;
  std::unordered_map<std::string, Looked> Files;
  std::string Buffer; ///< for the text of one file at a time
};

} // namespace agglom

#endif // AGGLOM_LAUNCHER_SCAN_H
