// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf in device code. The device's printf is a function of the GPU's driver
// that knows the flags, widths, precisions and conversions of C90 and the sizes
// h, l and ll. Other conversions of C are replaced where possible (%zu becomes
// %lu), and refused otherwise.

#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/FormatString.h"
#include "clang/AST/ParentMapContext.h"

using namespace clang;
using namespace clang::analyze_format_string;

namespace agglom {

namespace {
enum { MaxArguments = 32 };

class FormatReader : public FormatStringHandler {
  const CallExpr *Call;
  unsigned First; ///< index of the argument after the format
  FormatEdit &Out;
  const char *Done; ///< the format up to here is in Out.Text

public:
  std::string Unknown; ///< the first conversion the device does not have
  bool TooFew = false;

  FormatReader(const CallExpr *Call, unsigned First, FormatEdit &Out,
               const char *Begin)
      : Call(Call), First(First), Out(Out), Done(Begin) {}

  void refuse(const char *At, unsigned Length) {
    if (Unknown.empty())
      Unknown.assign(At, Length);
  }

  bool HandlePrintfSpecifier(const analyze_printf::PrintfSpecifier &FS,
                             const char *At, unsigned Length,
                             const TargetInfo &) override {
    using CS = ConversionSpecifier;
    StringRef Conversion = FS.getConversionSpecifier().getCharacters();
    StringRef Known = "diouxXcspeEfgGaA%";
    if (FS.usesPositionalArg() || FS.hasThousandsGrouping() ||
        FS.getPrecision().hasDataArgument() ||
        !Known.contains(Conversion.take_front()) ||
        FS.getConversionSpecifier().getKind() == CS::InvalidSpecifier)
      return refuse(At, Length), true;
    if (FS.getFieldWidth().hasDataArgument() &&
        First + FS.getFieldWidth().getArgIndex() >= Call->getNumArgs())
      TooFew = true;
    if (!FS.consumesDataArgument())
      return true;
    if (First + FS.getArgIndex() >= Call->getNumArgs())
      return TooFew = true;
    const LengthModifier &LM = FS.getLengthModifier();
    bool Text = Conversion == "c" || Conversion == "s";
    StringRef Size;
    switch (LM.getKind()) {
    case LengthModifier::None:
    case LengthModifier::AsShort:
    case LengthModifier::AsLongLong:
      return true;
    case LengthModifier::AsLong:
      if (Text) // wide characters
        refuse(At, Length);
      return true;
    case LengthModifier::AsChar:
      Out.Casts.push_back({Call->getArg(First + FS.getArgIndex()),
                           Conversion == "d" || Conversion == "i"
                               ? "signed char"
                               : "unsigned char"});
      break;
    case LengthModifier::AsSizeT:
    case LengthModifier::AsIntMax:
    case LengthModifier::AsPtrDiff:
      Size = "l";
      break;
    default:
      return refuse(At, Length), true;
    }
    Out.Text.append(Done, LM.getStart());
    Out.Text += Size;
    Done = LM.getStart() + LM.getLength();
    return true;
  }
  bool HandleInvalidPrintfConversionSpecifier(
      const analyze_printf::PrintfSpecifier &, const char *At,
      unsigned Length) override {
    refuse(At, Length);
    return true;
  }
  void HandleIncompleteSpecifier(const char *At, unsigned Length) override {
    refuse(At, Length);
  }
  void HandleInvalidPosition(const char *At, unsigned Length,
                             PositionContext) override {
    refuse(At, Length);
  }
  void HandleZeroPosition(const char *At, unsigned Length) override {
    refuse(At, Length);
  }

  void finish(const char *End) { Out.Text.append(Done, End); }
};

/// The characters of a format, or null when they are not known here.
const StringLiteral *formatLiteral(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || !V->hasGlobalStorage() || !V->getType()->isArrayType() ||
        !V->getType()
             ->getAsArrayTypeUnsafe()
             ->getElementType()
             .isConstQualified() ||
        !V->getAnyInitializer())
      return nullptr;
    E = V->getAnyInitializer()->IgnoreParenImpCasts();
  }
  auto *Literal = dyn_cast<StringLiteral>(E);
  return Literal && Literal->getCharByteWidth() == 1 ? Literal : nullptr;
}

