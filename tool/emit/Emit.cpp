// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What host and kernel emission share.

#include "Emit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace agglom {

const char SelfMarker[] = "#agglom-here\n";

std::string resolveSelfMarkers(StringRef Text, StringRef FileName) {
  std::string Out;
  unsigned Line = 1;
  while (!Text.empty()) {
    size_t Break = Text.find('\n');
    StringRef Row =
        Text.take_front(Break == StringRef::npos ? Text.size() : Break + 1);
    if (Row == SelfMarker)
      Out += ("# " + Twine(Line + 1) + " " + FileName + "\n").str();
    else
      Out += Row;
    ++Line;
    Text = Text.drop_front(Row.size());
  }
  return Out;
}

QualType derivedFrom(const Type *Ty,
                     llvm::function_ref<void(QualType)> Parameter) {
  if (auto *P = dyn_cast<PointerType>(Ty))
    return P->getPointeeType();
  if (auto *A = dyn_cast<ArrayType>(Ty))
    return A->getElementType();
  auto *F = dyn_cast<FunctionProtoType>(Ty);
  if (!F)
    return QualType();
  for (QualType Param : F->param_types())
    Parameter(Param);
  return F->getReturnType();
}

static bool mentionsEnum(QualType T) {
  T = T.getCanonicalType();
  for (;;) {
    const Type *Ty = T.getTypePtr();
    if (isa<EnumType>(Ty))
      return true;
    bool InParameters = false;
    T = derivedFrom(
        Ty, [&](QualType Param) { InParameters |= mentionsEnum(Param); });
    if (T.isNull() || InParameters)
      return InParameters;
  }
}

QualType withoutEnums(ASTContext &Ctx, QualType T) {
  if (!mentionsEnum(T))
    return T;
  SplitQualType S = T.getCanonicalType().split();
  QualType R(S.Ty, 0);
  if (auto *En = dyn_cast<EnumType>(S.Ty)) {
    QualType Integer = En->getDecl()->getIntegerType();
    if (!Integer.isNull()) // null: declared, not defined
      R = Integer.getCanonicalType();
  } else if (auto *P = dyn_cast<PointerType>(S.Ty)) {
    R = Ctx.getPointerType(withoutEnums(Ctx, P->getPointeeType()));
  } else if (auto *C = dyn_cast<ConstantArrayType>(S.Ty)) {
    R = Ctx.getConstantArrayType(withoutEnums(Ctx, C->getElementType()),
                                 C->getSize(), nullptr,
                                 ArraySizeModifier::Normal, 0);
  } else if (auto *I = dyn_cast<IncompleteArrayType>(S.Ty)) {
    R = Ctx.getIncompleteArrayType(withoutEnums(Ctx, I->getElementType()),
                                   ArraySizeModifier::Normal, 0);
  } else if (auto *F = dyn_cast<FunctionProtoType>(S.Ty)) {
    SmallVector<QualType, 8> Params;
    for (QualType Param : F->param_types())
      Params.push_back(withoutEnums(Ctx, Param));
    R = Ctx.getFunctionType(withoutEnums(Ctx, F->getReturnType()), Params,
                            F->getExtProtoInfo());
  }
  return Ctx.getQualifiedType(R, S.Quals);
}

std::string Emission::plainType(QualType T) const {
  return withoutEnums(U.Context, T.getCanonicalType())
      .getUnqualifiedType()
      .getAsString(Policy);
}

std::string Emission::fileName(const PresumedLoc &P) const {
  if (P.isInvalid())
    return "";
  llvm::SmallString<256> Name(P.getFilename());
  U.Context.getLangOpts().remapPathPrefix(Name);
  return Name.str().str();
}

std::string Emission::declare(QualType T, StringRef Name) const {
  std::string S;
  llvm::raw_string_ostream OS(S);
  withoutEnums(U.Context, T).getUnqualifiedType().print(OS, Policy, Name);
  return OS.str();
}

std::string Emission::functionName(const PredefinedExpr &Name,
                                   const FunctionDecl &F) const {
  bool IsPretty = Name.getIdentKind() == PredefinedIdentKind::PrettyFunction;
  const StringLiteral *Own = Name.getFunctionName();
  return stringLiteral(Own && !(IsPretty && U.M.GccHost) ? Own->getString()
                                                         : F.getName());
}

std::string Emission::edited(const Edits &Ed, Extent E) {
  std::string Out;
  if (auto At = Ed.apply(Text.buffer(), E, Out); At && !Overlap)
    Overlap = At;
  return Out;
}

std::string stringLiteral(StringRef Bytes) {
  std::string Out = "\"";
  for (unsigned char C : Bytes) {
    if (C >= 32 && C < 127 && C != '"' && C != '\\' && C != '?') {
      Out += static_cast<char>(C);
      continue;
    }
    Out += '\\';
    for (int Shift : {6, 3, 0})
      Out += static_cast<char>('0' + ((C >> Shift) & 7));
  }
  return Out + "\"";
}

