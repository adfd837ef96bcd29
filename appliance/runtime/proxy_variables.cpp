#include "appliance/runtime/proxy_variables.h"

#include <algorithm>

namespace runtime {

std::vector<std::pair<std::string, std::string>> proxy_variables(const ProxyForPrograms& proxy) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}) all.emplace_back(name, proxy.url);
  for (const char* name : {"NO_PROXY", "no_proxy"}) all.emplace_back(name, proxy.except);
  for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT"})
    all.emplace_back(name, proxy.authorities);
  all.emplace_back("NODE_EXTRA_CA_CERTS", proxy.authority);
  all.emplace_back("NODE_USE_ENV_PROXY", "1");
  return all;
}

bool is_proxy_variable(std::string_view name) {
  return std::ranges::any_of(proxy_variables({}), [name](const auto& one) { return one.first == name; });
}

}  // namespace runtime
