// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel text. For
//
//   #pragma agglom task in(a[0:n]) inout(f[0:n])
//   void f(int n, const float *a, float *f) { ... }
//
// it holds, after the types, constants and functions of the device closure,
//
//   AG_FUNC void f__agglom_unit(int n, const float *a, float *f,
//                               unsigned ag_part, unsigned ag_parts,
//                               unsigned ag_team) { ... }
//   AG_KERNEL f__agglom_kernel(const struct agglom_launch ag_launch) {
//     for each unit k of this team's chain: f__agglom_unit(its arguments)
//   }

#include "DeviceLibrary.h"
#include "Emit.h"
#include "Types.h"

using namespace clang;

namespace agglom {

namespace {
class KernelWriter {
  Emission &E;
  bool &NeedsMaths;
  std::vector<const Task *> Tasks;
  llvm::SetVector<const FunctionDecl *> Plain; ///< called by other device code
  llvm::SetVector<const VarDecl *> Consts;
  std::set<std::string> Library;
  llvm::SmallPtrSet<const CallExpr *, 8> FormatsDone;
  std::vector<const ValueDecl *> Exports, Imports;
  llvm::SmallPtrSet<const FunctionDecl *, 8> Recursive;

  void add(const DeviceClosure &C, size_t First) {
    for (size_t I = First; I < C.Functions.size(); ++I)
      Plain.insert(C.Functions[I]);
    Consts.insert(C.Consts.begin(), C.Consts.end());
    Library.insert(C.Library.begin(), C.Library.end());
    Recursive.insert(C.Recursive.begin(), C.Recursive.end());
    editFormats(C);
  }

  void gather() {
    for (const auto &T : E.U.M.DeclaredFunctions)
      if (auto It = E.Checked.Closures.find(T.get());
          It != E.Checked.Closures.end())
        add(It->second, 0);
    for (const ValueDecl *D : Exports)
      if (auto *V = dyn_cast<VarDecl>(D))
        Consts.insert(V);
    for (const auto &T : E.U.M.Tasks) {
      auto It = E.Checked.Closures.find(T.get());
      if (It == E.Checked.Closures.end())
        continue;
      Tasks.push_back(T.get());
      const DeviceClosure &C = It->second;
      add(C, C.Recursive.contains(C.Functions[0]) ? 0 : 1);
    }
  }

  /// The device's printf knows fewer conversions than C.
  void editFormats(const DeviceClosure &C) {
    for (const FormatEdit &F : C.Formats) {
      if (!FormatsDone.insert(F.Call).second)
        continue;
      E.Gpu.replace(E.Text.extent(F.Format->getSourceRange()),
                    stringLiteral(F.Text));
      for (const auto &[Argument, Type] : F.Casts) {
        Extent At = E.Text.extent(Argument->getSourceRange());
        E.Gpu.insert(At.Begin, "(" + Type + ")(");
        E.Gpu.insert(At.End, ")");
      }
    }
  }

  template <typename T>
  std::vector<const T *>
  inSourceOrder(const llvm::SetVector<const T *> &Set) const {
    std::vector<const T *> V(Set.begin(), Set.end());
    llvm::sort(V, [&](const T *A, const T *B) {
      return E.Text.offset(A->getLocation()) < E.Text.offset(B->getLocation());
    });
    return V;
  }

  std::string device(Extent At) const {
    Edits Ed;
    Ed.addInner(E.Device, At);
    return E.edited(Ed, At);
  }

  bool isExport(const ValueDecl *D) const {
    return llvm::any_of(Exports, [&](const ValueDecl *Other) {
      return Other->getCanonicalDecl() == D->getCanonicalDecl();
    });
  }

  /// Macros that give exports and imports their names between units, and the
  /// declarations of imports.
  std::string linked() {
    std::string S;
    for (const auto *All : {&Exports, &Imports})
      for (const ValueDecl *D : *All)
        S += "#define " + D->getNameAsString() + " " + declaredSymbol(E, D) +
             "\n";
    for (const ValueDecl *D : Imports) {
      S += isa<VarDecl>(D) ? "AG_IMPORT_CONST " : "AG_IMPORT ";
      llvm::raw_string_ostream OS(S);
      withoutEnums(E.U.Context, D->getType()).print(OS, E.Policy, D->getName());
      OS << ";\n";
    }
    return S.empty() ? S : "/* shared with other units */\n" + S;
  }

  /// "AG_FUNC double f(double x)".
  std::string head(const FunctionDecl *F) const {
    Extent At = E.Text.extent(F->getSourceRange());
    unsigned Name = E.Text.offset(F->getLocation());
    unsigned Body = E.Text.offset(F->getBody()->getBeginLoc());
    const char *Kind = isExport(F) ? "AG_EXPORT " : "AG_FUNC ";
    if (hasVariableArrays(F))
      return Kind + E.Text.withoutSpecifiers(device({At.Begin, Name})) +
             F->getNameAsString() + "(" + flatParameterList(E, F) + ")";
    return Kind + E.Text.withoutSpecifiers(device({At.Begin, Name})) +
           E.Text.oneLine(device({Name, Body}));
  }

