#include "appliance/identity/site.h"

#include <boost/url.hpp>

namespace agentbox {

namespace {

constexpr std::string_view loopback = "http://127.0.0.1", localhost = "http://localhost";

}  // namespace

std::string origin_of(std::string_view url) {
  const auto parsed = boost::urls::parse_uri(url);
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
  const auto parsed = boost::urls::parse_uri(origin_);
  return parsed ? std::string(parsed->encoded_host()) : std::string();
}

std::string Site::domain() const {
  const auto parsed = boost::urls::parse_uri(origin_);
  if (parsed && parsed->host_type() == boost::urls::host_type::name) return host();
  return !is_configured_ && origin_.starts_with(loopback) ? "localhost" : "";
}

bool Site::is_ours(std::string_view origin) const {
  const std::string asked = origin_of(origin);
  if (asked.empty()) return false;
  if (asked == origin_) return true;
  return !is_configured_ && origin_.starts_with(loopback) && asked.starts_with(localhost) &&
         asked.substr(localhost.size()) == origin_.substr(loopback.size());
}

}  // namespace agentbox
