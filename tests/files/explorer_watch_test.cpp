// Whatever happens in a folder is told once, in order, and never more than the bounds.
#include <poll.h>

#include "appliance/files/explorer/watch.h"
#include "tests/files/explorer_fixture.h"

namespace explorer_watch_test {

using namespace explorer_tests;
using explorer::Changes;
using explorer::Watch;
using testing::ElementsAre;
using testing::IsEmpty;

class ExplorerWatch : public ExplorerTest {
 protected:
  Watch open(const std::string& path = "", Watch::Limits limits = {}) const {
    auto watch = Watch::open(place, path, limits);
    if (!watch) throw std::runtime_error(watch.error().message);
    return std::move(*watch);
  }
  static std::vector<std::string> events_of(const Changes& changes) {
    std::vector<std::string> lines;
    for (const auto& change : changes.list) {
      const std::string kind = boost::describe::enum_to_string(change.kind, "?");
      lines.push_back(kind + " " + (change.from.empty() ? "" : change.from + " -> ") + change.path +
                      (change.is_folder ? "/" : ""));
    }
    return lines;
  }
  static bool is_readable(const Watch& watch) {
    pollfd wanted{.fd = watch.descriptor(), .events = POLLIN, .revents = 0};
    return ::poll(&wanted, 1, 0) == 1;
  }
};

TEST_F(ExplorerWatch, ReportsEventsInOrder) {
  put(root / "old.txt", "old");
  put(root / "sub/deep/x.txt", "x");
  auto watch = open();
  EXPECT_EQ(watch.folders(), 3u);
  EXPECT_FALSE(is_readable(watch));
  put(root / "old.txt", "newer");
  put(root / "new.txt", "new");
  fs::remove(root / "old.txt");
  fs::rename(root / "new.txt", root / "sub/deep/new.txt");
  EXPECT_TRUE(is_readable(watch));
  EXPECT_THAT(events_of(watch.take()), ElementsAre("changed old.txt", "created new.txt", "deleted old.txt",
                                                   "moved new.txt -> sub/deep/new.txt"));
  EXPECT_THAT(events_of(watch.take()), IsEmpty());
}

TEST_F(ExplorerWatch, WatchesNewFolders) {
  auto watch = open();
  put(root / "a/b/c.txt", "c");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("created a/", "created a/b/", "created a/b/c.txt"));
  EXPECT_EQ(watch.folders(), 3u);
  put(root / "a/b/c.txt", "d");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("changed a/b/c.txt"));

  put(scratch.path() / "elsewhere/inner/y.txt", "y");
  fs::rename(scratch.path() / "elsewhere", root / "arrived");
  EXPECT_THAT(events_of(watch.take()),
              ElementsAre("created arrived/", "created arrived/inner/", "created arrived/inner/y.txt"));
}

TEST_F(ExplorerWatch, FollowsMovedFolders) {
  put(root / "a/b/c.txt", "c");
  auto watch = open();
  fs::rename(root / "a", root / "z");
  put(root / "z/b/c.txt", "d");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("moved a -> z/", "changed z/b/c.txt"));
  put(root / "z/b/e.txt", "");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("created z/b/e.txt"));

  fs::rename(root / "z", scratch.path() / "away");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("deleted z/"));
  EXPECT_EQ(watch.folders(), 1u);
  put(scratch.path() / "away/b/unseen.txt", "");
  EXPECT_THAT(events_of(watch.take()), IsEmpty());
}

TEST_F(ExplorerWatch, DoesNotReportHiddenFiles) {
  put(root / ".git/config", "");
  put(root / "node_modules/x/y.js", "");
  auto watch = open();
  EXPECT_EQ(watch.folders(), 1u);
  put(root / ".git/config", "changed");
  put(root / "node_modules/new.js", "");
  put(root / "build/out", "");
  EXPECT_THAT(events_of(watch.take()), IsEmpty());
  // The explorer's own writing: a temporary file that takes the place of the old one.
  ASSERT_TRUE(explorer::write(place, "a.txt", "one"));
  ASSERT_TRUE(explorer::write(place, "b.txt", "one"));
  ASSERT_TRUE(explorer::write(place, "a.txt", "two"));
  EXPECT_THAT(events_of(watch.take()), ElementsAre("created a.txt", "created b.txt", "changed a.txt"));
}

