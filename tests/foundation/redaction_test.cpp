#include "appliance/foundation/redaction.h"

#include <gtest/gtest.h>

namespace redaction_test {

using agentbox::redact_paths;
using agentbox::redact_secret;

TEST(RedactSecret, EndsIfTheSecretIsAPartOfTheMark) {
  for (const std::string secret : {"key", "k", "[", "]", "[key]", "ey]", "e"}) {
    const auto redacted = redact_secret("Incorrect key " + secret + " provided", secret, "[key]");
    EXPECT_NE(redacted.find("[key]"), std::string::npos) << secret;
  }
  EXPECT_EQ(redact_secret("key key", "key", "[key]"), "[key] [key]");
  EXPECT_EQ(redact_secret("aaaa", "aa", "a"), "aa");
}

TEST(RedactSecret, ReplacesEveryOccurrenceAndNothingElse) {
  EXPECT_EQ(redact_secret("sk-1: wrong sk-1.", "sk-1", "[key]"), "[key]: wrong [key].");
  EXPECT_EQ(redact_secret("sk-1", "sk-12", "[key]"), "sk-1");
  EXPECT_EQ(redact_secret("text", "", "[key]"), "text");
  EXPECT_EQ(redact_secret("", "key", "[key]"), "");
}

TEST(RedactPaths, KeepsTheCauseAndDropsThePath) {
  EXPECT_EQ(redact_paths("The store is read-only since a write failed (IO error: No space left on device: While "
                         "appending to file: /srv/box/store/000089.log: No space left on device). Free disk space."),
            "The store is read-only since a write failed (IO error: No space left on device: While appending to file: "
            "a file: No space left on device). Free disk space.");
  EXPECT_EQ(redact_paths("while open (/srv/a) and \"data/store/1.sst\"."), "while open (a file) and \"a file\".");
  EXPECT_EQ(redact_paths("fsync /srv/my box/store/000089.log: failed"), "fsync a file: failed");
  EXPECT_EQ(redact_paths("/srv/box/store"), "a file");
  EXPECT_EQ(redact_paths("The box is shutting down."), "The box is shutting down.");
  EXPECT_EQ(redact_paths(""), "");
}

TEST(RedactPaths, LeavesNamesOfImages) {
  for (const std::string name :
       {"ghcr.io/example/browser:1.2", "localhost/browser:latest", "registry:5000/a/b@sha256:0a1b"})
    EXPECT_EQ(redact_paths("The image \"" + name + "\" is not here."), "The image \"" + name + "\" is not here.");
  EXPECT_EQ(redact_paths("fsync data/my.box/store: failed"), "fsync a file: failed");
  EXPECT_EQ(redact_paths("/srv/a.io/b:1 is gone"), "a file is gone");
}

}  // namespace redaction_test
