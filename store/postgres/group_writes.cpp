#include "store/postgres/group_writes.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace store::postgres {

std::vector<Call> writes_of(const std::vector<const Batch*>& batches, const std::vector<Committer::Counted>& counted,
                            const std::vector<FamilyStatements>& statements, std::deque<std::string>& encoded) {
  using Key = std::pair<Family, std::string_view>;
  using Owner = std::optional<std::int64_t>;
  struct Change {
    Owner owner;  // of the batch; nothing: the box
    std::string_view key, value;
  };
  struct Changes {
    std::vector<Change> erased, put;
  };
  std::map<Family, Changes> changes;
  struct Last {
    const Write* write;
    Owner owner;
  };
  std::map<Key, Last> last;  // change of each key
  std::map<Key, Owner> counter_owners;
  for (const auto* batch : batches)
    for (const auto& write : batch->writes) {
      const auto& owner = batch->scope.owner();
      const Key key{write.family, write.key};
      if (is_counted(write.kind)) {
        auto& known = counter_owners[key];
        if (known && owner && *known != *owner) throw OutOfScope();
        if (owner) known = owner;
        continue;
      }
      const auto [before, is_first] = last.try_emplace(key, Last{&write, owner});
      if (is_first) continue;
      auto& [earlier, earlier_owner] = before->second;
      if (earlier_owner != owner) {
        // A unique value may pass from one owner to another; a record may not.
        if (earlier->kind == Write::Kind::erase)
          changes[write.family].erased.push_back({earlier_owner, key.second, earlier->value});
        else if (earlier_owner && owner)
          throw OutOfScope();
      }
      before->second = {&write, owner};
    }
  for (const auto& [key, change] : last) {
    auto& [erased, put] = changes[key.first];
    (change.write->kind == Write::Kind::erase ? erased : put)
        .push_back({change.owner, key.second, change.write->value});
  }
  for (const auto& [family, key, fields] : counted)
    changes[family].put.push_back({counter_owners[{family, key}], key, encoded.emplace_back(encode(fields))});

  std::vector<Call> calls;
  const auto add_calls = [&](const std::vector<Change>& all, const Statement& of_system, const Statement& of_tenants,
                             bool has_values) {
    std::vector<std::int64_t> owners;
    std::vector<std::string_view> keys, values, owned_keys, owned_values;
    for (const auto& [owner, key, value] : all) {
      if (owner) owners.push_back(*owner);
      (owner ? owned_keys : keys).push_back(key);
      (owner ? owned_values : values).push_back(value);
    }
    if (!keys.empty()) {
      calls.push_back({&of_system});
      calls.back().parameters.array(keys);
      if (has_values) calls.back().parameters.array(values);
    }
    if (owners.empty()) return;
    if (of_tenants.sql.empty()) throw OutOfScope();  // a table of the box
    calls.push_back({&of_tenants});
    calls.back().parameters.array(owners).array(owned_keys).array(owned_values);
  };
  for (const auto& [family, of_family] : changes) {
    const auto& own = statements[family];
    add_calls(of_family.erased, own.erase, own.tenant_erase, false);
    add_calls(of_family.put, own.put, own.tenant_put, true);
  }
  return calls;
}

}  // namespace store::postgres
