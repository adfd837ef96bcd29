// The variables of an environment from which programs read a proxy, and the authorities that they trust.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runtime {

struct ProxyForPrograms {
  std::string url;
  std::string except;       // hosts that are reached without it, with commas between them
  std::string authority;    // path of the proxy's own authority, for programs that trust it besides theirs
  std::string authorities;  // path of all authorities, for programs that trust those of one file alone
};

// Names and values; those of a proxy in both cases.
std::vector<std::pair<std::string, std::string>> proxy_variables(const ProxyForPrograms&);
// Whether proxy_variables() has a variable of this name.
bool is_proxy_variable(std::string_view name);

}  // namespace runtime
