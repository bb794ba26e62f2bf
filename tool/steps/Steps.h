// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end as the driver sees it: four steps over one C translation unit.
//
//   preprocess  lexes the unit once; says whether it holds '#pragma agglom' at
//               all (if not, nothing else here is needed) and gives the
//               preprocessed text with macros in agglom pragmas expanded
//   check       parses the user's own file: every diagnostic, Clang's and
//               agglom's, is issued here, under the user's text
//   translate   parses the preprocessed text and emits host C and kernel text
//   packImages  the last piece of the host text, once device code is compiled
//
// The driver knows command lines, files and processes; the front end knows C.

#ifndef AGGLOM_STEPS_STEPS_H
#define AGGLOM_STEPS_STEPS_H

#include "Unit.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace agglom {

/// The result for a task; for -fagglom-report.
struct TaskSummary {
  std::string Title, File; ///< "task 'f'"
  unsigned Line = 0;
  bool Device = false;     ///< has a kernel
  std::string Mapping;     ///< "block", "thread", "cpu"
  std::string Explanation; ///< why this mapping, why no kernel
  std::string Kernel;      ///< the kernel's entry point, when there is one
};

struct Translation {
  bool Ok = false;
  std::string Error;      ///< when not Ok: the error in the unit, or ""
  Fault Failure;          ///< when not Ok and there is no Error
  std::string HostText;   ///< preprocessed C (-x cpp-output), less packImages
  std::string DeviceText; ///< kernel text; empty when no task has a kernel
  bool NeedsDeviceMaths = false; ///< link libdevice or libclc
  /// The unit uses device code of other units, or exports its own.
  bool Linked = false;
  std::vector<TaskSummary> Tasks;
};

/// Compiled device code of the unit.
struct Image {
  enum KindTy { PTX = 1, Cubin = 2 } Kind;
  unsigned Arch; ///< 90 for sm_90
  std::string Bytes;
};

/// Returns true when the unit may be translated. Diagnostics go to stderr, or
/// to Clang's verifier under '-Xclang -verify'. \p Failure gets a failure of
/// the tool itself.
bool check(const Unit &U, Fault &Failure);

/// A change of the user's text that a diagnostic of agglom's proposes.
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

/// The result of --suggest for a function that is no task.
struct Proposal {
  std::string Function;
  unsigned Line = 0;
  std::string WhyNot;       ///< not empty: the reason not to propose it
  std::string Assumption;   ///< what was taken for granted, or empty
  std::vector<Fix> Changes; ///< the lines to insert
};

/// \p Waits: the waits that the host code needs before it uses memory that the
/// proposed tasks write. \returns false when the unit has errors, which 'check'
/// will report.
bool findProposals(const Unit &U, std::vector<Proposal> &Out,
                   std::vector<Fix> &Waits);

Translation translate(const Unit &U, const std::string &PreprocessedText);

/// Text to append to Translation::HostText.
std::string packImages(const Translation &T, const std::vector<Image> &Images);

} // namespace agglom

#endif // AGGLOM_STEPS_STEPS_H
