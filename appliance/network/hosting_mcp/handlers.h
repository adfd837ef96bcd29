#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "store/store.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace hosting_mcp {

struct Services {};

BOOST_DEFINE_ENUM_CLASS(Status, operational)

struct Health {
  std::string name, version, description;
  Status status = Status::operational;
  std::string official_repo, docker_image, documentation;
  store::Time timestamp;
};
BOOST_DESCRIBE_STRUCT(Health, (),
                      (name, version, description, status, official_repo, docker_image, documentation, timestamp))

struct Info {
  std::string name, version, description, maintained_by, repository, docker_image, documentation, setup_guide;
  std::vector<std::string> features;
};
BOOST_DESCRIBE_STRUCT(Info, (),
                      (name, version, description, maintained_by, repository, docker_image, documentation, setup_guide,
                       features))

// The endpoint checks the key itself, so that every refusal has the contract's form.
struct ConfigRequest {
  std::optional<web::Text<0, 512>> api_key;
  std::optional<web::Text<1, 2'000>> endpoint;
};
BOOST_DESCRIBE_STRUCT(ConfigRequest, (), (api_key, endpoint))

struct ValidConfig {
  bool valid = true;
  std::string message;
  std::vector<std::string> next_steps;
};
BOOST_DESCRIBE_STRUCT(ValidConfig, (), (valid, message, next_steps))

struct InvalidConfig {
  bool valid = false;
  std::vector<std::string> errors;
  std::string help;
};
BOOST_DESCRIBE_STRUCT(InvalidConfig, (), (valid, errors, help))

// /api/hosting-mcp: facts about the hosting provider's tool server, on the backend.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace hosting_mcp
