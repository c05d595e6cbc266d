package io.faultline.bench.outage;

import io.faultline.bench.subject.Ledger;
import io.faultline.bench.subject.Payload;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Everything that the brokers have of a topic.
 *
 * @param partitions for each partition what is at which offset; null stands for bytes that nobody sent
 */
record LogContents(List<Map<Long, Payload>> partitions) {

    /** Reads it from the first record to what is the last one now. */
    static LogContents read(String bootstrap, String topic, int partitions) {
        List<Map<Long, Payload>> contents = new ArrayList<>();
        IntStream.range(0, partitions).forEach(partition -> contents.add(new HashMap<>()));
        WholeTopic.read(
                bootstrap,
                topic,
                partitions,
                record -> contents.get(record.partition()).put(record.offset(), Payload.decode(record.value())));
        return new LogContents(contents);
    }

    long records() {
        return partitions.stream().mapToLong(Map::size).sum();
    }

    /** Records whose bytes are not what anybody sent, or that lie in another partition than they were sent to. */
    long corrupt() {
        long corrupt = 0;
        for (int number = 0; number < partitions.size(); number++) {
            int partition = number;
            corrupt += partitions.get(number).values().stream()
                    .filter(payload -> payload == null || payload.partition() != partition)
                    .count();
        }
        return corrupt;
    }

    /** Records that no member of a group has got, whose members are in some processes. */
    long missedBy(List<Ledger> group) {
        long missed = 0;
        for (int partition = 0; partition < partitions.size(); partition++) {
            BitSet got = new BitSet();
            for (Ledger ledger : group) {
                got.or(ledger.gotByGroup(partition));
            }
            missed += partitions.get(partition).keySet().stream()
                    .filter(offset -> !got.get(offset.intValue()))
                    .count();
        }
        return missed;
    }

    /** Records of a sender that are there a second time, or more often. */
    long duplicates(int sender) {
        long duplicates = 0;
        for (Map<Long, Payload> partition : partitions) {
            Set<Payload> seen = new HashSet<>();
            duplicates += inOrder(partition, sender).stream()
                    .filter(each -> !seen.add(each))
                    .count();
        }
        return duplicates;
    }

    /** Records of a sender whose first copy lies behind one that was sent later. */
    long reorderings(int sender) {
        long reorderings = 0;
        for (Map<Long, Payload> partition : partitions) {
            Set<Payload> seen = new HashSet<>();
            long latest = -1;
            for (Payload payload : inOrder(partition, sender)) {
                if (seen.add(payload) && payload.number() < latest) {
                    reorderings++;
                }
                latest = Math.max(latest, payload.number());
            }
        }
        return reorderings;
    }

    private static List<Payload> inOrder(Map<Long, Payload> partition, int sender) {
        return partition.entrySet().stream()
                .filter(entry -> entry.getValue() != null && entry.getValue().sender() == sender)
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .toList();
    }
}
