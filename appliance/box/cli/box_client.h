// The command line's way to a running box: its backend, with the data folder's internal key.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli {

class BoxClient {
 public:
  // Where the box that runs on the data folder says it listens, else BACKEND_LISTEN.
  explicit BoxClient(const Settings&);

  // Whether a box that runs on this data folder answers.
  bool is_running() const;
  // The JSON answer. Throws UsageError with the box's own message, or with what to do when no box answers or the key is
  // refused.
  boost::json::value call(std::string method, const std::string& path, const boost::json::value& body = nullptr,
                          std::chrono::seconds timeout = std::chrono::seconds(30)) const;

 private:
  const Settings& settings_;
  std::string url_;
  bool announced_ = false;  // by endpoints.json
};

}  // namespace agentbox::cli
