// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The preprocessed text as something to cut from and to edit. Nothing in it is
// a macro any more, so every AST node has an exact range of characters.

#ifndef AGGLOM_EMIT_SOURCETEXT_H
#define AGGLOM_EMIT_SOURCETEXT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include <map>
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
  /// The tokens of \p E on one line, line markers and comments dropped.
  std::string oneLine(Extent E) const;
  /// As oneLine, without the storage class, inline and attributes that stand
  /// before the name at \p NameOffset.
  std::string withoutSpecifiers(Extent E, unsigned NameOffset) const;
  /// `# 12 "x.c"`: what follows is the user's text at \p Loc.
  std::string lineMarker(clang::SourceLocation Loc) const;
};

/// Replacements in the text; the original stays as it is.
class Edits {
  struct Edit {
    unsigned End;
    std::string Text;
    bool Cuts = false;
  };
  std::multimap<unsigned, Edit> Map;

public:
  void replace(Extent E, std::string Text) {
    Map.emplace(E.Begin, Edit{E.End, std::move(Text)});
  }
  /// Stands before what is cut at that place.
  void insert(unsigned At, std::string Text);
  /// As replace, and other edits within are lost with the text they edit.
  void cut(Extent E, std::string Text) {
    Map.emplace(E.Begin, Edit{E.End, std::move(Text), true});
  }
  /// Adds the edits of \p Other that lie in \p Within.
  void addFrom(const Edits &Other, Extent Within);
  /// The characters of \p Within with the edits applied.
  /// \returns false when two edits overlap: an error of ours.
  bool apply(llvm::StringRef Buffer, Extent Within, std::string &Out) const;
};

} // namespace agglom

#endif // AGGLOM_EMIT_SOURCETEXT_H
