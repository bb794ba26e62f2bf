// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.h"
#include "Emit.h"
#include "Faults.h"
#include "Invocation.h"
#include "ParseAction.h"
#include "Steps.h"
#include "include/agglom/launch.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace agglom {

bool check(const Unit &U, Fault &Failure) {
  bool Complete = false;
  ParseAction Action(U.Warnings.Flags, [&](ParsedUnit &P) {
    checkUnit(P);
    Complete = !P.CI.getDiagnostics().hasErrorOccurred();
  });
  bool Verify = false;
  bool Ok = runAction(U, Talk::Aloud, Action, [&](CompilerInvocation &Inv) {
    Verify = Inv.getDiagnosticOpts().VerifyDiagnostics;
  });
  Failure = Action.failure();
  // Under -verify the verifier decides whether the diagnostics were expected.
  return Verify ? Ok : Ok && Complete;
}

static std::vector<TaskSummary> summarise(ParsedUnit &P,
                                          const CheckedUnit &Checked) {
  std::vector<TaskSummary> Out;
  for (const auto &T : P.M.Tasks) {
    if (!T->Definition)
      continue;
    TaskSummary S;
    S.Title = T->LoopOf.empty() ? "task '" + T->Name + "'"
                                : "loop in '" + T->LoopOf + "'";
    PresumedLoc Loc =
        P.Context.getSourceManager().getPresumedLoc(T->Declared->getLocation());
    if (Loc.isValid()) {
      S.File = Loc.getFilename();
      S.Line = Loc.getLine();
    }
    S.Device = T->onDevice();
    S.Mapping = !T->onDevice()             ? "cpu"
                : T->Map == Mapping::Block ? "block"
                : T->Map == Mapping::Warp  ? "warp"
                : T->byTeam()              ? "block or warp"
                                           : "thread";
    if (S.Device)
      S.Kernel = generated(*T, "kernel");
    S.Explanation = T->onDevice() ? T->MapReason : "device(cpu)";
    if (auto It = Checked.Closures.find(T.get());
        It != Checked.Closures.end() && !It->second.Recursive.empty())
      S.Explanation +=
          "; recursive: its threads get " +
          std::to_string(AGGLOM_STACK_BYTES + AGGLOM_STACK_RESERVE) +
          " bytes of stack more";
    Out.push_back(S);
  }
  return Out;
}

/// A file's name as line markers have it.
static std::string quotedName(StringRef Name) {
  std::string Out = "\"";
  for (char C : Name) {
    if (C == '"' || C == '\\')
      Out += '\\';
    Out += C;
  }
  return Out + '"';
}

/// Data that is copied between host and device has one layout only if both
/// agree on the widths of C's types. \returns the difference, or "".
static std::string unlikeDevice(const clang::TargetInfo &Target) {
  if (Target.getPointerWidth(LangAS::Default) == 64 &&
      Target.getLongWidth() == 64 && Target.isLittleEndian())
    return "";
  return "tasks need a 64-bit little-endian target with 64-bit 'long', as the "
         "device has; '" +
         Target.getTriple().str() +
         (Target.getPointerWidth(LangAS::Default) == 64
              ? "' is another"
              : "' has " +
                    std::to_string(Target.getPointerWidth(LangAS::Default)) +
                    "-bit pointers") +
         ": compile this file for another target, or with -fno-agglom";
}

/// \p Lowered, when not null, gets the text without '#pragma agglom for'
/// instead of the translation, if there is such a loop; \p Tasks are the tasks
/// made of loops.
static Translation translate(const Unit &U, const std::string &PreprocessedText,
                             std::string *Lowered, LoweredTasks &Tasks) {
  Translation Out;
  auto Buffer =
      llvm::MemoryBuffer::getMemBuffer(PreprocessedText, "<preprocessed>");
  ParseAction Action({}, [&](ParsedUnit &P) {
    P.M.ForeignHost = U.ForeignHost;
    P.M.GccHost = U.GccHost;
    CheckedUnit Checked = checkUnit(P);
    if (P.CI.getDiagnostics().hasErrorOccurred())
      return;
    Out.Error = unlikeDevice(P.Context.getTargetInfo());
    if (!Out.Error.empty())
      return;
    Emission E(P, Checked);
    auto overlaps = [&] {
      if (!E.Overlap)
        return false;
      Out.Failure.Said = "two changes of the text overlap";
      SourceManager &SM = P.Context.getSourceManager();
      setUserPlace(SM, SM.getComposedLoc(SM.getMainFileID(), *E.Overlap),
                   Out.Failure);
      return true;
    };
    if (Lowered && !P.M.HostLoops.empty()) {
      *Lowered = lowerHostLoops(E, Tasks);
      Out.Ok = !overlaps();
      return;
    }
    restoreLoops(P, Tasks);
    // The host text first: it notes the pragma lines that every copy of a
    // body drops.
    // Debug info takes the unit's name from a marker at the very beginning.
    llvm::SmallString<256> Main(U.Args.back() == "-" ? "<stdin>"
                                                     : U.Args.back());
    P.Context.getLangOpts().remapPathPrefix(Main); // not done by Clang here
    Out.HostText = resolveSelfMarkers("# 1 " + quotedName(Main.str().str()) +
                                          "\n" + hostText(E),
                                      quotedName(U.HostName));
    Out.DeviceText = resolveSelfMarkers(kernelText(E, Out.NeedsDeviceMaths),
                                        quotedName(U.DeviceName));
    if (overlaps())
      return;
    Out.Linked = !exportsOf(E).empty() || !importsOf(E).empty();
    Out.Tasks = summarise(P, Checked);
    Out.Ok = true;
  });
  auto adjust = [&](CompilerInvocation &Inv) {
    auto &Inputs = Inv.getFrontendOpts().Inputs;
    Inputs.clear();
    Inputs.push_back(FrontendInputFile(
        Buffer->getMemBufferRef(), InputKind(Language::C).getPreprocessed()));
    // Preprocessing is done: these options must not act again.
    PreprocessorOptions &PP = Inv.getPreprocessorOpts();
    PP.Macros.clear();
    PP.Includes.clear();
    PP.MacroIncludes.clear();
    PP.ImplicitPCHInclude.clear();
    PP.ChainedIncludes.clear();
    // 'check' has issued the warnings.
    DiagnosticOptions &Diags = Inv.getDiagnosticOpts();
    Diags.IgnoreWarnings = true;
    Diags.Pedantic = Diags.PedanticErrors = false;
    llvm::erase_if(Diags.Warnings, [](const std::string &Flag) {
      return !StringRef(Flag).starts_with("no-");
    });
  };
  FaultListener Listener(Out.Failure);
  runAction(U, Talk::Silent, Action, adjust, &Listener);
  if (!Action.failure().Said.empty())
    Out.Failure = Action.failure();
  return Out;
}

