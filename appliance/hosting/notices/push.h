// Web Push (RFC 8030): notices on browsers, also while the console is closed. Messages are stored before they are sent,
// those to one browser are sent in order, and browsers do not wait for each other.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/jwt_signer.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/notices/records.h"
#include "store/store.h"
#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace notices {

inline constexpr std::size_t max_devices = 20;         // of a user
inline constexpr std::size_t max_waiting_pushes = 50;  // for one browser; beyond it the oldest is dropped

// As browsers give them, in base64url.
struct Subscription {
  std::string endpoint, public_key, secret;
};

struct PushOptions {
  web::Reach reach = web::Reach::public_only;  // of endpoints, which users enter
  std::function<std::string()> contact;        // mailto: or https: address of the operator; may be empty
};

class Push {
 public:
  // Makes the box's key if there is none, which blocks. All of them must outlive it.
  Push(store::System, PushOptions, boost::asio::io_context& home);

  // The box's key by which push services know it again (RFC 8292), in base64url. Callable from every thread, as what
  // follows.
  std::string public_key() const;
  // A browser that is known gets the new name and keys; one of another user becomes this user's. invalid, naming the
  // field; conflict beyond max_devices.
  web::Task<web::Result<PushDevice>> add(store::UserId, std::string name, Subscription);
  // not_found.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // Of all the user's browsers, in a change of the account.
  void remove_all(store::UserId, store::Change&) const;
  std::vector<PushDevice> devices(store::UserId) const;

  // Adds a message for each of the user's browsers to a change; their number. wake() follows its commit.
  std::size_t add_messages(store::Change&, store::UserId, const boost::json::object& payload, Urgency) const;
  void wake(store::UserId);

  void start();
  web::Task<> stop();

 private:
  struct Failure {
    std::string reason;
    bool is_gone = false, is_final = false;
    std::optional<std::chrono::milliseconds> retry_after;
  };
  web::Task<> run_lane(store::UserId, std::string device);
  // False: there is nothing to send.
  web::Task<bool> send_next(store::UserId, const std::string& device);
  web::Task<std::optional<Failure>> send(const PushDevice&, const PushMessage&) const;
  web::Task<> drop(store::UserId, std::string message);
  web::Task<> note(const PushDevice&, std::string error);
  std::string authorization(const std::string& endpoint) const;
  void erase(store::Change&, store::UserId, const std::string& device) const;

  store::System system_;
  const PushOptions options_;
  boost::asio::io_context& home_;
  const crypto::JwtSigner key_;
  std::set<std::string> lanes_;  // browsers that are being sent to; on `home`
  agentbox::TaskGroup tasks_;
};

// "pd_" and 24 hex digits of the endpoint's SHA-256: a browser recognises itself by it.
std::string device_id(std::string_view endpoint);

}  // namespace notices
