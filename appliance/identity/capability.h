// A capability is one thing the box offers: what it keeps, the rows it serves and what it runs. Its folder holds the
// service and its rows; capabilities.cpp of its module builds it, and lists it:
//
//   namespace notes {
//
//   struct Parts {
//     explicit Parts(hosting::Module& hosting) : notes(hosting.platform.system) {}
//     Services services() { return {notes}; }
//     Notes notes;
//   };
//
//   hosting::Capability capability() {
//     return hosting::Capability::of<Parts>({.tables = {store::describe(table)}, .web = web_routes});
//   }
//
//   }  // namespace notes
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/foundation/platform.h"
#include "store/table.h"
#include "web/routes/bind.h"

namespace agentbox {

// A capability at work. It is built by its module once the store is open.
class RunningCapability {
 public:
  virtual ~RunningCapability() = default;
  // The rows refer to this object and to the guards.
  virtual Rows rows(const Guards&) = 0;
  // Background work. Both are called on the thread of Platform::home.
  virtual web::Task<> start() = 0;
  virtual web::Task<> stop() = 0;
};

// What is known of a capability without a store. `Module` holds the services that its capabilities share.
template <class Module>
struct Capability {
  template <class Services>
  using Table = std::vector<web::Route> (*)(const Guards&, const web::Bind<Services>&);

  template <class Services>
  struct Definition {
    std::vector<store::TableInfo> tables = {};
    Table<Services> web = nullptr, backend = nullptr;  // none: no rows on that listener

    Rows rows(const Guards& guards, const web::Bind<Services>& services) const {
      Rows rows{.web = web ? web(guards, services) : std::vector<web::Route>(),
                .backend = backend ? backend(guards, services) : std::vector<web::Route>()};
      describe_scopes(guards.backend, rows.backend);
      return rows;
    }
  };

  std::vector<store::TableInfo> tables;
  std::function<Rows(const Guards&)> documented_rows;  // to be listed, not called; they refer to the guards
  std::function<std::unique_ptr<RunningCapability>(Module&)> build;

  // `Parts` is constructed from the module and has services(), for the handlers; and, where there is background work,
  // `web::Task<> start()` and `web::Task<> stop()`.
  template <class Parts, class Services = decltype(std::declval<Parts&>().services())>
  static Capability of(Definition<Services> definition) {
    class Running final : public RunningCapability {
     public:
      Running(Module& module, Definition<Services> definition) : parts_(module), definition_(std::move(definition)) {}
      Rows rows(const Guards& guards) override { return definition_.rows(guards, parts_.services()); }
      web::Task<> start() override {
        if constexpr (requires { parts_.start(); }) co_await parts_.start();
        co_return;
      }
      web::Task<> stop() override {
        if constexpr (requires { parts_.stop(); }) co_await parts_.stop();
        co_return;
      }

     private:
      Parts parts_;
      const Definition<Services> definition_;
    };
    return {.tables = definition.tables,
            .documented_rows = [definition](const Guards& guards) { return definition.rows(guards, {}); },
            .build = [definition](Module& module) { return std::make_unique<Running>(module, definition); }};
  }
};

// The capabilities of a module at work. Destroyed from the last to the first.
class RunningCapabilities {
 public:
  template <class Module>
  RunningCapabilities(const std::vector<Capability<Module>>& list, Module& module) {
    for (const auto& capability : list) running_.push_back(capability.build(module));
  }
  ~RunningCapabilities();
  RunningCapabilities(const RunningCapabilities&) = delete;
  RunningCapabilities& operator=(const RunningCapabilities&) = delete;

  Rows rows(const Guards&);
  web::Task<> start();
  web::Task<> stop();  // from the last to the first

 private:
  std::vector<std::unique_ptr<RunningCapability>> running_;
};

}  // namespace agentbox
