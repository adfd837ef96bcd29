// Skills that users bring from elsewhere, as an archive or its address: reviewed, installed, and checked for updates.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/hosting/agents/records.h"
#include "appliance/network/skills/catalogue.h"
#include "appliance/network/skills/installer.h"
#include "appliance/network/skills/package_review.h"
#include "web/client/fetch.h"

namespace skills {

// An archive as it was sent or, if there is an address, what that has.
struct PackageSource {
  std::string url, archive;
};

// Thread-safe. All arguments must outlive it; blocking work runs on `files`.
class Packages {
 public:
  // `reach`: which addresses archives may have. `folder`: data/agents.
  Packages(store::System system, const Catalogue& catalogue, Installer& installer, web::Reach reach,
           std::filesystem::path folder, boost::asio::thread_pool& files)
      : system_(std::move(system)),
        catalogue_(catalogue),
        installer_(installer),
        reach_(reach),
        folder_(std::move(folder)),
        files_(files) {}

  // Against what the agent has. not_found: the agent is not the user's. conflict: the catalogue has a skill of this
  // name. forbidden: the agent's egress does not admit the address. invalid: see unpack and read_package.
  web::Task<web::Result<PackageReview>> review(store::UserId, std::string agent, PackageSource);
  // The same, and conflict with PACKAGE_CHANGED: its digest is not `digest`, that of the review. See
  // Installer::install.
  web::Task<web::Result<Installer::Installed>> install(web::Caller, std::string agent, PackageSource,
                                                       std::string digest);
  // Against what the catalogue has. conflict: the skill is the box's own.
  web::Task<web::Result<PackageReview>> review_for_catalogue(PackageSource);
  // conflict with PACKAGE_CHANGED as in install; any content will do if `digest` is empty.
  web::Task<web::Result<Skill>> read_for_catalogue(PackageSource, std::string digest);

  // Of an agent, or of all.
  std::vector<Package> list(store::UserId, const std::string& agent = {}) const;
  // Looks now whether the address has something else than what is installed. not_found; invalid: it has no address. A
  // failure of the address is in Package::problem.
  web::Task<web::Result<Package>> check(store::UserId, std::string agent, std::string skill);
  // All that were not looked at for a day.
  web::Task<> check_due();

 private:
  web::Task<web::Result<Skill>> read(const agents::Agent*, PackageSource);
  web::Task<web::Result<std::string>> fetch_archive(const agents::Agent*, std::string url) const;
  web::Task<std::optional<Package>> look(Package);

  store::System system_;
  const Catalogue& catalogue_;
  Installer& installer_;
  const web::Reach reach_;
  const std::filesystem::path folder_;
  boost::asio::thread_pool& files_;
};

}  // namespace skills
