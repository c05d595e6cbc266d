package io.faultline.broker;

import io.faultline.broker.api.AlterConfigsHandler;
import io.faultline.broker.api.AlterPartitionReassignmentsHandler;
import io.faultline.broker.api.AlterReplicaLogDirsHandler;
import io.faultline.broker.api.ApiVersionsHandler;
import io.faultline.broker.api.CreateAclsHandler;
import io.faultline.broker.api.CreatePartitionsHandler;
import io.faultline.broker.api.CreateTopicsHandler;
import io.faultline.broker.api.DeleteAclsHandler;
import io.faultline.broker.api.DeleteGroupsHandler;
import io.faultline.broker.api.DeleteRecordsHandler;
import io.faultline.broker.api.DeleteTopicsHandler;
import io.faultline.broker.api.DescribeAclsHandler;
import io.faultline.broker.api.DescribeClusterHandler;
import io.faultline.broker.api.DescribeConfigsHandler;
import io.faultline.broker.api.DescribeGroupsHandler;
import io.faultline.broker.api.DescribeLogDirsHandler;
import io.faultline.broker.api.DescribeProducersHandler;
import io.faultline.broker.api.ElectLeadersHandler;
import io.faultline.broker.api.FetchHandler;
import io.faultline.broker.api.FetchSessions;
import io.faultline.broker.api.FindCoordinatorHandler;
import io.faultline.broker.api.HeartbeatHandler;
import io.faultline.broker.api.IncrementalAlterConfigsHandler;
import io.faultline.broker.api.InitProducerIdHandler;
import io.faultline.broker.api.JoinGroupHandler;
import io.faultline.broker.api.LeaveGroupHandler;
import io.faultline.broker.api.ListGroupsHandler;
import io.faultline.broker.api.ListOffsetsHandler;
import io.faultline.broker.api.ListPartitionReassignmentsHandler;
import io.faultline.broker.api.MetadataHandler;
import io.faultline.broker.api.OffsetCommitHandler;
import io.faultline.broker.api.OffsetDeleteHandler;
import io.faultline.broker.api.OffsetFetchHandler;
import io.faultline.broker.api.OffsetForLeaderEpochHandler;
import io.faultline.broker.api.ProduceHandler;
import io.faultline.broker.api.ProducerIds;
import io.faultline.broker.api.RequestDispatcher;
import io.faultline.broker.api.RequestHandler;
import io.faultline.broker.api.SupportedVersions;
import io.faultline.broker.api.SyncGroupHandler;
import io.faultline.broker.api.ThisNode;
import io.faultline.broker.api.TopicCreation;
import io.faultline.broker.api.TopicDeletion;
import io.faultline.broker.group.CommittedOffsets;
import io.faultline.broker.group.GroupCoordinator;
import io.faultline.broker.log.LogDirFailure;
import io.faultline.broker.log.LogDirFailureHandler;
import io.faultline.broker.log.LogDirectories;
import io.faultline.broker.log.LogDirectory;
import io.faultline.broker.log.PartitionMoves;
import io.faultline.broker.log.Topics;
import io.faultline.broker.metrics.BrokerFigures;
import io.faultline.broker.metrics.TrafficCounts;
import io.faultline.broker.network.Listener;
import io.faultline.broker.network.SocketServer;
import io.faultline.classifier.FailureFeed;
import io.faultline.classifier.Subscription;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker: start it, use it over the network, close it. A closed broker cannot be started again.
 *
 * <p>{@link #start} and {@link #close} are for one thread, all else for any. All threads of a broker are daemons.
 */
public final class Broker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);
    private static final long PATIENCE_SECONDS = 5;
    private static final long EXPIRY_CHECK_SECONDS = 600;
    private static final long OFFSETS_FLUSH_MS = 1_000;

    private final BrokerConfig config;
    private final LogDirectories directories;
    /** Runs time-outs, which do no I/O. */
    private final ScheduledThreadPoolExecutor timer;
    /** Flushes, deletes files and enforces retention, which a hung disk may hold up. */
    private final ScheduledThreadPoolExecutor background;

    /** Compacts logs, which may take long. */
    private final ScheduledThreadPoolExecutor cleaner;

    private final ExecutorService requestThreads;
    private final Topics topics;
    private final ExecutorService mover;
    private final PartitionMoves moves;
    private final CommittedOffsets offsets;
    private final GroupCoordinator groups;
    private final SocketServer server;
    private final Thread failureHandler;
    private final List<Listener> bound = new ArrayList<>();
    private final List<Listener> advertised = new ArrayList<>();
    private final CompletableFuture<LogDirFailure> lastDirectoryLost = new CompletableFuture<>();
    private final TrafficCounts traffic;
    private final FetchSessions fetchSessions;
    private Subscription registration;
    private volatile BrokerFigures figures;
    private RequestDispatcher dispatcher;

    /**
     * Makes a broker; does nothing yet.
     *
     * @param config its configuration
     */
    public Broker(BrokerConfig config) {
        this(config, new TrafficCounts());
    }

    /** Goes on with the counts of a broker before it. */
    Broker(BrokerConfig config, TrafficCounts traffic) {
        this(config, traffic, new FetchSessions(config.fetchSessionSlots()));
    }

    /** Keeps fetch sessions in its own way. */
    Broker(BrokerConfig config, TrafficCounts traffic, FetchSessions fetchSessions) {
        this.traffic = traffic;
        this.fetchSessions = fetchSessions;
        this.config = config;
        String threadPrefix = "faultline-broker-" + config.nodeId() + "-";
        directories = new LogDirectories(config.logDirs());
        timer = scheduler(threadPrefix + "timer-");
        background = scheduler(threadPrefix + "background-");
        cleaner = scheduler(threadPrefix + "cleaner-");
        requestThreads = Executors.newFixedThreadPool(config.requestThreads(), daemons(threadPrefix + "request-"));
        topics = new Topics(directories.all(), config.log(), background);
        mover = Executors.newSingleThreadExecutor(daemons(threadPrefix + "mover-"));
        moves = new PartitionMoves(topics, mover);
        offsets = new CommittedOffsets(directories.all());
        groups = new GroupCoordinator(config.groups(), offsets, timer);
        server = new SocketServer(config.network(), threadPrefix);
        failureHandler = new Thread(
                new LogDirFailureHandler(
                        directories.failures(), directories.all(), topics, lastDirectoryLost::complete),
                threadPrefix + "log-dir-failure-handler");
        failureHandler.setDaemon(true);
    }

    private static ScheduledThreadPoolExecutor scheduler(String threadPrefix) {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, daemons(threadPrefix));
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return scheduler;
    }

    private static ThreadFactory daemons(String prefix) {
        AtomicInteger made = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + made.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * Loads the logs, opens the listeners and serves. A log directory that fails meanwhile goes offline and does not keep the
     * others from being served.
     *
     * @throws IOException if a listener cannot be had
     * @throws IllegalStateException if a directory is in use, belongs to another node, or none is left
     */
    public void start() throws IOException {
        try {
            ThisNode node = new ThisNode(config.nodeId(), directories.claim(config.nodeId()));
            topics.load();
            offsets.load();
            groups.load();
            failureHandler.start();
            if (directories.all().stream().allMatch(LogDirectory::isOffline)) {
                throw new IllegalStateException("no log directory could be read: " + directories.all());
            }
            for (Listener listener : config.listeners()) {
                advertised.add(
                        server.bind(listener, this::boundAndAdvertised, request -> dispatcher.dispatch(request)));
            }
            // As late as can be, since it needs the schemas of all messages, which Main has had loaded meanwhile.
            dispatcher = dispatcher(node);
            registration = FailureFeed.ofThisJvm().register(new BrokerLogDirOwner(config.nodeId(), directories));
            expire(topics::removeExpiredProducers);
            expire(groups::removeEmptyGroups);
            repeat(offsets::flush, OFFSETS_FLUSH_MS);
            repeat(topics::enforceRetention, config.retentionCheckIntervalMs());
            repeat(topics::flushWhatIsDue, config.flushCheckIntervalMs());
            repeat(topics::checkpointRecoveryPoints, config.recoveryPointIntervalMs());
            figures = new BrokerFigures(traffic, dispatcher.apis(), directories, topics, groups, server);
            cleaner.scheduleWithFixedDelay(
                    topics::compact, config.cleanerBackoffMs(), config.cleanerBackoffMs(), TimeUnit.MILLISECONDS);
            server.start();
        } catch (IOException | RuntimeException failure) {
            close();
            throw failure;
        }
        if (!config.ignored().isEmpty()) {
            LOG.warn(
                    "Keys of Kafka's that mean nothing to a broker of one node are ignored: {}",
                    new TreeSet<>(config.ignored()));
        }
        LOG.info(
                "Broker {} serves {} topics in {}",
                config.nodeId(),
                topics.all().size(),
                directories.all());
    }

    private void repeat(Runnable upkeep, long intervalMs) {
        background.scheduleWithFixedDelay(upkeep, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    }

    private void expire(Runnable expiry) {
        timer.scheduleWithFixedDelay(expiry, EXPIRY_CHECK_SECONDS, EXPIRY_CHECK_SECONDS, TimeUnit.SECONDS);
    }

    private RequestDispatcher dispatcher(ThisNode node) {
        TopicCreation creation = new TopicCreation(topics, config.autoCreateTopics(), config.defaultPartitions());
        Map<ApiKeys, RequestHandler<?>> handlers = new EnumMap<>(ApiKeys.class);
        handlers.put(ApiKeys.PRODUCE, new ProduceHandler(topics, traffic));
        handlers.put(
                ApiKeys.FETCH,
                new FetchHandler(topics, config.fetchMaxBytes(), requestThreads, timer, fetchSessions, traffic));
        handlers.put(ApiKeys.LIST_OFFSETS, new ListOffsetsHandler(topics));
        handlers.put(ApiKeys.METADATA, new MetadataHandler(node, topics, creation));
        handlers.put(ApiKeys.FIND_COORDINATOR, new FindCoordinatorHandler(node));
        handlers.put(ApiKeys.JOIN_GROUP, new JoinGroupHandler(groups));
        handlers.put(ApiKeys.SYNC_GROUP, new SyncGroupHandler(groups));
        handlers.put(ApiKeys.HEARTBEAT, new HeartbeatHandler(groups));
        handlers.put(ApiKeys.LEAVE_GROUP, new LeaveGroupHandler(groups));
        handlers.put(ApiKeys.OFFSET_COMMIT, new OffsetCommitHandler(groups, topics));
        handlers.put(ApiKeys.OFFSET_FETCH, new OffsetFetchHandler(groups, topics));
        handlers.put(ApiKeys.OFFSET_DELETE, new OffsetDeleteHandler(groups));
        handlers.put(ApiKeys.DESCRIBE_GROUPS, new DescribeGroupsHandler(groups));
        handlers.put(ApiKeys.LIST_GROUPS, new ListGroupsHandler(groups));
        handlers.put(ApiKeys.DELETE_GROUPS, new DeleteGroupsHandler(groups));
        handlers.put(ApiKeys.INIT_PRODUCER_ID, new InitProducerIdHandler(new ProducerIds()));
        handlers.put(ApiKeys.DESCRIBE_PRODUCERS, new DescribeProducersHandler(topics));
        handlers.put(ApiKeys.CREATE_TOPICS, new CreateTopicsHandler(node, topics, creation));
        handlers.put(ApiKeys.DELETE_TOPICS, new DeleteTopicsHandler(topics, new TopicDeletion(topics, groups)));
        handlers.put(ApiKeys.CREATE_PARTITIONS, new CreatePartitionsHandler(node, topics));
        handlers.put(ApiKeys.DELETE_RECORDS, new DeleteRecordsHandler(topics));
        handlers.put(ApiKeys.OFFSET_FOR_LEADER_EPOCH, new OffsetForLeaderEpochHandler(topics));
        handlers.put(ApiKeys.ELECT_LEADERS, new ElectLeadersHandler(topics));
        handlers.put(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, new AlterPartitionReassignmentsHandler(node, topics));
        handlers.put(ApiKeys.LIST_PARTITION_REASSIGNMENTS, new ListPartitionReassignmentsHandler());
        handlers.put(ApiKeys.DESCRIBE_ACLS, new DescribeAclsHandler());
        handlers.put(ApiKeys.CREATE_ACLS, new CreateAclsHandler());
        handlers.put(ApiKeys.DELETE_ACLS, new DeleteAclsHandler());
        handlers.put(
                ApiKeys.DESCRIBE_CONFIGS,
                new DescribeConfigsHandler(node, topics, config.log(), config.values(), config.given()));
        handlers.put(ApiKeys.ALTER_CONFIGS, new AlterConfigsHandler(topics));
        handlers.put(ApiKeys.INCREMENTAL_ALTER_CONFIGS, new IncrementalAlterConfigsHandler(topics, config.log()));
        handlers.put(ApiKeys.ALTER_REPLICA_LOG_DIRS, new AlterReplicaLogDirsHandler(directories, topics, moves));
        handlers.put(ApiKeys.DESCRIBE_LOG_DIRS, new DescribeLogDirsHandler(directories.all(), topics));
        handlers.put(ApiKeys.DESCRIBE_CLUSTER, new DescribeClusterHandler(node));
        Set<ApiKeys> announced = EnumSet.of(ApiKeys.API_VERSIONS);
        announced.addAll(handlers.keySet());
        SupportedVersions versions = new SupportedVersions(announced);
        handlers.put(ApiKeys.API_VERSIONS, new ApiVersionsHandler(versions, node));
        return new RequestDispatcher(requestThreads, config.queuedRequests(), versions, handlers, traffic);
    }

    private Listener boundAndAdvertised(Listener own) {
        bound.add(own);
        return advertise(own);
    }

    /** What clients are told of a listener that is bound. */
    private Listener advertise(Listener bound) {
        for (Listener listener : config.advertisedListeners()) {
            if (listener.protocol() == bound.protocol()) {
                return listener.port() == 0
                        ? new Listener(listener.protocol(), listener.host(), bound.port())
                        : listener;
            }
        }
        return bound.host().isEmpty() ? new Listener(bound.protocol(), thisHost(), bound.port()) : bound;
    }

    private static String thisHost() {
        try {
            return InetAddress.getLocalHost().getCanonicalHostName();
        } catch (UnknownHostException nameless) {
            return InetAddress.getLoopbackAddress().getHostAddress();
        }
    }

    /**
     * The listeners with the ports they got, as clients are told.
     *
     * @return one listener for each that is configured, in that order; empty before the start
     */
    public List<Listener> listeners() {
        return List.copyOf(advertised);
    }

    /** The listeners with the ports they got, as they are bound. */
    List<Listener> bound() {
        return List.copyOf(bound);
    }

    /**
     * The log directories.
     *
     * @return the directories, never null
     */
    public LogDirectories directories() {
        return directories;
    }

    /**
     * The topics.
     *
     * @return the topics, never null
     */
    public Topics topics() {
        return topics;
    }

    /** What answers requests, once the broker has started; for tests that spare the network. */
    RequestDispatcher dispatcher() {
        return dispatcher;
    }

    /**
     * What the broker has and what went through it, for metrics.
     *
     * @return figures that stay good as long as the broker runs
     * @throws IllegalStateException if it was not started
     */
    public BrokerFigures figures() {
        if (figures == null) {
            throw new IllegalStateException("the broker was not started");
        }
        return figures;
    }

    /**
     * Completes when no log directory is left, which a broker cannot go on from: close it then.
     *
     * @return completes on the failure handler's thread, with the last failure
     */
    public CompletionStage<LogDirFailure> lastDirectoryLost() {
        return lastDirectoryLost.minimalCompletionStage();
    }

    /** Stops serving, flushes and closes the logs and ends all threads. Waits for each a few seconds at most. */
    @Override
    public void close() {
        stopServing();
        offsets.close();
        topics.close();
        directories.release();
    }

    /**
     * Closes the broker of which nothing is to be kept: as {@link #close}, but its directories are left as they happen to be, and nothing waits for their media. Whoever
     * calls this deletes them.
     */
    void discard() {
        stopServing();
        offsets.discard();
        topics.discard();
        directories.release();
    }

    private void stopServing() {
        if (registration != null) {
            registration.close();
        }
        server.close();
        requestThreads.shutdown();
        timer.shutdown();
        background.shutdown();
        cleaner.shutdown();
        moves.cancelAll();
        mover.shutdown();
        failureHandler.interrupt();
        try {
            // Never interrupted: an interrupt in the middle of an append would close the file under it.
            requestThreads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            timer.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            background.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            cleaner.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            mover.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            failureHandler.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
