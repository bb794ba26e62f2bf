// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The preprocessed text, which is cut into pieces and edited. All macros in it
// are expanded, so every AST node has an exact range of characters.

#ifndef AGGLOM_EMIT_SOURCETEXT_H
#define AGGLOM_EMIT_SOURCETEXT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include <map>
#include <optional>
#include <string>

namespace agglom {

/// A stretch of the text, [Begin, End).
struct Extent {
  unsigned Begin = 0, End = 0;
  bool contains(unsigned Offset) const {
    return Begin <= Offset && Offset < End;
  }
};

class SourceText {
  clang::ASTContext &Context;
  llvm::StringRef Buffer;

public:
  explicit SourceText(clang::ASTContext &Context);

  llvm::StringRef buffer() const { return Buffer; }
  unsigned offset(clang::SourceLocation Loc) const;
  Extent extent(clang::SourceRange Tokens) const;
  /// The line that holds \p Loc, without its line break.
  Extent line(clang::SourceLocation Loc) const;
  llvm::StringRef text(Extent E) const { return Buffer.slice(E.Begin, E.End); }
  std::string text(const clang::Stmt *S) const;
  /// One past the statement, its ';' included.
  unsigned endOf(const clang::Stmt *S) const;
  /// One past the next ';' from \p Offset on.
  unsigned pastSemicolon(unsigned Offset) const;
  /// One past the __attribute__s that follow \p Offset, if any.
  unsigned pastAttributes(unsigned Offset) const;
  /// Where the first word \p Word stands in \p E; {0, 0} if nowhere.
  Extent word(Extent E, llvm::StringRef Word) const;
  /// The tokens of \p E on one line, line markers and comments dropped.
  std::string oneLine(Extent E) const;
  /// As oneLine(Extent), for a text that was cut out of the unit and perhaps
  /// edited.
  std::string oneLine(llvm::StringRef Text) const;
  /// As oneLine, without storage class, inline and attributes.
  std::string withoutSpecifiers(llvm::StringRef Text) const;
  /// `# 12 "x.c"`: the line marker for text of the user's that begins at \p
  /// Loc.
  std::string lineMarker(clang::SourceLocation Loc) const;
};

/// Replacements in the text; the original stays as it is.
class Edits {
  struct Edit {
    unsigned End;
    std::string Text;
    Extent Of; ///< the text the edit is about: for a wrap, the wrapped text
  };
  /// Edits at one offset are applied in the order of their ranks, edits of
  /// equal rank in the order in which they were made.
  enum Rank { Close, Plain, Cut, Open, Inner };
  std::multimap<std::pair<unsigned, int>, Edit> Map;

  void put(unsigned At, Rank R, const Edit &E) {
    Map.emplace(std::pair(At, R), E);
  }

public:
  void replace(Extent E, std::string Text) {
    put(E.Begin, Plain, {E.End, std::move(Text), E});
  }
  void insert(unsigned At, std::string Text) {
    put(At, Plain, {At, std::move(Text), {At, At}});
  }
  /// As replace(), but other edits inside \p E are dropped. Text inserted at
  /// E.Begin stands before \p Text.
  void cut(Extent E, std::string Text) {
    put(E.Begin, Cut, {E.End, std::move(Text), E});
  }
  /// As replace(), but \p Text stands behind all that other edits put at
  /// E.Begin.
  void replaceInner(Extent E, std::string Text) {
    put(E.Begin, Inner, {E.End, std::move(Text), E});
  }
  /// The two halves of a wrap. closeWrap()'s text stands before anything else
  /// inserted at E.End. An outer wrap is opened before the wraps inside it, and
  /// closed after them.
  void openWrap(Extent E, std::string Text) {
    put(E.Begin, Open, {E.Begin, std::move(Text), E});
  }
  void closeWrap(Extent E, std::string Text) {
    put(E.End, Close, {E.End, std::move(Text), E});
  }
  /// Adds the edits of \p Other that lie in \p Within.
  void addFrom(const Edits &Other, Extent Within);
  /// As addFrom(), without the edits inside text that this object already
  /// replaces.
  void addInner(const Edits &Other, Extent Within);
  /// Appends the characters of \p Within, with the edits applied, to \p Out.
  /// \returns where two edits overlap, which is an error of agglomcc's own.
  std::optional<unsigned> apply(llvm::StringRef Buffer, Extent Within,
                                std::string &Out) const;
};

} // namespace agglom

#endif // AGGLOM_EMIT_SOURCETEXT_H