std::string Emission::source(const Stmt *S, Dialect D, const Edits *More) {
  Edits Ed;
  Extent At = Text.extent(S->getSourceRange());
  if (More)
    Ed.addFrom(*More, At);
  if (D == Dialect::Host) {
    Ed.addFrom(Names, At);
  } else {
    Ed.addFrom(Gpu, At);
    Ed.addInner(Device, At);
  }
  return Text.oneLine(edited(Ed, At));
}

std::string underItsPragmas(const FunctionDecl *F, std::string Text) {
  auto *Body = dyn_cast_or_null<CompoundStmt>(F->getBody());
  if (!Body || !Body->hasStoredFPFeatures() ||
      !Body->getStoredFPFeatures().hasFPContractModeOverride())
    return Text;
  switch (Body->getStoredFPFeatures().getFPContractModeOverride()) {
  case LangOptions::FPM_Off:
    Text = "#pragma STDC FP_CONTRACT OFF\n" + Text;
    break;
  case LangOptions::FPM_On:
    Text = "#pragma STDC FP_CONTRACT ON\n" + Text;
    break;
  default:
    Text = "#pragma clang fp contract(fast)\n" + Text;
    break;
  }
  return Text + "#pragma STDC FP_CONTRACT DEFAULT\n";
}

std::string parameterList(Emission &E, const FunctionDecl *F, Dialect D) {
  FunctionTypeLoc Loc = F->getFunctionTypeLoc();
  if (!Loc || F->getNumParams() == 0)
    return "";
  Extent At = {E.Text.offset(Loc.getLParenLoc()) + 1,
               E.Text.offset(Loc.getRParenLoc())};
  Edits Ed;
  if (D == Dialect::Gpu)
    Ed.addInner(E.Device, At);
  return E.Text.oneLine(E.edited(Ed, At));
}

std::string generated(const Task &T, StringRef What) {
  std::string Name;
  for (unsigned char C : T.Declared->getNameAsString()) {
    if (C < 128)
      Name += static_cast<char>(C);
    else // PTX has ASCII names only
      Name += "_u" + llvm::utohexstr(C);
  }
  return Name + "__agglom_" + What.str();
}

/// Fields are named by position: declarations may leave parameters unnamed.
std::string argumentField(const Task &T, unsigned I) {
  const FunctionDecl *F = T.Definition ? T.Definition : T.Declared;
  std::string Name = F->getParamDecl(I)->getNameAsString();
  return Name.empty() ? "ag_" + std::to_string(I) : Name;
}

QualType storedType(Emission &E, const ParmVarDecl *P) {
  QualType T = P->getType();
  if (!T->isVariablyModifiedType())
    return T;
  ASTContext &C = E.U.Context;
  return C.getPointerType(C.getBaseElementType(T->getPointeeType()));
}

std::string hiddenName(const VarDecl *G) {
  return "ag_g_" + G->getNameAsString();
}

std::string hiddenParameter(Emission &E, const VarDecl *G) {
  QualType T = G->getType();
  return E.declare(T->isPointerType() ? T : E.U.Context.getPointerType(T),
                   hiddenName(G));
}

std::string hiddenParameters(Emission &E, const Task &T) {
  std::string S;
  for (const VarDecl *G : T.globals())
    S += (S.empty() ? "" : ", ") + hiddenParameter(E, G);
  return S;
}

std::string hiddenValues(const Task &T, StringRef Prefix) {
  std::string S;
  for (const VarDecl *G : T.globals())
    S += (S.empty() ? "" : ", ") + Prefix.str() + hiddenName(G);
  return S;
}

std::string listOf(std::initializer_list<std::string> Items) {
  std::string S;
  for (const std::string &Item : Items)
    if (!Item.empty())
      S += (S.empty() ? "" : ", ") + Item;
  return S;
}

std::string quoted(StringRef S) {
  std::string Out = "\"";
  for (char C : S) {
    if (C == '"' || C == '\\')
      Out += '\\';
    Out += C == '\n' ? ' ' : C;
  }
  return Out + "\"";
}

std::string argumentStruct(Emission &E, const Task &T) {
  std::string S = "struct " + generated(T, "args") + " {\n";
  const FunctionDecl *F = T.Definition ? T.Definition : T.Declared;
  for (unsigned I = 0; I < F->getNumParams(); ++I)
    S += "  " +
         E.declare(storedType(E, F->getParamDecl(I)), argumentField(T, I)) +
         ";\n";
  for (const VarDecl *G : T.globals())
    S += "  " + hiddenParameter(E, G) + "; /* of the file */\n";
  if (!F->getNumParams() && T.globals().empty())
    S += "  char ag_none;\n";
  return S + "};\n";
}

/// The cast from storedType() to the parameter's own type.
static std::string castToParameter(const ParmVarDecl *P) {
  return P->getType()->isVariablyModifiedType() ? "(void *)" : "";
}

std::string argumentValues(const Task &T, StringRef Prefix) {
  std::string S;
  for (unsigned I = 0; I < T.Declared->getNumParams(); ++I)
    S += (I ? ", " : "") + castToParameter(T.Declared->getParamDecl(I)) +
         Prefix.str() + argumentField(T, I);
  return S;
}

} // namespace agglom
