// Calls of the agent to its box.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string>

#include "web/result.h"
#include "web/task.h"

namespace agent_process {

struct BoxClient {
  std::string url, token;                  // `url`: without the path of a call
  std::chrono::milliseconds time{10'000};  // of a call, from its start to the end of the answer

  // The object of the answer. Errors are sentences for the model: the box's own, or that it cannot be reached.
  web::Task<web::Result<boost::json::value>> call(std::string method, std::string path, boost::json::object body) const;
};

}  // namespace agent_process