  std::string constants() const {
    std::string S;
    for (const VarDecl *V : inSourceOrder(Consts)) {
      S += E.Text.lineMarker(V->getLocation()) +
           (isExport(V) ? "AG_EXPORT_CONST " : "AG_CONST ");
      // The declaration is printed, not copied: its text may define a type or
      // other objects as well.
      llvm::raw_string_ostream OS(S);
      withoutEnums(E.U.Context, V->getType()).print(OS, E.Policy, V->getName());
      if (const Expr *Init = V->getAnyInitializer())
        OS << " = " << E.source(Init, Dialect::Gpu) << ";\n";
      else
        OS << (V->getType()->isScalarType() ? " = 0;\n" : " = {};\n");
    }
    return S;
  }

  /// The functions of the atomic updates in device code.
  std::string updates() const {
    std::set<const FunctionDecl *> In(Plain.begin(), Plain.end());
    for (const Task *T : Tasks)
      In.insert(T->kernelBody());
    std::set<unsigned> Used;
    for (const Update &Up : E.Checked.Updates)
      if (In.count(Up.In) && !ownObject(Up.Target))
        Used.insert(E.updateFunction(Up));
    std::string S = updateFunctions(E, Dialect::Gpu, &Used);
    return S.empty() ? S : "/* atomic updates */\n" + S;
  }

  std::string unit(const Task &T) {
    std::string Params =
        listOf({unitParameterList(E, T.kernelBody()), hiddenParameters(E, T),
                T.byTeam() ? "unsigned ag_part, unsigned ag_parts, "
                             "unsigned ag_team"
                           : ""});
    if (Params.empty())
      Params = "void";
    std::string S = SelfMarker;
    S += "/* task '" + T.Name + "': " + T.MapReason + " */\n";
    S += argumentStruct(E, T);
    S += "AG_SAME_LAYOUT(struct " + generated(T, "args") + ", " +
         std::to_string(argumentSize(T)) + ");\n";
    S += reductionDefinitions(E, T);
    std::string Unit =
        "AG_FUNC void " + generated(T, "unit") + "(" + Params + ")\n" +
        E.Text.lineMarker(T.kernelBody()->getBody()->getBeginLoc()) +
        unitBody(E, T, Dialect::Gpu) + "\n";
    return S + underItsPragmas(T.kernelBody(), Unit) + SelfMarker;
  }

  /// The entry point.
  std::string kernel(const Task &T) const {
    bool Team = T.byTeam();
    bool Recurses = !E.Checked.Closures.at(&T).Recursive.empty();
    std::string Values =
        listOf({unitValues(T, "ag_u->"), hiddenValues(T, "ag_u->"),
                Team ? "ag_part, ag_parts, ag_team" : ""});
    std::string S = "AG_KERNEL " + generated(T, "kernel") +
                    "(const struct agglom_launch ag_launch) {\n" +
                    (Recurses ? "  AG_STACK_BEGIN();\n" : "");
    switch (T.Map) {
    case Mapping::Warp:
      S += "  /* one warp runs one chain */\n"
           "  const unsigned ag_team = AG_WARP_TEAM;\n"
           "  unsigned ag_c = AG_BLOCK * (AG_THREADS / AG_WARP_THREADS) + "
           "AG_TEAM_INDEX;\n"
           "  if (ag_c >= ag_launch.n_chains)\n"
           "    return;\n";
      break;
    case Mapping::BlockOrWarp:
      S += "  /* one block or one warp runs one chain, as the launch says */\n"
           "  const unsigned ag_team = ag_launch.by_warp;\n"
           "  unsigned ag_c = ag_team ? AG_BLOCK * (AG_THREADS / "
           "AG_WARP_THREADS) + AG_TEAM_INDEX : AG_BLOCK;\n"
           "  if (ag_c >= ag_launch.n_chains)\n"
           "    return;\n";
      break;
    case Mapping::Thread:
      S += "  /* one thread runs one chain */\n"
           "  unsigned ag_c = AG_BLOCK * AG_THREADS + AG_THREAD;\n"
           "  if (ag_c >= ag_launch.n_chains)\n"
           "    return;\n";
      break;
    case Mapping::Block:
      S += "  /* one block runs one chain */\n"
           "  const unsigned ag_team = AG_BLOCK_TEAM;\n"
           "  unsigned ag_c = AG_BLOCK;\n";
    }
    if (Team)
      S += "  const unsigned ag_part = ag_launch.part[ag_c], ag_parts = "
           "ag_launch.parts[ag_c];\n";
    S += "  const unsigned ag_end = ag_launch.end[ag_c];\n"
         "  for (unsigned ag_k = ag_launch.start[ag_c]; ag_k < ag_end; "
         "++ag_k) {\n"
         "    const struct " +
         generated(T, "args") + " *ag_u = (const struct " +
         generated(T, "args") + " *)ag_launch.units + ag_k;\n";
    if (Team)
      S += "    ag_unit_begin(&ag_launch, ag_k, ag_team);\n";
    else if (T.waitsByThread())
      S += "    ag_thread_begin(&ag_launch, ag_k);\n";
    S += "    " + generated(T, "unit") + "(" + Values + ");\n";
    if (Team)
      S += "    ag_unit_end(&ag_launch, ag_k, ag_team);\n";
    else if (T.waitsByThread())
      S += "    ag_thread_end(&ag_launch, ag_k);\n";
    return S + "  }\n}\n";
  }

