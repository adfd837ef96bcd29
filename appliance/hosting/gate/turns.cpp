#include "appliance/hosting/gate/turns.h"

#include <algorithm>

#include "store/transact.h"
#include "web/log.h"

namespace gate {

namespace {

constexpr std::string_view outside_of_turns = "a call outside of every turn";
constexpr std::string_view skills_folder = "skills/";
// Long results of tools, which may be pages or messages (agent_process::kept_results_folder).
constexpr std::string_view results_folder = ".results/";
constexpr std::string_view file_prefix = "f:";  // alone: the whole workspace
constexpr std::int64_t max_file_marks = 2'000;  // of an agent
constexpr std::size_t max_plain_name = 48, max_plain_words = 4, marks_per_change = 200;

std::string conversation_mark(std::string_view conversation) { return "c:" + std::string(conversation); }

store::CounterName file_marks(std::string_view agent) { return {"gate_file_marks/" + std::string(agent)}; }

void add(std::vector<std::string>& sources, std::string_view source) {
  if (std::ranges::find(sources, source) == sources.end()) sources.emplace_back(source);
}

// "./a//b/" and "a/b" are one file.
std::string plain_path(std::string_view path) {
  std::string plain;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    const auto part = path.substr(at, end - at);
    if (!part.empty() && part != ".") plain.append(plain.empty() ? "" : "/").append(part);
    at = end + 1;
  }
  return plain;
}

// Whether a file's name can be shown without saying anything to a model: a sentence is no plain name.
bool is_plain_name(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  std::size_t words = 1;
  for (const auto c : name) words += c == ' ' || c == '_' || c == '-' || c == '.' || c == ':';
  return name.size() <= max_plain_name && words <= max_plain_words;
}

}  // namespace

std::string source_of(const chat::Conversation& conversation) {
  switch (conversation.channel) {
    case chat::Channel::mail:
      return "a mail";
    case chat::Channel::bus:
    case chat::Channel::a2a:
      return "a message of another agent";
    case chat::Channel::swarm:
      return "a task of a swarm";
    case chat::Channel::skill:
      return "a skill";
    default:
      return conversation.audience != chat::Audience::owner ? "a message of another user" : std::string();
  }
}

TurnTracker::Running::~Running() {
  const std::lock_guard lock(turns_->mutex);
  turns_->turns.erase(number_);
}

std::shared_ptr<TurnTracker::Running> TurnTracker::begin(store::UserId owner, std::string agent,
                                                         std::string conversation, std::string source) {
  Turn turn{.owner = owner, .agent = std::move(agent), .conversation = std::move(conversation), .sources = {}};
  const auto tenant = system_.tenant(owner);
  if (!source.empty()) {
    mark(owner, turn.agent, conversation_mark(turn.conversation), source);
    add(turn.sources, source);
  }
  if (const auto row = tenant.get(marks, turn.agent + "/" + conversation_mark(turn.conversation)))
    add(turn.sources, row->value.source);
  // Facts are in every prompt, and so are names of files.
  if (const auto row = tenant.get(marks, turn.agent + "/m")) add(turn.sources, row->value.source);
  if (tenant.get(marks, turn.agent + "/n")) add(turn.sources, "the name of a file");
  const std::lock_guard lock(turns_->mutex);
  const auto number = ++turns_->last;
  turns_->turns.emplace(number, std::move(turn));
  return std::make_shared<Running>(turns_, number);
}

void TurnTracker::mark(store::UserId owner, std::string_view agent, std::string_view what,
                       std::string_view source) const {
  const auto tenant = system_.tenant(owner);
  Mark mark{.owner = owner,
            .id = std::string(agent) + "/" + std::string(what),
            .source = std::string(source),
            .at = store::now()};
  if (tenant.get(marks, mark.id)) return;
  auto change = tenant.change();
  change.insert(marks, mark);
  if (what.starts_with(file_prefix)) change.add(owner, file_marks(agent), 1);
  // In the log before the text is served; another request may have marked it meanwhile.
  [[maybe_unused]] const auto outcome = change.commit_blocking(store::Durability::relaxed);
}

void TurnTracker::taint(std::string_view agent, std::string_view source) {
  std::vector<Turn> changed;
  {
    const std::lock_guard lock(turns_->mutex);
    for (auto& [number, turn] : turns_->turns) {
      if (turn.agent != agent) continue;
      const bool was_clean = turn.sources.empty();
      add(turn.sources, source);
      if (was_clean) changed.push_back(turn);
    }
  }
  for (const auto& turn : changed) mark(turn.owner, agent, conversation_mark(turn.conversation), source);
}

void TurnTracker::taint_conversation(store::UserId owner, std::string_view agent, std::string_view conversation,
                                     std::string_view source) {
  mark(owner, agent, conversation_mark(conversation), source);
}

void TurnTracker::taint_file(store::UserId owner, std::string_view agent, std::string_view path,
                             std::string_view source) {
  const auto plain = plain_path(path);
  // An agent could name files without end.
  const bool has_room = system_.tenant(owner).counter(file_marks(agent)) < max_file_marks;
  mark(owner, agent, std::string(file_prefix) + (has_room ? plain : std::string()), source);
  if (!is_plain_name(plain)) mark(owner, agent, "n", source);
}

