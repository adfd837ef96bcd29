// The file explorer's files: what a tree shows, what is read, what a write leaves behind.
#include "appliance/files/explorer/browse.h"

#include <sys/resource.h>

#include <csignal>

#include "tests/files/explorer_fixture.h"

namespace explorer_browse_test {

using namespace explorer_tests;
using explorer::read;
using explorer::tree;
using explorer::write;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Browse : public ExplorerTest {
 protected:
  static std::vector<std::string> names(const std::vector<explorer::Node>& nodes) {
    std::vector<std::string> result;
    for (const auto& node : nodes) result.push_back(node.name);
    return result;
  }
  mode_t mode_of(const std::string& name) const {
    struct stat info {};
    EXPECT_EQ(::stat((root / name).c_str(), &info), 0);
    return info.st_mode & 07777;
  }
};

TEST_F(Browse, ATreeShowsFoldersFirstAndNamesWithoutRegardToCase) {
  for (const auto* name : {"b.txt", "A.txt", "a.txt", "Z.txt", "zoo/x", "Apple/x", "apple/x"}) put(root / name, "");
  const auto whole = tree(place, "", 3);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->root.name, "root");
  EXPECT_EQ(whole->root.path, "");
  EXPECT_THAT(names(*whole->root.children), ElementsAre("Apple", "apple", "zoo", "A.txt", "a.txt", "b.txt", "Z.txt"));
  EXPECT_EQ(whole->root.children->at(2).children->at(0).path, "zoo/x");
  EXPECT_FALSE(whole->root.children->back().children) << "a file has none";
}

TEST_F(Browse, ATreeHasTheRequestedDepth) {
  put(root / "1/2/3/4/file", "");
  const auto shallow = tree(place, "", 2);
  const auto& first = shallow->root.children->at(0);
  EXPECT_EQ(first.path, "1");
  ASSERT_TRUE(first.children);
  EXPECT_EQ(first.children->at(0).path, "1/2");
  EXPECT_FALSE(first.children->at(0).children) << "not looked into";
  EXPECT_THAT(*tree(place, "1/2/3", 1)->root.children, SizeIs(1));
  EXPECT_EQ(tree(place, "absent", 1).error().kind, web::Kind::not_found);
}

TEST_F(Browse, ATreeOmitsBuildOutputDependenciesAndSpecialFiles) {
  for (const auto* name : {"node_modules/x", ".git/config", ".next/x", "dist/x", "build/x", ".cache/x", "__pycache__/x",
                           "src/dist/x", "distance/x", "kept"}) {
    put(root / name, "");
  }
  fs::create_symlink("/etc/passwd", root / "link");
  fs::create_directory_symlink("/etc", root / "folder link");
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  put(root / "caf\xe9", "");
  const auto whole = tree(place, "", 3);
  EXPECT_THAT(names(*whole->root.children), ElementsAre("distance", "src", "kept"));
  EXPECT_THAT(*whole->root.children->at(1).children, SizeIs(0));
}

TEST_F(Browse, ATreeOfTooManyFilesIsCut) {
  fs::create_directories(root / "many");
  for (std::size_t i = 0; i <= explorer::max_nodes; ++i) std::ofstream(root / "many" / std::to_string(i));
  const auto whole = tree(place, "", 4);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->is_truncated);
  EXPECT_THAT(*whole->root.children->at(0).children, SizeIs(explorer::max_nodes - 1)) << "the folder counts too";
}

TEST_F(Browse, ReadsTextAsItIs) {
  const std::string text = "Gr\u00fc\u00dfe \u001b[0m\f\r\n\ttab \U0001F600\n";
  put(root / "notes/today.txt", text);
  const auto file = read(place, "./notes//today.txt");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->content, text);
  EXPECT_EQ(file->path, "notes/today.txt");
  const auto age = std::chrono::system_clock::now() - file->modified;
  EXPECT_LT(std::chrono::abs(age), std::chrono::hours(1));
}

