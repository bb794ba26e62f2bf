// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of C that are something else in C++ or under CUDA. One walk over the
// tokens of the finished kernel text, for a name must change wherever it
// stands: in the user's text, in argument structures, in layout assertions.
//
//   class, new, this    become ag_c_class, ...
//   struct list         becomes struct ag_tag_list where list is also a type
//   M_PI, linux         macros of the headers nvcc reads first: #undef
//
// Names of CUDA's types and functions need nothing: the text stands in a
// namespace and hides them.

#include "Cxx.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace agglom {

static const llvm::StringSet<> &keywords() {
  static const llvm::StringSet<> Words = {
      "alignas",
      "alignof",
      "and",
      "and_eq",
      "asm",
      "bitand",
      "bitor",
      "bool",
      "catch",
      "char16_t",
      "char32_t",
      "char8_t",
      "class",
      "compl",
      "concept",
      "const_cast",
      "consteval",
      "constexpr",
      "constinit",
      "co_await",
      "co_return",
      "co_yield",
      "decltype",
      "delete",
      "dynamic_cast",
      "explicit",
      "export",
      "false",
      "friend",
      "inline",
      "mutable",
      "namespace",
      "new",
      "noexcept",
      "not",
      "not_eq",
      "nullptr",
      "operator",
      "or",
      "or_eq",
      "private",
      "protected",
      "public",
      "reinterpret_cast",
      "requires",
      "restrict",
      "static_assert",
      "static_cast",
      "template",
      "this",
      "thread_local",
      "throw",
      "true",
      "try",
      "typeid",
      "typename",
      "typeof",
      "typeof_unqual",
      "using",
      "virtual",
      "wchar_t",
      "xor",
      "xor_eq",
  };
  return Words;
}

/// May be a macro in the headers that nvcc reads before the text.
static bool mayBeMacro(StringRef Name) {
  static const llvm::StringSet<> Others = {
      "alloca",  "assert",   "be16toh",          "be32toh",   "be64toh",
      "htobe16", "htobe32",  "htobe64",          "htole16",   "htole32",
      "htole64", "isascii",  "issubnormal",      "le16toh",   "le32toh",
      "le64toh", "linux",    "math_errhandling", "offsetof",  "stderr",
      "stdin",   "stdout",   "strdupa",          "strndupa",  "toascii",
      "unix",    "P_tmpdir", "L_tmpnam",         "L_ctermid", "L_cuserid",
  };
  if (Name.starts_with("_") || Name.starts_with("AG_"))
    return false;
  if (Others.contains(Name))
    return true;
  // M_PI, M_PIf, INT_MAX, isalnum_l, cudaStreamDefault
  return Name.starts_with("M_") || Name.starts_with("cuda") ||
         Name.ends_with("_l") || (Name.size() > 1 && Name.upper() == Name);
}

namespace {
class NameWalk {
  Emission &E;
  StringRef Text;
  std::set<std::string> Macros;
  std::string Out;
  size_t Copied = 0;

  /// Whether C has an ordinary type \p Name besides the tag of that name.
  bool isOtherType(StringRef Name) const {
    ASTContext &Ctx = E.U.Context;
    const TypedefNameDecl *Typedef = nullptr;
    const TagDecl *Tag = nullptr;
    for (const NamedDecl *D : Ctx.getTranslationUnitDecl()->lookup(
             DeclarationName(&Ctx.Idents.get(Name)))) {
      if (auto *T = dyn_cast<TypedefNameDecl>(D))
        Typedef = T;
      else if (auto *T = dyn_cast<TagDecl>(D))
        Tag = T;
    }
    if (!Typedef)
      return false;
    const TagDecl *Named = Typedef->getUnderlyingType()->getAsTagDecl();
    return !Tag || !Named ||
           Named->getCanonicalDecl() != Tag->getCanonicalDecl();
  }

  void replace(size_t At, size_t Length, const std::string &With) {
    Out += Text.slice(Copied, At);
    Out += With;
    Copied = At + Length;
  }

public:
  NameWalk(Emission &E, StringRef Text) : E(E), Text(Text) {}

  std::string run() {
    ASTContext &Ctx = E.U.Context;
    Lexer Lex(SourceLocation(), Ctx.getLangOpts(), Text.begin(), Text.begin(),
              Text.end());
    Token T;
    bool AfterTagWord = false;
    while (!Lex.LexFromRawLexer(T) || T.isNot(tok::eof)) {
      size_t End = Lex.getBufferLocation() - Text.begin();
      size_t At = End - T.getLength();
      if (T.is(tok::hash) && T.isAtStartOfLine()) {
        size_t Break = Text.find('\n', End);
        Lex.seek(Break == StringRef::npos ? Text.size() : Break + 1,
                 /*IsAtStartOfLine=*/true);
        continue;
      }
      if (T.isNot(tok::raw_identifier)) {
        AfterTagWord = false;
        continue;
      }
      StringRef Word = Text.substr(At, T.getLength());
      bool IsTag = AfterTagWord;
      AfterTagWord = Word == "struct" || Word == "union";
      // Some are keywords of this version of C, and mean the same then.
      if (keywords().contains(Word) &&
          Ctx.Idents.get(Word).getTokenID() == tok::identifier)
        replace(At, T.getLength(), "ag_c_" + Word.str());
      else if (IsTag && isOtherType(Word))
        replace(At, T.getLength(), "ag_tag_" + Word.str());
      else if (mayBeMacro(Word))
        Macros.insert(Word.str());
    }
    Out += Text.substr(Copied);
    if (Macros.empty())
      return std::move(Out);
    std::string Undo = "/* names of the text that are macros elsewhere */\n";
    for (const std::string &M : Macros)
      Undo += "#undef " + M + "\n";
    Out.insert(Out.find("AG_USER_BEGIN"), Undo);
    return std::move(Out);
  }
};
} // namespace

std::string withCxxNames(Emission &E, StringRef Text) {
  return NameWalk(E, Text).run();
}

} // namespace agglom
