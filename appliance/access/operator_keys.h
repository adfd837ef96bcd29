// Keys of the operator's programs, for parts of the backend: op_<id>_<secret>.
#pragma once

#include <boost/describe.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace operator_keys {

namespace scope {
inline constexpr std::string_view read_only = "read-only", users = "users", agents = "agents", files = "files",
                                  backup = "backup", scim = "scim";
}
inline constexpr std::string_view all_scopes[] = {scope::read_only, scope::users,  scope::agents,
                                                  scope::files,     scope::backup, scope::scim};

struct OperatorKey {
  std::string id;           // 12 random characters
  std::string name;         // unique; as in the audit log
  std::string secret_hash;  // SHA-256 in hex; with 248 random bits a slow hash would add nothing
  std::vector<std::string> scopes;
  std::string created_by;  // the name given with --as; may be empty
  store::Time created_at{};
  std::optional<store::Time> last_used_at;  // within a minute
  std::optional<store::Time> expires_at;

  bool has(std::string_view scope) const;
};
BOOST_DESCRIBE_STRUCT(OperatorKey, (),
                      (id, name, secret_hash, scopes, created_by, created_at, last_used_at, expires_at))

inline const store::Global<OperatorKey, std::string> operator_keys{
    {.family = "operator_keys", .number = 18},
    &OperatorKey::id,
    {store::unique<OperatorKey>(1, "name", &OperatorKey::name)}};

struct NewOperatorKey {
  std::string name;
  std::vector<std::string> scopes;
  std::string created_by;
  std::optional<store::Time> expires_at;
};

struct Created {
  OperatorKey key;
  std::string secret;  // the whole key, shown only once
};

// Whether the text has the form of these keys, valid or not.
bool is_operator_key(std::string_view text);

// Callable from every thread; must not outlive the store.
class OperatorKeys {
 public:
  explicit OperatorKeys(store::System system) : system_(std::move(system)) {}

  // invalid: the name is not 1 to 40 of a-z, 0-9, '.', '-' and '_'; no scope, an unknown one or one twice. conflict:
  // the name is taken.
  web::Task<web::Result<Created>> create(NewOperatorKey);
  // In the order of their names.
  std::vector<OperatorKey> list() const;
  // not_found. The key is refused from then on.
  web::Task<web::Result<void>> revoke(std::string name);

  // Nothing if the key is malformed, unknown, wrong or expired. Records the use, which flush_uses writes.
  std::shared_ptr<const OperatorKey> validate(std::string_view key);
  // Writes the recorded times of use, relaxed: they may be lost.
  web::Task<> flush_uses();

 private:
  store::System system_;
  std::mutex mutex_;
  std::map<std::string, store::Time> uses_;  // by id; protected by mutex_
};

}  // namespace operator_keys
