#include "appliance/agent/repository.h"

#include <fstream>
#include <stdexcept>

#include "appliance/files/explorer/git/diff.h"
#include "appliance/files/explorer/git/restore.h"
#include "appliance/files/explorer/git/status.h"

namespace agent_process {

namespace {

const git::Identity author{.name = "agentbox agent", .email = "agent@agentbox.invalid"};

void write_excludes(const std::filesystem::path& folder, const std::vector<std::string>& patterns) {
  const auto path = folder / ".git" / "info" / "exclude";
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::trunc);
  for (const auto& pattern : patterns) file << pattern << '\n';
  if (!file.flush()) throw std::runtime_error("git's exclude file cannot be written: " + path.string());
}

std::string_view name_of(const git::Change& change) {
  const auto is = [&](char letter) { return change.index == letter || change.files == letter; };
  if (is('?') || is('A')) return "added";
  if (is('D')) return "deleted";
  return is('R') ? "renamed" : "modified";
}

}  // namespace

Repository::Repository(const std::filesystem::path& folder, const std::vector<std::string>& excluded)
    : repository_(git::open_or_make(folder)) {
  write_excludes(folder, excluded);
}

std::vector<Repository::Changed> Repository::status(std::size_t limit) const {
  std::vector<Changed> changes;
  auto found = git::status(repository_.get(), git::Untracked::file, limit);
  for (auto& change : found.list) {
    changes.push_back({.status = std::string(name_of(change)), .path = std::move(change.path)});
  }
  return changes;
}

std::optional<std::string> Repository::diff(const std::string& path, std::size_t max_bytes) const {
  const auto candidates = git::dirty_candidates(repository_.get());
  auto staged = git::diff(repository_.get(), git::Side::staged, path, max_bytes, candidates);
  if (!staged) return std::nullopt;
  const auto unstaged = git::diff(repository_.get(), git::Side::unstaged, path, max_bytes - staged->size(), candidates);
  if (!unstaged) return std::nullopt;
  return *staged + *unstaged;
}

std::vector<git::Commit> Repository::log(std::size_t limit) const { return git::log(repository_.get(), limit); }

std::string Repository::head() const { return git::head_id(repository_.get()).value_or(""); }

std::vector<std::string> Repository::changed_since(const std::string& commit, std::size_t limit) const {
  return git::changed_since(repository_.get(), commit, limit);
}

void Repository::write_files(const std::string& commit, const std::filesystem::path& folder) const {
  git::write_files(repository_.get(), commit, folder.string());
}

void Repository::restore(const std::string& commit) { git::restore_files(repository_.get(), commit); }

std::optional<std::string> Repository::commit_all(const std::string& message) {
  return git::commit_all(repository_.get(), message, author);
}

}  // namespace agent_process
