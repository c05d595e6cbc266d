package io.faultline.broker.log;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of the broker: found in the log directories at the start, made and deleted later.
 *
 * <p>Safe for use by any thread.
 */
public final class Topics {

    private static final Logger LOG = LoggerFactory.getLogger(Topics.class);

    private final List<LogDirectory> directories;
    private final LogConfig config;
    private final ScheduledExecutorService background;
    private final DeletedTopics deleted;
    /** Those whose logs are all here, or were set aside. */
    private final Set<LogDirectory> loaded = ConcurrentHashMap.newKeySet();

    private final Map<String, Topic> byName = new ConcurrentSkipListMap<>();
    private final Map<Uuid, Topic> byId = new ConcurrentHashMap<>();

    /**
     * Makes a register with no topics.
     *
     * @param directories the log directories
     * @param config how logs are kept
     * @param background flushes what was rolled, and deletes files with a delay
     */
    public Topics(Collection<LogDirectory> directories, LogConfig config, ScheduledExecutorService background) {
        this.directories = List.copyOf(directories);
        this.config = config;
        this.background = background;
        this.deleted = new DeletedTopics(this.directories);
    }

    /**
     * Loads what lies in the directories, before the broker serves anybody. A directory that cannot be read goes offline.
     *
     * @throws IllegalStateException if two directories hold the same partition
     */
    public synchronized void load() {
        Map<String, Map<Integer, Partition>> found = new TreeMap<>();
        Map<String, Uuid> ids = new HashMap<>();
        Map<String, TopicConfig> configs = new HashMap<>();
        deleted.load();
        try {
            for (LogDirectory directory : directories) {
                loadIfReadable(directory, found, ids, configs);
            }
        } catch (RuntimeException refused) {
            found.values()
                    .forEach(partitions -> partitions
                            .values()
                            .forEach(partition -> partition.letGo().closeHandles()));
            loaded.clear();
            throw refused;
        }
        deleted.forgetIfAllAreOnline();
        found.forEach((name, partitions) ->
                add(topicOf(name, ids.get(name), partitions, configs.getOrDefault(name, TopicConfig.NONE))));
    }

    private void loadIfReadable(
            LogDirectory directory,
            Map<String, Map<Integer, Partition>> found,
            Map<String, Uuid> ids,
            Map<String, TopicConfig> configs) {
        if (!directory.isOffline()) {
            try {
                directory.run("loading " + directory, () -> loadDirectory(directory, found, ids, configs));
                loaded.add(directory);
            } catch (KafkaStorageException offline) {
                LOG.debug("{}", offline.getMessage());
            }
        }
    }

    private void loadDirectory(
            LogDirectory directory,
            Map<String, Map<Integer, Partition>> found,
            Map<String, Uuid> ids,
            Map<String, TopicConfig> configs)
            throws IOException {
        directory.load();
        File[] folders = directory.file().listFiles(File::isDirectory);
        if (folders == null) {
            throw new IOException("cannot list " + directory);
        }
        for (File folder : folders) {
            Optional<PartitionFolder> parsed = PartitionFolder.parse(folder.getName());
            if (PartitionFolder.isDeleted(folder.getName())) {
                PartitionFolder.deleteTree(folder.toPath());
            } else if (PartitionFolder.readTopicId(folder)
                    .filter(deleted::contains)
                    .isPresent()) {
                LOG.info("{} is deleted: its topic was, while the directory was offline", folder);
                PartitionFolder.deleteTree(PartitionFolder.moveToDeleted(folder).toPath());
            } else if (parsed.isPresent()) {
                loadPartition(directory, folder, parsed.get(), found, ids);
                configs.merge(
                        parsed.get().topic(),
                        TopicConfig.read(folder),
                        (known, other) -> known.version() >= other.version() ? known : other);
            }
        }
    }

    private void loadPartition(
            LogDirectory directory,
            File folder,
            PartitionFolder parsed,
            Map<String, Map<Integer, Partition>> found,
            Map<String, Uuid> ids)
            throws IOException {
        Optional<Uuid> kept = PartitionFolder.readTopicId(folder);
        Uuid id = ids.computeIfAbsent(parsed.topic(), name -> kept.orElseGet(Uuid::randomUuid));
        if (kept.isEmpty()) {
            PartitionFolder.writeTopicId(folder, id);
        } else if (!kept.get().equals(id)) {
            LOG.warn("{} is left alone: it belongs to another topic of that name, {}", folder, kept.get());
            return;
        }
        Map<Integer, Partition> partitions = found.computeIfAbsent(parsed.topic(), name -> new TreeMap<>());
        Partition twice = partitions.get(parsed.partition());
        if (twice != null && twice.isOffline()) {
            LOG.warn("{} is left alone: {} is offline, and may be newer", folder, twice);
            return;
        }
        if (twice != null && !supersedes(folder, twice)) {
            directory.forget(folder.getName());
            PartitionFolder.moveToDeleted(folder);
            return;
        }
        Log log = Log.open(folder, directory, TopicConfig.read(folder).applyTo(config), background);
        partitions.put(parsed.partition(), new Partition(parsed.topic(), parsed.partition(), directory, log));
    }