TEST_F(Browse, ReadsNothingButTextOfAtMostOneMegabyte) {
  put(root / "full", std::string(explorer::max_file_bytes, 'x'));
  put(root / "over", std::string(explorer::max_file_bytes + 1, 'x'));
  put(root / "image", "\x89PNG\r\n\x1a\n");
  put(root / "nul", std::string("a\0b", 3));
  fs::create_directory(root / "folder");
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(read(place, "full"));
  EXPECT_THAT(read(place, "over").error().message, HasSubstr("1 MB"));
  EXPECT_THAT(read(place, "image").error().message, HasSubstr("not UTF-8 text"));
  EXPECT_THAT(read(place, "nul").error().message, HasSubstr("not UTF-8 text"));
  for (const auto* name : {"over", "image", "nul", "folder", "pipe", ""}) {
    EXPECT_EQ(read(place, name).error().kind, web::Kind::invalid) << name;
  }
  EXPECT_EQ(read(place, "absent").error().kind, web::Kind::not_found);
}

TEST_F(Browse, AWriteReplacesTheWholeFileAndKeepsItsMode) {
  put(root / "run.sh", "a long old content");
  fs::permissions(root / "run.sh", fs::perms(0750));
  EXPECT_EQ(*write(place, "./run.sh", "new"), "run.sh");
  EXPECT_EQ(content_of(root / "run.sh"), "new");
  EXPECT_EQ(mode_of("run.sh"), 0750u);
  put(root / "setuid", "x");
  fs::permissions(root / "setuid", fs::perms(04755));
  ASSERT_TRUE(write(place, "setuid", "y"));
  EXPECT_EQ(mode_of("setuid"), 0755u) << "nobody gets rights from what somebody else wrote";
}

TEST_F(Browse, AWriteCreatesFoldersAndLeavesNoTemporaryFile) {
  ASSERT_TRUE(write(place, "deep/er/new.txt", "x"));
  EXPECT_EQ(content_of(root / "deep/er/new.txt"), "x");
  EXPECT_EQ(std::distance(fs::directory_iterator(root / "deep/er"), fs::directory_iterator()), 1);
  for (const auto* name : {"", ".", "/", "deep", "deep/", "deep/er/new.txt/below"}) {
    EXPECT_EQ(write(place, name, "x").error().kind, web::Kind::invalid) << name;
  }
  EXPECT_EQ(write(place, "big", std::string(explorer::max_file_bytes + 1, 'x')).error().kind, web::Kind::invalid);
}

TEST_F(Browse, AFailedWriteKeepsTheOldFileAndLeavesNoTemporaryFile) {
  put(root / "file", "old");
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = write(place, "file", "more than ten bytes");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(written.error().kind, web::Kind::internal);
  EXPECT_EQ(content_of(root / "file"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(root), fs::directory_iterator()), 1);
}

TEST_F(Browse, FilesWrittenByRootBelongToTheOwnerOfTheFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t agent = 54'321;
  fs::create_directory(root / "agents");
  ASSERT_EQ(::chown((root / "agents").c_str(), agent, agent), 0);
  ASSERT_TRUE(write(place, "agents/new/file", "x"));
  for (const auto* name : {"agents/new", "agents/new/file"}) {
    struct stat info {};
    ASSERT_EQ(::stat((root / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, agent) << name;
    EXPECT_EQ(info.st_gid, agent) << name;
  }
}

TEST_F(Browse, ReadersSeeTheOldFileOrTheNewOne) {
  const std::string old_text(100'000, 'o'), new_text(100'000, 'n');
  ASSERT_TRUE(write(place, "file", old_text));
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) static_cast<void>(write(place, "file", i % 2 == 0 ? new_text : old_text));
    is_done = true;
  });
  std::size_t torn = 0;
  do {
    const auto file = read(place, "file");
    if (!file || (file->content != old_text && file->content != new_text)) ++torn;
  } while (!is_done);
  writer.join();
  EXPECT_EQ(torn, 0u);
}

}  // namespace explorer_browse_test
