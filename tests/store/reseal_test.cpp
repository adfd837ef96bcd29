// Moving a store to another master key.
#include <gmock/gmock.h>

#include "store/default_engine.h"
#include "store/reseal.h"
#include "store/table_register.h"
#include "tests/store/fixture.h"

namespace reseal_test {

using namespace store_test;
using testing::HasSubstr;

constexpr const char* sealed_by_version_1 = "s1:AAECAwQFBgcICQoLCbyaT3apfS3oBF9CJ/fYgFE6/bfNuw==";

const std::string other_key(32, 'n');

store::Options under(const Folder& folder, const std::string& key) {
  auto wanted = options(folder.path());
  wanted.master_key = key;
  return wanted;
}

void write_secrets(const Folder& folder, int count) {
  const auto store = store::Store::open(options(folder.path()));
  for (int at = 0; at < count; ++at) {
    auto change = store->system().change();
    const auto id = std::to_string(at);
    // One without a secret, and one whose title looks like one.
    change.insert(notes, {.owner = 1,
                          .id = id,
                          .title = at == 1 ? "s2:bm90IHNlYWxlZCBhdCBhbGwsIGJ1dCBsb25nIGVub3VnaA==" : "title " + id,
                          .secret = {at == 0 ? "" : "canary " + id}});
    ASSERT_TRUE(change.commit_blocking().ok());
  }
}

std::string refusal(const store::Options& wanted) {
  try {
    store::Store::open(wanted);
  } catch (const store::Unavailable& error) {
    return error.what();
  }
  return {};
}

TEST(Reseal, EverySecretOpensUnderTheNewKeyAlone) {
  const Folder folder;
  constexpr int count = 1'203;  // more than one batch
  write_secrets(folder, count);
  EXPECT_GE(store::reseal(options(folder.path()), other_key), std::size_t(count) - 1);
  EXPECT_THAT(refusal(options(folder.path())), HasSubstr("master key does not belong"));
  const auto store = store::Store::open(under(folder, other_key));
  const auto found = store->system().tenant(1).list(notes, store::Page{.limit = 2 * count});
  ASSERT_EQ(found.size(), std::size_t(count));
  for (const auto& note : found) EXPECT_EQ(note.secret.clear, note.id == "0" ? "" : "canary " + note.id);
  EXPECT_EQ(store->system().tenant(1).get(notes, "1")->value.title.substr(0, 3), "s2:");
  EXPECT_TRUE(store->verify().empty());
}

TEST(Reseal, GoesOnAfterItWasCutOff) {
  const Folder folder;
  write_secrets(folder, 20);
  store::reseal(options(folder.path()), other_key);
  {  // as it is while the work is under way: some are sealed anew, and the store is marked
    const auto engine = store::default_engine().open(
        {.folder = folder.path(), .families = store::TableRegister(options({}).tables).families()});
    engine->commit_blocking(
        {{}, {{.kind = store::Write::Kind::put, .family = 0, .key = "master_key_rotation", .value = "1"}}});
  }
  EXPECT_THAT(refusal(options(folder.path())), HasSubstr("rotate-master-key` again"));
  EXPECT_THAT(refusal(under(folder, other_key)), HasSubstr("rotate-master-key` again"));
  EXPECT_EQ(store::reseal(options(folder.path()), other_key), 0u);
  EXPECT_EQ(store::Store::open(under(folder, other_key))->system().tenant(1).get(notes, "7")->value.secret.clear,
            "canary 7");
}

TEST(Reseal, RefusesAKeyThatIsNotTheStores) {
  const Folder folder;
  write_secrets(folder, 2);
  EXPECT_THROW(store::reseal(under(folder, std::string(32, 'x')), other_key), store::Unavailable);
  EXPECT_EQ(refusal(options(folder.path())), "");
}

// Sealed by the version before, under the master key itself.
TEST(Seal, OpensWhatWasSealedUnderTheMasterKeyItself) {
  const store::Sealer sealer(std::string(32, 'k'));
  EXPECT_EQ(sealer.open(sealed_by_version_1, 7, "key", "field"), "canary");
  EXPECT_THROW(sealer.open("s2:" + std::string(sealed_by_version_1).substr(3), 7, "key", "field"), store::Corrupt);
}

}  // namespace reseal_test
