#include "store/table_register.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace store {
namespace {

// In the order of Rows::meta_family(), index_family() and counter_family().
const std::array<FamilySpec, 3> own_families{{{.name = "meta"},
                                              {.name = "index", .is_index = true},
                                              {.name = "counters", .access = Access::counted, .has_owner = true}}};
constexpr std::uint8_t own_number = 0;  // seals what the store keeps about itself

bool is_own(std::string_view family) {
  return std::ranges::find(own_families, family, &FamilySpec::name) != own_families.end();
}

}  // namespace

std::string_view to_string(Access access) {
  switch (access) {
    case Access::general:
      return "general";
    case Access::by_key:
      return "by key";
    case Access::counted:
      return "counted";
    case Access::by_history:
      return "by history";
    case Access::transient:
      return "transient";
  }
  return "";
}

TableRegister::TableRegister(std::vector<TableInfo> tables) : tables_(std::move(tables)) {
  std::map<std::uint8_t, std::string_view> numbers;
  std::map<std::string_view, std::uint8_t> families;
  for (const auto& table : tables_) {
    const auto& [family, number, access] = table.name;
    if (number == own_number || is_own(family))
      throw std::logic_error("store: the table " + family + " (number " + std::to_string(number) +
                             ") uses a number or family of the store itself");
    if (const auto [other, is_new] = numbers.emplace(number, family); !is_new)
      throw std::logic_error("store: the tables " + std::string(other->second) + " and " + family +
                             " both use number " + std::to_string(number));
    if (const auto [other, is_new] = families.emplace(family, number); !is_new)
      throw std::logic_error("store: the tables " + std::to_string(other->second) + " and " + std::to_string(number) +
                             " both use the family " + family);
  }
}

std::vector<FamilySpec> TableRegister::families() const {
  std::vector<FamilySpec> families(own_families.begin(), own_families.end());
  families.reserve(families.size() + tables_.size());
  for (const auto& table : tables_)
    families.push_back({.name = table.name.family,
                        .access = table.name.access,
                        .has_owner = table.has_owner,
                        .number = table.name.number});
  return families;
}

std::vector<TableRegister::Row> TableRegister::rows() const {
  std::vector<Row> rows;
  rows.reserve(tables_.size());
  for (const auto& table : tables_)
    rows.push_back({table.name.number, table.name.family, table.name.access, table.has_owner});
  std::ranges::sort(rows, {}, &Row::number);
  return rows;
}

std::string markdown(const std::vector<TableRegister::Row>& rows) {
  std::string text = "| number | family | access | owner |\n|---|---|---|---|\n";
  for (const auto& row : rows)
    text.append("| ")
        .append(std::to_string(row.number))
        .append(" | `")
        .append(row.family)
        .append("` | ")
        .append(to_string(row.access))
        .append(" | ")
        .append(row.has_owner ? "user" : "box")
        .append(" |\n");
  return text;
}

}  // namespace store
