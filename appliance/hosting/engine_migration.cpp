#include "appliance/hosting/engine_migration.h"

#include <fstream>

#include "appliance/foundation/data_folder.h"
#include "web/log.h"

namespace agentbox {

namespace {

constexpr std::chrono::seconds grace{10};

}  // namespace

std::string EngineMigration::former_engine() const {
  std::string word;
  std::ifstream(note_) >> word;
  return word;
}

bool EngineMigration::has_changed() const {
  const auto former = former_engine();
  return !former.empty() && former != current_;
}

web::Task<> EngineMigration::stop_agents(std::vector<std::string> ids) {
  const auto former = former_engine();
  if (former == current_) co_return;
  if (!former.empty()) engine_ = make_(former);
  if (engine_) {
    for (auto& id : ids) {
      auto stopped = co_await engine_->stop(id, grace);
      if (stopped) stopped = co_await engine_->remove(id);
      if (stopped) continue;
      web::log::warning("agents_of_former_engine", {{"engine", former}, {"reason", stopped.error().message}});
      co_return;
    }
    web::log::info("agents_changed_engine",
                   {{"from", former}, {"to", current_}, {"agents", std::to_string(ids.size())}});
  }
  write_private_file(note_, current_ + "\n");
}

}  // namespace agentbox