// Of the file, of a folder above it, or of what is in it.
std::string TurnTracker::source_of_file(store::UserId owner, std::string_view agent, std::string_view path) const {
  const auto tenant = system_.tenant(owner);
  const auto prefix = std::string(agent) + "/f:";
  const auto plain = plain_path(path);
  if ((plain + "/").starts_with(skills_folder) && plain.size() > skills_folder.size()) return "a skill";
  if ((plain + "/").starts_with(results_folder)) return "a kept result of a tool";
  if (const auto row = tenant.get(marks, prefix)) return row->value.source;
  for (std::string_view at = plain; !at.empty();) {
    if (const auto row = tenant.get(marks, prefix + std::string(at))) return row->value.source;
    const auto slash = at.rfind('/');
    at = slash == std::string_view::npos ? std::string_view() : at.substr(0, slash);
  }
  const auto beneath = plain.empty() ? prefix : prefix + plain + "/";
  const auto found = tenant.list(marks, {.limit = 1, .after = beneath});
  return !found.empty() && found.front().id.starts_with(beneath) ? found.front().source : std::string();
}

Taint TurnTracker::use(store::UserId owner, std::string_view agent, const FileUse& use) {
  for (const auto& path : use.reads)
    if (const auto source = source_of_file(owner, agent, path); !source.empty()) this->taint(agent, source);
  if (use.reads_memory)
    if (const auto row = system_.get(marks, owner, std::string(agent) + "/m")) this->taint(agent, row->value.source);
  if (use.reads_history) {
    const auto prefix = std::string(agent) + "/c:";
    const auto found = system_.tenant(owner).list(marks, {.limit = 1, .after = prefix});
    if (!found.empty() && found.front().id.starts_with(prefix)) this->taint(agent, found.front().source);
  }
  auto taint = of(agent);
  if (!taint.is_foreign()) return taint;
  const auto& source = taint.sources.front();
  for (const auto& path : use.writes) taint_file(owner, agent, path, source);
  if (use.writes_memory) mark(owner, agent, "m", source);
  return taint;
}

Taint TurnTracker::of(std::string_view agent) const {
  Taint taint;
  bool has_turn = false;
  const std::lock_guard lock(turns_->mutex);
  for (const auto& [number, turn] : turns_->turns) {
    if (turn.agent != agent) continue;
    if (!has_turn) taint.conversation = turn.conversation;
    has_turn = true;
    for (const auto& source : turn.sources) add(taint.sources, source);
  }
  if (!has_turn) add(taint.sources, outside_of_turns);
  return taint;
}

std::vector<Mark> TurnTracker::marked(store::UserId owner, std::string_view agent, std::size_t limit) const {
  const auto prefix = std::string(agent) + "/";
  auto found = system_.tenant(owner).list(marks, {.limit = limit, .after = prefix});
  std::erase_if(found, [&](const Mark& mark) { return !mark.id.starts_with(prefix); });
  for (auto& mark : found) mark.id.erase(0, prefix.size());
  return found;
}

web::Task<> TurnTracker::clear(store::UserId owner, std::string agent, std::string what) {
  const auto tenant = system_.tenant(owner);
  for (;;) {
    std::vector<std::string> names;
    if (!what.empty())
      names.push_back(what);
    else
      for (const auto& mark : marked(owner, agent, marks_per_change)) names.push_back(mark.id);
    auto change = tenant.change();
    bool has_any = false;
    std::int64_t files = 0;
    for (const auto& name : names)
      if (const auto row = tenant.get(marks, agent + "/" + name)) {
        change.erase(marks, *row);
        has_any = true;
        if (name.starts_with(file_prefix)) ++files;
      }
    if (!has_any) co_return;
    if (files > 0) change.add(owner, file_marks(agent), -files);
    // Stale: another request has removed one; the next round has the rest.
    [[maybe_unused]] const auto outcome = co_await change.commit();
  }
}

web::Task<> TurnTracker::inherit(store::UserId owner, std::string parent, std::string conversation, std::string clone,
                                 std::string its_conversation) {
  constexpr std::size_t all = 100'000;
  const auto tenant = system_.tenant(owner);
  auto found = marked(owner, parent, all);
  for (std::size_t at = 0; at < found.size(); at += marks_per_change) {
    auto change = tenant.change();
    std::int64_t files = 0;
    for (auto i = at; i < std::min(found.size(), at + marks_per_change); ++i) {
      auto& mark = found[i];
      if (mark.id.starts_with(file_prefix)) ++files;
      const bool is_conversation = mark.id.starts_with(conversation_mark({}));
      if (is_conversation && mark.id != conversation_mark(conversation)) continue;
      mark.id = clone + "/" + (is_conversation ? conversation_mark(its_conversation) : mark.id);
      change.insert(marks, mark);
    }
    if (files > 0) change.add(owner, file_marks(clone), files);
    co_await change.commit();
  }
}

}  // namespace gate
