// RocksDB's logs: in which order they go, how long they are while they are written to, and which have room made.
#include "store/rocks/rocks_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/store/fixture.h"

namespace store_test {
namespace rocks_files_test {

namespace fs = std::filesystem;

TEST(StoreFiles, ALogGoesAfterThoseBeforeIt) {
  Folder folder;
  fs::create_directories(folder.path());
  for (const auto* name : {"000003.log", "000007.log", "000010.log", "000005.sst", "LOG", "x.log"})
    std::ofstream(folder.path() / name) << name;
  store::StoreFiles files(false);
  const auto forget = [&](const char* name) {
    return files.DeleteFile((folder.path() / name).string(), rocksdb::IOOptions(), nullptr);
  };
  EXPECT_TRUE(forget("000007.log").ok());
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder.path())) left.push_back(entry.path().filename().string());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"000005.sst", "000010.log", "LOG", "x.log"}));
  EXPECT_FALSE(forget("000003.log").ok()) << "as for every file that is gone";
  EXPECT_TRUE(forget("000005.sst").ok());
  EXPECT_TRUE(fs::exists(folder.path() / "000010.log"));
}

// RocksDB's backup reads what a log begins with, and copies it as far as its size then says; all of it, should that be
// none.
TEST(StoreFiles, ALogIsAsLongAsWhatIsInItAndNeverEmpty) {
  Folder folder;
  fs::create_directories(folder.path());
  store::StoreFiles files(false);
  const auto open = [&](const char* name) {
    std::unique_ptr<rocksdb::FSWritableFile> log;
    EXPECT_TRUE(files.NewWritableFile((folder.path() / name).string(), {}, &log, nullptr).ok());
    return log;
  };
  const auto append = [](rocksdb::FSWritableFile& log, std::size_t bytes) {
    EXPECT_TRUE(log.Append(std::string(bytes, 'x'), rocksdb::IOOptions(), nullptr).ok());
    EXPECT_TRUE(log.Sync(rocksdb::IOOptions(), nullptr).ok());
  };
  const auto size_of = [&](const char* name) {
    std::uint64_t size = 0;
    EXPECT_TRUE(files.GetFileSize((folder.path() / name).string(), {}, &size, nullptr).ok());
    return size;
  };
  const auto older = open("000001.log");
  if (append(*older, 0); size_of("000001.log") == 0) GTEST_SKIP() << "this file system does not write in place";
  EXPECT_EQ(size_of("000001.log"), 1u);
  append(*older, 5);
  EXPECT_EQ(size_of("000001.log"), 5u);

  const auto newer = open("000002.log");
  append(*newer, 7);
  while (fs::file_size(folder.path() / "000002.log") < 100'000) std::this_thread::yield();
  EXPECT_EQ(size_of("000002.log"), 7u);
  EXPECT_TRUE(newer->Close(rocksdb::IOOptions(), nullptr).ok());
  EXPECT_TRUE(older->Close(rocksdb::IOOptions(), nullptr).ok());
  EXPECT_EQ(fs::file_size(folder.path() / "000001.log"), 5u);
  EXPECT_EQ(fs::file_size(folder.path() / "000002.log"), 7u);
}

}  // namespace rocks_files_test
}  // namespace store_test
