// Litmus tests: what a workgroup sees of another one's store, by what each of them does in between.
#include "runtime/emulator/watch/ScopedOrder.h"

#include <gtest/gtest.h>

using namespace fly::emulator;

namespace {

constexpr uint64_t flag = 0x1000, other = 0x2000;
constexpr uint32_t all = ~0u;

/// Workgroups 0 and 1 are on device 0, 2 and 3 on device 1.
struct Litmus : testing::Test {
  ScopedOrder order{{0, 2}, true};
  void release(uint32_t group, Reach writeBack, Reach store, uint64_t place = flag) {
    order.writeBack(group, writeBack);
    publish(group, place, store, all);
  }
  /// A store, or an atomic operation, of the flag; it is performed at once.
  void publish(uint32_t group, uint64_t place, Reach reach, uint32_t settled, bool adds = false) {
    order.publish(place, order.release(group, reach, settled), adds);
    order.advance(group);
  }
  void acquire(uint32_t group, Reach load, Reach invalidate, uint64_t place = flag) {
    order.learn(group, place, load);
    order.invalidate(group, invalidate);
  }
  bool reads(uint32_t group, ScopedOrder::Earlier store, Reach reach = Reach::Group) {
    return order.sees(group, store, reach, false);
  }
};

TEST_F(Litmus, NothingOrdersWithoutAFlag) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  order.writeBack(0, Reach::System);
  order.invalidate(1, Reach::System);
  EXPECT_FALSE(reads(1, store));
  EXPECT_FALSE(order.follows(1, store));
}

TEST_F(Litmus, ScopeAgentSufficesOnOneDevice) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  release(0, Reach::Agent, Reach::Agent);
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_TRUE(reads(1, store));
  EXPECT_TRUE(order.follows(1, store));
}

TEST_F(Litmus, AnotherDeviceNeedsScopeSystemInEachPart) {
  for (Reach writeBack : {Reach::Agent, Reach::System})
    for (Reach store : {Reach::Agent, Reach::System})
      for (Reach load : {Reach::Agent, Reach::System})
        for (Reach invalidate : {Reach::Agent, Reach::System}) {
          order = ScopedOrder({0, 2}, true);
          const ScopedOrder::Earlier data{0, order.count(0), Reach::Group};
          release(0, writeBack, store);
          acquire(2, load, invalidate);
          const bool complete = writeBack == Reach::System && store == Reach::System && load == Reach::System &&
                                invalidate == Reach::System;
          EXPECT_EQ(reads(2, data), complete) << int(writeBack) << int(store) << int(load) << int(invalidate);
        }
}

TEST_F(Litmus, EachPartIsNeeded) {
  const ScopedOrder::Earlier first{0, order.count(0), Reach::Group};
  publish(0, flag, Reach::Agent, all); // without a write-back
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_FALSE(reads(1, first));
  EXPECT_TRUE(order.follows(1, first)); // what was only read may be written

  release(0, Reach::Agent, Reach::Agent, other);
  order.learn(1, other, Reach::Agent); // without an invalidation
  EXPECT_FALSE(reads(1, first));
  EXPECT_TRUE(reads(1, first, Reach::Agent)); // passes the cache
  EXPECT_TRUE(order.sees(1, first, Reach::Group, true));
  order.invalidate(1, Reach::Agent);
  EXPECT_TRUE(reads(1, first));
}

TEST_F(Litmus, WhatFollowsTheWriteBackIsNotReleased) {
  order.writeBack(0, Reach::Agent);
  const ScopedOrder::Earlier late{0, order.count(0), Reach::Group};
  publish(0, flag, Reach::Agent, all);
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_FALSE(reads(1, late));
}

TEST_F(Litmus, StoresThatAreUnderWayAreNotReleased) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  order.writeBack(0, Reach::Agent);
  publish(0, flag, Reach::Agent, store.count - 1); // its wave has not waited for it
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_FALSE(reads(1, store));
}

TEST_F(Litmus, AStoreThatNamesTheScopeNeedsNoWriteBack) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::System};
  publish(0, flag, Reach::System, all);
  acquire(2, Reach::System, Reach::System);
  EXPECT_TRUE(reads(2, store));
}

TEST_F(Litmus, SomeTargetsReleaseToTheirDeviceWithoutAWriteBack) {
  order = ScopedOrder({0, 2}, false);
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  publish(0, flag, Reach::Agent, all);
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_TRUE(reads(1, store));
  acquire(2, Reach::System, Reach::System);
  EXPECT_FALSE(reads(2, store));
}

TEST_F(Litmus, WhatWasAcquiredIsPassedOn) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  release(0, Reach::Agent, Reach::Agent);
  acquire(1, Reach::Agent, Reach::Agent);
  release(1, Reach::System, Reach::System, other);
  acquire(2, Reach::System, Reach::System, other);
  EXPECT_TRUE(reads(2, store));
  release(2, Reach::Agent, Reach::Agent, flag + 8);
  acquire(3, Reach::Agent, Reach::Agent, flag + 8);
  EXPECT_TRUE(reads(3, store)); // device 1 has it
}

