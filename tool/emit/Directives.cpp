// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wait on`, `data` and `update`. The pointers and numbers of their sections
// are evaluated where the user wrote them, and passed to a function at the end
// of the text, where the runtime's structures are declared:
//
//   #pragma agglom wait on(x[lo:n])
//     __agglom_directive_0((const void *const[]){(x)},
//                          (const long long[]){(lo), (n)});
//
//   #pragma agglom data resident(x[0:n])
//   { void *__agglom_data_1 __attribute__((cleanup(__agglom_data_end))) =
//       __agglom_directive_1(...);

#include "Emit.h"

using namespace clang;

namespace agglom {

namespace {
/// The pointers and numbers of a directive, as the user wrote them. pointer()
/// and number() return the names under which the function finds them.
struct Values {
  std::vector<std::string> Pointers, Numbers;

  std::string pointer(const std::string &Text) {
    Pointers.push_back("(const void *)(" + Text + ")");
    return "ag_p[" + std::to_string(Pointers.size() - 1) + "]";
  }
  std::string number(const std::string &Text) {
    Numbers.push_back("(long long)(" + Text + ")");
    return "ag_v[" + std::to_string(Numbers.size() - 1) + "]";
  }
  std::string size(const std::string &Of) {
    return "(unsigned long long)" + number("sizeof(" + Of + ")");
  }
};
} // namespace

static std::string functionName(size_t I) {
  return "__agglom_directive_" + std::to_string(I);
}

static bool isData(const SectionDirective &D) {
  return D.Info->Id == DirectiveId::Data;
}

static std::string head(const SectionDirective &D, size_t I) {
  return std::string("static ") + (isData(D) ? "void *" : "void ") +
         functionName(I) + "(const void *const *ag_p, const long long *ag_v)";
}

static std::string modeOf(ClauseId Id) {
  switch (Id) {
  case ClauseId::UpdateHost:
    return "AGGLOM_IN";
  case ClauseId::UpdateDevice:
    return "AGGLOM_OUT";
  default:
    return "AGGLOM_INOUT";
  }
}

/// The entry of the range array for \p S; the shape it refers to goes to \p
/// Shapes.
static std::string range(Emission &E, const Section &S, size_t Number,
                         Values &V, std::string &Shapes) {
  std::string Base = V.pointer(S.Base);
  if (S.plain()) {
    std::string Lo = V.number(S.Dims[0].Lo);
    return "{" + Base + ", " + Lo + ", " + V.number(S.Dims[0].Len) + "}";
  }
  std::string Shape = "ag_shape_" + std::to_string(Number);
  std::string Dims = "ag_dims_" + std::to_string(Number);
  std::string Head = "  const struct agglom_shape " + Shape + " = {" + Base;
  if (S.gathers()) {
    int64_t Bytes = elementSize(E, S.IndexType);
    if (S.IndexType->isSignedIntegerOrEnumerationType())
      Bytes = -Bytes;
    std::string Block = V.size("*(" + S.Base + ")");
    Shapes += Head + ", 0, 0, " + std::to_string(Bytes) + ", " + Block + ", " +
              V.pointer(S.Indexes) + ", 0};\n";
    std::string Lo = V.number(S.Dims[0].Lo);
    return "{&" + Shape + ", " + Lo + ", " + V.number(S.Dims[0].Len) + "}";
  }
  Shapes += "  const struct agglom_dim " + Dims + "[] = {";
  std::string Element = "(" + S.Base + ")";
  for (const SectionDim &D : S.Dims) {
    Element += "[0]";
    std::string Lo = V.number(D.Lo), Len = V.number(D.Len);
    std::string Step = V.number(D.Step);
    Shapes +=
        "{" + Lo + ", " + Len + ", " + Step + ", " + V.size(Element) + "}, ";
  }
  Shapes += "};\n" + Head + ", " + Dims + ", " + std::to_string(S.Dims.size()) +
            ", 0, " + V.size(Element) + ", 0, 0};\n";
  return "{&" + Shape + ", 0, 0}";
}

/// The body of the function; \p V gets the values that the function is called
/// with.
static std::string body(Emission &E, const SectionDirective &D, Values &V) {
  const SourceManager &SM = E.U.Context.getSourceManager();
  std::string Entries, Shapes, Ranges;
  for (size_t I = 0; I < D.Sections.size(); ++I) {
    const Section &S = D.Sections[I];
    PresumedLoc P = SM.getPresumedLoc(S.Loc);
    Entries += "    {" +
               quoted((spellingOf(S.Clause) + "(" + S.Text + ")").str()) +
               ", " + std::to_string(P.isValid() ? P.getLine() : 0) + ", " +
               modeOf(S.Clause) + (S.plain() ? "" : " | AGGLOM_SHAPED") + ", " +
               std::to_string(elementSize(E, S.Element)) + ", 0, 0, 0, 0},\n";
    Ranges += "    " + range(E, S, I, V, Shapes) + ",\n";
  }
  PresumedLoc P = SM.getPresumedLoc(D.Loc);
  std::string Call = isData(D) ? "return agglom_data_begin"
                     : D.Info->Id == DirectiveId::Update
                         ? "(void)agglom_update_sections"
                     : D.Own ? "(void)agglom_wait_own_sections"
                             : "(void)agglom_wait_sections";
  return "  static const struct agglom_section ag_sections[] = {\n" + Entries +
         "  };\n  static const struct agglom_directive ag_at = {" +
         quoted(D.Info->Spelling) + ", " + quoted(E.fileName(P)) + ", " +
         std::to_string(D.Sections.size()) + ", 0, ag_sections};\n" + Shapes +
         "  const struct agglom_range ag_ranges[] = {\n" + Ranges + "  };\n" +
         "  if (__builtin_expect(__agglom_module.refused, 0)) {\n" +
         (isData(D) ? "    return 0;\n"
                    : "    (void)agglom_wait();\n    return;\n") +
         "  }\n  " + Call + "(&ag_at, ag_ranges);\n";
}

static std::string list(const std::vector<std::string> &Items) {
  std::string S;
  for (const std::string &Item : Items)
    S += (S.empty() ? "" : ", ") + Item;
  return S;
}

std::string directiveUse(Emission &E, size_t I) {
  const SectionDirective &D = E.U.M.SectionDirectives[I];
  Values V;
  body(E, D, V);
  std::string Call = functionName(I) + "((const void *const[]){" +
                     list(V.Pointers) + "}, (const long long[]){" +
                     list(V.Numbers) + "});";
  if (!isData(D))
    return Call;
  return " void *__agglom_data_" + std::to_string(I) +
         " __attribute__((cleanup(__agglom_data_end), unused)) = " + Call;
}

std::string directiveDeclarations(const Emission &E) {
  const auto &All = E.U.M.SectionDirectives;
  std::string S;
  for (size_t I = 0; I < All.size(); ++I)
    S += head(All[I], I) + ";\n";
  if (llvm::any_of(All, isData))
    S += "static void __agglom_data_end(void **ag_block);\n";
  return S;
}

std::string directiveFunctions(Emission &E) {
  const auto &All = E.U.M.SectionDirectives;
  std::string S;
  for (size_t I = 0; I < All.size(); ++I) {
    PresumedLoc P = E.U.Context.getSourceManager().getPresumedLoc(All[I].Loc);
    Values V;
    std::string Body = body(E, All[I], V);
    S +=
        "\n/* " + All[I].Info->Spelling.str() + ", " +
        (P.isValid() ? E.fileName(P) + ":" + std::to_string(P.getLine()) : "") +
        " */\n__attribute__((unused)) " + head(All[I], I) + " {\n" + Body +
        "}\n";
  }
  if (llvm::any_of(All, isData))
    S += "\n__attribute__((unused)) static void __agglom_data_end(void "
         "**ag_block) {\n"
         "  if (__builtin_expect(__agglom_module.refused, 0))\n"
         "    (void)agglom_wait();\n"
         "  else\n    agglom_data_end(*ag_block);\n}\n";
  return S;
}

} // namespace agglom
