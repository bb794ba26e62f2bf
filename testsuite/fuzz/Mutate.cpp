// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works on text alone: lines, and the tokens of a pragma's line. Clauses are
// made from the table of pragmas by the form of their argument, so that a new
// clause is tried as soon as it stands there.

#include "Fuzz.h"
#include <cctype>
#include <cstring>
#include <vector>

namespace agglom::fuzz {

namespace {
using Lines = std::vector<std::string>;

struct DirectiveWord {
  const char *Id, *Spelling;
};
struct ClauseWord {
  const char *Directive, *Spelling, *Argument;
};
const DirectiveWord Directives[] = {
#define AGGLOM_DIRECTIVE(Id, Spelling, Place, Help) {#Id, Spelling},
#include "directives.def"
};
const ClauseWord Clauses[] = {
#define AGGLOM_CLAUSE(Directive, Id, Spelling, Argument, Help)                 \
  {#Directive, Spelling, #Argument},
#include "directives.def"
};

const char *const Numbers[] = {"0",     "1",          "2",
                               "-1",    "7",          "64",
                               "1.5",   "0x7fffffff", "2147483648",
                               "1e400", "'a'",        "18446744073709551615u",
                               "0.0f",  "\"s\"",      "1 << 31",
                               "~0ull", "4294967296", "1LL << 62"};
const char *const Operators[] = {
    "+",  "-",  "*", "/",  "%", "&&", "||", "&",  "|",  "^",
    "<<", ">>", "<", "==", "=", "+=", ",",  "-=", "!=", ">="};
const char *const Puncts[] = {
    "(",  ")", "[", "]", "{", "}",  ":",   ",",    ";",       "*",  "&",
    "->", ".", "?", "=", "#", "::", "...", "\"",   "'",       "\\", "++",
    "--", "~", "@", "$", "`", "/*", "//",  "\x80", "\\u00e9", "%:"};
const char *const Words[] = {"sizeof",
                             "int",
                             "struct",
                             "static",
                             "const",
                             "_Generic",
                             "__func__",
                             "restrict",
                             "void",
                             "__attribute__((unused))",
                             "if",
                             "any",
                             "cpu",
                             "gpu",
                             "auto",
                             "block",
                             "thread",
                             "warp",
                             "cuda",
                             "min",
                             "max",
                             "agglom",
                             "nosuchname",
                             "return",
                             "_Pragma(\"agglom wait\")",
                             "__COUNTER__",
                             "__LINE__",
                             "defined",
                             "typeof(n)",
                             "(int[]){1, 2}",
                             "({ int q = 1; q; })",
                             "_Static_assert",
                             "alignas"};

/// xorshift64*, spread out first since libFuzzer's seeds are small numbers.
class Random {
  uint64_t State;

public:
  explicit Random(uint64_t Seed)
      : State((Seed + 1) * 0x9e3779b97f4a7c15u ^ 0x2545f4914f6cdd1du) {
    if (!State)
      State = 1;
  }
  uint64_t next() {
    State ^= State >> 12;
    State ^= State << 25;
    State ^= State >> 27;
    return State * 0x2545f4914f6cdd1du >> 16;
  }
  size_t below(size_t N) { return N ? next() % N : 0; }
  bool once(size_t In) { return below(In) == 0; }
  template <typename T, size_t N> const T &of(const T (&Array)[N]) {
    return Array[below(N)];
  }
  template <typename T> const T &of(const std::vector<T> &V) {
    return V[below(V.size())];
  }
};

bool isWord(char C) {
  return isalnum(static_cast<unsigned char>(C)) || C == '_';
}

Lines split(const std::string &Text) {
  Lines Out;
  size_t From = 0;
  while (From <= Text.size()) {
    size_t To = Text.find('\n', From);
    if (To == std::string::npos)
      To = Text.size();
    Out.push_back(Text.substr(From, To - From));
    From = To + 1;
  }
  return Out;
}

std::string join(const Lines &L) {
  std::string Out;
  for (size_t I = 0; I < L.size(); ++I) {
    if (I)
      Out += '\n';
    Out += L[I];
  }
  return Out;
}

const char Intro[] = "#pragma agglom";

bool isPragma(const std::string &Line) {
  size_t At = Line.find_first_not_of(" \t");
  return At != std::string::npos && !Line.compare(At, strlen(Intro), Intro);
}

std::vector<size_t> pragmaLines(const Lines &L) {
  std::vector<size_t> Out;
  for (size_t I = 0; I < L.size(); ++I)
    if (isPragma(L[I]))
      Out.push_back(I);
  return Out;
}

/// What stands behind '#pragma agglom'.
std::string argumentOf(const std::string &Line) {
  return Line.substr(Line.find(Intro) + strlen(Intro));
}

/// Words, numbers, and single characters with the spaces before them.
std::vector<std::string> tokens(const std::string &Text) {
  std::vector<std::string> Out;
  size_t I = 0;
  while (I < Text.size()) {
    size_t From = I;
    while (I < Text.size() && Text[I] == ' ')
      ++I;
    if (I < Text.size() && isWord(Text[I]))
      while (I < Text.size() && isWord(Text[I]))
        ++I;
    else if (I < Text.size())
      ++I;
    Out.push_back(Text.substr(From, I - From));
  }
  return Out;
}

class Mutator {
  Random R;
  const ByteMutator &Bytes;
  std::vector<std::string> Names; ///< the identifiers of the unit

public:
  Mutator(const std::string &UnitText, uint64_t Seed, const ByteMutator &Bytes)
      : R(Seed), Bytes(Bytes) {
    for (size_t I = 0; I < UnitText.size();) {
      size_t From = I;
      while (I < UnitText.size() && isWord(UnitText[I]))
        ++I;
      if (I > From && !isdigit(static_cast<unsigned char>(UnitText[From])))
        Names.push_back(UnitText.substr(From, I - From));
      if (I == From)
        ++I;
    }
    if (Names.empty())
      Names.push_back("x");
  }

  std::string name() { return R.of(Names); }

  std::string expression(int Depth = 0) {
    if (Depth > 3 || R.once(3))
      return R.once(2) ? name() : R.of(Numbers);
    auto deeper = [&] { return expression(Depth + 1); };
    switch (R.below(14)) {
    case 0:
      return "(" + deeper() + ")";
    case 1:
      return deeper() + " ? " + deeper() + " : " + deeper();
    case 2:
      return name() + "(" + deeper() + ")";
    case 3:
      return name() + "[" + deeper() + "]";
    case 4:
      return name() + "->" + name();
    case 5:
      return name() + "." + name();
    case 6:
      return "sizeof " + deeper();
    case 7:
      return "(" + std::string(R.once(2) ? "int" : "double") + ")" + deeper();
    case 8:
      return std::string(1, "-~!*&"[R.below(5)]) + deeper();
    case 9:
      return name() + (R.once(2) ? "++" : "--");
    default:
      return deeper() + " " + R.of(Operators) + " " + deeper();
    }
  }

  std::string section() {
    std::string Base = name();
    switch (R.below(8)) {
    case 0:
      Base = "*" + Base;
      break;
    case 1:
      Base = name() + "->" + Base;
      break;
    case 2:
      Base = "(" + expression() + ")";
      break;
    default:
      break;
    }
    for (size_t Left = R.below(3) + !R.once(6); Left; --Left) {
      Base += "[";
      switch (R.below(6)) {
      case 0:
        Base += expression();
        break;
      case 1:
        Base += ":" + expression();
        break;
      case 2:
        Base += expression() + ":" + expression() + ":" + expression();
        break;
      case 3:
        Base += section();
        break;
      default:
        Base += expression() + ":" + expression();
      }
      Base += "]";
    }
    return Base;
  }

  template <typename Fn> std::string list(Fn Item) {
    std::string Out = Item();
    while (R.once(3))
      Out += ", " + Item();
    return Out;
  }

  std::string argument(const char *Form) {
    static const char *const Ops[] = {"+",  "*", "min", "max", "&",
                                      "|",  "^", "&&",  "||",  "-",
                                      "<<", "=", "",    "?",   "host"};
    static const char *const Choices[] = {
        "any",  "cpu",   "gpu",    "auto",    "thread", "warp",
        "cuda", "block", "static", "dynamic", "guided", "runtime"};
    if (R.once(12))
      Form = R.of(Clauses).Argument;
    if (!strcmp(Form, "Sections"))
      return list([&] { return section(); });
    if (!strcmp(Form, "Expr"))
      return expression();
    if (!strcmp(Form, "Name"))
      return R.once(3) ? "cuda: " + name() : name();
    if (!strcmp(Form, "Choice") || !strcmp(Form, "Schedule"))
      return R.once(5) ? R.of(Choices) + (", " + expression()) : R.of(Choices);
    if (!strcmp(Form, "OpVars"))
      return R.of(Ops) + std::string(": ") +
             list([&] { return R.once(3) ? section() : name(); });
    // A form this file does not know: one of those above, or names.
    switch (R.below(4)) {
    case 0:
      return list([&] { return name(); });
    case 1:
      return list([&] { return section(); });
    case 2:
      return R.of(Ops) + std::string(": ") + list([&] { return section(); });
    default:
      return expression();
    }
  }

  std::string clause(const std::string &Pragma) {
    std::vector<const ClauseWord *> Own;
    for (const ClauseWord &C : Clauses)
      for (const DirectiveWord &D : Directives)
        if (!strcmp(C.Directive, D.Id) &&
            Pragma.find(D.Spelling) != std::string::npos)
          Own.push_back(&C);
    const ClauseWord &C =
        Own.empty() || R.once(10) ? R.of(Clauses) : *R.of(Own);
    bool Bare = !strcmp(C.Argument, "None");
    if (R.once(20))
      Bare = !Bare;
    return Bare ? C.Spelling : C.Spelling + ("(" + argument(C.Argument) + ")");
  }

  std::string pragma() {
    std::string Text = R.of(Directives).Spelling;
    while (!R.once(3))
      Text += " " + clause(Text);
    return Text;
  }

  std::string anyToken() {
    switch (R.below(6)) {
    case 0:
      return R.of(Puncts);
    case 1:
      return std::string(" ") + R.of(Words);
    case 2:
      return std::string(" ") + R.of(Numbers);
    case 3:
      return std::string(" ") + R.of(Operators);
    case 4:
      return std::string(" ") + R.of(Clauses).Spelling;
    default:
      return " " + name();
    }
  }

  std::string changeTokens(const std::string &Text) {
    std::vector<std::string> T = tokens(Text);
    for (size_t Times = 1 + R.below(2); Times; --Times) {
      size_t At = R.below(T.size() + 1), Span = 1 + R.below(4);
      size_t End = At + Span < T.size() ? At + Span : T.size();
      auto Begin = T.begin() + static_cast<std::ptrdiff_t>(At);
      auto Stop = T.begin() + static_cast<std::ptrdiff_t>(End);
      switch (R.below(5)) {
      case 0:
        T.erase(Begin, Stop);
        break;
      case 1: {
        std::vector<std::string> Copy(Begin, Stop);
        T.insert(T.begin() + static_cast<std::ptrdiff_t>(R.below(T.size() + 1)),
                 Copy.begin(), Copy.end());
        break;
      }
      case 2:
        if (At < T.size())
          T[At] = anyToken();
        break;
      case 3:
        T.insert(Begin, " " + expression());
        break;
      default:
        T.insert(Begin, anyToken());
      }
    }
    std::string Out;
    for (const std::string &Token : T)
      Out += Token;
    return Out;
  }

  /// Takes the argument of a parenthesis and puts another into its place.
  std::string changeArgument(const std::string &Text) {
    std::vector<size_t> Opens;
    for (size_t I = 0; I < Text.size(); ++I)
      if (Text[I] == '(' || Text[I] == '[')
        Opens.push_back(I);
    if (Opens.empty())
      return Text + " " + clause(Text);
    size_t Open = R.of(Opens), Close = Open;
    char Closer = Text[Open] == '(' ? ')' : ']';
    for (int Depth = 0; Close < Text.size(); ++Close) {
      if (Text[Close] == Text[Open])
        ++Depth;
      else if (Text[Close] == Closer && !--Depth)
        break;
    }
    std::string New = R.once(2)   ? expression()
                      : R.once(2) ? section()
                                  : expression() + ":" + expression();
    return Text.substr(0, Open + 1) + New +
           (Close < Text.size() ? Text.substr(Close) : "");
  }

  std::string changeBytes(const std::string &Text) {
    std::string Out = Bytes(Text);
    // A line must stay a line, but may be continued.
    for (size_t I = 0; I < Out.size(); ++I)
      if (Out[I] == '\n' && (!I || Out[I - 1] != '\\'))
        Out[I] = ' ';
    return Out;
  }

  std::string changePragma(const std::string &Text) {
    switch (R.below(10)) {
    case 0:
    case 1:
      return Text + " " + clause(Text);
    case 2:
    case 3:
    case 4:
      return changeTokens(Text);
    case 5:
    case 6:
      return changeArgument(Text);
    case 7:
      return changeBytes(Text);
    case 8: { // another directive with the same clauses
      size_t From = Text.find_first_not_of(' ');
      size_t To = From == std::string::npos ? From : Text.find(' ', From);
      std::string Rest = To == std::string::npos ? "" : Text.substr(To);
      return std::string(" ") + R.of(Directives).Spelling + Rest;
    }
    default:
      return " " + pragma();
    }
  }

  std::string run(const std::string &UnitText) {
    Lines L = split(UnitText);
    for (size_t Times = 1 + R.below(3); Times; --Times) {
      std::vector<size_t> At = pragmaLines(L);
      auto somewhere = [&] {
        return L.begin() + static_cast<std::ptrdiff_t>(R.below(L.size() + 1));
      };
      if (At.empty() || R.once(16)) {
        L.insert(somewhere(), std::string(Intro) + " " + pragma());
        continue;
      }
      size_t Line = R.of(At);
      if (At.size() > 1 && R.once(16)) {
        L.erase(L.begin() + static_cast<std::ptrdiff_t>(Line));
      } else if (R.once(16)) {
        std::string Copy = L[Line];
        L.insert(R.once(2) ? L.begin() + static_cast<std::ptrdiff_t>(Line)
                           : somewhere(),
                 Copy);
      } else {
        L[Line] = Intro + changePragma(argumentOf(L[Line]));
      }
    }
    return join(L);
  }
};
} // namespace

std::string mutate(const std::string &UnitText, uint64_t Seed,
                   const ByteMutator &Bytes) {
  return Mutator(UnitText, Seed, Bytes).run(UnitText);
}

std::string cross(const std::string &UnitText, const std::string &Donor,
                  uint64_t Seed) {
  Lines Into = split(UnitText), From = split(Donor);
  std::vector<size_t> Places = pragmaLines(Into), Given = pragmaLines(From);
  Random R(Seed);
  if (!Places.empty() && !Given.empty())
    for (size_t Place : Places)
      if (R.once(2))
        Into[Place] = From[R.of(Given)];
  return join(Into);
}

} // namespace agglom::fuzz
