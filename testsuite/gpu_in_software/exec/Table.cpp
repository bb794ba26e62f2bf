// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Table.h"

namespace gpu_in_software::machine {

std::string nameOf(Type Of) {
  return Of.Kind == 'p' ? "pred" : Of.Kind + std::to_string(Of.Bits);
}

void addRow(Table &T, const std::string &Name, Handler Do,
            const std::vector<Role> &Roles) {
  T[Name] = {Do, nullptr, 0, Roles};
}

void addOperation(Table &T, const std::string &Name, Handler Do, Type To,
                  const std::array<Type, 3> &From, unsigned Sources) {
  std::vector<Role> Roles = {{'d', To}};
  for (unsigned I = 0; I < Sources; ++I)
    Roles.push_back({'s', From[I]});
  addRow(T, Name, Do, Roles);
}

const Table &table() {
  static const Table T = [] {
    Table New;
    addIntegers(New);
    addFloats(New);
    addConversions(New);
    addAccesses(New);
    addTeam(New);
    addControl(New);
    return New;
  }();
  return T;
}

} // namespace gpu_in_software::machine
