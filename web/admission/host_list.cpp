#include "web/admission/host_list.h"

#include <algorithm>

#include "web/admission/trusted_proxies.h"
#include "web/ascii.h"

namespace web {

namespace {

bool is_address(std::string_view host, const boost::asio::ip::address& local) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto given = boost::asio::ip::make_address(std::string(host), error);
  return !error && plain_address(given) == plain_address(local);
}

}  // namespace

HostList::HostList(const std::vector<std::string>& hosts) {
  for (const auto& host : hosts)
    if (!host.empty()) (host.starts_with('.') ? domains_ : names_).push_back(lower_case(host));
}

bool HostList::knows(std::string_view given, const boost::asio::ip::address& local) const {
  auto host = lower_case(given);
  if (host.ends_with('.')) host.pop_back();
  if (empty() || given.empty() || std::ranges::find(names_, host) != names_.end()) return true;
  const auto is_beneath = [&](const std::string& domain) {
    return host.size() > domain.size() && host.ends_with(domain);
  };
  if (std::ranges::any_of(domains_, is_beneath)) return true;
  return (host == "localhost" && plain_address(local).is_loopback()) || is_address(host, local);
}

}  // namespace web