Translation translate(const Unit &U, const std::string &PreprocessedText) {
  std::string Lowered;
  LoweredTasks Tasks;
  Translation Out = translate(U, PreprocessedText, &Lowered, Tasks);
  if (Lowered.empty() || !Out.Ok)
    return Out;
  return translate(U, Lowered, nullptr, Tasks);
}

/// Bytes as C string literals, of readable text or octal escapes. Lines are
/// long and escapes short, since the host compiler reads all of it.
static std::string literal(StringRef Bytes) {
  std::string Out;
  Out.reserve(Bytes.size() * 2);
  Out = "  \"";
  size_t LineBegin = 0;
  auto newLine = [&] {
    Out += "\"\n  \"";
    LineBegin = Out.size();
  };
  for (size_t I = 0; I != Bytes.size(); ++I) {
    unsigned char C = Bytes[I];
    char Next = I + 1 == Bytes.size() ? 0 : Bytes[I + 1];
    if (C == '\n') {
      Out += "\\n";
      newLine();
      continue;
    }
    if (C == '"' || C == '\\') {
      Out += '\\';
      Out += static_cast<char>(C);
    } else if (C >= 32 && C < 127 && C != '?') {
      Out += static_cast<char>(C);
    } else {
      // A following digit would belong to a short escape.
      bool Whole = Next >= '0' && Next <= '7';
      Out += '\\';
      if (Whole || C >= 64)
        Out += static_cast<char>('0' + (C >> 6));
      if (Whole || C >= 8)
        Out += static_cast<char>('0' + ((C >> 3) & 7));
      Out += static_cast<char>('0' + (C & 7));
    }
    if (Out.size() - LineBegin >= 500)
      newLine();
  }
  return Out + "\"";
}

std::string packImages(const Translation &T, const std::vector<Image> &Images) {
  if (T.HostText.find("__agglom_tasks[]") == std::string::npos)
    return ""; // only calls tasks of other units
  std::string S = "\n/* device code of the unit, in its own section */\n";
  for (size_t I = 0; I < Images.size(); ++I)
    S += "static const char __agglom_image_" + std::to_string(I) +
         "[] __attribute__((section(\"agglom_images\"), used, aligned(16))) "
         "=\n" +
         literal(Images[I].Bytes) + ";\n";
  if (!Images.empty()) {
    S += "static const struct agglom_image __agglom_images[] = {\n";
    for (size_t I = 0; I < Images.size(); ++I) {
      std::string Name = "__agglom_image_" + std::to_string(I);
      S += std::string("  {") +
           (Images[I].Kind == Image::PTX ? "AGGLOM_IMAGE_PTX"
                                         : "AGGLOM_IMAGE_CUBIN") +
           ", " + std::to_string(Images[I].Arch) + ", sizeof " + Name +
           " - 1, " + Name + "},\n";
    }
    S += "};\n";
  }
  S += "static struct agglom_module __agglom_module = {\n"
       "  .abi_version = AGGLOM_ABI_VERSION,\n"
       "  .size = sizeof(struct agglom_module),\n"
       "  .file = __agglom_file,\n"
       "  .producer = \"agglomcc " AGGLOM_VERSION "\",\n"
       "  .n_tasks = __agglom_n_tasks,\n"
       "  .n_images = " +
       std::to_string(Images.size()) +
       ",\n"
       "  .tasks = __agglom_tasks,\n"
       "  .images = " +
       (Images.empty() ? "0" : "__agglom_images") +
       ",\n"
       "  .n_imports = __agglom_n_imports,\n"
       "  .imports = __agglom_imports,\n};\n"
       "__attribute__((constructor)) static void __agglom_enter(void) {\n"
       "  __agglom_module.refused = agglom_register(&__agglom_module) < 0;\n"
       "}\n"
       "__attribute__((destructor)) static void __agglom_leave(void) {\n"
       "  if (!__agglom_module.refused)\n"
       "    agglom_unregister(&__agglom_module);\n"
       "}\n";
  return S;
}

} // namespace agglom
