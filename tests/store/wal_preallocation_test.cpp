// Preallocated zeros never overwrite what is appended to a log, in any order.
#include "store/rocks/wal_preallocation.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "tests/store/fixture.h"
#include "tests/store/writer.h"

namespace store_test {
namespace wal_preallocation_test {

namespace fs = std::filesystem;

class WalPreallocationTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.path());
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(file_, 0);
    space_ = std::make_shared<store::WalPreallocation>(path_);
    if (!space_->is_short()) GTEST_SKIP() << "this file system does not write in place";
    space_->fill();
  }
  void TearDown() override { ::close(file_); }

  void append(const std::string& bytes) {
    space_->claim(bytes.size());
    ASSERT_EQ(write(file_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    space_->appended();
    written_ += bytes;
  }

  Folder folder_;
  const std::string path_ = (folder_.path() / "000001.log").string();
  int file_ = -1;
  std::shared_ptr<store::WalPreallocation> space_;
  std::string written_;
};

TEST_F(WalPreallocationTest, IsZerosBehindTheEndAndGivenBack) {
  append("first");
  EXPECT_GT(fs::file_size(path_), 100'000u);
  EXPECT_EQ(written_to(path_), written_);
  space_->close();
  EXPECT_EQ(fs::file_size(path_), written_.size());
}

TEST_F(WalPreallocationTest, KnowsWhereTheLogEnds) {
  EXPECT_EQ(space_->end(), 0u);
  append("first");
  space_->claim(100);
  EXPECT_EQ(space_->end(), 5u) << "what is not there yet does not count";
  space_->close();
  EXPECT_EQ(space_->end(), std::nullopt);
}

TEST_F(WalPreallocationTest, IsAskedForOnceUntilThereIsEnough) {
  for (int pieces = 0; space_->is_short(); ++pieces) {
    ASSERT_LT(pieces, 10);
    EXPECT_FALSE(space_->is_short());
    space_->fill();
  }
  append(std::string(2u << 20, 'x'));
  EXPECT_TRUE(space_->is_short());
  space_->close();
  space_->fill();
  EXPECT_EQ(fs::file_size(path_), written_.size()) << "none is made for a closed one";
}

TEST_F(WalPreallocationTest, IsNoLongerMadeForALogThatAnotherFollows) {
  append(std::string(1u << 20, 'x'));
  ASSERT_TRUE(space_->is_short());
  space_->stop_filling();
  const auto size = fs::file_size(path_);
  space_->fill();
  EXPECT_EQ(fs::file_size(path_), size) << "though it was asked for before";
  EXPECT_FALSE(space_->is_short());
  append("and yet");
  EXPECT_EQ(written_to(path_), written_);
  space_->close();
  EXPECT_EQ(fs::file_size(path_), written_.size());
}

TEST_F(WalPreallocationTest, NeverCoversWhatIsWritten) {
  std::atomic<bool> going = true;
  std::jthread filler([&] {
    while (going)
      if (space_->is_short()) space_->fill();
  });
  std::mt19937 random(4);
  while (written_.size() < (24u << 20)) {
    const auto size = 1 + random() % (random() % 20 == 0 ? 700'000 : 9'000);
    append(std::string(size, static_cast<char>('a' + random() % 26)));
  }
  going = false;
  filler.join();
  EXPECT_TRUE(written_to(path_) == written_);
  space_->close();
  EXPECT_EQ(fs::file_size(path_), written_.size());
}

TEST_F(WalPreallocationTest, IsMadeByTheFillerUnlessItsLogIsGone) {
  store::LogFiller filler;
  append(std::string(1u << 20, 'x'));
  ASSERT_TRUE(space_->is_short());
  filler.fill(space_);
  while (fs::file_size(path_) < (2u << 20)) std::this_thread::yield();
  filler.fill(std::make_shared<store::WalPreallocation>(path_));  // gone at once
  EXPECT_EQ(written_to(path_), written_);
}

}  // namespace wal_preallocation_test
}  // namespace store_test
