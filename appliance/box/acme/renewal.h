// Gets the certificate of the web listener from an authority, and renews it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "appliance/box/acme/files.h"
#include "appliance/foundation/platform.h"
#include "appliance/foundation/task_group.h"

namespace acme {

// Without ACME_DIRECTORY it does nothing.
class Renewal {
 public:
  // Makes the self-signed certificate if there is none to serve with. `reload`: has the web listener read it again.
  Renewal(const agentbox::Platform&, std::function<void()> reload);

  // Both on Platform::home.
  void start();
  web::Task<> stop();  // cuts off an attempt

  struct Status {
    bool is_self_signed = true;
    std::string problem;  // of the last attempt; empty: it went well
  };
  // Nothing without ACME_DIRECTORY. Callable from every thread.
  std::optional<Status> status() const;

 private:
  web::Task<> run();
  web::Task<> attempt();
  web::Task<crypto::CertifiedKey> get_certificate();
  void note(const Attempts&);

  const agentbox::Platform& platform_;
  const bool is_on_;
  const std::vector<std::string> names_;
  const std::filesystem::path file_;
  const std::function<void()> reload_;
  agentbox::TaskGroup work_;
  std::chrono::sys_seconds due_{};

  mutable std::mutex mutex_;  // protects what follows
  Attempts attempts_;
  bool is_self_signed_ = true;
};

}  // namespace acme
