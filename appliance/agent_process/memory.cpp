#include "appliance/agent_process/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "appliance/agent_process/workspace.h"
#include "appliance/ai/extract.h"
#include "appliance/crypto/random.h"
#include "web/fields.h"
#include "web/reply.h"

namespace agent_process {

namespace {

struct FactLine {
  web::Text<1, 32> id;
  web::Prose<1, 4'000> text;
  web::Text<0, 40> at;
};
BOOST_DESCRIBE_STRUCT(FactLine, (), (id, text, at))

bool sync_folder(const std::filesystem::path& folder) {
  const files::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened && ::fsync(opened.get()) == 0;
}

}  // namespace

Memory::Memory(std::filesystem::path file) : path_(std::move(file)) {
  std::ifstream lines(path_);
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
  const auto temporary = path_.parent_path() / ("write-" + crypto::random_id(16));
  const auto fail = [&](int code) -> web::Result<void> {
    ::unlink(temporary.c_str());
    return web::internal(std::string("The memory cannot be written: ") + std::strerror(code));
  };
  const files::Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail(errno);
  for (std::string_view rest = text; !rest.empty();) {
    const auto written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0 || std::rename(temporary.c_str(), path_.c_str()) != 0 ||
      !sync_folder(path_.parent_path())) {
    return fail(errno);
  }
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
  if (ai::trimmed(query).empty()) {
    const auto count = std::min(limit, facts_.size());
    return {facts_.end() - static_cast<std::ptrdiff_t>(count), facts_.end()};
  }
  std::vector<std::pair<double, const Fact*>> matches;
  for (const auto& fact : facts_) {
    double score = ai::lower_case(fact.text).find(ai::lower_case(query)) != std::string::npos ? 1 : 0;
    for (const auto& sentence : ai::score_sentences(fact.text, query)) score += sentence.relevant ? sentence.score : 0;
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
  const auto wanted = ai::lower_case(ai::trimmed(query));
  if (wanted.empty()) return web::invalid("query must not be empty");
  std::vector<Fact> kept, removed;
  for (const auto& fact : facts_) {
    const bool matches = fact.id == wanted || ai::lower_case(fact.text).find(wanted) != std::string::npos;
    (matches ? removed : kept).push_back(fact);
  }
  if (removed.empty()) return removed;
  if (auto saved = save(std::move(kept)); !saved) return saved.error();
  return removed;
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
