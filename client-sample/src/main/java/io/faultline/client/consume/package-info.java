/**
 * How records are fetched, and how a member of a group comes to its partitions and keeps them.
 *
 * <p>Two sides. On the loop: {@code Fetcher} with one request on its way per broker, {@code Positions} that finds out from where
 * to fetch, {@code Coordinator}, {@code Membership} and {@code Commits}; they wait for nobody, and so go on while the application
 * is busy. On the thread that polls: {@code PolledPartitions}, and everything that is the application's, which the loop never
 * calls and never holds. Between them lies the {@code Inbox}: batches, and steps that the application must take part in, such as
 * giving partitions up.
 *
 * <p>What a member may deliver and commit rests on a lease: the coordinator answered a heartbeat that was sent less than a session
 * time-out ago, and so cannot have given the partitions to anybody else. Without it nothing is delivered and nothing committed;
 * once it has lapsed the partitions count as lost. A process that was stopped for long therefore delivers nothing that it had
 * buffered.
 */
package io.faultline.client.consume;
