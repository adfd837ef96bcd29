// An engine that can be made unavailable, like a Docker Engine that hangs: its agents keep running, and on_back is not
// called when it is available again.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "appliance/runtime/engine.h"

namespace agent_tests {

class FlakyEngine final : public runtime::Engine {
 public:
  explicit FlakyEngine(std::unique_ptr<runtime::Engine> behind) : behind_(std::move(behind)) {
    behind_->on_exit = [this](std::string id, std::optional<int> exit_code) {
      if (on_exit) on_exit(std::move(id), exit_code);
    };
  }

  std::atomic<bool> is_away{false};

  std::string_view name() const override { return behind_->name(); }
  bool has_images() const override { return behind_->has_images(); }
  runtime::Isolation isolation() const override { return behind_->isolation(); }
  web::Task<web::Result<runtime::Instance>> start(const runtime::AgentSpec& spec) override {
    if (is_away) co_return away();
    co_return co_await behind_->start(spec);
  }
  web::Task<web::Result<void>> stop(std::string id, std::chrono::seconds grace) override {
    if (is_away) co_return away();
    co_return co_await behind_->stop(std::move(id), grace);
  }
  web::Task<web::Result<runtime::Instance>> inspect(std::string id) override {
    if (is_away) co_return away();
    co_return co_await behind_->inspect(std::move(id));
  }
  web::Task<web::Result<runtime::InstanceStats>> stats(std::string id) override {
    if (is_away) co_return away();
    co_return co_await behind_->stats(std::move(id));
  }
  web::Task<web::Result<std::vector<std::string>>> logs(std::string id, std::size_t lines) override {
    if (is_away) co_return away();
    co_return co_await behind_->logs(std::move(id), lines);
  }
  web::Task<web::Result<runtime::LogPage>> read_log(std::string id, runtime::LogQuery query) override {
    if (is_away) co_return away();
    co_return co_await behind_->read_log(std::move(id), std::move(query));
  }
  web::Task<web::Result<std::string>> log_end(std::string id) override {
    if (is_away) co_return away();
    co_return co_await behind_->log_end(std::move(id));
  }
  web::Task<web::Result<void>> follow_log(std::string id, std::string after, runtime::LogSink sink) override {
    if (is_away) co_return away();
    co_return co_await behind_->follow_log(std::move(id), std::move(after), std::move(sink));
  }
  web::Task<web::Result<std::vector<std::string>>> adopt(std::vector<std::string> ids) override {
    if (is_away) co_return away();
    co_return co_await behind_->adopt(std::move(ids));
  }
  web::Task<web::Result<void>> remove(std::string id) override {
    if (is_away) co_return away();
    co_return co_await behind_->remove(std::move(id));
  }

 private:
  static web::Error away() { return web::unavailable("The engine does not answer."); }

  std::unique_ptr<runtime::Engine> behind_;
};

}  // namespace agent_tests
