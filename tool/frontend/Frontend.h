// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end as the driver sees it: four steps over one C translation unit.
//
//   preprocess  lexes the unit once; says whether it holds '#pragma agglom' at
//               all (if not, nothing else here is needed) and gives the
//               preprocessed text with macros in our pragmas expanded
//   check       parses the user's own file: every diagnostic, Clang's and
//               ours, is issued here, under the user's text
//   translate   parses the preprocessed text and emits host C and kernel text
//   packImages  the last piece of the host text, once device code is compiled
//
// The driver knows command lines, files and processes; the front end knows C.

#ifndef AGGLOM_FRONTEND_FRONTEND_H
#define AGGLOM_FRONTEND_FRONTEND_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace agglom {

/// Warning switches of -W[no-]agglom-*, -Werror, -w, taken off the command line
/// by the driver because Clang does not know them.
struct WarningOptions {
  /// Flags as given, in order: "-Wagglom-mapping", "-Wno-agglom-mapping",
  /// "-Wagglom", "-Werror=agglom-mapping", "-Wno-error=agglom-mapping",
  /// "-Wno-agglom".
  std::vector<std::string> Flags;
};

/// One C translation unit.
struct Unit {
  /// A Clang *driver* command line for this unit: argv[0] is the path of the
  /// clang executable (its resource directory is found from it), then all
  /// options that concern compiling, then exactly one input. No -o, -c, -S, -E.
  /// -MD/-MF/-MT/... stay in: 'check' writes the dependency file; give -MT and
  /// -MF explicitly since there is no -o.
  std::vector<std::string> Args;
  /// The content when the input is "-".
  std::optional<std::string> StdinText;
  WarningOptions Warnings;
  bool ForNvcc = false; ///< nvcc compiles the device code, not Clang
  bool ForeignHost =
      false; ///< another compiler than this Clang gets the host text
  /// Texts to read instead of these files.
  std::map<std::string, std::string> Overlay;
  /// What messages and debug info call the lines of generated text that are
  /// nobody's: the files that -save-temps keeps.
  std::string HostName = "agglom.c", DeviceName = "agglom.cu";
};

struct Preprocessed {
  bool Ok = false;           ///< false: 'check' will report why
  bool Annotated = false;    ///< there is at least one '#pragma agglom'
  bool Misspelt = false;     ///< or one with a slip in that word
  bool NamesRuntime = false; ///< its functions: agglom_wait, say
  std::string Missing;       ///< the first header that is not found, or empty
  std::string Text;          ///< empty when not annotated
};

/// What a task became; for -fagglom-report.
struct TaskSummary {
  std::string Title, File; ///< "task 'f'"
  unsigned Line = 0;
  bool Device = false;     ///< has a kernel
  std::string Mapping;     ///< "block", "thread", "cpu"
  std::string Explanation; ///< why this mapping, why no kernel
  std::string Kernel;      ///< its entry point, when there is one
};

/// A failure of the tool itself.
struct Fault {
  std::string File;  ///< of the user's, that it is about; "" when unknown
  unsigned Line = 0; ///< in it
  std::string Said;  ///< Clang's words, or what else is known
};

struct Translation {
  bool Ok = false;
  std::string Error;      ///< when not Ok: what is wrong with the unit, or ""
  Fault Failure;          ///< when not Ok and there is no Error
  std::string HostText;   ///< preprocessed C (-x cpp-output), less packImages
  std::string DeviceText; ///< CUDA/C kernel text; empty when no task has one
  bool NeedsDeviceMaths = false; ///< link libdevice or libclc
  /// Device code of other units is used here, or this one's there.
  bool Linked = false;
  std::vector<TaskSummary> Tasks;
};

/// Compiled device code of the unit.
struct Image {
  enum KindTy { PTX = 1, Cubin = 2 } Kind;
  unsigned Arch; ///< 90 for sm_90
  std::string Bytes;
};

Preprocessed preprocess(const Unit &U);

/// Warns about the pragmas that made an unannotated unit Misspelt. \returns
/// false when that is an error.
bool warnMisspelt(const Unit &U);

/// Returns true when the unit may be translated. Diagnostics go to stderr, or
/// to Clang's verifier under '-Xclang -verify'. \p Failure takes what the tool
/// itself failed at.
bool check(const Unit &U, Fault &Failure);

/// A change of the user's text that a diagnostic of ours proposes.
struct Fix {
  std::string File;     ///< as the compiler opened it; "" when it has none
  bool Foreign = false; ///< a system header's: not the user's to change
  bool InMacro = false; ///< the text comes out of a macro
  unsigned Line = 0;
  std::string Message; ///< of the diagnostic
  struct Edit {
    size_t Offset = 0, Length = 0;
    std::string Text;
  };
  std::vector<Edit> Edits; ///< to be made together
};

/// The fix-its of agglom's own diagnostics for the unit, in their order.
/// Nothing is printed. \p Cautious: with waits wherever one may be needed.
std::vector<Fix> findFixes(const Unit &U, bool Cautious = false);

/// What --suggest has to say about a function that is no task.
struct Proposal {
  std::string Function;
  unsigned Line = 0;
  std::string WhyNot;       ///< not empty: it is not proposed
  std::string Assumption;   ///< what was taken for granted, or empty
  std::vector<Fix> Changes; ///< the lines to insert
};

/// \p Waits: where the host would use too early what the proposed tasks write.
/// \returns false when the unit has errors, which 'check' will report.
bool findProposals(const Unit &U, std::vector<Proposal> &Out,
                   std::vector<Fix> &Waits);

Translation translate(const Unit &U, const std::string &PreprocessedText);

/// Text to append to Translation::HostText.
std::string packImages(const Translation &T, const std::vector<Image> &Images);

/// The directive/clause table as text, for --help-pragmas.
std::string pragmaHelp();

} // namespace agglom

#endif // AGGLOM_FRONTEND_FRONTEND_H