  uint64_t argumentSize(const Task &T) const;

public:
  KernelWriter(Emission &E, bool &NeedsMaths)
      : E(E), NeedsMaths(NeedsMaths), Exports(exportsOf(E)),
        Imports(importsOf(E)) {
    gather();
  }

  std::string text() {
    if (Tasks.empty() && Exports.empty())
      return "";
    std::string S =
        "/* Generated by agglomcc: the device code of this unit. For Clang "
        "(-x c --target=nvptx64-nvidia-cuda).\n"
        "   Line markers lead back to the source. */\n"
        "#include <agglom/kernel.h>\n\n";
    TypeCollector Types(E);
    for (const Task *T : Tasks) {
      Types.needFor(T->kernelBody());
      for (const ParmVarDecl *P : T->Definition->parameters())
        Types.need(P->getType()); // for the argument structure
    }
    for (const FunctionDecl *F : Plain)
      Types.needFor(F);
    for (const VarDecl *V : Consts)
      Types.needFor(V);
    for (const ValueDecl *D : Imports)
      Types.need(D->getType());
    DeviceEdits Edited(E);
    Types.edit(Edited);
    for (const VarDecl *V : Consts)
      Edited.constant(V);
    for (const Task *T : Tasks)
      findByAddress(E, *T);
    llvm::SmallPtrSet<const FunctionDecl *, 16> Rewritten;
    for (const FunctionDecl *F : Plain)
      if (Rewritten.insert(F).second)
        Edited.function(F);
    for (const Task *T : Tasks)
      if (Rewritten.insert(T->kernelBody()).second)
        Edited.function(T->kernelBody());
    for (const Task *T : Tasks)
      for (const Loop *L : T->Loops)
        if (L->SortKey)
          Edited.expression(L->SortKey, T->kernelBody());
    S += "/* types */\n" + Types.text() + SelfMarker;
    S += deviceLibraryText(Library, NeedsMaths);
    S += linked();
    if (!Consts.empty())
      S += "/* constants */\n" + constants() + SelfMarker;
    S += updates();
    if (!Plain.empty()) {
      S += "/* functions that tasks call */\n";
      std::vector<const FunctionDecl *> Functions = inSourceOrder(Plain);
      for (const FunctionDecl *F : Functions)
        S += head(F) + ";\n";
      for (const FunctionDecl *F : Functions) {
        std::string Text = E.Text.lineMarker(F->getLocation()) + head(F) +
                           "\n" +
                           E.Text.lineMarker(F->getBody()->getBeginLoc());
        Edits Ed;
        Extent Body = E.Text.extent(F->getBody()->getSourceRange());
        Ed.addFrom(E.Common, Body);
        Ed.addFrom(E.Gpu, Body);
        Ed.addInner(E.Device, Body);
        Ed.insert(Body.Begin + 1, byAddressEntry(E, F, nullptr));
        if (Recursive.count(F))
          Ed.insert(Body.Begin + 1, " AG_STACK_CHECK();");
        flattenArrays(E, F, F->getBody(), Ed);
        S += underItsPragmas(F, Text + E.edited(Ed, Body) + "\n");
      }
      S += SelfMarker;
    }
    for (const Task *T : Tasks)
      S += "\n" + unit(*T) + kernel(*T);
    return S;
  }
};

/// The size of the argument structure as the host lays it out.
uint64_t KernelWriter::argumentSize(const Task &T) const {
  ASTContext &Ctx = E.U.Context;
  uint64_t Size = 0, Align = 1;
  for (const ParmVarDecl *P : T.Definition->parameters()) {
    uint64_t FieldAlign = Ctx.getTypeAlignInChars(P->getType()).getQuantity();
    Size = (Size + FieldAlign - 1) / FieldAlign * FieldAlign +
           Ctx.getTypeSizeInChars(P->getType()).getQuantity();
    Align = std::max(Align, FieldAlign);
  }
  for (size_t I = 0; I < T.globals().size(); ++I) {
    Size = (Size + 7) / 8 * 8 + 8;
    Align = 8;
  }
  if (!Size)
    return 1;
  return (Size + Align - 1) / Align * Align;
}
} // namespace

std::string kernelText(Emission &E, bool &NeedsMaths) {
  return KernelWriter(E, NeedsMaths).text();
}

} // namespace agglom
