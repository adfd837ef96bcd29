// Folders and repositories to explore, and the git command line as the referee of what libgit2 says about them.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "appliance/files/explorer/explorer.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace explorer_tests {

namespace fs = std::filesystem;

inline void put(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Outcome {
  int code = 0;
  std::string out;
};

// The git command line in `folder`, with no configuration but the repository's own.
inline Outcome run_git(const fs::path& folder, std::vector<std::string> arguments, const std::string& input = {}) {
  const auto scratch = fs::temp_directory_path() / ("explorer-git-" + std::to_string(::getpid()));
  const auto in = scratch.string() + ".in", out = scratch.string() + ".out";
  put(in, input);
  arguments.insert(arguments.begin(),
                   {"git", "-C", folder.string(), "-c", "user.name=Referee", "-c", "user.email=referee@example.org",
                    "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", "-c", "core.quotePath=false"});
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string path = "PATH=" + std::string(std::getenv("PATH"));
  std::vector<std::string> variables{path,
                                     "HOME=/nonexistent",
                                     "GIT_CONFIG_NOSYSTEM=1",
                                     "GIT_CONFIG_GLOBAL=/dev/null",
                                     "GIT_CONFIG_COUNT=1",
                                     "GIT_CONFIG_KEY_0=safe.directory",
                                     "GIT_CONFIG_VALUE_0=*"};
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, in.c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, "git", &files, nullptr, argv.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error("the git command line cannot be started");
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  Outcome outcome{.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .out = content_of(out)};
  fs::remove(in);
  fs::remove(out);
  return outcome;
}

// The box has no account anywhere.
inline std::optional<git::Credential> nobody(const explorer::Origin&) { return std::nullopt; }

class ExplorerTest : public testing::Test {
 protected:
  // What git says when it must succeed.
  std::string git(const fs::path& folder, std::vector<std::string> arguments, const std::string& input = {}) const {
    auto outcome = run_git(folder, std::move(arguments), input);
    if (outcome.code != 0) throw std::runtime_error(outcome.out);
    return std::move(outcome.out);
  }
  std::string git(std::vector<std::string> arguments) const { return git(root, std::move(arguments)); }

  // A repository at `root` with one commit.
  void make_repository() {
    git({"init", "-q"});
    put(root / "a.txt", "one\ntwo\nthree\n");
    put(root / "folder/b.txt", "b\n");
    commit("First");
  }
  void commit(const std::string& message) {
    git({"add", "-A"});
    git({"commit", "-q", "--allow-empty", "-m", message});
  }
  // As if nothing had been touched for an hour: git's index then vouches for every file that is as it was. No second is
  // given twice: git compares whole ones, and would take what was put between two calls for what it knows.
  void settle() {
    settled_ += std::chrono::seconds(1);
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const bool is_gits = entry.path().string().find("/.git/") != std::string::npos;
      if (entry.is_regular_file() && !entry.is_symlink() && !is_gits) {
        fs::last_write_time(entry, settled_);
      }
    }
    run_git(root, {"update-index", "-q", "--refresh"});
  }
  fs::path make_bare(const std::string& name) {
    const auto path = scratch.path() / name;
    fs::create_directories(path);
    git(path, {"init", "-q", "--bare"});
    return path;
  }

  explorer::Repositories repositories(std::chrono::milliseconds remote_time = std::chrono::seconds(30),
                                      explorer::FindCredential find_credential = nobody) const {
    return {{.name = "The Box", .email = "box@example.org"}, std::move(find_credential), remote_time};
  }

  explorer::Status status(const explorer::Place& where) const {
    const auto found = repositories().status(where);
    if (!found) throw std::runtime_error(found.error().message);
    return found->value();
  }
  explorer::Status status() const { return status(place); }
  static std::vector<std::string> lines(const explorer::Status& status) {
    std::vector<std::string> lines;
    for (const auto& change : status.changes.list) {
      lines.push_back(std::string{change.index, change.files, ' '} + change.path);
    }
    return lines;
  }
  // As git status --porcelain has it; of a rename or a copy the new name alone.
  std::vector<std::string> lines_of_git(const fs::path& folder) const {
    const auto out = git(folder, {"status", "--porcelain", "-z"});
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < out.size();) {
      const auto line = out.substr(at, out.find('\0', at) - at);
      at += line.size() + 1;
      if (line[0] == 'R' || line[0] == 'C') at = out.find('\0', at) + 1;
      lines.push_back(line);
    }
    return lines;
  }
  void expect_as_git() const {
    const auto ours = lines(status());  // before git has had a look, which may mend its index
    EXPECT_THAT(ours, testing::ElementsAreArray(lines_of_git(root)));
  }

  test_support::TemporaryFolder scratch;
  fs::path root = [this] {
    const auto path = scratch.path() / "owner" / "root";
    fs::create_directories(path);
    return path;
  }();
  explorer::Place place{.folder = root};
  explorer::Place workspace{.folder = root, .is_workspace = true};

 private:
  fs::file_time_type settled_ = fs::file_time_type::clock::now() - std::chrono::hours(1);
};

}  // namespace explorer_tests
