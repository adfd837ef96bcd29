#include "appliance/box/listeners.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <memory>
#include <set>

#include "appliance/access/session_cookie.h"
#include "appliance/access/sessions.h"
#include "appliance/box/acme/files.h"
#include "appliance/foundation/redaction.h"
#include "appliance/foundation/version.h"
#include "appliance/identity/scim/protocol.h"
#include "appliance/identity/site.h"
#include "appliance/models/messages_api/messages_wire.h"
#include "appliance/network/a2a/rpc.h"
#include "appliance/network/mcp_server/pages.h"
#include "store/store.h"
#include "web/admission/trusted_proxies.h"
#include "web/log.h"
#include "web/protocol/request_head.h"
#include "web/server/acme_challenges.h"

namespace agentbox {

namespace {

// A client that reads nothing of an answer for this long is disconnected.
constexpr std::chrono::seconds unread_time{15};

// Of host:port.
std::string host_of(const std::string& address) { return address.substr(0, address.rfind(':')); }

// Of all addresses of this machine.
bool is_wildcard(std::string_view host) { return host == "0.0.0.0" || host == "[::]"; }

std::size_t connections(double share_of_descriptors) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return std::min<std::size_t>(web::Limits{}.connections,
                               static_cast<std::size_t>(static_cast<double>(files.rlim_cur) * share_of_descriptors));
}

bool csrf_valid(const web::Request& request, std::string_view token) {
  return accounts::Sessions::csrf_token_valid(accounts::session_token(request), token);
}

// Of the web listener; empty, which means all, without a BASE_URL.
std::vector<std::string> web_hosts(const Settings& settings) {
  if (settings.base_url.empty()) return {};
  std::vector<std::string> hosts = settings.allowed_hosts;
  hosts.push_back(Site(settings.base_url).host());
  hosts.insert(hosts.end(), settings.acme_names.begin(), settings.acme_names.end());
  hosts.push_back(host_of(settings.web_listen));
  hosts.push_back(settings.agent_domain);
  hosts.push_back("." + settings.agent_domain);
  return hosts;
}

// ADMIN_NETWORKS. Immutable.
class AdminNetworks {
 public:
  explicit AdminNetworks(const Settings& settings) : networks_(settings.admin_networks) {}

  bool admit(const web::Request& request) const {
    const auto client = address_of(request);
    return client && networks_.contains(*client);
  }
  // The box's own agents and commands, which have no proxy in front.
  static bool is_this_machine(const web::Request& request) {
    const auto client = address_of(request);
    return client && client->is_loopback() && !request.has_header("X-Forwarded-For") &&
           !request.has_header("Forwarded");
  }

 private:
  static std::optional<boost::asio::ip::address> address_of(const web::Request& request) {
    boost::system::error_code failed;
    const auto address = boost::asio::ip::make_address(request.client_address, failed);
    return failed ? std::nullopt : std::optional(web::plain_address(address));
  }

  const web::TrustedProxies networks_;
};

// The patterns of the web listener's rows that only administrators and support may call.
std::set<std::string, std::less<>> administrators_rows(const std::vector<web::Route>& routes) {
  std::set<std::string, std::less<>> rows;
  for (const web::Route& row : routes)
    if (row.path.starts_with("/api/admin/") || row.guard.name.ends_with("admin session") ||
        row.guard.name.ends_with("support session"))
      rows.insert(row.path);
  return rows;
}

}  // namespace

web::ListenerOptions listener_options(const Settings& settings, std::string name, std::string listen,
                                      double share_of_descriptors) {
  web::ListenerOptions options{.name = std::move(name), .listen = std::move(listen)};
  options.version = version;
  options.trusted_proxies = settings.trusted_proxies;
  options.rate_limits = settings.rate_limits;
  options.login_limits = settings.login_limits;
  options.limits.idle_time = settings.idle_timeout;
  options.limits.write_time = unread_time;
  options.limits.connections = connections(share_of_descriptors);
  options.explain = explain;
  return options;
}

web::ListenerOptions web_listener(const Settings& settings, std::vector<web::Route> routes) {
  auto options = listener_options(settings, "web", settings.web_listen, 0.75);
  if (!settings.admin_networks.empty())
    options.admits_client = [networks = std::make_shared<const AdminNetworks>(settings),
                             rows = administrators_rows(routes)](const web::Request& request) {
      return !rows.contains(request.route) || networks->admit(request);
    };
  options.routes = std::move(routes);
  options.error_forms = models::messages::error_forms();
  options.error_forms.push_back(a2a::error_form());
  options.error_forms.push_back(scim::error_form());
  options.browser = true;
  options.hosts = web_hosts(settings);
  options.is_https_outside = Site(settings.base_url).origin().starts_with("https://");
  options.csrf_valid = csrf_valid;
  options.cross_origin = mcp_server::cross_origin(settings.mcp_origins);
  for (const auto& [path, provider] : {std::pair("/api/auth/idp", "Idp"), std::pair("/api/auth/codehost", "Codehost")})
    for (const auto* row : {"", "/callback"})
      options.refusal_pages.push_back({std::string(path) + row, std::string("/login?error=") + provider + "Busy"});
  if (!settings.tls_cert.empty()) options.tls = web::TlsFiles{settings.tls_cert, settings.tls_key};
  if (!settings.acme_directory.empty()) {
    const auto file = acme::certificate_file(settings.data).string();
    options.tls = web::TlsFiles{file, file};
  }
  return options;
}

