#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/credentials/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace credentials {

// The credentials of users. Callable from every thread.
class Credentials {
 public:
  explicit Credentials(store::System system) : system_(std::move(system)) {}

  std::vector<Credential> list(store::UserId) const;
  // With its secret: for the proxy alone.
  std::vector<Credential> of_agent(store::UserId, std::string_view agent) const;
  std::vector<Use> uses(store::UserId, std::size_t limit) const;  // newest first

  // invalid, naming the field; conflict: the name is taken; too_many.
  web::Task<web::Result<Credential>> add(store::UserId, Credential);
  // Everything but the id; an empty secret stays as it was. not_found, and as
  // add.
  web::Task<web::Result<Credential>> change(store::UserId, std::string id, Credential);
  // not_found.
  web::Task<web::Result<Credential>> remove(store::UserId, std::string id);
  // Written relaxed; the oldest beyond their number are removed.
  web::Task<> note(Use);

 private:
  store::System system_;
};

}  // namespace credentials
