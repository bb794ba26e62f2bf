// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One C translation unit, as it comes from a command line, and its
// preprocessing.

#ifndef AGGLOM_FRONTEND_UNIT_H
#define AGGLOM_FRONTEND_UNIT_H

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
  bool ForeignHost =
      false;            ///< another compiler than this Clang gets the host text
  bool GccHost = false; ///< no Clang gets it
  /// Texts to read instead of files, by file name.
  std::map<std::string, std::string> Overlay;
  /// Names of the files that -save-temps keeps. Messages and debug info use
  /// them for generated lines that stand for no line of the user's.
  std::string HostName = "agglom.c", DeviceName = "agglom.cu";
};

struct Preprocessed {
  bool Ok = false;           ///< false: 'check' will report why
  bool Annotated = false;    ///< there is at least one '#pragma agglom'
  bool Misspelt = false;     ///< there is a pragma with 'agglom' misspelt
  bool NamesRuntime = false; ///< names a runtime function: agglom_wait
  bool NamesMacro = false;   ///< names __agglom__, or it was defined by option
  std::string Missing;       ///< the first header that is not found, or empty
  std::string Text;          ///< empty when not annotated
};

/// A failure of the tool itself.
struct Fault {
  std::string File;  ///< the user's file that it is about; "" when unknown
  unsigned Line = 0; ///< in File
  std::string Said;  ///< Clang's message, or another explanation
};

Preprocessed preprocess(const Unit &U);

/// Warns about the pragmas that made an unannotated unit Misspelt. \returns
/// false when that is an error.
bool warnMisspelt(const Unit &U);

/// The directive/clause table as text, for --help-pragmas.
std::string pragmaHelp();

} // namespace agglom

#endif // AGGLOM_FRONTEND_UNIT_H