web::ListenerOptions backend_listener(const Settings& settings, std::vector<web::Route> routes) {
  auto options = listener_options(settings, "backend", settings.backend_listen, 0.125);
  if (!settings.admin_networks.empty())
    options.admits_client = [networks = std::make_shared<const AdminNetworks>(settings)](const web::Request& request) {
      return networks->admit(request) || AdminNetworks::is_this_machine(request);
    };
  options.routes = std::move(routes);
  options.explain = explain_fully;
  options.error_forms = models::messages::error_forms();
  options.error_forms.push_back(a2a::error_form());
  options.base_rate = web::RateLimit{.group = "backend", .limit = 120};
  return options;
}

web::ListenerOptions summarizer_listener(const Settings& settings) {
  return listener_options(settings, "summarizer", settings.summarizer_listen, 0.0625);
}

web::ListenerOptions redirect_listener(const Settings& settings, const std::string& web_url) {
  auto options = listener_options(settings, "redirect", settings.http_redirect_listen, 0.03125);
  options.hosts = web_hosts(settings);
  const auto port = web_url.substr(web_url.rfind(':'));
  options.host_router = [origin = Site(settings.base_url).origin(),
                         port](const web::Request& request) -> std::optional<web::Result<web::ProxyTarget>> {
    web::ProxyTarget target;
    if (auto answer = web::acme_challenges().answer_to(request.path)) {
      target.answer = web::text(std::move(*answer), "application/octet-stream");
      return target;
    }
    const auto place = origin.empty() ? "https://" + std::string(request.host) + (port == ":443" ? "" : port) : origin;
    const auto path = web::origin_form(request);
    target.answer = web::redirect(place + (path == "*" ? "/" : path), 308);
    return target;
  };
  return options;
}

void warn_of_open_settings(const Settings& settings) {
  if (!settings.login_limits)
    web::log::warning("login_limits_off",
                      {{"reason", "LOGIN_LIMITS is off: passwords, codes and tokens can be guessed without limit"}});
  if (settings.base_url.empty() && is_wildcard(host_of(settings.web_listen)))
    web::log::warning("base_url_is_not_set",
                      {{"listen", settings.web_listen},
                       {"reason",
                        "The box listens on all addresses and does not know its name: links in mails lead to the first "
                        "of ALLOWED_HOSTS, or nowhere. Set BASE_URL to the address that browsers use."}});
  if (settings.registration == "open" && is_reached_by_others(settings))
    web::log::warning("registration_is_open",
                      {{"listen", settings.web_listen},
                       {"reason",
                        "ANYBODY who reaches this box can create an account on it. Set REGISTRATION=invite or "
                        "REGISTRATION=closed to prevent that."}});
}

std::optional<web::Error> explain(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const store::Unavailable& error) {
    return web::unavailable(redact_paths(error.what()), error.what());
  } catch (const store::Corrupt& error) {
    return web::unavailable("What the store holds for this is damaged: the box's log says where and what to do",
                            error.what());
  } catch (...) {
    return std::nullopt;
  }
}

std::optional<web::Error> explain_fully(std::exception_ptr thrown) {
  auto error = explain(std::move(thrown));
  if (error) error->message = error->detail;
  return error;
}

std::string reason_of(std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown";
  }
}

std::string public_url(std::string url, const Settings& settings) {
  if (!is_wildcard(host_of(settings.web_listen))) return url;
  const auto& hosts = settings.allowed_hosts;
  const auto named = std::ranges::find_if(hosts, [](const std::string& host) { return !host.starts_with('.'); });
  if (named == hosts.end()) return url;
  const auto host = url.find("//") + 2, port = url.rfind(':');
  return url.replace(host, port - host, *named);
}

std::string reachable(std::string url) {
  for (const std::string_view wildcard : {"//0.0.0.0:", "//[::]:"})
    if (const auto at = url.find(wildcard); at != std::string::npos) url.replace(at, wildcard.size(), "//127.0.0.1:");
  return url;
}

}  // namespace agentbox
