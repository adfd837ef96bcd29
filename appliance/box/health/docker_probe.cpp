#include "appliance/box/health/docker_probe.h"

#include <filesystem>

#include "web/client/fetch.h"

namespace health {

namespace {

constexpr std::string_view scheme = "unix://";

}  // namespace

DockerProbe::DockerProbe(std::string_view docker_host)
    : socket_(docker_host.starts_with(scheme) ? docker_host.substr(scheme.size()) : std::string_view()) {}

web::Task<> DockerProbe::ask() {
  std::error_code error;
  if (socket_.empty() || !std::filesystem::is_socket(socket_, error)) {
    available_ = false;
    co_return;
  }
  web::FetchRequest ping{
      .url = "http://docker/_ping", .unix_socket = socket_, .timeout = std::chrono::seconds(2), .max_bytes = 4096};
  const auto answer = co_await web::fetch(std::move(ping));
  available_ = answer && answer->status == 200;
}

}  // namespace health
