// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Can this text hold '#pragma agglom', or help to make one? Bytes are looked
// at, not tokens, and the answer errs on one side only.

#ifndef AGGLOM_LAUNCHER_SCAN_H
#define AGGLOM_LAUNCHER_SCAN_H

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace agglom {

/// What a text, or all of a unit's texts together, may contribute to a pragma.
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
  bool Misspelt = false;         ///< a pragma that begins with a word like it
  bool MadePragma = false;       ///< _Pragma of something that is no literal
  unsigned long long Pieces = 0; ///< identifiers that are a part of the word

  void add(const Finding &Other);
  /// False only if there is no '#pragma agglom', as far as said above.
  bool mayHoldPragma() const;
};

Finding scan(std::string_view Text);

/// What all the files together hold that a unit may include.
struct Closure {
  Finding What;
  bool IsKnown = true;    ///< false where that cannot be told
  bool NamesOurs = false; ///< an #include line names a header of agglom's
};

/// Reads a regular file. \returns false when it is none or cannot be read.
bool readWhole(const std::string &Path, std::string &Text);

/// Files that have been looked at, by the name they were opened under.
class Scanner {
public:
  /// \p Folders are those of -I and the like, for wordIncluded.
  explicit Scanner(std::vector<std::string> Folders)
      : Folders(std::move(Folders)) {}

  /// What is in \p Path, which is no regular file.
  void setText(const std::string &Path, std::string_view Text);

  const Finding &scanFile(const std::string &Path) { return look(Path).What; }

  /// Is the word in the file or in what it includes, as far as that can be told
  /// without preprocessing? A guess that saves time, and no more.
  bool wordIncluded(const std::string &Path);
  /// The same of what '-include Name' reads.
  bool wordIn(const std::string &Name) { return wordFound(Name, ""); }

  /// No guess: looks at every file that an #include line may name, in whichever
  /// of the folders, whatever the conditions around it say. That is more than
  /// the compiler reads, and never less if \p Folders of the constructor are
  /// all of its folders. \p Included is by -include and the like.
  Closure closure(const std::vector<std::string> &Sources,
                  const std::vector<std::string> &Included);

private:
  struct Looked {
    Finding What;
    bool Followed = false; ///< its #include lines have been taken
    bool Computes = false; ///< a macro names what it includes
    std::vector<std::pair<std::string, bool>> Included; ///< name, in quotes
  };
  static void scanInto(Looked &File, std::string_view Text);
  static void takeDirectives(Looked &File, std::string_view Text);
  Looked &look(const std::string &Path);
  /// The same of a regular file whose \p Size is known.
  void lookAt(const std::string &Path, size_t Size);
  bool wordFound(const std::string &Name, const std::string &Beside,
                 bool Quoted = true);

  std::vector<std::string> Folders;
  std::unordered_map<std::string, Looked> Files;
  std::string Buffer; ///< for the text of one file at a time
};

} // namespace agglom

#endif // AGGLOM_LAUNCHER_SCAN_H
