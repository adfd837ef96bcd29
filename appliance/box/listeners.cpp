#include "appliance/box/listeners.h"

#include <sys/resource.h>

#include <algorithm>

#include "appliance/foundation/redaction.h"
#include "appliance/foundation/version.h"
#include "store/store.h"

namespace agentbox {

namespace {

std::size_t connections(double share_of_descriptors) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return std::min<std::size_t>(web::Limits{}.connections,
                               static_cast<std::size_t>(static_cast<double>(files.rlim_cur) * share_of_descriptors));
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
  options.limits.connections = connections(share_of_descriptors);
  options.explain = explain;
  return options;
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

std::string reachable(std::string url) {
  for (const std::string_view wildcard : {"//0.0.0.0:", "//[::]:"})
    if (const auto at = url.find(wildcard); at != std::string::npos) url.replace(at, wildcard.size(), "//127.0.0.1:");
  return url;
}

}  // namespace agentbox
