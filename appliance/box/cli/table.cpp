#include "appliance/box/cli/table.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

namespace agentbox::cli {

void Table::print() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      line += row[at];
      if (at + 1 < row.size()) line.append(widths[at] - row[at].size() + 2, ' ');
    }
    std::cout << line << '\n';
  }
}

std::string shown(const boost::json::value& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get_string().empty() ? "-" : std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "yes" : "no";
  return boost::json::serialize(value);
}

}  // namespace agentbox::cli
