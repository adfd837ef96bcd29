#include "appliance/agent/memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <sstream>

#include "appliance/agent/workspace_path.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "store/clock.h"
#include "summarizer/sentences.h"
#include "web/ascii.h"
#include "web/routes/fields.h"
#include "web/routes/reply.h"

namespace agent_process {

namespace {

const std::string memory_name(memory_file);
constexpr std::size_t max_memory_file_bytes = 16u << 20;  // max_facts of maximum length

struct FactLine {
  web::Text<1, 32> id;
  web::Prose<1, 4'000> text;
  web::Text<0, 40> at;
  std::optional<web::Text<0, 64>> block;
};
BOOST_DESCRIBE_STRUCT(FactLine, (), (id, text, at, block))

// The file's content; empty if it does not exist or is not a regular file.
std::string content_of(const files::Descriptor& folder) {
  const files::Descriptor file(files::open_beneath(folder, memory_name.c_str(), O_RDONLY | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::string content(std::min(std::size_t(info.st_size), max_memory_file_bytes), '\0');
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

Memory::Memory(files::Descriptor folder) : folder_(std::move(folder)) { reload(); }

void Memory::reload() {
  facts_.clear();
  std::istringstream lines(content_of(folder_));
  for (std::string line; facts_.size() < max_facts && std::getline(lines, line);) {
    const auto value = web::parse_json(line, "memory");
    if (!value) continue;
    const auto fact = web::parse_value<FactLine>(*value);
    if (fact)
      facts_.push_back({.id = fact->id,
                        .text = fact->text,
                        .at = fact->at,
                        .block = fact->block ? std::string(*fact->block) : std::string()});
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
    if (fact.text == text && fact.block.empty()) return fact;
  }
  if (facts_.size() >= max_facts) return web::conflict("The memory is full: forget something first");
  Fact fact{.id = "m" + crypto::random_id(6), .text = std::move(text), .at = web::iso8601(store::now()), .block = {}};
  auto facts = facts_;
  facts.push_back(fact);
  if (auto saved = save(std::move(facts)); !saved) return saved.error();
  return fact;
}

web::Result<Fact> Memory::write_block(std::string name, std::string text) {
  auto facts = facts_;
  const auto is_named = [&name](const Fact& fact) { return fact.block == name; };
  auto found = std::ranges::find_if(facts, is_named);
  if (found == facts.end()) {
    if (std::size_t(std::ranges::count_if(facts, [](const Fact& fact) { return !fact.block.empty(); })) >= max_blocks)
      return web::conflict("There are " + std::to_string(max_blocks) +
                           " blocks: write into one of them, or forget one");
    facts.push_back({.id = "m" + crypto::random_id(6), .text = {}, .at = {}, .block = std::move(name)});
    found = facts.end() - 1;
  }
  found->text = std::move(text);
  found->at = web::iso8601(store::now());
  auto block = *found;
  if (auto saved = save(std::move(facts)); !saved) return saved.error();
  return block;
}

std::vector<Fact> Memory::recall(std::string_view query, std::size_t limit) const {
  if (web::trim(query, web::white_space).empty()) {
    const auto count = std::min(limit, facts_.size());
    return {facts_.end() - static_cast<std::ptrdiff_t>(count), facts_.end()};
  }
  std::vector<std::pair<double, const Fact*>> matches;
  for (const auto& fact : facts_) {
    double score = web::lower_case(fact.text).find(web::lower_case(query)) != std::string::npos ? 1 : 0;
    for (const auto& sentence : summarizer::score_sentences(fact.text, query))
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
  const auto wanted = web::lower_case(web::trim(query, web::white_space));
  if (wanted.empty()) return web::invalid("query must not be empty");
  std::vector<Fact> kept, removed;
  for (const auto& fact : facts_) {
    const bool has_text = fact.block.empty() && web::lower_case(fact.text).find(wanted) != std::string::npos;
    const bool matches = fact.id == wanted || has_text;
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
  std::vector<std::string_view> newest;
  std::size_t size = 0;
  for (auto i = facts_.size(); i-- > 0;) {
    if (!facts_[i].block.empty()) continue;
    size += facts_[i].text.size() + 3;
    if (size > bytes) break;
    newest.push_back(facts_[i].text);
  }
  std::string digest;
  for (auto i = newest.size(); i-- > 0;) digest.append("- ").append(newest[i]).append("\n");
  return digest;
}

std::string Memory::blocks() const {
  std::string text;
  for (const auto& fact : facts_)
    if (!fact.block.empty()) text += "[" + fact.block + "]\n" + fact.text + "\n";
  return text;
}

}  // namespace agent_process
