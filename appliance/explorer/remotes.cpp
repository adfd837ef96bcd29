#include "appliance/explorer/remotes.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/url.hpp>

#include "web/address.h"
#include "web/ascii.h"

namespace explorer {

namespace {

namespace urls = boost::urls;
namespace fs = std::filesystem;

struct Origin {
  std::string scheme, host;
  std::uint16_t port = 0;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), web::to_lower);
  return result;
}

// Nothing unless it is http or https with a host.
std::optional<Origin> origin_of(const urls::url_view& url) {
  Origin origin{.scheme = lower(std::string_view(url.scheme().data(), url.scheme().size())), .host = {}};
  if (origin.scheme != "http" && origin.scheme != "https") return std::nullopt;
  origin.host = lower(std::string(url.host_address()));
  if (origin.host.empty() || (url.has_port() && url.port_number() == 0)) return std::nullopt;
  origin.port = url.has_port() ? url.port_number() : origin.scheme == "https" ? 443 : 80;
  return origin;
}

bool is_for(const HostCredential& known, const Origin& origin) {
  return known.scheme == origin.scheme && known.host == origin.host && known.port == origin.port;
}

std::vector<boost::asio::ip::address> resolve(const Origin& origin) {
  boost::asio::io_context io;
  boost::asio::ip::tcp::resolver resolver(io);
  boost::system::error_code error;
  std::vector<boost::asio::ip::address> addresses;
  for (const auto& found : resolver.resolve(origin.host, std::to_string(origin.port), error)) {
    addresses.push_back(found.endpoint().address());
  }
  return addresses;
}

web::Result<Destination> judge_host(const urls::url_view& given, const Place& place,
                                    const std::vector<HostCredential>& credentials) {
  const auto origin = origin_of(given);
  if (!origin) return web::invalid("The remote's URL cannot be used: it needs http or https, and a host");
  urls::url bare(given);
  bare.remove_userinfo();
  Destination destination{.url = std::string(bare.buffer()), .route = {}, .credential = {}};
  const auto known = std::ranges::find_if(credentials, [&](const auto& one) { return is_for(one, *origin); });
  if (known != credentials.end()) destination.credential = known->credential;

  auto addresses = resolve(*origin);
  if (addresses.empty()) return web::invalid("The remote's host cannot be found: " + origin->host);
  if (place.is_workspace && known == credentials.end()) std::erase_if(addresses, std::not_fn(web::is_public_address));
  if (addresses.empty()) return web::invalid("The remote has no public address: " + origin->host);
  destination.route = git::Route{.host = origin->host, .port = origin->port, .addresses = std::move(addresses)};
  return destination;
}

web::Result<Destination> judge_folder(const std::string& url, const Place& place) {
  constexpr std::string_view scheme = "file://";
  if (place.is_workspace) return web::invalid("An agent's workspace is pushed over http or https only");
  if (url.starts_with(scheme)) return Destination{.url = url, .route = {}, .credential = {}};
  // As git reads it: relative to the repository, and a colon before any slash means ssh.
  std::error_code error;
  const auto folder = place.folder / url;
  const bool is_ssh = url.find(':') < url.find('/');
  if (is_ssh || url.find("://") != std::string::npos || !fs::is_directory(folder, error)) {
    return web::invalid("The box pushes over http, https and to folders, and this remote is none of them");
  }
  return Destination{.url = folder.lexically_normal().string(), .route = {}, .credential = {}};
}

}  // namespace

std::optional<std::vector<HostCredential>> parse_credentials(std::string_view text) {
  std::vector<HostCredential> credentials;
  while (!text.empty()) {
    const auto item = web::trim(text.substr(0, text.find(',')));
    text.remove_prefix(
        std::min(text.size(), text.find(',') == std::string_view::npos ? text.size() : text.find(',') + 1));
    if (item.empty()) continue;
    const auto url = urls::parse_uri(item);
    if (!url || !url->has_password() || url->has_query() || url->has_fragment()) return std::nullopt;
    if (const auto path = url->encoded_path(); !path.empty() && path != "/") return std::nullopt;
    const auto origin = origin_of(*url);
    if (!origin) return std::nullopt;
    credentials.push_back({.scheme = origin->scheme,
                           .host = origin->host,
                           .port = origin->port,
                           .credential = {.user = url->user(), .password = url->password()}});
  }
  return credentials;
}

web::Result<Destination> judge(const std::string& url, const Place& place,
                               const std::vector<HostCredential>& credentials) {
  if (!web::starts_ignoring_case(url, "http://") && !web::starts_ignoring_case(url, "https://")) {
    return judge_folder(url, place);
  }
  const auto parsed = urls::parse_uri(url);
  if (!parsed) return web::invalid("The remote's URL cannot be read");
  return judge_host(*parsed, place, credentials);
}

}  // namespace explorer