/// Whether \p E is a statement of its own, or cast to void.
bool isDiscarded(ASTContext &Context, const Expr *E) {
  for (;;) {
    DynTypedNodeList Parents = Context.getParents(*E);
    if (Parents.empty())
      return false;
    const auto *S = Parents[0].get<Stmt>();
    const auto *Outer = S ? dyn_cast<Expr>(S) : nullptr;
    if (!Outer) // the condition of an if is no statement of its own
      return S && (isa<CompoundStmt, LabelStmt, CaseStmt, DefaultStmt>(S) ||
                   (isa<IfStmt>(S) && cast<IfStmt>(S)->getCond() != E) ||
                   (isa<ForStmt>(S) && cast<ForStmt>(S)->getCond() != E) ||
                   (isa<WhileStmt>(S) && cast<WhileStmt>(S)->getCond() != E) ||
                   (isa<DoStmt>(S) && cast<DoStmt>(S)->getCond() != E));
    if (auto *Cast = dyn_cast<CastExpr>(Outer);
        Cast && Cast->getType()->isVoidType())
      return true;
    if (auto *Comma = dyn_cast<BinaryOperator>(Outer);
        Comma && Comma->getOpcode() == BO_Comma && Comma->getLHS() == E)
      return true;
    if (!isa<ParenExpr>(Outer))
      return false;
    E = Outer;
  }
}
} // namespace

bool checkFormat(ParsedUnit &U, const CallExpr *Call, unsigned Format,
                 DeviceClosure &C) {
  auto fail = [&](diag::Id D, const Expr *At) {
    U.Report.report(At->getExprLoc(), D);
    return false;
  };
  const Expr *Argument = Call->getArg(Format);
  const StringLiteral *Literal = formatLiteral(Argument);
  if (!Literal)
    return fail(diag::device_format_constant, Argument);
  StringRef Text = Literal->getString();
  Text = Text.take_until([](char Ch) { return !Ch; });
  FormatEdit Edit{Call, Argument, "", {}};
  FormatReader Reader(Call, Format + 1, Edit, Text.begin());
  ParsePrintfString(Reader, Text.begin(), Text.end(), U.Context.getLangOpts(),
                    U.Context.getTargetInfo(), /*isFreeBSDKPrintf=*/false);
  Reader.finish(Text.end());
  if (!Reader.Unknown.empty()) {
    U.Report.report(Argument->getExprLoc(), diag::device_format_conversion)
        << Reader.Unknown;
    return false;
  }
  if (Reader.TooFew)
    return fail(diag::device_format_arguments, Argument);
  if (Call->getNumArgs() - Format - 1 > MaxArguments)
    return fail(diag::device_format_many, Argument);
  if (!isDiscarded(U.Context, Call))
    return fail(diag::device_format_result, Call);
  if (Edit.Text != Text || !isa<StringLiteral>(Argument->IgnoreParenImpCasts()))
    C.Formats.push_back(std::move(Edit));
  return true;
}

static bool printsIn(const Stmt *S,
                     llvm::SmallPtrSetImpl<const FunctionDecl *> &Seen);

static bool printsIn(const FunctionDecl *F,
                     llvm::SmallPtrSetImpl<const FunctionDecl *> &Seen) {
  const IdentifierInfo *II = F->getIdentifier();
  StringRef Name = II ? II->getName() : "";
  Name.consume_front("__builtin_");
  if (Name == "printf" || Name == "__printf_chk" || Name == "puts" ||
      Name == "putchar")
    return true;
  if (isDeclaredElsewhere(F))
    return true; // perhaps: its body is in another unit
  const FunctionDecl *Definition = nullptr;
  return F->hasBody(Definition) && Seen.insert(Definition).second &&
         printsIn(Definition->getBody(), Seen);
}

static bool printsIn(const Stmt *S,
                     llvm::SmallPtrSetImpl<const FunctionDecl *> &Seen) {
  if (!S)
    return false;
  if (auto *Call = dyn_cast<CallExpr>(S))
    if (const FunctionDecl *F = Call->getDirectCallee())
      if (printsIn(F, Seen))
        return true;
  for (const Stmt *Child : S->children())
    if (printsIn(Child, Seen))
      return true;
  return false;
}

bool prints(const FunctionDecl *F) {
  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;
  return printsIn(F, Seen);
}

} // namespace agglom
