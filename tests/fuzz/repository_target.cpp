#include "tests/fuzz/repository_target.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "appliance/files/explorer/git/repository.h"
#include "appliance/files/explorer/repositories.h"
#include "tests/fuzz/files.h"
#include "tests/fuzz/require.h"
#include "tests/support/temporary_folder.h"

namespace fuzz {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 12> git_files{"config",
                                                "HEAD",
                                                "index",
                                                "packed-refs",
                                                "objects/info/alternates",
                                                "commondir",
                                                "refs/heads/main",
                                                "info/exclude",
                                                "info/attributes",
                                                "shallow",
                                                "MERGE_HEAD",
                                                "../.gitattributes"};

// A folder of this process with a repository of one commit, beside a folder with a secret.
class FuzzedRepository {
 public:
  FuzzedRepository() {
    put(folder_ / "secret", secret);
    put(master() / "a", "one\n");
    git::open_or_make(master());
    static_cast<void>(box.sync({.folder = master()}, "First"));
  }
  FuzzedRepository(const FuzzedRepository&) = delete;

  void make(const char* file, std::string_view content) const {
    fs::remove_all(root());
    fs::copy(master(), root(), fs::copy_options::recursive);
    put(root() / ".git" / file, content);
    put(root() / "b", "two\n");
  }
  void check(const std::string& answer) const {
    require(answer.find(secret) == std::string::npos, "nothing from outside is answered");
    require(content_of(folder_ / "secret") == secret, "nothing outside is changed");
  }

  fs::path root() const { return folder_ / "root"; }
  explorer::Repositories box{{.name = "Fuzz", .email = "fuzz@example.org"},
                             [](const explorer::Origin&) { return std::optional<git::Credential>(); },
                             std::chrono::milliseconds(1)};

 private:
  fs::path master() const { return folder_ / "master"; }

  test_support::TemporaryFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

}  // namespace

void repository(std::string_view bytes) {
  static FuzzedRepository ground;
  if (bytes.empty()) return;
  ground.make(git_files[static_cast<unsigned char>(bytes.front()) % git_files.size()], bytes.substr(1));
  const explorer::Place place{.folder = ground.root(), .is_workspace = true};
  std::string answer;
  const auto add = [&answer](const auto& result, auto text) {
    answer += result ? text(*result) : result.error().message;
  };
  add(ground.box.status(place), [](const std::optional<explorer::Status>& status) {
    std::string text = status ? status->branch + status->remote.value_or("") : "";
    if (status)
      for (const auto& change : status->changes.list) text += change.path;
    return text;
  });
  add(ground.box.diff(place, ""), [](const explorer::Diffs& diffs) { return diffs.unstaged + diffs.staged; });
  add(ground.box.log(place, 20), [](const std::vector<git::Commit>& commits) {
    std::string text;
    for (const auto& commit : commits) text += commit.subject + commit.author;
    return text;
  });
  const auto show = [](const git::ShownCommit& shown) {
    return shown.message + shown.patch + shown.content.value_or("");
  };
  add(ground.box.show(place, "HEAD", ""), show);
  add(ground.box.show(place, "main", "secret"), show);
  // A remote's host would be looked up.
  const auto status = ground.box.status(place);
  if (status && *status && !(*status)->remote)
    add(ground.box.sync(place, "Take it all"), [](const explorer::SyncResult& synced) { return synced.message; });
  add(ground.box.show(place, "HEAD", "a"), show);
  ground.check(answer);
}

}  // namespace fuzz
