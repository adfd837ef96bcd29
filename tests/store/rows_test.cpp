// Numbers of a sequence go on from the stored one, also after it could not be read at first.
#include "store/rows.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "store/seal.h"

namespace store_test {
namespace {

// Holds one counter, which cannot be read the first time.
class FailingEngine final : public store::Engine {
 public:
  std::optional<std::string> get(store::Family, std::string_view, const store::Snapshot*) const override { return {}; }
  std::vector<std::optional<std::string>> multi_get(store::Family, std::span<const std::string> keys,
                                                    const store::Snapshot*) const override {
    return std::vector<std::optional<std::string>>(keys.size());
  }
  std::unique_ptr<store::Snapshot> snapshot() const override { return nullptr; }
  void scan(store::Family, const store::Range&, const std::function<bool(std::string_view, std::string_view)>&,
            const store::Snapshot*) const override {}
  store::Figures counter(store::Family, std::string_view, const store::Snapshot*) const override {
    if (reads_++ == 0) throw store::Corrupt("the disk is away");
    return {41};
  }
  std::uint64_t version(store::Family, std::string_view) const override { return 0; }
  store::Task<store::CommitResult> commit(store::Batch, store::Durability) override { co_return store::CommitResult(); }
  store::CommitResult commit_blocking(store::Batch, store::Durability) override { return {}; }
  std::optional<std::string> read_only_reason() const override { return {}; }

 private:
  mutable int reads_ = 0;
};

TEST(Rows, ASequenceThatCannotBeReadDoesNotBeginAnew) {
  FailingEngine engine;
  const store::Sealer sealer(std::string(32, 'k'));
  store::Rows rows(engine, sealer, {});
  EXPECT_THROW(rows.next_id_blocking("users"), store::Corrupt);
  EXPECT_EQ(rows.next_id_blocking("users"), 42);
  EXPECT_EQ(rows.next_id_blocking("users"), 43);
}

}  // namespace
}  // namespace store_test
