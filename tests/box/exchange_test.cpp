// A command takes from the exchange only what the box has written there, and reaches nothing through links.
#include "appliance/box/cli/exchange.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temporary_folder.h"

namespace exchange_test {

namespace fs = std::filesystem;
using agentbox::DataFolder;
using agentbox::UsageError;
using agentbox::cli::Exchange;

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ExchangeTest : public testing::Test {
 protected:
  const test_support::TemporaryFolder place;
  const DataFolder data{place.path() / "data"};
  const fs::path elsewhere = place.path() / "elsewhere";

  void SetUp() override {
    fs::create_directories(data.path());
    fs::create_directories(elsewhere);
    write(elsewhere / "secret", "of root");
  }
  fs::perms mode_of(const fs::path& path) const { return fs::status(path).permissions(); }
};

TEST_F(ExchangeTest, CarriesFilesBothWaysAndLeavesNothing) {
  write(place.path() / "asked", "a question");
  {
    const Exchange exchange(data);
    EXPECT_EQ(read(exchange.lend(place.path() / "asked")), "a question");
    write(exchange.file("answer"), "an answer");
    exchange.take("answer", place.path() / "taken");
  }
  EXPECT_EQ(read(place.path() / "taken"), "an answer");
  EXPECT_EQ(mode_of(place.path() / "taken"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(fs::is_empty(data.path()));
}

TEST_F(ExchangeTest, IsRefusedWhereTheFolderIsALink) {
  const auto before = mode_of(elsewhere);
  fs::permissions(elsewhere, fs::perms::all);
  fs::create_directory_symlink(elsewhere, data.path() / "exchange");
  EXPECT_THROW(const Exchange exchange(data), UsageError);
  EXPECT_EQ(mode_of(elsewhere), fs::perms::all);
  fs::permissions(elsewhere, before);
}

TEST_F(ExchangeTest, TakesNoLinkAndNoPipe) {
  const Exchange exchange(data);
  fs::create_symlink(elsewhere / "secret", exchange.file("link"));
  ASSERT_EQ(::mkfifo(exchange.file("pipe").c_str(), 0600), 0);
  fs::create_directory_symlink(elsewhere, exchange.file("store"));
  for (const std::string name : {"link", "pipe", "store", "nothing"})
    EXPECT_THROW(exchange.take(name, place.path() / "taken"), UsageError) << name;
  EXPECT_THROW(exchange.open_folder("store"), UsageError);
  EXPECT_FALSE(fs::exists(place.path() / "taken") || fs::exists(place.path() / "taken.part"));
}

TEST_F(ExchangeTest, RemovesWhatKilledCommandsHaveLeftAndNothingElse) {
  const auto all = data.path() / "exchange";
  fs::create_directories(all / "0123456789abcdef" / "store");
  write(all / "0123456789abcdef" / "store" / "CURRENT", "a copy");
  const Exchange living(data);
  write(living.file("answer"), "an answer");
  const Exchange second(data);
  EXPECT_FALSE(fs::exists(all / "0123456789abcdef"));
  EXPECT_EQ(read(living.file("answer")), "an answer");
}

}  // namespace exchange_test
