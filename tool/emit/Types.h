// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file-scope types that a set of functions needs, as text: every typedef,
// structure, union and enumeration spelled or used in them, and what those
// need in turn, in source order.

#ifndef AGGLOM_EMIT_TYPES_H
#define AGGLOM_EMIT_TYPES_H

#include "DeviceEdits.h"

namespace agglom {

class TypeCollector {
  Emission &E;
  struct Group {
    Extent At;
    bool TypesOnly;
    std::vector<const clang::Decl *> Decls;
  };
  std::vector<Group> Groups;
  std::vector<Extent> FunctionBodies;
  std::set<const void *> Seen;
  /// Text to emit, keyed by its place in the source.
  struct Chunk {
    Extent At;
    clang::SourceLocation Loc;
    unsigned Pack = 0; ///< of #pragma pack, in bytes; 0 is none
    std::vector<const clang::Decl *> Decls;
    bool Apart = false; ///< the type, without objects declared with it
    std::string Text;
  };
  std::map<unsigned, Chunk> Chunks;
  llvm::SetVector<const clang::TagDecl *> Records;

  void addDeclaration(const clang::TypeDecl *D);
  void walk(const clang::Decl *D);
  std::string layouts() const;

public:
  explicit TypeCollector(Emission &E);
  void need(clang::QualType T);
  void need(const clang::TagDecl *Tag);
  void needFor(const clang::FunctionDecl *F);
  void needFor(const clang::VarDecl *V);
  /// To be called before text(), and before the functions are edited.
  void edit(DeviceEdits &Ed);
  std::string text() const;
};

} // namespace agglom

#endif // AGGLOM_EMIT_TYPES_H