TEST_F(Litmus, InAClusterTheWaitSuffices) {
  order = ScopedOrder({0, 4}, true, {2, 2}); // workgroups 0 and 1 are a cluster, 2 and 3 another one
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  publish(0, flag, Reach::Cluster, all);
  order.learn(1, flag, Reach::Cluster);
  EXPECT_FALSE(reads(1, store));
  order.invalidate(1, Reach::Cluster);
  EXPECT_TRUE(reads(1, store));
  acquire(2, Reach::Agent, Reach::Agent);
  EXPECT_FALSE(reads(2, store));
}

TEST_F(Litmus, ABarrierOfAClusterNeedsTheWaitAndTheInvalidation) {
  order = ScopedOrder({0, 4}, true, {2, 2});
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  order.arrive(0, flag, all);
  order.leave(1, flag);
  EXPECT_FALSE(reads(1, store));
  order.invalidate(1, Reach::Cluster);
  EXPECT_TRUE(reads(1, store));
  order.leave(2, flag);
  order.invalidate(2, Reach::Agent);
  EXPECT_FALSE(reads(2, store)); // of another cluster
  const ScopedOrder::Earlier late{0, order.count(0), Reach::Group};
  order.arrive(0, flag, late.count - 1); // its wave has not waited
  order.leave(1, flag);
  order.invalidate(1, Reach::Cluster);
  EXPECT_FALSE(reads(1, late));
}

TEST_F(Litmus, WhatOneOfAClusterAcquiresTheOthersGetByTheirOwnScope) {
  order = ScopedOrder({0, 4}, true, {2, 2});
  for (const bool acquires : {false, true}) {
    const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
    release(0, Reach::Agent, Reach::Agent);
    order.learn(2, flag, Reach::Agent);
    if (acquires) order.invalidate(2, Reach::Agent);
    order.arrive(2, other, all);
    order.leave(3, other);
    order.invalidate(3, Reach::Cluster);
    EXPECT_EQ(reads(3, store), acquires);
  }
}

TEST_F(Litmus, AStoreEndsWhatTheValueBeforeItPublished) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  release(0, Reach::Agent, Reach::Agent);
  publish(1, flag, Reach::Agent, all); // another value, of a workgroup that knows nothing of the store
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_FALSE(reads(1, store));
  EXPECT_FALSE(order.follows(1, store));
}

TEST_F(Litmus, AnAtomicAddsToWhatTheValueBeforeItPublished) {
  order = ScopedOrder({0}, true);
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  release(0, Reach::Agent, Reach::Agent);
  const ScopedOrder::Earlier second{1, order.count(1), Reach::Group};
  order.writeBack(1, Reach::Agent);
  publish(1, flag, Reach::Agent, all, true);
  acquire(2, Reach::Agent, Reach::Agent);
  EXPECT_TRUE(reads(2, store));
  EXPECT_TRUE(reads(2, second));
}

TEST_F(Litmus, ALoadAcquiresOfTheValueThatItReturns) {
  const ScopedOrder::Earlier early{0, order.count(0), Reach::Group};
  release(0, Reach::Agent, Reach::Agent);
  order.learn(1, flag, Reach::Agent);
  const ScopedOrder::Earlier late{0, order.count(0), Reach::Group};
  release(0, Reach::Agent, Reach::Agent); // after the load
  order.invalidate(1, Reach::Agent);
  EXPECT_TRUE(reads(1, early));
  EXPECT_FALSE(reads(1, late));
  EXPECT_FALSE(reads(1, late, Reach::Agent));
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_TRUE(reads(1, late));
}

TEST_F(Litmus, AStoreThatIsNoFlagEndsWhatTheValueBeforeItPublished) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::Group};
  release(0, Reach::Agent, Reach::Agent);
  order.clear(flag);
  acquire(1, Reach::Agent, Reach::Agent);
  EXPECT_FALSE(reads(1, store));
}

TEST_F(Litmus, ALoadOfTooNarrowAScopeAcquiresNothingOfAnotherDevice) {
  const ScopedOrder::Earlier store{0, order.count(0), Reach::System}; // which needs no write-back
  publish(0, flag, Reach::System, all);
  acquire(2, Reach::Agent, Reach::System);
  EXPECT_FALSE(reads(2, store));
  acquire(2, Reach::System, Reach::System);
  EXPECT_TRUE(reads(2, store));
}

TEST_F(Litmus, FlagsAndWorkgroupsShareWhatIsKnown) {
  constexpr uint32_t groups = 2000;
  order = ScopedOrder({0}, true);
  for (uint32_t k = 0; k < groups; ++k) { // each needs a number only, if nothing is copied
    order.writeBack(k, Reach::Agent);
    publish(k, flag, Reach::Agent, all, true);
  }
  for (uint32_t k = 0; k < groups; ++k) {
    acquire(k, Reach::Agent, Reach::Agent);
    EXPECT_TRUE(reads(k, {(k + 1) % groups, 1, Reach::Group}));
  }
}

} // namespace
