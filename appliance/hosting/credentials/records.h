// Secrets that agents use and never see: the box's proxy puts them in where
// they are bound to.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "store/store.h"

namespace credentials {

// How a request carries the secret: in a header of any name, in a parameter of
// the query, as the password of basic authentication, or as a bearer token.
BOOST_DEFINE_ENUM_CLASS(Form, header, query, basic, bearer)

struct Credential {
  std::int64_t owner = 0;
  std::string id;    // cr_ and 20 random characters
  std::string name;  // [A-Z][A-Z0-9_]*; unique for its owner
  store::Sealed secret;
  std::vector<std::string> agents;   // that may use it; empty: all of the owner's
  std::string scheme = "https";      // or http
  std::vector<std::string> hosts;    // lower case; ".example.org": all beneath it
  std::vector<std::string> paths;    // prefixes; empty: all
  std::vector<std::string> methods;  // empty: all
  Form form = Form::bearer;
  std::string parameter;  // header: its name; query: that of the parameter;
                          // basic: the user name
  store::Time created_at, updated_at;
};
BOOST_DESCRIBE_STRUCT(Credential, (),
                      (owner, id, name, secret, agents, scheme, hosts, paths, methods, form, parameter, created_at,
                       updated_at))

inline const store::Owned<Credential> table{{.family = "credentials", .number = 204},
                                            &Credential::owner,
                                            &Credential::id,
                                            {store::scoped<Credential>(1, "name", &Credential::name)}};

// One request that carried a credential, or that was refused since it named one
// that is not bound to it.
struct Use {
  std::int64_t owner = 0;
  std::string id;          // <milliseconds, 13 digits>-<random>: ordered by time
  std::string credential;  // its name
  std::string agent, host, method;
  std::int64_t status = 0;                   // of the answer; 403 for a refusal, 502 if there was none
  std::int64_t bytes_out = 0, bytes_in = 0;  // of bodies
  bool is_refused = false;
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(Use, (),
                      (owner, id, credential, agent, host, method, status, bytes_out, bytes_in, is_refused, at))

inline const store::Owned<Use> uses{
    {.family = "credential_uses", .number = 205, .access = store::Access::by_history}, &Use::owner, &Use::id, {}};

inline constexpr std::size_t max_credentials = 100;  // of an owner
inline const store::CounterName use_count{"credential_uses"};
inline constexpr std::int64_t max_uses = 10'000;  // of an owner, that are kept

}  // namespace credentials
