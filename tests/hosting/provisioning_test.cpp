#include <gmock/gmock.h>
#include <signal.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <set>

#include "appliance/agent/workspace_path.h"
#include "appliance/hosting/agents/views.h"
#include "tests/hosting/agent_box.h"

namespace provisioning_test {

using namespace agent_tests;
using agents::Status;
using testing::HasSubstr;

class Provisioning : public AgentBoxTest {
 protected:
  // Kills the agent's process from outside and returns its pid.
  std::int64_t kill_process_of(const agents::Agent& agent) {
    const auto pid = instance(agent).pid;
    if (pid <= 1) throw std::logic_error("the agent has no process");  // kill(0) would hit this test itself
    ::kill(pid_t(pid), SIGKILL);
    return pid;
  }
  bool runs_anew(const agents::Agent& agent, std::int64_t old_pid) {
    const auto found = instance(agent);
    return found.pid > 0 && found.pid != old_pid && now(agent).status == Status::running;
  }
};

TEST_F(Provisioning, StartsAnAgent) {
  const auto fresh = provision("plain");
  EXPECT_EQ(fresh.status, Status::provisioning);
  const auto up = when(fresh, Status::running);
  EXPECT_EQ(instance(up).state, runtime::State::running);
  EXPECT_EQ(up.status_reason, "");
  EXPECT_TRUE(up.started_at);
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(Provisioning, StartsManyAgentsOnTheirOwnPorts) {
  std::vector<agents::Agent> made;
  std::set<std::int64_t> ports;
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) made.push_back(provision("plain"));
  for (auto& agent : made) {
    ports.insert(*when(agent, Status::running).port);
    names.insert(agent.subdomain);
  }
  EXPECT_EQ(ports.size(), made.size());
  EXPECT_EQ(names.size(), made.size());
}

TEST_F(Provisioning, AnAgentThatExitsAtOnceIsAnErrorWithItsLastLogLine) {
  const auto failed = when(provision("exits"), Status::error);
  EXPECT_EQ(failed.status_reason, "The agent ended with exit code 3 before it was ready: cannot go on: no spoon");
  EXPECT_EQ(failed.desired, agents::desired::stopped);
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(Provisioning, AnAgentThatNeverGetsReadyIsAnErrorWithTheReason) {
  ready_deadline = std::chrono::milliseconds(100);
  crash_and_come_back();
  const auto failed = when(provision("mute"), Status::error);
  EXPECT_EQ(failed.status_reason, "The agent was not ready within 100 ms: its gateway answers /readyz with 503");
  EXPECT_EQ(instance(failed).state, runtime::State::exited) << "nothing is left running";
  EXPECT_TRUE(try_provision(owner, "plain")) << "the failed one is there to be looked at, started or deleted";
}

TEST_F(Provisioning, QueuedJobsSurviveACrash) {
  settings.provisioning_enabled = false;  // jobs stay in the queue
  crash_and_come_back();
  agents::Agent agent;
  agent.owner = owner.user_id;
  agent.id = "ag_waiting";
  agent.name = "plain";
  agent.subdomain = "waiting";
  agent.status = Status::provisioning;
  agent.desired = agents::desired::running;
  agent.gateway_token.clear = "secret";
  agent.port = free_port();
  auto change = box->system().change();
  change.insert(agents::records, agent);
  change.insert(agents::jobs, agents::Job{.agent = agent.id, .owner = agent.owner, .action = agents::Action::start});
  ASSERT_TRUE(change.commit_blocking().ok());
  crash_and_come_back();
  EXPECT_EQ(now(agent).status, Status::provisioning);
  settings.provisioning_enabled = true;
  crash_and_come_back();
  when(agent, Status::running);
}

TEST_F(Provisioning, AStartInterruptedByACrashGoesOnAfterwards) {
  const auto fresh = provision("mute");
  ASSERT_TRUE(eventually([&] { return instance(fresh).state == runtime::State::running; }));
  const auto pid = instance(fresh).pid;
  crash_and_come_back();
  EXPECT_EQ(jobs_left(), 1u);
  EXPECT_EQ(instance(fresh).pid, pid) << "the same process, not a second one";
  EXPECT_EQ(now(fresh).status, Status::provisioning);
}

TEST_F(Provisioning, RunningAgentsAreAdopted) {
  const auto up = running("plain");
  const auto pid = instance(up).pid;
  crash_and_come_back();
  EXPECT_EQ(now(up).status, Status::running);
  EXPECT_EQ(instance(up).pid, pid);
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(Provisioning, AnAgentWithAnOldAddressOfTheBoxIsRestarted) {
  const auto up = running("plain");
  for (auto* address : {&addresses.backend, &addresses.summarizer}) {
    const auto pid = instance(up).pid;
    *address = "http://127.0.0.1:3999";
    crash_and_come_back();
    EXPECT_TRUE(eventually([&] { return runs_anew(up, pid); })) << now(up).status_reason;
    EXPECT_EQ(instance(up).backend_url, addresses.backend);
    EXPECT_EQ(instance(up).summarizer_url, addresses.summarizer);
  }
}

TEST_F(Provisioning, AStartInterruptedByACrashUsesTheNewAddressOfTheBox) {
  const auto fresh = provision("mute");
  ASSERT_TRUE(eventually([&] { return instance(fresh).state == runtime::State::running; }));
  addresses.backend = "http://127.0.0.1:3999";
  crash_and_come_back();
  EXPECT_TRUE(eventually([&] { return instance(fresh).backend_url == addresses.backend; }));
}

TEST_F(Provisioning, AnAgentThatDiedWithTheMachineIsRestarted) {
  const auto up = running("plain");
  const auto pid = instance(up).pid;
  box.reset();
  ::kill(pid_t(pid), SIGKILL);
  ASSERT_TRUE(eventually([&] { return !is_alive(pid); }));
  open();
  when(up, Status::running);
  EXPECT_NE(instance(up).pid, pid);
}

TEST_F(Provisioning, AStoppedAgentStaysStopped) {
  const auto up = running("plain");
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(owner.user_id, up.id)));
  EXPECT_EQ(now(up).status, Status::stopped);
  crash_and_come_back();
  EXPECT_EQ(now(up).status, Status::stopped);
  EXPECT_EQ(instance(up).state, runtime::State::missing);
}

TEST_F(Provisioning, AnAgentThatDiesIsRestartedAFewTimes) {
  const auto up = running("plain");
  for (int death = 1; death <= 2; ++death) {
    const auto pid = kill_process_of(up);
    ASSERT_TRUE(eventually([&] { return runs_anew(up, pid); }));
  }
  kill_process_of(up);
  const auto given_up = when(up, Status::error);
  EXPECT_THAT(given_up.status_reason, HasSubstr("signal 9; it ended 3 times within 300 seconds"));
  EXPECT_EQ(given_up.desired, agents::desired::stopped);
}

TEST_F(Provisioning, AnExitJustBeforeTheBoxStartsIsHandled) {
  const auto up = running("plain");
  const auto pid = instance(up).pid;
  box.reset();
  ::kill(pid_t(pid), SIGSTOP);  // adopted as it is
  open();
  ASSERT_EQ(instance(up).pid, pid);
  ::kill(pid_t(pid), SIGKILL);
  EXPECT_TRUE(eventually([&] { return runs_anew(up, pid); }));
}

TEST_F(Provisioning, ARepairInterruptedByACrashBeginsAgain) {
  for (const auto action : {agents::Action::kill, agents::Action::revive}) {
    const auto up = running("plain");
    const auto pid = instance(up).pid;
    auto change = box->system().change();
    change.insert(agents::jobs, agents::Job{.agent = up.id, .owner = up.owner, .action = action});
    ASSERT_TRUE(change.commit_blocking().ok());
    crash_and_come_back();
    EXPECT_TRUE(eventually([&] { return runs_anew(up, pid); }));
    EXPECT_TRUE(eventually([&] { return jobs_left() == 0; }));
  }
}

TEST_F(Provisioning, ARunningAgentMarkedForARestartBecomesRunning) {
  const auto up = running("plain");
  const auto pid = instance(up).pid;
  for (const auto left : {Status::provisioning, Status::error}) {
    auto row = box->system().get(agents::records, owner.user_id, up.id);
    row->value.status = left;
    row->value.status_reason = "It is started again with the box.";
    auto change = box->system().change();
    change.update(agents::records, *row);
    ASSERT_TRUE(change.commit_blocking().ok());
    crash_and_come_back();
    EXPECT_EQ(when(up, Status::running).status_reason, "");
    EXPECT_EQ(instance(up).pid, pid);
  }
}

TEST_F(Provisioning, ANeverWatchedAgentIsStoppedSinceItsCreation) {
  agents::NewAgent spec;
  spec.name = "plain";
  const auto made = box->run(box->agents->provisioning.create(owner.user_id, std::move(spec)));
  ASSERT_TRUE(made);
  const auto detail = box->run(agents::detail_of(box->agents->monitor, box->agents->addresses, *made));
  EXPECT_EQ(detail.watchdog.state, watchdog::State::stopped);
  EXPECT_EQ(detail.watchdog.since, made->created_at);
}

TEST_F(Provisioning, AnAgentGivenUpByTheWatchdogStaysSoAfterACrash) {
  const auto up = running("plain");
  const auto pid = instance(up).pid;
  auto row = box->system().get(agents::records, owner.user_id, up.id);
  row->value.status = Status::error;
  row->value.desired = agents::desired::stopped;
  auto change = box->system().change();
  change.update(agents::records, *row);
  change.insert(agents::jobs, agents::Job{.agent = up.id, .owner = up.owner, .action = agents::Action::kill});
  ASSERT_TRUE(change.commit_blocking().ok());
  crash_and_come_back();
  EXPECT_TRUE(eventually([&] { return !is_alive(pid) && jobs_left() == 0; }));
  EXPECT_EQ(now(up).status, Status::error);
  EXPECT_EQ(instance(up).state, runtime::State::exited) << "nothing is left running, nothing is started";
}

TEST_F(Provisioning, TheKillSwitchPreventsRestarts) {
  const auto up = running("plain");
  settings.provisioning_enabled = false;
  crash_and_come_back();
  kill_process_of(up);
  EXPECT_EQ(when(up, Status::error).status_reason,
            "The agent was ended by signal 9; the box does not start it again by itself.");
}

TEST_F(Provisioning, StopsAndStartsAndRestarts) {
  const auto up = running("plain");
  const auto first = instance(up).pid;
  auto restarted = box->run(box->agents->lifecycle.restart(owner.user_id, up.id));
  ASSERT_TRUE(restarted);
  EXPECT_EQ(restarted->status, Status::running);
  const auto second = instance(up).pid;
  EXPECT_NE(second, first);
  auto again = box->run(box->agents->lifecycle.start(owner.user_id, up.id));
  ASSERT_TRUE(again);
  EXPECT_EQ(instance(up).pid, second) << "starting a running agent leaves it alone";
  auto stopped = box->run(box->agents->lifecycle.stop(owner.user_id, up.id));
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->status, Status::stopped);
  EXPECT_FALSE(is_alive(second));
  ASSERT_TRUE(box->run(box->agents->lifecycle.start(owner.user_id, up.id)));
  EXPECT_EQ(now(up).status, Status::running);
}

