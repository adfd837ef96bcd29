// In which order RocksDB's logs go.
#include "store/rocks_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/store/fixture.h"

namespace store_test {
namespace {

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

}  // namespace
}  // namespace store_test
