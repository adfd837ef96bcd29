// What is extracted from a pack stays in its folder, whatever another program does there meanwhile.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "appliance/box/packing/archive_reader.h"
#include "appliance/box/packing/archive_writer.h"
#include "appliance/box/packing/tree.h"
#include "appliance/foundation/settings/settings.h"
#include "tests/support/temporary_folder.h"

namespace extraction_test {

namespace fs = std::filesystem;
using namespace packing;

TEST(Extraction, FollowsNoLinkThatWasPutInThePlaceOfAFolder) {
  const test_support::TemporaryFolder place;
  const auto pack = place.path() / "pack", to = place.path() / "to", outside = place.path() / "outside";
  for (const auto& folder : {to, outside}) fs::create_directory(folder);
  std::ofstream(outside / "shadow") << "secrets";
  fs::permissions(outside / "shadow", fs::perms::owner_read);
  fs::permissions(outside, fs::perms::owner_all);
  {
    ArchiveWriter archive(pack);
    archive.add({.path = "workspace/file", .type = EntryType::folder, .mode = 0777, .target = {}});
    archive.add({.path = "workspace/folder", .type = EntryType::folder, .mode = 0777, .target = {}});
    archive.finish();
  }
  fs::create_directory(to / "workspace");
  fs::create_symlink(outside / "shadow", to / "workspace" / "file");
  fs::create_directory_symlink(outside, to / "workspace" / "folder");
  ArchiveReader archive(pack);
  Extraction extraction(to);
  for (int folder = 0; folder < 2; ++folder) {
    const auto entry = archive.next();
    ASSERT_TRUE(entry);
    EXPECT_THROW(extraction.write(*entry, entry->path, archive), agentbox::UsageError) << entry->path;
  }
  EXPECT_EQ(fs::status(outside / "shadow").permissions(), fs::perms::owner_read);
  EXPECT_EQ(fs::status(outside).permissions(), fs::perms::owner_all);
}

}  // namespace extraction_test
