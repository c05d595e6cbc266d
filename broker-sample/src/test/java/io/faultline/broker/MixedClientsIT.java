package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.faultline.broker.client.ClientProcess;
import io.faultline.broker.client.ClientProgram;
import io.faultline.broker.junit.BrokerExtension;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.internal.FileRecords;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Three clients of different make and age on one broker: the newest Java client, the one of Kafka 2.8, and kcat. */
class MixedClientsIT {

    private static final List<String> COMPRESSIONS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    private static final int RECORDS = 40;
    private static final String SHARED = "shared-none";
    private static final int PARTITIONS = 6;
    /** Only ends a test whose clients hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path scratch;

    @RegisterExtension
    final BrokerExtension extension = new BrokerExtension(builder -> builder.topic(SHARED, PARTITIONS));

    private String bootstrap;

    @BeforeEach
    void requireKcat() {
        Kcat.require();
        bootstrap = extension.broker().bootstrapServers();
    }

    @Test
    void whatOneProducesTheOthersReadInEveryCompression() throws Exception {
        List<String> topics =
                COMPRESSIONS.stream().map(compression -> "mixed-" + compression).toList();
        String all = String.join(",", topics);
        try (ClientProcess old = ClientProcess.ofKafka28(scratch, "produce", bootstrap, all, "old", "" + RECORDS);
                ClientProcess newest = ClientProcess.newest(scratch, "produce", bootstrap, all, "new", "" + RECORDS)) {
            for (String compression : COMPRESSIONS) {
                produceWithKcat("mixed-" + compression, compression);
            }
            old.awaitEnd();
            newest.awaitEnd();
            assertThat(old.printed()).contains("client 2.8.2").doesNotContain("failed");
            assertThat(newest.printed()).contains("client 4.").doesNotContain("failed");
        }
        List<String> expected = new ArrayList<>();
        List.of("old", "new", "kcat").forEach(prefix -> expected.addAll(values(prefix, 0, RECORDS)));

        for (String compression : COMPRESSIONS) {
            // librdkafka sends a batch as it is if compressing it would make it larger, as with a batch of one small
            // record.
            assertThat(compressionsOf("mixed-" + compression))
                    .contains(compression)
                    .isSubsetOf(compression, "none");
            assertThat(consumedByKcat("mixed-" + compression)).containsExactlyInAnyOrderElementsOf(expected);
        }
        try (ClientProcess old = ClientProcess.ofKafka28(scratch, "consume", bootstrap, "g-old", all);
                ClientProcess newest = ClientProcess.newest(scratch, "consume", bootstrap, "g-new", all)) {
            for (ClientProcess reader : List.of(old, newest)) {
                for (String topic : topics) {
                    await().atMost(PATIENCE)
                            .untilAsserted(() ->
                                    assertThat(reader.values(topic)).hasSizeGreaterThanOrEqualTo(expected.size()));
                    assertThat(reader.values(topic)).containsExactlyInAnyOrderElementsOf(expected);
                }
            }
        }
    }

    private static List<String> values(String prefix, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(index -> new String(ClientProgram.value(prefix, index), StandardCharsets.UTF_8))
                .toList();
    }

    private void produceWithKcat(String topic, String compression) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-P", "-t", topic));
        if (!compression.equals("none")) {
            arguments.addAll(List.of("-z", compression));
        }
        Kcat.plaintext(extension.broker(), scratch)
                .run(String.join("\n", values("kcat", 0, RECORDS)) + "\n", arguments.toArray(String[]::new));
    }

    private List<String> consumedByKcat(String topic) throws Exception {
        return Kcat.plaintext(extension.broker(), scratch)
                .run("", "-C", "-t", topic, "-e", "-q", "-f", "%s\\n")
                .lines()
                .toList();
    }

    private Set<String> compressionsOf(String topic) throws IOException {
        Set<String> compressions = new HashSet<>();
        for (File segment : extension.broker().log(topic, 0).segmentFiles()) {
            try (FileRecords records = FileRecords.open(segment)) {
                StreamSupport.stream(records.batches().spliterator(), false)
                        .forEach(batch -> compressions.add(batch.compressionType().name));
            }
        }
        return compressions;
    }

    @Test
    void theyShareAGroupRebalanceCommitAndResume() throws Exception {
        Path kcatPrinted = scratch.resolve("kcat-member");
        try (ClientProcess newest = member("new")) {
            Process kcat = kcatMember(kcatPrinted);
            try {
                try (ClientProcess old = member("old")) {
                    awaitPartitionsEach(2, 2, 2);
                    produce(0, 60);
                    await().atMost(PATIENCE)
                            .until(() -> consumed(kcatPrinted, newest, old).containsAll(values("p", 0, 60)));
                    assertThat(old.values(SHARED)).isNotEmpty();
                    assertThat(newest.values(SHARED)).isNotEmpty();
                    old.leave();
                }
                awaitPartitionsEach(3, 3);
                produce(60, 120);
                await().atMost(PATIENCE)
                        .until(() -> consumed(kcatPrinted, newest).containsAll(values("p", 60, 120)));
            } finally {
                kcat.destroy();
                kcat.waitFor();
            }
            awaitPartitionsEach(6);
            awaitCommitted(120);
            newest.leave();
        }
        produce(120, 150);
        try (ClientProcess later = member("old")) {
            await().atMost(PATIENCE).until(() -> later.values(SHARED).containsAll(values("p", 120, 150)));
            assertThat(later.values(SHARED))
                    .as("it goes on where the others stopped")
                    .containsExactlyInAnyOrderElementsOf(values("p", 120, 150));
        }
    }

    private ClientProcess member(String kind) throws IOException {
        String[] arguments = {"consume", bootstrap, "g", SHARED, "session.timeout.ms=10000", "heartbeat.interval.ms=500"
        };
        return kind.equals("old")
                ? ClientProcess.ofKafka28(scratch, arguments)
                : ClientProcess.newest(scratch, arguments);
    }

    private Process kcatMember(Path printed) throws IOException {
        return new ProcessBuilder(
                        "kcat",
                        "-b",
                        bootstrap,
                        "-G",
                        "g",
                        SHARED,
                        "-q",
                        "-u",
                        "-f",
                        "%s\\n",
                        "-X",
                        "auto.offset.reset=earliest",
                        "-X",
                        "auto.commit.interval.ms=100",
                        "-X",
                        "heartbeat.interval.ms=500",
                        "-X",
                        "session.timeout.ms=10000")
                .redirectOutput(printed.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static Set<String> consumed(Path kcatPrinted, ClientProcess... others) throws IOException {
        Set<String> consumed = Files.readString(kcatPrinted).lines().collect(Collectors.toSet());
        for (ClientProcess other : others) {
            consumed.addAll(other.values(SHARED));
        }
        return consumed;
    }

    private void produce(int from, int to) throws Exception {
        try (Producer<byte[], byte[]> producer = Clients.plaintext(bootstrap).producer()) {
            for (int index = from; index < to; index++) {
                producer.send(new ProducerRecord<>(SHARED, index % PARTITIONS, null, ClientProgram.value("p", index)));
            }
        }
    }

    private void awaitPartitionsEach(Integer... counts) {
        try (Admin admin = Clients.plaintext(bootstrap).admin()) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                Collection<MemberDescription> members = Clients.get(
                                admin.describeConsumerGroups(List.of("g")).all())
                        .get("g")
                        .members();
                assertThat(members)
                        .extracting(
                                member -> member.assignment().topicPartitions().size())
                        .containsExactlyInAnyOrder(counts);
            });
        }
    }

    private void awaitCommitted(long records) {
        try (Admin admin = Clients.plaintext(bootstrap).admin()) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(
                                    Clients.get(admin.listConsumerGroupOffsets("g")
                                                    .partitionsToOffsetAndMetadata())
                                            .values()
                                            .stream()
                                            .mapToLong(offset -> offset.offset())
                                            .sum())
                            .isEqualTo(records));
        }
    }
}
