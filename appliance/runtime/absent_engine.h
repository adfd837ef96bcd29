// The engine of a box that is told to use Docker where no Docker Engine can be used: agents are kept, none runs.
#pragma once

#include "appliance/runtime/engine.h"

namespace runtime {

class AbsentEngine final : public Engine {
 public:
  // `reason` is the message of every lifecycle call.
  explicit AbsentEngine(std::string reason) : reason_(std::move(reason)) {}

  std::string_view name() const override { return "docker"; }
  web::Task<web::Result<Instance>> start(const AgentSpec&) override { co_return web::internal(reason_); }
  web::Task<web::Result<void>> stop(std::string, std::chrono::seconds) override { co_return web::internal(reason_); }
  web::Task<web::Result<Instance>> inspect(std::string) override { co_return web::internal(reason_); }
  web::Task<web::Result<InstanceStats>> stats(std::string) override { co_return web::internal(reason_); }
  web::Task<web::Result<std::vector<std::string>>> logs(std::string, std::size_t) override {
    co_return web::internal(reason_);
  }
  web::Task<> adopt(std::vector<std::string>) override { co_return; }
  web::Task<web::Result<void>> remove(std::string) override { co_return web::Result<void>(); }

 private:
  std::string reason_;
};

}  // namespace runtime
