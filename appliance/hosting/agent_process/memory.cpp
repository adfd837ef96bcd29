#include "appliance/hosting/agent_process/memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <sstream>

#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agent_process/workspace_path.h"
#include "appliance/models/builtin/extract.h"
#include "web/routes/fields.h"
#include "web/routes/reply.h"

namespace agent_process {

namespace {

const std::string memory_name(memory_file);
constexpr std::size_t most_bytes = 16u << 20;  // most_facts of maximum length

struct FactLine {
  web::Text<1, 32> id;
  web::Prose<1, 4'000> text;
  web::Text<0, 40> at;
};
BOOST_DESCRIBE_STRUCT(FactLine, (), (id, text, at))

// The file's content; empty if it does not exist or is not a regular file.
std::string content_of(const files::Descriptor& folder) {
  const files::Descriptor file(files::open_beneath(folder, memory_name.c_str(), O_RDONLY | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::string content(std::min(std::size_t(info.st_size), most_bytes), '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const auto got = ::pread(file.get(), content.data() + size, content.size() - size, off_t(size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += std::size_t(got);
  }
  content.resize(size);
  return content;
}

}  // namespace

Memory::Memory(const std::filesystem::path& folder)
    : Memory(files::Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {}

Memory::Memory(files::Descriptor folder) : folder_(std::move(folder)) {
  std::istringstream lines(content_of(folder_));
  for (std::string line; facts_.size() < most_facts && std::getline(lines, line);) {
    const auto value = web::parse_json(line, "memory");
    if (!value) continue;
    const auto fact = web::parse_value<FactLine>(*value);
    if (fact) facts_.push_back({.id = fact->id, .text = fact->text, .at = fact->at});
  }
}

web::Result<void> Memory::save(std::vector<Fact> facts) {
  std::string text;
  for (const auto& fact : facts) {
    web::write_json(text, fact);
    text += '\n';
  }
  const auto saved =
      files::replace(folder_, memory_name, text, {.folder = folder_, .name = "write-" + crypto::random_id(16)});
  if (!saved) return web::internal("The memory cannot be written: " + saved.error().message);
  facts_ = std::move(facts);
  return {};
}

web::Result<Fact> Memory::remember(std::string text) {
  for (const auto& fact : facts_) {
    if (fact.text == text) return fact;
  }
  if (facts_.size() >= most_facts) return web::conflict("The memory is full: forget something first");
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  Fact fact{.id = "m" + crypto::random_id(6), .text = std::move(text), .at = web::iso8601(now)};
  auto facts = facts_;
  facts.push_back(fact);
  if (auto saved = save(std::move(facts)); !saved) return saved.error();
  return fact;
}

std::vector<Fact> Memory::recall(std::string_view query, std::size_t limit) const {
  if (models::trimmed(query).empty()) {
    const auto count = std::min(limit, facts_.size());
    return {facts_.end() - static_cast<std::ptrdiff_t>(count), facts_.end()};
  }
  std::vector<std::pair<double, const Fact*>> matches;
  for (const auto& fact : facts_) {
    double score = models::lower_case(fact.text).find(models::lower_case(query)) != std::string::npos ? 1 : 0;
    for (const auto& sentence : models::score_sentences(fact.text, query))
      score += sentence.relevant ? sentence.score : 0;
    if (score > 0) matches.emplace_back(score, &fact);
  }
  std::stable_sort(matches.begin(), matches.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Fact> found;
  for (const auto& match : matches) {
    if (found.size() == limit) break;
    found.push_back(*match.second);
  }
  return found;
}

web::Result<std::vector<Fact>> Memory::forget(std::string_view query) {
  const auto wanted = models::lower_case(models::trimmed(query));
  if (wanted.empty()) return web::invalid("query must not be empty");
  std::vector<Fact> kept, removed;
  for (const auto& fact : facts_) {
    const bool matches = fact.id == wanted || models::lower_case(fact.text).find(wanted) != std::string::npos;
    (matches ? removed : kept).push_back(fact);
  }
  if (removed.empty()) return removed;
  if (auto saved = save(std::move(kept)); !saved) return saved.error();
  return removed;
}

web::Result<std::optional<Fact>> Memory::remove(std::string_view id) {
  const auto found = std::ranges::find(facts_, id, &Fact::id);
  if (found == facts_.end()) return std::optional<Fact>();
  auto removed = *found;
  auto kept = facts_;
  kept.erase(kept.begin() + (found - facts_.begin()));
  if (auto saved = save(std::move(kept)); !saved) return saved.error();
  return std::optional(std::move(removed));
}

std::string Memory::digest(std::size_t bytes) const {
  std::size_t size = 0;
  auto first = facts_.size();
  while (first > 0 && size + facts_[first - 1].text.size() + 3 <= bytes) size += facts_[--first].text.size() + 3;
  std::string digest;
  for (auto i = first; i < facts_.size(); ++i) digest += "- " + facts_[i].text + "\n";
  return digest;
}

}  // namespace agent_process
