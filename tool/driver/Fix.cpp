// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes are collected in memory, as texts that the front end reads in place
// of the files, until a round finds nothing more to change. Then each file is
// written once, or shown as a diff.

#include "Fix.h"
#include "Diff.h"
#include "Failure.h"
#include "Message.h"
#include "Process.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;

namespace agglom {

/// A change may make another one possible; more rounds than this are a cycle.
static const unsigned MostRounds = 8;

namespace {
class Changes {
  std::map<std::string, std::string> Originals, Texts;
  std::set<std::string> Said;
  std::map<std::string, bool> Writable;

  void say(const std::string &Sentence) {
    if (Said.insert(Sentence).second)
      errs() << "agglomcc: " << Sentence << '\n';
  }

  bool mayChange(const Fix &F) {
    std::string Where = F.File.empty() ? "the text of a macro"
                                       : F.File + ":" + std::to_string(F.Line);
    auto Skip = [&](const Twine &Reason) {
      say((Where + ": left as it is, " + Reason + ": " + F.Message).str());
      return false;
    };
    if (F.InMacro)
      return Skip("for the text comes out of a macro");
    if (F.Foreign)
      return Skip("for it is a system header");
    auto [It, New] = Writable.try_emplace(F.File, false);
    if (New)
      It->second =
          sys::fs::is_regular_file(F.File) && sys::fs::can_write(F.File);
    return It->second || Skip("for the file cannot be written");
  }

public:
  const std::map<std::string, std::string> &texts() const { return Texts; }

  /// Makes those edits of \p All that do not overlap. \returns how many
  /// diagnostics they mend.
  unsigned apply(ArrayRef<Fix> All, bool Quietly = false) {
    std::map<std::string, std::vector<Fix::Edit>> Chosen;
    unsigned Mended = 0;
    for (const Fix &F : All) {
      if (!mayChange(F))
        continue;
      std::vector<Fix::Edit> &Edits = Chosen[F.File];
      bool Clash = any_of(F.Edits, [&](const Fix::Edit &E) {
        return any_of(Edits, [&](const Fix::Edit &O) {
          if (E.Offset == O.Offset && E.Length == O.Length && E.Text == O.Text)
            return true; // found twice, in two units or by two diagnostics
          return E.Offset < O.Offset + O.Length &&
                 O.Offset < E.Offset + E.Length;
        });
      });
      if (Clash)
        continue; // the next round finds it again if it still applies
      Edits.insert(Edits.end(), F.Edits.begin(), F.Edits.end());
      ++Mended;
      if (!Quietly)
        say(F.File + ":" + std::to_string(F.Line) + ": mended: " + F.Message);
    }
    for (auto &[File, Edits] : Chosen) {
      auto [It, New] = Texts.try_emplace(File);
      if (New)
        It->second = Originals[File] = readFile(File);
      std::string &Text = It->second;
      // Insertions at one place keep their order.
      std::multimap<size_t, Fix::Edit> Ordered;
      for (Fix::Edit &E : Edits)
        Ordered.emplace(E.Offset, std::move(E));
      bool Crlf = StringRef(Text).contains("\r\n");
      std::string Out;
      size_t At = 0;
      for (const auto &[Offset, E] : Ordered) {
        if (Offset < At || E.Offset + E.Length > Text.size())
          continue;
        Out.append(Text, At, E.Offset - At);
        for (char C : E.Text) {
          if (C == '\n' && Crlf)
            Out += '\r';
          Out += C;
        }
        At = E.Offset + E.Length;
      }
      Out.append(Text, At, std::string::npos);
      Text = std::move(Out);
    }
    return Mended;
  }

  bool write() const {
    bool Ok = true;
    for (const auto &[File, Text] : Texts)
      if (Text != Originals.at(File))
        Ok &= replaceFile(File, Text);
    return Ok;
  }

  void print() const {
    for (const auto &[File, Text] : Texts)
      outs() << unifiedDiff(File, Originals.at(File), Text);
    outs().flush();
  }
};
} // namespace

/// --fix: until a round mends nothing.
static void mend(Changes &All, Unit &U) {
  for (unsigned Round = 0; Round < MostRounds; ++Round) {
    U.Overlay = All.texts();
    if (!All.apply(findFixes(U)))
      break;
  }
}

/// --suggest. \returns false when the unit has errors.
static bool propose(Changes &All, Unit &U, bool &Any) {
  U.Overlay = All.texts();
  std::vector<Proposal> Proposals;
  std::vector<Fix> Waits, Changes;
  if (!findProposals(U, Proposals, Waits))
    return false;
  for (const Proposal &P : Proposals) {
    errs() << "agglomcc: " << U.Args.back() << ':' << P.Line << ": '"
           << P.Function << "' is "
           << (P.WhyNot.empty() ? "proposed as a task"
                                : "not proposed: " + P.WhyNot)
           << (P.Assumption.empty() || !P.WhyNot.empty()
                   ? ""
                   : ", assuming that " + P.Assumption)
           << '\n';
    Any |= P.WhyNot.empty();
    append_range(Changes, P.Changes);
  }
  for (const Fix &Wait : Waits)
    errs() << "agglomcc: " << Wait.File << ':' << Wait.Line
           << ": 'wait' is proposed: " << Wait.Message << '\n';
  append_range(Changes, Waits);
  All.apply(Changes, /*Quietly=*/true);
  return true;
}

/// Reports the errors of the unit, or a failure of agglomcc itself.
static bool accepts(const CommandLine &CL, const Unit &U) {
  Fault Failure;
  bool Ok = check(U, Failure);
  if (!Failure.Said.empty())
    reportFault(CL, U.Args.back(), Failure, readFile(U.Args.back()));
  return Ok;
}

int changeSources(const CommandLine &CL, std::vector<Unit> Units) {
  Changes All;
  bool Ok = true, Any = false;
  for (Unit &U : Units)
    if (!CL.Own.Suggest)
      mend(All, U);
    else if (!propose(All, U, Any)) {
      accepts(CL, U);
      Ok = false;
    }
  if (Any)
    errs() << "agglomcc: a call of a task returns before its work is done: put "
              "'#pragma agglom wait' before the host uses or frees what tasks "
              "write; different pointer parameters are taken to point to "
              "different memory\n";
  if (CL.Own.Edit == EditMode::Print)
    All.print();
  else if (!All.write())
    return 1;
  if (CL.Own.Suggest)
    return Ok ? 0 : 1;
  // Diagnostics without fix-its are reported to the user.
  int Status = 0;
  for (Unit &U : Units) {
    U.Overlay = CL.Own.Edit == EditMode::Print
                    ? All.texts()
                    : std::map<std::string, std::string>();
    if (!accepts(CL, U))
      Status = 1;
  }
  return Status;
}

} // namespace agglom
