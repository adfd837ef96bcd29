#include "appliance/identity/site.h"

#include <boost/asio/ip/address.hpp>
#include <boost/url.hpp>

#include "appliance/foundation/settings/settings.h"
#include "web/admission/trusted_proxies.h"
#include "web/uri.h"

namespace agentbox {

namespace {

constexpr std::string_view loopback = "http://127.0.0.1", localhost = "http://localhost";

bool is_loopback(std::string host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && web::plain_address(address).is_loopback();
}

}  // namespace

std::string origin_of(std::string_view url) {
  const auto parsed = web::parse_uri(url);
  if (!parsed || parsed->has_userinfo() || parsed->host().empty()) return {};
  boost::urls::url normal(*parsed);
  normal.normalize();
  const std::string scheme = normal.scheme(), port = normal.port();
  if (scheme != "http" && scheme != "https") return {};
  std::string origin = scheme + "://" + std::string(normal.encoded_host());
  if (!port.empty() && port != (scheme == "http" ? "80" : "443")) origin += ":" + port;
  return origin;
}

Site::Site(std::string configured) : is_configured_(!configured.empty()), origin_(origin_of(configured)) {}

void Site::set_listener(std::string url) {
  if (!is_configured_) origin_ = origin_of(url);
}

std::string Site::host() const {
  const auto parsed = web::parse_uri(origin_);
  return parsed ? std::string(parsed->encoded_host()) : std::string();
}

std::string Site::domain() const {
  const auto parsed = web::parse_uri(origin_);
  if (parsed && parsed->host_type() == boost::urls::host_type::name) return host();
  return !is_configured_ && origin_.starts_with(loopback) ? "localhost" : "";
}

std::string Site::passkey_origin() const {
  const auto name = domain();
  if (name.empty() || name == host()) return name.empty() ? std::string() : origin_;
  return std::string(localhost) + origin_.substr(loopback.size());
}

std::string Site::page_url(std::string_view path) const {
  const auto origin = passkey_origin();
  return (origin.empty() ? origin_ : origin) + std::string(path);
}

bool Site::is_ours(std::string_view origin) const {
  const std::string asked = origin_of(origin);
  if (asked.empty()) return false;
  if (asked == origin_) return true;
  return !is_configured_ && origin_.starts_with(loopback) && asked.starts_with(localhost) &&
         asked.substr(localhost.size()) == origin_.substr(loopback.size());
}

bool is_reached_by_others(const Settings& settings) {
  const auto public_host = Site(settings.base_url).host();
  const auto listen_host = settings.web_listen.substr(0, settings.web_listen.rfind(':'));
  return !is_loopback(listen_host) || !(public_host.empty() || is_loopback(public_host));
}

}  // namespace agentbox
