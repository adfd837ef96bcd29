#include "appliance/hosting/engine_migration.h"

#include <fstream>

#include "appliance/foundation/data_folder.h"
#include "web/log.h"

namespace agentbox {

namespace {

constexpr std::chrono::seconds grace{10};

}  // namespace

std::string EngineMigration::name() const {
  std::string word;
  std::ifstream(note_) >> word;
  return word;
}

bool EngineMigration::is_another() const {
  const auto former = name();
  return !former.empty() && former != now_;
}

web::Task<> EngineMigration::end_agents(std::vector<std::string> ids) {
  const auto former = name();
  if (former == now_) co_return;
  if (!former.empty()) engine_ = make_(former);
  if (engine_) {
    for (auto& id : ids) {
      auto ended = co_await engine_->stop(id, grace);
      if (ended) ended = co_await engine_->remove(id);
      if (ended) continue;
      web::log::warning("agents_of_former_engine", {{"engine", former}, {"reason", ended.error().message}});
      co_return;
    }
    web::log::info("agents_changed_engine", {{"from", former}, {"to", now_}, {"agents", std::to_string(ids.size())}});
  }
  write_private_file(note_, now_ + "\n");
}

}  // namespace agentbox
