#include "appliance/without_paths.h"

#include <gtest/gtest.h>

namespace {

using agentbox::without_paths;

TEST(WithoutPaths, TellsTheCauseAndNoPlace) {
  EXPECT_EQ(without_paths("The store is read-only since a write failed (IO error: No space left on device: While "
                          "appending to file: /srv/box/store/000089.log: No space left on device). Free disk space."),
            "The store is read-only since a write failed (IO error: No space left on device: While appending to file: "
            "a file: No space left on device). Free disk space.");
  EXPECT_EQ(without_paths("while open (/srv/a) and \"data/store/1.sst\"."), "while open (a file) and \"a file\".");
  EXPECT_EQ(without_paths("fsync /srv/my box/store/000089.log: failed"), "fsync a file: failed");
  EXPECT_EQ(without_paths("/srv/box/store"), "a file");
  EXPECT_EQ(without_paths("The box is shutting down."), "The box is shutting down.");
  EXPECT_EQ(without_paths(""), "");
}

}  // namespace