TEST_F(Provisioning, AStopDuringAStartWins) {
  const auto fresh = provision("mute");
  ASSERT_TRUE(eventually([&] { return instance(fresh).state == runtime::State::running; }));
  const auto pid = instance(fresh).pid;
  auto stopped = box->run(box->agents->lifecycle.stop(owner.user_id, fresh.id));
  ASSERT_TRUE(stopped) << stopped.error().message;
  EXPECT_EQ(stopped->status, Status::stopped);
  EXPECT_FALSE(is_alive(pid));
}

TEST_F(Provisioning, AWaitingRequestCanBeCancelled) {
  ready_deadline = std::chrono::milliseconds(500);
  crash_and_come_back();
  const auto slow = when(provision("mute"), Status::error);
  boost::asio::cancellation_signal cut;
  auto waiting = boost::asio::co_spawn(box->pool.at(1), box->agents->lifecycle.start(owner.user_id, slow.id),
                                       boost::asio::bind_cancellation_slot(cut.slot(), boost::asio::use_future));
  ASSERT_TRUE(eventually([&] { return instance(slow).state == runtime::State::running; }));
  boost::asio::post(box->pool.at(1), [&] { cut.emit(boost::asio::cancellation_type::terminal); });
  EXPECT_FALSE(waiting.get());
  when(slow, Status::error);  // with no request waiting
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(Provisioning, AnAgentWhosePortWasTakenGetsAnother) {
  const auto up = running("plain");
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(owner.user_id, up.id)));
  files::Descriptor squatter(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::uint16_t(*up.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  ::setsockopt(squatter.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ASSERT_EQ(::bind(squatter.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(squatter.get(), 1), 0);
  ASSERT_TRUE(box->run(box->agents->lifecycle.start(owner.user_id, up.id)));
  EXPECT_NE(now(up).port, up.port);
}

TEST_F(Provisioning, DeletingFreesEverything) {
  const auto up = running("plain");
  const auto pid = instance(up).pid;
  ASSERT_TRUE(box->run(box->chat->send(owner.user_id, up.id, "hello")));
  EXPECT_EQ(box->system().counter(owner.user_id, agents::count), 1);
  ASSERT_TRUE(box->run(box->agents->lifecycle.remove(owner.user_id, up.id)));
  EXPECT_FALSE(is_alive(pid));
  EXPECT_FALSE(box->agents->directory.find(owner.user_id, up.id));
  EXPECT_FALSE(box->system().find_unique(agents::records, "port", *up.port));
  EXPECT_TRUE(agents::Ports::bindable(std::uint16_t(*up.port)));
  EXPECT_FALSE(std::filesystem::exists(data.path() / "agents" / up.id));
  EXPECT_EQ(box->system().counter(owner.user_id, agents::count), 0);
  EXPECT_TRUE(box->system().tenant(owner.user_id).list(chat::messages).empty());
  EXPECT_EQ(jobs_left(), 0u);
}

TEST_F(Provisioning, ADeletionInterruptedByACrashIsFinished) {
  const auto up = running("plain");
  auto row = box->system().get(agents::records, owner.user_id, up.id);
  row->value.desired = agents::desired::removed;
  auto change = box->system().change();
  change.update(agents::records, *row);
  change.insert(agents::jobs, agents::Job{.agent = up.id, .owner = up.owner, .action = agents::Action::remove});
  ASSERT_TRUE(change.commit_blocking().ok());
  crash_and_come_back();
  ASSERT_TRUE(eventually([&] { return !box->system().get(agents::records, owner.user_id, up.id); }));
  EXPECT_FALSE(std::filesystem::exists(data.path() / "agents" / up.id));
}

class MemoryReset : public Provisioning {
 protected:
  void learn(const agents::Agent& agent) {
    const auto state = data.path() / "agents" / agent.id / "workspace" / agent_process::state_folder;
    std::filesystem::create_directories(state);
    std::ofstream(memory_of(agent)) << "a fact";
  }
  std::filesystem::path memory_of(const agents::Agent& agent) const {
    return data.path() / "agents" / agent.id / "workspace" / agent_process::state_folder / agent_process::memory_file;
  }
  // The state after a crash before or during the job.
  void leave(agents::Job job) {
    auto change = box->system().change();
    change.insert(agents::jobs, job);
    ASSERT_TRUE(change.commit_blocking().ok());
    crash_and_come_back();
    ASSERT_TRUE(eventually([&] { return jobs_left() == 0; }));
  }
};

TEST_F(MemoryReset, LeavesTheAgentInItsState) {
  const auto up = running("plain");
  learn(up);
  const auto pid = instance(up).pid;
  const auto anew = box->run(box->agents->lifecycle.reset_memory(owner.user_id, up.id));
  ASSERT_TRUE(anew) << anew.error().message;
  EXPECT_EQ(anew->status, Status::running);
  EXPECT_NE(instance(up).pid, pid);
  EXPECT_FALSE(std::filesystem::exists(memory_of(up)));
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(owner.user_id, up.id)));
  learn(up);
  EXPECT_EQ(box->run(box->agents->lifecycle.reset_memory(owner.user_id, up.id))->status, Status::stopped);
  EXPECT_FALSE(std::filesystem::exists(memory_of(up)));
}

TEST_F(MemoryReset, GoesOnAfterACrash) {
  const auto up = running("plain");
  learn(up);
  leave({.agent = up.id, .owner = up.owner, .action = agents::Action::restart, .forgets = true});
  when(up, Status::running);
  EXPECT_FALSE(std::filesystem::exists(memory_of(up)));
}

TEST_F(MemoryReset, IsKeptByANewerJob) {
  const auto up = running("plain");
  learn(up);
  auto change = box->system().change();
  const agents::Job waiting{.agent = up.id, .owner = up.owner, .action = agents::Action::restart, .forgets = true};
  change.insert(agents::jobs, waiting);
  ASSERT_TRUE(change.commit_blocking().ok());
  ASSERT_TRUE(box->run(box->agents->lifecycle.stop(owner.user_id, up.id)));
  EXPECT_EQ(now(up).status, Status::stopped);
  EXPECT_FALSE(std::filesystem::exists(memory_of(up)));
}

TEST_F(Provisioning, AnOrderlyStopLeavesAgentsRunningAndRequeuesJobs) {
  const auto up = running("plain");
  const auto unready = provision("mute");
  ASSERT_TRUE(eventually([&] { return instance(unready).state == runtime::State::running; }));
  box->run(box->agents->stop());
  EXPECT_EQ(jobs_left(), 1u);
  EXPECT_TRUE(is_alive(instance(up).pid));
  EXPECT_EQ(now(unready).status, Status::provisioning);
  crash_and_come_back();
}

}  // namespace provisioning_test