    /** A crash in the middle of a move leaves two; the one that was moved more often is the partition's. */
    private static boolean supersedes(File folder, Partition known) throws IOException {
        Log other = known.log();
        int moves = PartitionFolder.readMoves(folder);
        int otherMoves =
                other.directory().io("reading " + other, () -> PartitionFolder.readMoves(new File(other.toString())));
        if (moves == otherMoves) {
            throw new IllegalStateException(known + " lies in both " + other.directory() + " and " + folder.getParent()
                    + ": remove one of them");
        }
        if (moves > otherMoves) {
            known.letGo();
            other.delete();
        }
        return moves > otherMoves;
    }

    /** Indexes that nobody has lie in a directory that could not be read. */
    private Topic topicOf(String name, Uuid id, Map<Integer, Partition> found, TopicConfig topicConfig) {
        int count = found.keySet().stream().max(Comparator.naturalOrder()).orElseThrow() + 1;
        List<Partition> partitions = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            Partition known = found.get(index);
            partitions.add(known != null ? known : new Partition(name, index, null, null));
        }
        Topic topic = new Topic(name, id, List.copyOf(partitions), topicConfig);
        configure(topic, false);
        return topic;
    }

    /** One partition's failing disk keeps no other from being configured. */
    private void configure(Topic topic, boolean write) {
        LogConfig logConfig = topic.config().applyTo(config);
        for (Partition partition : topic.partitions()) {
            partition.openLog().ifPresent(log -> {
                log.reconfigure(logConfig);
                try {
                    if (write) {
                        log.write(topic.config());
                    }
                } catch (KafkaStorageException offline) {
                    LOG.debug("{}", offline.getMessage());
                } catch (NotLeaderOrFollowerException moved) {
                    // What is set is written into the log that took the place when its move is over.
                    LOG.debug("{}", moved.getMessage());
                }
            });
        }
    }

    /** Makes sure that what was set for a topic holds in all its logs, one of which is new. */
    synchronized void configureAgain(String name) {
        byName(name).ifPresent(topic -> configure(topic, true));
    }

    private void add(Topic topic) {
        byName.put(topic.name(), topic);
        byId.put(topic.id(), topic);
    }

    /**
     * Makes a topic. Each partition is placed in the online directory that has the fewest.
     *
     * @param name a valid name
     * @param partitions how many partitions, at least 1
     * @return the topic
     * @throws TopicExistsException if there is a topic of that name
     * @throws KafkaStorageException if no directory is online
     */
    public synchronized Topic create(String name, int partitions) {
        return create(name, partitions, TopicConfig.NONE);
    }

    /**
     * Makes a topic with settings of its own, like {@link #create(String, int)}.
     *
     * @param name a valid name
     * @param partitions how many partitions, at least 1
     * @param topicConfig the settings
     * @return the topic
     * @throws TopicExistsException if there is a topic of that name
     * @throws KafkaStorageException if no directory is online
     */
    public synchronized Topic create(String name, int partitions, TopicConfig topicConfig) {
        if (byName.containsKey(name)) {
            throw new TopicExistsException("Topic '" + name + "' already exists.");
        }
        Map<LogDirectory, Integer> counts = partitionCounts();
        Uuid id = Uuid.randomUuid();
        List<Partition> made = new ArrayList<>();
        for (int index = 0; index < partitions; index++) {
            Partition partition = place(new PartitionFolder(name, index), id, counts);
            counts.merge(partition.directory(), 1, Integer::sum);
            made.add(partition);
        }
        Topic topic = new Topic(name, id, List.copyOf(made), topicConfig);
        configure(topic, true);
        add(topic);
        return topic;
    }

    /**
     * Adds partitions to a topic. Each is placed in the online directory that has the fewest.
     *
     * @param name the name
     * @param count how many partitions the topic has then, more than it has now
     * @return the topic as it is then
     * @throws UnknownTopicOrPartitionException if there is no such topic
     * @throws InvalidPartitionsException if it has as many already
     * @throws KafkaStorageException if no directory is online
     */
    public synchronized Topic addPartitions(String name, int count) {
        Topic topic = byName(name).orElseThrow(() -> new UnknownTopicOrPartitionException("no topic " + name));
        if (count <= topic.partitions().size()) {
            throw new InvalidPartitionsException(
                    "Topic " + name + " has " + topic.partitions().size() + " partitions already.");
        }
        Map<LogDirectory, Integer> counts = partitionCounts();
        List<Partition> all = new ArrayList<>(topic.partitions());
        for (int index = all.size(); index < count; index++) {
            Partition partition = place(new PartitionFolder(name, index), topic.id(), counts);
            counts.merge(partition.directory(), 1, Integer::sum);
            all.add(partition);
        }
        Topic larger = new Topic(name, topic.id(), List.copyOf(all), topic.config());
        configure(larger, true);
        add(larger);
        return larger;
    }

    /**
     * Sets what holds for a topic, at once.
     *
     * @param name the name
     * @param change from the settings that hold to those that will, with a new version
     * @return the topic as it is then
     * @throws UnknownTopicOrPartitionException if there is no such topic
     */
    public synchronized Topic configure(String name, UnaryOperator<TopicConfig> change) {
        Topic topic = byName(name).orElseThrow(() -> new UnknownTopicOrPartitionException("no topic " + name));
        Topic configured = new Topic(name, topic.id(), topic.partitions(), change.apply(topic.config()));
        configure(configured, true);
        add(configured);
        return configured;
    }

    private Partition place(PartitionFolder partition, Uuid id, Map<LogDirectory, Integer> counts) {
        List<LogDirectory> candidates = new ArrayList<>(directories);
        candidates.removeIf(LogDirectory::isOffline);
        candidates.sort(Comparator.comparing(candidate -> counts.getOrDefault(candidate, 0)));
        KafkaStorageException last = new KafkaStorageException("no log directory is online");
        for (LogDirectory directory : candidates) {
            try {
                Log log = directory.write("creating " + partition.topic() + "-" + partition.partition(), 0, () -> {
                    File folder = partition.create(directory);
                    return PartitionFolder.filled(folder, () -> {
                        // One of that name may have been deleted while the directory was offline.
                        directory.forget(folder.getName());
                        PartitionFolder.writeTopicId(folder, id);
                        return Log.open(folder, directory, config, background);
                    });
                });
                return new Partition(partition.topic(), partition.partition(), directory, log);
            } catch (KafkaStorageException failed) {
                // The directory is offline or full now, so the next one has its turn.
                LOG.debug("{}", failed.getMessage());
                last = failed;
            }
        }
        throw last;
    }

    private Map<LogDirectory, Integer> partitionCounts() {
        Map<LogDirectory, Integer> counts = new HashMap<>();
        for (Topic topic : byName.values()) {
            for (Partition partition : topic.partitions()) {
                if (partition.directory() != null) {
                    counts.merge(partition.directory(), 1, Integer::sum);
                }
            }
        }
        return counts;
    }

    /**
     * Deletes a topic. Responses in flight are sent to their end. What lies in an offline directory is deleted when that is back.
     *
     * @param name the name
     * @throws UnknownTopicOrPartitionException if there is no such topic
     */
    public synchronized void delete(String name) {
        Topic topic = byName.remove(name);
        if (topic == null) {
            throw new UnknownTopicOrPartitionException("no topic " + name);
        }
        byId.remove(topic.id());
        deleted.addIfAnyIsOffline(topic.id());
        for (Partition partition : topic.partitions()) {
            Log log = partition.letGo();
            if (log != null) {
                try {
                    log.delete();
                } catch (KafkaStorageException offline) {
                    LOG.warn("{} is deleted at the next start: {}", partition, offline.getMessage());
                    deleted.add(topic.id());
                }
            }
            partition.changed();
        }
    }

    /**
     * A topic by name.
     *
     * @param name the name, or null
     * @return the topic, empty if there is none
     */
    public Optional<Topic> byName(String name) {
        return name == null ? Optional.empty() : Optional.ofNullable(byName.get(name));
    }

    /**
     * A topic by id.
     *
     * @param id the id
     * @return the topic, empty if there is none
     */
    public Optional<Topic> byId(Uuid id) {
        return Optional.ofNullable(byId.get(id));
    }

    /**
     * All topics, by name.
     *
     * @return a view; iterating it never fails
     */
    public Collection<Topic> all() {
        return byName.values();
    }

    /** Forgets idempotent producers that appended nothing for long. Does no I/O and never throws. */
    public void removeExpiredProducers() {
        for (Topic topic : byName.values()) {
            for (Partition partition : topic.partitions()) {
                partition.openLog().ifPresent(Log::removeExpiredProducers);
            }
        }
    }

    /** Deletes what is past its retention, in every log that is online. */
    public void enforceRetention() {
        forEachLog("The retention", Log::enforceRetention);
    }

    /** Compacts what is to be compacted, in every log that is online. One thread at a time does. */
    public void compact() {
        forEachLog("The compaction", Log::compact);
    }

    /** Flushes every log that is online and was not flushed for as long as is set for it. */
    public void flushWhatIsDue() {
        long nowMs = System.currentTimeMillis();
        forEachLog("The flush interval", log -> log.flushIfDue(nowMs));
    }

    private void forEachLog(String what, Consumer<Log> action) {
        for (Topic topic : byName.values()) {
            for (Partition partition : topic.partitions()) {
                try {
                    partition.openLog().ifPresent(action);
                } catch (RuntimeException failure) {
                    LOG.warn("{} of {} is not enforced: {}", what, partition, failure.toString());
                }
            }
        }
    }

    /** Notes, in every directory that is online, up to where its logs are on the medium. */
    public void checkpointRecoveryPoints() {
        for (LogDirectory directory : loaded) {
            if (!directory.isOffline()) {
                try {
                    directory.write("noting what is flushed in " + directory, 0, () -> {
                        directory.recoveryPoints().replaceAll(() -> recoveryPoints(directory));
                        return null;
                    });
                } catch (KafkaStorageException failure) {
                    LOG.warn("{}", failure.getMessage());
                }
            }
        }
    }

    private Map<String, Long> recoveryPoints(LogDirectory directory) {
        Map<String, Long> points = new HashMap<>();
        for (Topic topic : byName.values()) {
            for (Partition partition : topic.partitions()) {
                partition
                        .openLog()
                        .filter(log -> log.directory() == directory)
                        .ifPresent(log -> points.put(partition.toString(), log.recoveryPoint()));
            }
        }
        return points;
    }

    /** Takes the partitions of a failed directory offline and returns their logs, to be closed. */
    List<Log> takeOffline(LogDirectory directory) {
        List<Log> logs = new ArrayList<>();
        for (Topic topic : byName.values()) {
            for (Partition partition : topic.partitions()) {
                if (partition.directory() == directory) {
                    Log log = partition.letGo(directory);
                    if (log != null) {
                        logs.add(log);
                    }
                    partition.changed();
                }
            }
        }
        return logs;
    }

    /**
     * Flushes and closes the logs of all online partitions, for an orderly stop. Directories in which all could be closed are marked,
     * so that the next start need not read them.
     */
    public synchronized void close() {
        Map<LogDirectory, Map<String, Long>> ends = new HashMap<>();
        loaded.forEach(directory -> ends.put(directory, new HashMap<>()));
        for (Topic topic : byName.values()) {
            for (Partition partition : topic.partitions()) {
                Log log = partition.letGo();
                try {
                    if (log != null) {
                        log.close();
                        ends.computeIfPresent(log.directory(), (directory, known) -> {
                            known.put(partition.toString(), log.recoveryPoint());
                            return known;
                        });
                    }
                } catch (KafkaStorageException | NotLeaderOrFollowerException failed) {
                    log.closeHandles();
                    ends.remove(log.directory());
                    LOG.warn("{}: {}", partition, failed.getMessage());
                }
            }
        }
        ends.forEach(Topics::markCleanShutdown);
        loaded.clear();
    }

    /** Closes the logs as they are, flushes nothing and marks no directory: for a broker whose directories are deleted next. */
    public synchronized void discard() {
        for (Topic topic : byName.values()) {
            for (Partition partition : topic.partitions()) {
                Log log = partition.letGo();
                if (log != null) {
                    log.closeHandles();
                }
            }
        }
        loaded.clear();
    }

    private static void markCleanShutdown(LogDirectory directory, Map<String, Long> ends) {
        if (!directory.isOffline()) {
            try {
                directory.write("marking the end of " + directory, 0, () -> {
                    directory.markCleanShutdown(ends);
                    return null;
                });
            } catch (KafkaStorageException failed) {
                LOG.warn("{}", failed.getMessage());
            }
        }
    }
}
