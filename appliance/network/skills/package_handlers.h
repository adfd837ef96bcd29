// Handlers of the rows of skills from elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/network/skills/handlers.h"
#include "appliance/network/skills/packages.h"

namespace skills {

struct ReviewQuery {
  std::optional<PackageUrl> url;
};
BOOST_DESCRIBE_STRUCT(ReviewQuery, (), (url))

struct AgentReviewQuery {
  AgentId agentId;
  std::optional<PackageUrl> url;
};
BOOST_DESCRIBE_STRUCT(AgentReviewQuery, (), (agentId, url))

struct PackageQuery {
  AgentId agentId;
  PackageDigest digest;
  std::optional<PackageUrl> url;
};
BOOST_DESCRIBE_STRUCT(PackageQuery, (), (agentId, digest, url))

struct CheckRequest {
  AgentId agentId;
  web::Text<1, 64> skill;
};
BOOST_DESCRIBE_STRUCT(CheckRequest, (), (agentId, skill))

struct PackageItem {
  std::string skill, agentId;
  std::optional<std::string> version;  // that is installed
  std::optional<std::string> url;      // null: a file
  std::string digest;
  bool updateAvailable, isComplete;
  std::optional<std::string> problem;
  std::optional<store::Time> installedAt, checkedAt;
};
BOOST_DESCRIBE_STRUCT(PackageItem, (),
                      (skill, agentId, version, url, digest, updateAvailable, isComplete, problem, installedAt,
                       checkedAt))

struct PackageList {
  std::vector<PackageItem> packages;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(PackageList, (), (packages, count))

// The archive of the body, and the address of the query.
web::Task<web::Result<PackageSource>> read_source(std::optional<PackageUrl> url, web::BodyStream& body);

web::Answer list_packages(const Services&, const web::Request&, ListQuery);
web::Answer review_package(const Services&, const web::Request&, AgentReviewQuery, web::BodyStream&);
web::Answer install_package(const Services&, const web::Request&, PackageQuery, web::BodyStream&);
web::Answer check_package(const Services&, const web::Request&, CheckRequest);
web::Answer review_for_catalogue(const Services&, const web::Request&, ReviewQuery, web::BodyStream&);

}  // namespace skills
