// A client of the running box's backend, with the internal key of the data folder.
#pragma once

#include <boost/json.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"
#include "web/client/fetch.h"

namespace agentbox::cli {

// Where the box that runs on the data folder listens: `listener` is web, backend or summarizer. Empty: none runs.
std::string announced_url(const Settings&, const char* listener);

// The box has answered with an error.
struct BoxRefusal : UsageError {
  BoxRefusal(const std::string& message, std::string named) : UsageError(message), code(std::move(named)) {}
  std::string code;  // of the answer; may be empty
};

class BoxClient {
 public:
  // Uses the address announced by the box that runs on the data folder, else BACKEND_LISTEN. `acting_as`: the person,
  // for the audit log; empty: the system user. An e-mail address is also sent as the administrator's. Throws UsageError
  // for a name that no header can carry.
  explicit BoxClient(const Settings&, const std::string& acting_as = {});

  // Whether a box that runs on this data folder answers.
  bool is_running() const;
  // The data folder of a box on this machine; nothing if only BACKEND_LISTEN says where it is.
  std::optional<std::filesystem::path> data_folder() const;
  // What its health route answers, without a key: 200 if it is healthy, 503 with the reason if it is not.
  web::Result<web::FetchResponse> health() const;
  // Returns the JSON response. Throws UsageError with the box's error message, or with what to do if no box answers or
  // the key is refused.
  boost::json::value call(std::string method, const std::string& path, const boost::json::value& body = nullptr,
                          std::chrono::seconds timeout = std::chrono::seconds(30)) const;
  // The same for a response in another form.
  std::string get_text(const std::string& path) const;
  // Passes the response's body on as it arrives, until it ends or `sink` returns false. Throws as call() does.
  void stream(const std::string& path, std::function<bool(std::string_view)> sink) const;

 private:
  std::string exchange(std::string method, const std::string& path, const boost::json::value& body,
                       std::chrono::seconds timeout) const;
  web::FetchRequest request(std::string method, const std::string& path, std::chrono::seconds timeout) const;
  [[noreturn]] void refuse(int status, const std::string& body) const;
  [[noreturn]] void report_no_box() const;

  const Settings& settings_;
  std::string url_, acting_as_;
  bool announced_ = false;  // by endpoints.json
};

}  // namespace agentbox::cli
