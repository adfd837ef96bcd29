// The Docker Engine API over its Unix socket: versioned paths, JSON both ways, refusals as sentences. Podman's socket
// speaks it too. Source: Docker Engine API v1.41 (moby/moby, api/swagger.yaml); newer engines are spoken to in the
// newest version known here.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "web/fetch.h"
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

  // The engine's answer, whatever its status. Error unavailable: there is no engine, or it does not answer in time.
  web::Task<web::Result<Answer>> call(std::string method, std::string path, boost::json::value body = {},
                                      std::chrono::milliseconds timeout = std::chrono::seconds(30));
  // The same, with an answer that goes to `sink` as it comes, until it ends or `sink` returns false. `on_open` is
  // called before the first byte. A refusal is an Error; so is an engine that goes away, or has not come to the end in
  // this time (0: it may go on for ever).
  web::Task<web::Result<void>> stream(std::string path, std::function<bool(std::string_view)> sink,
                                      std::function<void()> on_open = {}, std::chrono::milliseconds timeout = {});
  // Sends bytes as they are: images.
  web::Task<web::Result<Answer>> upload(std::string path, std::string bytes);

 private:
  web::Task<web::Result<void>> negotiate();
  web::FetchRequest request(std::string method, const std::string& path) const;
  web::Error silent(const web::Error& cause);

  std::string socket_;
  std::string version_;  // "1.41"; empty until the engine has said what it speaks, and again when it was gone
};

// "The Docker Engine refused to `what`: <its own words>."
web::Error refusal(std::string_view what, const Answer&);

// For a value in a query.
std::string escape(std::string_view);

}  // namespace runtime::docker
