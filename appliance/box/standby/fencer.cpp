#include "appliance/box/standby/fencer.h"

#include "appliance/box/standby/follower.h"
#include "web/log.h"

namespace standby {

namespace {

constexpr std::chrono::seconds answer_limit{3};

bool has_old_box(const agentbox::DataFolder& folder) {
  const auto timeline = read_timeline(folder);
  return timeline && !timeline->has_fenced && !timeline->of.empty();
}

}  // namespace

Fencer::Fencer(const agentbox::Platform& platform) : platform_(platform), is_needed_(has_old_box(platform.folder)) {}

web::Task<> Fencer::work() {
  if (is_done_) co_return;
  auto tell = [folder = platform_.folder] {
    auto timeline = read_timeline(folder);
    if (!timeline || timeline->has_fenced) return true;
    const auto invitation = read_invitation(folder_of(folder) / "invitation.json");
    if (ask_box(timeline->of, invitation, timeline->epoch, true, answer_limit) != Answer::fenced) return false;
    timeline = read_timeline(folder);  // a shipper may have begun a run meanwhile
    timeline->has_fenced = true;
    write_timeline(folder, *timeline);
    web::log::info("old_box_fenced", {{"address", timeline->of}});
    return true;
  };
  is_done_ = co_await web::offload(asking_, std::move(tell));
}

}  // namespace standby
