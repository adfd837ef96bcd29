#include "appliance/box/standby/timeline.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/random.h"

namespace standby {

namespace {

constexpr std::size_t max_runs = 64;

std::filesystem::path file_of(const agentbox::DataFolder& folder) { return folder_of(folder) / "timeline.json"; }

}  // namespace

std::filesystem::path folder_of(const agentbox::DataFolder& folder) { return folder.path() / "standby"; }

std::optional<Timeline> read_timeline(const agentbox::DataFolder& folder) {
  const auto file = file_of(folder);
  std::error_code unknown;
  if (!std::filesystem::exists(folder_of(folder), unknown)) return std::nullopt;
  const auto text = agentbox::read_folder_file(file);
  if (!text) return std::nullopt;
  try {
    return boost::json::value_to<Timeline>(boost::json::parse(*text));
  } catch (const std::exception&) {
    throw agentbox::UsageError(file.string() + " is damaged: put it back from a copy, or see docs/standby.md");
  }
}

void write_timeline(const agentbox::DataFolder& folder, const Timeline& timeline) {
  agentbox::DataFolder(folder_of(folder)).prepare("folder of the standby");
  agentbox::write_private_file(file_of(folder), boost::json::serialize(boost::json::value_from(timeline)) + "\n");
}

void begin_run(Timeline& timeline, store::Position newest) {
  timeline.runs.push_back({crypto::random_hex(16), newest});
  if (timeline.runs.size() > max_runs)
    timeline.runs.erase(timeline.runs.begin(), timeline.runs.end() - std::ptrdiff_t(max_runs));
}

bool may_continue(const Timeline& timeline, const Standing& standing, store::Position newest) {
  const auto run = std::ranges::find(timeline.runs, standing.run, &Run::id);
  if (run == timeline.runs.end()) return false;
  const bool is_last = run + 1 == timeline.runs.end();
  return standing.position <= (is_last ? newest : (run + 1)->after);
}

void refuse_unless_box(const agentbox::DataFolder& folder) {
  const auto timeline = read_timeline(folder);
  if (!timeline) return;
  const auto& path = folder.path().string();
  if (timeline->role == "standby")
    throw agentbox::UsageError(path + " is the standby of " + timeline->of + ": agentbox promote --data " + path +
                               " makes it the box, if that one is gone");
  if (timeline->fenced_by != 0)
    throw agentbox::UsageError("the box in " + path + " was replaced by its standby (epoch " +
                               std::to_string(timeline->fenced_by) +
                               ") and must not be served: make it the standby of " +
                               "the new box with agentbox standby, or see docs/standby.md");
}

}  // namespace standby
