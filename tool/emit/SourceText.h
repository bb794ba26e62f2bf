// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The preprocessed text as something to cut from and to edit. Nothing in it is
// a macro any more, so every AST node has an exact range of characters.

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
  /// The same of a text that was cut out of the unit and perhaps edited.
  std::string oneLine(llvm::StringRef Text) const;
  /// As oneLine, without storage class, inline and attributes.
  std::string withoutSpecifiers(llvm::StringRef Text) const;
  /// `# 12 "x.c"`: what follows is the user's text at \p Loc.
  std::string lineMarker(clang::SourceLocation Loc) const;
};

/// Replacements in the text; the original stays as it is.
class Edits {
  struct Edit {
    unsigned End;
    std::string Text;
    Extent Of; ///< what the edit is about: for a wrap, all that is wrapped
  };
  /// Edits at one place apply in this order, equal ones as they were made.
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
  /// As replace, and other edits within are lost with the text they edit. What
  /// is inserted at its place stands before it.
  void cut(Extent E, std::string Text) {
    put(E.Begin, Cut, {E.End, std::move(Text), E});
  }
  /// What follows is inside all that replace() and insert() put at its place.
  void replaceInner(Extent E, std::string Text) {
    put(E.Begin, Inner, {E.End, std::move(Text), E});
  }
  /// \p After closes before anything else that is inserted at its place. An
  /// outer wrap must be made before those inside it, \see closeWrap().
  void openWrap(Extent E, std::string Text) {
    put(E.Begin, Open, {E.Begin, std::move(Text), E});
  }
  void closeWrap(Extent E, std::string Text) {
    put(E.End, Close, {E.End, std::move(Text), E});
  }
  /// Adds the edits of \p Other that lie in \p Within.
  void addFrom(const Edits &Other, Extent Within);
  /// The same, but for those in what this replaces already.
  void addInner(const Edits &Other, Extent Within);
  /// The characters of \p Within with the edits applied.
  /// \returns where two edits overlap, which is an error of ours.
  std::optional<unsigned> apply(llvm::StringRef Buffer, Extent Within,
                                std::string &Out) const;
};

} // namespace agglom

#endif // AGGLOM_EMIT_SOURCETEXT_H
