// The Docker Engine API over its Unix socket: versioned paths, JSON both ways, refusals as sentences. Source:
// Docker Engine API v1.41 (moby/moby, api/swagger.yaml); with newer engines the newest version supported here is used.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace runtime::docker {

struct Answer {
  int status = 0;
  boost::json::value body;  // null when there was none
};

// Used from one io_context at a time.
class Api {
 public:
  // `host` as DOCKER_HOST: unix:///path.
  explicit Api(std::string_view host);

  // The engine's answer, whatever its status. Kind::unavailable if there is no engine or it does not answer in time.
  web::Task<web::Result<Answer>> call(std::string method, std::string path, boost::json::value body = {},
                                      std::chrono::milliseconds timeout = std::chrono::seconds(30));
  // The same, but passes the answer to `sink` as it arrives, until it ends or `sink` returns false. `on_open` is called
  // before the first byte. A refusal is an Error; so is a lost connection, or an answer that has not ended after
  // `timeout` (0: unlimited).
  web::Task<web::Result<void>> stream(std::string path, std::function<bool(std::string_view)> sink,
                                      std::function<void()> on_open = {}, std::chrono::milliseconds timeout = {});
  // Sends raw bytes: images.
  web::Task<web::Result<Answer>> upload(std::string path, std::string bytes);

 private:
  web::Task<web::Result<void>> negotiate();
  web::FetchRequest request(std::string method, const std::string& path) const;
  web::Error silent(const web::Error& cause);

  std::string socket_;
  std::string version_;  // "1.41"; empty until negotiated, and after a lost connection
};

// "The Docker Engine refused to `what`: <its own words>."
web::Error refusal(std::string_view what, const Answer&);

// For a value in a query.
std::string escape(std::string_view);

}  // namespace runtime::docker
