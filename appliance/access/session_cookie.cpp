#include "appliance/access/session_cookie.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "appliance/access/sessions.h"
#include "appliance/foundation/crypto/random.h"
#include "web/protocol/set_cookie.h"

namespace accounts {

namespace {

// The host and the domains above it, without the last label alone. Empty for addresses and for what is no domain name.
std::vector<std::string> domains_of(std::string_view host) {
  constexpr std::size_t longest_name = 253, max_labels = 8;
  const auto is_name_byte = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.'; };
  if (host.size() > longest_name || !std::ranges::all_of(host, is_name_byte)) return {};
  const auto last = host.rfind('.');
  if (last == std::string_view::npos || last + 1 == host.size() || std::isdigit(host[last + 1]) != 0) return {};
  std::vector<std::string> domains;
  for (auto rest = host; rest.find('.') != std::string_view::npos; rest.remove_prefix(rest.find('.') + 1))
    domains.emplace_back(rest);
  if (domains.size() > max_labels) domains.erase(domains.begin(), domains.end() - max_labels);
  return domains;
}

// "/" and the folders of a path, which is itself the last one.
std::vector<std::string> cookie_paths_of(std::string_view path) {
  std::vector<std::string> paths{"/"};
  for (auto end = path.find('/', 1); end != std::string_view::npos; end = path.find('/', end + 1))
    paths.emplace_back(path.substr(0, end));
  if (path.size() > 1) paths.emplace_back(path);
  return paths;
}

}  // namespace

std::optional<std::string_view> session_token(const web::Request& request) {
  const auto cookies = request.cookies(session_cookie), companions = request.cookies(companion_cookie);
  if (companions.size() == 1) {
    const auto own = std::ranges::find_if(cookies, [&](std::string_view token) {
      return !token.empty() && Sessions::csrf_token_valid(token, companions.front());
    });
    return own == cookies.end() ? std::nullopt : std::optional(*own);
  }
  // A second cookie may have been planted: neither can be trusted.
  if (cookies.size() != 1 || cookies.front().empty()) return std::nullopt;
  return cookies.front();
}

web::Response with_session_cookie(web::Response response, const web::Cookie& session) {
  auto with_own = web::with_cookie(std::move(response), session);
  if (!session.secure) return with_own;
  web::Cookie companion = session;
  companion.name = companion_cookie;
  if (!session.value.empty()) companion.value = crypto::sha256_hex(session.value);
  return web::with_cookie(std::move(with_own), companion);
}

web::Response without_planted_cookies(web::Response response, const web::Request& request) {
  if (request.cookies(session_cookie).size() < 2) return response;
  for (const auto& domain : domains_of(request.host)) {
    for (const auto& path : cookie_paths_of(request.path))
      response = web::without_domain_cookie(std::move(response), Sessions::cleared(request.secure), domain, path);
  }
  return response;
}

}  // namespace accounts
