// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive descent over the words of a text, with one word of lookahead.

#include "Lexer.h"
#include "Syntax.h"
#include <cstring>
#include <map>

namespace gpu_in_software::machine {

Type typeOf(const std::string &Name) {
  if (Name == "pred")
    return {'p', 1};
  static const char *const Known[] = {"b8",  "b16", "b32", "b64", "u8",
                                      "u16", "u32", "u64", "s8",  "s16",
                                      "s32", "s64", "f32", "f64"};
  for (const char *K : Known)
    if (Name == K)
      return {K[0], static_cast<unsigned>(atoi(K + 1))};
  return {};
}

bool Function::label(const std::string &Wanted, unsigned Scope,
                     size_t &At) const {
  for (;; Scope = Scopes[Scope]) {
    auto It = Labels.find({Scope, Wanted});
    if (It != Labels.end()) {
      At = It->second;
      return true;
    }
    if (!Scope)
      return false;
  }
}

namespace {

/// The most bytes of a variable, and the most elements of an initialiser:
/// an absurd size is the text's mistake.
const uint64_t MostBytes = uint64_t(1) << 36;

/// What a name stands for: a register, or one of Function::Variables.
struct Meaning {
  bool IsRegister;
  unsigned Index;
};

class Parser {
public:
  explicit Parser(const std::string &Source) : Lex(Source) { take(); }
  Text parse();

private:
  Token take() {
    Token T = Now;
    Now = Lex.next();
    return T;
  }
  [[noreturn]] void wrong(const std::string &Text) const {
    throw SyntaxError{Now.Line, Text};
  }
  std::string shown() const {
    return Now.Is == Token::End ? "the end of the text" : "'" + Now.Text + "'";
  }
  bool accept(char C) {
    if (!Now.is(C))
      return false;
    take();
    return true;
  }
  void expect(char C) {
    if (!accept(C))
      wrong(std::string("expected '") + C + "' before " + shown());
  }
  bool acceptDirective(const char *Name) {
    if (Now.Is != Token::Directive || Now.Text != Name)
      return false;
    take();
    return true;
  }
  std::string word() {
    if (Now.Is != Token::Word)
      wrong("expected a name before " + shown());
    return take().Text;
  }
  uint64_t integer() {
    if (Now.Is != Token::Integer)
      wrong("expected a number before " + shown());
    return take().Bits;
  }
  void skipLine() {
    for (unsigned Line = Now.Line; Now.Is && Now.Line == Line;)
      take();
  }
  void skipSection();

  Linkage linkage();
  Variable head(Space In);
  Variable declarator(Variable V);
  Initialiser initialiser(Type T);
  void initialisers(Variable &V);
  void variables(Space In, Linkage Link);
  void function(Linkage Link, bool Entry);
  void parameters(std::vector<unsigned> &Indices);
  void bounds();
  void body();
  void registers();
  void statement();
  void labelled(const std::string &Name);
  void instruction();
  Operand operand();
  Operand reference(const std::string &Name);
  Operand literal();
  std::vector<Operand> operands(char Close);
  void declare(const std::string &Text, Meaning Is);
  unsigned declareVariable(Variable V);

