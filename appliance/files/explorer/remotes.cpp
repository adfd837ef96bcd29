#include "appliance/files/explorer/remotes.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/url.hpp>

#include "web/ascii.h"
#include "web/client/address.h"
#include "web/client/outbound.h"
#include "web/uri.h"

namespace explorer {

namespace {

namespace fs = std::filesystem;

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

web::Result<Destination> host_destination(const std::string& url, const Place& place, const FindCredential& find) {
  const auto remote = RemoteUrl::parse(url);
  if (!remote) return web::invalid("The remote's URL cannot be used: it must be a plain http, https or ssh URL");
  const auto& origin = remote->origin();
  Destination destination{.url = {}, .route = {}, .credential = find(origin), .ssh_path = {}};
  const bool is_known = destination.credential.has_value();
  if (origin.scheme == "ssh" && !is_known) {
    return web::invalid("The box has no key for " + origin.text() +
                        ": its administrator gives it one with agentbox admin git-hosts set");
  }
  destination.url = remote->text();
  destination.ssh_path = remote->ssh_path();

  const web::CallOrigin caller{.part = "git"};
  if (const auto admitted = web::outbound().check(caller, origin.host, origin.port); !admitted) return admitted.error();
  auto addresses = resolve(origin);
  if (addresses.empty()) return web::invalid("The remote's host cannot be found: " + origin.host);
  if (place.is_workspace && !is_known) std::erase_if(addresses, std::not_fn(web::is_public_address));
  if (addresses.empty()) return web::invalid("The remote has no public address: " + origin.host);
  destination.route = git::Route{.host = origin.host, .port = origin.port, .addresses = std::move(addresses)};
  return destination;
}

// As in git: a path is relative to the repository, and special characters in a file:// URL are escaped.
web::Result<fs::path> folder_of(const std::string& url, const Place& place) {
  if (url.find("://") == std::string::npos) return place.folder / url;
  const auto parsed = web::parse_uri(url);
  const bool is_here =
      parsed && parsed->scheme() == "file" && (parsed->host().empty() || parsed->host() == "localhost");
  if (is_here) return fs::path(parsed->path());
  return web::invalid("The box pushes over http, https and ssh and to folders, and this remote is none of them");
}

web::Result<Destination> folder_destination(const std::string& url, const Place& place) {
  if (place.is_workspace) return web::invalid("An agent's workspace is pushed over http, https or ssh only");
  const auto folder = folder_of(url, place);
  if (!folder) return folder.error();
  std::error_code error;
  const auto real = fs::canonical(*folder, error);
  if (error || !fs::is_directory(real, error))
    return web::invalid("The remote is a folder that does not exist: " + url);
  return Destination{.url = real.string(), .route = {}, .folder = real, .credential = {}, .ssh_path = {}};
}

bool is_host(const std::string& url) {
  for (const std::string_view scheme : {"http://", "https://", "ssh://"})
    if (web::starts_ignoring_case(url, scheme)) return true;
  return is_short_form(url);
}

}  // namespace

web::Result<Destination> resolve_destination(const std::string& url, const Place& place, const FindCredential& find) {
  return is_host(url) ? host_destination(url, place, find) : folder_destination(url, place);
}

}  // namespace explorer
