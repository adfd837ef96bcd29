#include "appliance/files/explorer/remote_url.h"

#include <algorithm>
#include <boost/url.hpp>

#include "web/ascii.h"
#include "web/uri.h"

namespace explorer {

namespace {

namespace urls = boost::urls;

std::uint16_t default_port(std::string_view scheme) { return scheme == "https" ? 443 : scheme == "http" ? 80 : 22; }

// nullopt unless it is http, https or ssh with a host.
std::optional<Origin> origin_of(const urls::url_view& url) {
  Origin origin{.scheme = web::lower_case(std::string_view(url.scheme().data(), url.scheme().size())), .host = {}};
  if (origin.scheme != "http" && origin.scheme != "https" && origin.scheme != "ssh") return std::nullopt;
  origin.host = web::lower_case(std::string(url.host_address()));
  if (origin.host.empty() || (url.has_port() && url.port_number() == 0)) return std::nullopt;
  origin.port = url.has_port() ? url.port_number() : default_port(origin.scheme);
  return origin;
}

bool is_name_character(char c) { return web::is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, is_name_character);
}

// Neither an option nor anything with control characters.
bool is_ssh_path(std::string_view path) {
  return !path.empty() && path != "/" && path.front() != '-' &&
         std::ranges::none_of(path, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string bracketed(const std::string& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

}  // namespace

std::string Origin::text() const { return scheme + "://" + bracketed(host) + ":" + std::to_string(port); }

std::optional<Account> Account::parse(const std::string& text) {
  const auto url = web::parse_uri(text);
  if (!url || !url->has_userinfo() || url->has_password() || url->has_query() || url->has_fragment()) return {};
  if (const auto path = url->encoded_path(); !path.empty() && path != "/") return {};
  auto origin = origin_of(*url);
  if (!origin) return {};
  Account account{.origin = std::move(*origin), .user = url->user()};
  const bool has_control = std::ranges::any_of(account.user, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  const bool is_ssh = account.origin.scheme == "ssh";
  if (account.user.empty() || has_control || (is_ssh && !is_name(account.user))) return {};
  return account;
}

bool is_short_form(const std::string& url) {
  return url.find("://") == std::string::npos && url.find(':') < url.find('/');
}

std::optional<RemoteUrl> RemoteUrl::parse_short(const std::string& text) {
  const auto colon = text.find(':');
  const auto at = text.find('@');
  const auto host_begin = at < colon ? at + 1 : 0;
  if (host_begin > 0 && !is_name(std::string_view(text).substr(0, at))) return {};
  RemoteUrl url;
  url.origin_ = {.scheme = "ssh", .host = web::lower_case(text.substr(host_begin, colon - host_begin)), .port = 22};
  url.ssh_path_ = text.substr(colon + 1);
  url.path_ = "/";
  if (!is_name(url.origin_.host) || !is_ssh_path(url.ssh_path_)) return {};
  return url;
}

std::optional<RemoteUrl> RemoteUrl::parse(const std::string& text) {
  if (is_short_form(text)) return parse_short(text);
  const auto parsed = web::parse_uri(text);
  if (!parsed || parsed->has_fragment()) return {};
  auto origin = origin_of(*parsed);
  if (!origin) return {};
  RemoteUrl url;
  url.origin_ = std::move(*origin);
  const auto path = parsed->encoded_resource();
  url.path_ = std::string(path.data(), path.size());
  if (url.origin_.scheme != "ssh") return url;
  url.ssh_path_ = parsed->path();
  if (url.ssh_path_.starts_with("/~")) url.ssh_path_.erase(0, 1);  // as in git: ssh://host/~user/x is ~user/x
  if (parsed->has_query() || !is_ssh_path(url.ssh_path_)) return {};
  return url;
}

std::string RemoteUrl::text() const {
  const auto port = origin_.port == default_port(origin_.scheme) ? std::string() : ":" + std::to_string(origin_.port);
  return origin_.scheme + "://" + bracketed(origin_.host) + port + path_;
}

std::optional<std::string> RemoteUrl::ssh_path() const {
  if (ssh_path_.empty()) return std::nullopt;
  return ssh_path_;
}

}  // namespace explorer