// As editors save: what was written elsewhere is moved to its name.
TEST_F(ExplorerWatch, AFileMovedInIsNewUnlessItReplacesAnother) {
  put(root / "old.txt", "");
  put(root / "folder/old.txt", "");
  auto watch = open();
  const auto arrives = [this](const fs::path& name) {
    put(scratch.path() / "saved", "x");
    fs::rename(scratch.path() / "saved", root / name);
  };
  arrives("old.txt");
  arrives("new.txt");
  arrives("old.txt");
  arrives("new.txt");
  fs::remove(root / "old.txt");
  arrives("old.txt");
  fs::rename(root / "new.txt", root / "other.txt");
  arrives("new.txt");
  arrives("other.txt");
  EXPECT_THAT(events_of(watch.take()),
              ElementsAre("changed old.txt", "created new.txt", "changed old.txt", "changed new.txt", "deleted old.txt",
                          "created old.txt", "moved new.txt -> other.txt", "created new.txt", "changed other.txt"));

  fs::rename(root / "folder", root / "moved");
  arrives("moved/old.txt");
  arrives("moved/new.txt");
  put(root / "fresh/inner.txt", "");
  EXPECT_THAT(events_of(watch.take()),
              ElementsAre("moved folder -> moved/", "changed moved/old.txt", "created moved/new.txt", "created fresh/",
                          "created fresh/inner.txt"));
  arrives("fresh/inner.txt");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("changed fresh/inner.txt"));
}

TEST_F(ExplorerWatch, AfterForgettingNamesNoExistingFileIsReportedAsNew) {
  for (int i = 0; i < 10; ++i) put(root / ("f" + std::to_string(i)), "");
  auto watch = open("", {.names = 5});
  for (const auto* name : {"f0", "f9", "new.txt"}) {
    put(scratch.path() / "saved", "x");
    fs::rename(scratch.path() / "saved", root / name);
  }
  put(root / "made here", "");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("changed f0", "changed f9", "changed new.txt", "created made here"));
}

TEST_F(ExplorerWatch, ReportsOneFolderOnly) {
  put(root / "in/x.txt", "");
  put(root / "beside/x.txt", "");
  auto watch = open("in");
  put(root / "beside/x.txt", "b");
  put(root / "in/x.txt", "i");
  EXPECT_THAT(events_of(watch.take()), ElementsAre("changed in/x.txt"));
  fs::remove_all(root / "in");
  EXPECT_TRUE(watch.take().is_gone);
}

TEST_F(ExplorerWatch, ExceededLimitsAreReported) {
  for (int i = 0; i < 10; ++i) fs::create_directory(root / ("d" + std::to_string(i)));
  auto few = open("", {.folders = 4});
  EXPECT_EQ(few.folders(), 4u);
  EXPECT_TRUE(few.is_partial());

  auto short_of_breath = open("", {.changes = 5});
  EXPECT_FALSE(short_of_breath.is_partial());
  for (int i = 0; i < 20; ++i) put(root / ("f" + std::to_string(i)), "");
  const auto changes = short_of_breath.take();
  EXPECT_EQ(changes.list.size(), 5u);
  EXPECT_TRUE(changes.is_lossy);
}

// More than the kernel keeps for one that does not read: it says so, and afterwards sees new folders again.
TEST_F(ExplorerWatch, AnOverflowIsReportedAndRecovered) {
  std::size_t kept = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> kept;
  ASSERT_GT(kept, 0u);
  if (kept > 100'000) GTEST_SKIP() << "this kernel keeps " << kept << " events";
  auto watch = open();
  const auto one = root / "one", other = root / "other";
  put(one, "");
  for (std::size_t i = 0; i <= kept / 2; ++i) {
    fs::rename(one, other);
    fs::rename(other, one);
  }
  fs::create_directory(root / "missed");
  const auto changes = watch.take();
  EXPECT_TRUE(changes.is_lossy);
  while (is_readable(watch)) static_cast<void>(watch.take());
  put(root / "missed/file.txt", "");
  EXPECT_THAT(events_of(watch.take()), testing::Contains("created missed/file.txt"));
}

TEST_F(ExplorerWatch, RefusesInvalidPaths) {
  fs::create_directory_symlink("..", root / "up");
  put(root / "file", "");
  for (const auto* path : {"..", "/etc", "up", ".git", "file"}) {
    EXPECT_EQ(Watch::open(place, path, {}).error().kind, web::Kind::invalid) << path;
  }
  EXPECT_EQ(Watch::open(place, "absent", {}).error().kind, web::Kind::not_found);
}

}  // namespace explorer_watch_test
