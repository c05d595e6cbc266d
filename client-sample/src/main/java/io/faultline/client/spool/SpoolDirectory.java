package io.faultline.client.spool;

import io.faultline.client.spool.JournalRecord.Begun;
import io.faultline.client.spool.JournalRecord.Moved;
import io.faultline.client.spool.JournalRecord.Settled;
import io.faultline.client.spool.JournalRecord.Stamped;
import io.faultline.client.spool.JournalRecord.Stored;
import io.faultline.client.spool.JournalRecord.Undecided;
import io.faultline.client.spool.SpoolEntry.Location;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a spool: batches in segments, and a journal that says which of them are there, under what they are sent and which
 * are settled. On the spool's thread, but for {@link #bytes}.
 *
 * <p>A segment goes when all its batches are settled. The journal is written anew at each start, and whenever most of it is
 * about batches that are gone.
 */
final class SpoolDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(SpoolDirectory.class);

    private static final String LOCK = "lock";

    /** What is written about one batch from its first sending to its end, and some. */
    private static final int LATER_RECORDS = 512;

    private static final long SMALL_JOURNAL = 1 << 20;

    private final SpoolConfig config;
    private final Map<Long, Segment> segments = new TreeMap<>();
    private final List<Segment> setAside = new ArrayList<>();
    private final Map<Long, Live> live = new LinkedHashMap<>();
    private FileChannel lockFile;
    private Journal journal;
    private Segment current;
    private long nextId;
    private long nextSegment;
    private volatile long bytes;
    private final Map<TopicPartition, Attempt> numbering = new HashMap<>();
    private final Set<FileChannel> channels = ConcurrentHashMap.newKeySet();

    /** A batch that is not settled, and the latest that was written about it. */
    private static final class Live {
        private final SpoolEntry entry;
        private Attempt attempt; // null if it was never sent
        private String undecided;
        private Stored missing; // null unless its segment is

        private Live(SpoolEntry entry) {
            this.entry = entry;
        }
    }

    SpoolDirectory(SpoolConfig config) {
        this.config = config;
    }

    /** How many bytes the segments have together; for any thread. */
    long bytes() {
        return bytes;
    }

    /** Says whether an open file is one of our segments; for any thread. */
    boolean owns(FileChannel channel) {
        return channel != null && channels.contains(channel);
    }

    /**
     * Takes the directory, and tells what is in it. Nothing of the batches is read yet.
     *
     * @throws ForeignSpoolException if it is another producer's or no spool
     */
    List<Recovered> open() throws IOException {
        Files.createDirectories(config.directory());
        lock();
        JournalReplay replay = new JournalReplay(config.directory().toString());
        segmentNumbers(Segment.SUFFIX + Segment.SET_ASIDE)
                .forEach(each -> nextSegment = Math.max(nextSegment, each + 1));
        List<Long> numbers = segmentNumbers(Segment.SUFFIX);
        if (!numbers.isEmpty() && !Journal.exists(config.directory())) {
            replay.gap(0, 0);
        }
        journal = Journal.open(config.directory(), replay);
        openSegments(numbers, replay);
        nextId = replay.nextId();
        numbering.putAll(replay.numbering());
        List<Recovered> found = new ArrayList<>();
        for (Stored each : replay.batches()) {
            Live left = live(each, replay);
            live.put(each.id(), left);
            found.add(new Recovered(left.entry, left.attempt, left.undecided, null));
        }
        rewriteJournal();
        return found;
    }

    private Live live(Stored stored, JournalReplay replay) {
        Segment segment = segments.get(stored.segment());
        Live left = new Live(new SpoolEntry(
                stored.id(),
                stored.partition(),
                stored.count(),
                stored.size(),
                stored.header(),
                stored.bodyChecksum(),
                stored.acceptedAt(),
                segment == null ? null : new Location(segment, stored.position())));
        left.attempt = replay.attempt(stored.id());
        left.undecided = replay.undecided(stored.id());
        if (segment != null) {
            segment.addLive();
        } else {
            left.missing = stored;
            if (left.undecided == null) {
                left.undecided = "their segment is missing in the spool";
            }
        }
        return left;
    }

    private void lock() throws IOException {
        lockFile =
                FileChannel.open(config.directory().resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = lockFile.tryLock();
        } catch (OverlappingFileLockException inThisJvm) {
            // As if it were in another one.
        }
        if (lock == null) {
            lockFile.close();
            throw new ForeignSpoolException(config.directory() + " is the spool of another producer that is open");
        }
    }

    private List<Long> segmentNumbers(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(config.directory())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("\\d{20}" + Pattern.quote(suffix)))
                    .map(name -> Long.parseLong(name.substring(0, 20)))
                    .sorted()
                    .toList();
        }
    }

    private void openSegments(List<Long> numbers, JournalReplay replay) throws IOException {
        for (long number : numbers) {
            add(Segment.open(config.directory(), number));
            nextSegment = Math.max(nextSegment, number + 1);
        }
        if (replay.isDamaged()) {
            for (Segment each : segments.values()) {
                each.entries().forEach(replay::found);
            }
        }
        replay.batches().forEach(each -> nextSegment = Math.max(nextSegment, each.segment() + 1));
        Set<Long> used = replay.batches().stream().map(Stored::segment).collect(Collectors.toSet());
        for (long number : numbers) {
            if (!used.contains(number)) {
                Segment dead = segments.remove(number);
                channels.remove(dead.channel());
                dead.delete();
            }
        }
        count();
    }

    private void add(Segment segment) {
        segments.put(segment.number(), segment);
        channels.add(segment.channel());
    }

    /** Reads batches that were recovered; says of each whether it is whole. */
    List<Recovered> verify(List<Recovered> found) {
        List<Recovered> seen = new ArrayList<>();
        for (Recovered each : found) {
            IOException damage = null;
            try {
                read(each.entry());
            } catch (IOException unreadable) {
                damage = unreadable;
            }
            seen.add(new Recovered(each.entry(), each.attempt(), each.undecided(), damage));
        }
        return seen;
    }

    /** Reads a batch; throws where it cannot be read or is not what was written. */
    ByteBuffer read(SpoolEntry entry) throws IOException {
        Location at = entry.location();
        if (at == null) {
            throw new IOException("the segment of the batch is missing in " + config.directory());
        }
        ByteBuffer batch = at.segment().read(at.position(), entry.size());
        if (Unstored.checksumOfBody(batch) != entry.bodyChecksum()) {
            throw new IOException(
                    "the batch at " + at.position() + " of " + at.segment().name() + " is damaged");
        }
        return batch;
    }

    /** Takes batches, all or none. */
    List<SpoolEntry> store(List<Unstored> batches, long nowMillis) throws IOException {
        List<JournalRecord> records = new ArrayList<>();
        List<SpoolEntry> entries = new ArrayList<>();
        Segment into = segmentWithRoom();
        long position = into.end();
        try {
            for (Unstored batch : batches) {
                position += Framing.framedSize(Stored.encodedSize(batch.partition()));
                SpoolEntry entry = new SpoolEntry(
                        nextId + entries.size(),
                        batch.partition(),
                        batch.count(),
                        batch.bytes().remaining(),
                        batch.header(),
                        batch.bodyChecksum(),
                        nowMillis,
                        new Location(into, position));
                Stored stored = stored(entry, entry.location());
                into.write(stored, batch.bytes());
                position += entry.size();
                records.add(stored);
                if (batch.attempt() != null) {
                    records.add(new Stamped(entry.id(), batch.attempt()));
                }
                entries.add(entry);
            }
            if (isForced()) {
                into.force();
            }
            journal.append(records, (live.size() + entries.size()) * (long) LATER_RECORDS, isForced());
        } catch (IOException failure) {
            cutQuietly(into);
            throw failure;
        }
        into.advance(position);
        nextId += entries.size();
        for (int index = 0; index < entries.size(); index++) {
            Live added = new Live(entries.get(index));
            added.attempt = batches.get(index).attempt();
            if (added.attempt != null) {
                numbering.put(added.entry.partition(), added.attempt);
            }
            live.put(added.entry.id(), added);
            into.addLive();
        }
        count();
        return entries;
    }

    private static void cutQuietly(Segment segment) {
        try {
            segment.cut();
        } catch (IOException stillFailing) {
            // The next batch is written over it.
        }
    }

    private static Stored stored(SpoolEntry entry, Location at) {
        return new Stored(
                entry.id(),
                at.segment().number(),
                at.position(),
                entry.partition(),
                entry.count(),
                entry.size(),
                entry.bodyChecksum(),
                entry.acceptedAt(),
                entry.header());
    }

    private Segment segmentWithRoom() throws IOException {
        if (current == null || current.end() >= config.segmentBytes()) {
            Segment full = current;
            current = Segment.create(config.directory(), nextSegment);
            add(current);
            nextSegment++;
            if (full != null) {
                deleteIfDead(full);
            }
        }
        return current;
    }

    /** Writes down under what a batch is going to be sent. */
    void stamp(SpoolEntry entry, Attempt attempt) throws IOException {
        Live stamped = live.get(entry.id());
        if (stamped == null) {
            return; // settled meanwhile
        }
        journal.append(List.of(new Stamped(entry.id(), attempt)), 0, isForced());
        stamped.attempt = attempt;
        if (isNewNumbering(entry.partition(), attempt)) {
            for (Live each : live.values()) {
                if (each.attempt != null
                        && each.entry.partition().equals(entry.partition())
                        && !each.attempt.isSameNumbering(attempt)) {
                    each.attempt = null;
                }
            }
        }
    }

    /**
     * Says whether a partition is numbered anew. All that had a number before is known not to be in the log then, and counts as
     * not sent.
     */
    private boolean isNewNumbering(TopicPartition partition, Attempt attempt) {
        Attempt before = numbering.put(partition, attempt);
        return before != null && !before.isSameNumbering(attempt);
    }

    private boolean isForced() {
        return config.sync() == SpoolSync.ALWAYS;
    }

    /** Writes down that a batch is in the log or was given up. */
    void settle(SpoolEntry entry) throws IOException {
        if (!live.containsKey(entry.id())) {
            return;
        }
        journal.append(List.of(new Settled(entry.id())), 0);
        live.remove(entry.id());
        if (entry.location() != null) {
            Segment segment = entry.location().segment();
            segment.removeLive();
            if (segment != current || live.isEmpty()) {
                deleteIfDead(segment);
            }
        }
        compactIfMostlyDead();
    }

    private void compactIfMostlyDead() {
        if (journal.end() > SMALL_JOURNAL && journal.end() > live.size() * 4L * LATER_RECORDS) {
            try {
                rewriteJournal();
            } catch (IOException failure) {
                LOG.warn("The journal of {} stays as long as it is", config.directory(), failure);
            }
        }
    }

    private void deleteIfDead(Segment segment) {
        if (segment.isDead() && segments.remove(segment.number()) != null) {
            if (segment == current) {
                current = null;
            }
            channels.remove(segment.channel());
            try {
                segment.delete();
            } catch (IOException failure) { // the next start deletes what no batch lies in
                LOG.warn("{} cannot be deleted", segment.name(), failure);
            }
            count();
        }
    }

    /** Writes down that it cannot be found out whether a batch is in the log. */
    void undecided(SpoolEntry entry, String why) throws IOException {
        Live undecided = live.get(entry.id());
        if (undecided == null) {
            return; // settled meanwhile
        }
        journal.append(List.of(new Undecided(entry.id(), why)), 0, isForced());
        undecided.undecided = why;
    }

    /**
     * Gives up a segment that cannot be read as a whole: what can be read of it is copied, the file is renamed and read no more.
     *
     * @return the batches that could not be read; they are not settled
     */
    Map<SpoolEntry, IOException> setAside(Segment bad) throws IOException {
        Map<SpoolEntry, IOException> unreadable = new LinkedHashMap<>();
        if (segments.remove(bad.number()) == null) {
            return unreadable; // it was before
        }
        if (bad == current) {
            current = null;
        }
        boolean emptied = true;
        for (Live each : List.copyOf(live.values())) {
            if (each.entry.location() != null && each.entry.location().segment() == bad) {
                try {
                    ByteBuffer batch = read(each.entry);
                    emptied &= isCopied(each.entry, batch);
                } catch (IOException failure) {
                    unreadable.put(each.entry, failure);
                }
            }
        }
        if (emptied) {
            bad.setAside();
            setAside.add(bad);
        } else {
            segments.put(bad.number(), bad);
        }
        count();
        return unreadable;
    }

    /** Says whether there is a copy; where the disk takes none, the batch stays where it can still be read. */
    private boolean isCopied(SpoolEntry entry, ByteBuffer batch) {
        try {
            Segment into = segmentWithRoom();
            long position = into.end() + Framing.framedSize(Stored.encodedSize(entry.partition()));
            Location copy = new Location(into, position);
            into.write(stored(entry, copy), batch);
            if (isForced()) {
                into.force();
            }
            journal.append(List.of(new Moved(entry.id(), into.number(), position)), 0, isForced());
            into.advance(position + entry.size());
            into.addLive();
            entry.moveTo(copy);
            return true;
        } catch (IOException failure) {
            LOG.warn("A batch stays in a segment that is partly unreadable", failure);
            return false;
        }
    }

    private void rewriteJournal() throws IOException {
        journal.rewrite(latest(), live.size() * (long) LATER_RECORDS);
    }

    private List<JournalRecord> latest() {
        List<JournalRecord> records = new ArrayList<>();
        records.add(new Begun(nextId, live.size()));
        for (Live each : live.values()) {
            records.add(each.missing == null ? stored(each.entry, each.entry.location()) : each.missing);
            if (each.attempt != null) {
                records.add(new Stamped(each.entry.id(), each.attempt));
            }
            if (each.undecided != null) {
                records.add(new Undecided(each.entry.id(), each.undecided));
            }
        }
        return records;
    }

    private void count() {
        bytes = segments.values().stream().mapToLong(Segment::end).sum();
    }

    /** Lets go of the directory. */
    void close() throws IOException {
        for (Segment each : segments.values()) {
            each.close();
        }
        for (Segment each : setAside) {
            each.close();
        }
        if (journal != null) {
            journal.close();
        }
        if (lockFile != null) {
            lockFile.close();
        }
    }
}