  Lexer Lex;
  Token Now;
  Text Result;
  Function *F = nullptr; // that is being read
  unsigned Scope = 0;
  std::vector<std::map<std::string, Meaning>> Names; // of each scope of F
};

void Parser::skipSection() {
  while (Now.Is && !Now.is('{'))
    take();
  expect('{');
  while (!accept('}')) {
    if (!Now.Is)
      wrong("a section has no end");
    take();
  }
}

Linkage Parser::linkage() {
  if (acceptDirective(".visible"))
    return Linkage::Visible;
  if (acceptDirective(".extern"))
    return Linkage::Extern;
  if (acceptDirective(".weak") || acceptDirective(".common"))
    return Linkage::Weak;
  return Linkage::Internal;
}

/// [.align 8] .b8 [.ptr ...]
Variable Parser::head(Space In) {
  Variable V;
  V.In = In;
  uint64_t Elements = 1, Align = 0;
  for (;; take()) {
    if (Now.Is != Token::Directive)
      break;
    if (Now.Text == ".align") {
      take();
      if (Now.Is != Token::Integer || !Now.Bits || Now.Bits > 65536 ||
          (Now.Bits & (Now.Bits - 1)))
        wrong("an alignment is a power of two");
      if (!Align) // what comes behind .ptr is of what it points to
        Align = Now.Bits;
    } else if (Now.Text == ".v2" || Now.Text == ".v4")
      Elements = Now.Text[2] - '0';
    else if (Now.Text == ".ptr") {
      Align = Align ? Align : V.Element.bytes();
    } else if (Type T = typeOf(Now.Text.substr(1)); T.bytes())
      V.Element = T;
    else if (Now.Text != ".global" && Now.Text != ".shared" &&
             Now.Text != ".local" && Now.Text != ".const")
      wrong("unknown directive " + shown());
  }
  if (!V.Element.Bits)
    wrong("a variable has no type");
  V.Bytes = Elements * V.Element.bytes();
  V.Align = std::max<uint64_t>(Align, V.Bytes);
  return V;
}

/// name[3][4]
Variable Parser::declarator(Variable V) {
  V.Line = Now.Line;
  V.Name = word();
  while (accept('[')) {
    if (accept(']')) {
      V.Unsized = true;
      continue;
    }
    uint64_t N = integer();
    expect(']');
    if (N && V.Bytes > MostBytes / N)
      wrong("the variable is too large");
    V.Bytes *= N;
  }
  if (V.Unsized)
    V.Bytes = 0;
  return V;
}

/// 1, -1, 0f00000000, name, name+4, generic(name)+4, 0xFF00(name)
Initialiser Parser::initialiser(Type T) {
  Initialiser I;
  bool Negative = accept('-');
  if (Now.Is == Token::Float) {
    Token F = take();
    I.Value = F.Bits;
    if (F.Width != T.Bits) { // a decimal number for an .f32
      double D;
      memcpy(&D, &F.Bits, 8);
      float Narrow = static_cast<float>(D);
      I.Value = 0;
      memcpy(&I.Value, &Narrow, 4);
    }
    if (Negative)
      I.Value ^= uint64_t(1) << (T.Bits - 1);
    return I;
  }
  if (Now.Is == Token::Integer) {
    I.Value = take().Bits;
    if (!accept('(')) {
      I.Value = Negative ? 0 - I.Value : I.Value;
      return I;
    }
    I.Mask = I.Value;
    I.Value = 0;
  } else if (!(Now.Is == Token::Word && Now.Text == "generic")) {
    I.Symbol = word();
    if (accept('+'))
      I.Value = accept('-') ? 0 - integer() : integer();
    return I;
  }
  // In parentheses: a name, or generic(name), each with an offset.
  bool Masked = I.Mask != ~uint64_t(0);
  if (Now.Is == Token::Word && Now.Text == "generic") {
    take();
    expect('(');
    I.Symbol = word();
    expect(')');
  } else
    I.Symbol = word();
  if (accept('+'))
    I.Value = accept('-') ? 0 - integer() : integer();
  if (Masked)
    expect(')');
  return I;
}

void Parser::initialisers(Variable &V) {
  if (!accept('{')) {
    V.Initial.push_back(initialiser(V.Element));
    return;
  }
  if (accept('}'))
    return;
  do
    V.Initial.push_back(initialiser(V.Element));
  while (accept(','));
  expect('}');
  if (V.Unsized)
    V.Bytes = V.Initial.size() * V.Element.bytes(), V.Unsized = false;
  if (V.Initial.size() * V.Element.bytes() > V.Bytes)
    wrong("'" + V.Name + "' has more initialisers than elements");
}

/// .global .b8 a[4] = {1}, b;
void Parser::variables(Space In, Linkage Link) {
  const Variable Head = head(In);
  do {
    Variable V = declarator(Head);
    V.Link = Link;
    if (accept('='))
      initialisers(V);
    if (V.Unsized && Link != Linkage::Extern)
      wrong("'" + V.Name + "' has no size");
    // What is shared by the whole block may be declared within a function,
    // and belongs to it alone.
    if (F && In != Space::Global && In != Space::Const)
      declareVariable(V);
    else
      Result.Variables.push_back(V);
  } while (accept(','));
  expect(';');
}

void Parser::declare(const std::string &Text, Meaning Is) {
  if (!Names[Scope].emplace(Text, Is).second)
    wrong("'" + Text + "' is declared twice");
}

unsigned Parser::declareVariable(Variable V) {
  unsigned Index = static_cast<unsigned>(F->Variables.size());
  if (V.Name != "_")
    declare(V.Name, {false, Index});
  F->Variables.push_back(std::move(V));
  return Index;
}

void Parser::parameters(std::vector<unsigned> &Indices) {
  expect('(');
  if (accept(')'))
    return;
  do {
    if (!acceptDirective(".param"))
      wrong("expected '.param' before " + shown());
    Indices.push_back(declareVariable(declarator(head(Space::Param))));
  } while (accept(','));
  expect(')');
}

/// .maxntid 256, 1, 1 and the like, between a function's head and its body.
void Parser::bounds() {
  while (Now.Is == Token::Directive) {
    std::string Name = take().Text;
    if (Name == ".noreturn")
      continue;
    if (Name == ".pragma") {
      take();
      expect(';');
      continue;
    }
    if (Name != ".maxntid" && Name != ".reqntid" && Name != ".minnctapersm" &&
        Name != ".maxnreg")
      wrong("unknown directive '" + Name + "'");
    uint64_t Values[3] = {1, 1, 1}, All = 1;
    unsigned N = 0;
    do {
      if (N == 3)
        wrong("more than three dimensions");
      Values[N++] = integer();
    } while (accept(','));
    for (unsigned I = 0; I < 3; ++I) {
      if (!Values[I] || Values[I] > 1024)
        wrong("a bound is out of range");
      All *= Values[I];
      if (Name == ".reqntid")
        F->Required[I] = static_cast<unsigned>(Values[I]);
    }
    if (Name == ".reqntid" || Name == ".maxntid")
      F->MaxThreads = static_cast<unsigned>(std::min<uint64_t>(All, 1024));
  }
}

void Parser::function(Linkage Link, bool Entry) {
  Function New;
  F = &New;
  New.Link = Link;
  New.Entry = Entry;
  New.Line = Now.Line;
  New.Scopes = {0};
  Names.assign(1, {});
  Scope = 0;
  if (!Entry && Now.is('('))
    parameters(New.Returns);
  New.Name = word();
  if (Now.is('('))
    parameters(New.Params);
  bounds();
  if (!accept(';')) {
    if (Link == Linkage::Extern)
      wrong("an extern function has a body");
    New.HasBody = true;
    expect('{');
    body();
  }
  F = nullptr;
  Result.Functions.push_back(std::move(New));
}

/// Up to the brace that closes the function. Scopes within are counted, not
/// recursed into: no depth of braces can hurt.
void Parser::body() {
  for (;;) {
    if (!Now.Is)
      wrong("function '" + F->Name + "' has no end");
    if (accept('{')) {
      F->Scopes.push_back(Scope);
      Scope = static_cast<unsigned>(F->Scopes.size() - 1);
      Names.emplace_back();
    } else if (accept('}')) {
      if (!Scope)
        return;
      Scope = F->Scopes[Scope];
    } else
      statement();
  }
}

/// .reg .b32 %r<24>, %x;
void Parser::registers() {
  if (Now.Is == Token::Directive && (Now.Text == ".v2" || Now.Text == ".v4"))
    wrong("registers of vectors are not known");
  if (Now.Is != Token::Directive)
    wrong("expected a type before " + shown());
  Type T = typeOf(Now.Text.substr(1));
  if (!T.Bits || T.Bits == 8)
    wrong("unknown type of registers " + shown());
  take();
  auto add = [&](const std::string &Name) {
    declare(Name, {true, static_cast<unsigned>(F->Registers.size())});
    F->Registers.push_back(T);
  };
  do {
    std::string Name = word();
    if (!accept('<')) {
      add(Name);
      continue;
    }
    uint64_t N = integer();
    expect('>');
    if (N > 1000000)
      wrong("too many registers");
    for (uint64_t I = 0; I < N; ++I)
      add(Name + std::to_string(I));
  } while (accept(','));
  expect(';');
}

void Parser::statement() {
  if (Now.is('@'))
    return instruction();
  if (Now.Is == Token::Word) {
    // A label is a name with a colon behind it; an instruction has none.
    Token First = Now;
    take();
    if (accept(':'))
      return labelled(First.Text);
    Instruction I;
    I.Line = First.Line;
    I.Opcode = First.Text;
    I.Operands = operands(';');
    F->Body.push_back(std::move(I));
    return;
  }
  if (Now.Is != Token::Directive)
    wrong("expected an instruction before " + shown());
  std::string Name = Now.Text;
  if (Name == ".loc" || Name == ".file")
    return skipLine();
  take();
  if (Name == ".reg")
    registers();
  else if (Name == ".local")
    variables(Space::Local, Linkage::Internal);
  else if (Name == ".shared")
    variables(Space::Shared, Linkage::Internal);
  else if (Name == ".param")
    variables(Space::Param, Linkage::Internal);
  else if (Name == ".pragma") {
    take();
    expect(';');
  } else
    wrong("unknown directive '" + Name + "'");
}

void Parser::labelled(const std::string &Name) {
  if (acceptDirective(".branchtargets")) {
    std::vector<std::string> To;
    do
      To.push_back(word());
    while (accept(','));
    expect(';');
    F->Targets[Name] = To;
  } else if (acceptDirective(".callprototype") ||
             acceptDirective(".calltargets")) {
    // Whoever is called is compared with the call itself.
    while (Now.Is && !Now.is(';'))
      take();
    expect(';');
  } else {
    if (!F->Labels.emplace(std::make_pair(Scope, Name), F->Body.size()).second)
      wrong("label '" + Name + "' stands twice");
  }
}

void Parser::instruction() {
  Instruction I;
  I.Guarded = true;
  take();
  I.GuardNegated = accept('!');
  Operand Guard = reference(word());
  if (Guard.Is != Operand::Register || F->Registers[Guard.Slot].Kind != 'p')
    wrong("the guard of an instruction is no predicate");
  I.Guard = Guard.Slot;
  I.Line = Now.Line;
  I.Opcode = word();
  I.Operands = operands(';');
  F->Body.push_back(std::move(I));
}

std::vector<Operand> Parser::operands(char Close) {
  std::vector<Operand> All;
  if (accept(Close))
    return All;
  do
    All.push_back(operand());
  while (accept(','));
  expect(Close);
  return All;
}

Operand Parser::reference(const std::string &Text) {
  Operand O;
  O.Name = Text;
  O.Scope = Scope;
  if (Text == "_")
    return O;
  for (unsigned S = Scope;; S = F->Scopes[S]) {
    auto It = Names[S].find(Text);
    if (It != Names[S].end()) {
      O.Is = It->second.IsRegister ? Operand::Register : Operand::Var;
      O.Slot = It->second.Index;
      return O;
    }
    if (!S)
      break;
  }
  O.Is = Text[0] == '%' ? Operand::Special : Operand::Symbol;
  return O;
}

Operand Parser::literal() {
  Operand O;
  bool Negative = accept('-');
  Token T = take();
  if (T.Is == Token::Integer) {
    O.Is = Operand::Integer;
    O.Bits = Negative ? 0 - T.Bits : T.Bits;
  } else if (T.Is == Token::Float) {
    O.Is = Operand::Float;
    O.Width = T.Width;
    O.Bits = Negative ? T.Bits ^ uint64_t(1) << (T.Width - 1) : T.Bits;
  } else
    wrong("expected an operand before '" + T.Text + "'");
  return O;
}

Operand Parser::operand() {
  if (accept('{') || Now.is('(')) {
    bool Braces = !accept('(');
    Operand O;
    O.Is = Braces ? Operand::Vector : Operand::List;
    do {
      if (!Braces && Now.is(')'))
        break;
      O.Parts.push_back(Now.Is == Token::Word ? reference(word()) : literal());
    } while (accept(','));
    expect(Braces ? '}' : ')');
    return O;
  }
  if (accept('[')) {
    Operand O = Now.Is == Token::Word ? reference(word()) : literal();
    O.Address = true;
    bool Minus = false;
    if (accept('+') || (Minus = accept('-'))) {
      Minus ^= accept('-');
      uint64_t Off = integer();
      O.Offset = static_cast<int64_t>(Minus ? 0 - Off : Off);
    }
    expect(']');
    return O;
  }
  bool Negated = accept('!');
  if (Now.Is != Token::Word)
    return literal();
  Operand O = reference(word());
  O.Negated = Negated;
  if (accept('|')) {
    Operand Pair;
    Pair.Is = Operand::Pair;
    Pair.Parts = {O, reference(word())};
    return Pair;
  }
  if (O.Is != Operand::Register && Now.is('+')) {
    take();
    bool Minus = accept('-');
    uint64_t Off = integer();
    O.Offset = static_cast<int64_t>(Minus ? 0 - Off : Off);
  }
  return O;
}

Text Parser::parse() {
  bool Versioned = false, Targeted = false;
  while (Now.Is) {
    if (Now.Is != Token::Directive)
      wrong("expected a directive before " + shown());
    if (Now.Text == ".file" || Now.Text == ".loc") {
      skipLine();
      continue;
    }
    if (Now.Text == ".version" || Now.Text == ".target" ||
        Now.Text == ".address_size") {
      if (Now.Text == ".version")
        Versioned = true;
      if (Now.Text == ".target")
        Targeted = true;
      bool Size = Now.Text == ".address_size";
      take();
      if (Size && !(Now.Is == Token::Integer && Now.Bits == 64))
        wrong("addresses have 64 bits");
      skipLine();
      continue;
    }
    if (!Versioned || !Targeted)
      wrong("the text does not begin with .version and .target");
    if (acceptDirective(".section")) {
      skipSection();
      continue;
    }
    if (acceptDirective(".pragma")) {
      take();
      expect(';');
      continue;
    }
    Linkage Link = linkage();
    if (acceptDirective(".entry"))
      function(Link, true);
    else if (acceptDirective(".func"))
      function(Link, false);
    else if (acceptDirective(".global"))
      variables(Space::Global, Link);
    else if (acceptDirective(".const"))
      variables(Space::Const, Link);
    else if (acceptDirective(".shared"))
      variables(Space::Shared, Link);
    else
      wrong("unknown directive " + shown());
  }
  if (!Versioned || !Targeted)
    wrong("the text has no .version and .target");
  return std::move(Result);
}

} // namespace

Text parse(const std::string &Source) { return Parser(Source).parse(); }

} // namespace gpu_in_software::machine
